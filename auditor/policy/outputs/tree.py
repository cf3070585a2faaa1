"""Rules on decision trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from auditor.policy.base import Count, Share, Stricter
from auditor.policy.outputs._rule import (
    CLOSENESS,
    DIFFERENCING,
    DIVERSITY,
    OutputLimit,
    OutputRule,
    ReadBy,
    SensitiveValues,
)
from auditor.result import Kind


class DecisionTreeLimits(OutputRule):
    """Decision trees: leaves and the class counts in them."""

    type: Annotated[Literal["decision-tree"], Stricter.REVIEW] = "decision-tree"
    min_leaf: Annotated[
        Count | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.COUNT,
            people=True,
            name="small-leaf",
            reason="small-leaf",
            demand="",
            finding="A leaf has too few records.",
            source="Friedman, Wolff & Schuster 2008",
            example="{type: decision-tree, min_leaf: 10}",
            always=False,
        ),
    ] = Field(None, description="The minimum number of records in a leaf.")
    min_class_count: Annotated[
        Count | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.COUNT,
            people=True,
            name="small-class",
            reason="small-class",
            demand="",
            finding="A class has too few records in a leaf.",
            source="Friedman, Wolff & Schuster 2008",
            example="{type: decision-tree, min_class_count: 10}",
            always=False,
        ),
    ] = Field(None, description="The minimum non-zero count of a class inside a leaf.")
    max_confidence: Annotated[
        Share | None,
        Stricter.LOWER,
        OutputLimit(
            Kind.OF_CLASS,
            people=False,
            name="pure-leaf",
            reason="pure-leaf",
            demand="",
            finding="Nearly all records of a leaf are of one class.",
            source="Wang, Fung & Yu 2007",
            example="{type: decision-tree, max_confidence: 0.9}",
            always=False,
        ),
    ] = Field(None, description="The maximum share of a class.")
    sensitive: Annotated[SensitiveValues | None, Stricter.SUPERSET, ReadBy(("max_confidence",))] = Field(
        None, description="The classes that max_confidence applies to; all by default."
    )
    min_l: Annotated[Count | None, Stricter.HIGHER, replace(DIVERSITY, reason="pure-leaf")] = Field(
        None, description="The minimum number of distinct classes in a leaf."
    )
    max_t: Annotated[Share | None, Stricter.LOWER, replace(CLOSENESS, reason="pure-leaf")] = Field(
        None, description="The maximum (variational) distance of a leaf's classes from the root's."
    )
    differencing: Annotated[bool, Stricter.TRUE, DIFFERENCING] = Field(
        False, description="Whether nodes are checked against each other, other trees and earlier releases."
    )
