"""The limits of a policy, judged: one requirement of the result for each limit that is declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from auditor.policy import Policy, demands
from auditor.policy.demands import Demand
from auditor.policy.queries import QueryLimit
from auditor.result import (
    Disclosure,
    Location,
    QueryResult,
    RequirementResult,
    Status,
    StructuralFacts,
    UnsupportedConstruct,
)


@dataclass(frozen=True)
class Evidence:
    """What the limits are judged by. `undetermined` says for a limit why it could not be decided to the end."""

    queries: tuple[QueryResult, ...]
    disclosures: tuple[Disclosure, ...]
    structural: StructuralFacts | None
    unsupported: tuple[UnsupportedConstruct, ...]
    undetermined: Mapping[str, str]


def requirements(policy: Policy, found: Evidence) -> tuple[RequirementResult, ...]:
    """Every declared limit with its status, in the order of the contract; then what could not be read."""
    judged = [_judged(demand, found) for demand in demands.of_queries(policy)]
    return (*judged, *_unread(policy, found))


def _judged(demand: Demand[QueryLimit], found: Evidence) -> RequirementResult:
    limit = demand.limit
    kinds = set(limit.broken_by)
    disclosed = [d for d in found.disclosures if d.kind in kinds]
    broken = bool(disclosed) or any(kinds & set(query.violations) for query in found.queries)
    open_question = found.undetermined.get(limit.name)
    status = Status.FAIL if broken else Status.NOT_EVALUATED if open_question else Status.PASS
    numeric = demand.comparison is not None
    return RequirementResult(
        id=demand.id,
        model=limit.name,
        parameters=demand.parameters(*limit.beside) if numeric else {},
        severity="error",
        status=status,
        achieved=None if demand.confidential else _achieved(limit, found),
        kind=limit.kind.value,
        bound=demand.shown if numeric else None,
        comparison=demand.comparison,
        demand=limit.demand or None,
        records_violating=len({record for d in disclosed for record in d.records or ()}) if disclosed else None,
        location=demand.location,
        reason=open_question if status is Status.NOT_EVALUATED else None,
        citation=limit.source,
        notes=(f"The list is incomplete: {open_question}.",) if open_question and broken else (),
    )


def _achieved(limit: QueryLimit, found: Evidence) -> int | None:
    """The number that is compared with the bound, where the log has one: of the shape, or of the smallest group."""
    if limit.measure is not None:
        return None if found.structural is None else getattr(found.structural, limit.measure)
    sizes = [d.records_count for d in found.disclosures if d.kind in limit.broken_by and d.records_count]
    return min(sizes, default=None) if limit.people else None


def _unread(policy: Policy, found: Evidence) -> Iterable[RequirementResult]:
    """A statement that could not be read is never taken for safe."""
    if not found.unsupported:
        return
    assert policy.queries is not None  # noqa: S101
    warn = policy.queries.unsupported == "warn"
    constructs = ", ".join(sorted({each.construct for each in found.unsupported}))
    origin = policy.origin("queries/unsupported") or policy.origin("queries")
    yield RequirementResult(
        id=demands.UNSUPPORTED,
        model="unsupported",
        parameters={},
        severity="warning" if warn else "error",
        demand="all can be audited",
        status=Status.WARNING if warn else Status.NOT_EVALUATED,
        location=None if origin is None else Location(file=origin.file, line=origin.line),
        reason=f"some statements cannot be audited exactly: {constructs}",
    )
