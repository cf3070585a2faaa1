"""Nodes against each other, within a tree and between trees of the same records.

The leaves of a tree part the records, so that a tree is one variable whose value is the leaf; an inner node is a set of
leaves. Several trees are a table of as many columns, of which a cell is empty where the paths of its leaves exclude
each other. What follows of this table's cells and their differences is found as of any other table (`linked`).

A rule list is such a variable too: a record's value is the first rule that takes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from auditor.errors import NotEvaluated
from auditor.interval import NUMBERS, Interval
from auditor.outputs._examination import Examination, Violation
from auditor.outputs.checks._judging import ROWS_LISTED, Judging
from auditor.outputs.checks._readings import once
from auditor.outputs.checks._releases import Released
from auditor.outputs.checks._together import joints, judge_differences
from auditor.outputs.linked import Contradiction, Number, System, derived
from auditor.outputs.published.conditions import EVERYBODY, MISSING, Condition, Group, equal, told
from auditor.outputs.published.outputs import (
    AssociationRules,
    DecisionTree,
    FrequencyTable,
    FrequentItemsets,
    GroupStatistics,
    Node,
    Published,
)
from auditor.outputs.published.spans import compared
from auditor.outputs.published.values import number_of, same_value
from auditor.policy.outputs import DecisionTreeLimits as Policy

LIMIT = "differencing"
NO_LEAST = "differencing needs min_leaf, which the rule does not set"
MOST_CELLS = 20_000
"""So many combinations of leaves are looked at together; of more trees, each with the one that is checked."""
PAIRS = "there are too many trees to examine all of them together, so each is compared only with one other at a time"
WITHOUT_EARLIER = "other outputs, or earlier ones, were counted from other records, so they were not compared"
ALONE = "the outputs that are released together contradict each other"


def judge_overlaid(judging: Judging, rule: Policy, output: DecisionTree) -> None:
    """Small groups that follow from the counts of nodes, of one tree or of several."""
    if rule.min_leaf is None:
        judging.leave_open([LIMIT], NO_LEAST)
        return
    judging.checked.judged.add(LIMIT)
    released = Released.of(output, judging.context)
    levels: list[tuple[Released, str | None]] = [(released, None)]
    if released.earlier:
        levels.append((released.without_earlier(), WITHOUT_EARLIER))
    levels.append((released.alone(), ALONE))
    for level, left in levels:
        try:
            found = list(_of_level(judging, rule, level))
        except Contradiction:
            continue
        judging.checked.violations += found
        if left is not None:
            judging.leave_open([LIMIT], left)
        break
    else:
        sentence = "The counts of the nodes contradict each other: no database fits."
        contradiction = Violation(item=output.source, limit="mismatch", sentence=sentence)
        judging.checked.violations.append(contradiction)
    _with_tables(judging, rule, output, released)


def _with_tables(judging: Judging, rule: Policy, output: DecisionTree, released: Released) -> None:
    """A tree beside tables or itemsets: all of them in one joint table of the columns."""
    others = (AssociationRules, FrequencyTable, FrequentItemsets, GroupStatistics)
    if not any(isinstance(each, others) for each in released.outputs):
        return
    together = Examination()
    try:
        for found in joints(output, judging.context):
            judge_differences(found, rule.min_leaf, together, judging.context)
        together.violations = once(together.violations)
    except Contradiction:
        judging.leave_open([LIMIT], ALONE)
    except NotEvaluated as error:
        judging.leave_open([LIMIT], str(error))
    known = {violation.item for violation in judging.checked.violations}
    judging.checked.violations += [each for each in together.violations if each.item not in known]
    for reason in together.open_limits.values():
        judging.leave_open([LIMIT], reason)


def _of_level(judging: Judging, rule: Policy, level: Released) -> Iterator[Violation]:
    place = level.place
    trees = {at: each for at, each in enumerate(level.outputs) if isinstance(each, DecisionTree)}
    trees = {at: each for at, each in trees.items() if _same_records(each, trees[place])}
    groups = [trees]
    if _cells(trees.values()) > MOST_CELLS:
        judging.leave_open([LIMIT], PAIRS)
        groups = [{place: trees[place], at: each} for at, each in trees.items() if at != place]
    told_of: set[str] = set()
    for group in groups:
        for label in (None, *_labels(group.values())):
            least = rule.min_leaf if label is None else rule.min_class_count
            if least is None:
                continue
            try:
                found = list(_Overlay(group, place, label).derived(judging, least))
            except NotEvaluated as error:
                judging.leave_open([LIMIT], str(error))
                continue
            yield from (each for each in found if each.item not in told_of)
            told_of.update(each.item for each in found)


def _same_records(one: Published, other: Published) -> bool:
    return one.records is None or other.records is None or one.records == other.records


def _cells(trees: Iterable[DecisionTree]) -> int:
    cells = 1
    for tree in trees:
        cells *= len(tree.leaves) + 1
    return cells


def _labels(trees: Iterable[DecisionTree]) -> list[tuple[str | None, str]]:
    """The classes of the trees, each with the column it is a value of."""
    nodes = ((tree.target, node) for tree in trees for node in (*tree.leaves, *tree.inner))
    return list(dict.fromkeys((target, label) for target, node in nodes for label, _ in node.counts or ()))


@dataclass(frozen=True)
class _Overlay:
    """Trees by their place in the order of release; counts of everybody, or of one class."""

    trees: Mapping[int, DecisionTree]
    place: int
    label: tuple[str | None, str] | None

    def derived(self, judging: Judging, least: int) -> Iterator[Violation]:
        """The groups of fewer than `least` that follow, and rest on the tree that is checked.

        Raises:
            Contradiction: no database fits.
            NotEvaluated: there are too many cells.
        """
        system = System([*self._numbers(), *self._empty()], full=self._full())
        system.check(judging.context.deadline)
        search = derived(system, least, judging.context.deadline)
        if not search.settled:
            judging.leave_open([LIMIT], "there was not enough time to work out whether a small group follows")
        for each in search.found:
            if each.rests_on >> self.place & 1:
                cells = [self._group(system, unknown) for unknown in sorted(each.unknowns)]
                yield self._violation(judging, cells, each.count, least)

    def _violation(self, judging: Judging, cells: Sequence[Group | None], count: int, least: int) -> Violation:
        known = [cell for cell in cells if cell is not None]
        names = [told(cell) for cell in known] + ["in no leaf"] * (len(known) < len(cells))
        of_class = "" if self.label is None else f" => {equal(self.label[0] or '', self.label[1])}"
        judging.checked.reach(LIMIT, count, least=True)
        return Violation(
            item=" or ".join(names) + of_class,
            limit=LIMIT,
            sentence="The count of a group that is too small follows from the counts of nodes.",
            reached=count,
            needed=least,
            records_count=count,
            rows=self._rows(judging, cells),
        )

    def _rows(self, judging: Judging, cells: Sequence[Group | None]) -> tuple[int, ...] | None:
        counts = judging.context.counts
        if counts is None or None in cells or any(tree.ordered for tree in self.trees.values()):
            return None
        column, label = self.label or (None, "")
        of_class = EVERYBODY if column is None else frozenset({equal(column, label)})
        rows: set[int] = set()
        for cell in cells:
            rows.update(counts.members((cell or EVERYBODY) | of_class).tolist())
        return tuple(sorted(rows)[:ROWS_LISTED])

    def _group(self, system: System, unknown: int) -> Group | None:
        """The path to a cell: those to its leaves; None where it is in no leaf of some tree."""
        columns, cell = system.members(unknown)
        found: Group = EVERYBODY
        for column, value in zip(columns, cell, strict=True):
            values = system.classes[column].values
            if value >= len(values):
                return None
            at, leaf = _places(column, str(values[value]))
            found |= self.trees[at].leaves[leaf].path
        return found

    def _full(self) -> frozenset[str]:
        """The trees that have everybody in some leaf: all or none, for leaves of as many people in each."""
        totals = {tree.records for tree in self.trees.values()} - {None}
        for tree in self.trees.values():
            counts = [self._count(tree, leaf) for leaf in tree.leaves]
            totals.add(None if None in counts else sum(count for count in counts if count is not None))
        same = len(totals) == 1 and None not in totals
        return frozenset(_in(at, 0).attribute for at in self.trees) if same or self.label is not None else frozenset()

    def _numbers(self) -> Iterator[Number]:
        """The counts of nodes."""
        for at, tree in self.trees.items():
            if tree.records is not None and self.label is None:
                yield _number(EVERYBODY, tree.records, at, "everybody")
            for leaf, node in enumerate(tree.leaves):
                count = self._count(tree, node)
                if count is not None:
                    yield _number(frozenset({_in(at, leaf)}), count, at, told(node.path))
            for node in tree.inner if not tree.ordered else ():
                below = [_in(at, leaf) for leaf, each in enumerate(tree.leaves) if node.path <= each.path]
                count = self._count(tree, node)
                if count is not None and below:
                    any_of = Condition(below[0].attribute, "in", tuple(each.values[0] for each in below))
                    yield _number(frozenset({any_of}), count, at, told(node.path))

    def _count(self, tree: DecisionTree, node: Node) -> int | None:
        if self.label is not None:
            if node.counts is None or tree.target != self.label[0]:
                return None
            return dict(node.counts).get(self.label[1], 0)
        return node.count if node.count is not None or node.counts is None else sum(n for _, n in node.counts)

    def _empty(self) -> Iterator[Number]:
        """Leaves of two trees that nobody can be in both of; that is nobody's publication."""
        nobody = max(self.trees) + 1
        places = list(self.trees)
        for one, other in ((a, b) for at, a in enumerate(places) for b in places[at + 1 :]):
            pairs = product(enumerate(self.trees[one].leaves), enumerate(self.trees[other].leaves))
            for (i, leaf), (j, other_leaf) in pairs:
                if not satisfiable(leaf.path | other_leaf.path):
                    yield _number(frozenset({_in(one, i), _in(other, j)}), 0, nobody, "nobody")


