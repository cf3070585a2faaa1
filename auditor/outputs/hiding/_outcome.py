"""What a method did, and the document of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from auditor.distribution import version
from auditor.outputs.hiding._measures import MinedRelease
from auditor.outputs.hiding._problem import Answer
from auditor.outputs.hiding._read import Loaded
from auditor.outputs.hiding._rules import rules
from auditor.outputs.hiding._sensitive import Sensitive
from auditor.report import Rendered
from auditor.result import DataFacts, Finding, Tool, Verdict
from auditor.result.hiding import Hiding, HidingMethod, HidingResult

ASSUMPTIONS = (
    "A reader mines the release with the support and confidence that were given, not with lower ones.",
    "Hiding is not anonymity: a transaction that stays can still be recognized by what is known about it.",
    "The sensitive itemsets and the thresholds stay secret: anyone who knows them knows where to look.",
    "A support just below the threshold can itself be a hint that something was hidden; a margin weakens it.",
)


class HideResult(Rendered, HidingResult):
    """The result of `hide`: the JSON document as a value, which can show itself."""


@dataclass(frozen=True)
class Outcome:
    """A method, its answer, and the release that it makes."""

    method: str
    answer: Answer
    release: MinedRelease

    def fields(self) -> dict[str, Any]:
        """The fields of `HidingMethod`."""
        change, data, answer = self.answer.change, self.release.problem.transactions, self.answer
        dropped = int(data.lengths[sorted(change.dropped)].sum())
        changed = {row for row, _ in change.removed | change.added} | change.dropped
        return {
            "method": self.method,
            "optimal": answer.optimal,
            "gap": answer.gap,
            "minimises": answer.measure,
            "objective": answer.objective,
            "bound": answer.bound,
            "removed_items": len(change.removed) + dropped,
            "added_items": len(change.added),
            "transactions_changed": len(changed),
            "transactions_removed": len(change.dropped),
            "transactions_emptied": self._emptied(),
            "accuracy": 1 - len(changed) / len(data),
            "distance": len(change.removed) + dropped + len(change.added),
            "notes": answer.notes,
            **self.release.measured(),
        }

    def _emptied(self) -> int:
        """How many transactions lose all their items and get none."""
        change, lengths = self.answer.change, self.release.problem.transactions.lengths
        lost, grown = Counter(row for row, _ in change.removed), {row for row, _ in change.added}
        return sum(count == int(lengths[row]) and row not in grown for row, count in lost.items())


def document(
    loaded: Loaded,
    sensitive: Sensitive,
    chosen: Outcome,
    *,
    others: Sequence[Outcome],
    written: DataFacts | None,
    as_of: date | None,
    reproduce: str | None,
) -> HideResult:
    """The document of a run; `written` are the facts of the release that is put in its place, None where none is."""
    release, problem = chosen.release, chosen.release.problem
    confidence = problem.min_confidence
    hiding = Hiding(
        **chosen.fields(),
        sensitive=len(sensitive),
        already_hidden=len(sensitive) - len(release.patterns) + release.hidden_before,
        frequent_itemsets=len(problem.frequent),
        rules=None if confidence is None else len(rules(problem.frequent, confidence)),
        min_support=problem.min_support,
        min_support_share=float(problem.threshold.asked) if problem.threshold.relative else None,
        min_support_release=release.min_support,
        min_confidence=None if confidence is None else float(confidence),
        margin=problem.margin,
        seed=problem.seed,
    )
    return HideResult(
        tool=Tool(version=version()),
        evaluated_on=(as_of or datetime.now(UTC).astimezone().date()).isoformat(),
        verdict=Verdict.PASS if release.hidden else Verdict.FAIL,
        data=loaded.facts,
        hiding=hiding,
        methods=tuple(HidingMethod(**each.fields()) for each in others),
        patterns=release.patterns,
        release=written,
        written=written is not None,
        findings=_findings(loaded, sensitive, release),
        assumptions=ASSUMPTIONS,
        reproduce=reproduce,
    )


def _findings(loaded: Loaded, sensitive: Sensitive, release: MinedRelease) -> tuple[Finding, ...]:
    """What the reader should know of the data and of what is left."""
    unknown = len(sensitive.items() - set(loaded.transactions.names))
    still = sum(not pattern.hidden for pattern in release.patterns)
    found = [
        (still > 0, "error", "something sensitive can still be mined, so nothing is released", None),
        (unknown > 0, "warning", "some sensitive items do not occur in the data; look for a misspelling", None),
        (loaded.empty > 0, "note", "transactions without items; they count in shares", loaded.empty),
        (loaded.repeated > 0, "note", "items that occur twice in a transaction count once", loaded.repeated),
    ]
    return tuple(
        Finding(message=message, level=level, records_count=count) for holds, level, message, count in found if holds
    )
