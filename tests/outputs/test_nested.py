"""Nested values: states in regions, ages in age groups, in one column or in two; against every database that fits."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.outputs._assumptions import FREE
from auditor.outputs.checks import frequency_table, magnitude_table
from auditor.outputs.published.outputs import Cell, MagnitudeTable
from auditor.outputs.published.spans import span_of
from auditor.outputs.readers._numbers import stated
from tests.outputs.tiny import judged, policy_of, reasons, table

TREE = {"tree": {"*": {"S": ["AL", "GA"], "N": ["NY", "VT"]}}}
REGION = {"AL": "S", "GA": "S", "NY": "N", "VT": "N"}
RULE = {"type": "frequency-table", "min_cell": 3, "protection": 2, "differencing": True}
RULE |= {"suppressed": {"zeros": "possible"}}
STATES = {"AL": None, "GA": 40, "NY": None, "VT": 30}
REGIONS = {"S": 45, "N": 86}
RECOVERED = "suppressed-cell-recoverable"


def policy(rule=RULE, **hierarchies):
    attributes = {name: {"role": "quasi-identifier", "hierarchy": given} for name, given in hierarchies.items()}
    return policy_of(rule, attributes=attributes or {"x": "insensitive"})


def recovered(output, given_policy, others=(), rows=None, before=(), check=frequency_table.check):
    checked = judged(check, output, given_policy, rows, together=[output, *others], before=before)
    return {item for item, reason in reasons(checked) if reason == RECOVERED}


BOTH = {"state=AL", "state=NY"}


@pytest.mark.parametrize("column", ["region", "state"])
def test_regions_less_their_states_by_the_policys_tree(column) -> None:
    """45 − 40 are of Alabama, whether the table of regions names its column region, or state."""
    states, regions = table(["state"], STATES), table([column], REGIONS)
    assert recovered(states, policy(state=TREE), [regions]) == BOTH
    assert recovered(states, policy(state=TREE), before=[regions]) == BOTH
    assert not recovered(states, policy(other=TREE), [regions])


@pytest.mark.parametrize(
    ("ladder", "fine", "coarse"),
    [
        ({"prefix": [3]}, ["12345", "12399", "77001", "77002"], ["123*", "770*"]),
        ({"mask": {}}, ["123", "124", "770", "771"], ["12*", "77*"]),
        ({"date": ["month", "year"]}, ["2024-01", "2024-05", "2025-01", "2025-12"], ["2024", "2025"]),
        ({"groups": [["a", "b"], ["c", "d"]]}, ["a", "b", "c", "d"], ["{a, b}", "{c, d}"]),
        ({"intervals": {"widths": [5, 10]}}, ["[0, 5)", "[5, 10)", "[10, 15)", "[15, 20)"], ["[0, 10)", "[10, 20)"]),
    ],
)
@pytest.mark.parametrize("column", ["x", "coarse"])
def test_every_ladder_nests_its_labels(ladder, fine, coarse, column) -> None:
    parts = table(["x"], dict(zip(fine, STATES.values(), strict=True)))
    whole = table([column], dict(zip(coarse, REGIONS.values(), strict=True)))
    assert recovered(parts, policy(x=ladder), [whole]) == {f"x={fine[0]}", f"x={fine[2]}"}


@pytest.mark.parametrize(
    ("fine", "coarse", "nested"),
    [
        (["80101", "80102", "90101", "90102"], ["801**", "901**"], True),
        (["flu", "cold", "tb", "pox"], ["flu*", "cold*"], False),  # marks of a footnote
    ],
)
def test_masked_codes_hold_others_of_their_length_without_a_ladder(fine, coarse, nested) -> None:
    parts = table(["x"], dict(zip(fine, STATES.values(), strict=True)))
    whole = table(["x"], dict(zip(coarse, REGIONS.values(), strict=True)))
    assert recovered(parts, policy(), [whole]) == ({f"x={fine[0]}", f"x={fine[2]}"} if nested else set())


@pytest.mark.parametrize("lengths", [[3], [4, 3]])
def test_masked_codes_hold_others_beside_a_ladder_that_writes_its_labels_otherwise(lengths) -> None:
    parts = table(["x"], dict(zip(["80101", "80102", "90101", "90102"], STATES.values(), strict=True)))
    whole = table(["x"], dict(zip(["801**", "901**"], REGIONS.values(), strict=True)))
    assert recovered(parts, policy(x={"prefix": lengths}), [whole]) == {"x=80101", "x=90101"}


def test_a_table_that_lists_each_state_under_its_region() -> None:
    """What it does not list is of nobody; a table that lists all combinations and hides them says no such thing."""
    counts = {(REGION[state], state): n for state, n in STATES.items()}
    margins = {(region, None): n for region, n in REGIONS.items()}
    once = table(["region", "state"], counts | margins)
    assert recovered(once, policy()) == {"region=S, state=AL", "region=N, state=NY"}
    crossed = dict.fromkeys(product("SN", STATES))
    assert not recovered(table(["region", "state"], crossed | counts | margins), policy())


def test_states_are_in_regions_by_the_data() -> None:
    """Region is a function of state in 131 records: chance would not have made it so. In two it would."""
    sizes = {"AL": 5, "GA": 40, "NY": 56, "VT": 30}
    rows = [{"state": state, "region": REGION[state]} for state, n in sizes.items() for _ in range(n)]
    states, regions = table(["state"], STATES), table(["region"], REGIONS)
    assert recovered(states, policy(), [regions], rows) == BOTH
    few = [{"state": "AL", "region": "S"}, {"state": "NY", "region": "N"}]
    states, regions = table(["state"], {"AL": None, "NY": None}), table(["region"], {"S": 1, "N": 1})
    assert not recovered(states, policy(), [regions], few)


def test_over_65_beside_over_66() -> None:
    """110 over 65 and 108 over 66: nobody is over 66 and not over 65, and two are 66 years old."""
    rows = [{"over65": a, "over66": b} for (a, b), n in OVER.items() for _ in range(n)]
    first, second = table(["over65"], {"1": 110, "0": 300}), table(["over66"], {"1": 108, "0": 302})
    checked = judged(frequency_table.check, first, policy(), rows, together=[first, second])
    assert ("over65=1, over66=0", "differencing") in reasons(checked)


OVER = {("1", "1"): 108, ("1", "0"): 2, ("0", "0"): 300}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["(0, 65]", "(65, 120]"], ["(0, 66]", "(66, 120]"]),
        (["<=65", ">65"], ["<=66", ">66"]),
        (["0-65", "over 65"], ["0-66", "over 66"]),
        (["under 65", "65+"], ["under 66", "66 and over"]),
        (["Under 65s", "65s and over"], ["under-66", "66 plus"]),
        (["Under 65s", "65 years and older"], ["aged under 66", "aged 66+"]),
        (["up to 65", "Over-65s"], ["66 or younger", "older than 66 years"]),
        (["unter 65", "ab 65"], ["unter 66", "66 und älter"]),
    ],
)
def test_the_difference_of_two_intervals_is_a_group(one, other) -> None:
    first, second = (table(["age"], dict(zip(x, n, strict=True))) for x, n in ((one, (300, 110)), (other, (302, 108))))
    checked = judged(frequency_table.check, first, policy(), together=[first, second])
    assert [v.reached for v in checked.violations] == [2]


def test_intervals_within_intervals_and_labels_that_are_none() -> None:
    fine = table(["age"], {"(0, 20]": 40, "(20, 40]": None, "(40, 60]": None, "unknown": 9})
    coarse = table(["age"], {"(0, 40]": 45, "(40, 60]": 30, "unknown": 9})
    assert recovered(fine, policy(), [coarse]) == {"age=(20, 40]", "age=(40, 60]"}
    assert span_of("2024-05") is None
    assert span_of("[5, 5)") is None
    assert span_of("20") is None
    assert span_of("(inf, inf]") is None


@pytest.mark.parametrize(("label", "other"), [("(-inf, 65.0]", "<=65"), ("(65.0, inf)", ">65"), ("[65, inf)", "65+")])
def test_an_end_at_infinity_is_none(label, other) -> None:
    """Nobody is between the numbers and infinity: what one table suppresses is what another tells."""
    beside = "(0, 20]" if label.startswith("(-") else "(65, 80]"
    suppressed = table(["age"], {label: None, beside: 40})
    assert recovered(suppressed, policy(), [table(["age"], {other: 45})]) == {f"age={label}"}


def test_labels_that_overlap_in_one_table_are_no_intervals() -> None:
    """20-30 and 30-40 do not say where 30 is."""
    output = table(["age"], {"20-30": 40, "30-40": None, None: 45})
    assert recovered(output, policy()) == {"age=30-40"}


def test_sums_of_regions_less_those_of_their_states() -> None:
    def sums(by, values):
        cells = tuple(Cell(key=(k,), sum=None if v is None else stated(str(v))) for k, v in values.items())
        return MagnitudeTable(source=by, format="", sha256="", by=(by,), cells=cells, of="money")

    rule = {"type": "magnitude-table", "protection": 1}
    states, regions = sums("state", STATES), sums("region", REGIONS)
    assert recovered(states, policy(rule, state=TREE), [regions], check=magnitude_table.check) == BOTH


def test_cuts_values_beside_others_are_no_groups_of_them() -> None:
    """35 of S are others than the 20 of Alabama, as the total says; the suppressed 6 follow as in any table."""
    output = table(["state"], {"AL": 20, "GA": None, "S": 35, None: 61})
    assert recovered(output, policy(state=TREE)) == {"state=GA"}


CELLS = [(state, sex) for state in REGION for sex in "FM"]
LEVELS = {
    "state": (["state"], lambda state, sex: (state,)),
    "region": (["region"], lambda state, sex: (REGION[state],)),
    "coarse": (["state"], lambda state, sex: (REGION[state],)),
    "region and sex": (["region", "sex"], lambda state, sex: (REGION[state], sex)),
    "state and sex": (["state", "sex"], lambda state, sex: (state, sex)),
    "both": (["region", "state"], lambda state, sex: (REGION[state], state)),
    "sex": (["sex"], lambda state, sex: (sex,)),
}


def compositions(total, parts):
    """Every way to deal a number out to so many cells."""
    if parts == 1:
        return np.array([[total]])
    return np.vstack(
        [
            np.hstack([np.full((len(rest), 1), first), rest])
            for first in range(total + 1)
            for rest in [compositions(total - first, parts - 1)]
        ]
    )


@st.composite
def releases(draw):
    """Few people by state and sex, and tables of them at several levels, some of whose cells are suppressed."""
    people = draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=6))
    found = []
    for level in ("sex", *draw(st.lists(st.sampled_from(sorted(LEVELS.keys() - {"sex"})), min_size=2, max_size=3))):
        by, key = LEVELS[level]
        keys = list(dict.fromkeys(key(*cell) for cell in CELLS))
        hidden = draw(st.sets(st.sampled_from(keys), max_size=3)) if level != "sex" else set()
        counts = {k: None if k in hidden else sum(key(*p) == k for p in people) for k in keys}
        found.append((key, replace(table(by, counts), source=f"{level} {len(found)}")))
    return len(people), found


@settings(deadline=None, max_examples=40)
@given(releases(), st.randoms(use_true_random=False))
def test_suppressed_cells_follow_where_they_do_in_every_database_that_fits(drawn, order) -> None:
    people, tables = drawn
    every = compositions(people, len(CELLS))
    sums = [
        (output, cell, every[:, [key(*each) == cell.key for each in CELLS]].sum(axis=1))
        for key, output in tables
        for cell in output.cells
    ]
    fits = np.all([values == cell.count for _, cell, values in sums if cell.count is not None], axis=0)
    outputs = [output for _, output in tables]
    shuffled = order.sample(outputs, len(outputs))
    for output in outputs[1:]:
        expected = {
            ", ".join(f"{column}={label}" for column, label in zip(output.by, cell.key, strict=True))
            for of, cell, values in sums
            if of is output and cell.count is None and np.ptp(values[fits]) < RULE["protection"]
        }
        checked = judged(frequency_table.check, output, policy(state=TREE), together=shuffled)
        found = {v.item for v in checked.violations if v.reason == RECOVERED and v.sentence != LEFT_OUT}
        assert found == expected
        assert not checked.open_limits


LEFT_OUT = "A cell that the table leaves out follows from what is published beside it."


@settings(deadline=None, max_examples=20)
@given(releases())
def test_a_table_more_takes_no_finding_away(drawn) -> None:
    outputs = [output for _, output in drawn[1]]
    for output in outputs[1:]:
        fewer = [each for each in outputs if each is not outputs[-1] or each is output]
        checked = (judged(frequency_table.check, output, policy(state=TREE), together=t) for t in (fewer, outputs))
        before, after = ({v.item for v in each.violations if v.reason == RECOVERED} for each in checked)
        assert before <= after


def test_a_state_that_a_table_leaves_out_is_what_its_region_has_more() -> None:
    """22 of the north are ill, and 19 of New York: three are of Vermont, which no table lists."""
    states = {("AL", "0"): 109, ("AL", "1"): 20, ("NY", "0"): 116, ("NY", "1"): 19}
    regions = {("N", "0"): 132, ("N", "1"): 22, ("S", "0"): 109, ("S", "1"): 20}
    output = table(["region", "ill"], regions)
    checked = judged(
        frequency_table.check,
        output,
        policy({**RULE, "min_cell": 5}, state={"tree": {"N": ["NY", "VT"], "S": ["AL", "GA"]}}),
        together=[table(["state", "ill"], states), output],
    )
    assert {(v.reason, v.reached) for v in checked.violations} == {("differencing", 3)}


def test_columns_of_yes_and_no_that_nothing_nests_are_told_without_data(tmp_path) -> None:
    tables = [
        {
            "type": "frequency-table",
            "by": [name],
            "cells": [{"key": [k], "count": n} for k, n in zip("10", ns, strict=True)],
        }
        for name, ns in (("ill", (110, 300)), ("in ward 4", (108, 302)))
    ]
    rule = {"type": "frequency-table", "min_cell": 10, "differencing": True}
    spec = {"version": 1, "name": "p", "attributes": {"ill": "insensitive"}, "outputs": [rule]}
    assert FREE in check_outputs(tables, spec).assumptions
    assert FREE not in check_outputs(tables[:1], spec).assumptions
    data = [{"ill": a, "in ward 4": b} for (a, b), n in OVER.items() for _ in range(n)]
    assert FREE not in check_outputs(tables, spec, pd.DataFrame(data)).assumptions
