"""Shares in tables become the counts that they are, where the data or the file says of how many."""

from __future__ import annotations

from dataclasses import replace

from auditor.errors import NotEvaluated
from auditor.outputs._conditions import EVERYBODY
from auditor.outputs._counts import Counts
from auditor.outputs._published import Cell, FrequencyTable, Published
from auditor.outputs.linked import cell_group
from auditor.outputs.readers import IMPOSSIBLE, counted

OF_UNKNOWN = "its shares are of a number of records that neither the file nor the data says: no count follows from them"


def with_counts_of_shares(output: Published, counts: Counts | None) -> Published:
    """The output with a count in place of each share, or with the ends of those that are written so.

    A share whose total is not known stays one, and the output is unread.
    """
    if not isinstance(output, FrequencyTable) or output.share_of is None:
        return output
    possible = [_counted(output, of, counts) for of in output.share_of]
    return next((each for each in possible if counts is not None and _fits(each, counts)), possible[0])


def _counted(output: FrequencyTable, of: tuple[str, ...], counts: Counts | None) -> FrequencyTable:
    """The output with its shares as those of the margins over the columns `of`."""
    cells, unread = [], set()
    for cell in output.cells:
        total = _total(output, of, cell, counts)
        if cell.share is None or cell.count is not None:
            cells.append(cell)
        elif total is None or (counts is None and len(output.share_of or ()) > 1):
            cells.append(cell)
            unread.add(OF_UNKNOWN)
        else:
            cells.append(_as_count(output, cell, total, counts))
            if not counted(cell.share, total):
                unread.add(IMPOSSIBLE)
    more = tuple(each for each in sorted(unread) if each not in output.unread)
    left = output.share_of if any(cell.share is not None for cell in cells) else None
    return replace(output, cells=tuple(cells), share_of=left, unread=(*output.unread, *more))


def _fits(output: FrequencyTable, counts: Counts) -> bool:
    """Whether each count, or what is known of it, is the data's."""
    for cell in output.cells:
        if cell.share is not None:
            return False
        try:
            count = counts.count(cell_group(output, cell.key))
        except NotEvaluated:
            return False
        least, most = (cell.count, cell.count) if cell.count is not None else (cell.least, cell.most)
        if not (least or 0) <= count <= (count if most is None else most):
            return False
    return True


def _as_count(output: FrequencyTable, cell: Cell, total: int, counts: Counts | None) -> Cell:
    """The count that a share is, or the ends of those that it may be: the data's, where it is that one exactly."""
    share = cell.share
    assert share is not None  # noqa: S101  (who calls has looked)
    fitting = counted(share, total)
    if counts is not None and len(fitting) > 1:
        of_data = counts.count(cell_group(output, cell.key))
        fitting = range(of_data, of_data + 1) if share.value * total == of_data else fitting
    if len(fitting) == 1:
        return replace(cell, count=fitting[0], share=None)
    return replace(cell, least=fitting[0], most=fitting[-1], share=None) if fitting else cell


def _total(output: FrequencyTable, of: tuple[str, ...], cell: Cell, counts: Counts | None) -> int | None:
    """How many records the share of a cell is of."""
    key = tuple(value if column in of else None for column, value in zip(output.by, cell.key, strict=True))
    if counts is not None:
        try:
            return counts.count(cell_group(output, key))
        except NotEvaluated:
            return None
    whole = all(value is None for value in key) and output.where == EVERYBODY
    return output.records if whole else None
