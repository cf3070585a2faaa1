"""What ``tradeoff`` answers: what each masking method loses, what it discloses, and whether the policy is met.

The figures are means over seeds of maskings that nobody releases, in percent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditor.errors import EXIT_MET
from auditor.result._document import SCHEMA_VERSION, DataFacts, Finding, PolicyFacts, Tool
from auditor.result._marks import Audience, Kind, cell, column, fact, plain, total
from auditor.result._work import Work


@dataclass(frozen=True, kw_only=True)
class WeighedUse:
    """What a method costs and protects for one use of the policy. Figures are means over the seeds, in percent."""

    loss: float | None = total(kind=Kind.DERIVED)
    """The loss of that use; None where it cannot be measured."""
    score: float | None = total(kind=Kind.DERIVED)
    """(loss + DR) / 2: lower is better."""
    frontier: bool = fact(False)
    """Whether no other method has both less of this loss and less risk."""
    reason: str | None = fact(None)
    """Why it cannot be measured."""


@dataclass(frozen=True, kw_only=True)
class UseFacts:
    """A use of the release, by which methods are weighed as well."""

    name: str = fact()
    """As the policy has it: ``classify 'salary-class'``, ``cluster 4``."""
    attributes: tuple[str, ...] = column(())
    """The columns that it reads."""
    says: str = fact()
    """What its loss says and does not say."""
    chance: float = total(kind=Kind.DERIVED)
    """The loss of the table as it is when only the seed of the use differs: smaller differences say nothing."""
    best: str | None = fact(None)
    """The method of the least Score by this use, of those that meet the policy and whose Score is not gamed."""


@dataclass(frozen=True, kw_only=True)
class WeighedMethod:
    """One method with its parameters. Figures are means over the seeds, in percent; `sd` is the Score's."""

    name: str = fact()
    """As in the literature: Rank19, Micmul03, Mic4mul04; for several in order, their names: Rank19 + Micmul03."""
    method: str = fact()
    """As in policies; protection for several, none for none."""
    parts: tuple[str, ...] = fact(())
    """Of several, the names under which each is weighed alone; their parameters stand there."""
    parameters: Mapping[str, Any] = fact()
    attributes: tuple[str, ...] = column(())
    apil: float = total(kind=Kind.DERIVED)
    """Average probabilistic information loss."""
    id: float = total(kind=Kind.DERIVED)
    """Interval disclosure."""
    rd: float = total(kind=Kind.DERIVED)
    """Record linkage."""
    dr: float = total(kind=Kind.DERIVED)
    """Disclosure risk: (ID + RD) / 2."""
    score: float = total(kind=Kind.DERIVED)
    """(aPIL + DR) / 2: lower is better."""
    sd: float | None = total(None, Kind.DERIVED)
    """The standard deviation of the Score over the seeds (divisor n − 1); None for one seed."""
    linkage: tuple[float, ...] = total((), Kind.DERIVED)
    """The share of linked records by the number of variables that the attacker knows, from 1 on."""
    same_rows: float = total(kind=Kind.DERIVED)
    """The share of rows that equal a row of the original, wherever that stands."""
    compliant: bool | None = fact(None)
    """Whether the policy is met with every seed; None where that was not evaluated."""
    seeds: int = fact()
    frontier: bool = fact()
    """Whether no other method has both less loss and less risk."""
    gamed: tuple[str, ...] = fact(())
    """Why this method's Score says less than it seems to."""
    uses: tuple[WeighedUse, ...] = fact(())
    """What it costs by each use, in the order of the document's `uses`."""


@dataclass(frozen=True, kw_only=True)
class AttributeChange:
    """One attribute before and after the best method: bins of the original's range, with shares of the records."""

    name: str = column()
    edges: tuple[float, ...] | None = cell()
    before: tuple[float, ...] = total(kind=Kind.DERIVED)
    after: tuple[float, ...] = total(kind=Kind.DERIVED)


@dataclass(frozen=True, kw_only=True)
class Recommended:
    """The method of the least Score among those that meet the policy and are not gamed, and what it does."""

    name: str = fact()
    reason: str = fact()
    distributions: tuple[AttributeChange, ...] = fact(())
    correlations: tuple[tuple[float, ...], ...] = total((), Kind.DERIVED)
    """By how much each correlation changes: after less before, by attribute and attribute."""


@dataclass(frozen=True, kw_only=True)
class TradeoffResult:
    """The answer of ``tradeoff``: every method, in the order of their Scores."""

    schema_version: int = fact(SCHEMA_VERSION)
    tool: Tool = fact()
    command: str = fact("tradeoff")
    evaluated_on: str = fact()
    policy: PolicyFacts = fact()
    data: DataFacts = fact()
    attributes: tuple[str, ...] = column()
    """The attributes over which loss and risk are measured, where they are the same for all methods."""
    known: tuple[str, ...] = column(())
    """The attributes whose original values an attacker may know: in `linkage` the first, the first two, … of them."""
    preset: str | None = fact(None)
    methods: tuple[WeighedMethod, ...] = fact()
    identity: WeighedMethod = fact()
    """The table as it is: the corner of no loss and full risk."""
    recommended: Recommended | None = fact(None)
    uses: tuple[UseFacts, ...] = fact(())
    findings: tuple[Finding, ...] = fact(())
    assumptions: tuple[str, ...] = fact(())
    reproduce: str | None = fact(None)
    work: Work | None = fact(None)
    """By which engine, and in how many seconds each stage; None in documents of older versions."""

    def __init_subclass__(cls) -> None:
        """Every such document has this class's repr; the decorator would write another one."""
        super().__init_subclass__()
        cls.__repr__ = TradeoffResult.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """No more than this: a repr goes to logs and notebooks, which know no audience."""
        return f"<{type(self).__name__}: {len(self.methods)} methods, policy {self.policy.name}>"

    @property
    def exit_code(self) -> int:
        """0: a sweep judges nothing; whether the policy is met is stated for each method."""
        return EXIT_MET

    def to_dict(self) -> dict[str, Any]:
        """The complete document as plain values (audience ``internal``)."""
        return {"schema_version": SCHEMA_VERSION, "audience": Audience.INTERNAL.value, **plain(self)}
