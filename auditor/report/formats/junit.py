"""JUnit XML: one test case per check, for continuous-integration systems that count tests."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from auditor.report.page import Check, Page, Suite

ABOUT = "continuous integration that counts tests: one test case per requirement"
ENDING = ".xml"
MEDIA_TYPE = "application/xml"
NEEDS = "suites"
TAGS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def write(page: Page) -> str:
    """A ``testsuites`` document; not-evaluated is an error, waived is skipped, a warning is said in the output."""
    root = ET.Element("testsuites", {"name": page.NAME, **_counts(page.suites)})
    for suite in page.suites:
        _suite(root, suite)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _counts(suites: tuple[Suite, ...]) -> dict[str, str]:
    outcomes = [check.outcome and check.outcome.tag for suite in suites for check in suite.checks]
    counts = {"tests": len(outcomes), **{name: outcomes.count(tag) for name, tag in TAGS.items()}}
    return {name: str(count) for name, count in counts.items()}


def _suite(root: ET.Element, suite: Suite) -> None:
    made = ET.SubElement(root, "testsuite", {"name": suite.name, "time": "0", **_counts((suite,))})
    properties = ET.SubElement(made, "properties") if suite.properties else made
    for key, value in suite.properties:
        ET.SubElement(properties, "property", {"name": key, "value": value})
    for check in suite.checks:
        _case(made, check)


def _case(suite: ET.Element, check: Check) -> None:
    at = {"file": check.place.file, "line": str(check.place.line)} if check.place else {}
    made = ET.SubElement(suite, "testcase", {"classname": check.group, "name": check.name, "time": "0", **at})
    if check.outcome is None:
        return
    told = {"message": check.outcome.message, "type": check.outcome.type}
    attributes = {name: value for name, value in told.items() if value}
    ET.SubElement(made, check.outcome.tag, attributes).text = check.outcome.text
