"""Two policies side by side, in every format.

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
from auditor.report.github import annotation
from auditor.report.json import escaped
from auditor.report.markdown import safe
from auditor.report.sarif import SCHEMA
from auditor.report.text import inert
from auditor.result import PolicyComparison, plain

FORMATS = ("text", "json", "markdown", "sarif", "github", "gitlab", "html")
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
WEAKENED = {
    "id": "policy/weakened",
    "name": "policy-weakened",
    "shortDescription": {"text": "A change of the policy that is not at least as strict."},
    "help": {"text": "auditor diff OLD NEW"},
}
"""The rule of SARIF that a weaker field breaks."""
LEVELS = {"weaker": "error", "incomparable": "error"}
MOST = 100
"""So many differences are shown in Markdown; a comment on a change has an end."""
LONGEST = 120
MOST_ANNOTATIONS = 10


def render(found: PolicyComparison, format_: str) -> str:
    """A comparison in one of `FORMATS`; same comparison, same bytes."""
    if format_ == "json":
        return escaped(plain(found))
    shown = words.visible(plain(found))
    if format_ == "html":
        return _html(shown)
    known = {"text": _text, "markdown": _markdown, "sarif": _sarif, "github": _github, "gitlab": _gitlab}
    return known[format_](shown)


def _text(shown: Mapping[str, Any]) -> str:
    lines = [f"{_headline(shown)}", *(f"  {line}" for line in _sides(shown))]
    for verdict, title in TITLES.items():
        group = [d for d in shown["differences"] if d["verdict"] == verdict]
        lines += ["", title] if group else []
        for difference in group:
            lines += [f"  {sentence(difference)}", f"    {_places(difference)}"]
    judged = [judged_by_both(each) for each in shown["data"]]
    lines += ["", "Judged by both", *(f"  {line}" for line in judged)] if judged else []
    return "\n".join(inert(line.rstrip()) for line in lines) + "\n"


def _markdown(shown: Mapping[str, Any]) -> str:
    blocks = [f"### {safe(_headline(shown))}", "\n".join(f"- {safe(line)}" for line in _sides(shown))]
    rows = ["| | Field | Old | New | Note |", "|---|---|---|---|---|"]
    for difference in shown["differences"][:MOST]:
        places = [_at(difference["old_origin"]), _at(difference["new_origin"])]
        values = [value(difference["old"]), value(difference["new"])]
        cells = [f"{said} ({place})" if place else said for said, place in zip(values, places, strict=True)]
        row = [TITLES[difference["verdict"]], difference["path"], *cells, difference["note"] or ""]
        rows.append(f"| {' | '.join(map(safe, row))} |")
    if len(rows) > 2:
        blocks.append("\n".join(rows))
    if len(shown["differences"]) > MOST:
        blocks.append(f"and {len(shown['differences']) - MOST} more")
    if shown["data"]:
        lines = "\n".join(f"- {safe(judged_by_both(each))}" for each in shown["data"][:MOST])
        blocks.append(f"**Judged by both**\n\n{lines}")
    return "\n\n".join(blocks) + "\n"


def _sarif(shown: Mapping[str, Any]) -> str:
    """One result per field that needs an approval, at the new policy's line."""
    driver = {
        **shown["tool"],
        "rules": [WEAKENED],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "properties": {"verdict": shown["verdict"]},
        "results": [_result(shown, difference) for difference in _needing_approval(shown)],
    }
    return escaped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _github(shown: Mapping[str, Any]) -> str:
    """The first ten fields that need an approval, how many more there are, and the verdict."""
    found = _needing_approval(shown)
    lines = [
        annotation("error", "policy weakened", f"{TITLES[d['verdict']]}: {sentence(d)}", d["new_origin"])
        for d in found[:MOST_ANNOTATIONS]
    ]
    if len(found) > MOST_ANNOTATIONS:
        lines.append(annotation("notice", "auditor", f"and {len(found) - MOST_ANNOTATIONS} more", None))
    flipped = [judged_by_both(each) for each in shown["data"] if each["old"] != each["new"]]
    lines += [annotation("warning", "auditor", text, None) for text in flipped[:MOST_ANNOTATIONS]]
    return "\n".join([*lines, annotation("notice", "auditor", _headline(shown), None)]) + "\n"


def _gitlab(shown: Mapping[str, Any]) -> str:
    return escaped([_issue(shown, difference) for difference in _needing_approval(shown)])


def _issue(shown: Mapping[str, Any], difference: Mapping[str, Any]) -> dict[str, Any]:
    origin = difference["new_origin"] or {"file": shown["new"]["file"] or "policy", "line": 1}
    return {
        "description": f"{TITLES[difference['verdict']]}: {sentence(difference)}",
        "check_name": WEAKENED["id"],
        "fingerprint": _fingerprint(shown, difference),
        "severity": "blocker",
        "location": {"path": origin["file"], "lines": {"begin": origin["line"]}},
    }


def _html(shown: Mapping[str, Any]) -> str:
    from auditor.report.html import page

    return page(
        "comparison",
        f"Policy SHA-256 {shown['new']['sha256']}",
        document=shown,
        headline=_headline(shown),
        sides=_sides(shown),
        look={"stricter": "pass", "equal": "pass", "incomparable": "not-evaluated"}.get(shown["verdict"], "fail"),
        titles=TITLES,
        value=value,
        judged=judged_by_both,
    )


def _needing_approval(shown: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [difference for difference in shown["differences"] if difference["verdict"] in LEVELS]


def judged_by_both(each: Mapping[str, Any]) -> str:
    """What one dataset is under the two policies: ``out/clinic.csv: not met → met``."""
    old, new = (words.STATUSES[each[side]] if each[side] else "nothing to judge it by" for side in ("old", "new"))
    return f"{each['data']}: {old} → {new}" if old != new else f"{each['data']}: {new} under both"


def _result(shown: Mapping[str, Any], difference: Mapping[str, Any]) -> dict[str, Any]:
    origin = difference["new_origin"] or {"file": shown["new"]["file"], "line": 1}
    result: dict[str, Any] = {
        "ruleId": "policy/weakened",
        "ruleIndex": 0,
        "level": LEVELS[difference["verdict"]],
        "message": {"text": f"{TITLES[difference['verdict']]}: {sentence(difference)}"},
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


def sentence(difference: Mapping[str, Any]) -> str:
    """What changed, as one line: ``requirements/k/k: 11 → 5``."""
    note = f" ({difference['note']})" if difference["note"] else ""
    if difference["old"] is None and difference["new"] is None:
        return f"{difference['path']}{note}"
    return f"{difference['path']}: {value(difference['old'])} → {value(difference['new'])}{note}"


def value(said: Any) -> str:
    """A value of a policy, short enough for a line."""
    if said is None:
        return "none"
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _places(difference: Mapping[str, Any]) -> str:
    old, new = _at(difference["old_origin"]), _at(difference["new_origin"])
    return f"{old or 'nowhere'} → {new or 'nowhere'}"


def _at(origin: Mapping[str, Any] | None) -> str:
    return f"{origin['file']}:{origin['line']}" if origin else ""
