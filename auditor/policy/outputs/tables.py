"""Rules on tables: counts and sums in cells."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from auditor.policy.base import Block, Count, Share, Stricter
from auditor.policy.outputs._rule import DIFFERENCING, OutputLimit, OutputRule
from auditor.result import Kind

PROTECTION = OutputLimit(
    Kind.AMOUNT,
    people=False,
    name="suppressed-cell-recoverable",
    reason="suppressed-cell-recoverable",
    demand="none follows",
    finding="A suppressed cell follows from what is published, or nearly.",
    source="Fischetti & Salazar 2001",
    example="{type: frequency-table, min_cell: 10, protection: 5}",
    always=True,
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
        "min_cell", description="Counts below this number were suppressed as small."
    )


class TableLimits(OutputRule):
    """What tables of cells share."""

    min_cell: Annotated[
        Count | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.COUNT,
            people=True,
            name="small-cell",
            reason="small-cell",
            demand="",
            finding="A cell counts too few units.",
            source="Hundepool et al. 2012, chapters 4 and 5",
            example="{type: frequency-table, min_cell: 10}",
            always=False,
        ),
    ] = Field(None, description="The minimum number of units in a published cell.")
    zeros_disclosive: Annotated[bool, Stricter.TRUE] = Field(False, description="Whether an empty cell discloses.")
    suppressed: Annotated[Suppressed | None, Stricter.REVIEW] = Field(
        None, description="What a reader knows of the rule by which counts were suppressed."
    )
    differencing: Annotated[bool, Stricter.TRUE, DIFFERENCING] = Field(
        False, description="Whether differences from other outputs and earlier releases are checked."
    )

    @model_validator(mode="after")
    def _says_what_is_small(self) -> Self:
        known = self.suppressed
        if known is not None and known.secondary == "never" and known.below == "min_cell" and not self.min_cell:
            raise ValueError("secondary: never says that only small counts were suppressed; give below, or min_cell")
        return self


class FrequencyTableLimits(TableLimits):
    """Tables of counts."""

    type: Annotated[Literal["frequency-table"], Stricter.REVIEW] = "frequency-table"
    protection: Annotated[float | None, Stricter.HIGHER, PROTECTION] = Field(
        None, ge=0, description="The minimum width of the interval to which a suppressed count can be narrowed."
    )
    max_share_of_margin: Annotated[
        Share | None,
        Stricter.LOWER,
        OutputLimit(
            Kind.OF_CLASS,
            people=False,
            name="group-disclosure",
            reason="group-disclosure",
            demand="none",
            finding="Nearly all of a row or column are in one cell.",
            source="Hundepool et al. 2012, chapter 5",
            example="{type: frequency-table, max_share_of_margin: 0.9}",
            always=False,
        ),
    ] = Field(None, description="The maximum share of a row or column in one cell (group disclosure).")
    rounded_to: Annotated[
        int | None,
        Stricter.REVIEW,
        OutputLimit(
            Kind.AMOUNT,
            people=False,
            name="rounding",
            reason="rounding",
            demand="multiples only",
            finding="A count is not a multiple of the rounding base.",
            source="Hundepool et al. 2012, chapter 5",
            example="{type: frequency-table, rounded_to: 5}",
            always=False,
        ),
    ] = Field(None, ge=1, description="The base to which counts are rounded.")


class Dominance(Block):
    """The (n, k) rule: the n largest contributors hold at most the share k of a cell."""

    n: Annotated[int, Stricter.HIGHER] = Field(ge=1, description="How many contributors are added up.")
    k: Annotated[Share, Stricter.LOWER] = Field(description="The maximum share that they may hold.")
    inclusive: Annotated[bool, Stricter.TRUE] = Field(False, description="Whether a share of exactly k is a violation.")


class PriorPosterior(Block):
    """The prior-posterior rule: knowing all others to within q percent, nobody gets closer than p percent.

    A cell is sensitive when q/100 · (total − x₁ − x₂) < p/100 · x₁, so that p % is the case q = 100 (Federal Committee
    on Statistical Methodology 2005, Statistical Policy Working Paper 22; Hundepool et al. 2012, Statistical Disclosure
    Control, chapter 4).
    """

    p: Annotated[float, Stricter.HIGHER] = Field(
        gt=0, le=100, description="The percentage that no estimate may come closer than."
    )
    q: Annotated[float, Stricter.LOWER] = Field(
        gt=0, le=100, description="The percentage to within which each contribution is known beforehand; at least p."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.q < self.p:
            raise ValueError("q is below p; what is known before is at least as far off as what may be known after")
        return self


class ProtectionWidths(Block):
    """Least widths of the intervals to which what was suppressed can be narrowed; a plain number is that of sums."""

    SHORTHAND: ClassVar[str | None] = "sum"

    sum: Annotated[float | None, Stricter.HIGHER] = Field(
        None, ge=0, description="The minimum width of the interval of a suppressed sum."
    )
    count: Annotated[float | None, Stricter.HIGHER] = Field(
        None, ge=0, description="The minimum width of the interval of a suppressed count."
    )

    @model_validator(mode="before")
    @classmethod
    def _of_sums(cls, given: Any) -> Any:
        return {"sum": given} if isinstance(given, int | float) and not isinstance(given, bool) else given

    @model_serializer(mode="wrap")
    def _plain(self, write: SerializerFunctionWrapHandler) -> Any:
        """As it was written before counts had a width of their own: the digest of such a policy stays what it was."""
        return self.sum if self.count is None else write(self)


class MagnitudeTableLimits(TableLimits):
    """Tables of sums."""

    type: Annotated[Literal["magnitude-table"], Stricter.REVIEW] = "magnitude-table"
    dominance: Annotated[
        tuple[Dominance, ...],
        Stricter.NESTED,
        OutputLimit(
            Kind.OF_CLASS,
            people=False,
            name="dominance",
            reason="dominance",
            demand="within bounds",
            finding="Too few contributors hold too much of a sum.",
            source="Hundepool et al. 2012, chapter 4",
            example="{type: magnitude-table, dominance: [{n: 1, k: 0.8}]}",
            always=False,
        ),
    ] = Field((), description="The (n, k) rules.")
    p_percent: Annotated[
        float | None,
        Stricter.HIGHER,
        OutputLimit(
            Kind.OF_CLASS,
            people=False,
            name="p-percent",
            reason="p-percent",
            demand="",
            finding="A contributor can estimate another's value too closely.",
            source="Federal Committee on Statistical Methodology 2005",
            example="{type: magnitude-table, p_percent: 10}",
            always=False,
        ),
    ] = Field(
        None, gt=0, description="The second largest contributor cannot estimate the largest closer than p percent."
    )
    pq: Annotated[
        PriorPosterior | None,
        Stricter.NESTED,
        OutputLimit(
            Kind.OF_CLASS,
            people=False,
            name="pq",
            reason="p-percent",
            demand="within bounds",
            finding="A contributor can estimate another's value too closely, given what is known before.",
            source="Federal Committee on Statistical Methodology 2005",
            example="{type: magnitude-table, pq: {p: 10, q: 50}}",
            always=False,
        ),
    ] = Field(None, description="The same, if contributions are known beforehand to within q percent.")
    protection: Annotated[ProtectionWidths | None, Stricter.NESTED, PROTECTION] = Field(
        None, description="The minimum width of the interval to which a suppressed sum (or count) can be narrowed."
    )

    def told(self, what: Literal["sum", "count"]) -> bool:
        """Whether the narrowest interval of sums, or of counts, is told beside the bound: that of sums."""
        widths = self.protection
        if widths is None:
            return True
        return widths.sum is not None if what == "sum" else widths.sum is None
