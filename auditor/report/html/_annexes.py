"""What stands in the annexes: each supports page one, and is left out where the result has nothing for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from auditor.report import words
from auditor.report.html import _charts


@dataclass(frozen=True)
class Annex:
    """One folded part: its letter, its template's name, its title and its model."""

    letter: str
    template: str
    title: str
    model: Any


def annexes(shown: Mapping[str, Any]) -> list[Annex]:
    """Those annexes that this result has something for, lettered in order."""
    parts = [
        ("data", "The file", shown["data"]),
        ("policy", "The policy", shown["policy"]),
        ("requirements", "Every requirement in full", _requirements(shown)),
        ("sizes", "Class sizes", _charts.sizes(shown)),
        ("curve", "Risk against k", _charts.risk_curve(shown)),
        ("distributions", "Distribution of each model's number", _charts.distributions(shown)),
        ("dimensions", "Dimensionality", _charts.dimensionality(shown)),
        ("feasibility", "What no generalization can reach", shown["feasibility"]),
        ("exposed", "The worst classes (internal)", [r for r in shown["requirements"] if r["exposed"]]),
        ("sources", "Where the starter packs have their figures from", shown["policy"]["citations"]),
        ("reproduce", "How to reproduce this report", shown),
    ]
    present = [part for part in parts if part[2]]
    return [Annex(letter, *part) for letter, part in zip(ascii_uppercase, present, strict=False)]


def _requirements(shown: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{**requirement, "facts": _facts(requirement)} for requirement in shown["requirements"]]


def _facts(requirement: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a requirement's row in the table does not say, as pairs of name and text."""
    monotone = requirement["monotone"]
    facts = [
        ("Parameters", ", ".join(f"{name} {value}" for name, value in requirement["parameters"].items())),
        ("Severity", requirement["severity"]),
        ("Quasi-identifiers", words.listed(requirement["quasi_identifiers"], 1000)),
        ("Sensitive attribute", requirement["sensitive"]),
        ("Columns", words.listed(requirement["columns"], 1000)),
        ("Classes violating", words.number(requirement["classes_violating"])),
        ("Records violating", words.number(requirement["records_violating"])),
        ("Why required", requirement["because"]),
        ("Not evaluated because", requirement["reason"]),
        ("Relative tolerance", words.number(requirement["tolerance"])),
        ("Merging keeps it", _yes_no(monotone and monotone["generalization"])),
        ("Suppressing keeps it", _yes_no(monotone and monotone["suppression"])),
        ("Waived", _waiver(requirement["waiver"])),
        ("Notes", " ".join(requirement["notes"])),
        ("Source", requirement["citation"]),
    ]
    return [(name, str(text)) for name, text in facts if text and text != "–"]


def _yes_no(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _waiver(waiver: Mapping[str, Any] | None) -> str:
    if waiver is None:
        return ""
    floors = (waiver["at_least"] or {}).items()
    floor = "".join(f"; {name} must still reach {words.number(bound)}" for name, bound in floors)
    ticket = f", {waiver['ticket']}" if waiver["ticket"] else ""
    left = words.counted(waiver["days_left"], "day")
    return (
        f"until {waiver['expires']} ({left} left), owner {waiver['owner']}, "
        f"approved by {waiver['approved_by']}{ticket}: {waiver['reason']}{floor}"
    )
