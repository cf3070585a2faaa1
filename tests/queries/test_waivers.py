"""Waivers of the limits of a log: by the id that results print, as far as the bound that they leave."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from auditor.errors import PolicyError
from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.queries import QueryAudit, audit_queries
from auditor.result import Status, Strictness, Verdict

DAY = date(2026, 11, 22)
STAFF = pd.DataFrame(
    [(f"s{i}", "Legal" if i < 6 else "Sales", "F" if i % 3 == 0 else "M", 40_000 + 137 * i * i) for i in range(12)],
    columns=["id", "dept", "sex", "salary"],
)
"""Legal: s0 and s3 are women, s1, s2, s4, s5 men; Sales: s6 and s9, and s7, s8, s10, s11."""
LIMITS = {"exact_value": "deny", "min_group": 3, "query_set_size": {"min": 3, "both_ends": True}, "max_overlap": 6}
TWO = [
    "SELECT sum(salary) FROM staff WHERE dept = 'Legal'",
    "SELECT sum(salary) FROM staff WHERE dept = 'Legal' AND sex = 'M'",
]
"""Their difference is the sum of the two women of Legal; the sets have 6 and 4 members, and share 4."""
ONE = [*TWO, "SELECT sum(salary) FROM staff WHERE dept = 'Legal' AND id <> 's0' AND sex = 'F'"]


def policy(*waivers: dict[str, Any], **limits: Any) -> dict[str, Any]:
    attributes = {"id": "quasi-identifier", "dept": "quasi-identifier", "sex": "quasi-identifier"}
    return {
        "version": 1,
        "name": "staff",
        "attributes": {**attributes, "salary": {"role": "sensitive", "type": "number"}},
        "queries": {"table": "staff", "key": "id", "limits": {**LIMITS, **limits}},
        "waivers": list(waivers),
    }


def waiver(requirement: str = "queries-group", **more: Any) -> dict[str, Any]:
    person = {"owner": "ana", "approved_by": "dpo", "reason": "agreed with the works council"}
    return {"requirement": requirement, "expires": "2027-01-31", **person, **more}


def judged(log: list[str], *waivers: dict[str, Any]) -> QueryAudit:
    return audit_queries(log, policy(*waivers), STAFF, as_of=DAY, release="north")


def status(result: QueryAudit, name: str = "queries-group") -> Status:
    (found,) = [each for each in result.requirements if each.id == name]
    assert (found.waiver is not None) is (found.status is Status.WAIVED)
    return found.status


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((), Status.FAIL),
        ((waiver(at_least={"min_group": 2}),), Status.WAIVED),
        ((waiver(at_least={"min_group": 3}),), Status.FAIL),
        ((waiver(),), Status.WAIVED),
        ((waiver(expires="2026-11-21"),), Status.FAIL),
        ((waiver(approved_by="Ana"),), Status.FAIL),
        ((waiver(scope={"releases": ["north"]}),), Status.WAIVED),
        ((waiver(scope={"releases": ["south"]}),), Status.FAIL),
        ((waiver("queries-overlap", at_least={"max_overlap": 9}),), Status.FAIL),
    ],
    ids=["none", "within", "beyond", "off", "lapsed", "own", "its release", "other release", "another limit"],
)
def test_a_waiver_excuses_what_its_bound_allows_and_is_never_a_pass(given: Any, expected: Status) -> None:
    result = judged(TWO, *given)
    assert status(result) is expected
    assert result.verdict is (Verdict.WAIVED if expected is Status.WAIVED else Verdict.FAIL)
    assert not result.passed
    assert status(result, "queries-exact-value") is Status.PASS


def test_a_group_of_two_is_waived_and_the_value_of_one_is_not() -> None:
    """A value that follows is about a group of one, whatever else is excused."""
    result = judged(ONE, waiver(at_least={"min_group": 2}))
    assert status(result) is Status.FAIL
    assert status(result, "queries-exact-value") is Status.FAIL
    both = judged(ONE, waiver(), waiver("queries-exact-value"), waiver("queries-query-set-size", at_least={"min": 1}))
    assert both.verdict is Verdict.WAIVED
    assert sorted({(each.requirement, each.level) for each in both.findings}) == [
        ("queries-exact-value", "error"),  # its waiver leaves no bound standing
        ("queries-exact-value", "warning"),  # what it excuses
        ("queries-group", "error"),
        ("queries-group", "warning"),
        ("queries-query-set-size", "warning"),
    ]


def test_a_size_is_excused_at_the_end_that_it_breaks() -> None:
    """One query leaves out a single record: the least size of 2 is broken at the upper end."""
    but_one = ["SELECT sum(salary) FROM staff WHERE id <> 's0'"]
    name = "queries-query-set-size"
    assert status(judged(but_one), name) is Status.FAIL
    assert status(judged(but_one, waiver(name, at_least={"min": 2})), name) is Status.FAIL
    assert status(judged(but_one, waiver(name, at_least={"min": 1})), name) is Status.WAIVED


def test_a_waiver_answers_nothing_that_was_denied() -> None:
    result = audit_queries(TWO, policy(waiver()), STAFF, as_of=DAY, online=True)
    assert [query.decision for query in result.queries] == ["answer", "deny"]
    assert status(result) is Status.FAIL


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (waiver("queries-groups"), "did you mean 'queries-group'"),
        (waiver(at_least={"k": 2}), "has no parameter 'k'"),
        (waiver(at_least={"max_overlap": 9}), "has no parameter 'max_overlap'"),
        (waiver(at_least={"min_group": 0}), "is not a value of that parameter"),
        (waiver("queries-interval"), "no requirement is called"),
    ],
)
def test_a_waiver_of_a_limit_that_is_not_set_is_an_error(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        load_policy(policy(wrong))


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ((), (waiver(at_least={"min_group": 2}),), Strictness.WEAKER),
        ((waiver(at_least={"min_group": 1}),), (waiver(at_least={"min_group": 2}),), Strictness.STRICTER),
        ((waiver(at_least={"min_group": 2}),), (waiver(at_least={"min_group": 1}),), Strictness.WEAKER),
        ((waiver(),), (), Strictness.STRICTER),
    ],
    ids=["one more", "tightened", "loosened", "gone"],
)
def test_waivers_of_a_limit_are_ordered(old: Any, new: Any, verdict: Strictness) -> None:
    assert compare(load_policy(policy(*old)), load_policy(policy(*new))).verdict is verdict
