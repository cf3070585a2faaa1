"""What each level of a frame's rows and columns holds: values of a column, names of statistics, or names of columns.

Whatever pandas makes of a data frame (`crosstab`, `pivot_table`, `groupby().agg()`, `describe()`, stacked, unstacked or
turned round) has its numbers under these three, in this or that place::

    ,cost,age        zip,mean,max        ,count,mean        zip,sex,cost        zip,,0
    mean,3,36        a,3.5,7             cost,6,3.1         a,F,4.375           a,mean,3.5
    max,7,45         b,2.7,4             age,6,34.2         a,M,2               a,max,7

A level with a name holds the values of the column of that name. One without is read by its labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from auditor.errors import DataError
from auditor.outputs.readers._frame import Frame
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._numbers import stated
from auditor.outputs.readers._statistic_names import is_quantile, row_statistic, statistic


class Axis(Enum):
    """What the labels of a level are."""

    VALUES = auto()
    STATISTICS = auto()
    COLUMNS = auto()


@dataclass(frozen=True)
class Axes:
    """The levels of a frame's rows and columns; `columns` is empty where each heading has to be read by itself."""

    rows: tuple[Axis, ...]
    columns: tuple[Axis, ...]


def axes(found: Frame, hints: Hints) -> tuple[Frame, Axes]:
    """The levels of a frame, and the frame with the names of columns that the user gives for those that have none.

    Raises:
        DataError: the user names more columns, or fewer, than the table is by, or others.
    """
    rows = tuple(_of_rows(found, place, hints) for place in range(len(found.names)))
    open_rows = [i for i, axis in enumerate(rows) if axis is Axis.VALUES and found.names[i] not in hints.by]
    left = [name for name in hints.by if name not in (*found.names, *found.levels)]
    columns = _of_columns(found, hints, claimed=len(left) - len(open_rows))
    open_levels = [i for i, axis in enumerate(columns) if axis is Axis.VALUES and found.levels[i] not in hints.by]
    if hints.by:
        if len(left) != len(open_rows) + len(open_levels):
            raise _miscounted(found, rows, columns, hints)
        if not hints.columns.isdisjoint([found.names[i] for i in open_rows] + [found.levels[i] for i in open_levels]):
            raise DataError(
                f"{found.table.file.name}: names a known column that it is by, and that --by does not; add it"
            )
        names = _with(found.names, dict(zip(open_rows, left, strict=False)))
        levels = _with(found.levels, dict(zip(open_levels, left[len(open_rows) :], strict=True)))
        found = replace(found, names=names, levels=levels)
    return found, Axes(rows, columns)


def _with(names: Sequence[str], said: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(said.get(at, name) for at, name in enumerate(names))


def _of_rows(found: Frame, place: int, hints: Hints) -> Axis:
    labels = {key[place] for _, key, _ in found.rows}
    if found.names[place]:
        return Axis.VALUES
    if not labels <= hints.columns and all(row_statistic(label) is not None for label in labels):
        told = any(all(statistic(label) for label in level) for level in zip(*found.labels, strict=True))
        return Axis.VALUES if told and all(map(is_quantile, labels)) else Axis.STATISTICS
    unsaid = not hints.by or set(hints.by) <= {*found.names, *found.levels}
    return Axis.COLUMNS if unsaid and labels & hints.columns else Axis.VALUES


def _of_columns(found: Frame, hints: Hints, *, claimed: int) -> tuple[Axis, ...]:
    """Of each level of the columns, where there are several; of a single one, where it has a name or gets one."""
    labels = [{label[level] for label in found.labels} for level in range(len(found.levels))]
    free = [level for level, name in enumerate(found.levels) if not name or name not in {*hints.by, *hints.columns}]
    told = [level for level in free if all(statistic(label) is not None for label in labels[level])]
    if len(labels) == 1:
        return (Axis.VALUES,) if claimed > 0 or (found.levels[0] and not told) else ()
    at = told[-1] if told and told[-1] == len(labels) - 1 else next(iter(told), None)
    return tuple(
        Axis.STATISTICS
        if level == at
        else Axis.COLUMNS
        if not found.levels[level] and _are_columns(labels[level], hints, beside=at is not None)
        else Axis.VALUES
        for level in range(len(labels))
    )


def _are_columns(labels: set[str], hints: Hints, *, beside: bool) -> bool:
    """Whether labels are names of columns: of known ones or, beside statistics, no numbers."""
    return bool(labels & hints.columns) or (beside and not all(stated(label) for label in labels))


def _miscounted(found: Frame, rows: Sequence[Axis], columns: Sequence[Axis], hints: Hints) -> DataError:
    return DataError(
        f"{found.table.file.name}: a table by {rows.count(Axis.VALUES)} columns in its rows and "
        f"{columns.count(Axis.VALUES)} in its headings, and --by names {len(hints.by)}; name each in this "
        "order, those that have a name by it"
    )
