"""What the document tells of a search, recounted node by node with pandas alone."""

from __future__ import annotations

from datetime import date
from itertools import product
from typing import Any

import pandas as pd
import pytest

import auditor
from auditor.audit import AuditRun, uses
from auditor.engines import RunLimits, open_data
from auditor.policy import bind, load_policy
from auditor.remediate import _shortfall, remediate
from auditor.remediate._problem import problem

TABLE = pd.DataFrame(
    [(str(20 + i % 13), f"0{i % 4}{i % 3}", "mf"[i % 2]) for i in range(90)], columns=["age", "zip", "sex"]
)
HEIGHTS = {"age": 3, "zip": 3, "sex": 1}


def policy(**remediation: Any) -> dict[str, Any]:
    ladders = {"age": {"intervals": {"widths": [5, 10]}}, "zip": {"mask": {"side": "right"}}, "sex": "suppress"}
    return {
        "version": 1,
        "name": "small",
        "attributes": {name: {"role": "quasi-identifier", "hierarchy": ladder} for name, ladder in ladders.items()},
        "requirements": [{"model": "k-anonymity", "k": 7}],
        "remediation": remediation,
    }


def solves(levels: tuple[int, ...]) -> bool:
    """k-anonymity of a node with pandas alone."""
    age, zip_, sex = levels
    width = (1, 5, 10, 1000)[age]
    released = pd.DataFrame(
        {
            "age": TABLE["age"].astype(int) // width,
            "zip": TABLE["zip"].str.slice(0, 3 - zip_),
            "sex": TABLE["sex"] if sex == 0 else "*",
        }
    )
    return bool(released.groupby(["age", "zip", "sex"]).size().min() >= 7)


NODES = list(product(*(range(height + 1) for height in HEIGHTS.values())))
SOLVING = {node for node in NODES if solves(node)}


@pytest.mark.parametrize("search", ["optimal", "incognito"])
def test_the_lattice_is_told_by_height_and_node_by_node(search: str) -> None:
    solution = remediate(TABLE, policy(search=search)).solution
    assert solution is not None
    assert solution.lattice is not None
    assert 0 < len(SOLVING) < len(NODES)
    for entry in solution.lattice.by_height:
        here = [node for node in NODES if sum(node) == entry.height]
        assert (entry.nodes, entry.undecided) == (len(here), 0)
        assert entry.solving == len(SOLVING.intersection(here))
        assert entry.minimal == sum(
            sum(node.values()) == entry.height for node in solution.minimal_generalizations or ()
        )
    assert sum(entry.nodes for entry in solution.lattice.by_height) == len(NODES)
    assert {node.levels: node.solves for node in solution.lattice.drawn} == {node: node in SOLVING for node in NODES}


@pytest.mark.slow
def test_incognito_chooses_among_all_that_solve_by_the_objective() -> None:
    for objective in ("loss", "discernibility", "precision"):
        found, best = (
            remediate(TABLE, policy(search=s, objective=objective)).solution for s in ("incognito", "optimal")
        )
        assert found is not None
        assert best is not None
        assert (found.loss, found.ties, found.levels) == (best.loss, best.ties, best.levels)
        assert found.costs == best.costs


def test_a_restricted_lattice_is_counted_within_its_ranges() -> None:
    solution = remediate(TABLE, policy(levels={"age": {"min": 1, "max": 2}})).solution
    assert solution is not None
    assert solution.lattice is not None
    within = [node for node in NODES if 1 <= node[0] <= 2]
    assert [entry.height for entry in solution.lattice.by_height] == sorted({sum(node) for node in within})
    assert sum(entry.nodes for entry in solution.lattice.by_height) == len(within)


def test_what_an_attribute_costs_is_the_least_height_with_it_as_it_was() -> None:
    solution = remediate(TABLE, policy(objective="height")).solution
    assert solution is not None
    for place, cost in enumerate(solution.costs):
        there = [sum(node) for node in SOLVING if node[place] == 0]
        assert cost.loss == min(there, default=None)
        assert cost.attribute == list(HEIGHTS)[place]


def test_each_ladder_is_told_with_labels_of_the_policy() -> None:
    solution = remediate(TABLE, policy()).solution
    assert solution is not None
    ladders = {ladder.attribute: ladder for ladder in solution.ladders}
    assert {name: ladder.height for name, ladder in ladders.items()} == HEIGHTS
    assert {name: ladder.level for name, ladder in ladders.items()} == dict(solution.levels)
    examples = {"age": ("[0, 5)", "[0, 10)", "*"), "zip": ("XX*", "X**", "***"), "sex": ("*",)}
    for name, ladder in ladders.items():
        assert ladder.labels == examples[name][max(ladder.level, 1) - 1 :]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("requirement", "limit", "said"),
    [
        ({"model": "k-anonymity", "k": 7}, 5, "monotone under generalization with suppression"),
        ({"model": "entropy-l-diversity", "l": 1.5}, 0, "monotone under generalization"),
        ({"model": "entropy-l-diversity", "l": 1.5}, 5, "its consequence |E| ≥ 2, counted in rows, is"),
        ({"model": "recursive-l-diversity", "c": 9, "l": 2}, 5, "its consequence |E| ≥ 2, counted in rows, is"),
        (
            {"model": "t-closeness", "t": 0.9},
            5,
            "not monotone in this setting: decides only the nodes looked at",
        ),
    ],
)
def test_the_argument_for_each_requirement_is_told(requirement: dict[str, Any], limit: int, said: str) -> None:
    rules = policy(suppression_limit={"records": limit})
    sensitive = rules["attributes"] | {"sex": "sensitive"}
    solution = remediate(TABLE, rules | {"attributes": sensitive, "requirements": [requirement]}).solution
    assert solution is not None
    assert said in solution.arguments[requirement["model"]]


@pytest.mark.parametrize(
    ("seconds", "most_work", "exhaustive"), [(None, 10**9, True), (0.0, 10**9, False), (None, 1, False)]
)
def test_what_comes_nearest_is_looked_for_as_long_as_there_is_time(
    monkeypatch: pytest.MonkeyPatch, seconds: float | None, most_work: int, exhaustive: bool
) -> None:
    monkeypatch.setattr(_shortfall, "MOST_WORK", most_work)
    rules = policy() | {"requirements": [{"model": "k-anonymity", "k": 91}]}
    before = auditor.check(TABLE, rules, source=True)
    with open_data(TABLE) as source:
        loaded = load_policy(rules)
        run = AuditRun(
            loaded, bind(loaded, list(TABLE.columns)), source, None, date(2026, 11, 22), True, False, RunLimits.of()
        )
        searched = problem(run, source.count(uses(run)))
        found = _shortfall.shortfall(searched, before, RunLimits.of(None, seconds))
    assert found.exhaustive is exhaustive
    assert [obstacle.enough for obstacle in found.obstacles] == [90]
    assert found.coarser_ladders == ()  # every ladder ends in one value
