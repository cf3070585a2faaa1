"""Tables of counts: the threshold, group disclosure, rounding, and what margins and other outputs give away."""

from __future__ import annotations

import math
from fractions import Fraction

from auditor.interval import CountInterval
from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs.checks._cells import Key, TableCells, compare_counts, judge_threshold, margins
from auditor.outputs.checks._pictures import table_picture
from auditor.outputs.checks._suppression import compare_suppressed
from auditor.outputs.checks._together import judge_together
from auditor.outputs.published.outputs import FrequencyTable
from auditor.policy.outputs import FrequencyTableLimits as Rule


def check(output: FrequencyTable, rule: Rule, context: Context) -> Examination:
    """Judge a table of counts.

    * `min_cell` n: no published cell or margin counts 1 … n − 1 (and with `zeros_disclosive` none counts 0).
    * `max_share_of_margin` s: no published cell holds more than the share s of any margin above it, published or not.
    * `rounded_to` b: every published count is a multiple of b.
    * `protection` w: no suppressed cell follows from what is published, or lies in an interval narrower than w.
    * `differencing`: no count of 1 … n − 1 follows from this table and everything else that is or was published.
    """
    checked = Examination(items=len(output.cells))
    cells = TableCells(output, context, base=rule.rounded_to)
    compare_counts(cells, checked)
    compare_suppressed(output, checked, context)
    if rule.min_cell is not None:
        judge_threshold(cells, "min_cell", rule.min_cell, checked, zeros=rule.zeros_disclosive)
        _told_shares(output, cells, rule.min_cell, checked)
        if context.counts is None and rule.rounded_to is None:
            _looks_rounded(output, rule.min_cell, checked)
    if rule.max_share_of_margin is not None:
        _shares(cells, rule, checked)
    if rule.rounded_to is not None:
        _rounding(cells, rule, checked)
    checked.add(judge_together(output, rule, context))
    checked.picture = table_picture(cells, checked, rule.min_cell)
    return checked


BASES = (100, 50, 20, 10, 5, 3)
"""To what counts are rounded, where nobody says that they are."""
BY_CHANCE = Fraction(1, 10**6)
"""So seldom are all counts multiples of one number that they are taken to have been rounded, or multiplied."""
LOOK_ROUNDED = (
    "all counts are multiples of {}, so they look rounded, and a true count may lie below the bound; give the data, or "
    "the counts themselves"
)


def _looks_rounded(output: FrequencyTable, least: int, checked: Examination) -> None:
    """Counts that were rounded although nobody says so: one that is just above the bound may come from below it."""
    known = [cell.count for cell in output.cells if cell.count]
    fitting = (base for base in BASES if math.gcd(*known) % base == 0)
    inner = sum(1 for cell in output.cells if cell.count and None not in cell.key)
    base = next((base for base in fitting if Fraction(1, base**inner) <= BY_CHANCE), 1)
    if not checked.breaks("min_cell") and any(count - base // 2 < least for count in known):
        checked.judged.discard("min_cell")
        checked.open_limits["min_cell"] = LOOK_ROUNDED.format(base)


def _told_shares(output: FrequencyTable, cells: TableCells, least: int, checked: Examination) -> None:
    """Shares with which several counts go, all of them too small: nobody suppressed these."""
    for cell in output.cells:
        if cell.share is not None and cell.least and cell.most is not None and cell.most < least:
            checked.violations.append(
                Violation(
                    item=cells.named(cell.key),
                    limit="min_cell",
                    sentence="A published share is of fewer people than the policy allows.",
                    needed=least,
                    about=cells.group(cell.key),
                )
            )


def _shares(cells: TableCells, rule: Rule, checked: Examination) -> None:
    """Group disclosure: nearly everybody of a margin is in one of its cells, so that it is known of each of them."""
    limit, most = "max_share_of_margin", Fraction(repr(rule.max_share_of_margin))
    unsure = False
    checked.judged.add(limit)
    for key, known in cells.published():
        if not known.high or all(value is None for value in key):
            continue
        certain, possible = _largest_share(cells, key, known)
        checked.reach(limit, certain, least=False)
        if certain > most:
            checked.violations.append(
                Violation(
                    item=cells.named(key),
                    limit=limit,
                    sentence="Nearly all records of a margin are in this cell, so the value of each of them is known.",
                    reached=certain,
                    needed=most,
                    records_count=known.point,
                    about=cells.group(key),
                )
            )
        unsure = unsure or possible > most >= certain
    if unsure and not any(violation.limit == limit for violation in checked.violations):
        checked.judged.discard(limit)
        checked.open_limits[limit] = "a margin is not known exactly, because it is suppressed or rounded; give the data"


def _largest_share(cells: TableCells, key: Key, known: CountInterval) -> tuple[Fraction, Fraction]:
    """The largest share of a margin that a cell surely holds, and the largest that it may hold."""
    certain, possible, most = Fraction(0), Fraction(0), known.high or 0
    for margin in margins(key):
        above = cells.range(margin)
        if above is not None and above.high:
            certain = max(certain, Fraction(known.low, above.high))
        low = cells.least(margin) if above is None else above.low
        possible = max(possible, Fraction(most, max(low, most)))
    return certain, possible


def _rounding(cells: TableCells, rule: Rule, checked: Examination) -> None:
    """Counts that are no multiple of the base: they were not rounded, or to another base."""
    limit, base = "rounded_to", rule.rounded_to or 1
    checked.judged.add(limit)
    for key, stated in cells.stated.items():
        if stated is not None and stated % base:
            checked.violations.append(
                Violation(
                    item=cells.named(key),
                    limit=limit,
                    sentence="The count is not a multiple of the base that counts are to be rounded to.",
                    reached=stated,
                    needed=base,
                    about=cells.group(key),
                )
            )
