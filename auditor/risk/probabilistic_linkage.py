"""Probabilistic record linkage: every original record is linked to the masked one whose agreement weighs most."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from auditor.errors import Unsupported, UsageError
from auditor.risk._agreement import Closeness, agreement
from auditor.risk._fellegi_sunter import LinkageEstimate, estimate
from auditor.risk._input import Floats, pair
from auditor.risk.distance_linkage import Linkage

TOLERANCE = 10.0
"""Two numbers agree, unless told otherwise, when their ranks differ by at most so many percent of the records."""
RECORDS = 20_000
"""All n² pairs are compared; more records than this would take minutes."""
VARIABLES = 16
"""All 2^p patterns of agreement are weighed; more variables than this hold too many."""


@dataclass(frozen=True, eq=False)
class ProbabilisticLinkage(Linkage):
    """Also what was estimated: `m` and `u`, float64[p], how likely true and other pairs agree on each variable.

    `steps` of the estimation were taken; it stopped because it had `converged` or because these were enough.
    """

    m: Floats
    u: Floats
    steps: int
    converged: bool


def probabilistic_linkage(
    original: Floats, masked: Floats, *, categories: Collection[int] = (), tolerance: float = TOLERANCE
) -> ProbabilisticLinkage:
    """Link every original record to the masked record of the highest weight, after Fellegi and Sunter.

    `original` and `masked` are float64[n, p], row i of both the same record. Each of the n² pairs agrees or not on each
    variable: numbers where their ranks within their tables differ by at most `tolerance` percent of the records
    (equal numbers share the mean of their ranks), codes of the columns `categories` where they are equal. A missing
    value agrees with nothing. The weight of a pair is Σ log(m/u) over the variables that agree plus
    Σ log((1−m)/(1−u)) over the others, m and u being the probabilities that a true pair and another one agree.

    They are estimated from the counts of the 2^p patterns alone, by expectation and maximisation under conditional
    independence, because an attacker has no true pairs to learn from; he knows however that one in n is true
    (`auditor.risk._fellegi_sunter` has start, end and bounds of it). Masked records of equal weight share the credit.
    Where all pairs agree alike, all tie.

    All pairs are compared, so the result is exact; it takes n² p steps, and n is limited.

    Sources: I. P. Fellegi, A. B. Sunter, "A theory for record linkage", 1969; M. A. Jaro, "Advances in record-linkage
    methodology as applied to matching the 1985 census of Tampa, Florida", 1989; the rule for numbers is our choice.

    Raises:
        DataError: the tables do not fit each other.
        UsageError: `tolerance` is not within 0..100, or `categories` are no columns.
        Unsupported: more than RECORDS records or VARIABLES variables.
    """
    original, masked = pair(original, masked)
    variables = original.shape[1]
    if not 0 <= tolerance <= 100:
        raise UsageError("the tolerance is a percentage between 0 and 100")
    if not set(categories) <= set(range(variables)):
        raise UsageError(f"categories are columns of 0..{variables - 1}")
    pairs = _pairs(original, masked, categories, tolerance)
    found = estimate(pairs.counts(), _prevalence(len(original)))
    (credit,) = _credits(pairs, [found])
    return ProbabilisticLinkage(credit, found.m, found.u, found.steps, found.converged)


def probabilistic_prefix_credits(original: Floats, masked: Floats) -> Iterator[Floats]:
    """float64[n] each: the credits of an attacker who knows the first 1, 2, …, p variables, all of them numbers."""
    pairs = _pairs(original, masked, (), TOLERANCE)
    counts = pairs.counts()
    variables = original.shape[1]
    # The patterns of the first h variables are the lowest h bits; the other bits are summed over.
    prefixes = [counts.reshape(-1, 1 << known).sum(axis=0) for known in range(1, variables + 1)]
    yield from _credits(pairs, [estimate(prefix, _prevalence(len(original))) for prefix in prefixes])


def _pairs(original: Floats, masked: Floats, categories: Collection[int], tolerance: float) -> Closeness:
    records, variables = original.shape
    if records > RECORDS:
        raise Unsupported(
            f"probabilistic linkage compares all pairs, of at most {RECORDS:,} records; the tables have {records:,}. "
            "Link a part of the records and say so (the fewer there are, the easier each is found), or use a distance"
        )
    if variables > VARIABLES:
        raise Unsupported(
            f"probabilistic linkage weighs all patterns of at most {VARIABLES} variables; {variables} are known"
        )
    return agreement(original, masked, categories, tolerance)


def _prevalence(records: int) -> float:
    """The share of true pairs, n of n²; of a single record's pair nothing is to be estimated."""
    return 1 / max(records, 2)


def _credits(pairs: Closeness, estimates: list[LinkageEstimate]) -> list[Floats]:
    """float64[n] for each estimate, of the first h variables: each original record's credit."""
    records = len(pairs.original[0])
    credits_ = [np.zeros(records) for _ in estimates]
    orders = [found.order for found in estimates]
    orders = [order.astype(np.min_scalar_type(len(order))) for order in orders]
    for own, patterns in pairs.blocks():
        for credit, order in zip(credits_, orders, strict=True):
            places = order[patterns & (len(order) - 1)]
            highest = places.max(axis=1)
            linked = np.flatnonzero(places[np.arange(len(own)), own] == highest)
            credit[own[linked]] = 1 / np.count_nonzero(places[linked] == highest[linked, None], axis=1)
    return credits_
