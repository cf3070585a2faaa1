"""What mining outputs may tell: one entry per type of output."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from auditor.policy.outputs._rule import OutputLimit, OutputRule, SensitiveValues
from auditor.policy.outputs.patterns import AssociationRules, FrequentItemsets, Patterns
from auditor.policy.outputs.statistics import Clusters, Regression, Statistics
from auditor.policy.outputs.tables import (
    Dominance,
    FrequencyTable,
    MagnitudeTable,
    PriorPosterior,
    Suppressed,
    Table,
    Widths,
)
from auditor.policy.outputs.tree import DecisionTree

__all__ = [
    "AssociationRules",
    "Clusters",
    "DecisionTree",
    "Dominance",
    "FrequencyTable",
    "FrequentItemsets",
    "MagnitudeTable",
    "Output",
    "OutputLimit",
    "OutputRule",
    "Patterns",
    "PriorPosterior",
    "Regression",
    "SensitiveValues",
    "Statistics",
    "Suppressed",
    "Table",
    "Widths",
]

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
