"""Sums of suppressed cells that follow from margins, against the contributions: every rectangle, every contributor."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.outputs.checks import frequency_table, magnitude_table
from auditor.outputs.published.outputs import Cell, GroupStatistics, MagnitudeTable, Stated, Statistic
from tests.outputs.tiny import judged, policy_of, reasons, table

KEYS = list(product(("a", "b", "c", None), ("x", "y", "z", None)))
INNER = [key for key in KEYS if None not in key]
P = {"type": "magnitude-table", "p_percent": 10}


def output_of(rows, by, hidden, keys):
    def total(key):
        return sum(int(r["v"]) for r in rows if all(k in (None, r[c]) for c, k in zip(by, key, strict=True)))

    cells = tuple(Cell(key=key, sum=None if key in hidden else Stated(Fraction(total(key)))) for key in keys)
    return MagnitudeTable(source="m", format="", sha256="", by=by, of="v", cells=cells)


def rows_of(by, contributions):
    return [dict(zip(by, key, strict=True)) | {"v": str(v)} for key, values in contributions.items() for v in values]


FIRMS = {
    "B05": (900, 30),
    "B06": (20, 10),
    "B07": (15, 5),
    "B08": (300, 280, 310, 290),
    "B09": (40, 35, 45, 38),
}


def firms(rule, hidden=("B05", "B06", "B07")):
    rows = rows_of(("nace",), {(key,): values for key, values in FIRMS.items()})
    keys = [*((key,) for key in FIRMS), (None,)]
    return judged(magnitude_table.check, output_of(rows, ("nace",), {(key,) for key in hidden}, keys), rule, rows)


def test_a_sum_of_three_suppressed_cells_is_a_cell() -> None:
    """2,318 − 1,180 − 158 = 980, of which two firms hold 930, and 980 − 900 − 30 = 50 is 5.6 % of 900."""
    rule = policy_of({"type": "magnitude-table", "dominance": [{"n": 2, "k": "80%"}], "p_percent": 10, "min_cell": 3})
    checked = firms(rule)
    union = "nace=B05 or nace=B06 or nace=B07"
    of_union = {v.limit: v for v in checked.violations if v.item == union}
    assert of_union["dominance"].reached == Fraction(930, 980)
    assert of_union["p_percent"].reached == Fraction(5000, 900)
    assert of_union["p_percent"].records_count == 6
    assert {v.item for v in checked.violations} == {union, "nace=B05"}


def test_the_protection_level_is_the_rules_own() -> None:
    """Above 930 there are 50: 5 % of 900 is 45, and 6 % is 54."""
    assert not firms(policy_of({"type": "magnitude-table", "p_percent": 5})).violations
    assert reasons(firms(policy_of({"type": "magnitude-table", "p_percent": 6}))) >= {("nace=B05", "p-percent")}


def test_a_sole_contributor_knows_his_cell() -> None:
    """1,310 − 900 = 410, of which 400 are one firm's."""
    rows = rows_of(("n",), {("A",): (900,), ("B",): (400, 5, 5), ("C",): (100, 100, 100, 100)})
    output = output_of(rows, ("n",), {("A",), ("B",)}, [("A",), ("B",), ("C",), (None,)])
    checked = judged(magnitude_table.check, output, policy_of(P), rows)
    assert {(v.item, v.reason) for v in checked.violations} >= {("n=A or n=B", "p-percent"), ("n=B", "p-percent")}
    small = {"type": "magnitude-table", "min_cell": 4}
    checked = judged(magnitude_table.check, output, policy_of(small), rows)
    assert ("n=B", "suppressed-cell-recoverable") in reasons(checked)


def test_a_sole_contributor_knows_his_cell_where_units_are_counted() -> None:
    """The same firms with two records each; one that has records in B, too, leaves it open."""
    parts = {("A",): (450, 450), ("B",): (200, 200, 5, 5), ("C",): (100, 100, 100, 100)}
    owners = ["a", "a", "b", "b", "b1", "b2", "c1", "c2", "c3", "c4"]
    rows = [row | {"who": who} for row, who in zip(rows_of(("n",), parts), owners, strict=True)]
    output = output_of(rows, ("n",), {("A",), ("B",)}, [("A",), ("B",), ("C",), (None,)])
    checked = judged(magnitude_table.check, output, policy_of(P, unit="who"), rows)
    assert ("n=B", "p-percent") in reasons(checked)
    assert not checked.open_limits
    small = {"type": "magnitude-table", "min_cell": 4}
    checked = judged(magnitude_table.check, output, policy_of(small, unit="who"), rows)
    assert ("n=B", "suppressed-cell-recoverable") in reasons(checked)
    shared = [row | {"who": "a"} if row["who"] == "b2" else row for row in rows]
    checked = judged(magnitude_table.check, output, policy_of(P, unit="who"), shared)
    assert ("n=B", "p-percent") not in reasons(checked)
    assert "p_percent" in checked.open_limits


