"""The limits of a policy, judged: one requirement of the result for each limit that is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from auditor.judge import Evidence, Granted, decided
from auditor.policy import Policy, demands
from auditor.policy.demands import Demand
from auditor.policy.queries import QueryLimit
from auditor.policy.waivers import Waiver
from auditor.result import Location, RequirementResult, Status
from auditor.result.queries import Disclosure, QueryResult, StructuralFacts, UnsupportedConstruct


@dataclass(frozen=True)
class Facts:
    """What was found in a log.

    `undetermined` says for a limit why it could not be decided to the end; `worst` is the number of one on the shape.
    """

    queries: tuple[QueryResult, ...]
    disclosures: tuple[Disclosure, ...]
    structural: StructuralFacts | None
    unsupported: tuple[UnsupportedConstruct, ...]
    undetermined: Mapping[str, str]
    worst: Mapping[str, int | None]

    def disclosed(self, limit: QueryLimit) -> list[Disclosure]:
        """The disclosures that break a limit."""
        return [each for each in self.disclosures if each.kind in limit.broken_by]

    def on(self, limit: QueryLimit) -> Evidence:
        """Whether the log breaks a limit, and what was left open."""
        queries = (set(limit.broken_by) & set(query.violations) for query in self.queries)
        return Evidence(bool(self.disclosed(limit)) or any(queries), self.undetermined.get(limit.name))


def requirements(
    policy: Policy, found: Facts, granted: Granted | None, again: Callable[[Policy], Facts]
) -> Iterator[RequirementResult]:
    """Every declared limit with its status, in the order of the contract; then what could not be read.

    Args:
        policy: the policy.
        found: what was found in the log.
        granted: the waivers that hold; None where nothing is waived.
        again: what is found in the log by another policy.
    """
    for demand in demands.of_queries(policy):
        evidence = found.on(demand.limit)
        if evidence.broken and granted is not None:
            evidence = replace(evidence, waiver=_kept(demand, granted, again))
        yield decided(_frame(demand, found), [evidence], granted)
    yield from _unread(policy, found)


def _kept(demand: Demand[QueryLimit], granted: Granted, again: Callable[[Policy], Facts]) -> Waiver | None:
    """The waiver of a limit, if the log keeps the bound that it leaves standing."""
    waiver = granted.of(demand.id) if demand.id in demands.waivable(demand.policy) else None
    if waiver is not None and waiver.at_least:
        left = again(demands.with_limit(demand, waiver)).on(demand.limit)
        return None if left.broken or left.open else waiver
    return waiver


def _frame(demand: Demand[QueryLimit], found: Facts) -> RequirementResult:
    limit, disclosed = demand.limit, found.disclosed(demand.limit)
    numeric = demand.comparison is not None
    return RequirementResult(
        id=demand.id,
        model=limit.name,
        parameters=demand.with_beside(*limit.beside) if numeric else {},
        severity=demand.terms.severity,
        status=Status.NOT_EVALUATED,
        achieved=None if demand.confidential else _achieved(limit, found),
        kind=limit.kind.value,
        bound=demand.shown if numeric else None,
        comparison=demand.comparison,
        demand=limit.demand or None,
        records_violating=len({record for d in disclosed for record in d.records or ()}) if disclosed else None,
        location=demand.location,
        because=demand.terms.because,
        citation=limit.source,
    )


def _achieved(limit: QueryLimit, found: Facts) -> int | None:
    """The number that is compared with the bound, where the log has one: of the shape, or of the smallest group."""
    if limit.fact is not None:
        return None if found.structural is None else getattr(found.structural, limit.fact)
    if limit.name in found.worst:
        return found.worst[limit.name]
    sizes = [each.records_count for each in found.disclosed(limit) if each.records_count]
    return min(sizes, default=None) if limit.people else None


def _unread(policy: Policy, found: Facts) -> Iterable[RequirementResult]:
    """A statement that could not be read is never taken for safe."""
    if not found.unsupported:
        return
    assert policy.queries is not None  # noqa: S101
    warn = policy.queries.unsupported == "warn"
    constructs = ", ".join(sorted({each.construct for each in found.unsupported}))
    origin = policy.origin("queries/unsupported") or policy.origin("queries")
    result = RequirementResult(
        id=demands.UNSUPPORTED,
        model="unsupported",
        parameters={},
        severity="warning" if warn else "error",
        demand="all can be audited",
        status=Status.NOT_EVALUATED,
        location=None if origin is None else Location(file=origin.file, line=origin.line),
        reason=f"some statements cannot be audited exactly: {constructs}",
    )
    yield decided(result, [Evidence(broken=True)], breach=Status.NOT_EVALUATED)
