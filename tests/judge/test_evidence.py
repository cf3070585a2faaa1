"""The one judge: every combination of evidence, by the order that the documents state."""

from __future__ import annotations

import ast
from datetime import date
from itertools import combinations_with_replacement
from typing import Any

import pytest

from auditor.judge import Evidence, Granted, decided
from auditor.policy import Policy, load_policy
from auditor.policy.waivers import Covered
from auditor.result import RequirementResult, Status
from tests.workshop.pages import ROOT

DAY = date(2027, 1, 15)
HELD = {"requirement": "k", "reason": "small unit", "owner": "Ana", "approved_by": "Bo", "expires": "2027-02-28"}
SUBJECTS = [
    (broken, opened, excused)
    for broken in (False, True)
    for opened in (False, True)
    for excused in ((False, True) if broken else (False,))
]


def policy(**beside: Any) -> Policy:
    return load_policy(
        {
            "name": "p",
            "attributes": {"age": "quasi-identifier"},
            "requirements": [{"id": "k", "model": "k-anonymity", "k": 5}],
            "waivers": [HELD],
            **beside,
        }
    )


def unjudged(severity: str = "error", achieved: float = 3) -> RequirementResult:
    return RequirementResult(
        id="k",
        model="k-anonymity",
        parameters={"k": 5},
        severity=severity,
        status=Status.NOT_EVALUATED,
        achieved=achieved,
        comparison=">=",
        records_violating=3,
    )


def by_the_page(severity: str, found: list[tuple[bool, bool, bool]]) -> str:
    """docs/waivers.md, "Which status a demand has", line by line."""
    if severity == "error" and any(broken and not excused for broken, _, excused in found):
        return "fail"
    if any(opened for _, opened, _ in found):
        return "not-evaluated"
    if not any(broken for broken, _, _ in found):
        return "pass"
    return "warning" if severity == "warning" else "waived"


@pytest.mark.parametrize("severity", ["error", "warning"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_status_is_the_first_line_of_the_page_that_applies(severity: str, number: int) -> None:
    held = policy()
    granted = Granted(held, DAY, (Covered("t.csv", lambda: None),))
    waiver = held.waivers[0]
    for found in combinations_with_replacement(SUBJECTS, number):
        evidence = [Evidence(b, "no time" if o else None, waiver if e else None) for b, o, e in found]
        result = decided(unjudged(severity), evidence, granted)
        assert str(result.status) == by_the_page(severity, list(found)), found
        assert (result.reason == "no time") is (result.status is Status.NOT_EVALUATED)
        assert (result.waiver is not None) is (result.status is Status.WAIVED)
        assert bool(result.notes) is (result.status is Status.FAIL and any(o for _, o, _ in found))


def test_a_known_failure_excuses_what_got_no_worse_and_nothing_that_is_open() -> None:
    known = policy(baseline=[{"requirement": "k", "achieved": {"k": 3}, "records": 3, "expires": "2027-02-28"}])
    granted = Granted(known, DAY, ())
    assert decided(unjudged(), [Evidence(broken=True)], granted).status is Status.WAIVED
    assert decided(unjudged(achieved=2), [Evidence(broken=True)], granted).status is Status.FAIL
    half = [Evidence(broken=True), Evidence(broken=False, open="no time")]
    assert decided(unjudged(), half, granted).status is Status.NOT_EVALUATED


def test_what_cannot_be_read_is_no_breach_and_nothing_excuses_it() -> None:
    found = [Evidence(broken=True)]
    assert decided(unjudged(), found, breach=Status.NOT_EVALUATED).status is Status.NOT_EVALUATED
    assert decided(unjudged("warning"), found, breach=Status.NOT_EVALUATED).status is Status.WARNING


def test_nothing_but_the_judge_gives_a_demand_its_status() -> None:
    """A result is made as not evaluated; `decided` says what becomes of it."""
    given = {
        (file.parent.name, node.attr)
        for file in (ROOT / "auditor").rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        for word in call.keywords
        if word.arg == "status"
        for node in ast.walk(word.value)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Status"
    }
    assert {room for room, status in given if status != "NOT_EVALUATED"} == {"judge"}
