"""GitHub annotations: workflow commands that a runner shows beside the policy's lines.

The worst ten errors and ten warnings, then how many more: a runner shows no more of a step.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditor.report.page import Line, Page, by_urgency

ABOUT = "annotations: the worst ten errors and ten warnings, then the number of others"
MEDIA_TYPE = "text/plain"
NEEDS = "lines"
PUBLIC = True
MOST = 10
ERRORS = ("fail", "not-evaluated")


def write(page: Page) -> str:
    """One command per line; nothing of the document can start a command of its own."""
    found = by_urgency(page.lines)
    shown = []
    for kind in ("error", "warning"):
        lines = [line for line in found if (line.status in ERRORS) == (kind == "error")]
        shown += [_annotation(kind, line) for line in lines[:MOST]]
        if len(lines) > MOST:
            shown.append(_command("notice", {"title": "auditor"}, f"and {len(lines) - MOST} more {kind}s"))
    alone = not page.met and all(line.status == "doubt" for line in found)
    shown.append(_command("error" if alone else "notice", {"title": "auditor"}, page.summary))
    return "\n".join(shown) + "\n"


def _annotation(kind: str, line: Line) -> str:
    """An error or a warning, beside the line of a place where there is one."""
    at = {"file": line.place.file, "line": str(line.place.line)} if line.place else {}
    return _command(kind, {**at, "title": line.title}, line.message)


def _command(name: str, properties: Mapping[str, str], message: str) -> str:
    pairs = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{name} {pairs}::{_escape(message)}"


def _escape(text: str) -> str:
    """As the runner unescapes a message; ``##[`` would start a command of the older syntax anywhere in a line."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace("##[", "## [")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
