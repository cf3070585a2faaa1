"""From the data to every format: what stands in a table's cells reaches no reader but the internal one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check
from auditor.policy.queries import Limits
from auditor.queries import Statement, audit_queries
from auditor.report import redact, render
from auditor.report.rendered import FORMATS
from auditor.result import Audience, Kind
from auditor.spec import limits

POLICY = {
    "version": 1,
    "name": "secrets",
    "attributes": {
        "name": "identifier",
        "age": "quasi-identifier",
        "zip": "quasi-identifier",
        "diagnosis": "sensitive",
        "cost": {"role": "sensitive", "type": "number"},
    },
    "requirements": [
        {"model": "k-anonymity", "k": 3},
        {"model": "distinct-l-diversity", "sensitive": "diagnosis", "l": 2},
        {"model": "t-closeness", "sensitive": "cost", "t": 0.1},
        {"model": "allowed-values", "attribute": "zip", "pattern": "[0-9]+"},
    ],
}

tokens = st.text("QXZJKVW", min_size=9, max_size=12).map(lambda letters: f"SECRET{letters}")
costs = st.integers(10**11, 10**12)
rows = st.lists(st.tuples(tokens, tokens, tokens, tokens, costs), min_size=1, max_size=12)


@pytest.mark.slow
@settings(max_examples=15)
@given(rows, st.booleans())
def test_no_cell_of_the_table_reaches_the_reviewer_or_the_public(
    records: list[tuple[str, str, str, str, int]], repeat: bool
) -> None:
    table = pd.DataFrame(records * (1 + 3 * repeat), columns=["name", "age", "zip", "diagnosis", "cost"])
    result = check(table, POLICY, expose=True)
    needles = {str(cell) for record in records for cell in record} | {f"{record[4]:,}" for record in records}
    for audience in (Audience.REVIEWER, Audience.PUBLIC):
        for format_ in FORMATS:
            text = render(redact(result, audience), format_)
            assert not [needle for needle in needles if needle in text], (audience, format_)


def test_the_test_above_can_fail() -> None:
    table = pd.DataFrame([("a", "SECRETAGE", "1", "flu", 10**11)], columns=["name", "age", "zip", "diagnosis", "cost"])
    assert "SECRETAGE" in render(redact(check(table, POLICY, expose=True), Audience.INTERNAL), "html")


QUERIES = {
    "version": 1,
    "name": "secrets",
    "attributes": {
        "name": "identifier",
        "dept": "quasi-identifier",
        "zip": "quasi-identifier",
        "diagnosis": "sensitive",
        "cost": {"role": "sensitive", "type": "number"},
    },
    "queries": {"table": "staff", "key": "name", "limits": {"min_group": 3, "query_set_size": {"min": 2}}},
}


def log_of(records: list[tuple[str, str, str, str, int]], literal: str) -> list[Statement]:
    """Every way in which a log can hold a value: literals, aliases, groups, categories, answers, what is not read."""
    dept, diagnosis = records[0][1], records[0][3]
    asked = [
        "SELECT sum(cost), count(*) FROM staff",
        f"SELECT sum(cost) FROM staff WHERE dept <> '{dept}'",
        f"SELECT sum(cost) AS \"{literal}\" FROM staff WHERE zip <> '{literal}'",
        "SELECT dept, avg(cost) FROM staff GROUP BY dept",
        "SELECT max(cost) FROM staff",
        f"SELECT count(*) FROM staff WHERE diagnosis = '{diagnosis}'",
        f"SELECT count(*) FROM staff WHERE diagnosis = '{diagnosis}' AND dept = '{dept}'",
        f"SELECT cost FROM staff WHERE dept = '{literal}'",
        f"SELECT {literal}(cost) FROM staff",
        f"SELECT sum({literal}) FROM staff WHERE '{literal}' = dept",
        f"'{literal}",
    ]
    statements = [Statement(i, sql, user="ana", parameters=(literal,)) for i, sql in enumerate(asked, start=1)]
    total = sum(record[4] for record in records)
    return [replace(statements[0], answer=f"{total}"), *statements[1:-1], replace(statements[-1], failed=True)]


@pytest.mark.slow
@settings(max_examples=15)
@given(rows, tokens)
def test_no_value_of_the_table_or_the_log_reaches_the_reviewer_or_the_public(
    records: list[tuple[str, str, str, str, int]], literal: str
) -> None:
    records = [(f"{record[0]}{i}", *record[1:]) for i, record in enumerate(records)]
    table = pd.DataFrame(records, columns=["name", "dept", "zip", "diagnosis", "cost"])
    result = audit_queries(log_of(records, literal), QUERIES, table)
    assert result.disclosures
    needles = {str(cell) for record in records for cell in record} | {f"{record[4]:,}" for record in records}
    needles |= {literal, str(sum(record[4] for record in records)), f"{sum(record[4] for record in records):,}"}
    for audience in (Audience.REVIEWER, Audience.PUBLIC):
        for format_ in FORMATS:
            text = render(redact(result, audience), format_)
            assert not [needle for needle in needles if needle in text], (audience, format_)
    assert literal in render(redact(result, Audience.INTERNAL), "html")


@pytest.mark.parametrize("path", [path for path, limit in limits(Limits).items() if limit.kind is not Kind.TRUTH])
def test_a_secret_limit_of_a_log_is_shown_to_nobody(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUND", "4711")
    asked: Any = {"secret": "BOUND"}
    for name in reversed(path.split("/")):
        asked = {name: asked}
    policy = {**QUERIES, "queries": {"table": "staff", "key": "name", "limits": asked}}
    staff = [(f"n{i}", "d", "z", "flu", i) for i in range(5)]
    table = pd.DataFrame(staff, columns=["name", "dept", "zip", "diagnosis", "cost"])
    result = audit_queries(["SELECT sum(cost) FROM staff"], policy, table)
    for format_ in FORMATS:
        text = render(redact(result, Audience.INTERNAL), format_)
        assert "4711" not in text
        assert "4,711" not in text
    (found,) = [each for each in result.requirements if each.id != "queries-exact-value"]
    assert (found.bound, found.achieved) == ("confidential", None)
