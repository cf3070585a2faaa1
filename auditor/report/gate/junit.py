"""JUnit XML of all releases: one suite each, a case per requirement, and one for its rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from auditor.report.gate import words as gate
from auditor.report.junit import case

RULES = "at least as strict as the base revision"
TAGS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def document(redacted: Mapping[str, Any]) -> str:
    """A ``testsuites`` document; a weakening is a failure, what could not be evaluated an error."""
    shown = gate.view(redacted)
    root = ET.Element("testsuites", {"name": "auditor gate"})
    for release in shown["releases"]:
        _suite(root, release)
    if shown["trusted_change"] is not None:
        suite = ET.SubElement(root, "testsuite", {"name": "trusted settings", "time": "0"})
        _rules(suite, "trusted settings", shown["trusted"], shown["trusted_change"], shown["trusted_approval"])
    for suite in root:
        _count(suite)
    _sum(root)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, release: Mapping[str, Any]) -> None:
    name = release["name"]
    suite = ET.SubElement(root, "testsuite", {"name": name, "time": "0"})
    for audit in release["documents"]:
        for requirement in audit["requirements"]:
            case(suite, name, requirement, [])
    _rules(suite, name, gate.changed(release), release["change"], release["approval"])
    for said, floor in zip(gate.floors(release), release["floors"], strict=True):
        made = ET.SubElement(suite, "testcase", {"classname": name, "name": f"floor {floor['name']}", "time": "0"})
        if floor["verdict"] not in ("pass", "waived"):
            kind = "error" if floor["verdict"] == "not-evaluated" else "failure"
            tag = "skipped" if release["approval"] else kind
            ET.SubElement(made, tag, {"message": said, "type": floor["verdict"]}).text = said
    if release["status"] == "not-evaluated":
        made = ET.SubElement(suite, "testcase", {"classname": name, "name": "evaluated", "time": "0"})
        outcome = ET.SubElement(made, "error", {"message": release["why"], "type": "not-evaluated"})
        outcome.text = "\n".join([release["why"], *gate.notes_of(release)])


def _rules(
    suite: ET.Element,
    name: str,
    differences: list[Mapping[str, Any]],
    change: str | None,
    approval: Mapping[str, Any] | None,
) -> None:
    made = ET.SubElement(suite, "testcase", {"classname": name, "name": RULES, "time": "0"})
    if change is None:
        return
    said = gate.approval([change], approval)
    outcome = ET.SubElement(made, "skipped" if approval else "failure", {"message": said, "type": "policy/weakened"})
    outcome.text = "\n".join([*gate.weaker(differences), said])


def _count(suite: ET.Element) -> None:
    suite.set("tests", str(len(suite.findall("testcase"))))
    for attribute, tag in TAGS.items():
        suite.set(attribute, str(len(suite.findall(f"testcase/{tag}"))))


def _sum(root: ET.Element) -> None:
    for attribute in ("tests", *TAGS):
        root.set(attribute, str(sum(int(suite.get(attribute, "0")) for suite in root)))
