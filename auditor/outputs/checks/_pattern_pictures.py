"""What the report draws of patterns: the worst first, and of many the rest by its number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditor.interval import CountInterval
from auditor.outputs._examination import Examination
from auditor.outputs.checks._branches import branches
from auditor.outputs.checks._nodes import CountedNode
from auditor.outputs.patterns.supports import Supports
from auditor.outputs.published.conditions import Group, told
from auditor.outputs.published.outputs import Itemset
from auditor.policy.outputs import AssociationRuleLimits, DecisionTreeLimits, FrequentItemsetLimits
from auditor.result.outputs import Picture, PictureItem

DRAWN = 500
"""How many rules, itemsets or nodes are drawn."""


def rules_picture(checked: Examination, rule: AssociationRuleLimits, rules: Sequence[tuple[str, Supports]]) -> Picture:
    """Rules by support and confidence, with the region that is allowed."""
    unsafe = {violation.item for violation in checked.violations}
    items = []
    for item, supports in rules:
        low, high = supports.confidence
        count, share = supports.support.point, float(low) if low == high else None
        items.append(PictureItem(label=item, status="unsafe" if item in unsafe else "safe", count=count, share=share))
    items.sort(key=lambda item: (item.status == "safe", item.count is None, item.count or 0))
    return Picture(
        kind="rules",
        items=tuple(items[:DRAWN]),
        least=rule.min_support_count,
        most=rule.max_confidence,
        left_out=max(0, len(items) - DRAWN),
    )


def lattice_picture(
    checked: Examination, rule: FrequentItemsetLimits, itemsets: Sequence[tuple[str, Itemset, CountInterval]]
) -> Picture:
    """The lattice of the first channel: every published itemset between I and J; without one, the least supports."""
    channel = next((each for each in checked.violations if each.limit == "channels"), None)
    unsafe = {violation.item for violation in checked.violations}
    chosen = list(itemsets)
    if channel is not None:
        names = {name.removeprefix("not ") for name in channel.item.split(", ")}
        chosen = [each for each in itemsets if {str(item) for item in each[1].items} <= names] or chosen
    chosen.sort(key=lambda each: (each[0] not in unsafe, len(each[1].items), each[2].low))
    items = [
        PictureItem(
            label=name,
            status="unsafe" if name in unsafe else "safe",
            at=(len(itemset.items),),
            count=support.point,
        )
        for name, itemset, support in chosen[:DRAWN]
    ]
    if channel is not None:
        size = len(channel.item.split(", "))
        derived = PictureItem(label=channel.item, status="unsafe", at=(size,), count=channel.records_count)
        items.append(derived)
    return Picture(
        kind="lattice", items=tuple(items), least=rule.min_support_count, left_out=max(0, len(itemsets) - len(items))
    )


def tree_picture(checked: Examination, rule: DecisionTreeLimits, nodes: Sequence[CountedNode]) -> Picture:
    """The nodes, each after the one above it, which is the one with the longest path that its own goes on.

    Where all leaves are drawn, so are the nodes above them that nothing was written about.
    """
    unsafe = {violation.item.split(" => ")[0] for violation in checked.violations}
    kept = sorted(nodes, key=lambda each: (each.item not in unsafe, len(each.node.path)))[:DRAWN]
    drawn: dict[Group, PictureItem] = {each.node.path: _node(each, unsafe) for each in kept}
    if len(kept) == len(nodes):
        for path in branches(list(drawn)):
            drawn.setdefault(path, PictureItem(label=told(path)))
    paths = sorted(drawn, key=len)
    items = []
    for place, path in enumerate(paths):
        above = [at for at in range(place) if paths[at] < path]
        parent = (max(above, key=lambda at: len(paths[at])),) if above else ()
        items.append(replace(drawn[path], at=parent))
    left_out = len(nodes) - len(kept)
    return Picture(kind="tree", items=tuple(items), least=rule.min_leaf, most=rule.max_confidence, left_out=left_out)


def _node(each: CountedNode, unsafe: set[str]) -> PictureItem:
    shares = [each.share(label) for label in each.classes or {}]
    purest = max((low for low, high in shares if low == high), default=None)
    return PictureItem(
        label=each.item,
        status="unsafe" if each.item in unsafe else "safe",
        count=each.count.point,
        share=None if purest is None else float(purest),
    )
