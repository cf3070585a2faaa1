"""One requirement, judged, and the verdict that many of them make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditor.result._marks import Kind, Status, Verdict, cell, column, fact, total


@dataclass(frozen=True, kw_only=True)
class Location:
    """A line of a policy file."""

    file: str = fact()
    line: int = fact()


@dataclass(frozen=True, kw_only=True)
class Monotone:
    """What merging classes and suppressing records do to a model, as declared and tested."""

    generalization: bool = fact()
    suppression: bool = fact()


@dataclass(frozen=True, kw_only=True)
class Also:
    """The second parameter of a model that has two."""

    parameter: str = fact()
    achieved: float = total()
    """The worst class's number."""
    bound: float | str = fact()


@dataclass(frozen=True, kw_only=True)
class NumberBin:
    """Classes whose number lies in [low, high), or is `low` where both are equal (None: unbounded; +∞ included).

    Where neither end is said, on public pages, they are those whose own bins would tell small counts.
    """

    low: float | None = fact()
    high: float | None = fact()
    violates: bool = fact()
    classes: int = total()
    records: int = total()


@dataclass(frozen=True, kw_only=True)
class ExposedClass:
    """One of the worst classes, by its key: for the internal audience alone."""

    key: tuple[tuple[str, str | None], ...] | None = cell()
    number: float | None = cell()
    records: int | None = cell()


@dataclass(frozen=True, kw_only=True)
class PatternCounts:
    """What an attacker with bounded knowledge may know: every combination of values that occurs, over all columns.

    A pattern is a combination of columns with the values that some person has.
    """

    below: int = total()
    """Those that break the bound; of a share, those of one person."""
    unique: int = total()
    """Those of one person, or of one record where no unit is named."""
    exposed: int = total()
    """Persons, or records, with some pattern that is `below`."""
    total: int = total()
    """How many patterns occur."""


@dataclass(frozen=True, kw_only=True)
class WaiverFacts:
    """An accepted, time-limited exception."""

    reason: str = fact()
    owner: str = fact()
    approved_by: str = fact()
    expires: str = fact()
    """The last day on which it holds."""
    days_left: int = fact()
    """Days from `evaluated_on` to `expires`."""
    ticket: str | None = fact(None)
    at_least: Mapping[str, float | str] | None = total(None, Kind.DERIVED)
    """The bound that still holds while the requirement is waived: no wider than what was reached, so hidden with it."""
    approval: str | None = fact(None)
    """What is known of the approval besides the name."""
    wider: str | None = fact(None)
    """How it excuses more than was found; None where it does not."""
    kind: str = fact("waiver")
    """waiver, or baseline: a failure that was there before, which nobody approved."""


@dataclass(frozen=True, kw_only=True)
class RequirementResult:
    """One requirement, judged.

    `achieved` is the worst class's number; `bound` what the policy demands; `comparison` how they must stand
    (``>=``, ``<=``, ``<``). `reason` says why a requirement could not be evaluated.
    """

    id: str = fact()
    """The name that the policy gives it, by which waivers, baselines and tests refer to it."""
    model: str = fact()
    """The privacy model, limit or check."""
    parameters: Mapping[str, Any] = fact()
    severity: str = fact()
    """error, or warning, which fails nothing."""
    status: Status = fact()
    achieved: float | None = total(None, None)
    """The worst class's number; None where there is none, or this audience may not see it."""
    kind: str | None = fact(None)
    """What `achieved` is, a `Kind`; the public sees no number of unknown kind, as in documents of older versions."""
    edge: int | None = fact(None)
    """The class size below which `records_violating` counts records, or `achieved` is their share; None otherwise."""
    smallest_group: int | None = total(None)
    """The smallest group of records that `achieved` may tell of: a class, those in one with or without a value, or
    those whose values changed."""
    bound: float | str | None = fact(None)
    """What the policy demands of `achieved`; a text where it is confidential."""
    comparison: str | None = fact(None)
    """How `achieved` must stand to `bound`: >=, <= or <."""
    demand: str | None = fact(None)
    """What is asked for where `bound` is no number, in words: ``no value follows``."""
    also: tuple[Also, ...] = fact(())
    classes_violating: int | None = total(None)
    """Classes whose number breaks the bound."""
    records_violating: int | None = total(None)
    """Records, or units, in these classes."""
    patterns: PatternCounts | None = fact(None)
    """What was counted of an attacker whose knowledge the requirement bounds; its patterns are the classes."""
    location: Location | None = fact(None)
    monotone: Monotone | None = fact(None)
    sensitive: str | None = column(None)
    """The sensitive attribute, of models that have one."""
    quasi_identifiers: tuple[str, ...] = column(())
    columns: tuple[str, ...] = column(())
    """For requirements on columns (identifiers, undeclared, allowed values): the columns that violate."""
    because: str | None = fact(None)
    """Why the policy demands it, in its own words."""
    reason: str | None = fact(None)
    """Why it was not evaluated."""
    details: tuple[str, ...] | None = cell(())
    """What the reason does not name: files beside the data, the line to paste with a value as the data has it."""
    citation: str | None = fact(None)
    tolerance: float | None = fact(None)
    """By how much `achieved` may pass the bound: the error of its computation."""
    distribution: tuple[NumberBin, ...] = fact(())
    """How many classes have which number."""
    exposed: tuple[ExposedClass, ...] | None = cell(())
    """The worst classes."""
    waiver: WaiverFacts | None = fact(None)
    notes: tuple[str, ...] = fact(())


def verdict_of(requirements: tuple[RequirementResult, ...]) -> Verdict:
    """The first of fail, not-evaluated, waived, pass that applies.

    A requirement of severity warning is a warning where it is violated, so it cannot fail the policy; one that could
    not be evaluated is no pass, whatever its severity. No requirement at all is not-evaluated.
    """
    statuses = {r.status for r in requirements}
    for status, verdict in (
        (Status.FAIL, Verdict.FAIL),
        (Status.NOT_EVALUATED, Verdict.NOT_EVALUATED),
        (Status.WAIVED, Verdict.WAIVED),
    ):
        if status in statuses:
            return verdict
    return Verdict.PASS if requirements else Verdict.NOT_EVALUATED
