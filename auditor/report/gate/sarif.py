"""SARIF 2.1.0 of all releases, in one run: what is weaker, and what is not met, at the lines of the policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from auditor.report import words
from auditor.report.comparison import WEAKENED
from auditor.report.gate import words as gate
from auditor.report.json import escaped
from auditor.report.sarif import LEVELS, SCHEMA, location_of, result_of, rule_of


def document(redacted: Mapping[str, Any]) -> str:
    """One run; a rule is a model, or ``policy/weakened``."""
    shown = gate.view(redacted)
    audits = [audit for release in shown["releases"] for audit in release["documents"]]
    models = sorted({requirement["model"] for audit in audits for requirement in audit["requirements"]})
    rules = [*(rule_of(model, "auditor gate --help") for model in models), WEAKENED]
    run = {
        "tool": {"driver": {**shown["tool"], "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": all(r["status"] != "not-evaluated" for r in shown["releases"]),
                "toolExecutionNotifications": list(_notifications(shown)),
            }
        ],
        "properties": {name: shown[name] for name in ("verdict", "audience", "evaluated_on", "base", "head")},
        "results": [*_weaker(shown, len(models)), *_requirements(shown, models)],
    }
    return escaped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _notifications(shown: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for release in shown["releases"]:
        if release["status"] == "not-evaluated":
            for text in (release["why"], *release["notes"]):
                yield {"level": "error", "message": {"text": f"{release['name']}: {text}"}}
        for audit in release["documents"]:
            for requirement, message in words.doubted(audit):
                text = f"{release['name']}: {requirement['id']}: {message}"
                yield {"level": "warning", "message": {"text": text}}
    for note in shown["notes"]:
        yield {"level": "note", "message": {"text": note}}


def _weaker(shown: Mapping[str, Any], rule: int) -> Iterator[dict[str, Any]]:
    """One result per field that needs an approval, and one for a release that is gone."""
    for found in gate.weakenings(shown):
        fields = [each for each in found.differences if each["verdict"] in gate.WEAKER]
        lines = [(each["path"], gate.difference_line(each), each["new_origin"]) for each in fields]
        for path, text, place in lines or [("releases", found.lines[0], None)]:
            result: dict[str, Any] = {
                "ruleId": "policy/weakened",
                "ruleIndex": rule,
                "level": "note" if found.approval else "error",
                "message": {"text": f"{found.title}: {text}"},
                "locations": [location_of(place or {"file": shown["manifest"], "line": 1})],
                "partialFingerprints": {"auditorGate/v1": _fingerprint(*found.names, path)},
            }
            if found.approval:
                by = f"approved by {found.approval['approved_by']}, {gate.known_by(found.approval)}"
                said = f"{found.approval['reason']} ({by})"
                result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": said}]
            yield result


def _requirements(shown: Mapping[str, Any], models: list[str]) -> Iterator[dict[str, Any]]:
    for release in shown["releases"]:
        for audit in release["documents"]:
            for requirement in audit["requirements"]:
                if requirement["status"] in LEVELS:
                    result = result_of(audit, requirement, models)
                    result["message"] = {"text": f"{release['name']}: {result['message']['text']}"}
                    result["partialFingerprints"] = {"auditorGate/v1": _fingerprint(release["name"], requirement["id"])}
                    yield result


def _fingerprint(*identity: str) -> str:
    return sha256("\0".join(identity).encode()).hexdigest()
