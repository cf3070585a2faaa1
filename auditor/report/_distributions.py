"""Masked columns before and after, as the public may see them: no small count, and none that a difference tells.

What is hidden of a column is hidden whole: the counts of the bins make up the table. All others are rounded, so that
how many values a masking moved from one bin to the next, or took away, is no small number either.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.result.masking import ColumnDistribution, Masking, MaskingResult

COUNTS = ("before", "after", "missing_before", "missing_after")


def hidden(masking: Masking, hidden: AbstractSet[str], k: int) -> set[str]:
    """The paths of the round numbers between bins, and of the counts where one is small, or few values changed."""
    few = {each.name for i, each in enumerate(masking.columns) if f"masking/columns/{i}/changed" in hidden}
    found = set()
    for i, each in enumerate(masking.distributions):
        here = f"masking/distributions/{i}"
        if each.edges is not None:
            found.add(f"{here}/edges")
        if each.name in few or any(0 < count < k for count in _counts(each)):
            found |= {f"{here}/{name}" for name in COUNTS}
    return found


def rounded(result: MaskingResult, k: int) -> MaskingResult:
    """The document with multiples of k in the place of counts."""
    if result.masking is None:
        return result
    found = tuple(_rounded(each, k) for each in result.masking.distributions)
    return replace(result, masking=replace(result.masking, distributions=found))


def _counts(column: ColumnDistribution) -> tuple[int, ...]:
    return (*column.before, *column.after, column.missing_before, column.missing_after)


def _rounded(column: ColumnDistribution, k: int) -> ColumnDistribution:
    return replace(
        column,
        before=tuple(k * round(count / k) for count in column.before),
        after=tuple(k * round(count / k) for count in column.after),
        missing_before=k * round(column.missing_before / k),
        missing_after=k * round(column.missing_after / k),
    )
