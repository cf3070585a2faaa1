"""Published counts together, against every table of whole numbers that fits them."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.interval import Interval
from auditor.outputs.linked import Contradiction, Number, System, derived
from auditor.outputs.linked._cliques import cliques, pairs, tree
from auditor.outputs.published.conditions import Condition, equal

COLUMNS = {"a": ("1", "2"), "b": ("1", "2"), "c": ("1", "2")}
LEAST = 4


def cells(columns):
    return list(product(*[COLUMNS[column] for column in columns]))


def group(columns, key):
    """The group of a key; None is any value."""
    return frozenset(
        Condition(c, "not in", ()) if value is None else equal(c, value) for c, value in zip(columns, key, strict=True)
    )


def inside(columns, cell, key_columns, key):
    by = dict(zip(columns, cell, strict=True))
    return all(value is None or by[column] == value for column, value in zip(key_columns, key, strict=True))


def fitting(columns, published):
    """Every table of whole numbers over the cells that has the published sums; the grand total must be among them."""
    space, total = cells(columns), None
    rows = [({i for i, cell in enumerate(space) if inside(columns, cell, of, key)}, n) for of, key, n in published]
    total = next(n for members, n in rows if len(members) == len(space))

    def extend(table, left):
        if len(table) == len(space):
            if left == 0 and all(sum(table[i] for i in members) == n for members, n in rows):
                yield tuple(table)
            return
        for value in range(left + 1):
            yield from extend([*table, value], left - value)

    return list(extend([], total))


@st.composite
def one_table(draw, columns=("a", "b"), most=3):
    """A table with all margins, some of its cells and margins suppressed."""
    counts = {cell: draw(st.integers(0, most)) for cell in cells(columns)}
    keys = list(product(*[(*COLUMNS[column], None) for column in columns]))
    sums = {k: sum(n for cell, n in counts.items() if inside(columns, cell, columns, k)) for k in keys}
    hidden = draw(st.sets(st.sampled_from([k for k in keys if any(k)]), max_size=6))
    return columns, {k: None if k in hidden else n for k, n in sums.items()}


def numbers(tables):
    return [
        Number(group(columns, k), Interval(Fraction(n or 0), None if n is None else Fraction(n)), at, str(number))
        for number, (at, columns, k, n) in enumerate(
            (at, columns, k, n) for at, (columns, counts) in enumerate(tables) for k, n in counts.items()
        )
    ]


def system(tables, **more):
    return System(numbers(tables), full=frozenset(COLUMNS), **more)


def published(tables):
    return [(columns, k, n) for columns, counts in tables for k, n in counts.items() if n is not None]


def expected_range(columns, found, of, key):
    values = [sum(t[i] for i, c in enumerate(cells(columns)) if inside(columns, c, of, key)) for t in found]
    return min(values), max(values)


@settings(deadline=None)
@given(one_table())
def test_a_suppressed_cell_ranges_over_the_tables_that_fit(table) -> None:
    found = fitting(table[0], published([table]))
    joint = system([table])
    for number, row, key in zip(numbers([table]), joint.of_number, table[1], strict=True):
        if number.ends.high is None:
            (bound,) = joint.bounds([row], None)
            assert (bound.low, bound.high) == expected_range(table[0], found, table[0], key)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_linked_tables_range_over_the_joint_tables_that_fit(data) -> None:
    """Three tables over pairs of three columns; the cliques make it one table, and two of them make it two."""
    joint = {cell: data.draw(st.integers(0, 1)) for cell in cells("abc")}
    pairs = data.draw(st.sampled_from([("ab", "bc"), ("ab", "bc", "ac"), ("ab", "c"), ("a", "abc")]))
    tables = []
    for of in pairs:
        keys = list(product(*[(*COLUMNS[column], None) for column in of]))
        sums = {k: sum(n for cell, n in joint.items() if inside("abc", cell, of, k)) for k in keys}
        hidden = data.draw(st.sets(st.sampled_from([k for k in keys if any(k)]), max_size=5))
        tables.append((of, {k: None if k in hidden else n for k, n in sums.items()}))
    found = fitting("abc", published(tables))
    built, relaxed = system(tables), system(tables, relaxed=True)
    keys_of = [(of, key) for of, counts in tables for key in counts]
    for number, row, (of, key) in zip(numbers(tables), built.of_number, keys_of, strict=True):
        if number.ends.high is None:
            (bound,) = built.bounds([row], None)
            low, high = expected_range("abc", found, of, key)
            assert (bound.low, bound.high) == (low, high), (tables, of, key)
            (wide,) = relaxed.bounds([relaxed.of_number[int(number.name)]], None)
            assert wide.low <= low
            assert wide.high is None or wide.high >= high
            assert relaxed.relaxed or (wide.low, wide.high) == (low, high)


def unions_that_follow(columns, tables, found):
    """Unions of cells with the same count, of 1 … LEAST − 1, in every fitting table, that nobody publishes."""
    space = range(len(cells(columns)))
    said = {frozenset(i for i in space if inside(columns, cells(columns)[i], of, k)) for of, k, _ in published(tables)}
    for many in range(1, len(space) + 1):
        for union in combinations(space, many):
            counts = {sum(table[i] for i in union) for table in found}
            if len(counts) == 1 and 0 < min(counts) < LEAST and frozenset(union) not in said:
                yield frozenset(union), min(counts)


@settings(deadline=None)
@given(st.lists(one_table(), min_size=1, max_size=2))
def test_small_groups_that_follow_are_found_and_only_those(drawn) -> None:
    """Two suppression patterns of one table: all that is said is true, and every single cell that follows is said."""
    columns, counts = drawn[0]
    other = {k: n if drawn[-1][1][k] is not None else None for k, n in true_counts(drawn[0], counts).items()}
    tables = [drawn[0], (columns, other)]
    found = fitting(columns, published(tables))
    joint = system(tables)
    follows = dict(unions_that_follow(columns, tables, found))
    search = derived(joint, LEAST)
    assert search.settled
    place = {cell: i for i, cell in enumerate(cells(columns))}
    said = {}
    for each in search.found:
        members = [cell_of(joint, unknown) for unknown in each.unknowns]
        said[frozenset(i for c, i in place.items() if c in members)] = each.count
    empty = {i for i in place.values() if all(table[i] == 0 for table in found)}
    for union, count in said.items():
        assert {sum(table[i] for i in union) for table in found} == {count}
        assert 0 < count < LEAST
    for union in follows:
        if len(union) == 1:
            assert any(group <= union | empty for group in said), (tables, union)


def true_counts(table, counts):
    columns, _ = table
    found = fitting(columns, published([table]))[0]
    return {k: sum(found[i] for i, c in enumerate(cells(columns)) if inside(columns, c, columns, k)) for k in counts}


def cell_of(joint, unknown):
    columns, classes = joint.members(unknown)
    return tuple(joint.classes[c].label(v) for c, v in zip(columns, classes, strict=True))


def test_contradictions_are_told() -> None:
    with pytest.raises(Contradiction):
        system([("a", {("1",): 3, ("2",): 4, (None,): 8})]).check()
    rows = {("1", "1"): None, ("1", "2"): 5, ("1", None): 3, ("2", "1"): 1, ("2", "2"): 1}
    with pytest.raises(Contradiction):
        system([("ab", rows)]).check()


def test_a_junction_tree_has_the_running_intersection() -> None:
    found = cliques([frozenset("ab"), frozenset("bc"), frozenset("cd"), frozenset("da"), frozenset("e")])
    assert all(any(edge <= clique for clique in found) for edge in map(frozenset, ("ab", "bc", "cd", "da", "e")))
    assert max(map(len, found)) == 3
    assert len(tree(found)) == len(found) - 1


SETS = st.lists(st.frozensets(st.sampled_from("abcdef"), max_size=4), max_size=7)


def reached(edges, node, columns):
    """The tables that are linked to one by edges that agree on some columns."""
    found, last = {node}, set()
    while found != last:
        last = set(found)
        found |= {
            b
            for one, other, shared in edges
            for a, b in ((one, other), (other, one))
            if a in last and columns <= shared
        }
    return found


@given(SETS)
def test_any_two_tables_agree_on_what_they_share(edges) -> None:
    """Along the edges of a junction tree of the cliques, and along those between any tables."""
    for nodes, links in ((found := cliques(edges), tree(found)), (edges, pairs(edges))):
        for one, other in combinations(range(len(nodes)), 2):
            assert other in reached(links, one, nodes[one] & nodes[other])
    assert all(any(edge <= clique for clique in cliques(edges)) for edge in edges)
    assert len(tree(cliques(edges))) == len(cliques(edges)) - 1


@given(st.lists(st.fractions(0, 20, max_denominator=4), min_size=4, max_size=4), st.booleans())
def test_suppressed_sums_of_a_two_by_two_table_have_frechets_bounds(values, signed) -> None:
    """max(0, r + c − N) … min(r, c) where no value is below 0; no bounds at all where values may be."""
    inner = dict(zip(cells("ab"), values, strict=True))
    margins = [(key, sum(n for cell, n in inner.items() if inside("ab", cell, "ab", key))) for key in MARGINS]
    published = [Number(group("ab", key), Interval.at(total), 0, str(key)) for key, total in margins]
    hidden = [Number(group("ab", cell), Interval(), 0, str(cell)) for cell in inner]
    joint = System([*published, *hidden], full=frozenset(COLUMNS), whole=False, least=None if signed else Fraction(0))
    sums = dict(margins)
    bounds = joint.bounds(joint.of_number[len(published) :], None)
    for (a, b), bound in zip(inner, bounds, strict=True):
        row, column, everything = sums[a, None], sums[None, b], sums[None, None]
        low, high = max(Fraction(0), row + column - everything), min(row, column)
        assert (bound.low, bound.high) == ((None, None) if signed else (low, high))


MARGINS = [("1", None), ("2", None), (None, "1"), (None, "2"), (None, None)]
