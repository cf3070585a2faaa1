"""Columns that no file names, and that a reader knows all the same: another output has the same values.

`pandas.crosstab(state, ill).to_csv()` does not write `ill`. Beside another crosstab by `ill`, or its `value_counts`,
nobody needs the name. Without data a column is taken for one of another output whose labels are the same, or where the
labels of both are intervals, if the numbers of both fit each other so; else it stays one of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditor.outputs._examination import Context
from auditor.outputs.checks._together import lacking_in
from auditor.outputs.published.conditions import NO_LABEL
from auditor.outputs.published.outputs import UNNAMED, Published, Table, called
from auditor.outputs.published.spans import span_of
from auditor.outputs.published.values import same_value

TAKEN = "a column that the file does not name was taken for one of another output, which has the same values"


def with_known_columns(context: Context) -> list[Published]:
    """The outputs of a run, with the columns of other outputs in place of those that are without a name."""
    now, before = list(context.together), list(context.before)
    for at, output in enumerate(now):
        for column in _without_name(output):
            for name in _alike(output, column, [*before, *now[:at], *now[at + 1 :]]):
                linked = [_with_name(each, column, name) for each in now]
                if _is_read(linked, name, now, context):
                    now = linked
                    break
    return now


def _is_read(linked: Sequence[Published], name: str, now: Sequence[Published], context: Context) -> bool:
    """Whether the numbers fit with the name, and ask for no more records that lack a value than without."""
    before = context.before
    without = lacking_in([*before, *now], context)
    if without is None:
        return lacking_in([each for each in (*before, *linked) if _speaks_of(each, name)], context) is not None
    found = lacking_in([*before, *linked], context)
    return found is not None and found <= without


def _without_name(output: Published) -> list[str]:
    return [name for name in output.by if name.startswith(UNNAMED)] if isinstance(output, Table) else []


def _alike(output: Published, column: str, others: Sequence[Published]) -> list[str]:
    """The columns of other outputs that may be the same, those with a name first."""
    found = {
        name
        for other in others
        if isinstance(other, Table) and isinstance(output, Table)
        for name in other.by
        if name not in output.by and _may_be_same(_labels(output, column), _labels(other, name))
    }
    return sorted(found, key=lambda name: (name.startswith(UNNAMED), name))


def _labels(table: Table, column: str) -> frozenset[str]:
    place = table.by.index(column)
    none = (None, NO_LABEL) if column in table.missing else (None,)
    return frozenset(label for cell in table.cells if (label := cell.key[place]) not in none and label is not None)


def _may_be_same(one: frozenset[str], other: frozenset[str]) -> bool:
    if one and other and all(span_of(label) is not None for label in one | other):
        return True
    own, far = ({same_value(label) for label in labels} for labels in (one, other))
    return len(own & far) > 1 and (own <= far or far <= own)


def _speaks_of(output: Published, name: str) -> bool:
    return isinstance(output, Table) and name in output.by


def _with_name(output: Published, column: str, name: str) -> Published:
    if not _speaks_of(output, column) or not isinstance(output, Table):
        return output
    by = tuple(name if each == column else each for each in output.by)
    return replace(called(output, by), notes=tuple(dict.fromkeys((*output.notes, TAKEN))))
