"""No page that the public reads of a query log depends on a small query set: over every limit there is."""

from __future__ import annotations

import pandas as pd
import pytest
import yaml

from auditor.policy.queries import Limits
from auditor.queries import Statement, audit_queries
from auditor.report import redact, render
from auditor.report.redact import threshold
from auditor.result import Audience
from auditor.result.queries import QueriesResult
from auditor.spec import limits
from tests.report.test_outputs_redacted import CHANCE

SIZES = (1, 2, 3)
"""How many people are in the small ward."""
LOGS: dict[str, list[str]] = {
    "an average": ["SELECT avg(pay) FROM staff WHERE ward = 'a'"],
    "sums that are divided": [f"SELECT sum(pay) / {n} FROM staff WHERE ward = 'a'" for n in (2, 3)],
    "averages of groups": ["SELECT ward, avg(pay) FROM staff GROUP BY ward"],
    "several numbers of groups": ["SELECT ward, count(*), sum(pay), avg(pay), max(pay) FROM staff GROUP BY ward"],
    "a difference": ["SELECT sum(pay) FROM staff", "SELECT sum(pay) FROM staff WHERE ward <> 'a'"],
    "a group of each person": ["SELECT id_number, count(*) FROM staff WHERE ward = 'a' GROUP BY id_number"],
    "a sum of each person": [
        "SELECT id_number, sum(pay) FROM staff WHERE ward = 'a' GROUP BY id_number",
        "SELECT sum(pay) FROM staff WHERE ward = 'a'",
    ],
    "a difference of averages": [
        "SELECT avg(pay) FROM staff WHERE ward <> 'c'",
        "SELECT ward, avg(pay) FROM staff WHERE ward <> 'c' GROUP BY ward",
    ],
}
DEMANDS = {path: limit.example for path, limit in limits(Limits).items()}
"""The example of each limit."""


def staff(small: int) -> pd.DataFrame:
    """300 people, `small` of them in a ward of their own, 100 in that and the next."""
    wards = ["a"] * small + ["b"] * (100 - small) + ["c"] * 200
    pay = [1000 + n * 37 % 211 for n in range(300)]
    return pd.DataFrame({"id": range(300), "id_number": range(300), "ward": wards, "pay": pay})


def audit(example: str, sqls: list[str], small: int, *, online: bool) -> QueriesResult:
    """The audit of a log under one limit, with statements by turns of two users."""
    attributes = {"id": "identifier", "id_number": "quasi-identifier", "ward": "quasi-identifier"}
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {**attributes, "pay": {"role": "sensitive", "type": "number"}},
        "queries": {"table": "staff", "key": "id", **yaml.safe_load(example)},
    }
    log = [Statement(n, sql, "uv"[n % 2]) for n, sql in enumerate(sqls, 1)]
    return audit_queries(log, policy, staff(small), online=online)


def verdicts(result: QueriesResult) -> str:
    """What is a fact for everybody: what became of each limit and query, and how the first disclosures are made."""
    found = dict.fromkeys((each.kind, each.attribute, each.functional) for each in result.disclosures)
    queries = dict.fromkeys((query.statement, query.decision, query.violations) for query in result.queries)
    return str(([each.status for each in result.requirements], list(found), list(queries)))


def page(result: QueriesResult) -> str:
    """Everything that the public reads: the document and a report."""
    seen = redact(result, Audience.PUBLIC)
    return CHANCE.sub("", str({**seen.to_dict(), "work": None}) + render(seen, "text"))


@pytest.mark.parametrize(("path", "online"), [*((path, False) for path in DEMANDS), ("query_set_size/min", True)])
def test_what_the_public_reads_does_not_depend_on_a_small_query_set(path: str, online: bool) -> None:
    """Pages of 1, 2 and 3 people with the same verdicts are the same, in every word and number."""
    compared = 0
    for name, sqls in LOGS.items():
        pages: dict[str, list[str]] = {}
        for small in SIZES:
            result = audit(DEMANDS[path], sqls, small, online=online)
            if small < threshold(result):
                pages.setdefault(verdicts(result), []).append(page(result))
        for same in pages.values():
            compared += len(same) - 1
            assert all(each == same[0] for each in same), name
    assert compared


@pytest.mark.parametrize("log", LOGS)
def test_nor_does_its_html_page(log: str) -> None:
    pages: dict[str, list[str]] = {}
    for small in SIZES:
        result = audit("limits: {query_set_size: {min: 5}}", LOGS[log], small, online=False)
        html = CHANCE.sub("", render(redact(result, Audience.PUBLIC), "html"))
        pages.setdefault(verdicts(result), []).append(html)
    assert max(map(len, pages.values())) > 1
    assert all(each == same[0] for same in pages.values() for each in same)


@pytest.mark.parametrize("log", ["an average", "averages of groups", "a group of each person"])
def test_the_laws_above_can_fail(log: str) -> None:
    shown = [redact(audit(DEMANDS["min_group"], LOGS[log], n, online=False), Audience.REVIEWER) for n in (1, 2)]
    assert len({str(each.to_dict()["queries"]) for each in shown}) == 2


def test_groups_of_enough_people_stay_public() -> None:
    """Of a large log the public page keeps the groups, their sizes and their number."""
    log = ["SELECT ward, avg(pay) FROM staff WHERE ward <> 'a' GROUP BY ward"]
    seen = redact(audit(DEMANDS["query_set_size/min"], log, 20, online=False), Audience.PUBLIC).to_dict()
    told = [(query["index"], query["query_set"], query["aggregate"]) for query in seen["queries"]]
    assert told == [("1.1", 80, "average of pay"), ("1.2", 200, "average of pay")]
    assert seen["structural"]["queries"] == seen["coverage"][0]["queries"] == 2


def test_a_combination_of_folded_queries_names_them_once() -> None:
    """In the sum of everybody less that of each of two people, no coefficient counts them."""
    log = ["SELECT sum(pay) FROM staff WHERE ward = 'a'", "SELECT id_number, sum(pay) FROM staff GROUP BY id_number"]
    result = audit(DEMANDS["min_group"], log, 2, online=False)
    seen = redact(result, Audience.PUBLIC).to_dict()
    assert len(result.queries) == 301
    assert [query["index"] for query in seen["queries"]] == ["1", "2.*"]
    assert {name for each in seen["disclosures"] for name in each["follows_from"]} <= {"1", "2.*"}
    assert seen["coverage"][0]["queries"] == 1
