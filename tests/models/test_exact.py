"""Verdicts of rational models are decided on integers: at the bound, one unit below it and one above.

A bound is the decimal number that the policy shows: ``0.2`` is 1/5, though no binary float is.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from auditor.classes import ClassTable, Domain
from auditor.models import ClassModel, registry
from tests.models.test_measures import DEFINITIONS, model_name, model_of
from tests.strategies import Case, cases, table_of

UNITS = (0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-10, -1e-10, 2e-9, -2e-9, 0.01, -0.01)


def _is_rational(name: str) -> bool:
    """Whether the model decides exactly: it declares no tolerance for the attribute at hand."""
    model = model_of(name, DEFINITIONS[name][0])
    tolerance_for = getattr(model, "tolerance_for", None)
    return (tolerance_for(numeric=True) if tolerance_for else model.tolerance) is None


# These numbers are sums of floats; which sizes satisfy the model is decided once, whatever the class.
TAILS = ("estimated-k-map", "safepub")
RATIONAL = [name for name in DEFINITIONS if _is_rational(name) and model_name(name) not in TAILS]
EXACT = {
    ">=": lambda number, bound: number >= bound,
    "<=": lambda number, bound: number <= bound,
    "<": lambda number, bound: number < bound,
}


def with_bound(name: str, bound: float, **others: Any) -> ClassModel:
    """The model with another bound, and with k: 1 where it has a second one."""
    parameters = DEFINITIONS[name][0]
    model = registry()[model_name(name)]
    assert issubclass(model, ClassModel)
    size = {model.size_field: 1} if model.size_field else {}
    return model(**{**parameters, **size, model.bound_field: bound, **others})


def satisfied(name: str, case: Case, index: int, bound: float) -> bool:
    """The verdict by definition, on fractions; the bound is the decimal number as written."""
    number = DEFINITIONS[name][1](case, index)
    comparison = model_of(name, DEFINITIONS[name][0]).comparison
    return bool(EXACT[comparison](number, Fraction(repr(bound))))


def check(name: str, case: Case, bound: float) -> None:
    model = with_bound(name, bound)
    wrong = model.violates(case.table, model.measure(case.table))
    assert (~wrong).tolist() == [satisfied(name, case, index, bound) for index in range(len(case.counts))]


def _bounds(name: str, number: float, unit: float) -> float:
    """A bound near an attained number, within what the parameter may be."""
    model = model_of(name, DEFINITIONS[name][0])
    if isinstance(model.bound, int) and model.comparison == ">=":
        return max(1, round(number) + round(math.copysign(1, unit) if abs(unit) == 0.01 else 0))
    bound = number + unit
    assume(bound > 0 and (bound <= 1 or model.bound_field not in {"max", "alpha"}))
    return bound


def test_what_is_rational_is_what_the_definitions_say() -> None:
    irrational = {"entropy-l-diversity", "enhanced-beta-likeness", "delta-disclosure"}
    irrational |= {"t-closeness, kl", "t-closeness, js", *TAILS}
    assert set(RATIONAL) == set(DEFINITIONS) - irrational


@pytest.mark.parametrize("name", RATIONAL)
@given(data=st.data(), unit=st.sampled_from(UNITS), scale=st.sampled_from([1, 10, 2**31 + 1, 2**40 - 1, 2**55 + 3]))
def test_the_verdict_near_the_bound_is_that_of_fractions(
    name: str, data: st.DataObject, unit: float, scale: int
) -> None:
    """Scaled up, counts pass 2^31 and sums come near 2^62; a record more or less then moves a share by 1e-18."""
    case = data.draw(cases(external=data.draw(st.booleans())))
    nudge = data.draw(st.integers(0, len(case.labels) - 1))
    counts = [[c * scale + (scale > 10 and v == nudge) for v, c in enumerate(row)] for row in case.counts]
    large = Case(counts, case.domain)
    number = DEFINITIONS[name][1](case, data.draw(st.integers(0, len(counts) - 1)))
    assume(math.isfinite(number))
    check(name, large, _bounds(name, float(number), unit))


@pytest.mark.parametrize("name", RATIONAL)
@given(data=st.data(), unit=st.sampled_from([0.0, 1e-9, -1e-9]))
def test_the_verdict_exactly_at_the_bound(name: str, data: st.DataObject, unit: float) -> None:
    """Classes of 10 and a reference of 20 give shares and most distances that are short decimals."""
    rows = data.draw(st.lists(_ten_in_four(), min_size=1, max_size=4))
    reference = [2 * count for count in data.draw(_ten_in_four().filter(all))]
    case = Case(rows, _domain(reference))
    number = DEFINITIONS[name][1](case, 0)
    assume(math.isfinite(number))
    check(name, case, _bounds(name, float(number), unit))


def _ten_in_four() -> st.SearchStrategy[list[int]]:
    cuts = st.lists(st.integers(0, 10), min_size=3, max_size=3).map(sorted)
    return cuts.map(lambda c: [c[0], c[1] - c[0], c[2] - c[1], 10 - c[2]])


def _domain(reference: list[int]) -> Domain:
    return Domain(
        labels=tuple("abcd"[: len(reference)]),
        reference=np.array(reference, dtype=np.int64),
        ranks=np.arange(len(reference)),
        ladder=np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]])[:, : len(reference)],
    )


def verdict(model: str, counts: list[list[int]], domain: Domain | None = None, **parameters: Any) -> bool:
    """Whether a table satisfies a model."""
    table = table_of(counts, domain)
    requirement: Any = registry()[model](**parameters)
    return not requirement.violates(table, requirement.measure(table)).any()


@pytest.mark.parametrize(
    ("counts", "c", "l", "meets"),
    [
        ([10, 1, 1], 10, 3, False),
        ([10, 1, 1], 10.000001, 3, True),
        ([10, 1, 1], 9.999999, 3, False),
        ([10, 1, 1], 5, 2, False),
        ([10, 1, 1], 5.000001, 2, True),
        ([10, 1, 1], 0.8333333333333333, 1, False),
        ([10, 1, 1], 0.8333333333333334, 1, True),
        ([10 * 2**40, 2**40, 2**40], 10, 3, False),
        ([10 * 2**40 - 1, 2**40, 2**40], 10, 3, True),
        ([2**61, 2**60, 2**60], 2, 3, False),
        ([2**61 - 1, 2**60, 2**60], 2, 3, True),
        ([5, 5], 100, 3, False),
    ],
)
def test_recursive_diversity_is_strict(counts: list[int], c: float, l: int, meets: bool) -> None:  # noqa: E741
    assert verdict("recursive-l-diversity", [counts], c=c, l=l) is meets


@pytest.mark.parametrize(
    ("size", "bound", "meets"),
    [
        (11, 0.09, False),
        (12, 0.09, True),
        (11, 0.0909, False),
        (11, 0.0909090909, False),
        (11, 0.09090909090909091, True),
        (5, 0.2, True),
        (10, 0.1, True),
        (3, 0.3333, False),
        (3, 0.3333333333333333, False),
        (3, 0.33333333333333337, True),
        (10**12, 1e-12, True),
        (10**12 - 1, 1e-12, False),
    ],
)
def test_max_risk_compares_the_decimal_that_the_policy_shows(size: int, bound: float, meets: bool) -> None:
    assert verdict("max-risk", [[size]], max=bound) is meets


@pytest.mark.parametrize(
    ("counts", "alpha", "meets"),
    [
        ([1, 1, 1], 0.3333, False),
        ([1, 1, 1], 0.333333333333, False),
        ([1, 1, 1], 0.3334, True),
        ([1, 1], 0.5, True),
        ([2**61, 2**61], 0.5, True),
        ([2**61 + 1, 2**61], 0.5, False),
        ([2**40 + 1, 2**40], 0.5, False),
        ([7, 3], 0.7, True),
        ([1, 9], 0.9, True),
    ],
)
def test_alpha_is_compared_as_a_ratio(counts: list[int], alpha: float, meets: bool) -> None:
    assert verdict("alpha-k-anonymity", [counts], alpha=alpha, k=1) is meets


@pytest.mark.parametrize("ground", ["equal", "ordered", "hierarchical"])
@pytest.mark.parametrize("times", [1, 10, 100, 2**31, 2**55])
def test_a_distance_of_exactly_the_bound_passes(ground: str, times: int) -> None:
    """p = (0.7, 0.3), q = (0.5, 0.5): the distance is 0.2 under every ground, and 0.7 − 0.5 is not 0.2 in binary."""
    steps = np.arange(2)
    domain = Domain(("a", "b"), np.array([50, 50]) * times, ranks=steps, ladder=np.array([[0, 1], [0, 0]]))
    assert 0.7 - 0.5 != 0.2
    assert verdict("t-closeness", [[7 * times, 3 * times]], domain, t=0.2, ground=ground)
    assert verdict("t-closeness", [[3 * times, 7 * times]], domain, t=0.2, ground=ground)
    assert not verdict("t-closeness", [[7 * times, 3 * times]], domain, t=0.19999999999999998, ground=ground)
    if times > 1:
        assert not verdict("t-closeness", [[7 * times + 1, 3 * times]], domain, t=0.2, ground=ground)


@pytest.mark.parametrize("l", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 20, 50, 100, 1000])
@pytest.mark.parametrize("each", [1, 3, 2**20, 2**40])
def test_uniform_over_l_values_is_entropy_l_diverse(l: int, each: int) -> None:  # noqa: E741
    assert verdict("entropy-l-diversity", [[each] * l], l=l)
    assert not verdict("entropy-l-diversity", [[each] * l], l=l * (1 + 1e-6))


def product_of_powers(counts: list[int]) -> Fraction:
    """e^(n · H) = nⁿ / Π cᶜ: entropy-l-diversity holds exactly where it is lⁿ or more."""
    found = Fraction(sum(counts)) ** sum(counts)
    for count in counts:
        found /= Fraction(count) ** count
    return found


NEAR_LN_3 = [
    *([each] * 3 for each in (1, 2, 3, 7, 10, 31, 100, 333)),  # a peer's floating point says 2.9999999999999996
    [100, 100, 99],
    [101, 100, 99, 1],
    [334, 333, 333],
    [333, 333, 333, 1],
    [2, 1, 1],
    [3, 1, 1, 1],
]


def test_classes_close_to_ln_3_are_decided_by_powers_of_whole_numbers() -> None:
    for counts in NEAR_LN_3:
        meets = product_of_powers(counts) >= 3 ** sum(counts)
        assert verdict("entropy-l-diversity", [counts], l=3) == meets
    assert {tuple(counts) for counts in NEAR_LN_3 if len(set(counts)) == 1} == {
        tuple(counts) for counts in NEAR_LN_3 if product_of_powers(counts) == 3 ** sum(counts)
    }


def test_entropy_below_the_bound_fails() -> None:
    assert not verdict("entropy-l-diversity", [[1001, 1000, 1000]], l=3)
    assert not verdict("entropy-l-diversity", [[2, 1, 1]], l=3)


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("k-anonymity", {"k": 10**400}),
        ("distinct-l-diversity", {"l": 10**400}),
        ("p-sensitive-k-anonymity", {"p": 10**400, "k": 1}),
        ("p-sensitive-k-anonymity", {"p": 1, "k": 10**400}),
        ("alpha-k-anonymity", {"alpha": 1, "k": 10**400}),
        ("recursive-l-diversity", {"c": 1e308, "l": 10**400}),
        ("k-anonymity", {"k": 2**53 + 1}),
    ],
)
def test_a_bound_beyond_every_machine_number_is_a_bound(model: str, parameters: dict[str, Any]) -> None:
    assert not verdict(model, [[2**52, 2**52]], **parameters)


def test_size_is_judged_besides_the_number() -> None:
    assert verdict("alpha-k-anonymity", [[1, 1]], alpha=0.5, k=2)
    assert not verdict("alpha-k-anonymity", [[1, 1]], alpha=0.5, k=3)
    assert not verdict("p-sensitive-k-anonymity", [[1, 1]], p=2, k=3)
    assert not verdict("p-sensitive-k-anonymity", [[5, 0], [1, 1]], p=2, k=2)


@pytest.mark.parametrize(
    ("model", "parameters", "meets"),
    [
        ("max-risk", {"max": 0.5}, True),
        ("alpha-k-anonymity", {"alpha": 0.5, "k": 2}, True),
        ("recursive-l-diversity", {"c": 1, "l": 2}, False),
    ],
)
def test_small_classes_at_the_bound_are_not_decided_one_by_one(
    model: str, parameters: dict[str, Any], meets: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A near-unique table has millions of pairs, and ½ is the bound that policies like: no loop in Python."""
    monkeypatch.setattr(registry()[model], "exact", None)
    assert verdict(model, [[1, 1]] * 1000, **parameters) is meets


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("max-risk", {"max": 5e-10}),
        ("alpha-k-anonymity", {"alpha": 0.5, "k": 1}),
        ("recursive-l-diversity", {"c": 1, "l": 2}),
    ],
)
def test_a_group_may_be_larger_than_the_records_that_share_its_verdict(model: str, parameters: dict[str, Any]) -> None:
    """With wildcards a pattern of one record may stand for a group of billions, a hair on the wrong side."""
    large = table_of([[10**9, 10**9 - 1]])
    table = ClassTable(large.sizes, np.array([1]), large.cells)
    requirement: Any = registry()[model](**parameters)
    assert requirement.violates(table, requirement.measure(table)).all()
