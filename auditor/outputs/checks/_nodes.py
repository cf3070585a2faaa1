"""The nodes of a tree, or the rules of a list, with the numbers behind them: from the data, or as they are written.

The records of a node are those that meet its path; in an ordered list, those of them that no earlier rule took. With a
target, they are those that have a value of it: others were not learnt from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from auditor.classes import IntArray
from auditor.errors import NotEvaluated
from auditor.interval import CountInterval
from auditor.outputs._examination import Violation
from auditor.outputs.checks._judging import Judging
from auditor.outputs.patterns.supports import ends
from auditor.outputs.published.conditions import EVERYBODY, Condition, told
from auditor.outputs.published.counts import Bits, Counts
from auditor.outputs.published.outputs import DecisionTree, Node, Stated
from auditor.outputs.published.values import number_of, same_value

Shares = tuple[Fraction, Fraction]
"""The least and the largest share that goes with what is written."""

Pair = tuple[int | Fraction | None, int | Fraction | None]

NOTHING = CountInterval()


@dataclass(frozen=True)
class CountedNode:
    """A node with its records: how many, and by class; `rows` with data. What is not known has the widest range."""

    node: Node
    item: str
    count: CountInterval
    classes: Mapping[str, CountInterval] | None = None
    shares: Mapping[str, Shares] | None = None
    rows: IntArray | None = None

    def share(self, label: str) -> Shares:
        """The least and the largest share of a class."""
        low, high = (self.shares or {}).get(label, (Fraction(0), Fraction(1)))
        known = (self.classes or {}).get(label, NOTHING)
        if self.count.high:
            low = max(low, Fraction(known.low, self.count.high))
        if self.count.low and known.high is not None:
            high = min(high, Fraction(known.high, self.count.low))
        return low, high


def counted(output: DecisionTree, judging: Judging) -> tuple[list[CountedNode], list[CountedNode]]:
    """The leaves and the inner nodes; what disagrees with the data, or with itself, is a mismatch."""
    counts = judging.context.counts
    if counts is None:
        leaves, inner = ([_written(node) for node in nodes] for nodes in (output.leaves, output.inner))
        _contradictions([*leaves, *inner], output, judging)
        return leaves, inner
    judging.checked.judged.add("mismatch")
    of_data = _OfData(output, counts)
    try:
        leaves = list(of_data.leaves())
        inner = [of_data.node(node, counts.bits(node.path)) for node in output.inner]
    except NotEvaluated as error:
        judging.leave_open(("",), f"some nodes cannot be counted in the data: {error}")
        return [], []
    judging.checked.violations += of_data.disagreeing()
    if output.target is None or output.target not in counts.names:
        judging.checked.notes.append("the data has no column of the classes: their counts are the file's own")
    return leaves, inner


class _OfData:
    """The nodes counted in the data, and where what is written is something else."""

    def __init__(self, output: DecisionTree, counts: Counts) -> None:
        self.output, self.counts = output, counts
        self.target = output.target if output.target in counts.names else None
        has_target = EVERYBODY if self.target is None else {Condition(self.target, "not in", ())}
        self.learnt = counts.bits(frozenset(has_target))
        self.by_units: list[Violation] = []
        self.by_records: list[Violation] = []
        people = counts.people_in(self.learnt), counts.rows_in(self.learnt).size
        for found, total in zip((self.by_units, self.by_records), people, strict=True):
            if output.records not in (None, counts.people, counts.records, total):
                sentence = "The number of records disagrees with the data."
                found.append(_mismatch(told(EVERYBODY), sentence, (output.records, total)))

    def leaves(self) -> Iterator[CountedNode]:
        left = self.learnt
        for node in self.output.leaves:
            path = self.counts.bits(node.path)
            yield self.node(node, path & left)
            if self.output.ordered:
                left = left & ~path

    def node(self, node: Node, bits: Bits) -> CountedNode:
        bits = bits & self.learnt
        rows = self.counts.rows_in(bits)
        count = self.counts.people_in(bits)
        classes: Mapping[str, CountInterval] | None = None
        shares: Mapping[str, Shares] | None = None
        of_records: dict[str | None, int] = {}
        if self.target is not None:
            found = self.counts.spread(rows, self.target)
            of_records = self.counts.spread(rows, self.target, units=False)
            classes = {label: CountInterval.at(n) for label, n in found.items() if label is not None}
        else:
            written = _written(node)
            classes, shares = written.classes, written.shares
        by_class = {label: each.low for label, each in (classes or {}).items()}
        item = told(node.path)
        records = {label: n for label, n in of_records.items() if label is not None}
        for disagreeing, total, known in ((self.by_units, count, by_class), (self.by_records, len(rows), records)):
            numbers = self._differing(node, total, known if self.target is not None else None, of_records)
            if numbers is not None:
                disagreeing.append(_mismatch(item, "Its published numbers disagree with the data.", numbers))
        return CountedNode(node, item, CountInterval.at(count), classes, shares, rows)

    def _differing(
        self, node: Node, count: int, classes: Mapping[str, int] | None, of_records: Mapping[str | None, int]
    ) -> Pair | None:
        """The first number that is written of a node and was not counted, beside the one that was; None for none."""
        if node.count not in (None, count):
            return node.count, count
        known = {same_value(label): n for label, n in (classes or {}).items()}
        written = {same_value(label): n for label, n in node.counts or ()} if classes is not None else {}
        for label, n in written.items():
            if n != known.get(label, 0):
                return n, known.get(label, 0)
        for of_label, of in (node.shares or ()) if classes is not None and count else ():
            share = Fraction(known.get(same_value(of_label), 0), count)
            if not _near(of, share):
                return of.value, share
        if classes is None or node.mean is None or not count:
            return None
        mean = self._mean(of_records)
        return (node.mean.value, mean) if mean is None or not _near(node.mean, mean) else None

    @staticmethod
    def _mean(of_records: Mapping[str | None, int]) -> Fraction | None:
        """The mean of the classes, which are numbers; None where one is none."""
        values = [(number_of(label), n) for label, n in of_records.items() if label is not None]
        numbers = [(value * n, n) for value, n in values if value is not None]
        if len(numbers) < len(values):
            return None
        return sum((part for part, _ in numbers), Fraction(0)) / sum(n for _, n in numbers)

    def disagreeing(self) -> list[Violation]:
        """A miner counts records or units, the same throughout."""
        return self.by_units if len(self.by_units) <= len(self.by_records) else self.by_records


def _near(stated: Stated, value: Fraction) -> bool:
    low, high = ends(stated)
    return low <= value <= high


def _written(node: Node) -> CountedNode:
    """What a node says itself."""
    count = NOTHING if node.count is None else CountInterval.at(node.count)
    classes: dict[str, CountInterval] | None = None
    if node.counts is not None:
        classes = {label: CountInterval.at(n) for label, n in node.counts}
        count = count if node.count is not None else CountInterval.at(sum(n for _, n in node.counts))
    shares = None if node.shares is None else {label: ends(stated) for label, stated in node.shares}
    if classes is None and shares is not None and (n := count.high) is not None:
        classes = {
            label: CountInterval(max(0, ceil(low * n)), floor(high * n)) for label, (low, high) in shares.items()
        }
    return CountedNode(node, told(node.path), count, classes, shares)


def _contradictions(nodes: Iterable[CountedNode], output: DecisionTree, judging: Judging) -> None:
    """Classes of more records than the node, shares that no whole numbers have, more leaves than records."""
    sentence = "The numbers contradict each other: no database fits."
    for each in nodes:
        classes, most = (each.classes or {}).values(), each.count.high
        least, empty = sum(of.low for of in classes), any(of.empty for of in classes)
        if empty or (most is not None and least > most):
            judging.checked.violations.append(_mismatch(each.item, sentence))
    of_leaves = sum(each.count.low for each in nodes if each.node in output.leaves) if not output.ordered else 0
    if output.records is not None and of_leaves > output.records:
        judging.checked.violations.append(_mismatch(told(EVERYBODY), sentence))


def _mismatch(item: str, sentence: str, numbers: Pair = (None, None)) -> Violation:
    """`numbers` are what is written and what was counted."""
    written, counted = numbers
    return Violation(item=item, limit="mismatch", sentence=sentence, reached=written, needed=counted)
