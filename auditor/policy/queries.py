"""What a query log may tell: which attributes are protected, from whom, and how far."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from auditor.policy.base import Block, FileReference, Stricter
from auditor.result import Kind
from auditor.spec import Limit, limits


@dataclass(frozen=True)
class QueryLimit(Limit):
    """A limit of a query log.

    Args:
        broken_by: the kinds of disclosure, and of violation, that break it.
        beside: the other parameters of the policy that say how far it is looked at.
        fact: the fact of the shape of a log that results show as achieved; None for the number of its measure.
    """

    broken_by: tuple[str, ...]
    beside: tuple[str, ...]
    fact: str | None


class Coalition(Block):
    """Any group of this many users who combine their answers."""

    coalition: Annotated[int, Stricter.HIGHER] = Field(ge=2, description="How many users may collude.")


class Assume(Block):
    """What the auditor takes for granted about the data and the users."""

    equal_values: Annotated[Literal["allowed", "distinct"] | None, Stricter.REVIEW] = Field(
        None, description="Whether two records may have the same protected value; if not set, both cases are judged."
    )
    null_is_public: Annotated[bool, Stricter.REVIEW] = Field(
        True, description="Whether everybody knows which values are missing."
    )
    # Who knows a value already learns it from no answer, and others' values the sooner: neither way is stricter.
    insiders: Annotated[dict[str, tuple[str, ...]], Stricter.REVIEW] = Field(
        {}, description="The records, by key, whose values a user already knows."
    )

    @property
    def distinct(self) -> tuple[bool, ...]:
        """Whether all values are distinct, as maxima and minima are judged: both ways where it is not said."""
        return (False, True) if self.equal_values is None else (self.equal_values == "distinct",)


class QuerySetSize(Block):
    """How many records a query may select."""

    SHORTHAND: ClassVar[str | None] = "min"

    min: Annotated[
        int,
        Stricter.HIGHER,
        QueryLimit(
            Kind.QUERY_SET,
            people=True,
            name="query-set-size",
            demand="",
            finding="Some queries select too few records, or all but too few.",
            source="Denning, Denning & Schwartz 1979",
            example="limits: {query_set_size: {min: 5, both_ends: true}}",
            broken_by=("query-set-size",),
            beside=("both_ends",),
            fact="smallest_query_set",
        ),
    ] = Field(ge=1, description="The minimum number of records.")
    both_ends: Annotated[bool, Stricter.TRUE] = Field(
        True,
        description="Whether a query must also leave out at least this many records (trackers use the complement).",
    )


class IntervalLimit(Block):
    """How closely a protected value may be known."""

    min_width: Annotated[
        float,
        Stricter.HIGHER,
        QueryLimit(
            Kind.AMOUNT,
            people=False,
            name="interval",
            demand="",
            finding="The answers narrow the value of some records more than the policy allows.",
            source="Li, Wang, Wang & Jajodia 2002",
            example="limits: {interval: {min_width: 5000}}",
            # a value that follows lies in an interval of width 0
            broken_by=("interval", "exact-value", "finite-domain"),
            beside=(),
            fact=None,
        ),
    ] = Field(gt=0, description="The minimum width of a value's interval.")

    @property
    def width(self) -> Fraction:
        """The least width as it is written: 0.1 is a tenth."""
        return Fraction(repr(self.min_width))


class Limits(Block):
    """The limits of a log; each holds for any combination of answers."""

    exact_value: Annotated[
        Literal["deny", "allow"],
        Stricter.HIGHER,
        QueryLimit(
            Kind.TRUTH,
            people=False,
            name="exact-value",
            demand="no value follows",
            finding="The answers together give away the value of single records.",
            source="Chin & Özsoyoglu 1982",
            example="limits: {exact_value: deny}",
            broken_by=("exact-value", "individual", "finite-domain", "undetermined"),
            beside=(),
            fact=None,
        ),
    ] = Field("deny", description="Whether a record's value may follow from the answers.")
    min_group: Annotated[
        int | None,
        Stricter.HIGHER,
        QueryLimit(
            Kind.COUNT,
            people=True,
            name="group",
            demand="",
            finding="A combination of answers speaks of fewer records than the policy demands.",
            source="Chin & Özsoyoglu 1982",
            example="limits: {min_group: 3}",
            # a value that follows is about a group of one record
            broken_by=("group", "exact-value"),
            beside=("group_effort",),
            fact=None,
        ),
    ] = Field(None, ge=1, description="No combination of answers may be about fewer records.")
    group_effort: Annotated[int, Stricter.HIGHER] = Field(
        100_000, ge=1, description="How many sets of records are tried if min_group is above 3."
    )
    query_set_size: Annotated[QuerySetSize | None, Stricter.NESTED] = Field(
        None, description="The size of a query set."
    )
    max_overlap: Annotated[
        int | None,
        Stricter.LOWER,
        QueryLimit(
            Kind.JOINT,
            people=False,
            name="overlap",
            demand="",
            finding="Some queries share more records with an earlier one than the policy allows.",
            source="Dobkin, Jones & Lipton 1979",
            example="limits: {max_overlap: 10}",
            broken_by=("overlap",),
            beside=(),
            fact="largest_overlap",
        ),
    ] = Field(None, ge=0, description="The maximum number of records that two query sets may share.")
    interval: Annotated[IntervalLimit | None, Stricter.NESTED] = Field(None, description="The width of intervals.")
    max_queries: Annotated[
        int | None,
        Stricter.LOWER,
        QueryLimit(
            Kind.QUERIES,
            people=False,
            name="too-many-queries",
            demand="",
            finding="More queries were answered than the policy allows.",
            source="Dobkin, Jones & Lipton 1979",
            example="limits: {max_queries: 500}",
            broken_by=("too-many-queries",),
            beside=(),
            fact=None,
        ),
    ] = Field(None, ge=1, description="The maximum number of queries that are answered.")


@cache
def name_of(parameter: str) -> str:
    """What results call a limit, by its parameter: ``min_group`` is ``group``."""
    return next(limit.name for path, limit in limits(Limits).items() if path.partition("/")[0] == parameter)


class PublicTable(Block):
    """A table that everybody can read, which a statement may join."""

    data: Annotated[str, FileReference(), Stricter.REVIEW] = Field(
        min_length=1, description="Its file, relative to this file."
    )
    key: Annotated[tuple[str, ...], Stricter.REVIEW] = Field(
        min_length=1, description="The columns that a join must equate."
    )


class Versions(Block):
    """Columns that say from when to when a row was in the table; a missing end means always, or still."""

    since: Annotated[str, Stricter.REVIEW] = Field(min_length=1, description="The column with the first moment.")
    until: Annotated[str, Stricter.REVIEW] = Field(
        min_length=1, description="The column with the moment after the last."
    )


class Queries(Block):
    """A table that is queried, and what the answers must not disclose."""

    table: Annotated[str, Stricter.REVIEW] = Field("data", description="The name that SQL uses for the data.")
    key: Annotated[str | None, Stricter.NEUTRAL] = Field(
        None, description="The column that names records in findings; the 0-based row by default."
    )
    versions: Annotated[Versions | None, Stricter.REVIEW] = Field(
        None,
        description="If the data holds every version of each record: the columns that say when a version was valid.",
    )
    protects: Annotated[tuple[str, ...] | None, Stricter.SUPERSET] = Field(
        None, min_length=1, description="The protected columns; the sensitive attributes by default."
    )
    public: Annotated[tuple[str, ...] | None, Stricter.REVIEW] = Field(
        None, description="Columns that a predicate may use; quasi-identifiers and insensitive ones by default."
    )
    public_tables: Annotated[dict[str, PublicTable], Stricter.REVIEW] = Field(
        {}, description="Tables that statements may join, by the name that SQL uses; all of their columns are public."
    )
    scope: Annotated[Literal["pooled", "per-user"] | Coalition, Stricter.REVIEW] = Field(
        "pooled", description="Whose answers are combined."
    )
    assume: Annotated[Assume, Stricter.NESTED] = Field(Assume(), description="What is assumed.")
    limits: Annotated[Limits, Stricter.NESTED] = Field(Limits(), description="Limits that must hold.")
    unsupported: Annotated[Literal["fail", "warn"], Stricter.HIGHER] = Field(
        "fail", description="How a statement that cannot be audited affects the verdict."
    )
