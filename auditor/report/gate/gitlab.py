"""GitLab code quality of all releases: what is weaker, and every requirement that is not simply met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from auditor.report.gate import words as gate
from auditor.report.gitlab import SEVERITIES, doubts, issue
from auditor.report.json import escaped


def document(redacted: Mapping[str, Any]) -> str:
    """A list of issues; fingerprints survive moved lines and changed numbers."""
    return escaped(list(_issues(gate.view(redacted))))


def _issues(shown: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for found in gate.weakenings(shown):
        for difference in (each for each in found.differences if each["verdict"] in gate.WEAKER):
            place = difference["new_origin"] or difference["old_origin"]
            said = f"{found.title}: {gate.difference_line(difference)}"
            made = _one(shown, ("policy/weakened", *found.names, difference["path"]), said, place)
            yield {**made, "severity": "minor"} if found.approval else made
    for release in shown["releases"]:
        if release["status"] in ("not-evaluated", "weakened"):
            said = f"{release['name']}: {release['why']}"
            yield _one(shown, (f"auditor/{release['status']}", release["name"]), said, release["location"])
        for audit in release["documents"]:
            for requirement in audit["requirements"]:
                if requirement["status"] in SEVERITIES:
                    yield issue(audit, requirement, release["name"])
            yield from doubts(audit, release["name"])


def _one(
    shown: Mapping[str, Any], identity: tuple[str, ...], said: str, place: Mapping[str, Any] | None
) -> dict[str, Any]:
    """An issue; the first part of its identity names the check."""
    where = place or {"file": shown["manifest"], "line": 1}
    return {
        "description": said,
        "check_name": identity[0],
        "fingerprint": sha256("\0".join(identity).encode()).hexdigest(),
        "severity": "blocker",
        "location": {"path": where["file"], "lines": {"begin": where["line"]}},
    }
