"""What was found: frozen values whose shape is the JSON document of the contract.

Every field says who may see it, once, where it is declared:

* `fact`: about the policy, the run or the schema of the data; everybody may see it.
* `total`: a number counted over people; the public sees it only where it is not small.
* `cell`: a value, key or record of the data; only the internal audience sees it.

The redaction layer (`auditor.report.redact`) reads nothing but these marks, so a new field cannot be forgotten: one
without a mark cannot be defined.

Texts (`message`, `reason`, assumptions) are facts, so they never hold a value or a count of the data; the numbers stand
in fields beside them and the renderers put the sentence together after redaction.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_NOT_MET, PolicyNotMet

SCHEMA_VERSION = 1


class Visibility(StrEnum):
    """Who may see a field."""

    FACT = "fact"
    TOTAL = "total"
    CELL = "cell"


class Kind(StrEnum):
    """What a total is, so that a number which merely reveals a small count is hidden like the count itself."""

    COUNT = "count"
    SHARE = "share"
    """Times the number of rows (or units), it is a count."""
    RISK = "risk"
    """One divided by the size of a class."""
    AVERAGE = "average"
    """The number of rows divided by the number of classes."""
    LOSS = "loss"
    """What a generalization loses: no count in itself, but one that may tell how many records were suppressed."""


class Audience(StrEnum):
    """For whom a document is rendered."""

    PUBLIC = "public"
    REVIEWER = "reviewer"
    INTERNAL = "internal"


class Status(StrEnum):
    """What became of one requirement."""

    PASS = "pass"  # noqa: S105  (a verdict, no password)
    FAIL = "fail"
    WARNING = "warning"
    WAIVED = "waived"
    NOT_EVALUATED = "not-evaluated"


class Verdict(StrEnum):
    """What became of the policy: the first of fail, not-evaluated, waived, pass that applies."""

    FAIL = "fail"
    NOT_EVALUATED = "not-evaluated"
    WAIVED = "waived"
    PASS = "pass"  # noqa: S105  (a verdict, no password)


def _marked(visibility: Visibility, default: Any, kind: Kind = Kind.COUNT) -> Any:
    metadata = {"visibility": visibility, "kind": kind}
    if default is ...:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def fact(default: Any = ...) -> Any:
    """A field that everybody may see."""
    return _marked(Visibility.FACT, default)


def total(default: Any = ..., kind: Kind = Kind.COUNT) -> Any:
    """A number counted over people: hidden from the public where it is small, or reveals one that is."""
    return _marked(Visibility.TOTAL, default, kind)


def cell(default: Any = ...) -> Any:
    """A value, key or record of the data: for the internal audience alone."""
    return _marked(Visibility.CELL, default)


@dataclass(frozen=True, kw_only=True)
class Location:
    """A line of a policy file."""

    file: str = fact()
    line: int = fact()


@dataclass(frozen=True, kw_only=True)
class Tool:
    """The program that judged."""

    name: str = fact("auditor")
    version: str = fact()


@dataclass(frozen=True, kw_only=True)
class Citation:
    """Where a starter pack has its figures from."""

    pack: str = fact()
    source: str = fact()
    edition: str = fact(None)
    checked_on: str = fact(None)
    certainty: str | None = fact(None)
    notice: str | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class PolicyFacts:
    """The policy that was judged against.

    `sha256` is of the effective policy as canonical JSON, waivers excluded. `extends` is the chain, nearest first;
    `text` the effective policy as YAML (secrets shown as "confidential").
    """

    name: str = fact()
    sha256: str = fact()
    file: str | None = fact(None)
    description: str | None = fact(None)
    owner: str | None = fact(None)
    extends: tuple[str, ...] = fact(())
    citations: tuple[Citation, ...] = fact(())
    text: str | None = fact(None)
    protection_threshold: int | None = fact(None)
    """The largest k that the policy demands: a public document hides totals from 1 to one less than it."""


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """One column of the data and the role that the policy gives it."""

    name: str = fact()
    role: str = fact()
    type: str = fact()


@dataclass(frozen=True, kw_only=True)
class DataFacts:
    """The data that was judged. `unit` is "rows", or the column whose distinct values are counted."""

    source: str = fact()
    rows: int = total()
    columns: int = fact()
    sha256: str | None = fact(None)
    unit: str = fact("rows")
    units: int | None = total(None)
    format: str | None = fact(None)
    files: int = fact(1)
    column_roles: tuple[ColumnFacts, ...] = fact(())
    recipients: tuple[str, ...] = fact(())
    purpose: str | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class SizeBin:
    """Classes whose size lies from `low` to `high` (None: open), both included."""

    low: int = fact()
    high: int | None = fact()
    classes: int = total()
    records: int = total()


@dataclass(frozen=True, kw_only=True)
class RiskAtK:
    """How many records stand in classes smaller than `k`."""

    k: int = fact()
    records_below: int = total()
    share_below: float = total(kind=Kind.SHARE)


@dataclass(frozen=True, kw_only=True)
class ClassSummary:
    """The equivalence classes of all quasi-identifiers together."""

    count: int = total()
    smallest: int = total()
    largest: int = total()
    average: float = total(kind=Kind.AVERAGE)
    sample_uniques: int = total()
    quasi_identifiers: tuple[str, ...] = fact(())
    sizes: tuple[SizeBin, ...] = fact(())
    risk_curve: tuple[RiskAtK, ...] = fact(())


@dataclass(frozen=True, kw_only=True)
class Risk:
    """Re-identification risk (El Emam 2013): see the docs for each number's formula."""

    prosecutor_highest: float = total(kind=Kind.RISK)
    marketer: float = total(kind=Kind.SHARE)
    share_at_risk: float = total(kind=Kind.SHARE)
    threshold: float = fact()


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
    bound: float | str = fact()


