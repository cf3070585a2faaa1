"""Records as points: the distances that microaggregation works with.

A number is a coordinate, standardised; an ordered category is one too, its code divided by the range of the codes; a
nominal category is a code that is either the same (0) or not (1). The squared distance of two records is the sum of
the squares over their variables, and each variable has its own kind of centre: mean, median or mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError
from auditor.microdata import Categorical, Numeric, Variable


@dataclass(frozen=True, eq=False)
class Space:
    """n records as `points` (float64[n, p]) with nominal `codes` (int32[n, m]), from 0.

    `ordered` names the columns of `points` that hold ordered categories, so that their centre is a median.
    """

    points: NDArray[np.float64]
    codes: NDArray[np.int32]
    ordered: tuple[int, ...] = ()

    @property
    def records(self) -> int:
        """How many records there are: n."""
        return len(self.points)

    def record(self, row: int) -> SpacePoint:
        """Where one record lies."""
        return SpacePoint(self.points[row], self.codes[row])


@dataclass(frozen=True, eq=False)
class SpacePoint:
    """A place in a space: a `point` (float64[p]) and its nominal `codes` (int32[m])."""

    point: NDArray[np.float64]
    codes: NDArray[np.int32]


def squared_distances(points: NDArray[np.float64], codes: NDArray[np.int32], place: SpacePoint) -> NDArray[np.float64]:
    """float64[n]: the squared distance of some records (float64[n, p], int32[n, m]) from a place.

    Each is computed from its own record alone, so a record has the same distance whichever others are asked for.
    """
    squares: NDArray[np.float64] = np.square(points - place.point).sum(axis=1)
    return squares + np.count_nonzero(codes != place.codes, axis=1) if codes.shape[1] else squares


def points_alone(points: NDArray[np.float64]) -> Space:
    """The space of float64[n, p] points without categories."""
    return Space(np.ascontiguousarray(points, dtype=np.float64), np.empty((len(points), 0), np.int32))


def space_of(variables: Sequence[Variable]) -> Space:
    """The space that some variables span; DataError where one has a missing value."""
    for variable in variables:
        refuse_missing(variable)
    nominal = [each.codes for each in variables if isinstance(each, Categorical) and not each.ordered]
    axes = [each for each in variables if isinstance(each, Numeric) or each.ordered]
    records = len(variables[0].missing)
    return Space(
        np.column_stack([_coordinates(axis) for axis in axes]) if axes else np.empty((records, 0)),
        np.column_stack(nominal) if nominal else np.empty((records, 0), np.int32),
        tuple(column for column, axis in enumerate(axes) if isinstance(axis, Categorical)),
    )


def standardised(variable: Numeric) -> NDArray[np.float64]:
    """float64[n]: (x − mean) / standard deviation (divisor n), and 0 everywhere where all values are the same."""
    refuse_missing(variable)
    values = variable.values
    if not len(values) or values.min() == values.max():
        return np.zeros(len(values))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        centred = values - values.mean()
        scores: NDArray[np.float64] = centred / np.sqrt(np.square(centred).mean())
    if not np.isfinite(scores).all() or not scores.any():
        raise DataError(f"column {variable.name!r} cannot be standardised: its values are too large or too close")
    return scores


def _coordinates(variable: Variable) -> NDArray[np.float64]:
    if isinstance(variable, Numeric):
        return standardised(variable)
    codes = variable.codes.astype(np.float64)
    width = float(codes.max() - codes.min()) if len(codes) else 0.0
    return codes / width if width else np.zeros(len(codes))


def refuse_missing(variable: Variable) -> None:
    """DataError where a variable has a missing value."""
    if variable.missing.any():
        raise DataError(
            f"column {variable.name!r} has missing values, and a record without a value has no distance; "
            "impute them, or leave out the column or those records"
        )
