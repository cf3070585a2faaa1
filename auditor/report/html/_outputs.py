"""The annexes of an audit of mining outputs: what violates, the outputs drawn, and what was looked at."""

from __future__ import annotations

from operator import itemgetter

from auditor.report import outputs, words
from auditor.report.html import _pictures
from auditor.result import Audience
from auditor.result.outputs import OutputResult, OutputsResult, OutputViolation

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
    """What violates, a row for all that look alike to this audience, with how many they are where it may know."""
    alike: dict[tuple[object, ...], list[tuple[str, OutputViolation]]] = {}
    for each in shown.outputs:
        for violation in each.violations:
            alike.setdefault((each.file, *_seen(violation)), []).append((each.file, violation))
    if not alike:
        return None
    kinds = list(dict.fromkeys((file, each.reason) for file, each in map(itemgetter(0), alike.values())))
    rows = [(*found[0], len(found)) for found in alike.values()]
    rows.sort(key=lambda row: (kinds.index((row[0], row[1].reason)), -outputs.severity(row[1])))
    if audience is Audience.PUBLIC:
        more = "This audience sees the first of each kind, without numbers."
    else:
        left = sum(each.violations_count for each in shown.outputs) - sum(n for *_, n in rows[:MOST_VIOLATIONS])
        more = f"and {words.number(left)} more, in the JSON document." if left > 0 else ""
    return {"rows": rows[:MOST_VIOLATIONS], "audience": audience, "more": more, "unnamed": bool(outputs.unnamed(shown))}


def _seen(violation: OutputViolation) -> tuple[object, ...]:
    """What a row tells of a violation."""
    numbers = violation.needed, violation.reached, violation.records_count, violation.records
    return violation.item, violation.reason, violation.sentence, outputs.differing(violation), *numbers


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
        ("Notes", "; ".join(output.notes)),
    ]  # fmt: skip
    return [(name, text) for name, text in facts if text]
