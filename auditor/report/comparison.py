"""Two policies side by side: as text, JSON, Markdown and SARIF.

A comparison holds nothing of any data, so every audience sees all of it. Texts of a policy may come from a stranger's
branch: control characters are shown, not obeyed, and nothing of them is markup.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from auditor.report import words
from auditor.report.json import escaped
from auditor.report.markdown import safe
from auditor.report.sarif import SCHEMA
from auditor.report.text import inert
from auditor.result import PolicyComparison, plain

FORMATS = ("text", "json", "markdown", "sarif")
HEADLINES = {
    "stricter": "✓ Stricter",
    "equal": "✓ Equally strict",
    "weaker": "✗ Weaker",
    "mixed": "✗ Weaker in some fields, stricter in others",
    "incomparable": "? Needs a review",
}
TITLES = {
    "weaker": "Weaker",
    "incomparable": "Needs a review",
    "stricter": "Stricter",
    "equal": "Changes nothing",
    "utility": "Utility, not privacy",
}
LEVELS = {"weaker": "error", "incomparable": "error"}
MOST = 100
"""So many differences are shown in Markdown; a comment on a change has an end."""
LONGEST = 120


def render(found: PolicyComparison, format_: str) -> str:
    """A comparison in one of `FORMATS`; same comparison, same bytes."""
    if format_ == "json":
        return escaped(plain(found))
    shown = words.visible(plain(found))
    return {"text": _text, "markdown": _markdown, "sarif": _sarif}[format_](shown)


def _text(shown: Mapping[str, Any]) -> str:
    lines = [f"{_headline(shown)}", *(f"  {line}" for line in _sides(shown))]
    for verdict, title in TITLES.items():
        group = [d for d in shown["differences"] if d["verdict"] == verdict]
        lines += ["", title] if group else []
        for difference in group:
            lines += [f"  {_sentence(difference)}", f"    {_places(difference)}"]
    return "\n".join(inert(line.rstrip()) for line in lines) + "\n"


def _markdown(shown: Mapping[str, Any]) -> str:
    blocks = [f"### {safe(_headline(shown))}", "\n".join(f"- {safe(line)}" for line in _sides(shown))]
    rows = ["| | Field | Old | New | Note |", "|---|---|---|---|---|"]
    for difference in shown["differences"][:MOST]:
        places = [_at(difference["old_origin"]), _at(difference["new_origin"])]
        values = [_value(difference["old"]), _value(difference["new"])]
        cells = [f"{value} ({place})" if place else value for value, place in zip(values, places, strict=True)]
        row = [TITLES[difference["verdict"]], difference["path"], *cells, difference["note"] or ""]
        rows.append(f"| {' | '.join(map(safe, row))} |")
    if len(rows) > 2:
        blocks.append("\n".join(rows))
    if len(shown["differences"]) > MOST:
        blocks.append(f"and {len(shown['differences']) - MOST} more")
    return "\n\n".join(blocks) + "\n"


def _sarif(shown: Mapping[str, Any]) -> str:
    """One result per field that needs an approval, at the new policy's line."""
    driver = {
        **shown["tool"],
        "rules": [
            {
                "id": "policy/weakened",
                "name": "policy-weakened",
                "shortDescription": {"text": "A change of the policy that is not at least as strict."},
                "help": {"text": "auditor diff OLD NEW"},
            }
        ],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "properties": {"verdict": shown["verdict"]},
        "results": [_result(shown, d) for d in shown["differences"] if d["verdict"] in LEVELS],
    }
    return escaped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(shown: Mapping[str, Any], difference: Mapping[str, Any]) -> dict[str, Any]:
    origin = difference["new_origin"] or {"file": shown["new"]["file"], "line": 1}
    result: dict[str, Any] = {
        "ruleId": "policy/weakened",
        "ruleIndex": 0,
        "level": LEVELS[difference["verdict"]],
        "message": {"text": f"{TITLES[difference['verdict']]}: {_sentence(difference)}"},
        "partialFingerprints": {"auditorPolicy/v1": _fingerprint(shown, difference)},
    }
    if origin["file"]:
        artifact = {"uri": quote(origin["file"].replace("\\", "/"), safe="/")}
        region = {"startLine": max(1, origin["line"])}
        result["locations"] = [{"physicalLocation": {"artifactLocation": artifact, "region": region}}]
    return result


def _fingerprint(shown: Mapping[str, Any], difference: Mapping[str, Any]) -> str:
    return sha256(f"{shown['new']['name']}\0{difference['path']}".encode()).hexdigest()


def _headline(shown: Mapping[str, Any]) -> str:
    return f"{HEADLINES[shown['verdict']]}: {shown['new']['name']}"


def _sides(shown: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}  {shown[name]['source'] or 'from Python'}, sha256 {shown[name]['sha256'][:12]}"
        for name in ("old", "new")
    ]


def _sentence(difference: Mapping[str, Any]) -> str:
    """What changed, as one line: ``requirements/k/k: 11 → 5``."""
    note = f" ({difference['note']})" if difference["note"] else ""
    if difference["old"] is None and difference["new"] is None:
        return f"{difference['path']}{note}"
    return f"{difference['path']}: {_value(difference['old'])} → {_value(difference['new'])}{note}"


def _value(value: Any) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _places(difference: Mapping[str, Any]) -> str:
    old, new = _at(difference["old_origin"]), _at(difference["new_origin"])
    return f"{old or 'nowhere'} → {new or 'nowhere'}"


def _at(origin: Mapping[str, Any] | None) -> str:
    return f"{origin['file']}:{origin['line']}" if origin else ""
