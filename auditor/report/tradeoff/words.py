"""What every format says of a sweep: what to take, facts, the methods side by side, as texts."""

from __future__ import annotations

from auditor.report import words
from auditor.report._parts import hidden_paths
from auditor.result import Audience, TradeoffResult, WeighedMethod, is_hidden

COLUMNS = ("Method", "Policy", "Score", "±", "Loss (aPIL)", "Risk (DR)", "Interval (ID)", "Linkage (RD)")
MET = {True: "✓ met", False: "✗ not met", None: "– not judged"}
HIDDEN_NOTE = "Figures from which a small number of records follows are hidden from this audience."


def headline(shown: TradeoffResult) -> str:
    """What to take, in words."""
    if shown.recommended is None:
        return "No method that was tried can be recommended"
    return f"Of {words.counted(len(shown.methods), 'method')}, {shown.recommended.name} costs the least"


def sentence(shown: TradeoffResult) -> str:
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


def facts(shown: TradeoffResult, audience: Audience) -> list[tuple[str, str]]:
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
        ("for", f"audience {audience}, evaluated on {shown.evaluated_on}"),
    ]


def row(method: WeighedMethod) -> list[str]:
    """One method's figures, in the order of `COLUMNS`."""
    numbers = (method.score, method.sd, method.apil, method.dr, method.id, method.rd)
    return [name(method), MET[method.compliant], *map(figure, numbers)]


def name(method: WeighedMethod) -> str:
    """The name, marked where it stands on the frontier, or where its Score is gamed."""
    return str(method.name) + (" ◆" if method.frontier else "") + (" ⚠" if method.gamed else "")


def figure(value: float | None) -> str:
    """A figure in percent with two digits."""
    if value is None:
        return "–"
    return words.number(value) if is_hidden(value) else f"{value:.2f}"


def warnings(shown: TradeoffResult) -> list[str]:
    """Where the Score is being gamed: each reason once, with the methods it is true of."""
    reasons: dict[str, list[str]] = {}
    for method in shown.methods:
        for reason in method.gamed:
            reasons.setdefault(reason, []).append(method.name)
    return [f"{words.listed(tuple(names))}: {reason}" for reason, names in reasons.items()]


def lists(shown: TradeoffResult) -> list[tuple[str, list[str]]]:
    """What else the reader should know."""
    titled = [
        ("Where the Score is gamed", warnings(shown)),
        ("Findings", [finding.message for finding in shown.findings]),
        ("Assumed", list(shown.assumptions)),
        ("Hidden", [HIDDEN_NOTE] if hidden_paths(shown) else []),
    ]
    return [(title, lines) for title, lines in titled if lines]


LEGEND = "◆ no other method has less loss and less risk; ⚠ the Score says less than it seems to."
