"""What stands on page one: the answer, cut so that it fits one printed A4 page and says what it left to the annexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.report import words

MOST_REQUIREMENTS = 10
MOST_WAIVERS = 3
MOST_LINES = 5
NAME_LENGTH = 44
LINE_LENGTH = 150


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


def page(shown: Mapping[str, Any]) -> dict[str, Any]:
    """The model of page one."""
    one_file = words.policy_file(shown["requirements"])
    return {
        "status": shown["verdict"],
        "symbol": words.SYMBOLS[shown["verdict"]],
        "headline": words.headline(shown),
        "policy": words.shortened(shown["policy"]["name"], 60),
        "source": words.shortened(shown["data"]["source"], 60) if shown["data"] else None,
        "why": words.shortened(words.why(shown), 400),
        "attacker": words.attacker(_short_names(shown)),
        "unit": words.shortened(words.unit(shown), 200),
        "rows": [_row(r, one_file) for r in words.by_urgency(shown["requirements"])[:MOST_REQUIREMENTS]],
        "more_requirements": max(0, len(shown["requirements"]) - MOST_REQUIREMENTS),
        "policy_file": words.shortened(one_file, 60) if one_file else None,
        "waivers": _waivers(shown["requirements"]),
        "not_checked": _lines(_unchecked(shown)),
        "assumptions": _lines(shown["assumptions"]),
        "verify": words.shortened(shown["reproduce"], 220) if shown["reproduce"] else None,
        "small_numbers": words.small_numbers(shown),
    }


def _short_names(shown: Mapping[str, Any]) -> dict[str, Any]:
    classes = shown["classes"]
    if classes is None:
        return dict(shown)
    names = [words.shortened(name, 30) for name in classes["quasi_identifiers"]]
    return {**shown, "classes": {**classes, "quasi_identifiers": names}}


def _row(requirement: Mapping[str, Any], one_file: str | None) -> Row:
    place = requirement["location"]
    line = f"line {place['line']}" if place and one_file else words.shortened(words.where(place), 28)
    columns = [words.shortened(name, 20) for name in requirement["columns"]]
    return Row(
        name=words.shortened(requirement["id"], NAME_LENGTH),
        model=words.shortened(_about(requirement, columns), NAME_LENGTH),
        required=words.shortened(words.required(requirement), 40),
        achieved=words.achieved(requirement),
        margin=words.margin(requirement),
        status=requirement["status"],
        words=words.STATUSES[requirement["status"]],
        symbol=words.SYMBOLS[requirement["status"]],
        place=line,
    )


def _about(requirement: Mapping[str, Any], columns: Sequence[str]) -> str:
    """The model, and on which columns, where the name does not say so."""
    about = requirement["model"] if requirement["model"] not in requirement["id"] else ""
    if requirement["sensitive"] and requirement["sensitive"] not in requirement["id"]:
        about += f" on {requirement['sensitive']}"
    return f"{about} {words.listed(columns, 3)}".strip()


def _waivers(requirements: Sequence[Mapping[str, Any]]) -> Excerpt:
    waived = [
        {**r["waiver"], "requirement": words.shortened(r["id"], NAME_LENGTH)} for r in requirements if r["waiver"]
    ]
    shown = [{**w, "reason": words.shortened(w["reason"], 90)} for w in waived[:MOST_WAIVERS]]
    return Excerpt(tuple(shown), len(waived) - len(shown))


def _unchecked(shown: Mapping[str, Any]) -> list[str]:
    blocks = [f"The policy's block “{name}”." for name in shown["not_checked"]]
    reasons = [f"{r['id']}: {r['reason']}" for r in shown["requirements"] if r["status"] == "not-evaluated"]
    return reasons + blocks


def _lines(texts: Sequence[str]) -> Excerpt:
    return Excerpt(tuple(words.shortened(text, LINE_LENGTH) for text in texts[:MOST_LINES]), len(texts[MOST_LINES:]))
