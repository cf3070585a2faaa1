"""Deciding online: what is denied, what a denial tells, and what the ledger remembers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.queries import QueryAuditor, audit_queries
from tests.queries.cases import FILE, cases, policy, table

pytestmark = pytest.mark.filterwarnings("error")

UNBOUNDED = {"role": "sensitive", "type": "number", "range": [None, None]}
"""Online, what users know is declared."""


def _rules(limits: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A policy about the table of `_table`."""
    queries = {"table": "t", "key": "id", "limits": limits or {"exact_value": "deny"}, **more}
    attributes = {"id": "insensitive", "dept": "quasi-identifier", "x": UNBOUNDED}
    return {"version": 1, "name": "online", "attributes": attributes, "queries": queries}


def _table(values: list[int]) -> pd.DataFrame:
    return pd.DataFrame({"id": range(len(values)), "dept": [i % 2 for i in range(len(values))], "x": values})


def _sum(records: set[int]) -> str:
    return f"SELECT SUM(x) FROM t WHERE id IN ({', '.join(map(str, sorted(records)))})"


@pytest.mark.skipif(not FILE.exists(), reason="the shared vectors are not beside the project")
def test_the_stated_decisions() -> None:
    for case in cases():
        for check in case["checks"]:
            if check["mode"] == "online":
                with QueryAuditor(table(case), policy(case)) as auditor:
                    decided = [auditor.decide(q["sql"], user=q["user"]).decision for q in case["queries"]]
                assert decided == check["decisions"]


sets = st.sets(st.integers(0, 4), min_size=1)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["SUM", "MAX", "MIN"]), sets), max_size=6), st.data())
@settings(deadline=None)
def test_decisions_do_not_depend_on_what_was_not_answered(
    asked: list[tuple[str, set[int]]], data: st.DataObject
) -> None:
    """Simulatability: change the values so that the answers given stay the same; every decision stays the same."""
    values = data.draw(st.lists(st.integers(0, 3), min_size=5, max_size=5))
    statements = [_sum(records).replace("SUM", function) for function, records in asked]
    with QueryAuditor(_table(values), _rules()) as auditor:
        decided = [auditor.answer(sql) for sql in statements]
    answered = [(sql, d.rows) for sql, d in zip(statements, decided, strict=True) if d.answered]
    consistent = [other for other in _databases() if all(_run(sql, other) == rows[0][0] for sql, rows in answered)]
    other = data.draw(st.sampled_from(consistent))
    with QueryAuditor(_table(list(other)), _rules()) as auditor:
        assert [auditor.decide(sql).decision for sql in statements] == [d.decision for d in decided]


def _databases() -> list[tuple[int, ...]]:
    return [tuple(each) for each in np.stack(np.meshgrid(*[range(4)] * 5), -1).reshape(-1, 5).tolist()]


def _run(sql: str, values: tuple[int, ...]) -> int:
    records = [int(each) for each in sql.rsplit("(", maxsplit=1)[-1].rstrip(")").split(",")]
    function = {"SUM": sum, "MAX": max, "MIN": min}[sql[7:10]]
    return function([values[record] for record in records])


@pytest.mark.slow
@given(st.lists(sets, max_size=8))
@settings(deadline=None)
def test_what_was_answered_discloses_nothing_and_what_was_denied_would_have(asked: list[set[int]]) -> None:
    frame = _table([5, 3, 8, 1, 9])
    answered: list[str] = []
    with QueryAuditor(frame, _rules()) as auditor:
        for records in asked:
            if auditor.decide(_sum(records)).answered:
                answered.append(_sum(records))
            else:
                assert audit_queries([*answered, _sum(records)], _rules(), frame).verdict == "fail"
    assert not answered or audit_queries(answered, _rules(), frame).verdict == "pass"


def test_a_statement_with_several_numbers_is_answered_whole_or_not_at_all() -> None:
    with QueryAuditor(_table([5, 3, 8, 1, 9, 4]), _rules()) as auditor:
        both = auditor.decide("SELECT SUM(x), SUM(x) FILTER (WHERE id <> 2) FROM t")
        assert (both.decision, both.violations) == ("deny", ("exact-value",))
        assert auditor.decide("SELECT SUM(x) FROM t").answered
        assert auditor.decide("SELECT dept, SUM(x) FROM t GROUP BY dept").answered
        assert auditor.decide("SELECT SUM(x) FROM t WHERE id <> 2").violations == ("exact-value",)


def test_a_denied_log_does_not_say_that_something_was_given_away() -> None:
    found = audit_queries([_sum({0, 1, 2}), _sum({0, 1})], _rules(), _table([5, 3, 8, 1, 9]), online=True)
    assert [query.decision for query in found.queries] == ["answer", "deny"]
    assert (found.verdict, found.disclosures) == ("fail", ())
    assert [finding.message.split(";")[0] for finding in found.findings] == ["Some queries were denied by this limit"]


