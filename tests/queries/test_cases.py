"""The shared query cases: every stated verdict, by the whole audit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

from auditor.queries import audit_queries
from tests.queries.cases import FILE, cases, log, policy, table

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the shared vectors are not beside the project")


def _checks(mode: str) -> list[Any]:
    return [
        pytest.param(case, check, id=f"{case['id']}-{i}")
        for case in cases()
        for i, check in enumerate(case["checks"])
        if check["mode"] == mode
    ]


def _number(value: Any) -> Fraction:
    return Fraction(value["num"], value["den"]) if isinstance(value, dict) else Fraction(value)


def _compromised(check: dict[str, Any]) -> set[tuple[int, Fraction, str]]:
    """Record, value and first query of every disclosure that a case states."""
    return {(c["record"], _number(c["value"]), c["first_after"].removeprefix("q")) for c in check["compromised"]}


@pytest.mark.parametrize(("case", "check"), _checks("full_disclosure"))
def test_full_disclosure(case: dict[str, Any], check: dict[str, Any]) -> None:
    found = audit_queries(log(case), policy(case), table(case))
    exact = [d for d in found.disclosures if d.kind == "exact-value"]
    assert {(d.records[0], Fraction(d.low), d.first_query) for d in exact} == _compromised(check)
    assert found.verdict == ("fail" if check["verdict"] == "compromised" else "pass")
    answers = {str(i): _number(q["answer"]) for i, q in enumerate(case["queries"], 1)}
    for each in exact:
        assert sum(Fraction(y) * answers[index] for index, y in each.certificate.items()) == Fraction(each.low)


@pytest.mark.parametrize(("case", "check"), _checks("group_disclosure"))
def test_group_disclosure(case: dict[str, Any], check: dict[str, Any]) -> None:
    found = audit_queries(log(case), policy(case, min_group=check["min_group_size"]), table(case))
    groups = {frozenset(d.records) for d in found.disclosures if d.kind == "group"}
    assert groups == {frozenset(group) for group in check["minimal_groups"] if len(group) > 1}


@pytest.mark.parametrize(("case", "check"), _checks("query_set_size_control"))
def test_query_set_size(case: dict[str, Any], check: dict[str, Any]) -> None:
    limit = {"min": check["k"], "both_ends": True}
    found = audit_queries(log(case), policy(case, query_set_size=limit), table(case))
    sizes = [(q.query_set, "query-set-size" not in q.violations) for q in found.queries]
    assert sizes == [(each["size"], each["allowed"]) for each in check["per_query"]]


@pytest.mark.parametrize(("case", "check"), _checks("max_min_exact"))
def test_extremes(case: dict[str, Any], check: dict[str, Any]) -> None:
    assume = {"equal_values": "allowed" if check["duplicates_allowed"] else "distinct"}
    found = audit_queries(log(case), policy(case, assume=assume), table(case))
    exact = {
        (r, Fraction(d.low), d.first_query) for d in found.disclosures for r in d.records if d.kind == "exact-value"
    }
    assert exact == {
        (c["record"], _number(c["value"]), c["first_after"].removeprefix("q")) for c in check["compromised"]
    }
    assert found.verdict == ("fail" if check["verdict"] == "compromised" else "pass")


@pytest.mark.parametrize(("case", "check"), _checks("interval"))
def test_intervals(case: dict[str, Any], check: dict[str, Any]) -> None:
    ends = [check["domain"]["min"], check["domain"]["max"]]
    for rule in check["rules"]:
        limits = policy(case, interval={"min_width": rule["min_width"]}, attribute={"type": "number", "range": ends})
        found = audit_queries(log(case), limits, table(case))
        narrow = {record: (d.low, d.high) for d in found.disclosures if d.kind == "interval" for record in d.records}
        expected = {each["record"]: (each["low"], each["high"]) for each in check["intervals"]}
        assert narrow == {record: expected[record] for record in rule["breached_records"]}


def test_a_person_of_several_records_is_disclosed_by_their_sum() -> None:
    table = pd.DataFrame(
        {"id": [1, 2, 3, 4, 5], "who": ["a", "a", "b", "c", "d"], "dept": list("xxxyy"), "cost": [10, 20, 30, 40, 50]}
    )
    limits = {"exact_value": "deny"}
    rules = {
        "version": 1,
        "name": "persons",
        "unit": "who",
        "attributes": {"id": "insensitive", "who": "pseudonym", "dept": "quasi-identifier", "cost": "sensitive"},
        "queries": {"key": "id", "limits": limits},
    }
    asked = ["SELECT SUM(cost) FROM data WHERE dept = 'x'", "SELECT SUM(cost) FROM data WHERE dept = 'x' AND id <= 2"]
    (person, other) = sorted(audit_queries(asked, rules, table).disclosures, key=lambda d: d.kind)
    assert (other.kind, other.records, other.low, other.functional) == ("individual", (1, 2), 30, "total")
    assert (person.kind, person.records, person.low) == ("exact-value", (3,), 30)
    assert other.certificate == {"2": "1"}


def test_sums_and_maxima_together_determine_what_neither_does_alone() -> None:
    table = pd.DataFrame({"id": [1, 2, 3], "x": [9, 1, 4]})
    attributes = {"id": "insensitive", "x": {"role": "sensitive", "type": "number", "range": [0, 100]}}
    assume = {"equal_values": "allowed"}
    rules = {
        "version": 1,
        "name": "mixed",
        "attributes": attributes,
        "queries": {"key": "id", "assume": assume, "limits": {"exact_value": "deny"}},
    }
    both = ["SELECT SUM(x) FROM data WHERE id <= 2", "SELECT MAX(x) FROM data WHERE id <= 2"]
    assert audit_queries(both, rules, table).verdict == "pass"  # 9 + 1 or 1 + 9
    third = [*both, "SELECT MAX(x) FROM data WHERE id >= 2"]
    found = audit_queries(third, rules, table).disclosures
    assert {(record, d.low) for d in found for record in d.records} == {(1, 9), (2, 1), (3, 4)}
