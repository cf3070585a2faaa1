"""The limit `channels`: what outputs with supports of itemsets tell together of groups that none of them names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice

import numpy as np

from auditor.errors import NotEvaluated
from auditor.outputs._examination import Violation
from auditor.outputs.checks._judging import ROWS_LISTED, UNITS_UNKNOWN, Judging, counts_units_blindly
from auditor.outputs.patterns.channels import ChannelSearch, search
from auditor.outputs.patterns.itemsets import Itemsets, collected, is_collection
from auditor.outputs.patterns.lattice import Pattern, between
from auditor.outputs.published.conditions import told
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Published
from auditor.policy.outputs import Patterns

LIMIT = "channels"
WITHOUT_K = "channels need min_support_count, which the rule does not set"
NO_TOTAL = "some supports are shares, or not written, and the number of records is not known"
WITHOUT_EARLIER = "other outputs, or earlier ones, were counted from other records, so they were not compared"
ALONE = "the outputs that are released together contradict each other"
UNITS_ASKED = 20_000
"""Of so many derived patterns the units are counted."""


def judge_channels(judging: Judging, rule: Patterns, output: Published) -> None:
    """Judge the derived patterns of an output, together with the other outputs of the same records."""
    if not rule.channels:
        return
    least = rule.min_support_count
    if least is None:
        judging.leave_open([LIMIT], WITHOUT_K)
        return
    judging.checked.judged.add(LIMIT)
    try:
        itemsets, searched = _together(judging, output, least, possible=rule.possible_channels == "deny")
    except NotEvaluated as error:
        judging.leave_open([LIMIT], f"some itemsets cannot be counted in the data: {error}")
        return
    if searched.found.contradiction:
        sentence = "The supports contradict each other: no database fits."
        found = Violation(item=output.source, limit="mismatch", sentence=sentence)
        judging.checked.violations.append(found)
    if itemsets.coarse:
        judging.leave_open([LIMIT], NO_TOTAL)
    for reason in searched.left:
        judging.leave_open([LIMIT], reason)
    if counts_units_blindly(judging.context):
        judging.leave_open([LIMIT], UNITS_UNKNOWN)
    _certain(judging, itemsets, searched, least)
    _possible(judging, rule, itemsets, searched, least)
    if searched.beyond is not None and not any(each.limit == LIMIT for each in judging.checked.violations):
        # Nothing is known of a channel there: to leave every large collection open would judge none.
        if rule.possible_channels == "deny":
            judging.leave_open([LIMIT], searched.beyond)
        else:
            judging.checked.notes.append(f"not looked at: {searched.beyond}")


def _together(judging: Judging, output: Published, least: int, *, possible: bool) -> tuple[Itemsets, ChannelSearch]:
    """The largest collection that does not contradict itself: with earlier releases, with this run, alone."""
    context = judging.context
    now = [each for each in context.together if is_collection(each) and _same_records(each, output)]
    now = now if any(each is output for each in now) else [output, *now]
    before = [each for each in context.before if is_collection(each) and _same_records(each, output)]
    if before:
        forms = {each.form for each in now}
        before = [each for each in before if each.form not in forms]
    levels: list[tuple[list[Published], str | None]] = [([*before, *now], None)]
    if before:
        levels.append((now, WITHOUT_EARLIER))
    if len(now) > 1:
        levels.append(([output], ALONE))
    for outputs, left in levels:
        itemsets = collected(outputs, output, context)
        searched = search(itemsets, least, context.counts, context.deadline, possible=possible)
        if not searched.found.contradiction or outputs == [output]:
            searched.left += [left] if left is not None else []
            return itemsets, searched
    raise AssertionError("the last level is the output alone")


def _same_records(one: Published, other: Published) -> bool:
    """Whether two outputs may be of the same records: not if they count others."""
    return one.records is None or other.records is None or one.records == other.records


def _certain(judging: Judging, itemsets: Itemsets, searched: ChannelSearch, least: int) -> None:
    listed = sorted(searched.found.channels, key=lambda each: (len(each.present) + len(each.absent), each.low))
    counts = judging.context.counts
    if counts is not None and counts.unit is not None:
        listed += _few_units(judging, itemsets, counts, least)
    for place, each in enumerate(listed):
        if _rests_on_own(each, itemsets):
            judging.checked.violations.append(_violation(judging, itemsets, each, least, rows=place < ROWS_LISTED))
            if each.low == each.high:
                judging.checked.reach(LIMIT, each.low, least=True)


def _possible(judging: Judging, rule: Patterns, itemsets: Itemsets, searched: ChannelSearch, least: int) -> None:
    if not searched.found.possible:
        return
    if rule.possible_channels == "allow":
        judging.checked.notes.append("some derived patterns are held by too few or by nobody: possible channels")
        return
    for each in searched.found.shown:
        if _rests_on_own(each, itemsets):
            judging.checked.violations.append(_violation(judging, itemsets, each, least, rows=False))


def _rests_on_own(each: Pattern, itemsets: Itemsets) -> bool:
    """Whether the output that is checked says one of the supports that a pattern follows from."""
    if len(itemsets.own) == len(itemsets.known) + len(itemsets.ranges):
        return True
    between = [
        tuple(sorted({*each.present, *more}))
        for size in range(len(each.absent) + 1)
        for more in combinations(each.absent, size)
    ]
    if all(key in itemsets.known or not key for key in between):
        return any(key in itemsets.own for key in between)
    # What is not published follows from itemsets around it: from those that lie, by one step, beside its items.
    asked = {*each.present, *each.absent}
    near = asked.union(*(key for key in (*itemsets.known, *itemsets.ranges) if not asked.isdisjoint(key)))
    return any(not near.isdisjoint(key) for key in itemsets.own)


def _few_units(judging: Judging, itemsets: Itemsets, counts: Counts, least: int) -> Iterator[Pattern]:
    """Derived patterns of enough records, but of fewer than k units: they have no more than the largest k − 1 units."""
    sizes = np.sort(np.bincount(counts.column(counts.unit or "")[1]))
    most = int(sizes[max(0, len(sizes) - least + 1) :].sum())
    asked = between(itemsets.known, itemsets.total, least, most)
    for each in islice(asked, UNITS_ASKED):
        present, absent = itemsets.group(each.present), [itemsets.items[item] for item in each.absent]
        units = counts.count_with(present, absent) if absent else least
        if units < least:
            yield replace(each, low=units, high=units)
    if next(asked, None) is not None:
        judging.leave_open([LIMIT], "there are too many derived patterns to count the units of each")


def _violation(judging: Judging, itemsets: Itemsets, each: Pattern, least: int, *, rows: bool) -> Violation:
    certain = "A derived pattern is held by few people, which follows from supports that are large enough."
    possible = (
        "A derived pattern is held by few people or by nobody, which follows from supports that are large enough."
    )
    counts = judging.context.counts
    present, absent = itemsets.group(each.present), [itemsets.items[item] for item in each.absent]
    exposed = None
    if counts is not None and rows:
        exposed = tuple(counts.rows_with(present, absent)[:ROWS_LISTED].tolist())
    return Violation(
        item=named(itemsets, each),
        limit=LIMIT,
        sentence=certain if each.low > 0 else possible,
        reached=each.low if each.low == each.high else None,
        needed=least,
        records_count=each.low if each.low == each.high else None,
        rows=exposed,
    )


def named(itemsets: Itemsets, each: Pattern) -> str:
    """``smoker, not age=30s, not diabetic``."""
    parts = [told(itemsets.group(each.present))] if each.present or not each.absent else []
    return ", ".join([*parts, *(f"not {item}" for item in sorted(map(str, itemsets.group(each.absent))))])
