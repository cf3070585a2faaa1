"""GitHub annotations of all releases: the worst ten errors and ten warnings, then how many more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from auditor.report import words
from auditor.report.gate import words as gate
from auditor.report.github import MOST, annotation, of_doubt, of_requirement


def document(redacted: Mapping[str, Any]) -> str:
    """One command per line; nothing of the document can start a command of its own."""
    shown = gate.view(redacted)
    lines = []
    for kind in ("error", "warning"):
        found = [line for which, line in _annotations(shown) if which == kind]
        lines += found[:MOST]
        if len(found) > MOST:
            lines.append(annotation("notice", "auditor", f"and {len(found) - MOST} {kind}s more", None))
    if shown["verdict"] not in ("pass", "waived") and not lines:
        lines.append(annotation("error", "auditor", gate.why(shown), None))
    said = f"{gate.HEADLINES[shown['verdict']]}. {gate.why(shown)}"
    lines.append(annotation("notice", "auditor", said, None))
    return "\n".join(lines) + "\n"


def _annotations(shown: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Error or warning, and the command: what is weaker first, then what is not met."""
    for found in gate.weakenings(shown):
        kind = "warning" if found.approval else "error"
        for difference in (each for each in found.differences if each["verdict"] in gate.WEAKER):
            place = difference["new_origin"] or difference["old_origin"]
            yield kind, annotation(kind, f"{found.title} weakened", gate.difference_line(difference), place)
    for release in shown["releases"]:
        if release["status"] in ("not-evaluated", "weakened"):
            title = f"{release['name']} {gate.STATUSES[release['status']]}"
            yield (
                "error",
                annotation("error", title, " ".join([release["why"], *release["notes"]]), release["location"]),
            )
        for audit in release["documents"]:
            for requirement in words.by_urgency(audit["requirements"]):
                made = of_requirement(requirement, prefix=f"{release['name']} ")
                if made is not None:
                    yield made
            for requirement, message in words.doubted(audit):
                yield "warning", of_doubt(requirement, message, prefix=f"{release['name']} ")
