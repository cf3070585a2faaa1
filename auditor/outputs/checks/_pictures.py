"""The picture of a table: its cells by row and column, and which of them are unsafe."""

from __future__ import annotations

from auditor.outputs._examination import PROTECTION, Examination
from auditor.outputs.checks._cells import Key, TableCells
from auditor.result.outputs import Picture, PictureItem

MOST_CELLS = 600
"""So many cells are drawn, the unsafe ones first."""
_WORST = {"recoverable": 0, "unsafe": 1, "suppressed": 2, "safe": 3}


def table_picture(cells: TableCells, checked: Examination, least: int | None) -> Picture:
    """Rows are the values of the first column, columns those of the others together."""
    status = _statuses(cells, checked)
    ordered = sorted(cells.stated, key=lambda key: _WORST[status[key]])
    drawn = set(ordered[:MOST_CELLS])
    rows, columns = dict[str, int](), dict[str, int]()
    items = []
    for key, stated in cells.stated.items():
        if key not in drawn:
            continue
        row, column = _labels(key)
        at = rows.setdefault(row, len(rows)), columns.setdefault(column, len(columns))
        items.append(PictureItem(label=cells.named(key), status=status[key], at=at, count=stated))
    left_out = len(cells.stated) - len(items)
    return Picture(
        kind="table", items=tuple(items), rows=tuple(rows), columns=tuple(columns), least=least, left_out=left_out
    )


def _labels(key: Key) -> tuple[str, str]:
    first, *others = [value if value is not None else "total" for value in key] or ["total"]
    return first, ", ".join(others)


def _statuses(cells: TableCells, checked: Examination) -> dict[Key, str]:
    recoverable = {violation.item for violation in checked.violations if violation.limit == PROTECTION}
    unsafe = {violation.item for violation in checked.violations}
    found = {}
    for key in cells.stated:
        name = cells.named(key)
        if name in recoverable:
            found[key] = "recoverable"
        elif name in unsafe:
            found[key] = "unsafe"
        else:
            found[key] = "safe" if key in cells.written else "suppressed"
    return found