def tight(values):
    first, second = (*sorted(values, reverse=True), 0, 0)[:2]
    return 100 * (sum(values) - first - second) < 10 * first


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.data())
def test_every_rectangle_that_breaks_p_percent_is_found(data) -> None:
    """Four suppressed cells in a rectangle: the sums of its two rows and of its two columns follow."""
    drawn = st.lists(st.integers(1, 60), min_size=3, max_size=4)
    contributions = {key: [*data.draw(drawn), 300, 300, 300] for key in INNER}
    two_rows = data.draw(st.sampled_from(list(combinations("abc", 2))))
    two_columns = data.draw(st.sampled_from(list(combinations("xyz", 2))))
    corners = list(product(two_rows, two_columns))
    for key in corners:
        contributions[key] = data.draw(st.lists(st.sampled_from([1, 5, 20, 100, 400, 900]), min_size=1, max_size=4))
    rows = rows_of(("p", "q"), contributions)
    checked = judged(magnitude_table.check, output_of(rows, ("p", "q"), set(corners), KEYS), policy_of(P), rows)
    unions = [
        [k for k in corners if k[at] == value] for at, both in ((0, two_rows), (1, two_columns)) for value in both
    ]
    broken = {
        " or ".join(f"p={p}, q={q}" for p, q in sorted(union))
        for union in unions
        if tight([v for key in union for v in contributions[key]])
    }
    found = {v.item for v in checked.violations if v.limit == "p_percent"}
    assert broken <= found
    assert not checked.open_limits

    low = high = 0  # the rectangle has one degree of freedom: a cell goes up and its neighbours go down
    sums = {key: sum(contributions[key]) for key in corners}
    (p1, p2), (q1, q2) = two_rows, two_columns
    low, high = min(sums[p1, q1], sums[p2, q2]), min(sums[p1, q2], sums[p2, q1])
    for key in corners:
        room = high if key in {(p1, q1), (p2, q2)} else low
        first, second = (*sorted(contributions[key], reverse=True), 0, 0)[:2]
        narrow = 100 * (sums[key] + room - first - second) < 10 * first
        assert not narrow or f"p={key[0]}, q={key[1]}" in found
    if not broken:
        assert all(" or " not in item for item in found)


def test_two_suppressed_singletons_of_one_row_are_a_small_cell_without_differencing() -> None:
    counts = {"a": 40, "b": None, "c": None, None: 42}
    checked = judged(
        frequency_table.check, table(["w"], counts), policy_of({"type": "frequency-table", "min_cell": 10})
    )
    assert reasons(checked) == {("w=b or w=c", "small-cell")}
    assert checked.worst["min_cell"] == 2
    fine = table(["w"], {**counts, None: 50})
    assert not judged(frequency_table.check, fine, policy_of({"type": "frequency-table", "min_cell": 10})).violations


def test_without_data_what_follows_of_suppressed_sums_is_not_evaluated() -> None:
    rows = rows_of(("nace",), {(key,): values for key, values in FIRMS.items()})
    keys = [*((key,) for key in FIRMS), (None,)]
    output = output_of(rows, ("nace",), {("B05",), ("B06",), ("B07",)}, keys)
    assert "p_percent" in judged(magnitude_table.check, output, policy_of(P)).open_limits


# Fifteen suppressed cells and more that hang together

WIDE = list(product("abcde", "wxyz"))
WIDE_KEYS = list(product((*"abcdef", None), (*"vwxyz", None)))