@dataclass(frozen=True, kw_only=True)
class NumberBin:
    """Classes whose number lies in [low, high), or is `low` where both are equal (None: unbounded; +∞ included)."""

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
class Waiver:
    """An accepted, time-limited exception."""

    reason: str = fact()
    owner: str = fact()
    approved_by: str = fact()
    expires: str = fact()
    days_left: int = fact()
    ticket: str | None = fact(None)
    at_least: Mapping[str, float | str] | None = fact(None)
    """The bound that still holds while the requirement is waived."""


@dataclass(frozen=True, kw_only=True)
class RequirementResult:
    """One requirement, judged.

    `achieved` is the worst class's number; `bound` what the policy demands; `comparison` how they must stand
    (``>=``, ``<=``, ``<``). `reason` says why a requirement could not be evaluated.
    """

    id: str = fact()
    model: str = fact()
    parameters: Mapping[str, Any] = fact()
    severity: str = fact()
    status: Status = fact()
    achieved: float | None = total(None)
    bound: float | str | None = fact(None)
    comparison: str | None = fact(None)
    also: tuple[Also, ...] = fact(())
    classes_violating: int | None = total(None)
    records_violating: int | None = total(None)
    location: Location | None = fact(None)
    monotone: Monotone | None = fact(None)
    sensitive: str | None = fact(None)
    quasi_identifiers: tuple[str, ...] = fact(())
    columns: tuple[str, ...] = fact(())
    """For requirements on columns (identifiers, undeclared, allowed values): the columns that violate."""
    because: str | None = fact(None)
    reason: str | None = fact(None)
    citation: str | None = fact(None)
    tolerance: float | None = fact(None)
    distribution: tuple[NumberBin, ...] = fact(())
    exposed: tuple[ExposedClass, ...] = cell(())
    waiver: Waiver | None = fact(None)
    notes: tuple[str, ...] = fact(())


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something the reader should act on. `message` holds no number and no value of the data."""

    requirement: str | None = fact(None)
    message: str = fact()
    records_count: int | None = total(None)
    level: str = fact("error")
    """error, warning or note"""
    location: Location | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class DimensionStep:
    """What adding one more quasi-identifier does (Aggarwal 20.3.4): `attribute` joins those of the steps before."""

    attribute: str = fact()
    distinct_values: int = total()
    classes: int = total()
    unique_records: int = total()
    unique_share: float = total(kind=Kind.SHARE)
    below_k: int = total()
    below_k_share: float = total(kind=Kind.SHARE)


@dataclass(frozen=True, kw_only=True)
class Dimensionality:
    """The dimensionality check: quasi-identifiers joined one by one, fewest distinct values first."""

    k: int = fact()
    steps: tuple[DimensionStep, ...] = fact()


@dataclass(frozen=True, kw_only=True)
class Feasibility:
    """A requirement that no generalization of this table can meet, with the number that proves it."""

    requirement: str = fact()
    bound: float | str | None = fact()
    best_possible: float = total()
    why: str = fact()


@dataclass(frozen=True, kw_only=True)
class LatticeHeight:
    """The nodes whose levels sum to `height`: how many there are, and how many of them are known to solve.

    `minimal` counts the minimal generalizations among them; `undecided` those that the search did not have to decide.
    """

    height: int = fact()
    nodes: int = fact()
    solving: int = fact()
    minimal: int | None = fact(None)
    undecided: int = fact(0)


@dataclass(frozen=True, kw_only=True)
class LatticeNode:
    """One node of a small lattice: its levels, in the order of the solution's. `solves` is None where undecided."""

    levels: tuple[int, ...] = fact()
    solves: bool | None = fact()
    minimal: bool = fact(False)


