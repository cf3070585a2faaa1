"""JUnit XML: one test case per requirement, for continuous-integration systems that count tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from auditor.report import outputs, queries, since, words

MOST_PROOFS = 20


def document(redacted: Mapping[str, Any]) -> str:
    """A ``testsuites`` document; not-evaluated is an error, waived is skipped, a warning is said in the output."""
    shown = words.view(redacted)
    statuses = [requirement["status"] for requirement in shown["requirements"]]
    counts = {
        "tests": len(statuses) or 1,
        "failures": statuses.count("fail"),
        "errors": statuses.count("not-evaluated") + (not statuses),
        "skipped": statuses.count("waived"),
    }
    totals = {name: str(count) for name, count in counts.items()}
    root = ET.Element("testsuites", {"name": "auditor", **totals})
    name = shown["policy"]["name"]
    suite = ET.SubElement(root, "testsuite", {"name": name, "time": "0", **totals})
    properties = ET.SubElement(suite, "properties")
    for key, value in _properties(shown):
        ET.SubElement(properties, "property", {"name": key, "value": value})
    for requirement in shown["requirements"]:
        proofs = queries.of_requirement(shown, requirement, MOST_PROOFS)
        case(suite, name, requirement, proofs + outputs.of_requirement(shown, requirement, MOST_PROOFS))
    if not statuses:
        alone = ET.SubElement(suite, "testcase", {"classname": name, "name": "policy", "time": "0"})
        ET.SubElement(alone, "error", {"message": words.why(shown), "type": "not-evaluated"})
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _properties(shown: Mapping[str, Any]) -> list[tuple[str, str]]:
    properties = [
        ("verdict", shown["verdict"]),
        ("audience", shown["audience"]),
        ("evaluated_on", shown["evaluated_on"]),
        ("policy_sha256", shown["policy"]["sha256"]),
    ]
    if shown["data"]:
        properties += [("data", shown["data"]["source"]), ("data_sha256", shown["data"]["sha256"] or "")]
    properties += [("not_checked", item) for item in shown["not_checked"]]
    return properties + [("assumption", item) for item in since.assumed(shown)]


def case(suite: ET.Element, policy: str, requirement: Mapping[str, Any], proofs: list[str]) -> None:
    """One requirement as a test case."""
    attributes = {"classname": policy, "name": requirement["id"], "time": "0"}
    if requirement["location"]:
        attributes |= {"file": requirement["location"]["file"], "line": str(requirement["location"]["line"])}
    made = ET.SubElement(suite, "testcase", attributes)
    detail = words.detail(requirement)
    status = requirement["status"]
    if status == "waived":
        ET.SubElement(made, "skipped", {"message": f"{detail}; waived until {words.waived_until(requirement)}"})
    elif status in ("fail", "not-evaluated"):
        tag = "failure" if status == "fail" else "error"
        outcome = ET.SubElement(made, tag, {"message": detail, "type": requirement["model"]})
        outcome.text = "\n".join([detail, words.where(requirement["location"]), *proofs])
    else:
        ET.SubElement(made, "system-out").text = detail
