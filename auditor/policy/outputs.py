"""What mining outputs may tell: one entry per type of output."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from auditor.policy._base import Block, Count, Share, Stricter
from auditor.result import Kind
from auditor.spec import Spec

SensitiveValues = dict[str, tuple[str, ...]]
"""Values by attribute."""


class OutputRule(Block):
    """What every rule on outputs has. `LIMITS` are the fields that are judged, each a requirement of the result."""

    LIMITS: ClassVar[tuple[str, ...]] = ()

    id: Annotated[str | None, Stricter.NEUTRAL] = Field(
        None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the rule; defaults to its type."
    )
    because: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Why this is required.")


class Patterns(OutputRule):
    """What rules and itemsets share."""

    min_support_count: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        None, description="Least records of a pattern."
    )
    forbidden: Annotated[SensitiveValues, Stricter.SUPERSET, Spec(Kind.TRUTH, people=False)] = Field(
        {}, description="Items that must not appear."
    )
    channels: Annotated[bool, Stricter.TRUE, Spec(Kind.COUNT, people=False)] = Field(
        False, description="Whether derived patterns (I and not J) are checked too (Atzori et al. 2008)."
    )
    possible_channels: Annotated[Literal["deny", "allow"], Stricter.HIGHER] = Field(
        "allow", description="Whether a derived pattern may be held by fewer than min_support_count, or by nobody."
    )


class AssociationRules(Patterns):
    """Association rules: supports, exceptions and confidence to sensitive values."""

    LIMITS: ClassVar[tuple[str, ...]] = (
        "min_support_count",
        "min_antecedent_count",
        "min_exceptions",
        "max_confidence",
        "sensitive_antecedents",
        "min_l",
        "max_t",
        "forbidden",
        "channels",
    )
    type: Annotated[Literal["association-rules"], Stricter.REVIEW] = "association-rules"
    min_antecedent_count: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        None, description="Least records of X."
    )
    min_exceptions: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        None, description="Least supp(X) - supp(X and Y)."
    )
    max_confidence: Annotated[Share | None, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        None, description="Largest confidence."
    )
    # The opposite of a value is judged where it alone is sensitive: more values may judge less.
    sensitive: Annotated[SensitiveValues | None, Stricter.REVIEW] = Field(
        None, description="Consequents that max_confidence is about; all by default."
    )
    opposite: Annotated[bool, Stricter.TRUE] = Field(
        False, description="Whether max_confidence is also about not having the value: 1 - confidence."
    )
    sensitive_antecedents: Annotated[Literal["deny", "allow"], Stricter.HIGHER, Spec(Kind.TRUTH, people=False)] = Field(
        "allow", description="Whether a sensitive value may stand in X, where it leads to those who have it."
    )
    min_l: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=False)] = Field(
        None, description="Least distinct sensitive values left possible by all rules with one X."
    )
    max_t: Annotated[Share | None, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        None, description="Largest distance of what all rules with one X tell to the whole (variational)."
    )


class FrequentItemsets(Patterns):
    """Frequent itemsets: supports and what follows from them together."""

    LIMITS: ClassVar[tuple[str, ...]] = ("min_support_count", "forbidden", "channels")
    type: Annotated[Literal["frequent-itemsets"], Stricter.REVIEW] = "frequent-itemsets"


class DecisionTree(OutputRule):
    """Decision trees: leaves and the class counts in them."""

    LIMITS: ClassVar[tuple[str, ...]] = (
        "min_leaf",
        "min_class_count",
        "max_confidence",
        "min_l",
        "max_t",
        "differencing",
    )
    type: Annotated[Literal["decision-tree"], Stricter.REVIEW] = "decision-tree"
    min_leaf: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        None, description="Least records of a leaf."
    )
    min_class_count: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        None, description="Least non-zero count of a class inside a leaf."
    )
    max_confidence: Annotated[Share | None, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        None, description="Largest share of a class."
    )
    sensitive: Annotated[SensitiveValues | None, Stricter.SUPERSET] = Field(
        None, description="Classes that max_confidence is about; all by default."
    )
    min_l: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=False)] = Field(
        None, description="Least distinct classes in a leaf."
    )
    max_t: Annotated[Share | None, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        None, description="Largest distance of a leaf's classes to the root's (variational)."
    )
    differencing: Annotated[bool, Stricter.TRUE, Spec(Kind.COUNT, people=False)] = Field(
        False, description="Whether nodes are checked against each other, other trees and earlier releases."
    )


class Suppressed(Block):
    """What a reader of a table knows of the rule by which its counts were suppressed."""

    zeros: Annotated[Literal["never", "as-published", "possible"], Stricter.HIGHER] = Field(
        "as-published",
        description="Whether a suppressed count may be 0; as published: never, once the table publishes a 0.",
    )
    secondary: Annotated[Literal["never", "possible"], Stricter.HIGHER] = Field(
        "possible", description="Whether counts that are not small were suppressed to protect others."
    )
    below: Annotated[Annotated[int, Field(ge=1)] | Literal["min_cell"], Stricter.REVIEW] = Field(
        "min_cell", description="Counts below it were suppressed as small."
    )


class Table(OutputRule):
    """What tables of cells share."""

    min_cell: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        None, description="Least units of a published cell."
    )
    zeros_disclosive: Annotated[bool, Stricter.TRUE] = Field(False, description="Whether an empty cell discloses.")
    suppressed: Annotated[Suppressed | None, Stricter.REVIEW] = Field(
        None, description="What a reader knows of the rule by which counts were suppressed."
    )
    differencing: Annotated[bool, Stricter.TRUE, Spec(Kind.COUNT, people=False)] = Field(
        False, description="Whether differences to other outputs and earlier releases are checked."
    )

    @model_validator(mode="after")
    def _says_what_is_small(self) -> Self:
        known = self.suppressed
        if known is not None and known.secondary == "never" and known.below == "min_cell" and not self.min_cell:
            raise ValueError("secondary: never says that small counts alone were suppressed; give below, or min_cell")
        return self


class FrequencyTable(Table):
    """Tables of counts."""

    LIMITS: ClassVar[tuple[str, ...]] = ("min_cell", "max_share_of_margin", "rounded_to", "protection", "differencing")
    type: Annotated[Literal["frequency-table"], Stricter.REVIEW] = "frequency-table"
    protection: Annotated[float | None, Stricter.HIGHER, Spec(Kind.AMOUNT, people=False)] = Field(
        None, ge=0, description="Least width of the interval to which a suppressed count can be narrowed."
    )
    max_share_of_margin: Annotated[Share | None, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        None, description="Largest share of a row or column in one cell (group disclosure)."
    )
    rounded_to: Annotated[int | None, Stricter.REVIEW, Spec(Kind.AMOUNT, people=False)] = Field(
        None, ge=1, description="Base of rounded counts."
    )


class Dominance(Block):
    """The (n, k) rule: the n largest contributors hold at most the share k of a cell."""

    n: Annotated[int, Stricter.HIGHER] = Field(ge=1, description="How many contributors are added up.")
    k: Annotated[Share, Stricter.LOWER] = Field(description="The largest share that they may hold.")
    inclusive: Annotated[bool, Stricter.TRUE] = Field(False, description="Whether a share of exactly k violates.")


class PriorPosterior(Block):
    """The prior-posterior rule: who could estimate every other to within q percent cannot come closer than p percent.

    A cell is sensitive when q/100 · (total − x₁ − x₂) < p/100 · x₁, so that p % is the case q = 100 (Federal Committee
    on Statistical Methodology 2005, Statistical Policy Working Paper 22; Hundepool et al. 2012, Statistical Disclosure
    Control, chapter 4).
    """

    p: Annotated[float, Stricter.HIGHER] = Field(gt=0, le=100, description="Percent that nobody may come closer than.")
    q: Annotated[float, Stricter.LOWER] = Field(
        gt=0, le=100, description="Percent to within which each contributor is known before; at least p."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.q < self.p:
            raise ValueError("q is below p; what is known before is at least as far off as what may be known after")
        return self


class Widths(Block):
    """Least widths of the intervals to which what was suppressed can be narrowed; a plain number is that of sums."""

    SHORTHAND: ClassVar[str | None] = "sum"

    sum: Annotated[float | None, Stricter.HIGHER] = Field(
        None, ge=0, description="Least width of the interval of a suppressed sum."
    )
    count: Annotated[float | None, Stricter.HIGHER] = Field(
        None, ge=0, description="Least width of the interval of a suppressed count."
    )

    @model_validator(mode="before")
    @classmethod
    def _of_sums(cls, given: Any) -> Any:
        return {"sum": given} if isinstance(given, int | float) and not isinstance(given, bool) else given

    @model_serializer(mode="wrap")
    def _plain(self, write: SerializerFunctionWrapHandler) -> Any:
        """As it was written before counts had a width of their own: the digest of such a policy stays what it was."""
        return self.sum if self.count is None else write(self)


class MagnitudeTable(Table):
    """Tables of sums."""

    LIMITS: ClassVar[tuple[str, ...]] = ("min_cell", "dominance", "p_percent", "pq", "protection", "differencing")
    type: Annotated[Literal["magnitude-table"], Stricter.REVIEW] = "magnitude-table"
    dominance: Annotated[tuple[Dominance, ...], Stricter.NESTED, Spec(Kind.OF_CLASS, people=False)] = Field(
        (), description="(n, k) rules."
    )
    p_percent: Annotated[float | None, Stricter.HIGHER, Spec(Kind.OF_CLASS, people=False)] = Field(
        None, gt=0, description="The second contributor cannot estimate the first closer than p percent."
    )
    pq: Annotated[PriorPosterior | None, Stricter.NESTED, Spec(Kind.OF_CLASS, people=False)] = Field(
        None, description="The same where contributions are known before to within q percent."
    )
    protection: Annotated[Widths | None, Stricter.NESTED, Spec(Kind.AMOUNT, people=False)] = Field(
        None, description="Least width of the interval to which a suppressed sum (or count) can be narrowed."
    )

    def told(self, what: Literal["sum", "count"]) -> bool:
        """Whether the narrowest interval of sums, or of counts, is told beside the bound: that of sums."""
        widths = self.protection
        if widths is None:
            return True
        return widths.sum is not None if what == "sum" else widths.sum is None


class Statistics(OutputRule):
    """Means, quantiles and other statistics of groups."""

    LIMITS: ClassVar[tuple[str, ...]] = ("min_n", "extremes", "identical", "differencing")
    type: Annotated[Literal["statistics"], Stricter.REVIEW] = "statistics"
    min_n: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        None, description="Least units behind a statistic."
    )
    extremes: Annotated[Literal["deny", "allow"], Stricter.HIGHER, Spec(Kind.TRUTH, people=False)] = Field(
        "deny", description="Whether a statistic that is one record's value (minimum, maximum, …) may be published."
    )
    identical: Annotated[Literal["deny", "allow"], Stricter.HIGHER, Spec(Kind.TRUTH, people=False)] = Field(
        "deny", description="Whether a group whose values are all equal may be published."
    )
    differencing: Annotated[bool, Stricter.TRUE, Spec(Kind.COUNT, people=False)] = Field(
        False, description="Whether differences to other outputs and earlier releases are checked."
    )


class Regression(OutputRule):
    """Regression models."""

    LIMITS: ClassVar[tuple[str, ...]] = ("min_dof", "min_indicator")
    type: Annotated[Literal["regression"], Stricter.REVIEW] = "regression"
    min_dof: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=False)] = Field(
        None, description="Least residual degrees of freedom."
    )
    min_indicator: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        None, description="Least records of each value of an indicator variable."
    )


class Clusters(OutputRule):
    """Clusterings."""

    LIMITS: ClassVar[tuple[str, ...]] = ("min_size", "centres", "min_radius", "max_confidence")
    type: Annotated[Literal["clusters"], Stricter.REVIEW] = "clusters"
    min_size: Annotated[Count | None, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        None, description="Least members of a cluster."
    )
    centres: Annotated[Literal["deny", "allow"], Stricter.HIGHER, Spec(Kind.TRUTH, people=False)] = Field(
        "deny", description="Whether a centre may be the values of a record."
    )
    min_radius: Annotated[float | None, Stricter.HIGHER, Spec(Kind.AMOUNT, people=False)] = Field(
        None, ge=0, description="Least radius of a cluster."
    )
    max_confidence: Annotated[Share | None, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        None, description="Largest share of a sensitive value in a cluster."
    )
    sensitive: Annotated[SensitiveValues | None, Stricter.SUPERSET] = Field(
        None, description="Values that max_confidence is about; all by default."
    )


Output = Annotated[
    AssociationRules
    | FrequentItemsets
    | DecisionTree
    | FrequencyTable
    | MagnitudeTable
    | Statistics
    | Regression
    | Clusters,
    Field(discriminator="type"),
]
