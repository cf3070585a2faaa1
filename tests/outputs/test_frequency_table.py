"""Tables of counts, against the records themselves: every cell and every margin counted by hand."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.outputs.checks.frequency_table import check
from auditor.outputs.published.outputs import Cell, FrequencyTable
from tests.outputs.tiny import judged, policy_of, reasons, table

RULE = {"type": "frequency-table", "min_cell": 3, "max_share_of_margin": 0.75}
VALUES = {"sex": ("F", "M"), "zip": ("1", "2")}
ROWS = st.lists(
    st.fixed_dictionaries({name: st.sampled_from(v) for name, v in VALUES.items()}), min_size=1, max_size=30
)


def keys():
    return product(*[(*values, None) for values in VALUES.values()])


def members(rows, key):
    return [row for row in rows if all(v is None or row[c] == v for c, v in zip(VALUES, key, strict=True))]


def named(key):
    return ", ".join(f"{c}={v}" for c, v in zip(VALUES, key, strict=True) if v is not None) or "total"


def published(rows, hidden=frozenset(), left_out=frozenset()):
    counts = {key: len(members(rows, key)) for key in keys()}
    return table(VALUES, {key: None if key in hidden else n for key, n in counts.items() if key not in left_out})


def expected_small(rows, least, *, zeros):
    return {(named(key), "small-cell") for key in keys() if (0 if zeros else 1) <= len(members(rows, key)) < least}


def expected_shares(rows, most, among):
    found = set()
    for key in among:
        inside = len(members(rows, key))
        for above in keys():
            wider = all(b is None or a == b for a, b in zip(key, above, strict=True)) and above != key
            if wider and inside and Fraction(inside, len(members(rows, above))) > most:
                found.add((named(key), "group-disclosure"))
    return found


@given(ROWS, st.booleans(), st.booleans())
def test_threshold_and_group_disclosure_are_those_of_the_records(rows, with_data, zeros) -> None:
    policy = policy_of({**RULE, "zeros_disclosive": zeros})
    checked = judged(check, published(rows), policy, rows if with_data else None)
    small = {found for found in reasons(checked) if found[1] == "small-cell"}
    shares = {found for found in reasons(checked) if found[1] == "group-disclosure"}
    assert small == expected_small(rows, 3, zeros=zeros)
    assert shares == expected_shares(rows, Fraction(3, 4), list(keys()))
    assert {"min_cell", "max_share_of_margin"} <= checked.judged


@given(ROWS)
def test_margins_that_a_table_does_not_write_count_too(rows) -> None:
    inner = [key for key in keys() if None not in key]
    without = published(rows, left_out=frozenset(key for key in keys() if None in key))
    checked = judged(check, without, policy_of(RULE))
    shares = {found for found in reasons(checked) if found[1] == "group-disclosure"}
    assert shares == expected_shares(rows, Fraction(3, 4), inner)


@given(ROWS, st.data())
def test_a_share_of_a_suppressed_margin_is_judged_only_where_it_is_known(rows, data) -> None:
    """What is said without the data is true with it; what is open is told so."""
    hidden = frozenset(data.draw(st.sets(st.sampled_from(list(keys())), max_size=4)))
    output = published(rows, hidden)
    blind, seeing = (judged(check, output, policy_of(RULE), given) for given in (None, rows))
    found, true = ({f for f in reasons(c) if f[1] == "group-disclosure"} for c in (blind, seeing))
    assert found <= true
    assert found == true or found or "max_share_of_margin" in blind.open_limits


def test_below_the_threshold_violates_and_at_it_does_not() -> None:
    rule = {"type": "frequency-table", "min_cell": 10}
    checked = judged(check, table(["age"], {"a": 9, "b": 10, "c": 0}), policy_of(rule))
    assert reasons(checked) == {("age=a", "small-cell")}
    assert checked.worst["min_cell"] == 9


def test_a_share_of_exactly_the_limit_does_not_violate() -> None:
    rule = {"type": "frequency-table", "max_share_of_margin": 0.9}
    assert not judged(check, table(["age"], {"a": 9, "b": 1}), policy_of(rule)).violations
    assert judged(check, table(["age"], {"a": 91, "b": 10}), policy_of(rule)).violations


def test_every_published_count_is_a_multiple_of_the_base() -> None:
    rule = {"type": "frequency-table", "rounded_to": 5}
    checked = judged(check, table(["age"], {"a": 10, "b": 12, "c": None, None: 25}), policy_of(rule))
    assert reasons(checked) == {("age=b", "rounding")}


def test_rounded_counts_near_the_threshold_are_open_without_the_data() -> None:
    """A count of 10 to base 5 may be 8."""
    rule = {"type": "frequency-table", "rounded_to": 5, "min_cell": 10}
    output = table(["age"], {"a": 10, "b": 20})
    assert "min_cell" in judged(check, output, policy_of(rule)).open_limits
    rows = [{"age": "a"}] * 8 + [{"age": "b"}] * 20
    assert reasons(judged(check, output, policy_of(rule), rows)) == {("age=a", "small-cell")}
    assert not judged(check, output, policy_of(rule), [{"age": "a"}] * 11 + [{"age": "b"}] * 20).violations


def test_counts_that_are_not_those_of_the_data_are_a_mismatch() -> None:
    rows = [{"age": "a"}] * 12 + [{"age": "b"}] * 20
    rule = {"type": "frequency-table", "min_cell": 10}
    checked = judged(check, table(["age"], {"a": 13, "b": 20}), policy_of(rule), rows)
    assert reasons(checked) == {("age=a", "mismatch")}


def test_a_record_without_a_value_is_in_no_cell_and_in_no_margin() -> None:
    rows = [{"age": "a"}] * 12 + [{"age": None}] * 3
    rule = {"type": "frequency-table", "min_cell": 10}
    assert not judged(check, table(["age"], {"a": 12, None: 12}), policy_of(rule), rows).violations


def test_units_are_counted_where_the_policy_has_them() -> None:
    rows = [{"age": "a", "who": str(n % 4)} for n in range(40)] + [{"age": "b", "who": str(n)} for n in range(20)]
    policy = policy_of({"type": "frequency-table", "min_cell": 10}, unit="who")
    assert reasons(judged(check, table(["age"], {"a": 4, "b": 20}), policy, rows)) == {("age=a", "small-cell")}


def test_the_picture_shows_the_unsafe_cells_and_is_bounded() -> None:
    many = {(f"{i}", f"{j}"): (2 if i == j == 39 else 50) for i in range(40) for j in range(40)}
    picture = judged(check, table(["a", "b"], many), policy_of({"type": "frequency-table", "min_cell": 5})).picture
    assert picture is not None
    assert len(picture.items) == 600
    assert picture.left_out == 1000
    assert [item.label for item in picture.items if item.status == "unsafe"] == ["a=39, b=39"]


VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "output_cases.json").read_text())


@pytest.mark.parametrize("case", [case for case in VECTORS["cases"] if case["kind"] == "frequency_table"])
def test_vectors(case) -> None:
    rows = [dict(zip(VECTORS["table"]["columns"], map(str, row), strict=True)) for row in VECTORS["table"]["rows"]]
    counts = {tuple(map(str, cell["cell"].values())): cell["count"] for cell in case["cells"]}
    policy = policy_of({"type": "frequency-table", "min_cell": case["policy"]["threshold"]})
    for given_rows in (None, rows):
        checked = judged(check, table(case["by"], counts), policy, given_rows)
        assert bool(checked.violations) is (case["verdict"] == "breach")


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ([10, 15, 20, 25, 35, 40, 50, 60, 80], True),  # 8 may be written as 10
        ([15, 20, 25, 35, 40, 50, 60, 80, 95], False),
        ([10, 15, 20, 25, 35, 41, 50, 60, 80], False),
        ([10, 20, 30, 50], False),  # by chance, four in 10,000 tables
        ([12] * 9, False),  # rounded to 3, 11 or more
        ([], False),
    ],
)
def test_counts_that_look_rounded_are_no_surer_than_those_that_are(counts, told) -> None:
    """All are multiples of 5, and nobody says that they are rounded: as where the policy says so, 10 may be 8."""
    cells = tuple(Cell(key=(str(at),), count=count) for at, count in enumerate(counts))
    output = FrequencyTable(source="t", format="", sha256="", by=("ward",), cells=cells)
    checked = judged(check, output, policy_of({"type": "frequency-table", "min_cell": 10}))
    assert ("min_cell" in checked.open_limits) is told
    assert not checked.violations


def test_counts_that_look_rounded_violate_where_they_are_below_the_bound() -> None:
    cells = tuple(Cell(key=(str(at),), count=5 * at) for at in range(1, 12))
    output = FrequencyTable(source="t", format="", sha256="", by=("ward",), cells=cells)
    checked = judged(check, output, policy_of({"type": "frequency-table", "min_cell": 10}))
    assert reasons(checked) == {("ward=1", "small-cell")}
