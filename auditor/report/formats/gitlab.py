"""GitLab code quality: a list of issues that a merge request shows at the policy's lines."""

from __future__ import annotations

from hashlib import sha256

from auditor.report.formats.json import escaped
from auditor.report.page import Line, Page, by_urgency

ABOUT = "merge requests (code quality)"
MEDIA_TYPE = "application/json"
NEEDS = "lines"
SEVERITIES = {
    "fail": "blocker",
    "not-evaluated": "critical",
    "waived": "major",
    "warning": "minor",
    "approved": "minor",
    "doubt": "minor",
}


def write(page: Page) -> str:
    """One issue for every line; fingerprints survive moved lines and changed numbers."""
    return escaped([_issue(page, line) for line in by_urgency(page.lines)])


def _issue(page: Page, line: Line) -> dict[str, object]:
    path, number = (line.place.file, line.place.line) if line.place else (page.file or "policy", 1)
    return {
        "description": line.sentence,
        "check_name": line.rule,
        "fingerprint": sha256("\0".join(line.identity).encode()).hexdigest(),
        "severity": SEVERITIES[line.status],
        "location": {"path": path, "lines": {"begin": number}},
    }
