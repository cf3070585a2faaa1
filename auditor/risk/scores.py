"""The disclosure risk of a masked table as one figure, and beside its information loss as another: DR and Score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditor.risk._input import Floats
from auditor.risk.interval_disclosure import WIDTHS, IntervalDisclosure, interval_disclosure
from auditor.risk.linkage_risk import USUAL, LinkageRisk, linkage_risk


def dr(interval: float, linkage: float) -> float:
    """DR = (ID + RD)/2, of two figures in percent."""
    return (interval + linkage) / 2


def score(loss: float, risk: float) -> float:
    """Score = (IL + DR)/2, of two figures in percent: what a masking costs and what it leaves to find; lower is better.

    Source: as `disclosure_risk`; IL is there the average probabilistic information loss.
    """
    return (loss + risk) / 2


@dataclass(frozen=True, eq=False)
class DisclosureRisk:
    """Both halves of DR = (ID + RD)/2: that values are disclosed, and that records are re-identified."""

    interval: IntervalDisclosure
    linkage: LinkageRisk

    @property
    def percent(self) -> float:
        """DR, 0 (nothing is disclosed) to 100 (the original table)."""
        return dr(self.interval.percent, self.linkage.percent)


def disclosure_risk(
    original: Floats,
    masked: Floats,
    *,
    known: Sequence[int] | None = None,
    methods: Sequence[str] = USUAL,
    widths: Sequence[float] = WIDTHS,
) -> DisclosureRisk:
    """Find DR = (ID + RD)/2 of a masked table, in percent.

    `original` and `masked` are float64[n, p], row i of both the same record. ID is the rank-based `interval_disclosure`
    at `widths`, RD the `linkage_risk` of an attacker who knows some of `known`, by the worst of `methods`.

    Source: V. Torra, "Privacy in data mining", Data Mining and Knowledge Discovery Handbook, 2nd ed., 2010, table 35.1.

    Raises:
        DataError: the tables do not fit each other.
        UsageError: `known`, `methods` or `widths` cannot be meant.
        Unsupported: probabilistic linkage of too many records or variables.
    """
    interval = interval_disclosure(original, masked, widths=widths)
    return DisclosureRisk(interval, linkage_risk(original, masked, known, methods))