def test_limits_on_the_shape_and_on_groups() -> None:
    limits = {"min_group": 3, "query_set_size": {"min": 2, "both_ends": False}, "max_overlap": 3, "max_queries": 3}
    with QueryAuditor(_table([5, 3, 8, 1, 9, 4]), _rules(limits)) as auditor:
        assert auditor.decide(_sum({0})).violations == ("query-set-size",)
        assert auditor.decide(_sum({0, 1})).violations == ("group",)
        assert auditor.decide(_sum({0, 1, 2, 3})).answered
        assert auditor.decide(_sum({0, 1, 2, 3})).answered  # a repeat tells nothing, and is not counted
        assert auditor.decide(_sum({0, 1, 2, 3, 4})).violations == ("overlap",)
        assert auditor.decide(_sum({0, 1, 4, 5})).answered
        assert auditor.decide(_sum({2, 3, 4, 5})).violations == ("group",)  # (q1 + q2 - q3) / 2 = x0 + x1
        assert auditor.decide(_sum({0, 2, 4})).answered
        assert auditor.decide(_sum({1, 3, 5})).violations == ("too-many-queries",)


def test_scopes() -> None:
    frame = _table([5, 3, 8, 1, 9])
    asked = [("ana", _sum({0, 1, 2, 3, 4})), ("ben", _sum({0, 1})), ("eva", _sum({2, 3}))]  # together: x4

    def answered(scope: Any) -> list[bool]:
        with QueryAuditor(frame, _rules(scope=scope)) as auditor:
            return [auditor.decide(sql, user=user).answered for user, sql in asked]

    assert answered("per-user") == [True, True, True]
    assert answered({"coalition": 2}) == [True, True, True]
    assert answered({"coalition": 3}) == [True, True, False]
    assert answered("pooled") == [True, True, False]


def test_an_insider_is_denied_what_others_may_know() -> None:
    frame = _table([5, 3, 8, 1, 9])
    rules = _rules(scope="per-user", assume={"insiders": {"ana": ["0"]}})
    with QueryAuditor(frame, rules) as auditor:
        assert auditor.decide(_sum({0, 1}), user="ana").violations == ("exact-value",)
        assert auditor.decide(_sum({0, 1}), user="ben").answered


def test_what_cannot_be_read_is_neither_answered_nor_denied() -> None:
    with QueryAuditor(_table([1, 2, 3]), _rules()) as auditor:
        found = auditor.answer("SELECT x FROM t")
    assert (found.decision, found.violations, found.rows) == ("unsupported", ("row-level",), None)


def test_an_answer_is_what_the_table_gives_and_is_recorded(tmp_path: Path) -> None:
    frame = _table([5, 3, 8, 1, 9])
    path = tmp_path / "answers.ledger"
    with QueryAuditor(frame, _rules(), ledger=path) as auditor:
        assert auditor.answer("SELECT dept, AVG(x) FROM t GROUP BY dept ORDER BY dept", user="ana").rows == [
            (0, pytest.approx(22 / 3)),
            (1, 2.0),
        ]
    with QueryAuditor(frame, _rules(), ledger=path) as again:
        assert again.decide(_sum({0, 2}), user="ben").violations == ("exact-value",)
    with pytest.raises(DataError, match="belongs to other data"):
        QueryAuditor(_table([5, 3, 8, 1, 8]), _rules(), ledger=path)


def test_a_query_that_fails_while_it_runs_is_not_recorded(tmp_path: Path) -> None:
    def fails(statement: Any) -> Any:
        raise ConnectionError("the server has gone")

    frame, path = _table([5, 3, 8, 1, 9]), tmp_path / "answers.ledger"
    with QueryAuditor(frame, _rules(), ledger=path, execute=fails) as auditor:
        with pytest.raises(ConnectionError):
            auditor.answer(_sum({0, 1, 2}))
        assert auditor.decide(_sum({0, 1})).number == 1


def test_several_processes_share_a_ledger(tmp_path: Path) -> None:
    frame, path = _table([5, 3, 8, 1, 9]), tmp_path / "answers.ledger"
    with QueryAuditor(frame, _rules(), ledger=path) as ana, QueryAuditor(frame, _rules(), ledger=path) as ben:
        assert ana.decide(_sum({0, 1, 2})).answered
        assert ben.decide(_sum({0, 1})).violations == ("exact-value",)
        assert ben.decide(_sum({3, 4})).answered
        assert ana.decide(_sum({2, 3, 4})).violations == ("exact-value",)


_KILLED = """
import sys
from tests.queries.test_online import _rules, _sum, _table
from auditor.queries import QueryAuditor

with QueryAuditor(_table(list(range(40))), _rules(), ledger=sys.argv[1]) as auditor:
    for i in range(38):
        print(auditor.answer(_sum({i, i + 1, i + 2})).number, flush=True)
"""


@pytest.mark.slow
def test_kill_9_loses_no_answer_and_counts_none_twice(tmp_path: Path) -> None:
    path = tmp_path / "answers.ledger"
    seen = 0
    for lines in (3, 5, 1):
        command = [sys.executable, "-c", _KILLED, str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
        assert process.stdout is not None
        for _ in range(lines):
            number = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGKILL)
        rest = [int(line) for line in process.stdout.read().split()]
        process.wait(timeout=300)
        process.stdout.close()
        last = rest[-1] if rest else number
        with QueryAuditor(_table(list(range(40))), _rules(), ledger=path) as auditor:
            numbers = [entry.number for entry in auditor._ledger.after(0)]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) in (last, last + 1)
        assert len(numbers) > seen
        seen = len(numbers)
