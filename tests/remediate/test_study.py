"""The searches on a class table alone, against brute force."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.classes import ClassTable, KeyLayout, count_classes
from auditor.errors import UsageError
from auditor.hierarchies import Ladder, build
from auditor.models import registry
from auditor.remediate import search
from tests.remediate import lattice_oracle as plain
from tests.remediate.cases import Case, cases, demand_of
from tests.strategies import table_of

METRICS = ["height", "precision", "loss", "discernibility", "non-uniform-entropy"]


def as_classes(case: Case) -> tuple[ClassTable, dict[str, Ladder]]:
    """The case's rows as a class table, and its hierarchies as ladders over the values that occur."""
    ladders, codes = {}, []
    for i, hierarchy in enumerate(case.hierarchies):
        used = sorted({values[i] for values, _ in case.rows})
        levels = tuple(tuple(str(level[value]) for value in used) for level in hierarchy)
        leaves = [
            np.array([Counter(map(str, level))[node] for node in dict.fromkeys(labels)], dtype=np.int64)
            for level, labels in zip(hierarchy, levels, strict=True)
        ]
        ladders[f"q{i}"] = Ladder(levels, tuple(leaves), len(hierarchy[0]), lambda _: None)
        codes.append(np.array([used.index(values[i]) for values, _ in case.rows]))
    sensitive, domain = case._domain(np.array([value for _, value in case.rows]))
    counts = {name: len(ladder.values) for name, ladder in ladders.items()}
    layout = KeyLayout.of({**counts, "sensitive": len(domain.labels)})
    return count_classes(layout.pack([*codes, sensitive]), layout, len(codes), domain=domain), ladders


@given(case=cases(), metric=st.sampled_from(METRICS))
def test_every_strategy_finds_what_brute_force_finds(case: Case, metric: str) -> None:
    heights = tuple(len(hierarchy) - 1 for hierarchy in case.hierarchies)
    case = replace(case, low=(0,) * len(heights), high=heights, released=True)
    classes, ladders = as_classes(case)
    requirements = [demand_of(*demand).model for demand in case.demands]

    def found(strategy):
        return search(classes, ladders, requirements, strategy=strategy, objective=metric, suppression_limit=case.limit)

    optimal = found("optimal")
    solving = case.solving
    least = min((case.losses[node][metric] for node in solving), default=0)
    best = {node for node in solving if case.losses[node][metric] <= least * (1 + 1e-12) + 1e-13}
    assert set(optimal.best) == best
    assert (optimal.solving, optimal.nodes) == (len(solving), len(case.releases))
    assert (optimal.loss is None) == (not solving)
    assert optimal.loss is None or optimal.loss == pytest.approx(least)
    if not case.monotone:
        for strategy in ("samarati", "incognito"):
            with pytest.raises(UsageError, match="generalizing never breaks"):
                found(strategy)
        return
    lowest = min(map(sum, solving), default=0)
    assert set(found("samarati").best) == {node for node in solving if sum(node) == lowest}
    incognito = found("incognito")
    assert set(incognito.minimal or ()) == set(optimal.minimal or ()) == plain.minimal(solving, case.low)
    assert set(incognito.best) == best


def test_what_cannot_be_searched_is_refused() -> None:
    layout = KeyLayout.of({"age": 2})
    classes = count_classes(layout.pack([np.array([0, 1])]), layout, 1)
    ladders, k = {"age": build("suppress", ["1", "2"])}, [registry()["k-anonymity"](k=2)]
    wrong = [
        (table_of([[1]]), ladders, k, {}),
        (classes, {}, k, {}),
        (classes, {"age": build("suppress", ["1"])}, k, {}),
        (classes, ladders, [], {}),
        (classes, ladders, [registry()["distinct-l-diversity"](l=2)], {}),
        (classes, ladders, k, {"strategy": "mondrian"}),
        (classes, ladders, k, {"objective": "beauty"}),
        (classes, ladders, k, {"suppression_limit": -1}),
    ]
    for table, given_ladders, requirements, options in wrong:
        with pytest.raises(UsageError):
            search(table, given_ladders, requirements, **options)
    assert search(classes, ladders, k).best == ((1,),)
