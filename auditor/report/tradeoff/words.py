"""What every format says of a sweep: what to take, facts, the methods side by side, as texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.report import words

COLUMNS = ("Method", "Policy", "Score", "±", "Loss (aPIL)", "Risk (DR)", "Interval (ID)", "Linkage (RD)")
MET = {True: "✓ met", False: "✗ not met", None: "– not judged"}
HIDDEN_NOTE = "Figures from which a small number of records follows are hidden from this audience."


def view(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document for the eye: what was redacted says so, control characters are shown, not obeyed."""
    return words.concealed(words.visible(dict(document)), document.get("redacted", ()))


def headline(shown: Mapping[str, Any]) -> str:
    """What to take, in words."""
    if shown["recommended"] is None:
        return "No method that was tried can be recommended"
    return f"Of {words.counted(len(shown['methods']), 'method')}, {shown['recommended']['name']} costs the least"


def sentence(shown: Mapping[str, Any]) -> str:
    """Why, with its figures."""
    if shown["recommended"] is None:
        met = sum(method["compliant"] is True for method in shown["methods"])
        return f"{words.counted(met, 'method')} met the policy; {_best(shown)}."
    found = next(each for each in shown["methods"] if each["name"] == shown["recommended"]["name"])
    return (
        f"{shown['recommended']['reason']} Score {figure(found['score'])}: loss {figure(found['apil'])}, risk "
        f"{figure(found['dr'])}, each from 0 to 100; the table as it is has {figure(shown['identity']['score'])}."
    )


def _best(shown: Mapping[str, Any]) -> str:
    first = shown["methods"][0]
    return f"the least Score is {figure(first['score'])}, of {first['name']}"


def facts(shown: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The data, the policy, and how the figures were made, as names and texts."""
    data = shown["data"]
    digest = f", sha256 {data['sha256'][:12]}" if data["sha256"] else ""
    seeds = max(each["seeds"] for each in shown["methods"])
    swept = f"preset {shown['preset']}" if shown["preset"] else "the policy's protection, with its sweeps"
    return [
        ("data", f"{data['source']}, {words.number(data['rows'])} records{digest}"),
        ("policy", f"{shown['policy']['name']}, sha256 {shown['policy']['sha256'][:12]}"),
        ("attributes", words.listed(shown["attributes"])),
        ("tried", f"{words.counted(len(shown['methods']), 'method')} ({swept}), {words.counted(seeds, 'seed')}"),
        ("for", f"audience {shown['audience']}, evaluated on {shown['evaluated_on']}"),
    ]


def row(method: Mapping[str, Any]) -> list[str]:
    """One method's figures, in the order of `COLUMNS`."""
    numbers = ("score", "sd", "apil", "dr", "id", "rd")
    return [name(method), MET[method["compliant"]], *(figure(method[each]) for each in numbers)]


def name(method: Mapping[str, Any]) -> str:
    """The name, marked where it stands on the frontier, or where its Score is gamed."""
    return str(method["name"]) + (" ◆" if method["frontier"] else "") + (" ⚠" if method["gamed"] else "")


def figure(value: Any) -> str:
    """A figure in percent with two digits."""
    if value is None:
        return "–"
    return words.number(value) if value is words.HIDDEN else f"{value:.2f}"


def warnings(shown: Mapping[str, Any]) -> list[str]:
    """Where the Score is being gamed: each reason once, with the methods it is true of."""
    reasons: dict[str, list[str]] = {}
    for method in shown["methods"]:
        for reason in method["gamed"]:
            reasons.setdefault(reason, []).append(method["name"])
    return [f"{words.listed(tuple(names))}: {reason}" for reason, names in reasons.items()]


def lists(shown: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """What else the reader should know."""
    titled = [
        ("Where the Score is gamed", warnings(shown)),
        ("Findings", [finding["message"] for finding in shown["findings"]]),
        ("Assumed", list(shown["assumptions"])),
        ("Hidden", [HIDDEN_NOTE] if shown["redacted"] else []),
    ]
    return [(title, lines) for title, lines in titled if lines]


LEGEND = "◆ no other method has less loss and less risk; ⚠ the Score says less than it seems to."
