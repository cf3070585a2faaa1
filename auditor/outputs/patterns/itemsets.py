"""Everything that outputs say of itemsets of the same records, in one collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from auditor.interval import CountInterval
from auditor.outputs._examination import Context
from auditor.outputs.patterns.lattice import Exclusive, Key
from auditor.outputs.patterns.supports import Effort, Written
from auditor.outputs.published.conditions import EVERYBODY, Condition, Group
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import AssociationRule, AssociationRules, FrequentItemsets, Itemset, Published
from auditor.outputs.published.values import same_value


@dataclass
class Itemsets:
    """Supports of itemsets by the numbers of their items; of some, only a range is known.

    `own` are the itemsets of the output that is checked; others were published beside it, or before. `below` is a
    miner's threshold: an absent itemset of at most `longest` items has less.
    """

    total: int | None = None
    items: list[Condition] = field(default_factory=list)
    known: dict[Key, int] = field(default_factory=dict)
    ranges: dict[Key, CountInterval] = field(default_factory=dict)
    own: set[Key] = field(default_factory=set)
    below: int | None = None
    longest: int | None = None
    contradiction: bool = False
    coarse: bool = False
    """Whether a support that is written leaves no largest count, for want of N."""
    _number: dict[Condition, int] = field(default_factory=dict)

    def add(self, group: Group, support: CountInterval, *, own: bool) -> None:
        """One itemset and its support, as far as it is known."""
        if self.exclusive_in(group):
            self.contradiction |= support.low > 0
            return
        key = self.key(group)
        before = CountInterval.at(self.known[key]) if key in self.known else self.ranges.pop(key, CountInterval())
        both = before.intersection(support)
        self.contradiction |= both.empty
        if both.point is not None:
            self.known[key] = both.point
        elif key not in self.known:
            self.ranges[key] = both
        if own:
            self.own.add(key)

    def key(self, group: Group) -> Key:
        """The numbers of a group's items."""
        return tuple(sorted(self._numbered(item) for item in group))

    def group(self, key: Key) -> Group:
        """The items behind their numbers."""
        return frozenset(self.items[item] for item in key)

    @property
    def exclusive(self) -> Exclusive:
        """Items that are values of one column exclude each other."""
        columns: dict[str, int] = {}
        return Exclusive(
            [
                columns.setdefault(item.attribute, len(columns)) if item.attribute and item.operator == "=" else -1
                for item in self.items
            ]
        )

    @staticmethod
    def exclusive_in(group: Group) -> bool:
        """Whether two of the items are values of one column."""
        columns = [item.attribute for item in group if item.attribute and item.operator == "="]
        return len(columns) > len(set(columns))

    def _numbered(self, item: Condition) -> int:
        if item not in self._number:
            if item.operator == "=":
                same = Condition(item.attribute, "=", (str(same_value(item.values[0])),))
                self._number.setdefault(same, len(self.items))
                self._number[item] = self._number[same]
            else:
                self._number[item] = len(self.items)
            if self._number[item] == len(self.items):
                self.items.append(item)
        return self._number[item]


def collected(outputs: Sequence[Published], own: Published, context: Context) -> Itemsets:
    """The itemsets of outputs, in one collection; with data, counted there.

    Raises:
        NotEvaluated: an itemset cannot be counted in the data.
    """
    counts = context.counts
    found = Itemsets(own.records if counts is None else counts.records)
    for output in outputs:
        for group, support in _said(output, None if counts is None else counts):
            found.coarse |= support.high is None and output is own
            found.add(group, support, own=output is own)
        if isinstance(output, FrequentItemsets) and output.min_support is not None:
            found.below = min(found.below or output.min_support, output.min_support)
            found.longest = max(found.longest or 0, output.longest or 2**31)
    nothing = found.known.pop((), None)
    if nothing is not None:
        found.contradiction |= found.total not in (None, nothing)
        found.total = nothing
    return found


def is_collection(output: Published) -> bool:
    """Whether an output says supports of itemsets."""
    return isinstance(output, FrequentItemsets | AssociationRules)


def _said(output: Published, counts: Counts | None) -> Iterator[tuple[Group, CountInterval]]:
    """The itemsets of an output, each with its support."""
    if isinstance(output, FrequentItemsets):
        for itemset in output.itemsets:
            exact = None if counts is None else counts.records_in(itemset.items)
            said = itemset.support is not None or itemset.support_share is not None
            if exact is not None or said:  # a suppressed support is a gap like any other
                yield itemset.items, range_of(itemset, output.records) if exact is None else CountInterval.at(exact)
    elif isinstance(output, AssociationRules):
        effort = Effort()
        for rule in output.rules:
            yield from _of_rule(rule, output.records, counts, effort)


def _of_rule(
    rule: AssociationRule, total: int | None, counts: Counts | None, effort: Effort
) -> Iterable[tuple[Group, CountInterval]]:
    groups = (rule.antecedent, rule.consequent, rule.antecedent | rule.consequent)
    if counts is not None:
        return [(group, CountInterval.at(count)) for group in groups for count in (counts.records_in(group),)]
    supports = Written.of(rule, total).supports(effort)
    if not supports.boxes:
        return []
    ranges = (supports.antecedent, supports.consequent, supports.support)
    return list(zip(groups, ranges, strict=True))


def range_of(itemset: Itemset, total: int | None) -> CountInterval:
    """What is written of an itemset's support; empty where it contradicts itself."""
    rule = AssociationRule(
        antecedent=itemset.items, consequent=EVERYBODY, support=itemset.support, support_share=itemset.support_share
    )
    start = Written.of(rule, total).start
    if start is None:
        return CountInterval(1, 0)
    return CountInterval(start.both[0], start.both[1] if total is not None or itemset.support is not None else None)
