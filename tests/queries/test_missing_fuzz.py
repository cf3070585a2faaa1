"""Whose values are missing is hidden: random statements with weights, CASE and conditions, against every table.

DuckDB answers each statement on every table that the policy allows; those that give the answers of the true one are
what an attacker has left. What is the same in all of them is disclosed, and no verdict of "pass" may overlook it.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.queries import QueryAudit, QueryAuditor, Statement, audit_queries

N = 3
WEIGHTS = (0, 1, -1)
"""The public column h of the three records."""
VALUES = (None, 0, 1, 2)
TRUTHS = (None, True, False)
World = tuple[tuple[int | None, ...], tuple[bool | None, ...]]
"""x and b of each record."""
WORLDS: list[World] = [(x, b) for x in product(VALUES, repeat=N) for b in product(TRUTHS, repeat=N)]

INNER = (
    "x", "0 * x", "x - x", "x * h", "x * h * h", "2 * x", "-x", "x + 1", "0 * x + 1", "x * h + h", "x + x * h",
    "CASE WHEN h = 0 THEN x ELSE 0 END", "CASE WHEN h = 0 THEN x END", "CASE WHEN h = 1 THEN x ELSE 7 END",
    "CASE WHEN h = 0 THEN 0 * x ELSE x END", "COALESCE(x, 0)", "0 * COALESCE(x, 0)", "NULLIF(h, 0) * x",
    "CASE WHEN h = 1 THEN x ELSE 7 END + x", "COALESCE(CASE WHEN h = 0 THEN x END, 0)",
    "h", "0", "CASE WHEN b THEN 1 ELSE 0 END", "CASE WHEN b THEN 1 END", "CASE WHEN b THEN h END",
    "CASE WHEN NOT b THEN 0 END", "CASE WHEN b IS NULL THEN 1 END", "CASE WHEN b THEN 1 ELSE -1 END", "b::INT",
)  # fmt: skip
FUNCTIONS = ("SUM", "SUM", "SUM", "COUNT", "MAX", "MIN", "AVG")
OUTER = ("{}", "{}", "{}", "{}", "0 * {}", "{} - {}", "2 * {} + 1", "COALESCE({}, 5)", "{} + COUNT(*)")
CONDITIONS = ("TRUE", "h = 0", "h <> 0", "h > 0", "id < 2", "id = 2", "b", "NOT b AND id < 2", "b IS NULL")

asked = st.builds(
    lambda function, inner, outer, condition: (outer.replace("{}", f"{function}({inner})"), condition),
    st.sampled_from(FUNCTIONS),
    st.sampled_from(INNER),
    st.sampled_from(OUTER),
    st.sampled_from(CONDITIONS),
)
worlds = st.tuples(
    st.tuples(*[st.sampled_from(VALUES)] * N),
    st.tuples(*[st.sampled_from(TRUTHS)] * N),
)


@pytest.fixture(scope="module")
def every_world() -> Any:
    """A database of every table."""
    rows = [(w, i, WEIGHTS[i], x[i], b[i]) for w, (x, b) in enumerate(WORLDS) for i in range(N)]
    database = duckdb.connect()
    frame = pd.DataFrame(rows, columns=["world", "id", "h", "x", "b"]).astype({"x": "Int64", "b": "boolean"})
    database.register("given", frame)
    database.execute("CREATE TABLE worlds AS SELECT world, id, h, x::BIGINT AS x, b::BOOLEAN AS b FROM given")
    yield database
    database.close()


def _answers(database: Any, what: str, condition: str) -> list[Any]:
    """What a statement answers in every world."""
    sql = f"SELECT (SELECT {what} FROM worlds t WHERE t.world = w.world AND {condition}) "
    found = database.execute(sql + "FROM (SELECT DISTINCT world FROM worlds) w ORDER BY w.world").fetchall()
    return [answer for (answer,) in found]


def _disclosed(database: Any, truth: World, log: list[tuple[str, str]], of: Any = None) -> set[Any]:
    """The cells that are the same in every world with these answers."""
    at = WORLDS.index(truth)
    left = set(range(len(WORLDS)))
    for what, condition in log:
        answers = _answers(database, what, condition)
        left = {world for world in left if answers[world] == answers[at]}
    return {
        (record, "xb"[column])
        for column in range(2)
        for record in range(N)
        if len({WORLDS[world][column][record] for world in left}) == 1
    }


def _policy() -> dict[str, Any]:
    whole = {"role": "sensitive", "type": "integer", "range": [0, 2]}
    attributes = {"id": "insensitive", "h": "insensitive", "x": whole, "b": {"role": "sensitive", "type": "boolean"}}
    assume = {"null_is_public": False, "equal_values": "allowed"}
    queries = {"table": "t", "key": "id", "assume": assume}
    return {"version": 1, "name": "fuzz", "attributes": attributes, "queries": queries}


def _table(truth: World) -> pd.DataFrame:
    columns = {"x": pd.array(truth[0], dtype="Int64"), "b": pd.array(truth[1], dtype="boolean")}
    return pd.DataFrame({"id": range(N), "h": WEIGHTS, **columns})


def _audited(truth: World, log: list[tuple[str, str]]) -> QueryAudit:
    statements = [Statement(i, f"SELECT {what} FROM t WHERE {where}") for i, (what, where) in enumerate(log, 1)]
    return audit_queries(statements, _policy(), _table(truth))


@pytest.mark.slow
@given(truth=worlds, log=st.lists(asked, min_size=1, max_size=4))
@settings(deadline=None, max_examples=60)
def test_no_pass_overlooks_what_is_the_same_in_every_table(every_world: Any, truth: World, log: Any) -> None:
    audit = _audited(truth, log)
    read = [each for number, each in enumerate(log, 1) if not _unread(audit, number)]
    disclosed = _disclosed(every_world, truth, read)
    if len(read) < len(log):
        assert audit.verdict != "pass"
    assert not disclosed or audit.verdict != "pass", disclosed


def _unread(audit: QueryAudit, statement: int) -> bool:
    return any(query.decision == "unsupported" for query in audit.queries if query.statement == statement)


# What nobody contributes to, by hand

HIDDEN = {"null_is_public": False, "equal_values": "allowed"}
STAFF = pd.DataFrame({
    "id": range(6),
    "ward": list("AAABBB"),
    "h": [0, 0, 0, 4, 5, 6],
    "b": [True, True, True, False, True, False],
    "x": [5, None, None, 3, None, 8.5],
})  # fmt: skip


def _of_staff(*log: str, assume: Any = None) -> QueryAudit:
    attributes = {
        **dict.fromkeys(("id", "ward", "h"), "insensitive"),
        "b": {"role": "sensitive", "type": "boolean"},
        "x": {"role": "sensitive", "type": "number"},
    }
    queries = {"table": "t", "key": "id", "assume": assume or {}}
    return audit_queries(
        list(log), {"version": 1, "name": "staff", "attributes": attributes, "queries": queries}, STAFF
    )


def _told(audit: QueryAudit) -> set[Any]:
    return {(each.attribute, each.records) for each in audit.disclosures}


@pytest.mark.parametrize(
    "what",
    [
        *("sum(0 * x)", "sum(x - x)", "sum(x * h)", "0 * sum(x)", "sum(x) - sum(x)"),
        *("sum(CASE WHEN h = 0 THEN 0 * x END)", "sum(0 * x + 1)", "sum(x + 1) - sum(x)"),
    ],
)
def test_null_says_that_nobody_selected_has_a_value_whatever_the_weights(what: str) -> None:
    """Records 1 and 2 have no value, and h = 0: each of these sums is NULL for that reason alone."""
    audit = _of_staff(f"SELECT {what} FROM t WHERE id IN (1, 2)", assume=HIDDEN)
    assert audit.verdict == "fail"
    assert _told(audit) == {("x", (1, 2))}
    assert _of_staff(f"SELECT {what} FROM t WHERE id < 3", assume=HIDDEN).verdict == "pass", "record 0 has a value"


@pytest.mark.parametrize("what", ["sum(0 * x)", "sum(x - x) + count(*)", "sum(x * h)", "COALESCE(0 * sum(x), 1)"])
def test_a_sum_of_one_record_that_is_not_null_says_that_it_has_a_value(what: str) -> None:
    """Record 0 has a value, and h = 0: whatever the value is, these sums tell that it is there."""
    audit = _of_staff(f"SELECT {what} FROM t WHERE id = 0", assume=HIDDEN)
    assert audit.verdict == "fail"
    assert [(each.records, each.low) for each in audit.disclosures] == [((0,), 1)]
    knowing = {**HIDDEN, "insiders": {"zoe": ["1", "2"]}}
    assert _of_staff(f"SELECT {what} FROM t WHERE id < 3", assume=knowing).verdict == "fail", "1 and 2 have none"
    assert _of_staff(f"SELECT {what} FROM t WHERE id < 3", assume={}).verdict == "pass", "who has one is public"


@pytest.mark.parametrize("what", ["sum(0 * x)", "sum(x - x) + count(*)", "0 * sum(x)"])
def test_how_many_have_a_value_joins_that_a_sum_of_weight_0_is_not_null(what: str) -> None:
    """One of records 0 to 2 has a value, and one of 0 and 1 has: record 2 has none."""
    count, somebody = "SELECT count(x) FROM t WHERE id < 3", f"SELECT {what} FROM t WHERE id < 2"
    assert _of_staff(count, assume=HIDDEN).verdict == "pass"
    assert _of_staff(somebody, assume=HIDDEN).verdict == "pass"
    audit = _of_staff(count, somebody, assume=HIDDEN)
    assert audit.verdict == "fail"
    assert [(each.records, each.low, each.follows_from) for each in audit.disclosures] == [((2,), 0, ("1", "2"))]


def test_a_sum_of_which_somebody_is_a_part_for_sure_is_never_null() -> None:
    for what in ("0 * COALESCE(x, 0)", "CASE WHEN id = 1 THEN 0 * x ELSE 0 END"):
        assert _of_staff(f"SELECT sum({what}) FROM t WHERE id IN (1, 2)", assume=HIDDEN).verdict == "pass"


def test_a_public_part_of_a_sum_is_missing_with_the_value() -> None:
    """x + 1 of records 0 to 2 is 6, for only record 0 has a value; who knows that one has, knows 1 and 2 have none."""
    ranged = {**HIDDEN, "insiders": {"zoe": ["0"]}}
    audit = _of_staff("SELECT sum(x + 1) FROM t WHERE id < 3", "SELECT sum(x) FROM t WHERE id < 3", assume=ranged)
    assert audit.queries[0].answer == 6
    assert audit.verdict != "pass"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ward, b FROM t GROUP BY ward, b",
        "SELECT ward FROM t WHERE NOT b GROUP BY ward",
        "SELECT ward, sum(0) FROM t WHERE NOT b GROUP BY ward",
        "SELECT ward, b, 0 * count(*) FROM t GROUP BY ward, b",
        "SELECT sum(0) FROM t WHERE NOT b AND ward = 'A'",
        "SELECT sum(CASE WHEN NOT b THEN h END) FROM t WHERE ward = 'A'",
    ],
)
def test_a_group_that_is_not_in_the_result_says_that_nobody_is_in_it(sql: str) -> None:
    """All three of ward A have b: no row, or NULL, for those who do not."""
    audit = _of_staff(sql)
    assert audit.verdict == "fail"
    assert {records for _, records in _told(audit)} == {(0, 1, 2)}


def test_a_sum_of_0_that_is_not_null_says_that_somebody_contributes() -> None:
    assert _of_staff("SELECT sum(h) FROM t WHERE b AND ward = 'A'").verdict == "not-evaluated"
    assert _of_staff("SELECT sum(1) FROM t WHERE b AND ward = 'B'").verdict == "pass", "one of three"


@pytest.mark.parametrize(
    ("sql", "assume"),
    [
        ("SELECT sum(0 * x) FROM t", HIDDEN),
        ("SELECT sum(0) FROM t WHERE b", {}),
        ("SELECT ward, b FROM t GROUP BY ward, b", {}),
    ],
)
def test_online_no_question_is_answered_whose_answer_might_be_null(sql: str, assume: Any) -> None:
    policy = {
        "version": 1,
        "name": "staff",
        "attributes": {
            **dict.fromkeys(("id", "ward", "h"), "insensitive"),
            "b": {"role": "sensitive", "type": "boolean"},
            "x": {"role": "sensitive", "type": "number"},
        },
        "queries": {"table": "t", "key": "id", "assume": assume},
    }
    with QueryAuditor(STAFF, policy) as auditor:
        assert auditor.decide(sql).decision == "deny"


def test_groups_of_nobody_are_no_question() -> None:
    """A GROUP BY without groups asks nothing, offline and online."""
    sql = "SELECT ward, sum(x) FROM t WHERE ward = 'Nowhere' GROUP BY ward"
    audit = _of_staff(sql)
    assert audit.verdict == "pass"
    assert [(query.index, query.decision) for query in audit.queries] == [("1", "answered")]
    online = audit_queries([sql, "SELECT sum(x) FROM t", sql], ONLINE, STAFF, online=True)
    assert [query.decision for query in online.queries] == ["answer"] * 3


ONLINE = {
    "version": 1,
    "name": "staff",
    "attributes": {
        **dict.fromkeys(("id", "ward", "h", "b"), "insensitive"),
        "x": {"role": "sensitive", "type": "number"},
    },
    "queries": {"table": "t", "key": "id"},
}
