"""Rules on statistics of groups, regressions and clusterings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from auditor.policy.base import Count, Share, Stricter
from auditor.policy.outputs._rule import DIFFERENCING, OutputLimit, OutputRule, ReadBy, SensitiveValues
from auditor.result import Kind


class StatisticsLimits(OutputRule):
    """Means, quantiles and other statistics of groups."""

    type: Annotated[Literal["statistics"], Stricter.REVIEW] = "statistics"
    min_n: Annotated[
        Count | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.COUNT,
            people=True,
            name="small-cell",
            reason="small-cell",
            demand="",
            finding="A statistic comes from too few units.",
            source="Bond, Brandt & de Wolf 2015",
            example="{type: statistics, min_n: 10}",
            always=False,
        ),
    ] = Field(None, description="The minimum number of units behind a statistic.")
    extremes: Annotated[
        Literal["deny", "allow"],
        Stricter.HIGHER,
        OutputLimit(
            Kind.TRUTH,
            people=False,
            name="extreme",
            reason="extreme",
            demand="none",
            finding="A statistic is the value of a single record.",
            source="Bond, Brandt & de Wolf 2015",
            example="{type: statistics, extremes: deny}",
            always=False,
        ),
    ] = Field(
        "deny", description="Whether a statistic that is one record's value (minimum, maximum, …) may be published."
    )
    identical: Annotated[
        Literal["deny", "allow"],
        Stricter.HIGHER,
        OutputLimit(
            Kind.TRUTH,
            people=False,
            name="identical",
            reason="group-disclosure",
            demand="none",
            finding="All values behind a statistic are equal.",
            source="Bond, Brandt & de Wolf 2015",
            example="{type: statistics, identical: deny}",
            always=False,
        ),
    ] = Field("deny", description="Whether a group whose values are all equal may be published.")
    differencing: Annotated[bool, Stricter.TRUE, DIFFERENCING] = Field(
        False, description="Whether differences from other outputs and earlier releases are checked."
    )


class RegressionLimits(OutputRule):
    """Regression models."""

    type: Annotated[Literal["regression"], Stricter.REVIEW] = "regression"
    min_dof: Annotated[
        Count | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.COUNT,
            people=False,
            name="low-dof",
            reason="low-dof",
            demand="",
            finding="A model has too few residual degrees of freedom.",
            source="Bond, Brandt & de Wolf 2015",
            example="{type: regression, min_dof: 10}",
            always=False,
        ),
    ] = Field(None, description="The minimum number of residual degrees of freedom.")
    min_indicator: Annotated[
        Count | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.COUNT,
            people=True,
            name="small-indicator",
            reason="small-indicator",
            demand="",
            finding="Too few records have one value of an indicator variable.",
            source="Bond, Brandt & de Wolf 2015",
            example="{type: regression, min_indicator: 10}",
            always=False,
        ),
    ] = Field(None, description="The minimum number of records with each value of an indicator variable.")


class ClusteringLimits(OutputRule):
    """Clusterings."""

    type: Annotated[Literal["clusters"], Stricter.REVIEW] = "clusters"
    min_size: Annotated[
        Count | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.COUNT,
            people=True,
            name="small-cluster",
            reason="small-cluster",
            demand="",
            finding="A cluster has too few members.",
            source="Friedman, Wolff & Schuster 2008",
            example="{type: clusters, min_size: 10}",
            always=False,
        ),
    ] = Field(None, description="The minimum number of members of a cluster.")
    centres: Annotated[
        Literal["deny", "allow"],
        Stricter.HIGHER,
        OutputLimit(
            Kind.TRUTH,
            people=False,
            name="centres",
            reason="extreme",
            demand="none",
            finding="The centre of a cluster has the values of a record.",
            source="Friedman, Wolff & Schuster 2008",
            example="{type: clusters, centres: deny}",
            always=False,
        ),
    ] = Field("deny", description="Whether a centre may be the values of a record.")
    min_radius: Annotated[
        float | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.AMOUNT,
            people=False,
            name="radius",
            reason="group-disclosure",
            demand="",
            finding="The members of a cluster are nearly equal.",
            source="Friedman, Wolff & Schuster 2008",
            example="{type: clusters, min_radius: 0.5}",
            always=False,
        ),
    ] = Field(None, ge=0, description="The minimum radius of a cluster.")
    max_confidence: Annotated[
        Share | None,
        Stricter.LOWER,
        OutputLimit(
            Kind.OF_CLASS,
            people=False,
            name="high-confidence",
            reason="high-confidence",
            demand="",
            finding="Nearly all members of a cluster have one sensitive value.",
            source="Wang, Fung & Yu 2007",
            example="{type: clusters, max_confidence: 0.8}",
            always=False,
        ),
    ] = Field(None, description="The maximum share of a sensitive value in a cluster.")
    sensitive: Annotated[SensitiveValues | None, Stricter.SUPERSET, ReadBy(("max_confidence",))] = Field(
        None, description="The values that max_confidence applies to; all by default."
    )
