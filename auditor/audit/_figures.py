"""The figures of the whole table: class sizes, re-identification risk, dimensionality."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from auditor.audit._sizes import Sizes
from auditor.engines import Counted
from auditor.result import ClassSummary, Dimensionality, DimensionStep, Risk, RiskAtK, SizeBin

CURVE = (2, 3, 5, 10, 11, 20, 50, 100)
"""The k for which the report shows how many records stand in smaller classes."""
DEFAULT_K = 5
"""The k of the dimensionality check and of the class-size picture where the policy demands none."""


def class_summary(
    sizes: Sizes, quasi_identifiers: tuple[str, ...], k: int, required: int | None, blank: tuple[str, ...] | None
) -> ClassSummary | None:
    """Count, smallest, largest and average |E|, unique records, sizes binned at k, and records at risk for each k.

    Bins are cut at the size that is `required` of these classes, too.
    """
    if not sizes.found:
        return None
    return ClassSummary(
        count=sizes.classes,
        smallest=min(sizes.found),
        largest=max(sizes.found),
        average=sum(size * count for size, (count, _) in sizes.found.items()) / sizes.classes,
        sample_uniques=sizes.found.get(1, (0, 0))[1],
        quasi_identifiers=quasi_identifiers,
        blank_columns=blank,
        required=required,
        sizes=tuple(_size_bins(sizes, {k, required or k})),
        risk_curve=tuple(_risk_at(sizes, bound) for bound in sorted({*CURVE, k})),
    )


def risk(sizes: Sizes, threshold: float) -> Risk | None:
    """Prosecutor, marketer and share at risk (El Emam 2013); the threshold is compared exactly."""
    if not sizes.found:
        return None
    records = sizes.records
    bound = Fraction(repr(threshold))
    at_risk = sum(rows for size, (_, rows) in sizes.found.items() if Fraction(1, size) > bound)
    return Risk(
        prosecutor_highest=1 / min(sizes.found),
        marketer=float(sum(Fraction(rows, size) for size, (_, rows) in sizes.found.items()) / records),
        share_at_risk=at_risk / records,
        threshold=threshold,
    )


def dimensionality(sizes: Sizes, counted: Counted, k: int) -> Dimensionality | None:
    """What each further quasi-identifier does to uniqueness (Aggarwal 20.3.4), fewest distinct values first."""
    if not sizes.prefixes:
        return None
    records = counted.records
    steps = []
    for attribute, found in sizes.prefixes:
        unique, below = found.below(2), found.below(k)
        steps.append(
            DimensionStep(
                attribute=attribute,
                distinct_values=counted.cardinality(attribute),
                classes=found.classes,
                unique_records=unique,
                unique_share=unique / records,
                below_k=below,
                below_k_share=below / records,
            )
        )
    return Dimensionality(k=k, steps=tuple(steps))


def _size_bins(sizes: Sizes, bounds: set[int]) -> Iterable[SizeBin]:
    edges = sorted({1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000, *bounds})
    largest = max(sizes.found)
    edges = [edge for edge in edges if edge <= max(largest, *bounds)]
    for low, following in zip(edges, [*edges[1:], None], strict=True):
        inside = [
            found for size, found in sizes.found.items() if size >= low and (following is None or size < following)
        ]
        yield SizeBin(
            low=low,
            high=None if following is None else following - 1,
            classes=sum(classes for classes, _ in inside),
            records=sum(records for _, records in inside),
        )


def _risk_at(sizes: Sizes, k: int) -> RiskAtK:
    below = sizes.below(k)
    return RiskAtK(k=k, records_below=below, share_below=below / sizes.records)
