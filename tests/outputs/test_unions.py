"""Sums of suppressed cells that follow from margins, against the contributions: every rectangle, every contributor."""

from fractions import Fraction
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.outputs._published import Cell, MagnitudeTable, Stated
from auditor.outputs.checks import frequency_table, magnitude_table
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


def tight(values):
    first, second = (*sorted(values, reverse=True), 0, 0)[:2]
    return 100 * (sum(values) - first - second) < 10 * first


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
