"""What stands in the annexes: each supports page one, and is left out where the result has nothing for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import TYPE_CHECKING

from auditor.report import masking, remediation, words
from auditor.report.html import _charts, _lattice, _log, _masked, _outputs
from auditor.report.reasons import reason
from auditor.result import (
    Audience,
    RequirementResult,
    Result,
    WaiverFacts,
    is_hidden,
    is_of_outputs,
    is_of_queries,
    plain,
)

if TYPE_CHECKING:
    from auditor.result.masking import MaskingResult
    from auditor.result.remediation import RemediationResult, Solution


@dataclass(frozen=True)
class Annex:
    """One folded part: its letter, its template's name, its title and its model."""

    letter: str
    template: str
    title: str
    model: object


def annexes(shown: Result, audience: Audience) -> list[Annex]:
    """Those annexes that this result has something for, lettered in order."""
    parts = [
        *(_remediation(shown) if remediation.is_one(shown) else []),
        *(_masking(shown) if masking.is_one(shown) else []),
        *(_log.annexes(shown, audience) if is_of_queries(shown) else []),
        *(_outputs.annexes(shown, audience) if is_of_outputs(shown) else []),
        ("data", "The file", shown.data),
        ("policy", "The policy", shown.policy),
        ("requirements", "Every requirement in full", _requirements(shown)),
        ("sizes", "Class sizes", _sizes(shown)),
        ("curve", "Risk against k", _charts.risk_curve(shown)),
        ("distributions", "Distribution of each model's number", _charts.distributions(shown)),
        ("dimensions", "Dimensionality", _charts.dimensionality(shown)),
        ("feasibility", "What no generalization can reach", shown.feasibility),
        ("exposed", "The worst classes (internal)", [r for r in shown.requirements if r.exposed]),
        ("sources", "Sources of the figures in the starter packs", shown.policy.citations),
        ("reproduce", "How to reproduce this report", shown),
    ]
    present = [part for part in parts if part[2]]
    return [Annex(letter, *part) for letter, part in zip(ascii_uppercase, present, strict=False)]


def _remediation(shown: RemediationResult) -> list[tuple[str, str, object]]:
    """What was done, what it lost and how it was found; or why there is nothing."""
    solution = shown.solution
    return [
        ("shortfall", "What stands in the way", remediation.lacking(shown)),
        ("levels", "What was done to the table", solution),
        ("losses", "What the release loses", solution and remediation.losses(solution)),
        ("costs", "What each quasi-identifier costs", _charts.costs(shown)),
        ("search", _title_of_search(solution), solution and _search(shown, solution)),
    ]


def _title_of_search(solution: Solution | None) -> str:
    lattice = "" if solution and remediation.by_groups(solution) else ", and the lattice"
    return f"How the release was found{lattice}"


def _masking(shown: MaskingResult) -> list[tuple[str, str, object]]:
    """What was done and what it cost, who is found all the same, and each column before and after."""
    changes = {"figures": _masked.distributions(shown), "not_drawn": masking.not_drawn(shown)}
    return [
        ("masking", "What was masked and what it cost", _cost(shown)),
        ("pictures", "Who can still be found", _masked.linkage(shown)),
        ("changes", "Masked columns before and after", changes if any(changes.values()) else None),
    ]


def _cost(shown: MaskingResult) -> dict[str, object]:
    return {
        "codes": masking.codes(shown),
        "lines": masking.lines(shown),
        "methods": masking.methods(shown),
        "columns": masking.columns(shown),
        "tables": [
            ("What it cost: information that an analyst loses, each figure from 0 to 100", masking.losses(shown)),
            ("What an attacker who has the original can still find", masking.risks(shown)),
        ],
        "not_measured": shown.protection.not_measured if shown.protection else (),
        "gamed": shown.protection.gamed if shown.protection else (),
    }


MOST_NODES = 5


def _search(shown: RemediationResult, solution: Solution) -> dict[str, object]:
    ties = solution.ties or ()
    lists = {
        f"Ways that share {remediation.aim(solution)}": ties if len(ties) > 1 else (),
        "Minimal generalizations": solution.minimal_generalizations or (),
    }
    return {
        "sentences": remediation.found(solution),
        "figures": _lattice.figures(shown),
        "lists": [
            (title, [remediation.node(n) for n in nodes[:MOST_NODES]], len(nodes)) for title, nodes in lists.items()
        ],
        "arguments": list(solution.arguments.items()),
    }


