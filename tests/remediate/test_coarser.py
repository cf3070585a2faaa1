"""Whether a ladder up to a single value would be enough, against brute force over ladders that have that level."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pandas as pd
import pytest
from hypothesis import given

from auditor.remediate import remediate
from auditor.report import redact, render
from auditor.result import Audience
from auditor.result.remediation import CoarserLadder
from tests.remediate import lattice_oracle as plain
from tests.remediate.cases import Case, cases
from tests.remediate.mode_cases import ModeCase, mode_cases
from tests.remediate.record_oracle import Table

Ladders = tuple[tuple[tuple[int, ...], ...], ...]


def _taller(ladders: Ladders, place: int) -> Ladders:
    single = (0,) * len(ladders[place][0])
    return (*ladders[:place], (*ladders[place], single), *ladders[place + 1 :])


def _top(case: Case | ModeCase, place: int) -> tuple[int, ...]:
    return (*case.high[:place], len(case.hierarchies[place]), *case.high[place + 1 :])


@given(case=cases(subsets=True))
def test_a_single_value_is_decided_as_the_definition_has_it(case: Case) -> None:
    evaluator, _ = case.search()
    for place in range(len(case.high)):
        node, ladders = _top(case, place), _taller(case.hierarchies, place)
        expected = plain.release(case.rows, ladders, case.rules, node, case.limit, released=case.released)
        assert evaluator.topped(place).at(node).solves == expected.solves


@given(case=mode_cases())
def test_so_it_is_in_any_mode(case: ModeCase) -> None:
    evaluator, _ = case.search()
    for place in range(len(case.high)):
        node, modes = _top(case, place), case.modes
        if modes.stars is not None:
            stars = [[*levels, 0] if i == place else levels for i, levels in enumerate(modes.stars)]
            modes = replace(modes, stars=stars)
        table = Table(case.records, _taller(case.hierarchies, place), case.asked, modes)
        assert evaluator.topped(place).at(node).solves == table.made(node, case.limit).solves


TABLE = pd.DataFrame([(str(20 + i % 4), "mfx"[i % 3], "ab"[i == 0]) for i in range(24)], columns=["age", "sex", "site"])


def _policy(k: int, *, records: int, levels: dict[str, Any]) -> dict[str, Any]:
    nested = {"tree": {"*": {"person": ["m", "f"], "x": ["x"]}}}
    age = {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [2], "start": 20}}}
    return {
        "version": 1,
        "name": "short-ladders",
        "attributes": {
            "age": age,
            "sex": {"role": "quasi-identifier", "hierarchy": nested},
            "site": "quasi-identifier",
        },
        "requirements": [{"model": "k-anonymity", "k": k}],
        "remediation": {"suppression_limit": {"records": records}, "levels": levels},
    }


def _recounted(k: int, records: int, tops: dict[str, int], single: str) -> bool:
    """With pandas alone."""
    age, sex = TABLE["age"].astype(int), TABLE["sex"]
    at = {
        "age": [TABLE["age"], (age - 20) // 2, age * 0],
        "sex": [sex, sex.replace({"m": "person", "f": "person"}), age * 0],
        "site": [TABLE["site"]],
    }
    released = pd.DataFrame({name: age * 0 if name == single else at[name][top] for name, top in tops.items()})
    sizes = released.groupby(list(tops)).size()
    return bool(sizes[sizes < k].sum() <= records and (sizes >= k).any())


@pytest.mark.slow
@pytest.mark.parametrize(("k", "records", "age", "sex"), [*product([2, 5, 8, 24, 25], [0, 3], [0, 1, 2], [0, 2])])
def test_each_ladder_that_ends_in_several_values_is_judged(k: int, records: int, age: int, sex: int) -> None:
    tops = {"age": age, "sex": sex, "site": 0}
    shortfall = remediate(
        TABLE, _policy(k, records=records, levels={"age": {"max": age}, "sex": {"max": sex}})
    ).shortfall
    if shortfall is None:
        return
    several = [name for name, top in tops.items() if name == "site" or top < 2]
    assert shortfall.coarser_ladders == tuple(
        CoarserLadder(attribute=name, enough=_recounted(k, records, tops, name)) for name in several
    )


def test_a_coarser_ladder_that_is_enough_is_said_so_and_is() -> None:
    policy = _policy(8, records=0, levels={})
    done = remediate(TABLE, policy)
    assert done.shortfall is not None
    assert done.shortfall.coarser_ladders == (CoarserLadder(attribute="site", enough=True),)
    for format_ in ("text", "html", "markdown"):
        assert "could be met with a single value for site" in render(redact(done.result, Audience.PUBLIC), format_)
    policy["attributes"]["site"] = {"role": "quasi-identifier", "hierarchy": "suppress"}
    assert remediate(TABLE, policy).passed


def test_a_column_that_may_not_be_a_star_is_not_told_to_be_one() -> None:
    policy = _policy(25, records=0, levels={"age": {"max": 0}})
    policy["requirements"].append({"model": "allowed-values", "attribute": "site", "values": ["a", "b"]})
    shortfall = remediate(TABLE, policy).shortfall
    assert shortfall is not None
    assert shortfall.coarser_ladders == (CoarserLadder(attribute="age", enough=False),)
