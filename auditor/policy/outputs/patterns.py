"""Rules on association rules and itemsets."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from auditor.policy.base import Count, Share, Stricter
from auditor.policy.outputs._rule import CLOSENESS, DIVERSITY, OutputLimit, OutputRule, ReadBy, SensitiveValues
from auditor.result import Kind


class Patterns(OutputRule):
    """What rules and itemsets share."""

    min_support_count: Annotated[
        Count | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.COUNT,
            people=True,
            name="low-support",
            reason="low-support",
            demand="",
            finding="Too few records hold all items of a pattern.",
            source="Atzori, Bonchi, Giannotti & Pedreschi 2008",
            example="{type: frequent-itemsets, min_support_count: 10}",
            always=False,
        ),
    ] = Field(None, description="The minimum number of records that hold a pattern.")
    forbidden: Annotated[
        SensitiveValues,
        Stricter.SUPERSET,
        ReadBy(("forbidden",)),
        OutputLimit(
            Kind.TRUTH,
            people=False,
            name="forbidden-item",
            reason="forbidden-item",
            demand="none",
            finding="A pattern has a forbidden item.",
            source="Verykios, Elmagarmid, Bertino, Saygin & Dasseni 2004",
            example="{type: frequent-itemsets, forbidden: {diagnosis: [HIV]}}",
            always=False,
        ),
    ] = Field({}, description="Items that must not appear.")
    channels: Annotated[
        bool,
        Stricter.TRUE,
        OutputLimit(
            Kind.COUNT,
            people=False,
            name="inference-channel",
            reason="inference-channel",
            demand="none too small",
            finding="The supports of several patterns together reveal too few records.",
            source="Atzori, Bonchi, Giannotti & Pedreschi 2008",
            example="{type: frequent-itemsets, min_support_count: 10, channels: true}",
            always=False,
        ),
    ] = Field(False, description="Whether derived patterns (I and not J) are checked too (Atzori et al. 2008).")
    possible_channels: Annotated[Literal["deny", "allow"], Stricter.HIGHER, ReadBy(("channels",))] = Field(
        "allow", description="Whether a derived pattern may be held by fewer than min_support_count, or by nobody."
    )


class AssociationRuleLimits(Patterns):
    """Association rules: supports, exceptions and confidence to sensitive values."""

    type: Annotated[Literal["association-rules"], Stricter.REVIEW] = "association-rules"
    min_antecedent_count: Annotated[
        Count | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.COUNT,
            people=True,
            name="low-antecedent",
            reason="low-antecedent",
            demand="",
            finding="Too few records have the left side of a rule.",
            source="Atzori, Bonchi, Giannotti & Pedreschi 2008",
            example="{type: association-rules, min_antecedent_count: 10}",
            always=False,
        ),
    ] = Field(None, description="The minimum number of records that have X.")
    min_exceptions: Annotated[
        Count | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.COUNT,
            people=True,
            name="few-exceptions",
            reason="few-exceptions",
            demand="",
            finding="Too few records have the left side of a rule and not its right side.",
            source="Atzori, Bonchi, Giannotti & Pedreschi 2008",
            example="{type: association-rules, min_exceptions: 10}",
            always=False,
        ),
    ] = Field(None, description="The minimum of supp(X) - supp(X and Y).")
    max_confidence: Annotated[
        Share | None,
        Stricter.LOWER,
        OutputLimit(
            Kind.OF_CLASS,
            people=False,
            name="high-confidence",
            reason="high-confidence",
            demand="",
            finding="A rule leads to a sensitive value with too high a confidence.",
            source="Wang, Fung & Yu 2007",
            example="{type: association-rules, max_confidence: 0.8, sensitive: {diagnosis: [HIV]}}",
            always=False,
        ),
    ] = Field(None, description="The maximum confidence.")
    # The opposite of a value is judged where it alone is sensitive: more values may judge less.
    sensitive: Annotated[
        SensitiveValues | None, Stricter.REVIEW, ReadBy(("max_confidence", "sensitive_antecedents"))
    ] = Field(None, description="The consequents that max_confidence applies to; all by default.")
    opposite: Annotated[bool, Stricter.TRUE, ReadBy(("max_confidence",))] = Field(
        False, description="Whether max_confidence also applies to not having the value: 1 - confidence."
    )
    sensitive_antecedents: Annotated[
        Literal["deny", "allow"],
        Stricter.HIGHER,
        OutputLimit(
            Kind.TRUTH,
            people=False,
            name="sensitive-antecedents",
            reason="forbidden-item",
            demand="none",
            finding="A rule has a sensitive value on its left side.",
            source="Verykios, Elmagarmid, Bertino, Saygin & Dasseni 2004",
            example="{type: association-rules, sensitive_antecedents: deny}",
            always=False,
        ),
    ] = Field("allow", description="Whether X may contain a sensitive value, which then leads to those who have it.")
    min_l: Annotated[Count | None, Stricter.HIGHER, DIVERSITY] = Field(
        None, description="The minimum number of distinct sensitive values that all rules with one X leave possible."
    )
    max_t: Annotated[Share | None, Stricter.LOWER, CLOSENESS] = Field(
        None, description="The maximum (variational) distance between what all rules with one X reveal and the whole."
    )


class FrequentItemsetLimits(Patterns):
    """Frequent itemsets: supports and what follows from them together."""

    type: Annotated[Literal["frequent-itemsets"], Stricter.REVIEW] = "frequent-itemsets"
