"""SARIF 2.1.0: what is wrong, at the policy's line, for code-scanning views.

A rule is a model (``auditor/k-anonymity``), so its id is stable; a result's fingerprint is made of names and ids, so it
survives moved lines and changed numbers.
"""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import quote

from auditor.report.formats.json import escaped
from auditor.report.page import BrokenRule, Line, Page, Place
from auditor.result import plain

ABOUT = "code scanning: what is wrong, at the policy's line, with fingerprints that survive moved lines"
ENDING = ".sarif"
MEDIA_TYPE = "application/sarif+json"
NEEDS = "lines"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"fail": "error", "not-evaluated": "error", "warning": "warning", "waived": "error", "approved": "note"}


def write(page: Page) -> str:
    """One run. What holds is a rule without a result: code-scanning views show every result as an alert."""
    rules = [rule.id for rule in page.rules]
    told = {} if page.evaluated is None else {"invocations": [_invocation(page, page.evaluated)]}
    run = {
        "tool": {
            "driver": {
                "name": page.tool.name,
                "version": page.tool.version,
                "rules": [_rule(rule) for rule in page.rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        **told,
        "properties": plain(page.properties),
        "results": [_result(page, line, rules) for line in page.lines if line.broken],
    }
    return escaped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: BrokenRule) -> dict[str, object]:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.about},
        "help": {"text": rule.help},
    }


def _invocation(page: Page, evaluated: bool) -> dict[str, object]:
    """Whether everything could be judged, and what belongs to no broken rule."""
    return {
        "executionSuccessful": evaluated,
        "toolExecutionNotifications": [
            {"level": level, "message": {"text": text}} for level, text in page.notifications
        ],
    }


def _result(page: Page, line: Line, rules: list[str]) -> dict[str, object]:
    mark = line.identity if line.mark is None else line.mark
    result: dict[str, object] = {
        "ruleId": line.rule,
        "ruleIndex": rules.index(line.rule),
        "level": LEVELS[line.status],
        "message": {"text": "; ".join([line.sentence, *line.proof])},
        "partialFingerprints": {page.MARK: sha256("\0".join(mark).encode()).hexdigest()},
    }
    if line.place:
        result["locations"] = [_location(line.place)]
    if line.excuse:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": line.excuse}]
    return result


def _location(place: Place) -> dict[str, object]:
    artifact = {"uri": quote(place.file.replace("\\", "/"), safe="/")}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(1, place.line)}}}
