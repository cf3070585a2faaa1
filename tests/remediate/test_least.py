"""A search that begins above the values as they are: what is counted there, where it begins, and what it then says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.audit import AuditRun, uses
from auditor.classes import Domain
from auditor.engines import ColumnUse, RunLimits, open_data
from auditor.engines.duckdb import _counted, _source
from auditor.errors import InternalError, OutOfMemory
from auditor.policy import bind, load_policy
from auditor.policy.remediation import Remediation
from auditor.remediate import _base, remediate
from auditor.remediate._lattice import Sublattice
from auditor.remediate._problem import SearchProblem, problem
from auditor.remediate._search import SearchResult, optimal, search
from tests.remediate.test_release_property import AGES, MOODS, PLACES, TREE, age_at, mood_at, place_at

LABELS = {"age": age_at, "place": place_at, "mood": mood_at}
ATTRIBUTES: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [10, 20], "start": 0}}},
    "place": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}},
    "mood": {"role": "quasi-identifier", "hierarchy": {"tree": TREE}},
    "dx": "sensitive",
    "hiv": "sensitive",
    "person": "identifier",
}
Row = tuple[str | None, ...]


@contextmanager
def room_for(cells: int) -> Iterator[None]:
    """Let a search have room for so many combinations."""
    with mock.patch.object(_base.Room, "of", lambda tables, *_, **__: _base.Room(tables, cells)):
        yield


@st.composite
def tables(draw: st.DrawFn, *, gaps: bool = False) -> list[Row]:
    ages = [*AGES, None] if gaps else AGES
    row = st.tuples(
        *map(st.sampled_from, (ages, PLACES, MOODS, ["a", "b", "c"], ["n", "y"], [f"p{i}" for i in range(6)]))
    )
    return draw(st.lists(row, min_size=4, max_size=40))


MODES: dict[str, dict[str, Any]] = {
    "classes": {},
    "two attributes": {"requirements": [{"model": "distinct-l-diversity", "l": 2, "sensitive": ["dx", "hiv"]}]},
    "joined": {
        "requirements": [{"model": "distinct-l-diversity", "l": 2, "sensitive": "dx", "others": "quasi-identifiers"}]
    },
    "stars": {"remediation": {"suppress": "star"}},
    "units": {"unit": {"column": "person", "rows": "many-per-unit"}},
    "wildcards": {"missing": "wildcard"},
}


def _policy(mode: str, k: int, share: float, levels: dict[str, Any] | None = None) -> dict[str, Any]:
    own = MODES[mode]
    close = {"model": "t-closeness", "t": 0.4, "distance": "variational", "sensitive": "dx"}
    return {
        "version": 1,
        "name": "p",
        "attributes": ATTRIBUTES,
        "requirements": [{"model": "k-anonymity", "k": k}, *own.get("requirements", [close])],
        "remediation": {"suppression_limit": share, "levels": levels or {}, **own.get("remediation", {})},
        **{key: own[key] for key in ("unit", "missing") if key in own},
    }


@contextmanager
def _problem(rows: Sequence[Row], policy: dict[str, Any]) -> Iterator[tuple[SearchProblem, Remediation]]:
    loaded = load_policy(policy)
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(ATTRIBUTES)})
    with open_data(table) as source:
        binding = bind(loaded, [column.name for column in source.columns])
        run = AuditRun(loaded, binding, source, None, date(2026, 11, 21), True, False, RunLimits.of())
        yield problem(run, source.count(uses(run))), loaded.remediation or Remediation()


def _least_above(whole: SearchProblem, low: tuple[int, ...]) -> SearchResult:
    """The least loss of the nodes that are no finer, each of them decided by itself."""
    ranges = Sublattice(low, whole.ranges.high)
    return optimal(whole.evaluator, ranges, whole.losses, ["loss"], monotone=False, thorough=True)


def _told(searched: SearchProblem, node: tuple[int, ...]) -> dict[str, Any]:
    """All that a node's decision says."""
    evaluator = searched.evaluator
    tables = evaluator.tables(node)
    outcome = evaluator.decide(node, tables, fully=True)
    table = tables[evaluator.first]
    left_out = evaluator.suppressed(outcome, table)
    return {
        "solves": outcome.solves,
        "suppressed": outcome.suppressed,
        "sizes": sorted(outcome.sizes.tolist()),
        "losses": searched.losses.all(outcome, table),
        "left out": set(zip(*(codes.tolist() for codes in left_out.values()), strict=True)),
    }


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
def test_from_a_coarser_table_every_node_is_decided_as_from_the_values_as_they_are(mode, data):
    rows = data.draw(tables(gaps=mode == "wildcards"))
    policy = _policy(mode, data.draw(st.integers(2, 4)), data.draw(st.sampled_from([0.0, 0.1, 0.4])))
    with _problem(rows, policy) as (whole, settings), room_for(data.draw(st.integers(1, 40))):
        try:
            with _problem(rows, policy) as (searched, _):
                low = searched.ranges.low
                assert searched.evaluator.tower.finest == low
                for node in searched.ranges:
                    assert _told(searched, node) == _told(whole, node), node
                found = search(searched, settings)
        except OutOfMemory:
            return
        best = _least_above(whole, low)
        assert (found.best, found.loss) == (best.best, best.loss)
    assert searched.never_tried == {name: tuple(range(level)) for name, level in _named(low).items() if level}


