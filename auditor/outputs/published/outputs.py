"""What a file publishes, whatever format it was written in: the only thing that checks see.

Counts are whole numbers of records (or of units, where the producer counted those). A share is an exact fraction of
what was written, with the number of decimal places it was written with: 0.83 claims a number in [0.825, 0.835].
What a file does not say is None, never a default.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from auditor.interval import NUMBERS, Interval
from auditor.outputs.published.conditions import EVERYBODY, Group

UNNAMED = "(unnamed "
"""How the name of a column begins that a file does not tell; the rest tells it from those of other files."""


INDICATOR = ("0", "1")
"""The values of a column that says no and yes by numbers."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A number as it was written: its value, and to how many decimal places it is meant (None: exactly)."""

    value: Fraction
    places: int | None = None

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The least and the largest number that is written so."""
        half = Fraction(0) if self.places is None else Fraction(1, 2 * 10**self.places)
        return self.value - half, self.value + half

    def is_met_by(self, value: Fraction, slack: Fraction = Fraction(0)) -> bool:
        """Whether a number, rounded as this one was, is written so; or one that is at most `slack` from it."""
        low, high = self.ends
        return low - slack <= value <= high + slack


@dataclass(frozen=True, kw_only=True)
class Published:
    """One output of a file.

    `records` is N, how many records it was made from; `records_told` is False where it is not the file that says so.

    `notes` say what the reader took for granted, and `unread` what stands in the file and could not be read: neither
    holds a value of the data. An output with something unread is never a pass.
    """

    type: str
    source: str
    format: str
    sha256: str
    records: int | None = None
    records_told: bool = True
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def form(self) -> Published:
        """What the output publishes, whatever file it came in."""
        return replace(self, source="", format="", sha256="", notes=(), unread=())

    @property
    def groups(self) -> Iterator[Group]:
        """The records that it speaks of: the sides of rules, items, paths, whom a term stands for, the whole table."""
        yield from ()

    @property
    def columns(self) -> Iterator[str]:
        """The columns whose values stand in it, by the names that it has for them; "" for one that has none."""
        yield from (condition.attribute for group in self.groups for condition in group)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationRule:
    """X ⇒ Y. `support` is n(X and Y), `antecedent_support` n(X), `consequent_support` n(Y), each as a count.

    `support_share` and so on are the same numbers where they were written as shares of N; `measures` whatever else was
    written (lift, leverage, conviction), by its usual name.
    """

    antecedent: Group
    consequent: Group
    support: int | None = None
    antecedent_support: int | None = None
    consequent_support: int | None = None
    support_share: Stated | None = None
    antecedent_share: Stated | None = None
    consequent_share: Stated | None = None
    confidence: Stated | None = None
    measures: tuple[tuple[str, Stated], ...] = ()


@dataclass(frozen=True, kw_only=True)
class AssociationRules(Published):
    """Association rules. `min_support` is the miner's threshold as a count: what is absent has less."""

    rules: tuple[AssociationRule, ...]
    min_support: int | None = None
    type: str = "association-rules"

    @property
    def groups(self) -> Iterator[Group]:
        """See `Published`."""
        yield from (side for rule in self.rules for side in (rule.antecedent, rule.consequent))


@dataclass(frozen=True, slots=True, kw_only=True)
class Itemset:
    """Items and how many records hold all of them; None where it was suppressed."""

    items: Group
    support: int | None = None
    support_share: Stated | None = None