def _in(tree: int, leaf: int) -> Condition:
    """To be in a leaf, as a value of the tree's variable."""
    return equal(f"tree {tree}", f"leaf {leaf}")


def _places(column: str, value: str) -> tuple[int, int]:
    return int(column.removeprefix("tree ")), int(value.removeprefix("leaf "))


def _number(group: Group, count: int, place: int, name: str) -> Number:
    return Number(group, Interval.at(Fraction(count)), place, name)


def satisfiable(group: Group) -> bool:
    """Whether some value of every column meets all conditions on it; False only where none can."""
    by_column: dict[str, list[Condition]] = {}
    for condition in group:
        by_column.setdefault(condition.attribute, []).append(condition)
    return all(not column or _has_value(conditions) for column, conditions in by_column.items())


def _has_value(conditions: Sequence[Condition]) -> bool:
    missing = [condition.operator == MISSING for condition in conditions]
    if any(missing):
        return all(missing)
    allowed: set[str | Fraction] | None = None
    refused: set[str | Fraction] = set()
    between = NUMBERS
    for condition in conditions:
        values = {same_value(value) for value in condition.values}
        bound = number_of(condition.values[0]) if condition.values else None
        if condition.operator in ("=", "in"):
            allowed = values if allowed is None else allowed & values
        elif condition.operator in ("!=", "not in"):
            refused |= values
        elif bound is not None:
            between = between.intersection(compared(condition.operator, bound))
    if allowed is not None:
        numbers = (Interval.at(value) if isinstance(value, Fraction) else NUMBERS for value in allowed - refused)
        return any(between.holds(each) for each in numbers)
    return not between.empty and between.point not in refused
