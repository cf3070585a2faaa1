"""What ``hide`` answers: how everything sensitive was hidden, what it cost, and whether a miner still finds any of it.

It has no policy: what must hold stands in the sensitive file and in the thresholds. Which itemsets are sensitive is
secret itself, so they are cells; so are the thresholds for the public, because they tell where to look.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from auditor.errors import EXIT_MET, EXIT_NOT_MET, PolicyNotMet
from auditor.result._document import SCHEMA_VERSION, DataFacts, Finding, Tool
from auditor.result._marks import Audience, Kind, Verdict, cell, fact, plain, total
from auditor.result._work import Work


@dataclass(frozen=True, kw_only=True)
class HiddenPattern:
    """One sensitive itemset, or rule (with a consequent): for the internal audience alone.

    `confidence` is None for an itemset. `hidden` says whether it is hidden in the release, margin included.
    """

    items: tuple[str, ...] | None = cell()
    consequent: tuple[str, ...] | None = cell(())
    support_before: int | None = cell()
    support_after: int | None = cell()
    confidence_before: float | None = cell(None)
    confidence_after: float | None = cell(None)
    hidden: bool | None = cell()


@dataclass(frozen=True, kw_only=True)
class HidingMethod:
    """One method, and what its release would be, measured on that release.

    `hiding_failure` is the share of the sensitive patterns found before that are found after; `misses_cost` the share
    of the frequent itemsets that may stay which are lost; `artifactual` the share of what is found after that was not
    there before (rules where there is a least confidence, else itemsets); `dissimilarity` Σ |f − f′| / Σ f over the
    items' supports; `accuracy` the share of transactions left as they were; `distance` the cells that differ.
    """

    method: str = fact()
    hidden: bool = fact()
    """Whether everything sensitive is hidden, margin included."""
    optimal: bool = fact(False)
    """Whether it is proved that nothing has less of what the method minimises."""
    gap: float | None = fact(None)
    """(objective − bound) / objective; None for a method that proves nothing."""
    minimises: str | None = fact(None)
    objective: int | None = total(None, Kind.DERIVED)
    """Its number; where losses come before items, each counts as more than all items that ever have to go."""
    bound: float | None = total(None, Kind.DERIVED)
    """What is proved that no solution can be below."""
    removed_items: int = total()
    """Cells of the data that the release lacks, those of removed transactions included."""
    added_items: int = total(0)
    transactions_changed: int = total()
    """The removed ones included."""
    transactions_removed: int = total(0)
    transactions_emptied: int = total(0)
    """Those that lost all their items and stay as empty ones."""
    lost_itemsets: int = fact()
    ghost_itemsets: int = fact()
    lost_rules: int | None = fact(None)
    ghost_rules: int | None = fact(None)
    hiding_failure: float = fact()
    misses_cost: float = fact()
    artifactual: float = fact()
    dissimilarity: float = total(kind=Kind.DERIVED)
    accuracy: float = total(kind=Kind.DERIVED)
    distance: int = total()
    notes: tuple[str, ...] = fact(())


@dataclass(frozen=True, kw_only=True)
class Hiding(HidingMethod):
    """The method that made the release, and what was asked of it."""

    sensitive: int = fact()
    """How many itemsets and rules are sensitive."""
    already_hidden: int = fact()
    """How many of them were not found before either."""
    frequent_itemsets: int = fact()
    """In the data as it was."""
    rules: int | None = fact(None)
    min_support: int | None = total(None, Kind.DERIVED)
    """The least support as a number of transactions, of those in the data."""
    min_support_share: float | None = total(None, Kind.DERIVED)
    """The share that was asked for; None where a number was."""
    min_support_release: int | None = total(None, Kind.DERIVED)
    """The same share of the release's transactions: other than `min_support` where transactions were removed."""
    min_confidence: float | None = total(None, Kind.DERIVED)
    margin: int | None = total(0, Kind.DERIVED)
    seed: int = fact(0)


@dataclass(frozen=True, kw_only=True)
class HidingResult:
    """The answer of ``hide``. `data` is what came in; `release` what was written, None where nothing was."""

    schema_version: int = fact(SCHEMA_VERSION)
    tool: Tool = fact()
    command: str = fact("hide")
    evaluated_on: str = fact()
    verdict: Verdict = fact()
    data: DataFacts = fact()
    hiding: Hiding = fact()
    methods: tuple[HidingMethod, ...] = fact(())
    """Every method side by side, where that was asked for."""
    patterns: tuple[HiddenPattern, ...] | None = cell(())
    release: DataFacts | None = fact(None)
    written: bool = fact(False)
    findings: tuple[Finding, ...] = fact(())
    assumptions: tuple[str, ...] = fact(())
    reproduce: str | None = total(None, Kind.DERIVED)
    """The command, which holds the thresholds."""
    work: Work | None = fact(None)
    """By which engine, and in how many seconds each stage; None in documents of older versions."""

    def __init_subclass__(cls) -> None:
        """Every such document has this class's repr; the decorator would write another one."""
        super().__init_subclass__()
        cls.__repr__ = HidingResult.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """No more than this: a repr goes to logs and notebooks, which know no audience."""
        return f"<{type(self).__name__}: {self.verdict}, method {self.hiding.method}>"

    @property
    def passed(self) -> bool:
        """Whether everything sensitive is hidden."""
        return self.verdict is Verdict.PASS

    @property
    def exit_code(self) -> int:
        """0 hidden, 1 something can still be mined."""
        return EXIT_MET if self.passed else EXIT_NOT_MET

    def raise_unless_passed(self) -> None:
        """Raise `PolicyNotMet` unless everything is hidden."""
        if not self.passed:
            raise PolicyNotMet(f"method {self.hiding.method}: something sensitive can still be mined")

    def to_dict(self) -> dict[str, Any]:
        """The document as plain values, everything in it (audience ``internal``)."""
        return {"schema_version": SCHEMA_VERSION, "audience": Audience.INTERNAL.value, **plain(self)}
