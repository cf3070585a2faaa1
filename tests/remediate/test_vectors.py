"""240 random nodes of Adult's lattice, as ARX and an independent program computed them."""

import csv
import math
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from auditor.audit import AuditRun, uses
from auditor.engines import RunLimits, open_data
from auditor.models import registry
from auditor.policy import bind, load_policy
from auditor.remediate._evaluate import Evaluator, NodeDemand
from auditor.remediate._problem import SearchProblem, problem
from auditor.remediate._search import optimal

COLUMNS = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
)  # fmt: skip
OCCUPATION = "occupation"
# not entropy3: the vectors count classes with 2, 2, 2 as violating, whose entropy-ℓ is 3 (see tests/models/test_adult)
DEMANDED: dict[str, dict[str, Any]] = {
    "distinct3": {"model": "distinct-l-diversity", "l": 3},
    "distinct5": {"model": "distinct-l-diversity", "l": 5},
    "entropy5": {"model": "entropy-l-diversity", "l": 5},
    "recursive_c4_l3": {"model": "recursive-l-diversity", "c": 4, "l": 3},
    "recursive_c3_l4": {"model": "recursive-l-diversity", "c": 3, "l": 4},
    "recursive_c4_l5": {"model": "recursive-l-diversity", "c": 4, "l": 5},
    "t_equal_0.2": {"model": "t-closeness", "t": 0.2, "ground": "equal"},
    "t_hier_0.2": {"model": "t-closeness", "t": 0.2, "ground": "hierarchical"},
    "basic_blikeness_1": {"model": "basic-beta-likeness", "beta": 1},
}
WORST: dict[str, dict[str, Any]] = {
    "min_distinct": {"model": "distinct-l-diversity", "l": 1},
    "min_entropy_exp": {"model": "entropy-l-diversity", "l": 1},
    "max_emd_equal": {"model": "t-closeness", "t": 0, "ground": "equal"},
    "max_emd_hier": {"model": "t-closeness", "t": 0, "ground": "hierarchical"},
    "max_kl_bits": {"model": "t-closeness", "t": 0, "distance": "kl"},
    "recursive_min_c_l3": {"model": "recursive-l-diversity", "c": 1, "l": 3},
    "recursive_min_c_l4": {"model": "recursive-l-diversity", "c": 1, "l": 4},
    "recursive_min_c_l5": {"model": "recursive-l-diversity", "c": 1, "l": 5},
}


def _problem(folder: Path, sensitive: str | None, requirements: list[dict[str, Any]], **settings: Any) -> SearchProblem:
    table = folder / "adult" / "adult.csv"
    attributes = {
        column: {
            "role": "sensitive" if column == sensitive else "quasi-identifier",
            "hierarchy": {"file": str(folder / "adult" / f"adult_hierarchy_{column}.csv")},
        }
        for column in COLUMNS
    }
    policy = load_policy(
        {"name": "adult", "attributes": attributes, "requirements": requirements, "reference": "original"}
        | {"remediation": {"objective": "height", **settings}}
    )
    with open_data(table, limits=RunLimits.of()) as source:
        binding = bind(policy, [column.name for column in source.columns])
        run = AuditRun(policy, binding, source, None, date(2026, 11, 21), True, False, RunLimits.of())
        return problem(run, source.count(uses(run)))


