"""The limits of a policy, judged: one requirement of the result for each limit that is declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.policy import Policy
from auditor.policy._base import Block
from auditor.result import (
    Disclosure,
    Kind,
    Location,
    QueryResult,
    RequirementResult,
    Status,
    StructuralFacts,
    UnsupportedConstruct,
)
from auditor.spec import specs

EXACT = ("exact-value", "individual", "finite-domain", "undetermined")
"""The kinds of disclosure, and of violation, that tell a value for certain, or that could not be excluded."""

GROUP = ("group", "exact-value")
"""A value that follows is about a group of one record,"""
INTERVAL = ("interval", "exact-value", "finite-domain")
"""and lies in an interval of width 0."""


@dataclass(frozen=True)
class Evidence:
    """What the limits are judged by. `undetermined` says for a limit why it could not be decided to the end."""

    queries: Sequence[QueryResult]
    disclosures: Sequence[Disclosure]
    structural: StructuralFacts | None
    unsupported: Sequence[UnsupportedConstruct]
    undetermined: Mapping[str, str]


@dataclass(frozen=True)
class _Limit:
    """A declared limit: where it stands, what it is called, and which kinds of finding break it."""

    field: str
    model: str
    kinds: tuple[str, ...]
    parameters: Mapping[str, Any]
    bound: float | None = None
    comparison: str | None = None
    achieved: float | None = None
    citation: str | None = None


def requirements(policy: Policy, found: Evidence) -> tuple[RequirementResult, ...]:
    """Every declared limit with its status, in the order of the contract; then what could not be read."""
    judged = [_judged(policy, limit, found) for limit in _declared(policy, found)]
    return (*judged, *_unread(policy, found))


def _declared(policy: Policy, found: Evidence) -> Iterable[_Limit]:
    assert policy.queries is not None  # noqa: S101  (the command refuses a policy without the block)
    limits = policy.queries.limits
    shape = found.structural
    if limits.exact_value == "deny":
        yield _Limit("exact_value", "exact-value", EXACT, {}, citation="Chin & Özsoyoglu 1982")
    if limits.min_group is not None:
        smallest = min(
            (d.records_count for d in found.disclosures if d.kind in GROUP and d.records_count), default=None
        )
        parameters = {"min_group": limits.min_group, "group_effort": limits.group_effort}
        yield _Limit("min_group", "group", GROUP, parameters, limits.min_group, ">=", smallest)
    if limits.query_set_size is not None:
        size = limits.query_set_size
        least = shape.smallest_query_set if shape else None
        yield _Limit(
            "query_set_size",
            "query-set-size",
            ("query-set-size",),
            size.model_dump(),
            size.min,
            ">=",
            least,
            "Denning, Denning & Schwartz 1979",
        )
    if limits.max_overlap is not None:
        most = shape.largest_overlap if shape else None
        parameters = {"max_overlap": limits.max_overlap}
        citation = "Dobkin, Jones & Lipton 1979"
        yield _Limit("max_overlap", "overlap", ("overlap",), parameters, limits.max_overlap, "<=", most, citation)
    if limits.interval is not None:
        width = limits.interval.min_width
        yield _Limit("interval", "interval", INTERVAL, {"min_width": width}, width, ">=")
    if limits.max_queries is not None:
        most = limits.max_queries
        yield _Limit("max_queries", "too-many-queries", ("too-many-queries",), {"max_queries": most}, most, "<=")


def _judged(policy: Policy, limit: _Limit, found: Evidence) -> RequirementResult:
    kinds = set(limit.kinds)
    disclosed = [d for d in found.disclosures if d.kind in kinds]
    broken = bool(disclosed) or any(kinds & set(query.violations) for query in found.queries)
    open_question = found.undetermined.get(limit.model)
    status = Status.FAIL if broken else Status.NOT_EVALUATED if open_question else Status.PASS
    origin = policy.origin(f"queries/limits/{limit.field}") or policy.origin("queries")
    return RequirementResult(
        id=f"queries-{limit.model}",
        model=limit.model,
        parameters=limit.parameters,
        severity="error",
        status=status,
        achieved=limit.achieved,
        kind=_kind(policy, limit.field).value,
        bound=limit.bound,
        comparison=limit.comparison,
        records_violating=len({record for d in disclosed for record in d.records or ()}) if disclosed else None,
        location=None if origin is None else Location(file=origin.file, line=origin.line),
        reason=open_question if status is Status.NOT_EVALUATED else None,
        citation=limit.citation,
        notes=(f"The list is incomplete: {open_question}.",) if open_question and broken else (),
    )


def _kind(policy: Policy, field: str) -> Kind:
    """What the number is that a limit bounds; a limit with parameters of its own bounds the one that says so."""
    assert policy.queries is not None  # noqa: S101
    limits = policy.queries.limits
    value = getattr(limits, field)
    (spec,) = specs(type(value)).values() if isinstance(value, Block) else (specs(type(limits))[field],)
    return spec.kind


def _unread(policy: Policy, found: Evidence) -> Iterable[RequirementResult]:
    """A statement that could not be read is never taken for safe."""
    if not found.unsupported:
        return
    assert policy.queries is not None  # noqa: S101
    warn = policy.queries.unsupported == "warn"
    constructs = ", ".join(sorted({each.construct for each in found.unsupported}))
    origin = policy.origin("queries/unsupported") or policy.origin("queries")
    yield RequirementResult(
        id="queries-unsupported",
        model="unsupported",
        parameters={},
        severity="warning" if warn else "error",
        status=Status.WARNING if warn else Status.NOT_EVALUATED,
        location=None if origin is None else Location(file=origin.file, line=origin.line),
        reason=f"some statements cannot be audited exactly: {constructs}",
    )
