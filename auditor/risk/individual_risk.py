"""Individual risk: how probable it is that a record of a sample is re-identified by its keys.

Of the F persons of the population with a record's keys, f are in the sample. F is not known; given f it is taken to be
negative binomial with success probability p = f / F̂, F̂ the sum of the weights of the f records, and the risk is the
mean of 1/F (Benedetti and Franconi 1998; Franconi and Polettini 2004). With x = 1 − p:

    f = 1:  r = (p/x) ln(1/p)
    f = 2:  r = p/x − (p/x)² ln(1/p)
    f > 2:  r = p / (f − x), an approximation from above of the mean, which is p^f/f · ₂F₁(f, f; f+1; x)

and r = 1/f where F̂ = f. A missing key agrees with every value: records that agree count for each other, in f and in F̂.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError, UsageError
from auditor.microdata import MISSING, Microdata
from auditor.risk._compatible import agreeing
from auditor.risk._keys import Reals, key_codes, per_record

_SERIES_BELOW = 0.1
_TERMS = 20
"""Terms of the series of f = 2 below x = 0.1: the next is 0.1²⁰/462, far below the rounding of the first."""


@dataclass(frozen=True, eq=False)
class IndividualRisk:
    """The risk of every record of a sample, from 0 to 1, and the totals.

    Attributes:
        frequencies: float64[n], f: the records of the sample that agree with each record, itself included.
        population: float64[n], F̂: their weights added up; f where there are no weights.
        risks: float64[n], r.
        household_risks: float64[n], 1 − Π(1 − r) over the record's household; None where there are no households.
        raised: how many records had F̂ below f, and were taken to have F̂ = f.
    """

    frequencies: Reals
    population: Reals
    risks: Reals
    household_risks: Reals | None
    raised: int

    @property
    def expected(self) -> float:
        """The expected number of re-identifications: the risks added up."""
        return float(self.risks.sum())

    @property
    def percent(self) -> float:
        """The expected re-identifications as a percentage of the records: 100 · mean of the risks."""
        return 100 * float(self.risks.mean())

    def threshold(self, rate: float) -> float:
        """The largest risk t such that the mean of min(r, t) is at most `rate`: records above t need protection.

        It is the largest risk itself where the mean of the risks is at most `rate`, so that no record is above it.
        (The μ-ARGUS manual 4.1, section 2.3.4.1: protected records keep a risk of at most the threshold.)

        Args:
            rate: the wanted share of re-identifications, above 0.

        Raises:
            UsageError: the rate is not above 0.
        """
        if not rate > 0:
            raise UsageError("a wanted rate of re-identifications is above 0")
        risks = np.sort(self.risks)
        n = len(risks)
        below = np.concatenate(([0.0], np.cumsum(risks)[:-1]))
        # With t at the i-th smallest risk, those below it count in full and the n − i others count t each.
        fits = np.flatnonzero((below + risks * (n - np.arange(n))) / n <= rate)
        last = -1 if not len(fits) else int(fits[-1])
        if last == n - 1:
            return float(risks[-1])
        # Between two neighbouring risks the mean is linear in t.
        return float((rate * n - below[last + 1]) / (n - last - 1))


def individual_risks(
    keys: NDArray[np.integer] | Microdata,
    weights: Reals | None = None,
    households: NDArray[np.integer] | None = None,
) -> IndividualRisk:
    """The individual risk of every record.

    Args:
        keys: int[n, d] codes (−1 is missing), or a table of categories.
        weights: float64[n], above 0: how many persons of the population a record stands for. None: the table is the
            whole population, and the risk is 1/f.
        households: int[n], equal for the members of one household; −1 is a household of its own.

    F̂ is never taken to be below f, since the population holds its sample: `raised` counts where that was done.

    Raises:
        DataError: there is no record, or a weight is missing, infinite or not above 0.
        UsageError: an argument is of another length or kind.
    """
    codes = key_codes(keys)
    n = len(codes)
    given = np.ones(n) if weights is None else per_record(weights, n, "weights")
    if not np.all(given > 0):
        raise DataError("weights: one is not above 0; a weight is the number of persons that a record stands for")
    frequencies, population = agreeing(codes, codes, np.stack((np.ones(n), given), axis=1)).T
    raised = int(np.count_nonzero(population < frequencies))
    population = np.maximum(population, frequencies)
    risks = negative_binomial_risk(frequencies, population)
    shared = None if households is None else household_risk(risks, households)
    return IndividualRisk(frequencies.copy(), population, risks, shared, raised)


def negative_binomial_risk(frequencies: Reals, population: Reals) -> Reals:
    """float64[n]: the risk from f ≥ 1 and F̂ ≥ f, by the formulas at the top of this file; accurate for any p."""
    f, p = frequencies, frequencies / population
    x = (population - frequencies) / population
    risks: Reals = 1 / f
    sampled = x > 0
    one, two, more = (f == 1) & sampled, (f == 2) & sampled, (f > 2) & sampled
    risks[more] = p[more] / (f[more] - x[more])
    risks[one] = p[one] * _log_ratio(p[one], x[one])
    risks[two] = _risk_of_two(p[two], x[two])
    return risks


def _log_ratio(p: Reals, x: Reals) -> Reals:
    """ln(1/p)/x with x = 1 − p > 0: by the logarithm of whichever of the two is small."""
    small = x < 0.5
    # The argument of the logarithm that is not taken is replaced, so that none is of 0.
    return np.where(small, -np.log1p(-np.where(small, x, 0.0)), -np.log(p)) / x


def _risk_of_two(p: Reals, x: Reals) -> Reals:
    """p/x − (p/x)² ln(1/p) = p · Σ_{k≥1} x^(k−1)/(k(k+1)); the difference cancels where x is small."""
    k = np.arange(_TERMS, 0, -1)
    series = p * np.polyval(1 / (k * (k + 1)), np.minimum(x, _SERIES_BELOW))
    return np.where(x < _SERIES_BELOW, series, p / x * (1 - p * _log_ratio(p, x)))


def household_risk(risks: Reals, households: NDArray[np.integer]) -> Reals:
    """float64[n]: 1 − Π(1 − r) over the members of the record's household, for each member.

    Args:
        risks: float64[n], from 0 to 1.
        households: int[n], equal for the members of one household; −1 is a household of its own.

    Raises:
        UsageError: there is not one household for each record.
    """
    given = np.asarray(households)
    if given.shape != risks.shape or not np.issubdtype(given.dtype, np.integer):
        raise UsageError(f"households: there must be one integer for each of the {len(risks)} records")
    _, where = np.unique(given, return_inverse=True)
    alone = given == MISSING
    where = np.where(alone, np.arange(len(given)) + len(given), where)
    _, where = np.unique(where, return_inverse=True)
    certain = risks >= 1
    safe = np.bincount(where, np.log1p(-np.where(certain, 0.0, risks)))
    surely = np.bincount(where, certain) > 0
    return np.where(surely, 1.0, -np.expm1(safe))[where]