@dataclass(frozen=True, kw_only=True)
class FrequentItemsets(Published):
    """Frequent itemsets. `min_support` as for rules; an absent itemset of at most `longest` items has less than it."""

    itemsets: tuple[Itemset, ...]
    min_support: int | None = None
    longest: int | None = None
    type: str = "frequent-itemsets"

    @property
    def groups(self) -> Iterator[Group]:
        """See `Published`."""
        yield from (each.items for each in self.itemsets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node of a tree, or a rule of a rule list: the records on its path, and what was written about them.

    `counts` are records by class, `shares` the same as written shares, `mean` the prediction of a regression tree.
    """

    path: Group
    count: int | None = None
    counts: tuple[tuple[str, int], ...] | None = None
    shares: tuple[tuple[str, Stated], ...] | None = None
    predicted: str | None = None
    mean: Stated | None = None


@dataclass(frozen=True, kw_only=True)
class DecisionTree(Published):
    """A tree: its leaves, which part the records, and the inner nodes that numbers were written about.

    With `ordered`, the leaves are the rules of a list, and each speaks of the records that no earlier one took.
    """

    target: str | None
    leaves: tuple[Node, ...]
    inner: tuple[Node, ...] = ()
    ordered: bool = False
    type: str = "decision-tree"

    @property
    def groups(self) -> Iterator[Group]:
        """See `Published`."""
        yield from (node.path for node in (*self.leaves, *self.inner))

    @property
    def columns(self) -> Iterator[str]:
        """See `Published`."""
        yield from (*super().columns, self.target or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of a table: its key (None: the margin over that column) and what was written in it.

    A count or sum of None is suppressed; `least` and `most` are the ends that were written in place of a count: of
    ``<10``, the most is 9. `share` is what was written where a table has shares of its margins, until the one count
    behind it is known; of one that several go with, these are the ends. `sum_ends` are those that were written in place
    of a sum. `largest` are the largest contributions, where they were given.
    """

    key: tuple[str | None, ...]
    count: int | None = None
    least: int | None = None
    most: int | None = None
    share: Stated | None = None
    sum: Stated | None = None
    sum_ends: Interval[Fraction] = NUMBERS
    largest: tuple[Fraction, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FrequencyTable(Published):
    """A table of counts by columns; `where` are conditions on the whole table (its filter).

    `missing` are the columns of which it counts the records without a value, too, under `NO_LABEL`.

    `share_of` are the columns whose margins its shares are of, none for those of everybody, in each way that its
    numbers allow; None where it has counts. With `may_be_shares`, its counts come to 100 and may be percentages.
    """

    by: tuple[str, ...]
    cells: tuple[Cell, ...]
    where: Group = EVERYBODY
    missing: tuple[str, ...] = ()
    share_of: tuple[tuple[str, ...], ...] | None = None
    may_be_shares: bool = False
    type: str = "frequency-table"

    @property
    def groups(self) -> Iterator[Group]:
        """See `Published`."""
        yield self.where

    @property
    def columns(self) -> Iterator[str]:
        """See `Published`."""
        yield from (*super().columns, *self.by)


@dataclass(frozen=True, kw_only=True)
class MagnitudeTable(FrequencyTable):
    """A table of sums of a column; `values_of` are its values for no and yes, where it has no others."""

    of: str
    values_of: tuple[str, str] | None = None
    type: str = "magnitude-table"

    @property
    def columns(self) -> Iterator[str]:
        """See `Published`. A sum over one record is its value."""
        yield from (*super().columns, self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """What was written about one group: n, and each statistic by its name (mean, sum, max, p90 …)."""

    key: tuple[str | None, ...]
    n: int | None = None
    values: tuple[tuple[str, Stated], ...] = ()


@dataclass(frozen=True, kw_only=True)
class GroupStatistics(Published):
    """Statistics of a column by groups; `values_of` are its values for no and yes, where it has no others.

    `missing` is what it is of a `FrequencyTable`.
    """

    of: str
    by: tuple[str, ...]
    cells: tuple[Statistic, ...]
    where: Group = EVERYBODY
    missing: tuple[str, ...] = ()
    values_of: tuple[str, str] | None = None
    type: str = "statistics"

    @property
    def groups(self) -> Iterator[Group]:
        """See `Published`."""
        yield self.where

    @property
    def columns(self) -> Iterator[str]:
        """See `Published`. A statistic, such as a maximum, may be a value of the column that it is of."""
        yield from (*super().columns, *self.by)
        yield from (self.of,) if any(cell.values for cell in self.cells) else ()


Table = FrequencyTable | GroupStatistics
"""What has cells by the values of columns."""


def called(table: Table, by: tuple[str, ...]) -> Table:
    """A table with other names of its columns."""
    names = dict(zip(table.by, by, strict=True))
    found = replace(table, by=by, missing=tuple(names[each] for each in table.missing))
    if isinstance(found, FrequencyTable) and found.share_of is not None:
        return replace(found, share_of=tuple(tuple(names[each] for each in of) for of in found.share_of))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A coefficient of a regression. `condition` is whom an indicator stands for, `ones` how many these are."""

    name: str
    coefficient: Stated | None = None
    condition: Group | None = None
    ones: int | None = None


@dataclass(frozen=True, kw_only=True)
class Regression(Published):
    """A regression: n (as `records`), residual degrees of freedom, and its terms."""

    outcome: str | None
    terms: tuple[Term, ...]
    dof: int | None = None
    type: str = "regression"

    @property
    def groups(self) -> Iterator[Group]:
        """See `Published`."""
        yield from (term.condition for term in self.terms if term.condition is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster: its size, its centre by column, a radius of 0 or more, and records by value of a sensitive column."""

    size: int | None
    centre: tuple[tuple[str, str], ...] = ()
    radius: Stated | None = None
    counts: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = field(default=())


@dataclass(frozen=True, kw_only=True)
class Clustering(Published):
    """A clustering."""

    clusters: tuple[Cluster, ...]
    type: str = "clusters"

    @property
    def columns(self) -> Iterator[str]:
        """See `Published`."""
        for cluster in self.clusters:
            yield from (name for name, _ in (*cluster.centre, *cluster.counts))
