"""Undefined cases and extremes: one value, one class, p = q, values that one side lacks, many values, huge counts."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from auditor.classes import ClassTable, Domain
from auditor.models import ClassModel, registry
from auditor.models._distances.transport import shortest_paths, violates_triangle
from tests import oracle
from tests.strategies import table_of

DISTANCES: list[dict[str, Any]] = [
    {"distance": "variational"},
    {"distance": "kl"},
    {"distance": "js"},
    {"ground": "equal"},
    {"ground": "ordered"},
    {"ground": "hierarchical"},
    {"ground": "matrix", "matrix": "costs.csv"},
]
every_distance = pytest.mark.parametrize("distance", DISTANCES, ids=lambda d: "-".join(d.values()))


def model(name: str, **parameters: Any) -> ClassModel:
    requirement = registry()[name](**parameters)
    assert isinstance(requirement, ClassModel)
    return requirement


def domain(reference: list[int]) -> Domain:
    """An attribute with every structure: ordered as coded, a flat hierarchy, costs by rank."""
    m = len(reference)
    steps = np.arange(m)
    return Domain(
        labels=tuple(str(i) for i in range(m)),
        reference=np.array(reference, dtype=np.int64),
        ranks=steps,
        ladder=np.array([steps, np.zeros(m, dtype=np.int64)]),
        costs=np.abs(steps[:, None] - steps).astype(float),
    )


def numbers(requirement: ClassModel, counts: list[list[int]], attribute: Domain | None = None) -> list[float]:
    attribute = attribute or domain([sum(column) for column in zip(*counts, strict=True)])
    found: list[float] = requirement.measure(table_of(counts, attribute)).tolist()
    return found


@every_distance
def test_one_value_is_at_distance_0(distance: dict[str, Any]) -> None:
    assert numbers(model("t-closeness", t=0, **distance), [[5], [1]]) == [0, 0]


@every_distance
def test_one_class_is_at_distance_0_and_passes_t_0(distance: dict[str, Any]) -> None:
    closeness = model("t-closeness", t=0, **distance)
    table = table_of([[3, 7, 11, 1]], domain([3, 7, 11, 1]))
    found = closeness.measure(table)
    assert found.tolist() == pytest.approx([0], abs=1e-15)
    assert not closeness.violates(table, found).any()


@every_distance
def test_classes_like_the_whole_pass_t_0(distance: dict[str, Any]) -> None:
    """p = q in different sizes; in binary the shares 1/10, 3/10 and 6/10 do not add up."""
    closeness = model("t-closeness", t=0, **distance)
    table = table_of([[1, 3, 6], [7, 21, 42], [10**12, 3 * 10**12, 6 * 10**12]])
    table = table_of([[1, 3, 6], [7, 21, 42]], domain([8, 24, 48]))
    assert not closeness.violates(table, closeness.measure(table)).any()


def test_one_class_gains_nothing() -> None:
    counts = [[3, 7, 11, 1]]
    assert numbers(model("basic-beta-likeness", beta=1), counts) == pytest.approx([0], abs=1e-15)
    assert numbers(model("enhanced-beta-likeness", beta=1), counts) == pytest.approx([0], abs=1e-15)
    assert numbers(model("delta-disclosure", delta=1), counts) == pytest.approx([0], abs=1e-15)


def test_one_value_alone() -> None:
    for name, parameters, number in [
        ("alpha-k-anonymity", {"alpha": 1, "k": 1}, 1),
        ("distinct-l-diversity", {"l": 1}, 1),
        ("entropy-l-diversity", {"l": 1}, 1),
        ("recursive-l-diversity", {"c": 2, "l": 1}, 1),
        ("recursive-l-diversity", {"c": 2, "l": 2}, math.inf),
        ("basic-beta-likeness", {"beta": 1}, 0),
        ("enhanced-beta-likeness", {"beta": 1}, 0),
        ("delta-disclosure", {"delta": 1}, 0),
    ]:
        assert numbers(model(name, **parameters), [[4]]) == [number]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("t-closeness", {"t": 10, "distance": "kl"}),
        ("basic-beta-likeness", {"beta": 1e9}),
        ("enhanced-beta-likeness", {"beta": 1e9}),
        ("delta-disclosure", {"delta": 1e9}),
    ],
)
def test_a_value_that_the_reference_lacks_is_infinite(name: str, parameters: dict[str, Any]) -> None:
    """q = 0 < p, which only a reference from elsewhere can bring about; no bound is met."""
    requirement = model(name, **parameters)
    table = table_of([[1, 1, 1], [2, 2, 0]], domain([5, 5, 0]))
    found = requirement.measure(table)
    assert found[0] == math.inf
    assert math.isfinite(found[1])
    assert requirement.violates(table, found).tolist() == [True, False]


def test_bounded_distances_stay_finite_where_the_reference_lacks_a_value() -> None:
    counts, reference = [[0, 0, 4]], domain([1, 1, 0])
    assert numbers(model("t-closeness", t=1, distance="variational"), counts, reference) == [1]
    assert numbers(model("t-closeness", t=1, distance="js"), counts, reference) == pytest.approx([math.log(2)])
    assert numbers(model("t-closeness", t=1, ground="ordered"), counts, reference) == pytest.approx([0.75])


def test_a_value_that_the_class_lacks_is_infinite_for_delta_alone() -> None:
    counts = [[1, 1, 0], [1, 1, 2]]
    assert numbers(model("delta-disclosure", delta=1), counts) == pytest.approx([math.inf, math.log(1.5)])
    assert all(map(math.isfinite, numbers(model("basic-beta-likeness", beta=1), counts)))
    assert all(map(math.isfinite, numbers(model("t-closeness", t=1, distance="kl"), counts)))


def test_a_value_that_neither_has_is_skipped() -> None:
    """δ-disclosure asks for the values of the reference table, not for every code of the domain."""
    assert numbers(model("delta-disclosure", delta=1), [[1, 0, 1]], domain([1, 0, 1])) == [0]


def test_enhanced_beta_has_no_beta_where_a_frequent_value_gains_more_than_its_information() -> None:
    """q = ½: a gain of 1 exceeds −ln ½ = 0.693, and no β helps; a gain of ½ does not."""
    counts = [[2, 0], [3, 1]]
    assert numbers(model("basic-beta-likeness", beta=1), counts, domain([1, 1])) == [1, 0.5]
    assert numbers(model("enhanced-beta-likeness", beta=1), counts, domain([1, 1])) == [math.inf, 0.5]


def test_listed_values_count_for_the_order_even_if_absent() -> None:
    """none < mild < severe < fatal with nobody mild or fatal: m is 4, and none is two ranks from severe."""
    attribute = Domain(("severe", "fatal", "none", "mild"), np.array([1, 0, 1, 0]), ranks=np.array([2, 3, 0, 1]))
    assert numbers(model("t-closeness", t=1, ground="ordered"), [[1, 0, 0, 0]], attribute) == pytest.approx([1 / 3])


def test_the_ground_follows_the_kind_of_attribute() -> None:
    closeness: Any = model("t-closeness", t=1)
    assert closeness.ground_for(numeric=True) == "ordered"
    assert closeness.ground_for(numeric=False) == "equal"
    assert closeness.tolerance_for(numeric=True) is None
    kl: Any = model("t-closeness", t=1, distance="kl")
    assert kl.ground_for(numeric=True) is None
    assert kl.tolerance_for(numeric=True) == 1e-9


def test_a_value_not_listed_does_not_count_for_alpha() -> None:
    attribute = Domain(("HIV", "flu", None), np.array([3, 5, 5]))
    limited = model("alpha-k-anonymity", alpha=0.5, k=1, values=("HIV",))
    assert numbers(limited, [[1, 9, 0], [3, 0, 3], [0, 0, 5]], attribute) == [0.1, 0.5, 0]


# Whole-table models


def test_average_risk_is_an_exact_ratio_where_units_have_several_rows() -> None:
    """11 rows of 10 persons and 22 rows of 10: 11/10 + 22/10 is 3.3, which floats make 3.3000000000000003."""
    sizes, rows = np.array([10, 10, 3]), np.array([11, 22, 4])
    table: Any = ClassTable(sizes, rows)
    risk: Any = registry()["average-risk"](max=0.1)
    assert risk.numerator(table) == Fraction(11, 10) + Fraction(22, 10) + Fraction(4, 3)


# Huge counts


@pytest.mark.parametrize("each", [2**31 + 1, 2**40, 2**60])
def test_numbers_of_huge_counts(each: int) -> None:
    """Shares and distances are those of counts 2, 1, 1 and 1, 1, 1 in small; |E| comes near 2^62."""
    counts = [[2 * each, each, each]]
    assert numbers(model("k-anonymity", k=1), counts) == [4 * each]
    assert numbers(model("max-risk", max=1), counts) == [1 / (4 * each)]
    assert numbers(model("alpha-k-anonymity", alpha=1, k=1), counts) == [0.5]
    assert numbers(model("entropy-l-diversity", l=1), counts) == pytest.approx([2 * math.sqrt(2)], rel=1e-12)
    assert numbers(model("recursive-l-diversity", c=1, l=2), counts) == [1]
    reference = domain([each // 2] * 3)
    assert numbers(model("basic-beta-likeness", beta=1), counts, reference) == pytest.approx([0.5])
    assert numbers(model("t-closeness", t=1, ground="equal"), counts, reference) == pytest.approx([1 / 6])
    assert numbers(model("t-closeness", t=1, ground="ordered"), counts, reference) == pytest.approx([1 / 8])
    assert numbers(model("t-closeness", t=1, ground="hierarchical"), counts, reference) == pytest.approx([1 / 6])


# Many values


def test_the_ordered_distance_over_100_000_values_is_that_of_fractions() -> None:
    """Prefix sums of a sparse closed form could lose digits; the exact sum of 100,000 terms is the judge."""
    m, rng = 100_000, np.random.default_rng(20070415)
    reference = rng.integers(1, 50, m)
    attribute = Domain(tuple(map(str, range(m))), reference, ranks=rng.permutation(m))
    picked = [rng.choice(m, size=size, replace=False) for size in (1, 2, 37, 5000, m)]
    dense = np.zeros((len(picked), m), dtype=np.int64)
    for row, values in zip(dense, picked, strict=True):
        row[values] = rng.integers(1, 9, len(values))
    closeness = model("t-closeness", t=0.2, ground="ordered")
    table = table_of(dense, attribute)
    for index, number in enumerate(closeness.measure(table).tolist()):
        exact = closeness.exact(table, index)
        assert exact == _ordered_by_integers(dense[index], reference, attribute)
        assert number == pytest.approx(float(exact), rel=1e-11)


def _ordered_by_integers(p: Any, q: Any, attribute: Domain) -> Fraction:
    order = np.argsort(attribute.ranks).tolist()
    size, total, running, distance = int(p.sum()), int(q.sum()), 0, 0
    for code in order[:-1]:
        running += int(p[code]) * total - int(q[code]) * size
        distance += abs(running)
    return Fraction(distance, size * total * (len(order) - 1))


# Costs


def test_differences_far_below_a_solvers_tolerance_are_not_lost() -> None:
    """400 shares that each differ by 5e-8, which a linear programme takes for equal unless told otherwise.

    The last value has all the rest, so masses of very different size stand in one programme. Costs of one millionth
    must not be taken for 0 either.
    """
    m, n = 400, 5 * 10**4
    counts = [n + (1 if i % 2 else -1) for i in range(m)] + [10**9]
    reference = [n] * m + [2 * 10**9]
    expected = float(oracle.variational(dict(enumerate(counts)), dict(enumerate(reference))))
    closeness = model("t-closeness", t=1, ground="matrix", matrix="costs.csv")
    for unit in (1e-6, 1.0, 1e6):
        attribute = Domain(tuple(map(str, range(m + 1))), np.array(reference), costs=unit * (1.0 - np.eye(m + 1)))
        assert numbers(closeness, [counts], attribute) == pytest.approx([unit * expected], rel=1e-9)


@pytest.mark.parametrize("n", [10**4, 10**8, 10**12])
def test_tiny_differences_alone(n: int) -> None:
    counts = [n + (1 if i % 2 else -1) for i in range(40)]
    attribute = Domain(tuple(map(str, range(40))), np.array([n] * 40), costs=1.0 - np.eye(40))
    closeness = model("t-closeness", t=1, ground="matrix", matrix="costs.csv")
    expected = 20 / sum(counts)
    assert numbers(closeness, [counts], attribute) == pytest.approx([expected], rel=1e-3, abs=1e-15)


def test_shortest_paths_and_whether_they_differ_from_the_costs() -> None:
    costs = np.array([[0.0, 1.0, 9.0], [9.0, 0.0, 1.0], [5.0, 9.0, 0.0]])
    assert shortest_paths(costs).tolist() == [[0, 1, 2], [6, 0, 1], [5, 6, 0]]
    assert violates_triangle(costs)
    assert not violates_triangle(shortest_paths(costs))
    assert costs[0, 2] == 9.0