def _sizes(shown: Result) -> list[_charts.Figure]:
    """Of the table before and of the release, where there are two."""
    if remediation.compares(shown):
        made = "masking" if masking.is_one(shown) else "remediation"
        before = _charts.sizes(shown.before, "before", made) if shown.before else None
        figures = [before, _charts.sizes(shown, "after", made)]
    else:
        figures = [_charts.sizes(shown)]
    return [figure for figure in figures if figure is not None]


def _requirements(shown: Result) -> list[tuple[RequirementResult, list[tuple[str, str]]]]:
    earlier = shown.before if remediation.compares(shown) else None
    before = {each.id: each for each in (earlier.requirements if earlier else ())}
    return [(each, _facts(each) + _before(before.get(each.id))) for each in shown.requirements]


def _before(requirement: RequirementResult | None) -> list[tuple[str, str]]:
    """What a requirement had in the table before it was remediated."""
    if requirement is None:
        return []
    facts = [
        ("Before: achieved", words.achieved(requirement)),
        ("Before: status", words.STATUSES[requirement.status]),
        ("Before: records violating", words.number(requirement.records_violating)),
    ]
    return [(name, text) for name, text in facts if text != "–"]


def _said(value: object) -> str:
    """The value of a parameter, a block of them in words."""
    return (
        ", ".join(f"{name} {plain(each)}" for name, each in value.items())
        if isinstance(value, Mapping)
        else plain(value)
    )


def _patterns(requirement: RequirementResult) -> str:
    """What an attacker with bounded knowledge may know, in numbers."""
    found = requirement.patterns
    if found is None:
        return "–"
    of = {"that break the bound": found.below, "of one person": found.unique}
    told = "; ".join(f"{words.number(number)} {what}" for what, number in of.items())
    return f"{words.number(found.total)}: {told}; {words.number(found.exposed)} persons are exposed"


def _facts(requirement: RequirementResult) -> list[tuple[str, str]]:
    """What a requirement's row in the table does not say, as pairs of name and text."""
    monotone = requirement.monotone
    facts = [
        (
            "Parameters",
            ", ".join(f"{name} {_said(value)}" for name, value in requirement.parameters.items() if value is not None),
        ),
        ("Severity", requirement.severity),
        ("Quasi-identifiers", words.listed(requirement.quasi_identifiers, 1000)),
        ("Sensitive attribute", requirement.sensitive),
        ("Columns", words.listed(requirement.columns, 1000)),
        ("Classes violating", words.number(requirement.classes_violating)),
        ("Records violating", words.number(requirement.records_violating)),
        ("Patterns", _patterns(requirement)),
        ("Why required", requirement.because),
        ("Not evaluated because", requirement.reason and reason(requirement)),
        ("Relative tolerance", words.number(requirement.tolerance)),
        ("Merging keeps it", _yes_no(monotone.generalization if monotone else None)),
        ("Suppressing keeps it", _yes_no(monotone.suppression if monotone else None)),
        ("Waived", _waiver(requirement.waiver)),
        ("Notes", "; ".join(requirement.notes)),
        ("Source", requirement.citation),
    ]
    return [(name, str(text)) for name, text in facts if text and text != "–"]


def _yes_no(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _waiver(waiver: WaiverFacts | None) -> str:
    if waiver is None:
        return ""
    floor = "; the bound that still holds is hidden"
    if not is_hidden(waiver.at_least):
        floors = (waiver.at_least or {}).items()
        floor = "".join(f"; {name} must still reach {words.number(bound)}" for name, bound in floors)
    ticket = f", {waiver.ticket}" if waiver.ticket else ""
    left = words.counted(waiver.days_left, "day")
    known = f" ({waiver.approval})" if waiver.approval else ""
    return (
        f"until {waiver.expires} ({left} left), owner {waiver.owner}, "
        f"approved by {waiver.approved_by}{known}{ticket}: {waiver.reason}{floor}"
    )
