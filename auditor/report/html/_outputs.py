"""The annexes of an audit of mining outputs: what violates, the outputs drawn, and what was looked at."""

from __future__ import annotations

from auditor.report import outputs, words
from auditor.report.html import _pictures
from auditor.result import Audience
from auditor.result.outputs import OutputResult, OutputsResult

MOST_VIOLATIONS = 200


def annexes(shown: OutputsResult, audience: Audience) -> list[tuple[str, str, object]]:
    """Each annex: its template's name, its title and its model."""
    return [
        ("violations", "What violates, and whom it exposes", _violations(shown, audience)),
        ("pictures", "The outputs drawn", _pictures.drawings(shown)),
        ("unsupported", "What could not be judged", outputs.unread(shown)),
        ("outputs", "The outputs", [(each, _facts(each)) for each in shown.outputs]),
    ]


def _violations(shown: OutputsResult, audience: Audience) -> dict[str, object] | None:
    found = [(each.file, violation) for each in shown.outputs for violation in each.violations]
    if not found:
        return None
    if audience is Audience.PUBLIC:
        more = "This audience sees the first of each kind, without numbers."
    else:
        left = sum(each.violations_count for each in shown.outputs) - len(found[:MOST_VIOLATIONS])
        more = f"and {words.number(left)} more, in the JSON document." if left > 0 else ""
    return {"found": found[:MOST_VIOLATIONS], "internal": audience is Audience.INTERNAL, "more": more}


def _facts(output: OutputResult) -> list[tuple[str, str]]:
    facts = [
        ("Type", output.type),
        ("Format", output.format),
        ("SHA-256", output.sha256),
        ("Holds", outputs.named(output)),
        ("Made from", "" if output.records is None else words.counted(output.records, "record")
         if isinstance(output.records, int) else "hidden"),
        ("Counts", "recomputed from the data" if output.counted == "data" else "as the file states them"),
        ("Violations", words.number(output.violations_count)),
        ("Notes", " ".join(output.notes)),
    ]  # fmt: skip
    return [(name, text) for name, text in facts if text]
