"""What each quasi-identifier costs, searched by branch and bound, against brute force over every node."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.remediate import _costs, _search, remediate
from auditor.remediate._costs import costs
from auditor.remediate._search import optimal
from auditor.report import redact, render
from auditor.result import Audience
from tests.remediate.cases import Case, cases
from tests.remediate.mode_cases import ModeCase, mode_cases
from tests.remediate.test_account import TABLE, policy
from tests.remediate.test_oracle import METRICS, RELATIVE, shortcuts

metrics = st.lists(st.sampled_from(METRICS), min_size=1, max_size=2, unique=True)


def _costs_of(case: Case | ModeCase, wanted: list[str], patience: int | None = None) -> Any:
    evaluator, losses = case.search()
    found = optimal(evaluator, case.ranges, losses, wanted, monotone=case.monotone, thorough=False)
    asked = iter(range(patience or 0))
    return costs(
        evaluator, case.ranges, losses, wanted,
        monotone=case.monotone, scores=found.scores, proved=found.bound is None,
        expired=lambda: patience is not None and next(asked, None) is None,
    )  # fmt: skip


def _least(case: Case | ModeCase, place: int, metric: str) -> float | None:
    there = (case.losses[node][metric] for node in case.solving if node[place] == case.low[place])
    return min(there, default=None)


def _exact(case: Case | ModeCase, wanted: list[str]) -> None:
    with shortcuts():
        found = _costs_of(case, wanted)
    for place, cost in enumerate(found):
        least = _least(case, place, wanted[0])
        assert cost.proved
        assert (cost.node is None) == (least is None)
        if least is not None:
            assert cost.node in case.solving
            assert cost.node[place] == case.low[place]
            assert case.losses[cost.node][wanted[0]] == pytest.approx(least, rel=RELATIVE, abs=1e-13)
            assert cost.score[0] == pytest.approx(least, rel=1e-9, abs=1e-9)


@given(case=cases(subsets=True), wanted=metrics)
def test_a_cost_is_the_least_loss_with_the_finest_level(case: Case, wanted: list[str]) -> None:
    _exact(case, wanted)


@pytest.mark.slow
@given(case=mode_cases(), wanted=metrics)
def test_so_it_is_in_any_mode(case: ModeCase, wanted: list[str]) -> None:
    _exact(case, wanted)


@given(case=cases(), metric=st.sampled_from(METRICS), patience=st.integers(0, 30))
def test_what_is_called_proved_is_the_least_though_the_time_ran_out(case: Case, metric: str, patience: int) -> None:
    for place, cost in enumerate(_costs_of(case, [metric], patience)):
        least = _least(case, place, metric)
        if cost.proved:
            assert (cost.node is None) == (least is None)
        if cost.node is not None:
            assert least is not None
            assert cost.score[0] >= least * (1 - 1e-9)
            assert not cost.proved or cost.score[0] == pytest.approx(least, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("objective", ["height", "loss", "discernibility", ["precision", "loss"]])
def test_a_pruned_search_tells_the_costs_that_a_thorough_one_does(objective: Any) -> None:
    rules = policy(objective=objective, levels={"age": {"min": 1}}, suppression_limit={"records": 5})
    thorough = remediate(TABLE, rules).solution
    with mock.patch.object(_search, "EXHAUSTIVE_NODES", 1):
        pruned = remediate(TABLE, rules).solution
    assert thorough is not None
    assert pruned is not None
    assert pruned.lattice is not None
    assert pruned.lattice.solving is None
    assert [cost.loss is None for cost in thorough.costs] != []
    assert pruned.costs == thorough.costs


def test_costs_that_were_not_searched_to_the_end_are_said_so() -> None:
    with mock.patch.object(_search, "EXHAUSTIVE_NODES", 1), mock.patch.object(_costs, "MOST_WORK", 0):
        result = remediate(TABLE, policy(objective="height")).result
    assert result.solution is not None
    assert not all(cost.proved for cost in result.solution.costs)
    html = render(redact(result, Audience.INTERNAL), "html")
    assert "at most +" in html or "not known" in html
