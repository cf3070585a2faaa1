"""What a method does to each attribute and to the correlations, for the report."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.microdata import Microdata
from auditor.result.tradeoff import AttributeChange
from auditor.utility import NumericChange, NumericSide, describe


def changes(
    before: Microdata, after: Microdata, columns: Sequence[str]
) -> tuple[tuple[AttributeChange, ...], tuple[tuple[float, ...], ...]]:
    """Each column's histogram before and after, over the same bins, and by how much each correlation changes.

    A histogram holds shares of the records. Correlations are after less before, column by column; one with a constant
    column counts as 0, and so does the only one of a single column with itself.
    """
    found = describe(before.only(columns), after.only(columns))
    histograms = tuple(
        AttributeChange(name=each.name, edges=each.edges, before=_shares(each.before), after=_shares(each.after))
        for each in found.variables
        if isinstance(each, NumericChange)
    )
    return histograms, found.correlations.change if found.correlations else ((0.0,),)


def _shares(side: NumericSide) -> tuple[float, ...]:
    return tuple(count / side.records for count in side.counts)