def _named(node: Sequence[int]) -> dict[str, int]:
    return dict(zip(LABELS, node, strict=True))


@pytest.mark.slow
@given(rows=tables(), low=st.tuples(*(st.integers(0, 2) for _ in LABELS)))
def test_the_table_is_counted_at_the_least_generalization_that_the_policy_allows(rows, low):
    policy = _policy("classes", 2, 0.1)
    restricted = _policy("classes", 2, 0.1, {name: {"min": level} for name, level in _named(low).items()})
    with _problem(rows, policy) as (whole, _), _problem(rows, restricted) as (searched, settings):
        assert searched.evaluator.tower.finest == low
        assert searched.never_tried == {}
        found = search(searched, settings)
        best = _least_above(whole, low)
        assert (found.best, found.loss) == (best.best, best.loss)
        assert len(searched.evaluator.tower.base.counts) == len({(*_at(low, row), row[3]) for row in rows})


def _at(node: Sequence[int], row: Row) -> tuple[str, ...]:
    return tuple(LABELS[name](level, row[i]) for i, (name, level) in enumerate(_named(node).items()))  # type: ignore[operator]


@pytest.mark.slow
@given(rows=tables(), room=st.integers(1, 40))
def test_it_goes_up_where_most_values_are_left_until_it_fits(rows, room):
    with _problem(rows, _policy("classes", 2, 0.1)) as (whole, _):
        high = whole.ranges.high
    expected = _first_that_fits(rows, high, room)
    with room_for(room):
        if expected is None:
            with pytest.raises(OutOfMemory, match="--memory"), _problem(rows, _policy("classes", 2, 0.1)):
                pass
        else:
            with _problem(rows, _policy("classes", 2, 0.1)) as (searched, _):
                assert searched.ranges == Sublattice(expected, high)


def _first_that_fits(rows: Sequence[Row], high: Sequence[int], room: int) -> tuple[int, ...] | None:
    node = [0, 0, 0]
    while len({(*_at(node, row), row[3]) for row in rows}) > room:
        values = [len({_at(node, row)[i] for row in rows}) if node[i] < top else 0 for i, top in enumerate(high)]
        if not any(values):
            return None
        node[values.index(max(values))] += 1
    return tuple(node)


# what an engine counts

WAYS = {
    "gathered": {},
    "joined": {"FEW_ROWS": 0, "FEW_COMBINATIONS": 0},
    "joined, batch by batch": {"FEW_ROWS": 0, "FEW_COMBINATIONS": 0, "BYTES_PER_COMBINATION": 10**9},
}


@pytest.mark.slow
@pytest.mark.parametrize("way", [*WAYS, "row by row"])
@given(rows=tables(), maps=st.tuples(*(st.lists(st.integers(0, 3), min_size=6, max_size=6) for _ in range(2))))
def test_classes_are_counted_by_nodes(way, rows, maps):
    names = ("age", "place", "mood", "dx")
    uses_ = [ColumnUse(name) for name in names]
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(ATTRIBUTES)})
    with _counting(way), open_data(table) as source:
        counted = source.count(uses_)
        labels = {name: list(counted.labels(name)) for name in names}
        nodes = {
            name: np.unique(own[: len(labels[name])], return_inverse=True)[1]
            for name, own in zip(("age", "mood"), maps, strict=True)
        }
        coded = [tuple(labels[name].index(row[i]) for i, name in enumerate(names)) for row in rows]
        wanted = Counter((int(nodes["age"][a]), p, int(nodes["mood"][m]), dx) for a, p, m, dx in coded)
        domain = Domain(tuple(labels["dx"]), counted.frequencies("dx"))
        found: Counter[tuple[int, ...]] = Counter()
        for part in counted.tables(names[:3], ("dx", domain), recoded=nodes):
            assert part.cells is not None
            assert part.keys is not None
            assert part.layout is not None
            keys = np.stack([part.layout.codes(part.keys, name) for name in names[:3]], axis=1)[part.cells.owner]
            cells = zip(keys.tolist(), part.cells.values.tolist(), part.cells.counts.tolist(), strict=True)
            assert sum(part.sizes.tolist()) == sum(part.cells.counts.tolist())
            for key, value, count in cells:
                assert (*key, value) not in found
                found[*key, value] = count
        assert found == wanted
        assert counted.cells(names, nodes) == len(wanted)
        assert counted.cells(names) == len(set(coded))
        assert counted.cells(["mood"], nodes) == len(set(nodes["mood"].tolist()))
        assert counted.cells([]) == 1
        with pytest.raises(InternalError):
            next(iter(counted.tables(["age"], ("dx", domain), recoded={"dx": nodes["mood"]})))


