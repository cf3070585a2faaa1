"""Units, wildcards, joined attributes, stars and outside references: every node against the record-by-record oracle."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.remediate._branch import Branching
from auditor.remediate._search import all_nodes, incognito, optimal, samarati
from tests.remediate import lattice_oracle as plain
from tests.remediate.cases import RULES, Sensitive
from tests.remediate.mode_cases import ModeCase, mode_cases
from tests.remediate.record_oracle import Modes, Record
from tests.remediate.test_oracle import METRICS, RELATIVE

ALONE = {
    "units": {"units": True, "gaps": False, "star": False, "outside": False},
    "wildcards": {"units": False, "gaps": True, "star": False, "outside": False},
    "stars": {"units": False, "gaps": False, "star": True, "outside": False},
    "outside": {"units": False, "gaps": False, "star": False, "outside": True},
    "classes": {"units": False, "gaps": False, "star": False, "outside": False},
}


def _decided(case: ModeCase) -> None:
    evaluator, _ = case.search()
    for node, made in case.made.items():
        outcome = evaluator.at(node)
        assert outcome.solves == made.solves, node
        fully = evaluator.decide(node, evaluator.tables(node), fully=True)
        assert fully.solves == made.solves, node
        assert fully.suppressed == len(case.records) - len(made.kept), node


@given(case=mode_cases())
def test_a_node_is_decided_as_the_definition_has_it_in_any_mode(case: ModeCase) -> None:
    _decided(case)


@pytest.mark.parametrize("mode", ALONE)
@given(data=st.data())
def test_so_it_is_in_each_mode_alone(mode: str, data: st.DataObject) -> None:
    _decided(data.draw(mode_cases(**ALONE[mode])))


NARROW = {
    "stars that a kept class is labelled with": mode_cases(
        names=["k-anonymity"], limits=st.sampled_from([2, 4]), width=1, **ALONE["stars"]
    ),
    "ranks that go with their last record": mode_cases(
        names=["ordered"], limits=st.sampled_from([4, 8]), width=1, **ALONE["outside"]
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", NARROW)
@settings(max_examples=100)
@given(data=st.data())
def test_so_it_is_where_little_else_happens(what: str, data: st.DataObject) -> None:
    _decided(data.draw(NARROW[what]))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(RULES))
@given(data=st.data())
def test_so_it_is_for_each_model_alone(name: str, data: st.DataObject) -> None:
    _decided(data.draw(mode_cases(names=[name])))


@given(case=mode_cases())
def test_losses_are_the_formulas(case: ModeCase) -> None:
    evaluator, losses = case.search()
    for node, expected in case.losses.items():
        tables = evaluator.tables(node)
        found = losses.all(evaluator.decide(node, tables, fully=True), tables[evaluator.first])
        for metric in METRICS:
            assert found[metric] == pytest.approx(expected[metric], rel=1e-9, abs=1e-9), (node, metric)


@given(case=mode_cases())
def test_what_is_suppressed_is_told_apart_from_what_is_kept(case: ModeCase) -> None:
    evaluator, _ = case.search()
    for node, made in case.made.items():
        tables = evaluator.tables(node)
        outcome = evaluator.decide(node, tables, fully=True)
        told = evaluator.suppressed(outcome, tables[evaluator.first])
        listed = set(zip(*(codes.tolist() for codes in told.values()), strict=True))
        if case.modes.units:
            assert list(told) == ["unit"]
            units = {(record.unit,) for i, record in enumerate(case.records) if i not in made.kept}
            assert listed == units
            assert not units & {(case.records[i].unit,) for i in made.kept}
        else:
            columns = (len(case.hierarchies), *(place for asked in case.asked for place in asked.joined))
            parts = {
                (made.keys[i], *(r.sensitive[j] for j in columns[1:]))
                for i, r in enumerate(case.records)
                if i not in made.kept
            }
            assert len(listed) == len(parts)


def _least(case: ModeCase, metrics: list[str]) -> set[plain.Node]:
    best = case.solving
    for metric in metrics:
        least = min((case.losses[node][metric] for node in best), default=0)
        best = [node for node in best if case.losses[node][metric] <= least * (1 + RELATIVE) + 1e-13]
    return set(best)


@given(
    case=mode_cases(),
    metrics=st.lists(st.sampled_from(METRICS), min_size=1, max_size=2, unique=True),
    thorough=st.booleans(),
)
def test_optimal_finds_the_least_loss_and_every_tie(case: ModeCase, metrics: list[str], thorough: bool) -> None:
    evaluator, losses = case.search()
    found = optimal(evaluator, case.ranges, losses, metrics, monotone=case.monotone, thorough=thorough)
    assert set(found.best) == _least(case, metrics)
    if thorough:
        assert set(found.scores) == set(case.solving)
        assert set(found.minimal or ()) == plain.minimal(case.solving, case.low)


@given(case=mode_cases())
def test_a_walk_decides_each_node_as_the_definition_has_it(case: ModeCase) -> None:
    evaluator, _ = case.search()
    walked = {outcome.node: outcome.solves for outcome, _ in all_nodes(evaluator, case.ranges, fully=True)}
    assert walked == {node: made.solves for node, made in case.made.items()}


@pytest.mark.slow
@given(case=mode_cases().filter(lambda case: case.monotone))
def test_searches_that_need_monotonicity_find_what_enumeration_does(case: ModeCase) -> None:
    evaluator, _ = case.search()
    least = min(map(sum, case.solving), default=0)
    assert set(samarati(evaluator, case.ranges).best) == {node for node in case.solving if sum(node) == least}
    evaluator, _ = case.search()
    found = incognito(evaluator, case.ranges)
    assert set(found.minimal or ()) == plain.minimal(case.solving, case.low)
    assert found.solving == len(case.solving)


@given(case=mode_cases().filter(lambda case: case.monotone))
def test_what_the_table_calls_monotone_is(case: ModeCase) -> None:
    solving = set(case.solving)
    for node in solving:
        assert all(coarser in solving for coarser in case.ranges.coarser(node))


@given(case=mode_cases())
def test_the_rows_of_classes_that_are_too_small_are_suppressed_and_only_get_fewer(case: ModeCase) -> None:
    evaluator, _ = case.search()
    small = {node: evaluator.too_small(evaluator.at(node).sizes) for node in case.made}
    for node, made in case.made.items():
        assert small[node] <= len(case.records) - len(made.kept)
        assert all(small[coarser] <= small[node] for coarser in case.ranges.coarser(node))


@given(case=mode_cases(), metric=st.sampled_from(METRICS))
def test_what_bounds_a_branch_bounds_every_generalization(case: ModeCase, metric: str) -> None:
    evaluator, losses = case.search()
    for node in case.made:
        sizes = evaluator.at(node).sizes
        floor = max(losses.floor_of(metric, sizes), losses.bound_of(metric, node))
        coarser = [other for other in case.solving if all(a >= b for a, b in zip(other, node, strict=True))]
        assert all(case.losses[other][metric] >= floor * (1 - 1e-9) for other in coarser)


@given(case=mode_cases(), metric=st.sampled_from(METRICS), patience=st.integers(0, 40))
def test_what_runs_out_of_time_bounds_what_it_left(case: ModeCase, metric: str, patience: int) -> None:
    evaluator, losses = case.search()
    asked = iter(range(patience))
    walk = Branching(
        evaluator, case.ranges, losses, [metric],
        monotone=case.monotone, thorough=False, expired=lambda: next(asked, None) is None,
    )  # fmt: skip
    walk.run()
    missed = [case.losses[node][metric] for node in case.solving if node not in walk.scores]
    bounds = [bound for bound in (walk.left_bound, walk.least) if bound is not None]
    assert all(loss >= min(bounds) * (1 - 1e-9) for loss in missed)


ONE = Sensitive(2, (0, 1), listed=False, ladder=((0, 1), (0, 0)))
# a person of ten rows in a class of 98 goes with an eleventh row: (98 − 10)² + 11·99 < 98² + 1²
MANY_ROWS = ModeCase(
    records=(*(Record((0,), (0,), max(i - 9, 0)) for i in range(98)), Record((1,), (0,), 0)),
    hierarchies=(((0, 1),),),
    sensitive=(ONE,),
    wanted=(("k-anonymity", {"k": 2}, None, 0, False),),
    low=(0,), high=(0,), limit=11, modes=Modes(units=True),
)  # fmt: skip
# a part of the one class goes, and the rest stays: it counts as a class more
A_PART = ModeCase(
    records=tuple(Record((0,), values, 0) for values in ((0, 0), (1, 0), (0, 1))),
    hierarchies=(((0,),),),
    sensitive=(ONE, ONE),
    wanted=(("distinct-l-diversity", {"l": 2}, None, 0, True),),
    low=(0,), high=(0,), limit=1, modes=Modes(),
)  # fmt: skip


@pytest.mark.parametrize(("case", "metric"), [(MANY_ROWS, "discernibility"), (A_PART, "average-class-size")])
def test_a_class_that_loses_a_part_can_lose_less_than_its_square(case: ModeCase, metric: str) -> None:
    evaluator, losses = case.search()
    sizes = evaluator.at((0,)).sizes
    whole = {"discernibility": sum(sizes**2), "average-class-size": sum(sizes) / len(sizes)}
    assert case.solving == [(0,)]
    assert losses.floor_of(metric, sizes) <= case.losses[0,][metric] < whole[metric]
