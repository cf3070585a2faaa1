"""The risk of re-identification by record linkage, over what an attacker may know and the methods he may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auditor.errors import UsageError, nearest
from auditor.risk._input import Floats, pair
from auditor.risk.distance_linkage import METRICS, prefix_credits
from auditor.risk.probabilistic_linkage import probabilistic_prefix_credits

METHODS: tuple[str, ...] = (*METRICS, "probabilistic")
"""What linkage may be by: a distance, or the agreement of ranks."""
USUAL: tuple[str, ...] = ("euclidean", "mahalanobis", "polynomial-kernel")
"""Methods that differ, for any number of records; the Gaussian kernel links as the Euclidean distance does."""


@dataclass(frozen=True, eq=False)
class MethodRisk:
    """One method of linkage: `rates` is float64[h], the share of records re-identified knowing 1, …, h variables."""

    method: str
    rates: Floats

    @property
    def percent(self) -> float:
        """The mean over what may be known, in percent (0 to 100)."""
        return 100 * float(self.rates.mean())


@dataclass(frozen=True, eq=False)
class LinkageRisk:
    """What each method of linkage comes to; `known` are the columns in the order in which they become known."""

    known: tuple[int, ...]
    methods: tuple[MethodRisk, ...]

    @property
    def worst(self) -> MethodRisk:
        """The method of the highest risk, the first of those where several are equal."""
        return max(self.methods, key=lambda method: method.percent)

    @property
    def percent(self) -> float:
        """RD: the highest mean over the methods, 0 (no record is re-identified) to 100 (all are)."""
        return self.worst.percent


def known_first(variables: int) -> tuple[int, ...]:
    """What is known by default: the first (p + 1)/2 of p variables, rounded down; of one or two, the first."""
    return tuple(range((variables + 1) // 2))


def linkage_risk(
    original: Floats,
    masked: Floats,
    known: Sequence[int] | None = None,
    methods: Sequence[str] = USUAL,
) -> LinkageRisk:
    """Find RD: the highest, over methods of linkage, of the mean re-identification rate over what may be known.

    `original` and `masked` are float64[n, p], row i of both the same record. `known` are the columns that an attacker
    may know; he knows the first, the first two, … and at last all of them. By default they are the first half of the
    variables, (p + 1)/2 rounded down: 7 of 13. `methods` are any of METHODS, each with its defaults.

    Raises:
        DataError: the tables do not fit each other.
        UsageError: no column or method, an unknown method, or columns that the tables do not have, or twice.
        Unsupported: probabilistic linkage of too many records or variables.
    """
    original, masked = pair(original, masked)
    variables = original.shape[1]
    columns = known_first(variables) if known is None else tuple(known)
    if not columns or len(set(columns)) < len(columns) or not set(columns) <= set(range(variables)):
        raise UsageError(f"known variables are distinct columns of 0..{variables - 1}, at least one")
    if not methods:
        raise UsageError("name at least one method of linkage")
    for method in methods:
        if method not in METHODS:
            raise UsageError(f"no linkage is by {method!r}{nearest(method, METHODS)}; it is by {', '.join(METHODS)}")
    a, b = original[:, columns], masked[:, columns]
    return LinkageRisk(columns, tuple(MethodRisk(method, _rates(a, b, method)) for method in methods))


def _rates(original: Floats, masked: Floats, method: str) -> Floats:
    if method == "probabilistic":
        found = probabilistic_prefix_credits(original, masked)
    else:
        found = prefix_credits(original, masked, method)
    return np.array([credit.mean() for credit in found])
