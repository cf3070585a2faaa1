"""What mining outputs may tell: one entry per type of output."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from auditor.policy.outputs._rule import OutputLimit, OutputRule, SensitiveValues
from auditor.policy.outputs.patterns import AssociationRuleLimits, FrequentItemsetLimits, Patterns
from auditor.policy.outputs.statistics import ClusteringLimits, RegressionLimits, StatisticsLimits
from auditor.policy.outputs.tables import (
    Dominance,
    FrequencyTableLimits,
    MagnitudeTableLimits,
    PriorPosterior,
    ProtectionWidths,
    Suppressed,
    TableLimits,
)
from auditor.policy.outputs.tree import DecisionTreeLimits

__all__ = [
    "AssociationRuleLimits",
    "ClusteringLimits",
    "DecisionTreeLimits",
    "Dominance",
    "FrequencyTableLimits",
    "FrequentItemsetLimits",
    "MagnitudeTableLimits",
    "Output",
    "OutputLimit",
    "OutputRule",
    "Patterns",
    "PriorPosterior",
    "ProtectionWidths",
    "RegressionLimits",
    "SensitiveValues",
    "StatisticsLimits",
    "Suppressed",
    "TableLimits",
]

Output = Annotated[
    AssociationRuleLimits
    | FrequentItemsetLimits
    | DecisionTreeLimits
    | FrequencyTableLimits
    | MagnitudeTableLimits
    | StatisticsLimits
    | RegressionLimits
    | ClusteringLimits,
    Field(discriminator="type"),
]