@dataclass(frozen=True, kw_only=True)
class Lattice:
    """How much of the generalization lattice was looked at. `solving` is None unless every node was decided.

    `by_height` has one entry per height of the searched lattice; `drawn` every node of a lattice that is small enough
    to be drawn.
    """

    nodes: int = fact()
    evaluated: int = fact()
    solving: int | None = fact(None)
    by_height: tuple[LatticeHeight, ...] = fact(())
    drawn: tuple[LatticeNode, ...] = fact(())


@dataclass(frozen=True, kw_only=True)
class LadderChoice:
    """The level that was chosen of one quasi-identifier's ladder, out of 0 (as is) to `height`.

    `labels` is an example of the ladder: the labels on one path from the chosen level (from level 1, where the values
    stay as they are) to the top. They follow from the policy alone and are never values of the data.
    """

    attribute: str = fact()
    level: int = fact()
    height: int = fact()
    labels: tuple[str | None, ...] = fact(())


@dataclass(frozen=True, kw_only=True)
class AttributeCost:
    """What releasing one quasi-identifier at `level`, the finest searched, would cost.

    `loss` is the least loss of all solving nodes that have it there, `levels` the node; None where no such node solves.
    """

    attribute: str = fact()
    level: int = fact()
    loss: float | None = total(None, Kind.LOSS)
    levels: Mapping[str, int] | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class Solution:
    """The generalization that was chosen: the level of each quasi-identifier, and what it loses.

    `ties` are all solving nodes of the least loss; `minimal_generalizations` those that generalize no solving node.
    """

    search: str = fact()
    objective: str | tuple[str, ...] = fact()
    levels: Mapping[str, int] = fact()
    suppressed_records: int = total()
    loss: float | None = total(None, Kind.LOSS)
    losses: Mapping[str, float] = total(kind=Kind.LOSS)
    ties: tuple[Mapping[str, int], ...] = fact(())
    minimal_generalizations: tuple[Mapping[str, int], ...] | None = fact(None)
    lattice: Lattice | None = fact(None)
    proved_optimal: bool = fact(True)
    loss_bound: float | None = total(None, Kind.LOSS)
    """Where the time ran out before a proof: what every node that was not looked at loses at least."""
    arguments: Mapping[str, str] = fact()
    """For each requirement, by which argument nodes were decided without looking at them."""
    ladders: tuple[LadderChoice, ...] = fact(())
    costs: tuple[AttributeCost, ...] = fact(())
    """Empty unless the search evaluated every solving node."""


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """A requirement that even the coarsest node does not meet, on its own and with the suppression that is allowed."""

    requirement: str = fact()
    model: str = fact()
    bound: float | str | None = fact(None)
    achieved: float | None = total(None)
    """Its number at the coarsest node, nothing suppressed."""
    to_suppress: int | None = total(None)
    """The records that would have to be suppressed there; None where no suppression helps."""
    enough: int | None = total(None)
    """For k-anonymity, the largest k that can be met."""


