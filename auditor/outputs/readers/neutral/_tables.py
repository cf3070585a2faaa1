"""Tables of counts and of sums, and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.interval import Interval
from auditor.outputs.published.conditions import EVERYBODY
from auditor.outputs.published.outputs import (
    Cell,
    FrequencyTable,
    GroupStatistics,
    MagnitudeTable,
    Stated,
    Statistic,
)
from auditor.outputs.readers._items import Columns
from auditor.outputs.readers._json import Value
from auditor.outputs.readers._numbers import written
from auditor.outputs.readers.neutral._parts import given, group, keyed, optional, pairs


def table(found: Mapping[str, Value], columns: Columns, base: dict[str, Any]) -> FrequencyTable:
    """A table of counts; of sums, where it says of which column."""
    by = found["by"].each(Value.text)
    sums = "of" in found

    def cell(value: Value) -> Cell:
        key = keyed(value, ("key", "sum") if sums else ("key", "count"), by)
        members = value.known(("key",), ("count", "sum", "largest") if sums else ("count",))
        return Cell(
            key=key,
            **optional(members, "count", _count, {}),
            **optional(members, "sum", _sum, {}),
            largest=optional(members, "largest", lambda several: several.each(lambda each: each.stated().value), ()),
        )

    shared = {
        **base,
        "by": by,
        "where": optional(found, "where", lambda each: group(each, columns), EVERYBODY),
        "missing": optional(found, "missing", lambda each: _columns_of(each, by), ()),
    }
    cells = found["cells"].each(cell)
    return (
        MagnitudeTable(**shared, cells=cells, of=found["of"].text()) if sums else FrequencyTable(**shared, cells=cells)
    )


def _columns_of(value: Value, by: tuple[str, ...]) -> tuple[str, ...]:
    """The columns of a table of which it counts the records without a value."""
    found = value.each(Value.text)
    if not set(found) <= set(by):
        value.wrong("a column that the table is not by", "columns of 'by'")
    return found


def _count(value: Value) -> dict[str, int | None]:
    """A count, or the ends that stand in its place: ``{"min": 1, "max": 9}``."""
    if not isinstance(value.content, Mapping):
        return {"count": value.count()}
    ends = value.known((), ("min", "max"))
    least, most = (ends[name].count() if name in ends else None for name in ("min", "max"))
    if not ends or (least is not None and most is not None and least > most):
        value.wrong("ends between which no count lies", 'an object such as {"min": 1, "max": 9}, or one of the two')
    return {"count": least} if least is not None and least == most else {"least": least, "most": most}


def _sum(value: Value) -> dict[str, Any]:
    """A sum, or the ends that stand in its place: ``{"max": 1000}``."""
    if not isinstance(value.content, Mapping) or value.content.keys().isdisjoint({"min", "max"}):
        return {"sum": value.stated()}
    ends = value.known((), ("min", "max"))
    low, high = (ends[name].stated().value if name in ends else None for name in ("min", "max"))
    if (between := Interval(low, high)).empty:
        value.wrong("ends between which no sum lies", 'an object such as {"min": 0, "max": 1000}, or one of the two')
    return {"sum_ends": between}


def written_table(output: FrequencyTable) -> dict[str, Any]:
    """Its members."""
    return {
        "by": list(output.by),
        **({"of": output.of} if isinstance(output, MagnitudeTable) else {}),
        **given(where=output.where or None, missing=output.missing or None),
        "cells": [_written_cell(cell, sums=isinstance(output, MagnitudeTable)) for cell in output.cells],
    }


def _written_cell(cell: Cell, *, sums: bool) -> dict[str, Any]:
    ends = given(min=cell.least, max=cell.most)
    written_cell: dict[str, Any] = {"key": list(cell.key), "count": ends or cell.count}
    if sums:
        of = cell.sum_ends
        low, high = (None if end is None else written(Stated(end)) for end in (of.low, of.high))
        written_cell["sum"] = written(cell.sum) if cell.sum is not None else given(min=low, max=high) or None
        written_cell |= given(largest=tuple(written(Stated(each)) for each in cell.largest) or None)
    return written_cell


def statistics(found: Mapping[str, Value], columns: Columns, base: dict[str, Any]) -> GroupStatistics:
    """Statistics of groups; every other member of a cell is one."""
    by = found["by"].each(Value.text)

    def cell(value: Value) -> Statistic:
        key = keyed(value, ("key",), by)
        members = dict(value.members(told=("key", "n")))
        n, own = members.get("n"), ("key", "n")
        return Statistic(
            key=key,
            n=None if n is None or n.content is None else n.count(),
            values=tuple((k, v.stated()) for k, v in members.items() if k not in own and v.content is not None),
        )

    return GroupStatistics(
        **base,
        of=found["of"].text(),
        by=by,
        cells=found["cells"].each(cell),
        where=optional(found, "where", lambda each: group(each, columns), EVERYBODY),
        missing=optional(found, "missing", lambda each: _columns_of(each, by), ()),
    )


def written_statistics(output: GroupStatistics) -> dict[str, Any]:
    """Their members."""
    cells = [{"key": list(each.key), "n": each.n, **(pairs(each.values) or {})} for each in output.cells]
    told = given(where=output.where or None, missing=output.missing or None)
    return {"of": output.of, "by": list(output.by), **told, "cells": cells}