@pytest.fixture(scope="module", autouse=True)
def _hierarchies_may_be_read(shared_data: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDITOR_POLICIES", str(shared_data / "adult"))
        yield


@pytest.fixture(scope="module")
def nine(shared_data: Path) -> SearchProblem:
    return _problem(shared_data, None, [{"model": "k-anonymity", "k": 1}])


@pytest.fixture(scope="module")
def eight(shared_data: Path) -> SearchProblem:
    hierarchical = {"model": "t-closeness", "t": 0.2, "ground": "hierarchical", "sensitive": OCCUPATION}
    return _problem(shared_data, OCCUPATION, [hierarchical])


def _nodes(folder: Path, name: str) -> Iterator[tuple[tuple[int, ...], dict[str, float]]]:
    with (folder / name).open() as file:
        for row in csv.DictReader(file):
            levels = tuple(map(int, row.pop("levels").split()))
            yield levels, {column: float(value) for column, value in row.items()}


def _check_sizes_and_losses(searched: SearchProblem, folder: Path, name: str) -> None:
    tower = searched.evaluator.tower
    keeping = searched.evaluator.only([NodeDemand(registry()["k-anonymity"](k=1))], 0)  # type: ignore[arg-type]
    for node, expected in _nodes(folder, name):
        outcome = keeping.at(node)
        sizes = outcome.sizes
        assert (len(sizes), sizes.min(), sizes.max()) == tuple(
            expected[column] for column in ("classes", "min_class", "max_class")
        )
        for column, value in expected.items():
            if column.startswith("below"):
                assert sizes[sizes < int(column[5:])].sum() == value
        losses = searched.losses.all(outcome, tower.at(node))
        assert losses["discernibility"] == expected["loss_DM"]
        for metric, column in (
            ("non-uniform-entropy", "loss_NonUniformEntropy"),
            ("precision", "loss_Precision"),
            ("loss", "loss_Loss_mean"),
        ):
            assert losses[metric] == pytest.approx(expected[column], rel=1e-9), metric


def test_sizes_and_losses_of_nine_quasi_identifiers(nine: SearchProblem, shared_vectors: Path) -> None:
    _check_sizes_and_losses(nine, shared_vectors, "adult_nodes_9qi.csv")


def test_sizes_and_losses_of_eight_quasi_identifiers(eight: SearchProblem, shared_vectors: Path) -> None:
    _check_sizes_and_losses(eight, shared_vectors, "adult_nodes_8qi.csv")


@pytest.mark.parametrize(("quasi_identifiers", "sensitive"), [("9qi", None), ("8qi", OCCUPATION)])
def test_the_geometric_mean(
    shared_data: Path, shared_vectors: Path, quasi_identifiers: str, sensitive: str | None
) -> None:
    searched = _problem(shared_data, sensitive, [{"model": "k-anonymity", "k": 1}], aggregate="geometric-mean")
    for node, expected in _nodes(shared_vectors, f"adult_nodes_{quasi_identifiers}.csv"):
        outcome = searched.evaluator.at(node)
        loss = searched.losses.of("loss", outcome, searched.evaluator.tower.at(node))
        assert loss == pytest.approx(expected["loss_Loss_geo"], rel=1e-9)


@pytest.mark.parametrize("name", DEMANDED)
def test_which_classes_violate(eight: SearchProblem, shared_vectors: Path, name: str) -> None:
    demand = NodeDemand(registry()[DEMANDED[name]["model"]](**DEMANDED[name]), OCCUPATION)  # type: ignore[arg-type]
    strict, lax = (Evaluator(eight.evaluator.towers, [demand], limit, moving_reference=False) for limit in (0, 30_162))
    for node, expected in _nodes(shared_vectors, "adult_nodes_8qi.csv"):
        assert lax.at(node).suppressed == expected[f"bad_{name}"]
        assert strict.at(node).solves == bool(expected[f"ok_{name}"])


@pytest.mark.parametrize("name", WORST)
def test_the_worst_class(eight: SearchProblem, shared_vectors: Path, name: str) -> None:
    model: Any = registry()[WORST[name]["model"]](**WORST[name])
    tower = eight.evaluator.tower
    for node, expected in _nodes(shared_vectors, "adult_nodes_8qi.csv"):
        numbers = model.measure(tower.classes(tower.at(node)))
        worst = float(numbers.min() if model.comparison == ">=" else numbers.max())
        if name == "max_kl_bits":
            worst /= math.log(2)
        assert worst == pytest.approx(expected[name], rel=1e-9)


@pytest.mark.parametrize(
    ("requirement", "solving"),
    [
        ({"model": "recursive-l-diversity", "c": 4, "l": 3}, 55),
        ({"model": "entropy-l-diversity", "l": 5}, 33),
        ({"model": "t-closeness", "t": 0.2, "ground": "equal"}, 2),
        ({"model": "t-closeness", "t": 0.2, "ground": "hierarchical"}, 5),
    ],
)
def test_how_many_of_4320_nodes_solve_without_suppression(
    shared_data: Path, requirement: dict[str, Any], solving: int
) -> None:
    searched = _problem(shared_data, OCCUPATION, [{**requirement, "sensitive": OCCUPATION}])
    found = optimal(searched.evaluator, searched.ranges, searched.losses, ["height"], monotone=True, thorough=True)
    assert (searched.ranges.nodes, found.solving) == (4320, solving)


def test_the_least_discernibility_star_of_recursive_diversity(shared_data: Path) -> None:
    recursive = {"model": "recursive-l-diversity", "c": 4, "l": 3, "sensitive": OCCUPATION}
    searched = _problem(shared_data, OCCUPATION, [recursive], suppression_limit="4%")
    found = optimal(searched.evaluator, searched.ranges, searched.losses, ["discernibility-star"], monotone=False)
    assert found.loss == 2_712_340
