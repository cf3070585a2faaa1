"""What an output says of the counts of groups, whatever its type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from auditor.interval import CountInterval, Interval
from auditor.outputs._indicator import codes, ones
from auditor.outputs.published.conditions import EVERYBODY, NO_LABEL, Condition, Group, equal, missing, told
from auditor.outputs.published.outputs import (
    AssociationRule,
    AssociationRules,
    Cell,
    Clustering,
    DecisionTree,
    FrequencyTable,
    FrequentItemsets,
    GroupStatistics,
    MagnitudeTable,
    Node,
    Published,
    Regression,
    Stated,
    Statistic,
)

Key = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """One published number: the count of a group, or the sum of a column over it, is in an interval.

    A suppressed count is 0 or more, or what a reader knows of those that were suppressed.
    `output` says which output it stands in, by its place in the order of release, and `name` what it is there.
    """

    group: Group
    ends: Interval[Fraction]
    output: int
    name: str
    suppressed: bool = False

    @property
    def is_inner(self) -> bool:
        """Whether it is a cell, and no margin over a column."""
        return all(condition.values for condition in self.group)


def suppressed_count(cell: Cell, known: CountInterval) -> CountInterval:
    """What is known of a suppressed count: what its cell writes, and what is known of all of them besides."""
    ends = [end for end in (known.high, cell.most) if end is not None]
    return CountInterval(known.low if cell.least is None else cell.least, min(ends, default=None))


UNKNOWN = CountInterval()


def counted(output: Published, place: int, slack: int = 0, known: CountInterval = UNKNOWN) -> Iterator[Number]:
    """The counts that an output publishes or suppresses; rounded counts are known to within `slack`.

    `known` is what is known of those that a table suppresses.
    How many records there are is taken as public where supports are shares of it, and of trees; of a table where its
    file says so. A margin of a table counts the records that have some value in its columns.
    """
    shares = isinstance(output, FrequentItemsets | AssociationRules | DecisionTree)
    whole = isinstance(output, FrequencyTable) and output.records_told and output.where == EVERYBODY
    if output.records is not None and (shares or whole):
        yield _number(EVERYBODY, output.records, place, "everybody", slack)
    yield from _of_ones(output, place)
    if isinstance(output, FrequencyTable):
        yield from _of_table(output, place, slack, known)
    elif isinstance(output, GroupStatistics):
        yield from _of_statistics(output, place)
    elif isinstance(output, FrequentItemsets):
        for itemset in output.itemsets:
            yield _number(itemset.items, itemset.support, place, told(itemset.items), slack)
    elif isinstance(output, AssociationRules):
        for rule in output.rules:
            yield from _of_rule(rule, place)
    elif isinstance(output, DecisionTree) and not output.ordered:
        for node in (*output.leaves, *output.inner):
            yield from _of_node(node, output.target, place)
    elif isinstance(output, Regression):
        yield from _of_regression(output, place)
    elif isinstance(output, Clustering):
        yield from _of_clusters(output, place)


def _of_table(table: FrequencyTable, place: int, slack: int, known: CountInterval) -> Iterator[Number]:
    """The counts of cells. A table of sums may say none, which is not to suppress them."""
    if isinstance(table, MagnitudeTable) and not any(_says_counts(cell) for cell in table.cells):
        return
    for cell in table.cells:
        group, name = cell_group(table, cell.key), cell_name(table, cell.key)
        if cell.count is not None:
            yield _number(group, cell.count, place, name, slack)
            continue
        hidden = suppressed_count(cell, known)
        ends = Interval(Fraction(hidden.low), None if hidden.high is None else Fraction(hidden.high))
        yield Number(group, ends, place, name, suppressed=True)


def _says_counts(cell: Cell) -> bool:
    return (cell.count, cell.least, cell.most) != (None, None, None)


def _of_statistics(table: GroupStatistics, place: int) -> Iterator[Number]:
    """The counts of groups: of the records that have a value of the column that the statistics are of."""
    of = frozenset([Condition(table.of, "not in", ())])
    for cell in table.cells:
        if cell.n is not None:
            yield _number(cell_group(table, cell.key) | of, cell.n, place, cell_name(table, cell.key))


def _of_ones(output: Published, place: int) -> Iterator[Number]:
    """The counts that means and sums of a column of 0 and 1 are: how many have the value, and how many have not."""
    if not isinstance(output, GroupStatistics | MagnitudeTable) or output.values_of is None:
        return
    no, yes = (equal(output.of, value) for value in output.values_of)
    of = codes(output.values_of)
    for cell in output.cells:
        n = cell.n if isinstance(cell, Statistic) else cell.count
        values = {"sum": cell.sum} if isinstance(cell, Cell) else dict(cell.values)
        ends = ones({name.lower(): stated for name, stated in values.items() if stated is not None}, n, of)
        if ends is None or ends[0] > ends[1]:
            continue
        group, name = cell_group(output, cell.key), cell_name(output, cell.key)
        low, high = map(Fraction, ends)
        yield Number(group | {yes}, Interval(low, high), place, f"{name}, {yes}")
        if n is not None:
            yield Number(group | {no}, Interval(n - high, n - low), place, f"{name}, {no}")


def summed(output: Published, place: int, column: str, *, rounded: bool) -> Iterator[Number]:
    """The sums of a column that an output publishes or suppresses; with n, a mean is a sum.

    With `rounded`, a number that was written with some decimal places is known to half a unit of the last one.
    """
    if isinstance(output, MagnitudeTable) and output.of == column:
        if any(cell.sum is not None or cell.sum_ends.ends for cell in output.cells):
            for cell in output.cells:
                number = _sum(output, cell.key, cell.sum, place, rounded=rounded)
                yield number if cell.sum is not None else replace(number, ends=cell.sum_ends)
    elif isinstance(output, GroupStatistics) and output.of == column:
        for each in output.cells:
            values = dict(each.values)
            if "sum" in values:
                yield _sum(output, each.key, values["sum"], place, rounded=rounded)
            elif "mean" in values and each.n is not None:
                yield _sum(output, each.key, values["mean"], place, n=each.n, rounded=rounded)


def _sum(
    table: FrequencyTable | GroupStatistics, key: Key, stated: Stated | None, place: int, *, rounded: bool, n: int = 1
) -> Number:
    """N times a number, over the group of a cell."""
    group, name = cell_group(table, key), cell_name(table, key)
    if stated is None:
        return Number(group, Interval(), place, name, suppressed=True)
    low, high = stated.ends if rounded else (stated.value, stated.value)
    return Number(group, Interval(n * low, n * high), place, name)


def _of_rule(rule: AssociationRule, place: int) -> Iterator[Number]:
    for group, count in (
        (rule.antecedent | rule.consequent, rule.support),
        (rule.antecedent, rule.antecedent_support),
        (rule.consequent, rule.consequent_support),
    ):
        if count is not None:
            yield _number(group, count, place, told(group))
    if rule.support is None and rule.support_share is None:
        yield _number(rule.antecedent | rule.consequent, None, place, told(rule.antecedent | rule.consequent))


def _of_node(node: Node, target: str | None, place: int) -> Iterator[Number]:
    count = node.count if node.count is not None or node.counts is None else sum(n for _, n in node.counts)
    if count is not None:
        yield _number(node.path, count, place, told(node.path))
    for label, of_class in node.counts or () if target is not None else ():
        group = node.path | {equal(target or "", label)}
        yield _number(group, of_class, place, told(group))


def _of_regression(output: Regression, place: int) -> Iterator[Number]:
    """How many records a regression is of, and how many have each of its indicators: those with a known outcome."""
    of = frozenset([Condition(output.outcome or f"the outcome of {output.source}", "not in", ())])
    if output.records is not None and output.records_told:
        yield _number(of, output.records, place, "everybody")
    known = {term.condition: term.ones for term in output.terms if term.condition is not None and term.ones is not None}
    for condition, ones_of in known.items():
        yield _number(condition | of, ones_of, place, told(condition))


def _of_clusters(output: Clustering, place: int) -> Iterator[Number]:
    """How many records a clustering is of, and how many of all its members have each value that it counts."""
    of = frozenset([Condition(f"the columns of {output.source}", "not in", ())])
    sizes = [cluster.size for cluster in output.clusters]
    records = output.records if output.records_told else None
    in_all = sum(size for size in sizes if size is not None) if None not in sizes else None
    if records is None and sizes:
        records = in_all
    if records is not None:
        yield _number(of, records, place, "everybody")
    if in_all is None or in_all != records:
        return  # what is counted of some members only is of no group that another output has
    values: dict[tuple[str, str], int] = {}
    for column, counts in (each for cluster in output.clusters for each in cluster.counts):
        for value, count in counts:
            values[column, value] = values.get((column, value), 0) + count
    for (column, value), count in values.items():
        if all(column in dict(cluster.counts) for cluster in output.clusters if cluster.size):
            group = frozenset({equal(column, value)})
            yield _number(group | of, count, place, told(group))


def _number(group: Group, count: int | None, place: int, name: str, slack: int = 0) -> Number:
    if count is None:
        return Number(group, Interval(Fraction(0)), place, name, suppressed=True)
    return Number(group, Interval(Fraction(max(0, count - slack)), Fraction(count + slack)), place, name)


def cell_group(table: FrequencyTable | GroupStatistics, key: Key) -> Group:
    """The records that meet the table's filter, have the cell's values, and any value where it is a margin.

    A record without a value in a column of the table is in none of its cells, nor in its margins; where the table has
    a group of these, in that group, and in the margins over the column.
    """
    return table.where | frozenset(
        _part(column, value, counted=column in table.missing)
        for column, value in zip(table.by, key, strict=True)
        if value is not None or column not in table.missing
    )


def _part(column: str, value: str | None, *, counted: bool) -> Condition:
    """What a part of a key says of its column, where records without a value are `counted` or are not."""
    if value is None:
        return Condition(column, "not in", ())
    return missing(column) if counted and value == NO_LABEL else equal(column, value)


def cell_name(table: FrequencyTable | GroupStatistics, key: Key) -> str:
    """A cell in words: its values by column, ``total`` for the margin over everything."""
    parts = zip(table.by, key, strict=True)
    values = [
        str(_part(column, value, counted=column in table.missing)) for column, value in parts if value is not None
    ]
    return ", ".join(values) or "total"
