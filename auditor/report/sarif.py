"""SARIF 2.1.0: what is wrong, at the policy's line, for code-scanning views.

A rule is a model (``auditor/k-anonymity``), so its id is stable; a result's fingerprint is made of the policy's name
and the requirement's id, so it survives moved lines and changed numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from auditor.report import outputs, queries, words
from auditor.report.json import escaped

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"fail": "error", "not-evaluated": "error", "warning": "warning", "waived": "error"}


def document(redacted: Mapping[str, Any]) -> str:
    """One run. Requirements that pass are rules without a result: code-scanning views show every result as an alert."""
    shown = words.view(redacted)
    models = sorted({requirement["model"] for requirement in shown["requirements"]})
    run = {
        "tool": {"driver": _driver(shown, models)},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(shown)],
        "properties": {
            name: shown[name]
            for name in ("verdict", "audience", "redacted", "evaluated_on", "not_checked", "assumptions")
        },
        "results": [result_of(shown, r, models) for r in shown["requirements"] if r["status"] in LEVELS],
    }
    return escaped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver(shown: Mapping[str, Any], models: list[str]) -> dict[str, Any]:
    return {
        "name": shown["tool"]["name"],
        "version": shown["tool"]["version"],
        "rules": [rule_of(model, _help(shown, model)) for model in models],
    }


def _help(shown: Mapping[str, Any], model: str) -> str:
    """The command that says more: models have a page of their own, limits on answers and outputs their command's."""
    own = queries.is_one(shown) or outputs.is_one(shown)
    return f"auditor {shown['command']} --help" if own else f"auditor explain {model}"


def rule_of(model: str, told: str) -> dict[str, Any]:
    """The rule that a model is."""
    return {
        "id": f"auditor/{model}",
        "name": model,
        "shortDescription": {"text": f"The policy's requirement {model} holds."},
        "help": {"text": told},
    }


def _invocation(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the policy could be judged, and what belongs to no single requirement."""
    general = [f for f in shown["findings"] if f["requirement"] is None]
    doubts = [("warning", f"{of['id']}: {message}") for of, message in words.doubted(shown)]
    notes = [("note", f"Not checked: {item}") for item in shown["not_checked"]]
    return {
        "executionSuccessful": shown["verdict"] != "not-evaluated",
        "toolExecutionNotifications": [
            {"level": level, "message": {"text": text}}
            for level, text in [*((f["level"], f["message"]) for f in general), *doubts, *notes]
        ],
    }


def result_of(shown: Mapping[str, Any], requirement: Mapping[str, Any], models: list[str]) -> dict[str, Any]:
    """What became of one requirement."""
    result: dict[str, Any] = {
        "ruleId": f"auditor/{requirement['model']}",
        "ruleIndex": models.index(requirement["model"]),
        "level": LEVELS[requirement["status"]],
        "message": {"text": _message(shown, requirement)},
        "partialFingerprints": {"auditorRequirement/v1": _fingerprint(shown, requirement)},
    }
    if requirement["location"]:
        result["locations"] = [location_of(requirement["location"])]
    if requirement["waiver"]:
        waiver = requirement["waiver"]
        result["suppressions"] = [
            {
                "kind": "external",
                "status": "accepted",
                "justification": f"{waiver['reason']} (until {waiver['expires']}, approved by {waiver['approved_by']})",
            }
        ]
    return result


def _message(shown: Mapping[str, Any], requirement: Mapping[str, Any]) -> str:
    """The outcome, with the first proof where a query log or an output broke a limit."""
    proof = queries.of_requirement(shown, requirement, 1) + outputs.of_requirement(shown, requirement, 1)
    return "; ".join([f"{requirement['id']}: {words.detail(requirement)}", *proof])


def location_of(location: Mapping[str, Any]) -> dict[str, Any]:
    """A line of a file."""
    artifact = {"uri": quote(location["file"].replace("\\", "/"), safe="/")}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(1, location["line"])}}}


def _fingerprint(shown: Mapping[str, Any], requirement: Mapping[str, Any]) -> str:
    return sha256(f"{shown['policy']['name']}\0{requirement['id']}".encode()).hexdigest()
