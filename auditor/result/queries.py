"""What ``queries`` adds to the document: each query of the log, what the answers disclose, and the proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.result._document import Result
from auditor.result._marks import Kind, cell, column, fact, name, path, total


@dataclass(frozen=True, kw_only=True)
class LogFacts:
    """The log that was audited.

    `statements` are those that were judged or refused, `failed` those of them that the server answered with an error,
    `ignored` those that cannot answer with data (``BEGIN``, ``SET``). `users` are those named, in order of appearance.
    """

    source: str = path()
    format: str = fact()
    statements: int = fact()
    failed: int = fact(0)
    ignored: int = fact(0)
    users: tuple[str, ...] = name(())
    first_time: str | None = fact(None)
    last_time: str | None = fact(None)
    sha256: str | None = fact(None)
    guessable: bool | None = fact(None)
    """As of `DataFacts`."""


@dataclass(frozen=True, kw_only=True)
class QueryResult:
    """One number that the log asks for, or one statement that could not be audited.

    `index` is the statement's number, ``.g`` for the g-th group, ``:c`` for the c-th column that aggregates. `decision`
    is ``answered`` (offline), ``answer`` or ``deny`` (online), ``unsupported``, or ``failed`` where the server answered
    with an error. `query_set` counts the records that contribute.
    """

    index: str = fact()
    statement: int = fact()
    user: str | None = name(None)
    sql: str | None = cell(None)
    decision: str = fact()
    violations: tuple[str, ...] = fact(())
    query_set: int | None = total(None, Kind.QUERY_SET)
    time: str | None = fact(None)
    aggregate: str | None = column(None)
    """What is asked for, by names of the schema alone: ``sum of salary``."""
    answer: float | str | None = cell(None)
    """The answer that the combinations of the disclosures are made with: as logged, else recomputed."""


@dataclass(frozen=True, kw_only=True)
class Disclosure:
    """What the answers together give away about one person, or a group that is too small.

    `kind` is ``exact-value``, ``group``, ``interval``, ``finite-domain`` or ``individual``; `functional` says what of a
    group follows (``total``, or ``other``: some weighted sum). The value lies from `low` to `high`; where an attribute
    has categories, these are 0 and 1 and `value` is the category that is meant. Σ `certificate`[q] · answer of q, plus
    Σ `known`[r] · value of record r where insiders know some, is the number that follows.
    """

    kind: str = fact()
    breaks: tuple[str, ...] = fact(())
    """The requirements of the result that it breaks, by id."""
    attribute: str = column()
    value: str | None = cell(None)
    records: tuple[int | str, ...] | None = cell(None)
    records_count: int | None = total()
    low: float | None = cell(None)
    high: float | None = cell(None)
    functional: str | None = fact(None)
    first_query: str = fact()
    users: tuple[str, ...] = name(())
    certificate: Mapping[str, str] | None = total(None)
    follows_from: tuple[str, ...] = fact(())
    """The queries whose answers it follows from, where these are not combined linearly: maxima, minima, bounds."""
    known: Mapping[str, str] | None = cell(None)
    coefficients: Mapping[str, str] | None = cell(None)
    """What the number that follows is made of: record → coefficient, where that is not the plain sum."""
    constant: str | None = cell(None)
    """What is added to the combination of answers (a rational), where that is not 0."""
    tracker: str | None = fact(None)
    """The name of the attack in the literature, where it has one: ``individual``, ``general``, ``double``."""
    insider: str | None = name(None)
    """The user who learns it by knowing some values already."""


@dataclass(frozen=True, kw_only=True)
class UserCoverage:
    """How much of the table one user's answered queries touch. None is every statement without a user's name."""

    user: str | None = name()
    queries: int = fact()
    answered: int = fact()
    denied: int = fact(0)
    unsupported: int = fact(0)
    records: int | None = total(None, Kind.JOINT)


@dataclass(frozen=True, kw_only=True)
class UnsupportedConstruct:
    """A construct that cannot be audited exactly: in how many statements it stands, and in which first."""

    construct: str = fact()
    statements: int = fact()
    first_statement: int = fact()


@dataclass(frozen=True, kw_only=True)
class StructuralFacts:
    """What can be said of the query sets alone.

    `compromise_needs` is the least number of queries with which a value can be computed at all, by the limits on sizes
    and overlaps (Dobkin, Jones & Lipton 1979); None where the theorem does not hold.
    """

    queries: int = fact()
    smallest_query_set: int | None = total(None, Kind.QUERY_SET)
    largest_query_set: int | None = total(None, Kind.QUERY_SET)
    largest_overlap: int | None = total(None, Kind.JOINT)
    compromise_needs: int | None = total(None, Kind.DERIVED)


@dataclass(frozen=True, kw_only=True)
class QueriesResult(Result):
    """The answer of ``queries``.

    The policy's limits stand in `requirements` too (``queries-exact-value``), so every format can tell them.
    `disclosures_count` is how many disclosures there are; the public sees only the first of each kind and attribute.
    """

    log: LogFacts = fact()
    online: bool = fact(False)
    queries: tuple[QueryResult, ...] = fact(())
    disclosures: tuple[Disclosure, ...] = fact(())
    disclosures_count: int | None = total()
    exposed_count: int | None = total(None)
    """How many different records stand in the disclosures."""
    first_compromise: str | None = fact(None)
    """The query with whose answer the first disclosure was complete."""
    coverage: tuple[UserCoverage, ...] = fact(())
    unsupported: tuple[UnsupportedConstruct, ...] = fact(())
    structural: StructuralFacts | None = fact(None)
