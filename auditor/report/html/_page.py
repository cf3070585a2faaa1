"""What stands on page one: the answer, cut so that it fits one printed A4 page and says what it left to the annexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from auditor.report import words

MOST_REQUIREMENTS = 8
MOST_WAIVERS = 2
NAME = 34
MODEL = 46
COLUMN = 54
"""How many letters fit one line of half the page's width, in the widest of the style sheet's fonts."""
LINES = 6
"""How many such lines each of the two lists of limits gets."""


@dataclass(frozen=True)
class Row:
    """One requirement in the table of page one."""

    name: str
    model: str
    required: str
    achieved: str
    margin: str
    status: str
    words: str
    symbol: str
    place: str


@dataclass(frozen=True)
class Excerpt:
    """The first items of a list, and how many more the annexes hold."""

    items: tuple[Any, ...]
    more: int


ROOMY = 18
"""Up to how many lines of rows, waivers and limits page one is printed in the ordinary size; above, in a smaller."""


def page(shown: Mapping[str, Any]) -> dict[str, Any]:
    """The model of page one."""
    model = _model(shown)
    limits = max(len(model["not_checked"].items), len(model["assumptions"].items))
    return {**model, "crowded": 2 * len(model["rows"]) + 2 * len(model["waivers"].items) + limits > ROOMY}


def _model(shown: Mapping[str, Any]) -> dict[str, Any]:
    one_file = words.policy_file(shown["requirements"])
    return {
        "status": shown["verdict"],
        "symbol": words.SYMBOLS[shown["verdict"]],
        "headline": words.headline(shown),
        "policy": words.shortened(shown["policy"]["name"], 48),
        "source": words.shortened(shown["data"]["source"], 44) if shown["data"] else None,
        "why": words.why(shown, 24),
        "attacker": words.attacker(_short_names(shown)),
        "unit": words.shortened(words.unit(shown), 2 * COLUMN),
        "rows": [_row(r, one_file) for r in words.by_urgency(shown["requirements"])[:MOST_REQUIREMENTS]],
        "more_requirements": max(0, len(shown["requirements"]) - MOST_REQUIREMENTS),
        "policy_file": words.shortened(one_file, 48) if one_file else None,
        "waivers": _waivers(shown["requirements"]),
        "not_checked": _lines(_unchecked(shown)),
        "assumptions": _lines(shown["assumptions"]),
        "verify": words.shortened(shown["reproduce"], 180) if shown["reproduce"] else None,
        "small_numbers": words.small_numbers(shown),
    }


def _short_names(shown: Mapping[str, Any]) -> dict[str, Any]:
    """The document with as many quasi-identifiers as three lines hold; the annexes have all."""
    classes = shown["classes"]
    if classes is None:
        return dict(shown)
    names = [words.shortened(name, 24) for name in classes["quasi_identifiers"]]
    ends = accumulate(words.columns(name) + 2 for name in names)
    fitting = sum(1 for end in ends if end <= 2 * COLUMN)
    if fitting < len(names):
        names = [*names[: fitting - 1], f"{len(names) - fitting + 1} more"]
    return {**shown, "classes": {**classes, "quasi_identifiers": names}}


def _row(requirement: Mapping[str, Any], one_file: str | None) -> Row:
    place = requirement["location"]
    line = f"line {place['line']}" if place and one_file else _place(place)
    columns = [words.shortened(name, 20) for name in requirement["columns"]]
    return Row(
        name=words.shortened(requirement["id"], NAME),
        model=words.shortened(_about(requirement, columns), MODEL),
        required=words.shortened(words.required(requirement), 30),
        achieved=words.shortened(words.achieved(requirement), 20),
        margin=words.shortened(words.margin(requirement), 14),
        status=requirement["status"],
        words=words.STATUSES[requirement["status"]],
        symbol=words.SYMBOLS[requirement["status"]],
        place=line,
    )


def _place(place: Mapping[str, Any] | None) -> str:
    return words.shortened(f"{place['file'].rpartition('/')[2]}:{place['line']}", 18) if place else "–"


def _about(requirement: Mapping[str, Any], columns: Sequence[str]) -> str:
    """The model, and on which columns, where the name does not say so."""
    about = requirement["model"] if requirement["model"] not in requirement["id"] else ""
    if requirement["sensitive"] and requirement["sensitive"] not in requirement["id"]:
        about += f" on {requirement['sensitive']}"
    return f"{about} {words.listed(columns, 3)}".strip()


def _waivers(requirements: Sequence[Mapping[str, Any]]) -> Excerpt:
    waived = [{**r["waiver"], "requirement": words.shortened(r["id"], NAME)} for r in requirements if r["waiver"]]
    shown = [{**w, "reason": words.shortened(w["reason"], 90)} for w in waived[:MOST_WAIVERS]]
    return Excerpt(tuple(shown), len(waived) - len(shown))


def _unchecked(shown: Mapping[str, Any]) -> list[str]:
    blocks = [f"The policy's block “{name}”." for name in shown["not_checked"]]
    reasons = [f"{r['id']}: {r['reason']}" for r in shown["requirements"] if r["status"] == "not-evaluated"]
    return reasons + blocks


def _lines(texts: Sequence[str]) -> Excerpt:
    """The first texts that fit the lines of their column, each cut to three lines."""
    short = [words.shortened(text, 3 * COLUMN - 8) for text in texts]
    ends = accumulate(-(-words.columns(text) // COLUMN) for text in short)
    fitting = sum(1 for end in ends if end <= LINES)
    return Excerpt(tuple(short[:fitting]), len(short) - fitting)
