"""Packing of keys, counting of classes and roll-off of columns, against counting with a dict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditor.classes import (
    WORD_BITS,
    ClassTable,
    Domain,
    IntArray,
    KeyLayout,
    count_classes,
    prefix_sizes,
    run_starts,
)
from tests.strategies import table_of

CARDINALITIES = st.one_of(
    st.sampled_from([0, 1, 2, 3, 2**31, 2**32 + 1, 2**62, 2**63]), st.integers(1, 300), st.integers(1, 2**63)
)


def _columns(cardinalities: Sequence[int]) -> dict[str, int]:
    return {f"c{index}": count for index, count in enumerate(cardinalities)}


@st.composite
def coded_rows(draw: st.DrawFn, cardinalities: Sequence[int], most: int = 30) -> list[tuple[int, ...]]:
    """Rows of codes that the columns can hold; few distinct ones, so that classes form."""
    pools = [
        draw(st.lists(st.integers(0, max(count - 1, 0)), min_size=1, max_size=3, unique=True))
        for count in cardinalities
    ]
    return draw(st.lists(st.tuples(*(st.sampled_from(pool) for pool in pools)), max_size=most))


@st.composite
def layouts_with_rows(draw: st.DrawFn) -> tuple[KeyLayout, list[tuple[int, ...]]]:
    cardinalities = draw(st.lists(CARDINALITIES, min_size=1, max_size=6))
    return KeyLayout.of(_columns(cardinalities)), draw(coded_rows(cardinalities))


def pack(layout: KeyLayout, rows: Sequence[tuple[int, ...]]) -> IntArray:
    if not rows:
        return np.zeros((0, layout.words), dtype=np.int64)
    return layout.pack([np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)])


# Key layouts


@given(layouts_with_rows())
def test_packing_and_reading_back_is_the_identity(packed: tuple[KeyLayout, list[tuple[int, ...]]]) -> None:
    layout, rows = packed
    keys = pack(layout, rows)
    assert keys.shape == (len(rows), layout.words)
    for index, column in enumerate(layout.columns):
        assert layout.codes(keys, column).tolist() == [row[index] for row in rows]


@given(layouts_with_rows())
def test_packed_keys_sort_as_rows_do_and_are_never_negative(packed: tuple[KeyLayout, list[tuple[int, ...]]]) -> None:
    layout, rows = packed
    keys = [tuple(key) for key in pack(layout, rows).tolist()]
    assert sorted(range(len(rows)), key=lambda i: (keys[i], i)) == sorted(range(len(rows)), key=lambda i: (rows[i], i))
    assert all(word >= 0 for key in keys for word in key)


@given(layouts_with_rows(), st.data())
def test_a_prefix_keeps_the_first_columns_and_forgets_the_rest(
    packed: tuple[KeyLayout, list[tuple[int, ...]]], data: st.DataObject
) -> None:
    layout, rows = packed
    count = data.draw(st.integers(0, len(layout.columns)))
    cleared = [tuple(code if place < count else 0 for place, code in enumerate(row)) for row in rows]
    prefix = layout.prefix(pack(layout, rows), count)
    np.testing.assert_array_equal(prefix, pack(layout, cleared)[:, : prefix.shape[1]])
    assert count == 0 or prefix.shape[1] == layout.place(layout.columns[count - 1])[0] + 1


@given(st.lists(CARDINALITIES, max_size=12))
def test_a_layout_is_tight_and_no_field_straddles_two_words(cardinalities: list[int]) -> None:
    layout = KeyLayout.of(_columns(cardinalities))
    fields: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for word, shift, width in layout.places:
        fields[word].append((shift, width))
    for word in fields.values():
        assert sum(width for _, width in word) <= WORD_BITS
        expected = sum(width for _, width in word)
        for shift, width in word:
            expected -= width
            assert shift == expected
    assert [width for *_, width in layout.places] == [max(count - 1, 0).bit_length() for count in cardinalities]
    assert layout.words == max(len(fields), 1)


def test_columns_of_more_than_63_bits_together_take_another_word() -> None:
    layout = KeyLayout.of({"a": 2**32, "b": 2**31, "c": 2})
    assert layout.places == ((0, 31, 32), (0, 0, 31), (1, 0, 1))
    keys = layout.pack([np.array([2**32 - 1]), np.array([2**31 - 1]), np.array([1])])
    assert keys.tolist() == [[2**63 - 1, 1]]


def test_packing_does_not_change_the_codes_that_it_was_given() -> None:
    codes = [np.array([1, 0], dtype=np.int32), np.array([2, 3], dtype=np.int32)]
    KeyLayout.of({"a": 2, "b": 4}).pack(codes)
    assert [column.tolist() for column in codes] == [[1, 0], [2, 3]]


# Counting


@dataclass(frozen=True)
class Counted:
    """What the classes of some rows are, counted with dicts; `weights` says how many records each row stands for."""

    rows: dict[tuple[int, ...], int]
    sizes: dict[tuple[int, ...], int]
    cells: dict[tuple[int, ...], dict[int, int]]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, ...]], weights: Sequence[int], grouping: int, *, unit: bool) -> Counted:
        records: Counter[tuple[int, ...]] = Counter()
        units: dict[tuple[int, ...], set[int]] = defaultdict(set)
        values: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
        having: dict[tuple[int, ...], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        for row, weight in zip(rows, weights, strict=True):
            key, value = row[:grouping], row[grouping]
            records[key] += weight
            values[key][value] += weight
            units[key].add(row[-1])
            having[key][value].add(row[-1])
        if not unit:
            return cls(dict(records), dict(records), {key: dict(counts) for key, counts in values.items()})
        cells = {key: {value: len(who) for value, who in by.items()} for key, by in having.items()}
        return cls(dict(records), {key: len(who) for key, who in units.items()}, cells)


def as_dicts(table: ClassTable) -> Counted:
    assert table.keys is not None
    assert table.layout is not None
    columns = [table.layout.codes(table.keys, column).tolist() for column in table.columns]
    keys = list(zip(*columns, strict=True)) if columns else [()] * len(table)
    cells = {} if table.cells is None else {key: dict(table.cells.class_counts(i)) for i, key in enumerate(keys)}
    sizes, rows = table.sizes.tolist(), table.rows.tolist()
    return Counted(dict(zip(keys, rows, strict=True)), dict(zip(keys, sizes, strict=True)), cells)


@st.composite
def tables(draw: st.DrawFn) -> tuple[KeyLayout, list[tuple[int, ...]], int]:
    """Grouping columns, a sensitive attribute and a unit, in this order; sometimes no grouping column at all."""
    grouping = draw(st.lists(st.sampled_from([1, 2, 3, 200, 2**40]), max_size=4))
    cardinalities = [*grouping, draw(st.integers(1, 4)), draw(st.sampled_from([1, 5, 2**33]))]
    return KeyLayout.of(_columns(cardinalities)), draw(coded_rows(cardinalities, 60)), len(grouping)


def _domain(layout: KeyLayout, rows: Sequence[tuple[int, ...]], grouping: int) -> Domain:
    values = Counter(row[grouping] for row in rows)
    return Domain(tuple("abcd"), np.array([values[code] for code in range(4)]))


@given(tables(), st.booleans(), st.booleans(), st.data())
def test_counting_is_counting(
    table: tuple[KeyLayout, list[tuple[int, ...]], int], unit: bool, weighted: bool, data: st.DataObject
) -> None:
    layout, rows, grouping = table
    if not unit:
        layout, rows = _without_unit(layout, rows)
    weights = [1] * len(rows)
    if weighted:
        weights = data.draw(st.lists(st.sampled_from([1, 2, 7, 2**40]), min_size=len(rows), max_size=len(rows)))
    records = np.array(weights, dtype=np.int64) if weighted else None
    domain = _domain(layout, rows, grouping)
    found = count_classes(pack(layout, rows), layout, grouping, records, domain=domain, unit=unit)
    assert as_dicts(found) == Counted.of(rows, weights, grouping, unit=unit)


@given(tables(), st.booleans())
def test_counting_without_a_sensitive_attribute(
    table: tuple[KeyLayout, list[tuple[int, ...]], int], unit: bool
) -> None:
    layout, rows, grouping = table
    expected = Counted.of(rows, [1] * len(rows), grouping, unit=unit)
    kept = [row[:grouping] + row[-1:] if unit else row[:grouping] for row in rows]
    widths = {c: 1 << w for c, (_, _, w) in zip(layout.columns, layout.places, strict=True)}
    columns = [*layout.columns[:grouping], *(layout.columns[-1:] if unit else ())]
    layout = KeyLayout.of({column: widths[column] for column in columns})
    keys = pack(layout, kept) if columns else np.zeros((len(rows), layout.words), dtype=np.int64)
    found = as_dicts(count_classes(keys, layout, grouping, unit=unit))
    assert (found.rows, found.sizes) == (expected.rows, expected.sizes)


def _without_unit(layout: KeyLayout, rows: list[tuple[int, ...]]) -> tuple[KeyLayout, list[tuple[int, ...]]]:
    widths = {c: 1 << w for c, (_, _, w) in zip(layout.columns[:-1], layout.places[:-1], strict=True)}
    return KeyLayout.of(widths), [row[:-1] for row in rows]


@given(tables(), st.data())
def test_the_order_of_rows_does_not_matter(
    table: tuple[KeyLayout, list[tuple[int, ...]], int], data: st.DataObject
) -> None:
    layout, rows, grouping = table
    shuffled = data.draw(st.permutations(rows))
    domain = _domain(layout, rows, grouping)
    first = count_classes(pack(layout, rows), layout, grouping, domain=domain, unit=True)
    other = count_classes(pack(layout, shuffled), layout, grouping, domain=domain, unit=True)
    assert first.keys is not None
    np.testing.assert_array_equal(first.keys, other.keys)
    assert as_dicts(first) == as_dicts(other)


@given(tables())
def test_classes_come_sorted_and_their_cells_are_adjacent(
    table: tuple[KeyLayout, list[tuple[int, ...]], int],
) -> None:
    layout, rows, grouping = table
    found = count_classes(pack(layout, rows), layout, grouping, domain=_domain(layout, rows, grouping), unit=True)
    cells = found.cells
    assert cells is not None
    assert found.keys is not None
    keys = [tuple(key) for key in found.keys.tolist()]
    assert keys == sorted(set(keys))
    assert (cells.counts > 0).all()
    assert cells.lengths.sum() == len(cells.values)
    assert cells.owner.tolist() == [i for i, length in enumerate(cells.lengths.tolist()) for _ in range(length)]
    assert cells.totals.tolist() == [sum(count for _, count in cells.class_counts(i)) for i in range(len(found))]


def test_a_person_with_several_rows_counts_once_and_under_each_of_their_values() -> None:
    """Class 0: persons 1 (values a, a, b) and 2 (value b). Class 1: person 1 again, value a."""
    rows = [(0, 0, 1), (0, 0, 1), (0, 1, 1), (0, 1, 2), (1, 0, 1)]
    layout = KeyLayout.of({"qi": 2, "s": 2, "who": 3})
    table = count_classes(pack(layout, rows), layout, 1, domain=Domain(("a", "b"), np.array([2, 2])), unit=True)
    assert table.cells is not None
    assert table.sizes.tolist() == [2, 1]
    assert table.rows.tolist() == [4, 1]
    assert [table.cells.class_counts(index) for index in (0, 1)] == [[(0, 1), (1, 2)], [(0, 1)]]


def test_no_rows_are_no_classes() -> None:
    layout = KeyLayout.of({"qi": 2, "s": 2, "who": 3})
    domain = Domain(("a", "b"), np.array([0, 0]))
    for unit in (False, True):
        table = count_classes(np.zeros((0, 1), dtype=np.int64), layout, 1, domain=domain, unit=unit)
        assert len(table) == 0
        assert table.cells is not None
        assert table.cells.owner.tolist() == table.cells.totals.tolist() == []
        assert [sizes.tolist() for _, sizes in prefix_sizes(table)] == [[]]


def test_without_grouping_columns_the_table_is_one_class() -> None:
    layout = KeyLayout.of({"s": 3})
    domain = Domain(("a", "b", "c"), np.array([1, 0, 2]))
    table = count_classes(pack(layout, [(2,), (0,), (2,)]), layout, 0, domain=domain)
    assert table.cells is not None
    assert table.sizes.tolist() == [3]
    assert table.cells.class_counts(0) == [(0, 1), (2, 2)]
    assert list(prefix_sizes(table)) == []


def test_counts_beyond_32_bits_are_exact() -> None:
    layout = KeyLayout.of({"qi": 2, "s": 2})
    domain = Domain(("a", "b"), np.array([2**61, 2**61 + 3]))
    keys = pack(layout, [(0, 0), (0, 1), (0, 0), (0, 1)])
    table = count_classes(keys, layout, 1, np.array([2**60, 2**61, 2**60, 3]), domain=domain)
    assert table.cells is not None
    assert table.sizes.tolist() == [2**62 + 3]
    assert table.cells.class_counts(0) == [(0, 2**61), (1, 2**61 + 3)]
    assert domain.total == 2**62 + 3


# Prefixes and runs


@given(tables())
def test_prefix_sizes_are_the_classes_of_the_first_columns(
    table: tuple[KeyLayout, list[tuple[int, ...]], int],
) -> None:
    layout, rows, grouping = table
    found = count_classes(pack(layout, rows), layout, grouping, domain=_domain(layout, rows, grouping), unit=True)
    for count, (column, sizes) in enumerate(prefix_sizes(found), start=1):
        assert column == layout.columns[count - 1]
        expected = Counter(row[:count] for row in rows)
        assert sizes.tolist() == [size for _, size in sorted(expected.items())]
    assert len(list(prefix_sizes(found))) == grouping


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2))))
def test_runs_begin_where_a_key_differs_from_the_one_before(keys: list[tuple[int, int]]) -> None:
    keys.sort()
    expected = [i for i, key in enumerate(keys) if i == 0 or key != keys[i - 1]]
    assert run_starts(np.array(keys, dtype=np.int64).reshape(-1, 2)).tolist() == expected


# Dense tables, and what cells say


def test_a_table_from_dense_counts() -> None:
    table = table_of([[0, 3, 1], [2, 0, 0]])
    assert table.cells is not None
    assert table.sizes.tolist() == [4, 2]
    assert table.cells.starts.tolist() == [0, 2]
    assert table.cells.values.tolist() == [1, 2, 0]
    assert table.cells.counts.tolist() == [3, 1, 2]
    assert table.cells.share.tolist() == [0.75, 0.25, 1.0]
    assert table.cells.domain.reference.tolist() == [2, 3, 1]
    assert table.cells.reference.tolist() == [3 / 6, 1 / 6, 2 / 6]


def test_sums_and_maxima_of_cells_go_class_by_class() -> None:
    cells = table_of([[0, 3, 1], [2, 0, 0]]).cells
    assert cells is not None
    assert cells.sum(np.array([1, 2, 4])).tolist() == [3, 4]
    assert cells.max(np.array([0.5, -1.0, -7.0])).tolist() == [0.5, -7.0]


def test_cells_under_another_domain_have_its_reference_and_their_own_counts() -> None:
    cells = table_of([[0, 3, 1], [2, 0, 0]]).cells
    assert cells is not None
    before = [each.tolist() for each in (cells.owner, cells.lengths, cells.totals, cells.share, cells.reference)]
    assert before == [[0, 0, 1], [2, 1], [4, 2], [0.75, 0.25, 1.0], [0.5, 1 / 6, 1 / 3]]
    other = cells.under(Domain(("a", "b", "c"), np.array([1, 1, 2])))
    found = [each.tolist() for each in (other.owner, other.lengths, other.totals, other.share, other.reference)]
    assert found == [*before[:4], [0.25, 0.5, 0.25]]
    assert cells.reference.tolist() == before[4]


def test_a_reference_without_records_has_shares_of_zero() -> None:
    domain = Domain(("a", "b"), np.array([0, 0]))
    assert domain.total == 0
    assert domain.share.tolist() == [0.0, 0.0]