@contextmanager
def _counting(way: str) -> Iterator[None]:
    if way == "row by row":
        with (
            mock.patch.object(_source, "SMALL_ROWS", 0),
            mock.patch.object(_counted, "FEW_ROWS", 0),
            mock.patch.object(_counted.DuckDBCounted, "_nearly_unique", return_value=True),
        ):
            yield
        return
    with ExitStack() as stack:
        for name, value in WAYS[way].items():
            stack.enter_context(mock.patch.object(_counted, name, value))
        yield


# what the document says

ROWS = [(age, place, mood, "abc"[i % 3], "ny"[i % 2], f"p{i}") for age in AGES for place in PLACES for i, mood in
        enumerate(MOODS)] * 2  # fmt: skip


def _remediated(room: int, **changes: Any) -> Any:
    policy = _policy("classes", 4, 0.1) | changes
    table = pa.table({name: [row[i] for row in ROWS] for i, name in enumerate(ATTRIBUTES)})
    with room_for(room):
        return remediate(table, policy)


def test_a_solution_says_what_was_never_tried_and_claims_no_more_than_was_searched():
    whole, part = _remediated(10**6), _remediated(20)
    assert (whole.solution.never_tried, whole.solution.proved_optimal) == ({}, True)
    solution = part.solution
    assert part.passed
    assert solution.never_tried == {"age": (0, 1), "place": (0,)}
    assert not solution.proved_optimal
    assert solution.loss >= whole.solution.loss
    assert solution.loss_bound is None
    assert solution.minimal_generalizations is None
    assert solution.lattice.nodes == 2 * 2 * 3
    assert all(entry.minimal is None for entry in solution.lattice.by_height)
    assert not any(node.minimal for node in solution.lattice.drawn)
    assert {cost.attribute: (cost.level, cost.proved) for cost in solution.costs} == {
        "age": (2, False), "place": (1, False), "mood": (0, False),
    }  # fmt: skip
    said = "Never tried, because the class table was too large for the memory limit: levels 0 and 1 of age and level 0"
    assert any(assumption.startswith(said) for assumption in part.result.assumptions)
    assert said in part.to_html()
    assert part.to_dict()["solution"]["never_tried"] == {"age": [0, 1], "place": [0]}


def test_what_was_not_searched_loses_at_least_what_the_policy_s_least_generalization_does():
    levels = {"age": {"min": 1}}
    policy = _policy("classes", 4, 0.1, levels)
    least = _remediated(10**6, remediation={**policy["remediation"], "levels": {"age": {"min": 1, "max": 1}}})
    part = _remediated(20, remediation=policy["remediation"])
    assert part.solution.never_tried == {"age": (1,), "place": (0,)}
    # every value of the column is at level 1 at least: a third of its loss there, as nothing else is lost for certain
    assert 0 < part.solution.loss_bound <= min(least.solution.loss, part.solution.loss)


def test_nothing_finer_meets_what_generalizing_keeps():
    part = _remediated(20, requirements=[{"model": "k-anonymity", "k": 1000}])
    assert part.exit_code == 1
    assert part.shortfall.never_tried == {"age": (0, 1), "place": (0,)}
    assert not part.shortfall.exhaustive


def test_where_finer_ones_may_meet_it_nothing_is_decided():
    # average-risk with suppression is not monotone, so that a finer release may meet what coarser ones do not
    with pytest.raises(OutOfMemory, match="levels 0 and 1 of age and level 0 of place did not fit"):
        _remediated(20, requirements=[{"model": "t-closeness", "t": 0.0001, "distance": "kl", "sensitive": "dx"},
                                      {"model": "average-risk", "max": 0.001}])  # fmt: skip
