"""GitLab code quality: a list of issues that a merge request shows at the policy's lines."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from auditor.report import words
from auditor.report.json import escaped

SEVERITIES = {"fail": "blocker", "not-evaluated": "critical", "waived": "major", "warning": "minor"}


def document(redacted: Mapping[str, Any]) -> str:
    """One issue for every requirement that is not simply met; fingerprints survive moved lines and changed numbers."""
    shown = words.view(redacted)
    wrong = [r for r in words.by_urgency(shown["requirements"]) if r["status"] in SEVERITIES]
    return escaped([*(issue(shown, requirement) for requirement in wrong), *doubts(shown)])


def doubts(shown: Mapping[str, Any], release: str | None = None) -> list[dict[str, Any]]:
    """An issue for every warning about a requirement that is met."""
    found = []
    for requirement, message in words.doubted(shown):
        made = issue(shown, {**requirement, "status": "warning"}, release)
        of = f"{release}: " if release else ""
        found.append({**made, "description": f"{of}{requirement['id']}: {message}"})
    return found


def issue(shown: Mapping[str, Any], requirement: Mapping[str, Any], release: str | None = None) -> dict[str, Any]:
    """One issue; of a release, where the document holds several."""
    place = requirement["location"] or {"file": shown["policy"]["file"] or "policy", "line": 1}
    identity = f"{shown['policy']['name']}\0{requirement['id']}"
    if release is not None:
        identity = f"{release}\0{identity}"
    return {
        "description": f"{f'{release}: ' if release else ''}{requirement['id']}: {words.detail(requirement)}",
        "check_name": f"auditor/{requirement['model']}",
        "fingerprint": sha256(identity.encode()).hexdigest(),
        "severity": SEVERITIES[requirement["status"]],
        "location": {"path": place["file"], "lines": {"begin": place["line"]}},
    }
