"""What testing policies found: as text, JSON, JUnit, Markdown, SARIF, and annotations of GitHub and GitLab.

A test's table is the repository's own, but it may be a sample of real data: a number measured on it is shown to every
audience but the public. Texts may come from a stranger's branch; they stay texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

from auditor.report import words
from auditor.report.github import MOST, annotation
from auditor.report.json import escaped
from auditor.report.markdown import safe
from auditor.report.sarif import SCHEMA
from auditor.report.text import inert
from auditor.result import Audience, PolicyTestsResult, plain

FORMATS = ("text", "json", "junit", "sarif", "github", "gitlab", "markdown")
MOST_ROWS = 200
"""So many entries are shown in Markdown; a comment on a change has an end."""


def render(found: PolicyTestsResult, format_: str, audience: Audience) -> str:
    """The result in one of `FORMATS`, for an audience; same result, same bytes."""
    document = _document(found, audience)
    if format_ == "json":
        return escaped(document)
    shown = words.visible(document)
    return {
        "text": _text,
        "junit": _junit,
        "sarif": _sarif,
        "github": _github,
        "gitlab": _gitlab,
        "markdown": _markdown,
    }[format_](shown)


def _document(found: PolicyTestsResult, audience: Audience) -> dict[str, Any]:
    """The result as plain values, without measured numbers for the public."""
    hidden = []
    if audience is Audience.PUBLIC:
        hidden = [f"tests/{i}/achieved/{j}/measured" for i, t in enumerate(found.tests) for j in range(len(t.achieved))]
        tests = tuple(
            replace(test, achieved=tuple(replace(each, measured=None) for each in test.achieved))
            for test in found.tests
        )
        found = replace(found, tests=tests)
    document: dict[str, Any] = plain(found)
    return {**document, "audience": audience.value, "redacted": hidden}


def _headline(shown: Mapping[str, Any]) -> str:
    failed = sum(not test["passed"] for test in shown["tests"])
    sentences = [words.counted(len(shown["tests"]), "test") + f", {failed} failed"]
    if shown["mutants"] is not None:
        missed = sum(mutant["noticed_by"] is None for mutant in shown["mutants"])
        sentences.append(f"{words.counted(len(shown['mutants']), 'loosened number')}, {missed} that no test notices")
    symbol = words.SYMBOLS["pass" if shown["verdict"] == "pass" else "fail"]
    return f"{symbol} {'; '.join(sentences)}"


def _why(test: Mapping[str, Any]) -> str:
    """What of a test was not as expected, in one line."""
    numbers = [_number(each) for each in test["achieved"]]
    reason = [f"not evaluated: {test['reason']}"] if test["reason"] and not test["passed"] else []
    return "; ".join([*test["differences"], *numbers, *reason])


def _number(each: Mapping[str, Any]) -> str:
    measured = "another number" if each["measured"] is None else words.number(each["measured"])
    return f"achieved {each['requirement']}: expected {words.number(each['expected'])}, found {measured}"


def _missed(mutant: Mapping[str, Any]) -> str:
    if mutant["field"] is None:
        return f"{mutant['requirement']}: no test notices when it is left out"
    return f"{mutant['requirement']}: no test notices {mutant['field']} {mutant['old']} → {mutant['new']}"


def _unnoticed(shown: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [mutant for mutant in shown["mutants"] or () if mutant["noticed_by"] is None]


def _wrong(shown: Mapping[str, Any]) -> list[tuple[str, str, Mapping[str, Any] | None]]:
    """Everything that stands in the way: what it is called, why, and where."""
    tests = [(test["name"], _why(test), test["location"]) for test in shown["tests"] if not test["passed"]]
    return tests + [(f"{m['policy']}: coverage", _missed(m), m["location"]) for m in _unnoticed(shown)]


def _text(shown: Mapping[str, Any]) -> str:
    lines = [_headline(shown)]
    for test in shown["tests"]:
        symbol = words.SYMBOLS["pass" if test["passed"] else "fail"]
        place = "" if test["passed"] else f" ({words.where(test['location'])})"
        lines.append(f"  {symbol} {test['policy']}: {test['name']}{place}")
        lines += [] if test["passed"] else [f"      {_why(test)}"]
    missed = _unnoticed(shown)
    lines += ["", "Not covered"] if missed else []
    lines += [f"  • {_missed(mutant)} ({words.where(mutant['location'])})" for mutant in missed]
    lines += ["", "Not checked", *(f"  • {item}" for item in shown["not_checked"])] if shown["not_checked"] else []
    return "\n".join(inert(line.rstrip()) for line in lines) + "\n"


def _markdown(shown: Mapping[str, Any]) -> str:
    blocks = [f"### {safe(_headline(shown))}"]
    rows = ["| Test | Where | Why |", "|---|---|---|"]
    wrong = _wrong(shown)
    rows += [f"| {safe(name)} | {safe(words.where(place))} | {safe(why)} |" for name, why, place in wrong[:MOST_ROWS]]
    blocks += ["\n".join(rows)] if wrong else []
    blocks += [f"and {len(wrong) - MOST_ROWS} more"] if len(wrong) > MOST_ROWS else []
    return "\n\n".join(blocks) + "\n"


def _github(shown: Mapping[str, Any]) -> str:
    wrong = _wrong(shown)
    lines = [annotation("error", name, why, place) for name, why, place in wrong[:MOST]]
    lines += [annotation("notice", "auditor", f"and {len(wrong) - MOST} more", None)] if len(wrong) > MOST else []
    return "\n".join([*lines, annotation("notice", "auditor", _headline(shown), None)]) + "\n"


def _gitlab(shown: Mapping[str, Any]) -> str:
    return escaped(
        [
            {
                "description": f"{name}: {why}",
                "check_name": "auditor/policy-test",
                "fingerprint": sha256(f"{name}\0{place and place['file']}".encode()).hexdigest(),
                "severity": "blocker",
                "location": {
                    "path": place["file"] if place else "policy",
                    "lines": {"begin": place["line"] if place else 1},
                },
            }
            for name, why, place in _wrong(shown)
        ]
    )


def _sarif(shown: Mapping[str, Any]) -> str:
    rule = {
        "id": "auditor/policy-test",
        "name": "policy-test",
        "shortDescription": {"text": "The policy's tests pass, and would notice a weaker policy."},
        "help": {"text": "auditor test --help"},
    }
    run = {
        "tool": {"driver": {**shown["tool"], "rules": [rule]}},
        "columnKind": "unicodeCodePoints",
        "properties": {"verdict": shown["verdict"], "audience": shown["audience"]},
        "results": [_sarif_result(name, why, place) for name, why, place in _wrong(shown)],
    }
    return escaped({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _sarif_result(name: str, why: str, place: Mapping[str, Any] | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": "auditor/policy-test",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": f"{name}: {why}"},
        "partialFingerprints": {"auditorPolicyTest/v1": sha256(name.encode()).hexdigest()},
    }
    if place:
        artifact = {"uri": quote(place["file"].replace("\\", "/"), safe="/")}
        region = {"startLine": max(1, place["line"])}
        result["locations"] = [{"physicalLocation": {"artifactLocation": artifact, "region": region}}]
    return result


def _junit(shown: Mapping[str, Any]) -> str:
    mutants = shown["mutants"] or ()
    cases = [(t["policy"], t["name"], t["location"], None if t["passed"] else _why(t)) for t in shown["tests"]]
    cases += [
        (m["policy"], f"coverage {m['requirement']} {m['field'] or ''}".strip(), m["location"], None)
        if m["noticed_by"] is not None
        else (m["policy"], f"coverage {m['requirement']} {m['field'] or ''}".strip(), m["location"], _missed(m))
        for m in mutants
    ]
    counts = {"tests": str(len(cases)), "failures": str(sum(why is not None for *_, why in cases)), "errors": "0"}
    root = ET.Element("testsuites", {"name": "auditor test", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": "policy tests", "time": "0", **counts})
    for policy, name, place, why in cases:
        at = {"file": place["file"], "line": str(place["line"])} if place else {}
        case = ET.SubElement(suite, "testcase", {"classname": policy, "name": name, "time": "0", **at})
        if why is not None:
            ET.SubElement(
                case, "failure", {"message": why, "type": "policy-test"}
            ).text = f"{why}\n{words.where(place)}"
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
