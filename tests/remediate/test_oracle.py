"""Every search against brute force: random small tables and ladders, all models, both references, any suppression."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.models import ClassModel, PopulationModel, TableModel, registry
from auditor.remediate import _branch, _keys, _rollup
from auditor.remediate._branch import Branching
from auditor.remediate._search import all_nodes, incognito, optimal, samarati
from tests.remediate import lattice_oracle as plain
from tests.remediate.cases import DISTANCES, RULES, Case, cases

METRICS = [
    "height", "precision", "loss", "discernibility", "discernibility-star", "average-class-size", "non-uniform-entropy",
]  # fmt: skip
RELATIVE = 1e-12


@contextmanager
def shortcuts() -> Iterator[None]:
    """Make the search do for small tables what pays for large ones, from a first solution that is seldom the best."""
    with (
        mock.patch.object(_branch.Branching, "_better", return_value=None),
        mock.patch.object(_branch, "WORTH_LOOKING_AHEAD", 1),
        mock.patch.object(_branch, "PART", 1),
        mock.patch.object(_branch, "MANY_NODES", 1),
        mock.patch.object(_rollup, "PART", 1),
        mock.patch.object(_rollup, "BLOCK", 2),
    ):
        yield


def test_every_model_on_classes_is_in_the_random_policies() -> None:
    """Those that read the population are in `test_population.py`.

    No search chooses levels for a fixed scheme, and `estimated-k-map` is another name for a class size.
    """
    judged = {name for name, model in registry().items() if issubclass(model, ClassModel | TableModel)}
    judged -= {
        name
        for name, model in registry().items()
        if issubclass(model, PopulationModel) or getattr(model, "fixed_scheme", False)
    }
    judged.remove("estimated-k-map")
    assert judged == {"t-closeness" if name in DISTANCES else name for name in RULES}


def _decided(case: Case) -> None:
    evaluator, _ = case.search()
    for node, expected in case.releases.items():
        outcome = evaluator.at(node)
        assert outcome.solves == expected.solves, node
        assert sorted(outcome.sizes.tolist()) == sorted(expected.sizes.values())
        fully = evaluator.decide(node, evaluator.tables(node), fully=True)
        assert fully.suppressed == expected.lost, node
        gone = sorted(size for key, size in expected.sizes.items() if key in expected.suppressed)
        assert sorted(fully.sizes[~fully.kept].tolist()) == gone


@given(case=cases())
def test_a_node_is_decided_as_the_definition_has_it(case: Case) -> None:
    _decided(case)


@given(case=cases(subsets=True))
def test_so_it_is_where_requirements_have_quasi_identifiers_of_their_own(case: Case) -> None:
    _decided(case)


@given(case=cases(subsets=True, known=True))
def test_so_it_is_where_the_attacker_knows_few_columns(case: Case) -> None:
    _decided(case)


@given(case=cases())
def test_what_satisfies_a_model_has_at_least_the_size_that_it_implies(case: Case) -> None:
    evaluator, _ = case.search()
    for node, expected in case.releases.items():
        kept = [size for key, size in expected.sizes.items() if key not in expected.suppressed]
        assert min(kept, default=evaluator.least_size) >= evaluator.least_size, node


@pytest.mark.parametrize("name", sorted(RULES))
@given(data=st.data())
def test_each_model_alone_decides_nodes_as_the_definition_has_it(name: str, data: st.DataObject) -> None:
    _decided(data.draw(cases(names=[name])))


@pytest.mark.parametrize("bits", [4, 6, 9])
@given(case=cases(subsets=True))
def test_keys_of_several_words_decide_the_same(bits: int, case: Case) -> None:
    with mock.patch.object(_keys, "WORD_BITS", bits), shortcuts():
        _decided(case)
        evaluator, losses = case.search()
        found = optimal(evaluator, case.ranges, losses, ["loss"], monotone=case.monotone, thorough=False)
    assert set(found.best) == _least(case, ["loss"])


@given(case=cases())
def test_losses_are_the_formulas(case: Case) -> None:
    evaluator, losses = case.search()
    _, geometric = case.search("geometric-mean")
    for node, expected in case.losses.items():
        tables = evaluator.tables(node)
        outcome = evaluator.decide(node, tables, fully=True)
        table = tables[evaluator.first]
        found = losses.all(outcome, table)
        for metric in METRICS:
            assert found[metric] == pytest.approx(expected[metric], rel=1e-9, abs=1e-9), (node, metric)
        for metric in ("precision", "loss"):
            value = geometric.of(metric, outcome, table)
            assert value == pytest.approx(expected[f"{metric}, geometric"], rel=1e-9, abs=1e-9)


@given(case=cases())
def test_a_walk_rolls_up_the_tables_that_each_node_has_by_itself(case: Case) -> None:
    evaluator, _ = case.search()
    walked = {outcome.node: outcome for outcome, _ in all_nodes(evaluator, case.ranges, fully=True)}
    assert set(walked) == set(case.releases)
    for node, expected in case.releases.items():
        assert (walked[node].solves, walked[node].suppressed) == (expected.solves, expected.lost)


def _least(case: Case, metrics: list[str]) -> set[plain.Node]:
    best = case.solving
    for metric in metrics:
        least = min((case.losses[node][metric] for node in best), default=0)
        best = [node for node in best if case.losses[node][metric] <= least * (1 + RELATIVE) + 1e-13]
    return set(best)


@given(
    case=cases(),
    metrics=st.lists(st.sampled_from(METRICS), min_size=1, max_size=2, unique=True),
    thorough=st.booleans(),
    worth=st.sampled_from([1, _branch.WORTH_LOOKING_AHEAD]),
)
def test_optimal_finds_the_least_loss_and_every_tie(case: Case, metrics: list[str], thorough: bool, worth: int) -> None:
    evaluator, losses = case.search()
    with mock.patch.object(_branch, "WORTH_LOOKING_AHEAD", worth):
        found = optimal(evaluator, case.ranges, losses, metrics, monotone=case.monotone, thorough=thorough)
    assert set(found.best) == _least(case, metrics)
    assert found.bound is None
    if found.best:
        assert found.loss == pytest.approx(min(case.losses[node][metrics[0]] for node in case.solving))
    if thorough:
        assert set(found.scores) == set(case.solving)
        assert found.solving == len(case.solving)
        assert set(found.minimal or ()) == plain.minimal(case.solving, case.low)
        assert found.known == {node: release.solves for node, release in case.releases.items()}


@given(case=cases(subsets=True, known=True), metric=st.sampled_from(METRICS))
def test_optimal_finds_the_least_loss_where_demands_are_of_some_columns(case: Case, metric: str) -> None:
    evaluator, losses = case.search()
    found = optimal(evaluator, case.ranges, losses, [metric], monotone=case.monotone, thorough=False)
    assert set(found.best) == _least(case, [metric])


MONOTONE_WITH_SUPPRESSION = ("k-anonymity", "max-risk", "distinct-l-diversity", "p-sensitive-k-anonymity")
GRANTED = st.one_of(cases(names=MONOTONE_WITH_SUPPRESSION), cases(limits=st.just(0)))


@given(case=GRANTED)
def test_samarati_finds_every_solving_node_of_the_least_height(case: Case) -> None:
    evaluator, _ = case.search()
    least = min(map(sum, case.solving), default=0)
    assert set(samarati(evaluator, case.ranges).best) == {node for node in case.solving if sum(node) == least}


@given(case=GRANTED)
def test_incognito_finds_every_minimal_generalization(case: Case) -> None:
    evaluator, _ = case.search()
    found = incognito(evaluator, case.ranges)
    assert set(found.best) == plain.minimal(case.solving, case.low)
    assert found.solving == len(case.solving)


@given(case=cases(), metric=st.sampled_from(METRICS), patience=st.integers(0, 40), thorough=st.booleans())
def test_what_runs_out_of_time_bounds_what_it_left(case: Case, metric: str, patience: int, thorough: bool) -> None:
    evaluator, losses = case.search()
    asked = iter(range(patience))
    walk = Branching(
        evaluator, case.ranges, losses, [metric],
        monotone=case.monotone, thorough=thorough, expired=lambda: next(asked, None) is None,
    )  # fmt: skip
    with shortcuts():
        walk.run()
    missed = [case.losses[node][metric] for node in case.solving if node not in walk.scores]
    bounds = [bound for bound in (walk.left_bound, walk.least) if bound is not None]
    assert all(loss >= min(bounds) * (1 - 1e-9) for loss in missed)
