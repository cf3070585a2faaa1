"""GitHub annotations: workflow commands that a runner shows beside the policy's lines.

The worst ten, then how many more: a runner shows only ten errors and ten warnings of a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.report import words

MOST = 10
_COMMANDS = {"fail": "error", "not-evaluated": "error", "warning": "warning", "waived": "warning"}


def document(redacted: Mapping[str, Any]) -> str:
    """One command per line; nothing of the document can start a command of its own."""
    shown = words.view(redacted)
    wrong = [r for r in words.by_urgency(shown["requirements"]) if r["status"] in _COMMANDS]
    summary = f"{words.headline(shown)} {shown['policy']['name']}. {words.why(shown)}"
    if shown["not_checked"]:
        summary += f" Not checked: {words.listed(shown['not_checked'])}."
    silent = not wrong and shown["verdict"] != "pass"
    lines = [made[1] for requirement in wrong[:MOST] if (made := of_requirement(requirement)) is not None]
    lines += [of_doubt(*doubt) for doubt in words.doubted(shown)[:MOST]]
    if len(wrong) > MOST:
        lines.append(_command("notice", {"title": "auditor"}, f"and {len(wrong) - MOST} more"))
    lines.append(_command("error" if silent else "notice", {"title": "auditor"}, summary))
    return "\n".join(lines) + "\n"


def annotation(name: str, title: str, message: str, place: Mapping[str, Any] | None) -> str:
    """A command of that name (error, warning, notice), beside the line of a place where there is one."""
    at = {"file": place["file"], "line": str(place["line"])} if place else {}
    return _command(name, {**at, "title": title}, message)


def of_requirement(requirement: Mapping[str, Any], prefix: str = "") -> tuple[str, str] | None:
    """Error or warning, and the command that shows a requirement at its line; None for one that is met."""
    kind = _COMMANDS.get(requirement["status"])
    if kind is None:
        return None
    title = f"{prefix}{requirement['id']} {words.STATUSES[requirement['status']]}"
    return kind, annotation(kind, title, words.detail(requirement), requirement["location"])


def of_doubt(requirement: Mapping[str, Any], message: str, prefix: str = "") -> str:
    """The warning about a requirement that is met, at its line."""
    return annotation("warning", f"{prefix}{requirement['id']} met, with a doubt", message, requirement["location"])


def _command(name: str, properties: Mapping[str, str], message: str) -> str:
    pairs = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{name} {pairs}::{_escape(message)}"


def _escape(text: str) -> str:
    """As the runner unescapes a message; ``##[`` would start a command of the older syntax anywhere in a line."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace("##[", "## [")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
