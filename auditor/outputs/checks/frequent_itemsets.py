"""Frequent itemsets: their supports, items that must not appear, and what follows from all supports together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from auditor.errors import NotEvaluated
from auditor.interval import CountInterval
from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs.checks._derived import judge_channels
from auditor.outputs.checks._judging import UNITS_UNKNOWN, Judging, counts_units_blindly, rows_of
from auditor.outputs.checks._listed import ListedValues
from auditor.outputs.checks._pattern_pictures import lattice_picture
from auditor.outputs.patterns.itemsets import range_of
from auditor.outputs.published.conditions import told
from auditor.outputs.published.outputs import FrequentItemsets, Itemset
from auditor.policy.outputs import FrequentItemsetLimits as Policy

TOO_COARSE = "for some supports, the file allows counts on both sides of the limit"


@dataclass(frozen=True)
class ItemsetEvidence:
    """An itemset of the output, and what is known of its support."""

    itemset: Itemset
    support: CountInterval

    @property
    def item(self) -> str:
        """``age=26, zip=10562``."""
        return told(self.itemset.items)


def check(output: FrequentItemsets, rule: Policy, context: Context) -> Examination:
    """Judge itemsets by what the policy says of them."""
    judging = Judging(context, Examination(items=len(output.itemsets)))
    itemsets = list(_supports(output, judging))
    listed = ListedValues(rule.forbidden, context)
    for each in itemsets:
        if judging.least("min_support_count", rule.min_support_count, each.support, TOO_COARSE):
            judging.checked.violations.append(_small(judging, rule, each))
    if rule.forbidden:
        judging.checked.judged.add("forbidden")
        for itemset in output.itemsets:
            if any(listed.mentioned(item) for item in itemset.items):
                judging.checked.violations.append(_forbidden(itemset))
    if counts_units_blindly(context) and rule.min_support_count is not None:
        judging.leave_open(["min_support_count"], UNITS_UNKNOWN)
    judge_channels(judging, rule, output)
    judging.checked.picture = lattice_picture(
        judging.checked, rule, [(each.item, each.itemset, each.support) for each in itemsets]
    )
    return judging.done()


def _supports(output: FrequentItemsets, judging: Judging) -> Iterator[ItemsetEvidence]:
    """The itemsets with their supports, from the data or from what is written; what disagrees is a mismatch."""
    counts = judging.context.counts
    total = output.records
    for itemset in output.itemsets:
        written = range_of(itemset, total)
        if written.empty:
            judging.checked.violations.append(
                _mismatch(itemset, "The numbers contradict each other: no database fits.")
            )
        elif counts is None:
            yield ItemsetEvidence(itemset, written)
    if counts is None:
        return
    judging.checked.judged.add("mismatch")
    by_units: list[Violation] = []
    by_records: list[Violation] = []
    people = counts.people
    for itemset in output.itemsets:
        try:
            in_units, in_records = counts.count(itemset.items), counts.records_in(itemset.items)
        except NotEvaluated as error:
            judging.leave_open(("",), f"some itemsets cannot be counted in the data: {error}")
            continue
        for found, number, of in ((by_units, in_units, people), (by_records, in_records, counts.records)):
            allowed = range_of(itemset, of).holds(CountInterval.at(number))
            if output.records not in (None, people, of) or not allowed:
                found.append(_mismatch(itemset, "Its published numbers disagree with the data.", number, of))
        yield ItemsetEvidence(itemset, CountInterval.at(in_units))
    judging.checked.violations += by_units if len(by_units) <= len(by_records) else by_records


def _mismatch(itemset: Itemset, sentence: str, number: int | None = None, total: int = 0) -> Violation:
    """Beside the support that is written stands the data's `number`, of `total` records."""
    share = itemset.support_share
    written = itemset.support if itemset.support is not None or share is None else share.value
    counted = Fraction(number, total) if number is not None and total and itemset.support is None else number
    return Violation(
        item=told(itemset.items),
        limit="mismatch",
        sentence=sentence,
        reached=written,
        needed=None if written is None else counted,
        about=itemset.items,
    )


def _small(judging: Judging, rule: Policy, each: ItemsetEvidence) -> Violation:
    count = each.support.point
    return Violation(
        item=each.item,
        limit="min_support_count",
        sentence="Few people hold all items of it.",
        reached=count,
        needed=rule.min_support_count,
        records_count=count,
        rows=rows_of(judging.context, each.itemset.items),
        about=each.itemset.items,
        measures={} if count is None else {"support": count},
    )


def _forbidden(itemset: Itemset) -> Violation:
    return Violation(
        item=told(itemset.items),
        limit="forbidden",
        sentence="An item of it must not appear.",
        about=itemset.items,
    )
