"""Tables that change: versions, snapshots, and what inserting and deleting gives away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from auditor.cli import invoke
from auditor.errors import DataError, UsageError
from auditor.queries import QueryAuditor, Statement, audit_queries

BEFORE = pd.DataFrame({"id": [1, 2, 3], "dept": ["a", "a", "b"], "x": [10, 20, 30]})
INSERTED = pd.DataFrame({"id": [1, 2, 3, 4], "dept": ["a", "a", "b", "b"], "x": [10, 20, 30, 44]})
RAISED = pd.DataFrame({"id": [1, 2, 3], "dept": ["a", "a", "b"], "x": [10, 25, 30]})
TOTAL = "SELECT SUM(x) FROM data"


def _rules(**more: Any) -> dict[str, Any]:
    attributes = {"id": "insensitive", "dept": "quasi-identifier", "x": {"role": "sensitive", "type": "number"}}
    return {"version": 1, "name": "versions", "attributes": attributes, "queries": {"key": "id", **more}}


def _asked(*days: str, sql: str = TOTAL) -> list[Statement]:
    return [Statement(i, sql, "ana", day) for i, day in enumerate(days, 1)]


@pytest.mark.parametrize(
    ("snapshots", "disclosed"),
    [
        ({"2026-01-01": BEFORE, "2026-02-01": BEFORE}, []),
        ({"2026-01-01": BEFORE, "2026-02-01": INSERTED}, [("exact-value", 4, 44)]),
        ({"2026-01-01": INSERTED, "2026-02-01": BEFORE}, [("exact-value", 4, 44)]),
        ({"2026-01-01": BEFORE, "2026-02-01": RAISED}, [("individual", 2, -5)]),
    ],
    ids=["unchanged", "insert", "delete", "update"],
)
def test_what_changes_between_two_queries_follows_from_them(
    snapshots: dict[str, Any], disclosed: list[tuple[str, int, int]]
) -> None:
    found = audit_queries(_asked("2026-01-15", "2026-02-15"), _rules(), snapshots).disclosures
    assert [(d.kind, d.records[0], d.low) for d in found] == disclosed
    assert all(d.first_query == "2" and set(d.certificate) == {"1", "2"} for d in found)


def test_a_result_names_its_snapshots(tmp_path: Path) -> None:
    BEFORE.to_csv(tmp_path / "january.csv", index=False)
    found = audit_queries(_asked("2026-01-15"), _rules(), {"2026-01-01": tmp_path / "january.csv"})
    assert found.data is not None
    assert found.data.source == "snapshots 2026-01-01=january.csv"


def test_two_queries_about_the_same_state_disclose_nothing() -> None:
    snapshots = {"2026-01-01": BEFORE, "2026-02-01": INSERTED}
    found = audit_queries(_asked("2026-01-15", "2026-01-31T23:59:59"), _rules(), snapshots)
    assert (found.verdict, [query.query_set for query in found.queries]) == ("pass", [3, 3])


def test_a_history_says_itself_when_its_rows_are_valid() -> None:
    table = INSERTED.assign(since=["2025-01-01"] * 3 + ["2026-02-01"], until=[None, None, None, "2026-03-01"])
    rules = _rules(versions={"since": "since", "until": "until"})
    rules["undeclared"] = "insensitive"
    days = ("2026-01-15", "2026-02-15", "2026-03-15")
    found = audit_queries(_asked(*days), rules, table)
    assert [query.query_set for query in found.queries] == [3, 4, 3]
    assert [(d.records[0], d.first_query) for d in found.disclosures] == [(4, "2")]


def test_a_statement_without_a_time_cannot_be_audited() -> None:
    found = audit_queries([TOTAL], _rules(), {"2026-01-01": BEFORE})
    assert (found.verdict, found.queries[0].violations) == ("not-evaluated", ("unknown-time",))


def test_online_an_insert_is_not_given_away() -> None:
    snapshots = {"2026-01-01": BEFORE, "2026-02-01": INSERTED}
    with QueryAuditor(snapshots, _rules()) as auditor:
        assert auditor.decide(TOTAL, time="2026-01-15").answered
        assert auditor.decide(TOTAL, time="2026-02-15").violations == ("exact-value",)
        assert auditor.decide(TOTAL, time="2026-01-16").answered
        assert auditor.answer(TOTAL, time="2026-01-17").rows == [(60,)]


def test_snapshots_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    BEFORE.to_csv("january.csv", index=False)
    INSERTED.to_csv("february.csv", index=False)
    Path("p.yaml").write_text(
        "version: 1\nattributes: {id: insensitive, dept: quasi-identifier, x: {role: sensitive, type: number}}\n"
        "queries: {key: id}\n"
    )
    log = [f'{{"sql": "{TOTAL}", "time": "{day}"}}' for day in ("2026-01-15", "2026-02-15")]
    Path("log.jsonl").write_text("\n".join(log))
    both = ["-d", "2026-01-01=january.csv", "-d", "2026-02-01=february.csv"]
    assert invoke(["queries", "log.jsonl", "-p", "p.yaml", *both]) == 1
    assert invoke(["queries", "log.jsonl", "-p", "p.yaml", "-d", "january.csv"]) == 0
    assert invoke(["queries", "log.jsonl", "-p", "p.yaml", "-d", "january.csv", "-d", "february.csv"]) == 2


def test_snapshots_that_cannot_be_joined_are_refused() -> None:
    with pytest.raises(UsageError, match="is not a time"):
        audit_queries(_asked("2026-01-15"), _rules(), {"january": BEFORE})
    with pytest.raises(UsageError, match=r"need queries\.key"):
        audit_queries(_asked("2026-01-15"), _rules(key=None), {"2026-01-01": BEFORE})
    with pytest.raises(DataError, match="does not name each record"):
        audit_queries(_asked("2026-01-15"), _rules(), {"2026-01-01": pd.concat([BEFORE, BEFORE])})
    snapshots = {"2026-01-01": BEFORE, "2026-02-01": BEFORE.drop(columns="dept")}
    with pytest.raises(DataError, match="has other columns"):
        audit_queries(_asked("2026-01-15"), _rules(), snapshots)