@dataclass(frozen=True, kw_only=True)
class Shortfall:
    """Why no generalization meets the policy, and what would be enough.

    `nearest` is the node, of those looked at, that meets the policy with the least records suppressed, and
    `suppression_needed` how many; both None where none does. `exhaustive` says whether every node was looked at.
    """

    coarsest: Mapping[str, int] = fact()
    obstacles: tuple[Obstacle, ...] = fact(())
    nearest: Mapping[str, int] | None = fact(None)
    suppression_needed: int | None = total(None)
    exhaustive: bool = fact(True)


@dataclass(frozen=True, kw_only=True)
class Result:
    """The answer of one auditing command: the JSON document as a value."""

    tool: Tool = fact()
    command: str = fact()
    evaluated_on: str = fact()
    verdict: Verdict = fact()
    policy: PolicyFacts = fact()
    data: DataFacts | None = fact(None)
    classes: ClassSummary | None = fact(None)
    risk: Risk | None = fact(None)
    requirements: tuple[RequirementResult, ...] = fact(())
    findings: tuple[Finding, ...] = fact(())
    not_checked: tuple[str, ...] = fact(())
    assumptions: tuple[str, ...] = fact(())
    dimensionality: Dimensionality | None = fact(None)
    feasibility: tuple[Feasibility, ...] = fact(())
    reproduce: str | None = fact(None)
    """The command that verifies, without paths outside the working folder."""

    @property
    def passed(self) -> bool:
        """Whether every requirement of severity error holds, without a waiver."""
        return self.verdict is Verdict.PASS

    @property
    def exit_code(self) -> int:
        """What a command that ends with this result returns."""
        if self.verdict is Verdict.FAIL:
            return EXIT_NOT_MET
        return EXIT_NOT_EVALUATED if self.verdict is Verdict.NOT_EVALUATED else EXIT_MET

    def raise_unless_passed(self) -> None:
        """Raise `PolicyNotMet`, naming the requirements that stand in the way, unless the verdict is ``pass``."""
        if not self.passed:
            failed = [r.id for r in self.requirements if r.status not in (Status.PASS, Status.WARNING)]
            raise PolicyNotMet(
                f"policy {self.policy.name}: {self.verdict} ({', '.join(failed) or 'nothing was judged'})"
            )

    def to_dict(self) -> dict[str, Any]:
        """The document as plain values, everything in it (audience ``internal``)."""
        return {"schema_version": SCHEMA_VERSION, "audience": Audience.INTERNAL.value, **plain(self)}


@dataclass(frozen=True, kw_only=True)
class RemediationResult(Result):
    """The answer of ``remediate``: what was chosen, the table before (as ``check --source``) and the release after.

    Everything else in it speaks of the release, where there is one, else of the table.
    """

    solution: Solution | None = fact(None)
    shortfall: Shortfall | None = fact(None)
    before: Result | None = fact(None)
    after: Result | None = fact(None)
    written: bool = fact(False)
    """Whether the release was put in its place; a plan is audited and thrown away."""


def plain(value: Any) -> Any:
    """A result as JSON-ready values: mappings, lists, numbers, text; +∞ as the string ``inf``."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


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
