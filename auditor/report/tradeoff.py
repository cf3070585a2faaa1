"""A sweep of masking methods, shown: what to take, and the methods side by side."""

from __future__ import annotations

from math import inf
from typing import ClassVar

from auditor.report import words
from auditor.report.redact import Redacted
from auditor.report.sheet import Figures, Sheet, SheetPage, findings, lists
from auditor.result import Audience, is_hidden
from auditor.result.tradeoff import TradeoffResult, WeighedMethod

COLUMNS = ("Method", "Policy", "Score", "±", "Loss (aPIL)", "Risk (DR)", "Interval (ID)", "Linkage (RD)")
MET = {True: "✓ met", False: "✗ not met", None: "– not judged"}
HIDDEN_NOTE = "Figures from which a small number of records follows are hidden from this audience."
COLUMNS_OF_USE = ("Method", "Policy", "Score", "Loss", "Risk (DR)")
LEGEND = "◆ no other method has less loss and less risk; ⚠ the Score says less than it seems to."


class TradeoffPage(SheetPage):
    """A sweep as its formats see it."""

    WRITTEN: ClassVar[str] = "a sweep judges no release"
    document: Redacted[TradeoffResult]

    def sheet(self) -> Sheet:
        """What to take, facts, figures and lists."""
        shown = words.view(self.document).result
        return Sheet(
            document=shown,
            audience=self.document.audience,
            template="tradeoff",
            seal="◆" if shown.recommended else "–",
            look="pass" if shown.recommended else "waived",
            headline=_headline(shown),
            sentence=_sentence(shown),
            facts=_facts(shown, self.document.audience),
            tables=(
                Figures("The methods side by side", COLUMNS, [*map(_row, shown.methods)], 2, LEGEND),
                *(_by_use(shown, place) for place in range(len(shown.uses))),
            ),
            lists=lists(
                shown,
                [
                    ("What to take for each use", [_of_use(shown, place) for place in range(len(shown.uses))]),
                    ("Where the Score is gamed", _warnings(shown)),
                    ("Findings", findings(shown)),
                ],
                HIDDEN_NOTE,
            ),
            sha256=shown.data.sha256,
        )


def _headline(shown: TradeoffResult) -> str:
    """What to take, in words."""
    if shown.recommended is None:
        return "No method that was tried can be recommended"
    return f"Of {words.counted(len(shown.methods), 'method')}, {shown.recommended.name} costs the least"


def _sentence(shown: TradeoffResult) -> str:
    """Why, with its figures."""
    taken = shown.recommended
    if taken is None:
        met = sum(method.compliant is True for method in shown.methods)
        return f"{words.counted(met, 'method')} met the policy; {_best(shown)}."
    found = next(each for each in shown.methods if each.name == taken.name)
    return (
        f"{taken.reason} Score {figure(found.score)}: loss {figure(found.apil)}, risk "
        f"{figure(found.dr)}, each from 0 to 100; the table as it is has {figure(shown.identity.score)}."
    )


def _best(shown: TradeoffResult) -> str:
    first = shown.methods[0]
    return f"the least Score is {figure(first.score)}, of {first.name}"


def _facts(shown: TradeoffResult, audience: Audience) -> list[tuple[str, str]]:
    """The data, the policy, and how the figures were made, as names and texts."""
    data = shown.data
    digest = f", sha256 {data.sha256[:12]}" if data.sha256 else ""
    seeds = max(each.seeds for each in shown.methods)
    swept = f"preset {shown.preset}" if shown.preset else "the policy's protection, with its sweeps"
    return [
        ("data", f"{data.source}, {words.number(data.rows)} records{digest}"),
        ("policy", f"{shown.policy.name}, sha256 {shown.policy.sha256[:12]}"),
        ("attributes", words.listed(shown.attributes)),
        ("tried", f"{words.counted(len(shown.methods), 'method')} ({swept}), {words.counted(seeds, 'seed')}"),
        *(("use", f"{use.name}, of {words.listed(use.attributes)}") for use in shown.uses),
        ("for", f"audience {audience}, evaluated on {shown.evaluated_on}"),
    ]


def _row(method: WeighedMethod) -> list[str]:
    """One method's figures, in the order of `COLUMNS`."""
    numbers = (method.score, method.sd, method.apil, method.dr, method.id, method.rd)
    return [name(method), MET[method.compliant], *map(figure, numbers)]


def _by_use(shown: TradeoffResult, place: int) -> Figures:
    """The methods in the order of their Scores by one use, and the table as it is."""
    use = shown.uses[place]
    lines = sorted(shown.methods, key=lambda line: _rank(line.uses[place].score))
    rows = [
        [title, MET[line.compliant], *map(figure, (line.uses[place].score, line.uses[place].loss, line.dr))]
        for title, line in (*((_marked(line, place), line) for line in lines), (shown.identity.name, shown.identity))
    ]
    legend = (
        f"{use.says} What another seed alone makes of the table as it is: a loss of {figure(use.chance)}. The Score is "
        "the mean of the loss and the risk; – means that the loss cannot be measured."
    )
    return Figures(f"By use: {use.name}", COLUMNS_OF_USE, rows, 2, legend)


def _rank(score: float | None) -> float:
    """The place of a Score: what is hidden or missing stands last, in the order of the document."""
    return score if isinstance(score, int | float) else inf


def _marked(line: WeighedMethod, place: int) -> str:
    return str(line.name) + (" ◆" if line.uses[place].frontier else "")


def _of_use(shown: TradeoffResult, place: int) -> str:
    """The method to take for one use."""
    use = shown.uses[place]
    found = next((each for each in shown.methods if each.name == use.best), None)
    if found is None:
        return f"{use.name}: no method that meets the policy has a Score by it that is not gamed."
    line = found.uses[place]
    return (
        f"{use.name}: {found.name} has the least Score of the methods that meet the policy, {figure(line.score)} (loss "
        f"{figure(line.loss)}, risk {figure(found.dr)})."
    )


def name(method: WeighedMethod) -> str:
    """The name, marked where it stands on the frontier, or where its Score is gamed."""
    return str(method.name) + (" ◆" if method.frontier else "") + (" ⚠" if method.gamed else "")


def figure(value: float | None) -> str:
    """A figure in percent with two digits."""
    if value is None:
        return "–"
    return words.number(value) if is_hidden(value) else f"{value:.2f}"


def _warnings(shown: TradeoffResult) -> list[str]:
    """Where the Score is being gamed: each reason once, with the methods it is true of."""
    reasons: dict[str, list[str]] = {}
    for method in shown.methods:
        for reason in method.gamed:
            reasons.setdefault(reason, []).append(method.name)
    return [f"{words.listed(tuple(names))}: {reason}" for reason, names in reasons.items()]
