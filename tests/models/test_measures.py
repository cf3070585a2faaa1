"""Every model's number, class by class, against the oracle; every earth mover's distance against linear programmes."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from auditor.classes import Domain
from auditor.models import TOLERANCE, ClassModel, registry
from tests import oracle
from tests.strategies import Case, cases, table_of

Number = int | float | Fraction

DEFINITIONS: dict[str, tuple[dict[str, Any], Callable[[Case, int], Number]]] = {
    "k-anonymity": ({"k": 5}, lambda c, i: oracle.size(c.histogram(i))),
    "k-map": ({"k": 5}, lambda c, i: oracle.persons(c.counts[i])),
    "delta-presence": (
        {"max": 0.5},
        lambda c, i: Fraction(oracle.size(c.histogram(i)), oracle.persons(c.counts[i])),
    ),
    "estimated-k-map": (
        {"k": 5, "significance": 0.05, "fraction": 0.3},
        lambda c, i: oracle.poisson_tail(oracle.size(c.histogram(i)), 1.5),
    ),
    "safepub": (
        {"epsilon": 1, "delta": 0.001, "fraction": 0.2},
        lambda c, i: oracle.binomial_delta(oracle.size(c.histogram(i)), 1, 0.2),
    ),
    "max-risk": ({"max": 0.2}, lambda c, i: Fraction(1, oracle.size(c.histogram(i)))),
    "alpha-k-anonymity": ({"alpha": 0.5, "k": 2}, lambda c, i: oracle.largest_share(c.histogram(i))),
    "alpha-k-anonymity, some values": (
        {"alpha": 0.5, "k": 2, "values": ("a", "d")},
        lambda c, i: oracle.largest_share(c.histogram(i), ("a", "d")),
    ),
    "confidence": ({"max": 0.5}, lambda c, i: oracle.largest_share(c.histogram(i))),
    "p-sensitive-k-anonymity": ({"p": 2, "k": 3}, lambda c, i: oracle.distinct(c.histogram(i))),
    "distinct-l-diversity": ({"l": 2}, lambda c, i: oracle.distinct(c.histogram(i))),
    "entropy-l-diversity": ({"l": 2}, lambda c, i: oracle.entropy_l(c.histogram(i))),
    "recursive-l-diversity, l 1": ({"c": 2, "l": 1}, lambda c, i: oracle.recursive_c(c.histogram(i), 1)),
    "recursive-l-diversity, l 2": ({"c": 2, "l": 2}, lambda c, i: oracle.recursive_c(c.histogram(i), 2)),
    "recursive-l-diversity, l 4": ({"c": 2, "l": 4}, lambda c, i: oracle.recursive_c(c.histogram(i), 4)),
    "basic-beta-likeness": ({"beta": 1}, lambda c, i: oracle.basic_beta(c.histogram(i), c.reference)),
    "enhanced-beta-likeness": ({"beta": 1}, lambda c, i: oracle.enhanced_beta(c.histogram(i), c.reference)),
    "delta-disclosure": ({"delta": 1}, lambda c, i: oracle.delta(c.histogram(i), c.reference)),
    "t-closeness, variational": (
        {"t": 0.2, "distance": "variational"},
        lambda c, i: oracle.variational(c.histogram(i), c.reference),
    ),
    "t-closeness, kl": (
        {"t": 0.2, "distance": "kl"},
        lambda c, i: oracle.kullback_leibler(c.histogram(i), c.reference),
    ),
    "t-closeness, js": ({"t": 0.2, "distance": "js"}, lambda c, i: oracle.jensen_shannon(c.histogram(i), c.reference)),
    "t-closeness, equal": ({"t": 0.2, "ground": "equal"}, lambda c, i: oracle.variational(c.histogram(i), c.reference)),
    "t-closeness, ordered": (
        {"t": 0.2, "ground": "ordered"},
        lambda c, i: oracle.emd_ordered(c.histogram(i), c.reference, c.order),
    ),
    "t-closeness, hierarchical": (
        {"t": 0.2, "ground": "hierarchical"},
        lambda c, i: oracle.emd_hierarchical(c.histogram(i), c.reference, c.paths),
    ),
    "t-closeness, by kind of attribute": (
        {"t": 0.2},
        lambda c, i: (
            oracle.emd_ordered(c.histogram(i), c.reference, c.order)
            if c.domain.numeric
            else oracle.variational(c.histogram(i), c.reference)
        ),
    ),
}


def model_name(name: str) -> str:
    """The model that a name of DEFINITIONS is about: what stands before the comma."""
    return name.partition(",")[0]


def model_of(name: str, parameters: dict[str, Any]) -> ClassModel:
    model = registry()[model_name(name)](**parameters)
    assert isinstance(model, ClassModel)
    return model


def test_every_class_model_is_held_against_the_oracle() -> None:
    class_models = {name for name, model in registry().items() if issubclass(model, ClassModel)}
    assert {model_name(name) for name in DEFINITIONS} == class_models


def _compare(name: str, case: Case) -> None:
    parameters, definition = DEFINITIONS[name]
    numbers = model_of(name, parameters).measure(case.table)
    expected = [float(definition(case, index)) for index in range(len(case.counts))]
    # js and kl near 0 are differences of numbers near 1: their error is absolute, and far below TOLERANCE.
    np.testing.assert_allclose(numbers, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", DEFINITIONS)
@given(case=cases())
def test_the_number_is_the_definition(name: str, case: Case) -> None:
    _compare(name, case)


@pytest.mark.parametrize("name", [name for name in DEFINITIONS if model_of(name, DEFINITIONS[name][0]).reads_reference])
@given(case=cases(external=True))
def test_the_number_is_the_definition_for_a_reference_that_is_another_table(name: str, case: Case) -> None:
    _compare(name, case)


@pytest.mark.parametrize("name", DEFINITIONS)
@given(case=cases(external=True))
def test_the_exact_number_is_the_definition(name: str, case: Case) -> None:
    parameters, definition = DEFINITIONS[name]
    model = model_of(name, parameters)
    for index, number in enumerate(model.measure(case.table).tolist()):
        expected = definition(case, index)
        if math.isfinite(number) and (exact := model.exact(case.table, index)) is not None:
            assert isinstance(expected, (int, Fraction))
            assert exact == expected


GROUNDS: dict[str, Callable[[Case], oracle.Ground]] = {
    "equal": lambda case: oracle.equal_ground,
    "ordered": lambda case: oracle.ordered_ground(case.order),
    "hierarchical": lambda case: oracle.hierarchical_ground(case.paths),
}


@pytest.mark.parametrize("ground", GROUNDS)
@settings(max_examples=40)
@given(case=cases(classes=2, external=True))
def test_closed_forms_are_the_cheapest_transport(ground: str, case: Case) -> None:
    numbers = model_of("t-closeness", {"t": 0.2, "ground": ground}).measure(case.table)
    for index, number in enumerate(numbers.tolist()):
        least = oracle.transport(case.histogram(index), case.reference, case.labels, GROUNDS[ground](case))
        assert number == pytest.approx(least, abs=1e-9)


def _matrix_ground(case: Case) -> oracle.Ground:
    costs = case.domain.costs
    assert costs is not None
    return lambda a, b: float(costs[case.labels.index(a), case.labels.index(b)])


@settings(max_examples=60)
@given(case=cases(classes=2, values=5, external=True))
def test_the_matrix_ground_is_aggarwals_programme(case: Case) -> None:
    model = model_of("t-closeness", {"t": 0.2, "ground": "matrix", "matrix": "costs.csv"})
    for index, number in enumerate(model.measure(case.table).tolist()):
        programme = oracle.aggarwal(case.histogram(index), case.reference, case.labels, _matrix_ground(case))
        assert number == pytest.approx(programme, abs=TOLERANCE)


def test_mass_may_pass_through_a_cheaper_detour_and_only_in_the_direction_that_is_cheap() -> None:
    """a → c costs 9 but a → b → c costs 2; c → a costs 5: moving everything from a to c costs 2, back 5."""
    costs = np.array([[0.0, 1.0, 9.0], [9.0, 0.0, 1.0], [5.0, 9.0, 0.0]])
    model = model_of("t-closeness", {"t": 1, "ground": "matrix", "matrix": "costs.csv"})
    only_c = Domain(("a", "b", "c"), np.array([0, 0, 7]), costs=costs)
    only_a = Domain(("a", "b", "c"), np.array([7, 0, 0]), costs=costs)
    assert model.measure(table_of([[3, 0, 0]], only_c)).tolist() == pytest.approx([2.0])
    assert model.measure(table_of([[0, 0, 3]], only_a)).tolist() == pytest.approx([5.0])
