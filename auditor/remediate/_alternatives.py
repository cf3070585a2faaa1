"""What else a policy leaves open: other ways to a release, each searched, written and audited like the policy's own."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log10
from time import monotonic
from typing import Any

from auditor.audit import AuditRun
from auditor.engines import RunLimits
from auditor.errors import HierarchyError, NotEvaluated, OutOfTime, UsageError
from auditor.policy import Attribute
from auditor.policy.file.yaml_text import flow
from auditor.policy.remediation import Remediation, Search, SuppressionLimit
from auditor.result.remediation import AlternativeRelease, RemediationResult, Shortfall

SHARES = (0.0, 0.01, 0.05)
"""The suppression limits that are looked at where the policy sets none."""
SEARCH: Search = "mondrian"
"""The local recoding that is looked at where the policy names no search."""
LEAST_SECONDS, MOST_SECONDS = 10.0, 60.0
"""Where the run has no time limit, all alternatives together may take as long as the policy's own way, within these."""
DIGITS = 2
"""A suppression limit to paste is rounded up to so many digits."""


@dataclass(frozen=True)
class ReleaseWay:
    """One way to a release: what is set otherwise than the policy sets it, None where nothing is.

    `ladders` are columns that may become one value (``hierarchy: suppress``).
    """

    search: Search | None = None
    share: float | None = None
    ladders: tuple[str, ...] = ()

    def lines(self, run: AuditRun) -> str:
        """The lines to paste into the policy, each on one line."""
        limit = None if self.share is None else percent(self.share)
        settings = {"search": self.search, "suppression_limit": limit}
        blocks: dict[str, dict[str, Any]] = {
            "remediation": {name: value for name, value in settings.items() if value is not None}
        }
        blocks["attributes"] = {name: _with_ladder(run.binding.roles[name]) for name in self.ladders}
        return "\n".join(f"{name}: {flow(block)}" for name, block in blocks.items() if block)

    def of(self, run: AuditRun, limits: RunLimits) -> AuditRun:
        """The run that goes this way; audits of what it finds stay those of the policy."""
        settings = run.policy.remediation or Remediation()
        limit = settings.suppression_limit if self.share is None else SuppressionLimit(share=self.share, records=None)
        changed = settings.model_copy(update={"search": self.search or settings.search, "suppression_limit": limit})
        suppress = {name: run.binding.roles[name].model_copy(update={"hierarchy": "suppress"}) for name in self.ladders}
        binding = replace(run.binding, roles={**run.binding.roles, **suppress})
        policy = run.policy.model_copy(update={"remediation": changed})
        return replace(run, policy=policy, binding=binding, limits=limits)


def left_open(settings: Remediation | None) -> tuple[ReleaseWay, ...]:
    """The ways that a policy leaves open, its own first; its own alone where it sets both limit and search."""
    given = frozenset() if settings is None else settings.model_fields_set
    shares = (None,) if "suppression_limit" in given else SHARES
    return (*(ReleaseWay(share=share) for share in shares), *(() if "search" in given else (ReleaseWay(SEARCH),)))


def ways_out(found: Shortfall, records: int, named: Container[str]) -> Iterator[ReleaseWay]:
    """Where nothing meets the policy: a limit that would do, and the columns that stand in the way.

    Only columns that the policy names can be pasted into it; the name of another one may be a value of the data.
    """
    if found.suppression_needed:
        yield ReleaseWay(share=_rounded_up(found.suppression_needed, records))
    stuck = [each.attribute for each in found.coarser_ladders if each.attribute in named]
    enough = [each.attribute for each in found.coarser_ladders if each.enough and each.attribute in named]
    yield from (ReleaseWay(ladders=(name,)) for name in enough)
    if len(stuck) > 1 and not enough:
        yield ReleaseWay(ladders=tuple(stuck))


Plan = Callable[[ReleaseWay, RunLimits], RemediationResult]
"""Gives the document of a plan that goes a way."""


@dataclass(frozen=True)
class Alternatives:
    """Looks at ways one by one, as long as there is time.

    Args:
        run: the run.
        plan: makes the plans.
        seconds: what the policy's own way has taken.
        releasing: how much of that went into writing and auditing its release; no search may take that of its own way.
    """

    run: AuditRun
    plan: Plan
    seconds: float
    releasing: float

    def of(self, ways: Sequence[ReleaseWay]) -> tuple[AlternativeRelease, ...]:
        """What each way gives; each has its part of the time left, and local recoding, the fastest, comes first."""
        ends = monotonic() + self._seconds()
        order = sorted(ways, key=lambda way: way.search != SEARCH)
        found = {}
        for place, way in enumerate(order):
            found[way] = self._tried(way, (ends - monotonic()) / (len(order) - place) - self.releasing)
        return tuple(found[way] for way in ways)

    def _tried(self, way: ReleaseWay, seconds: float) -> AlternativeRelease:
        limits = replace(self.run.limits, seconds=seconds, started=monotonic())
        try:
            limits.check()
            return self.told(way, self.plan(way, limits))
        except OutOfTime:
            return AlternativeRelease(
                lines=way.lines(self.run), reason="not tried to the end: there was no time left for it"
            )
        except (NotEvaluated, UsageError, HierarchyError) as error:
            return AlternativeRelease(lines=way.lines(self.run), reason=str(error))

    def told(self, way: ReleaseWay, document: RemediationResult, *, taken: bool = False) -> AlternativeRelease:
        """What a way gives, as the document of its plan says it."""
        solution, after = document.solution, document.after
        if solution is None or after is None:
            return AlternativeRelease(
                lines=way.lines(self.run), taken=taken, reason="no release that meets the policy was found"
            )
        decided = solution.proved_optimal or solution.levels is None
        return AlternativeRelease(
            lines=way.lines(self.run),
            taken=taken,
            verdict=after.verdict,
            loss=solution.losses.get("loss"),
            suppressed_records=solution.suppressed_records,
            blank_columns=None if after.classes is None else after.classes.blank_columns,
            reason=None if decided else "not every way was decided, so one that loses less may exist",
        )

    def _seconds(self) -> float:
        left = self.run.limits.remaining()
        return left if left is not None else min(max(self.seconds, LEAST_SECONDS), MOST_SECONDS)


def _rounded_up(needed: int, records: int) -> float:
    """The least share of few digits that lets so many records be suppressed."""
    exact = Fraction(needed, records)
    unit = Fraction(10) ** (ceil(log10(exact)) - DIGITS)
    return min(1.0, float(ceil(exact / unit) * unit))


def percent(share: float) -> str:
    """A share as a policy writes it.

    >>> percent(0.05), percent(0.0), percent(0.00034)
    ('5%', '0%', '0.034%')
    """
    return f"{float(Fraction(repr(share)) * 100):.10f}".rstrip("0").rstrip(".") + "%"


def _with_ladder(attribute: Attribute) -> dict[str, Any]:
    """The attribute as the policy has it, with the ladder of one value."""
    return {**attribute.model_dump(mode="json", exclude_defaults=True), "role": attribute.role, "hierarchy": "suppress"}
