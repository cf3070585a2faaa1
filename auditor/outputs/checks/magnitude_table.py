"""Tables of sums: the threshold, dominance, p %, prior-posterior, and what margins and other outputs give away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from auditor.interval import Interval
from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs.checks._cells import TableCells, compare_counts
from auditor.outputs.checks._contributions import Contributions
from auditor.outputs.checks._ones import hold_ones
from auditor.outputs.checks._pictures import table_picture
from auditor.outputs.checks._sensitivity import Contributed, judge_sensitivity, violation_of
from auditor.outputs.checks._sums import judge_sums
from auditor.outputs.checks._suppression import compare_suppressed
from auditor.outputs.checks._together import judge_together
from auditor.outputs.linked import cell_group
from auditor.outputs.published.conditions import Group
from auditor.outputs.published.outputs import Cell, MagnitudeTable
from auditor.policy.outputs import MagnitudeTableLimits as Rule


def check(output: MagnitudeTable, rule: Rule, context: Context) -> Examination:
    """Judge a table of sums.

    With x₁ ≥ x₂ ≥ … the contributions of a cell, in absolute value, and X their sum:

    * `min_cell` n: no published cell has 1 … n − 1 contributors.
    * `dominance` (n, k): x₁ + … + xₙ > k · X violates; with `inclusive`, = too.
    * `p_percent` p: X − x₁ − x₂ < p/100 · x₁ violates.
    * `pq`: q/100 · (X − x₁ − x₂) < p/100 · x₁ violates.
    * `protection`, `differencing`: as for tables of counts, of counts and of sums.

    A sum of suppressed cells that follows from what is published is judged as a cell, and so is the room that is left
    above a suppressed cell (see `_unions`).
    """
    checked = Examination(items=len(output.cells))
    cells = TableCells(output, context)
    found = list(_contributed(output, cells, context))
    _compare(cells, found, checked)
    _compare_ends(output, cells, context, checked)
    compare_suppressed(output, checked, context)
    if rule.min_cell is not None:
        _threshold(found, rule, checked)
    _ones(output, found, rule, context, checked)
    judge_sensitivity([each for each in found if each.cell.sum is not None], rule, checked)
    checked.add(judge_together(output, rule, context))
    checked.add(judge_sums(output, rule, context))
    checked.picture = table_picture(cells, checked, rule.min_cell)
    return checked


def _contributed(output: MagnitudeTable, cells: TableCells, context: Context) -> Iterator[Contributed]:
    """The cells that publish anything, with their contributions from the data, or from the file where it has them."""
    counts = context.counts
    source = None if counts is None else Contributions(counts, output.of)
    for cell in output.cells:
        if cell.count is None and cell.sum is None:
            continue
        name, group = cells.named(cell.key), cells.group(cell.key)
        if source is None:
            yield _of_file(cell, name, group)
            continue
        given = source.of(group)
        sizes = np.sort(np.abs(given))[::-1]
        largest = tuple(source.number(size) for size in sizes[:_MOST].tolist())
        total = source.number(sizes.sum())
        of_data = source.number(given.sum())
        complete = len(largest) == len(given)
        yield Contributed(
            name,
            group,
            len(given),
            (total, total),
            largest,
            complete,
            sum=of_data,
            cell=cell,
            slack=source.slack(group),
        )


_MOST = 100
"""So many of the largest contributions are kept; a dominance rule adds up a handful."""


def _of_file(cell: Cell, name: str, group: Group) -> Contributed:
    """What a file says of a cell itself. Where a contribution is negative, the sum is not that of absolute values."""
    largest = tuple(sorted(cell.largest, reverse=True))
    usable = cell.sum is not None and all(value >= 0 for value in largest)
    total = cell.sum.ends if usable and cell.sum is not None else None
    complete = cell.count is not None and len(largest) >= cell.count
    known = largest if usable else ()
    return Contributed(name, group, cell.count, total, known, complete and bool(known), cell=cell)


def _compare(cells: TableCells, found: list[Contributed], checked: Examination) -> None:
    """Stated sums that are not those of the data. A stated count may be of records, or of contributors."""
    if cells.counts is None:
        return
    compare_counts(cells, checked, {each.cell.key: each.contributors for each in found})
    for each in found:
        if each.cell.sum is None or each.sum is None or each.cell.sum.is_met_by(each.sum, each.slack):
            continue
        checked.violations.append(
            Violation(
                item=each.name,
                limit="mismatch",
                sentence="The published sum differs from the sum of the data.",
                reached=each.cell.sum.value,
                needed=each.sum,
                about=each.group,
            )
        )


def _compare_ends(output: MagnitudeTable, cells: TableCells, context: Context, checked: Examination) -> None:
    """Suppressed sums that the data has outside the ends that are written in their place."""
    bounded = [cell for cell in output.cells if cell.sum is None and cell.sum_ends.ends]
    if context.counts is None or not bounded:
        return
    source = Contributions(context.counts, output.of)
    for cell in bounded:
        group = cell_group(output, cell.key)
        of_data, slack = source.number(source.of(group).sum()), source.slack(group)
        if not cell.sum_ends.meets(Interval(of_data - slack, of_data + slack)):
            checked.violations.append(
                Violation(
                    item=cells.named(cell.key),
                    limit="mismatch",
                    sentence="A suppressed sum is not between the ends that are written in its place.",
                    needed=of_data,
                    about=group,
                )
            )


def _threshold(found: list[Contributed], rule: Rule, checked: Examination) -> None:
    limit, least = "min_cell", rule.min_cell or 0
    checked.judged.add(limit)
    for each in found:
        if each.contributors is None:
            checked.open_limits[limit] = "a cell has no count of its contributors; give the data"
        elif 0 < each.contributors < least or (each.contributors == 0 and rule.zeros_disclosive):
            checked.reach(limit, each.contributors, least=True)
            checked.violations.append(violation_of(each, limit, each.contributors, least))
        elif each.contributors:
            checked.reach(limit, each.contributors, least=True)


def _ones(output: MagnitudeTable, found: list[Contributed], rule: Rule, context: Context, checked: Examination) -> None:
    """Counts that sums of 0 and 1 are."""
    sums = [(each.name, each.group, each.contributors, each.cell.sum) for each in found]
    groups = ((name, group, n, {"sum": of}) for name, group, n, of in sums if of is not None and group is not None)
    hold_ones(output, groups, ("min_cell", rule.min_cell), checked, context)
