"""GitLab code quality: a list of issues that a merge request shows at the policy's lines."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from auditor.report import words
from auditor.report.json import escaped

_SEVERITIES = {"fail": "blocker", "not-evaluated": "critical", "waived": "major", "warning": "minor"}


def document(redacted: Mapping[str, Any]) -> str:
    """One issue for every requirement that is not simply met; fingerprints survive moved lines and changed numbers."""
    shown = words.view(redacted)
    wrong = [r for r in words.by_urgency(shown["requirements"]) if r["status"] in _SEVERITIES]
    return escaped([_issue(shown, requirement) for requirement in wrong])


def _issue(shown: Mapping[str, Any], requirement: Mapping[str, Any]) -> dict[str, Any]:
    place = requirement["location"] or {"file": shown["policy"]["file"] or "policy", "line": 1}
    identity = f"{shown['policy']['name']}\0{requirement['id']}"
    return {
        "description": f"{requirement['id']}: {words.detail(requirement)}",
        "check_name": f"auditor/{requirement['model']}",
        "fingerprint": sha256(identity.encode()).hexdigest(),
        "severity": _SEVERITIES[requirement["status"]],
        "location": {"path": place["file"], "lines": {"begin": place["line"]}},
    }
