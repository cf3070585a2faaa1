"""What mining outputs may tell: one entry per type of output."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from auditor.policy._base import Block, Count, Share, Stricter

SensitiveValues = dict[str, tuple[str, ...]]
"""Values by attribute."""


class OutputRule(Block):
    """What every rule on outputs has."""

    id: Annotated[str | None, Stricter.NEUTRAL] = Field(
        None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the rule; defaults to its type."
    )
    because: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Why this is required.")


class Patterns(OutputRule):
    """What rules and itemsets share."""

    min_support_count: Annotated[Count | None, Stricter.HIGHER] = Field(None, description="Least records of a pattern.")
    forbidden: Annotated[SensitiveValues, Stricter.SUPERSET] = Field({}, description="Items that must not appear.")
    channels: Annotated[bool, Stricter.TRUE] = Field(
        False, description="Whether derived patterns (I and not J) are checked too (Atzori et al. 2008)."
    )


class AssociationRules(Patterns):
    """Association rules: supports, exceptions and confidence to sensitive values."""

    type: Annotated[Literal["association-rules"], Stricter.REVIEW] = "association-rules"
    min_antecedent_count: Annotated[Count | None, Stricter.HIGHER] = Field(None, description="Least records of X.")
    min_exceptions: Annotated[Count | None, Stricter.HIGHER] = Field(None, description="Least supp(X) - supp(X and Y).")
    max_confidence: Annotated[Share | None, Stricter.LOWER] = Field(None, description="Largest confidence.")
    sensitive: Annotated[SensitiveValues | None, Stricter.SUPERSET] = Field(
        None, description="Consequents that max_confidence is about; all by default."
    )


class FrequentItemsets(Patterns):
    """Frequent itemsets: supports and what follows from them together."""

    type: Annotated[Literal["frequent-itemsets"], Stricter.REVIEW] = "frequent-itemsets"


class DecisionTree(OutputRule):
    """Decision trees: leaves and the class counts in them."""

    type: Annotated[Literal["decision-tree"], Stricter.REVIEW] = "decision-tree"
    min_leaf: Annotated[Count | None, Stricter.HIGHER] = Field(None, description="Least records of a leaf.")
    min_class_count: Annotated[Count | None, Stricter.HIGHER] = Field(
        None, description="Least non-zero count of a class inside a leaf."
    )
    max_confidence: Annotated[Share | None, Stricter.LOWER] = Field(None, description="Largest share of a class.")
    sensitive: Annotated[SensitiveValues | None, Stricter.SUPERSET] = Field(
        None, description="Classes that max_confidence is about; all by default."
    )


class Table(OutputRule):
    """What tables of cells share."""

    min_cell: Annotated[Count | None, Stricter.HIGHER] = Field(None, description="Least units of a published cell.")
    zeros_disclosive: Annotated[bool, Stricter.TRUE] = Field(False, description="Whether an empty cell discloses.")
    protection: Annotated[float | None, Stricter.HIGHER] = Field(
        None, ge=0, description="Least width of the interval to which a suppressed cell can be narrowed."
    )
    differencing: Annotated[bool, Stricter.TRUE] = Field(
        False, description="Whether differences to other outputs and earlier releases are checked."
    )


class FrequencyTable(Table):
    """Tables of counts."""

    type: Annotated[Literal["frequency-table"], Stricter.REVIEW] = "frequency-table"
    max_share_of_margin: Annotated[Share | None, Stricter.LOWER] = Field(
        None, description="Largest share of a row or column in one cell (group disclosure)."
    )
    rounded_to: Annotated[int | None, Stricter.REVIEW] = Field(None, ge=1, description="Base of rounded counts.")


class Dominance(Block):
    """The (n, k) rule: the n largest contributors hold at most the share k of a cell."""

    n: Annotated[int, Stricter.HIGHER] = Field(ge=1, description="How many contributors are added up.")
    k: Annotated[Share, Stricter.LOWER] = Field(description="The largest share that they may hold.")
    inclusive: Annotated[bool, Stricter.TRUE] = Field(False, description="Whether a share of exactly k violates.")


class MagnitudeTable(Table):
    """Tables of sums."""

    type: Annotated[Literal["magnitude-table"], Stricter.REVIEW] = "magnitude-table"
    dominance: Annotated[tuple[Dominance, ...], Stricter.REVIEW] = Field((), description="(n, k) rules.")
    p_percent: Annotated[float | None, Stricter.HIGHER] = Field(
        None, gt=0, description="The second contributor cannot estimate the first closer than p percent."
    )


class Statistics(OutputRule):
    """Means, quantiles and other statistics of groups."""

    type: Annotated[Literal["statistics"], Stricter.REVIEW] = "statistics"
    min_n: Annotated[Count | None, Stricter.HIGHER] = Field(None, description="Least units behind a statistic.")
    extremes: Annotated[Literal["deny", "allow"], Stricter.HIGHER] = Field(
        "deny", description="Whether a minimum or maximum may be published."
    )


class Regression(OutputRule):
    """Regression models."""

    type: Annotated[Literal["regression"], Stricter.REVIEW] = "regression"
    min_dof: Annotated[Count | None, Stricter.HIGHER] = Field(None, description="Least residual degrees of freedom.")
    min_indicator: Annotated[Count | None, Stricter.HIGHER] = Field(
        None, description="Least records of each value of an indicator variable."
    )


class Clusters(OutputRule):
    """Clusterings."""

    type: Annotated[Literal["clusters"], Stricter.REVIEW] = "clusters"
    min_size: Annotated[Count | None, Stricter.HIGHER] = Field(None, description="Least members of a cluster.")


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
