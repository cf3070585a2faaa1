"""Before and after, variable by variable: what a report draws of an original and a masked table.

These are figures of the data, the original's among them: bins end at the smallest and largest value, and a quantile of
a small table is a person's value. They are for whoever may see the data; a public report shows the losses alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from auditor.errors import DataError, UsageError
from auditor.microdata import Categorical, Microdata, Numeric
from auditor.utility._categories import align
from auditor.utility._numbers import Floats, refuse_infinite
from auditor.utility._pairs import pairs

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
Matrix: TypeAlias = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class NumericSide:
    """A variable of numbers in one table: of the values present, and how many are not; None where none is.

    `deviation` has the divisor n; `quantiles` are those of `QUANTILES`, interpolated linearly; `counts` are per bin.
    """

    records: int
    missing: int
    mean: float | None
    deviation: float | None
    quantiles: tuple[float, ...] | None
    counts: tuple[int, ...]


@dataclass(frozen=True)
class NumericChange:
    """A variable of numbers before and after; bins of equal width, the same for both, each without its upper edge.

    The last bin has both edges. There are no edges where neither table has a value.
    """

    name: str
    edges: tuple[float, ...]
    before: NumericSide
    after: NumericSide


@dataclass(frozen=True)
class CategoricalChange:
    """A variable of categories before and after: the records per label, the original's labels first, and without."""

    name: str
    labels: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    missing_before: int
    missing_after: int


@dataclass(frozen=True)
class CorrelationChange:
    """The correlations of the variables of numbers before and after, and after − before; rows and columns are `names`.

    Of the records that have both values; 0 for a constant variable, and for a pair that no record has.
    """

    names: tuple[str, ...]
    before: Matrix
    after: Matrix
    change: Matrix


@dataclass(frozen=True)
class Description:
    """All variables of the original, in its order, and the correlations; None with fewer than two of numbers."""

    variables: tuple[NumericChange | CategoricalChange, ...]
    correlations: CorrelationChange | None


def describe(original: Microdata, masked: Microdata, bins: int = 20) -> Description:
    """Summaries of both tables side by side; the records need not be the same, nor as many.

    Raises:
        DataError: the masked table lacks a variable or holds it as the other kind, or an infinite value.
        UsageError: fewer than 1 bin.
    """
    if bins < 1:
        raise UsageError(f"{bins} bins were asked for; a histogram has at least 1")
    changes = tuple(_change(variable, masked[variable.name], bins) for variable in original.variables)
    numbers = [variable.name for variable in original.variables if isinstance(variable, Numeric)]
    return Description(changes, _correlations(original, masked, numbers) if len(numbers) > 1 else None)


def _change(
    before: Numeric | Categorical, after: Numeric | Categorical, bins: int
) -> NumericChange | CategoricalChange:
    if isinstance(before, Numeric) and isinstance(after, Numeric):
        return _numeric(before, after, bins)
    if isinstance(before, Categorical) and isinstance(after, Categorical):
        pair = align(before, after)
        size = pair.missing + 1
        (*first, lost), (*second, gone) = (
            np.bincount(side, minlength=size).tolist() for side in (pair.before, pair.after)
        )
        return CategoricalChange(before.name, pair.labels, tuple(first), tuple(second), lost, gone)
    raise DataError(f"column {before.name!r} holds numbers in one table and categories in the other")


def _numeric(before: Numeric, after: Numeric, bins: int) -> NumericChange:
    for side in (before, after):
        refuse_infinite((side.name,), side.values[:, None])
    first, second = (side.values[~side.missing] for side in (before, after))
    both = np.concatenate([first, second])
    edges = _edges(both, bins) if len(both) else np.empty(0)
    return NumericChange(
        before.name,
        tuple(edges.tolist()),
        _side(first, len(before.values), edges),
        _side(second, len(after.values), edges),
    )


def _edges(values: Floats, bins: int) -> Floats:
    """float64[bins + 1] from the smallest to the largest value; of a single one, half a unit to either side."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 0.5, high + 0.5
    # The distance of the largest floats is none itself, but that of their halves is.
    unit = 1.0 if np.isfinite(high - low) else 2.0
    return np.asarray(unit * np.linspace(low / unit, high / unit, bins + 1), np.float64)


def _side(known: Floats, records: int, edges: Floats) -> NumericSide:
    counts = tuple(np.histogram(known, edges)[0].tolist()) if len(edges) else ()
    if not len(known):
        return NumericSide(records, records, None, None, None, counts)
    quantiles = tuple(np.quantile(known, QUANTILES).tolist())
    return NumericSide(records, records - len(known), float(known.mean()), float(known.std()), quantiles, counts)


def _correlations(original: Microdata, masked: Microdata, names: list[str]) -> CorrelationChange:
    before, after = (pairs(table.numbers(names)).correlation for table in (original, masked))
    return CorrelationChange(tuple(names), _plain(before), _plain(after), _plain(after - before))


def _plain(matrix: Floats) -> Matrix:
    return tuple(tuple(row) for row in matrix.tolist())
