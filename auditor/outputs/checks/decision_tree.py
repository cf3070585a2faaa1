"""Decision trees and rule lists: the leaves, the classes in them, and what nodes and trees tell together.

A leaf says something of everybody whose values lead to it: how many they are (`min_leaf`), how many of them have each
class (`min_class_count`), and how surely one of them has it (`max_confidence`, `min_l`, `max_t`). In an ordered list a
rule speaks of the records that no earlier rule took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs.checks._judging import (
    ROWS_LISTED,
    UNITS_UNKNOWN,
    Judging,
    counts_units_blindly,
    exact,
)
from auditor.outputs.checks._listed import ListedValues
from auditor.outputs.checks._nodes import CountedNode, counted
from auditor.outputs.checks._overlays import judge_overlaid
from auditor.outputs.checks._pattern_pictures import tree_picture
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.outputs import DecisionTree
from auditor.policy.outputs import DecisionTreeLimits as Policy

TOO_COARSE = "for some leaves, the file allows numbers on both sides of the limit"
NO_CLASSES = "some leaves do not say how many records have each class"
SENTENCES = {
    "min_leaf": "Few people are in the leaf.",
    "min_class_count": "Few people of the leaf have one of the classes.",
    "max_confidence": "Records in the leaf have the class with more certainty than is allowed.",
    "min_l": "Few different classes are in the leaf.",
    "max_t": "The classes of the leaf are distributed unlike those of the root.",
}
COUNTED = ("min_leaf", "min_class_count", "min_l", "max_t", "max_confidence")


def check(output: DecisionTree, rule: Policy, context: Context) -> Examination:
    """Judge a tree, or a rule list, by what the policy says of it."""
    judging = Judging(context, Examination(items=len(output.leaves)))
    leaves, inner = counted(output, judging)
    for leaf in leaves:
        if judging.least("min_leaf", rule.min_leaf, leaf.count, TOO_COARSE):
            number = leaf.count.point
            _violate(judging, leaf, limit="min_leaf", reached=number, needed=rule.min_leaf)
        if leaf.count.point != 0:
            _classes(judging, rule, output.target, leaf)
    _distances(judging, rule, leaves, inner)
    if rule.differencing:
        judge_overlaid(judging, rule, output)
    if counts_units_blindly(context):
        judging.leave_open([limit for limit in COUNTED if getattr(rule, limit) is not None], UNITS_UNKNOWN)
    judging.checked.picture = tree_picture(judging.checked, rule, [*inner, *leaves])
    return judging.done()


def _classes(judging: Judging, rule: Policy, target: str | None, leaf: CountedNode) -> None:
    """The classes inside one leaf: how many have each, how surely, and how many classes there are."""
    limits = [limit for limit in ("min_class_count", "max_confidence", "min_l") if getattr(rule, limit) is not None]
    judging.checked.judged.update(limits)
    if leaf.classes is None and leaf.shares is None:
        judging.leave_open(limits, NO_CLASSES)
        return
    known = leaf.classes or {}
    for label in known if rule.min_class_count is not None else ():
        if judging.least("min_class_count", rule.min_class_count, known[label], TOO_COARSE):
            limit, number = "min_class_count", known[label].point
            needed = rule.min_class_count
            _violate(judging, leaf, limit=limit, reached=number, needed=needed, target=target, label=label)
    if leaf.classes is None and rule.min_class_count is not None:
        judging.leave_open(["min_class_count"], NO_CLASSES)
    if rule.max_confidence is not None:
        _purity(judging, rule, target, leaf)
    if rule.min_l is not None:
        _diversity(judging, rule, leaf)


def _purity(judging: Judging, rule: Policy, target: str | None, leaf: CountedNode) -> None:
    """The share of a sensitive class among those in the leaf."""
    most = exact(rule.max_confidence or 0.0)
    listed = ListedValues(rule.sensitive, judging.context)
    for label in dict.fromkeys([*(leaf.classes or {}), *(leaf.shares or {})]):
        if not listed.said_by(equal(target or "", label)):
            continue
        low, high = leaf.share(label)
        if judging.most("max_confidence", most, (low, high), TOO_COARSE):
            limit, share = "max_confidence", low if low == high else None
            _violate(judging, leaf, limit=limit, reached=share, needed=most, target=target, label=label)


def _diversity(judging: Judging, rule: Policy, leaf: CountedNode) -> None:
    """How many distinct classes those in the leaf have."""
    known = leaf.classes or {}
    least = sum(each.low > 0 for each in known.values())
    rest = None if leaf.count.high is None else leaf.count.high - sum(each.low for each in known.values())
    most = sum(each.high != 0 for each in known.values()) + (0 if rest == 0 else rest or 2**31)
    if rule.min_l is None or least >= rule.min_l:
        judging.checked.reach("min_l", least, least=True)
    elif most < rule.min_l:
        judging.checked.reach("min_l", most, least=True)
        _violate(judging, leaf, limit="min_l", reached=most, needed=rule.min_l)
    else:
        judging.leave_open(["min_l"], NO_CLASSES)


def _distances(judging: Judging, rule: Policy, leaves: Sequence[CountedNode], inner: Sequence[CountedNode]) -> None:
    """How far the classes of each leaf are from those of the root: ½ Σ |p − q|."""
    if rule.max_t is None:
        return
    judging.checked.judged.add("max_t")
    root = _root(leaves, inner)
    most = exact(rule.max_t)
    for leaf in leaves:
        p = _exactly(leaf)
        if root is None or p is None:
            judging.leave_open(["max_t"], NO_CLASSES)
        elif sum(p.values()):
            distance = _variational(p, root)
            judging.checked.reach("max_t", distance, least=False)
            if distance > most:
                _violate(judging, leaf, limit="max_t", reached=distance, needed=most)


def _root(leaves: Sequence[CountedNode], inner: Sequence[CountedNode]) -> dict[str, int] | None:
    """Records by class at the root: as the root says itself, else over all leaves."""
    for node in inner:
        if not node.node.path:
            return _exactly(node)
    total: dict[str, int] = {}
    for leaf in leaves:
        p = _exactly(leaf)
        if p is None:
            return None
        total = {label: total.get(label, 0) + p.get(label, 0) for label in total | p}
    return total


def _exactly(node: CountedNode) -> dict[str, int] | None:
    if node.classes is None:
        return None
    exact_ = {label: n for label, count in node.classes.items() if (n := count.point) is not None}
    return exact_ if len(exact_) == len(node.classes) else None


def _variational(p: Mapping[str, int], q: Mapping[str, int]) -> Fraction:
    of_p, of_q = sum(p.values()), sum(q.values())
    apart = (abs(Fraction(p.get(label, 0), of_p) - Fraction(q.get(label, 0), of_q or 1)) for label in {**p, **q})
    return sum(apart, Fraction(0)) / 2


def _violate(
    judging: Judging,
    leaf: CountedNode,
    *,
    limit: str,
    reached: int | Fraction | None,
    needed: int | Fraction | None,
    target: str | None = None,
    label: str | None = None,
) -> None:
    """Say what is wrong with a leaf, or with one class in it."""
    of_class = None if label is None else (leaf.classes or {}).get(label)
    judging.checked.violations.append(
        Violation(
            item=leaf.item if label is None else f"{leaf.item} => {equal(target or '', label)}",
            limit=limit,
            sentence=SENTENCES[limit],
            reached=reached,
            needed=needed,
            records_count=(leaf.count if limit != "min_class_count" else of_class or leaf.count).point,
            rows=_rows(judging, leaf, target, label if limit == "min_class_count" else None),
        )
    )


def _rows(judging: Judging, leaf: CountedNode, target: str | None, label: str | None) -> tuple[int, ...] | None:
    """The rows of a leaf, or of those in it that have a class; the first of many."""
    counts = judging.context.counts
    if counts is None or leaf.rows is None:
        return None
    rows = leaf.rows
    if label is not None and target in counts.names:
        labels, codes = counts.column(target or "")
        rows = rows[codes[rows] == labels.index(label)]
    return tuple(rows[:ROWS_LISTED].tolist())