def unions_that_follow(hidden):
    """u = r + c of rows and columns, 0 or 1 in every suppressed cell; the first row's r is 0."""
    found = set()
    for rest in product((-2, -1, 0, 1, 2), repeat=4):
        r = dict(zip("abcde", (0, *rest), strict=True))
        choices = [
            set.intersection({-2, -1, 0, 1, 2, 3}, *({-r[p], 1 - r[p]} for p in "abcde" if (p, q) in hidden))
            for q in "wxyz"
        ]
        for c in product(*choices):
            of = dict(zip("wxyz", c, strict=True))
            found.add(frozenset((p, q) for p, q in hidden if r[p] + of[q] == 1))
    return found - {frozenset()}


@st.composite
def many_hidden(draw):
    shown = draw(st.sets(st.sampled_from(WIDE), max_size=5))
    return frozenset(WIDE) - shown


RULES = [
    ("p_percent", {"p_percent": 10}),
    ("dominance", {"dominance": [{"n": 2, "k": "85%"}]}),
    ("min_cell", {"min_cell": 9}),
]


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(st.data(), many_hidden(), st.sampled_from(RULES))
def test_of_many_cells_that_hang_together_every_union_is_held_to_the_rules(data, hidden, limit_and_rule) -> None:
    limit, rule = limit_and_rule
    drawn = st.lists(st.sampled_from([1, 5, 20, 100, 400, 9000]), min_size=1, max_size=4)
    contributions = {key: [500] * 9 for key in WIDE_KEYS if None not in key}
    contributions |= {key: data.draw(drawn) for key in sorted(hidden)}
    rows = rows_of(("p", "q"), contributions)
    output = output_of(rows, ("p", "q"), hidden, WIDE_KEYS)
    checked = judged(magnitude_table.check, output, policy_of({"type": "magnitude-table", **rule}), rows)

    def breaks(union):
        values = sorted((v for key in union for v in contributions[key]), reverse=True)
        if limit == "min_cell":
            return len(values) < 9
        return tight(values) if limit == "p_percent" else 100 * sum(values[:2]) > 85 * sum(values)

    broken = [union for union in unions_that_follow(hidden) if breaks(union)]
    of_unions = [v for v in checked.violations if v.limit == limit and v.sentence.startswith("The sum of suppressed")]
    assert bool(of_unions) == bool(broken)
    assert {frozenset(v.rows) for v in of_unions} <= {
        frozenset(at for at, row in enumerate(rows) if (row["p"], row["q"]) in union) for union in broken
    }
    assert limit not in checked.open_limits


@settings(deadline=None, max_examples=10)
@given(st.data(), many_hidden())
def test_small_unions_of_many_suppressed_counts_are_found(data, hidden) -> None:
    inner = {key: 50 for key in WIDE_KEYS if None not in key}
    inner |= {key: data.draw(st.sampled_from([1, 2, 3, 20])) for key in sorted(hidden)}

    def total(key):
        return sum(n for cell, n in inner.items() if all(k in (None, c) for k, c in zip(key, cell, strict=True)))

    counts = {key: None if key in hidden else total(key) for key in WIDE_KEYS}
    checked = judged(
        frequency_table.check, table(["p", "q"], counts), policy_of({"type": "frequency-table", "min_cell": 10})
    )
    assert not checked.open_limits
    small = [union for union in unions_that_follow(hidden) if sum(inner[key] for key in union) < 10]
    assert not small or checked.violations


def test_units_of_several_suppressed_cells_that_hang_together_are_open() -> None:
    rows = [row | {"who": str(at % 30)} for at, row in enumerate(rows_of(("p", "q"), dict.fromkeys(WIDE, (5, 5, 5))))]
    rows += [row | {"who": f"f{at}"} for at, row in enumerate(rows_of(("p", "q"), {("f", "v"): [500] * 9}))]
    output = output_of(rows, ("p", "q"), set(WIDE), WIDE_KEYS)
    checked = judged(magnitude_table.check, output, policy_of(P, unit="who"), rows)
    assert "p_percent" in checked.open_limits


def test_a_union_beside_statistics_is_a_cell_too() -> None:
    rule = {"type": "frequency-table", "min_cell": 10}
    output = table(["w"], {"a": 40, "b": None, "c": None, None: 42})
    beside = GroupStatistics(
        source="s.json", format="neutral", sha256="", of="x", by=("w",), cells=(Statistic(key=("a",), n=40, values=()),)
    )
    checked = judged(frequency_table.check, output, policy_of(rule), together=[output, beside])
    assert ("w=b or w=c", "small-cell") in reasons(checked)
