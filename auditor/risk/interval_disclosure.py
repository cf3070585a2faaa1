"""Interval disclosure: how often the original value lies near the masked one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from auditor.errors import UsageError
from auditor.risk._input import Floats, pair

WIDTHS = tuple(range(1, 11))
"""The usual widths, 1 to 10 percent."""
FINEST = 1_000_000
"""Widths are read as fractions of at most this denominator, so that ranks are whole numbers exactly."""


@dataclass(frozen=True, eq=False)
class IntervalDisclosure:
    """Percentages of records, 0 (no original value lies in its interval) to 100 (all do).

    `shares` is float64[w, p], a percentage for each of the `widths` and each variable.
    """

    widths: tuple[float, ...]
    shares: Floats

    @property
    def by_width(self) -> Floats:
        """float64[w]: the mean over the variables."""
        return np.asarray(self.shares.mean(axis=1))

    @property
    def by_variable(self) -> Floats:
        """float64[p]: the mean over the widths."""
        return np.asarray(self.shares.mean(axis=0))

    @property
    def percent(self) -> float:
        """The mean over all widths and variables: ID."""
        return float(self.shares.mean())


def interval_disclosure(
    original: Floats, masked: Floats, *, widths: Sequence[float] = WIDTHS, by: Literal["rank", "deviation"] = "rank"
) -> IntervalDisclosure:
    """Find the percentage of records whose original value lies in an interval around the masked value.

    `original` and `masked` are float64[n, p], row i of both the same record. The interval of a masked value x' at the
    width of p percent is closed, and compared without a tolerance:

    - by rank: with r the rank of x' among the m masked values of the variable that are not missing (1..m; equal values
      have the mean of their ranks), from the masked value of rank ⌈r − pm/100⌉ to that of rank ⌊r + pm/100⌋, both
      clipped to 1..m. A constant masked variable discloses its value wherever it was the original one;
    - by deviation: x' ± p/100 · sd, with the standard deviation (divisor n) of the *original* variable, so that
      spreading the masked values does not narrow the yardstick.

    Shares are of the records whose original value is not missing; a missing masked value discloses nothing, and so does
    a variable without any original value (0).

    Published as ID in J. Domingo-Ferrer, V. Torra, "A quantitative comparison of disclosure control methods for
    microdata", 2001; the exact ranks are those that fit the published figures.

    Raises:
        DataError: the tables do not fit each other.
        UsageError: there is no width, or one is not within 0..100.
    """
    original, masked = pair(original, masked)
    if not widths or not all(0 <= width <= 100 for width in widths):
        raise UsageError("widths are percentages between 0 and 100, at least one")
    if by not in ("rank", "deviation"):
        raise UsageError(f"intervals are by 'rank' or by 'deviation', not by {by!r}")
    disclosed = _by_rank if by == "rank" else _by_deviation
    columns = zip(original.T, masked.T, strict=True)
    return IntervalDisclosure(tuple(widths), np.column_stack([disclosed(x, y, widths) for x, y in columns]))


def _by_rank(original: Floats, masked: Floats, widths: Sequence[float]) -> Floats:
    """float64[w] of one variable; ranks are doubled, because the mean of tied ranks may be a half."""
    values, shown, present = _both(original, masked)
    ordered = np.sort(masked[~np.isnan(masked)])
    count = len(ordered)
    doubled = np.searchsorted(ordered, shown) + np.searchsorted(ordered, shown, side="right") + 1
    shares = []
    for width in widths:
        share = Fraction(str(width)).limit_denominator(FINEST)
        whole, half = 100 * share.denominator, 2 * share.numerator * count
        low = -((half - doubled * whole) // (2 * whole))
        high = (doubled * whole + half) // (2 * whole)
        least, most = ordered[np.maximum(low, 1) - 1], ordered[np.minimum(high, count) - 1]
        shares.append(_percent((least <= values) & (values <= most), present))
    return np.array(shares)


def _by_deviation(original: Floats, masked: Floats, widths: Sequence[float]) -> Floats:
    """float64[w] of one variable."""
    values, shown, present = _both(original, masked)
    deviation = np.std(original[~np.isnan(original)]) if present else 0.0
    return np.array([_percent(np.abs(values - shown) <= width / 100 * deviation, present) for width in widths])


def _both(original: Floats, masked: Floats) -> tuple[Floats, Floats, int]:
    """The original and masked values of the records that have both, and how many have an original one."""
    there = ~np.isnan(original)
    both = there & ~np.isnan(masked)
    return original[both], masked[both], int(there.sum())


def _percent(inside: np.ndarray[tuple[int], np.dtype[np.bool_]], present: int) -> float:
    return 100 * float(inside.sum()) / present if present else 0.0
