"""A hiding run, shown: whether everything is hidden, what that cost, and the methods side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from auditor.report import words
from auditor.report.redact import DEFAULT_THRESHOLD, Redacted
from auditor.report.sheet import Figures, Sheet, SheetPage, findings, lists
from auditor.result import HIDDEN, Audience, DataFacts, is_hidden
from auditor.result.hiding import HiddenPattern, Hiding, HidingMethod, HidingResult

HEADLINES = {"pass": "Everything sensitive is hidden", "fail": "Something sensitive can still be mined"}
COLUMNS = (
    "Method",
    "Hidden",
    "Proved",
    "Items out",
    "Items in",
    "Changed",
    "Lost itemsets",
    "Lost rules",
    "Ghost rules",
)
NOT_PROVED = "–"
MOST = 50
HIDDEN_NOTE = (
    f"Hidden numbers lie from 1 to {DEFAULT_THRESHOLD - 1}, would reveal such a number, or show where to look."
)


class HidingPage(SheetPage):
    """A hiding run as its formats see it."""

    WRITTEN: ClassVar[str] = "hide has no policy to report on"
    document: Redacted[HidingResult]

    def sheet(self) -> Sheet:
        """The verdict, facts, tables and lists."""
        shown = words.view(self.document).result
        return Sheet(
            document=shown,
            audience=self.document.audience,
            template="hiding",
            seal=words.SYMBOLS[shown.verdict],
            look=shown.verdict,
            headline=HEADLINES[shown.verdict],
            sentence=_sentence(shown),
            facts=_facts(shown, self.document.audience),
            tables=tuple(_tables(shown)),
            lists=lists(shown, [("Findings", findings(shown)), ("Notes", _notes(shown))], HIDDEN_NOTE),
            sha256=(shown.release or shown.data).sha256,
        )


def _sentence(shown: HidingResult) -> str:
    """What was done, and whether a release was written."""
    hiding = shown.hiding
    patterns = words.counted(hiding.sensitive, "sensitive pattern")
    already = f" ({words.number(hiding.already_hidden)} hidden before)" if hiding.already_hidden else ""
    done = "The release was written." if shown.written else "Nothing was written."
    count = hiding.lost_itemsets
    lost = words.number(count) if count else "none"
    itemsets = words.counted(hiding.frequent_itemsets, "itemset was", "itemsets were")
    told = f"Before, {itemsets} frequent; the release loses {lost} of those that may stay."
    return f"{patterns}{already}, method {hiding.method}. {told} {done}"


def _facts(shown: HidingResult, audience: Audience) -> list[tuple[str, str]]:
    """The data, the thresholds, what was changed and what that cost, as names and texts."""
    hiding = shown.hiding
    return [
        ("data", _source(shown.data)),
        *([("release", _source(shown.release))] if shown.release else []),
        ("found by a miner", _threshold(hiding)),
        ("proved", f"{_proved(hiding)}{_least(hiding)}"),
        ("taken out", f"{words.number(hiding.removed_items)} items; put in {words.number(hiding.added_items)}"),
        ("transactions changed", _changed(hiding)),
        (
            "hiding failure",
            f"{words.percent(hiding.hiding_failure)}; misses cost {words.percent(hiding.misses_cost)}",
        ),
        (
            "artifactual",
            f"{words.percent(hiding.artifactual)}; dissimilarity {words.percent(hiding.dissimilarity)}",
        ),
        ("for", f"audience {audience}, evaluated on {shown.evaluated_on}"),
    ]


def _tables(shown: HidingResult) -> Iterator[Figures]:
    """The methods side by side, and (internal) what was hidden."""
    if shown.methods:
        yield Figures("The methods side by side", COLUMNS, [_method(each) for each in shown.methods], texts=3)
    if shown.patterns:
        rows = [_pattern(each) for each in shown.patterns[:MOST]]
        yield Figures("What is sensitive (internal)", ("Pattern", "Support", "Confidence", "Hidden"), rows, texts=3)


def _notes(shown: HidingResult) -> list[str]:
    more = len(shown.patterns or ()) - MOST
    return [*shown.hiding.notes, *([f"{more} more patterns, in the JSON document"] if more > 0 else [])]


def _source(data: DataFacts) -> str:
    digest = f", sha256 {data.sha256[:12]}" if data.sha256 else ""
    return f"{data.source}, {words.number(data.rows)} transactions, {words.number(data.columns)} items{digest}"


def _threshold(hiding: Hiding) -> str:
    if is_hidden(hiding.min_support):
        return str(HIDDEN)
    text_ = f"from {words.counted(hiding.min_support or 0, 'transaction')} on"
    if hiding.min_support_share is not None:
        text_ += f" ({words.percent(hiding.min_support_share)} of the data)"
    if hiding.min_support_release != hiding.min_support:
        text_ += f", from {words.number(hiding.min_support_release)} on in the release"
    if hiding.min_confidence is not None:
        text_ += f", rules from confidence {words.percent(hiding.min_confidence)} on"
    return text_ + (f"; margin {words.number(hiding.margin)}" if hiding.margin else "")


def _proved(method: HidingMethod) -> str:
    if method.optimal:
        return "optimal"
    return NOT_PROVED if method.gap is None else f"gap {words.percent(method.gap)}"


def _least(hiding: Hiding) -> str:
    """What was minimised and, where that is not proved, how far the proof came."""
    if hiding.minimises is None:
        return " (a heuristic)"
    reached = f"; {words.number(hiding.objective)} reached, not below {words.number(hiding.bound)}"
    return f": {hiding.minimises}{'' if hiding.optimal else reached}"


def _changed(hiding: Hiding) -> str:
    removed = f", {words.number(hiding.transactions_removed)} of them removed" if hiding.transactions_removed else ""
    emptied = f", {words.number(hiding.transactions_emptied)} emptied" if hiding.transactions_emptied else ""
    changed, accuracy = words.number(hiding.transactions_changed), words.percent(hiding.accuracy)
    return f"{changed}{removed}{emptied}; accuracy {accuracy}"


def _method(method: HidingMethod) -> list[str]:
    counts = (
        *(method.removed_items, method.added_items, method.transactions_changed),
        *(method.lost_itemsets, method.lost_rules, method.ghost_rules),
    )
    return [
        method.method,
        "yes" if method.hidden else "no",
        _proved(method),
        *map(words.number, counts),
    ]


def _pattern(pattern: HiddenPattern) -> list[str]:
    name = ", ".join(pattern.items or ())
    confidence = NOT_PROVED
    if pattern.consequent:
        name += f" ⇒ {', '.join(pattern.consequent)}"
        confidence = f"{words.percent(pattern.confidence_before)} → {words.percent(pattern.confidence_after)}"
    support = f"{words.number(pattern.support_before)} → {words.number(pattern.support_after)}"
    return [words.shortened(name, 200), support, confidence, "yes" if pattern.hidden else "no"]
