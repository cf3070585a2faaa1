"""Logs of PostgreSQL, line by line: which lines tell of a statement, which of the same one, and which failed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.queries import Statement
from auditor.queries.logs import read_log
from auditor.queries.logs._parameters import bound

KEYS = tuple(
    name
    for names in (
        "timestamp user dbname pid remote session_id line_num ps session_start vxid txid error_severity state_code",
        "message detail hint internal_query internal_position context statement cursor_position func application_name",
        "backend_type leader_pid query_id",
    )
    for name in names.split()
)
"""The columns of csvlog, by the names that jsonlog has for them."""

Row = dict[str, str]
SUM = "SELECT sum(salary) FROM staff"
AVG = "SELECT avg(salary)\nFROM staff\nWHERE dept = $1"


def row(message: str, severity: str = "LOG", session: str = "65a1.2f", **changes: str) -> Row:
    basic = {"timestamp": "2026-11-21 09:00:00.000 UTC", "user": "ana", "dbname": "hr", "pid": "47",
             "session_id": session, "line_num": "3", "ps": "idle", "vxid": "3/14", "error_severity": severity,
             "state_code": "00000", "message": message}  # fmt: skip
    return {**basic, **changes}


def as_csv(rows: Sequence[Row], columns: int = 26) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerows([[entry.get(key, "") for key in KEYS[:columns]] for entry in rows])
    return text.getvalue()


def as_json(rows: Sequence[Row]) -> str:
    return "".join(json.dumps({key: value for key, value in entry.items() if value}) + "\n" for entry in rows)


def as_plain(rows: Sequence[Row]) -> str:
    """`log_line_prefix = '%m [%p] %q%u@%d %e '`, sessions as process numbers."""
    lines = []
    for entry in rows:
        pid = int(entry["session_id"].partition(".")[2], 16)
        prefix = f"{entry['timestamp']} [{pid}] {entry['user']}@hr {entry['state_code']} "
        parts = [(entry["error_severity"], entry["message"])]
        parts += [(name, entry.get(key, "")) for name, key in
                  (("DETAIL", "detail"), ("CONTEXT", "context"), ("STATEMENT", "statement"))]  # fmt: skip
        lines += [f"{prefix}{name}:  {text}".replace("\n", "\n\t") for name, text in parts if text]
    return "\n".join(lines) + "\n"


FORMS: dict[str, Callable[[Sequence[Row]], str]] = {
    "log.csv": as_csv,
    "log.json": as_json,
    "postgresql.log": as_plain,
}


@pytest.fixture(params=FORMS)
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., list[Statement]]:
    def log(*rows: Row) -> list[Statement]:
        path = tmp_path / request.param
        path.write_text(FORMS[request.param](rows))
        return list(read_log(path))

    return log


def told(statements: Sequence[Statement]) -> list[Any]:
    return [(s.sql, s.parameters, s.failed) for s in statements]


def test_statements_of_both_protocols(read: Callable[..., list[Statement]]) -> None:
    found = read(
        row("database system is ready to accept connections", user=""),
        row(f"statement: {SUM}"),
        row(f"execute <unnamed>: {AVG}", detail="parameters: $1 = 'O''Hara, \"x\"'", user="ben", session="65a1.30"),
        row(f"execute S_1/C_2: {AVG}", detail="Parameters: $1 = NULL, $2 = 'a\nb'"),
        row("statement: COMMIT"),
    )
    assert told(found) == [
        (SUM, (), False),
        (AVG, ('O\'Hara, "x"',), False),
        (AVG, (None, "a\nb"), False),
    ]
    assert [(s.number, s.user) for s in found] == [(1, "ana"), (2, "ben"), (3, "ana")]
    assert found[0].time == "2026-11-21 09:00:00.000 UTC"


def test_parsing_and_binding_are_no_statements(read: Callable[..., list[Statement]]) -> None:
    found = read(
        row(f"duration: 0.061 ms  parse <unnamed>: {AVG}"),
        row(f"duration: 0.087 ms  bind <unnamed>: {AVG}", detail="parameters: $1 = 'D3'"),
        row(f"duration: 0.012 ms  execute <unnamed>: {AVG}", detail="parameters: $1 = 'D3'"),
        row(f"duration: 12.012 ms  statement: {SUM}"),
    )
    assert told(found) == [(AVG, ("D3",), False), (SUM, (), False)]


def test_one_statement_told_twice_counts_once_and_two_count_twice(read: Callable[..., list[Statement]]) -> None:
    before, after = row(f"statement: {SUM}"), row(f"duration: 1.5 ms  statement: {SUM}")
    assert len(read(before, after)) == 1
    assert len(read(before, row("duration: 1.5 ms"))) == 1
    assert len(read(before, after, before, after)) == 2
    assert len(read(before, before)) == 2
    assert len(read(after, after)) == 2
    assert len(read(before, {**before, "session_id": "65a1.30"})) == 2


def test_values_tell_two_executions_apart(read: Callable[..., list[Statement]]) -> None:
    found = read(
        row(f"execute a: {AVG}", detail="parameters: $1 = 'D3'"),
        row(f"duration: 1.5 ms  execute a: {AVG}", detail="parameters: $1 = 'D4'"),
    )
    assert [s.parameters for s in found] == [("D3",), ("D4",)]


def test_fetching_more_rows_is_no_new_statement(read: Callable[..., list[Statement]]) -> None:
    first, more = row(f"execute a/b: {SUM}"), row(f"execute fetch from a/b: {SUM}")
    assert len(read(first, more, more)) == 1
    assert [s.sql for s in read(row(f"execute fetch from a: {SUM}"))] == [SUM], "a name may begin like that"


def test_values_that_are_not_known_for_certain_are_left_out(read: Callable[..., list[Statement]]) -> None:
    for detail in ("parameters: $1 = 'cut...'", "parameters: $2 = 'a'", "parameters: $1 = a", "something else"):
        assert read(row(f"execute a: {AVG}", detail=detail))[0].parameters == ()


@given(st.lists(st.none() | st.text("a',$=NUL \n12", max_size=9), min_size=1, max_size=5))
def test_bind_values_read_back(values: list[str | None]) -> None:
    quoted = ["NULL" if v is None else "'" + v.replace("'", "''") + "'" for v in values]
    assert bound("parameters: " + ", ".join(f"${i} = {q}" for i, q in enumerate(quoted, 1))) == tuple(values)


def test_several_statements_in_one_text(read: Callable[..., list[Statement]]) -> None:
    found = read(row(f"statement: BEGIN; {SUM}; {SUM} WHERE dept = ';';"))
    assert [(s.number, s.sql) for s in found] == [(2, SUM), (3, f"{SUM} WHERE dept = ';'")]


def test_an_execute_in_sql_is_what_was_prepared(read: Callable[..., list[Statement]]) -> None:
    prepare = "prepare: PREPARE p (text, int) AS SELECT sum(salary) FROM staff WHERE dept = $1 AND age > $2;"
    (plain,) = read(row("statement: EXECUTE p('O''Hara', 40);", detail=prepare))
    assert plain.sql == "SELECT sum(salary) FROM staff WHERE dept = $1 AND age > $2"
    assert plain.parameters == ("O'Hara", "40")
    (computed,) = read(row("statement: EXECUTE p(lower('A'), 40)", detail=prepare))
    assert computed.sql == "EXECUTE p(lower('A'), 40)"


@pytest.mark.parametrize("state", ["42703", "42P01", "42501", "25P02", "0A000"])
def test_an_error_before_any_row_is_read_is_a_failure(read: Callable[..., list[Statement]], state: str) -> None:
    error = row("it cannot be", "ERROR", ps="SELECT", state_code=state, statement=SUM)
    assert told(read(row(f"statement: {SUM}"), error)) == [(SUM, (), True)]
    assert told(read(error)) == [(SUM, (), True)], "where statements are logged only once they have run"


@pytest.mark.parametrize(
    "changes",
    [
        {"state_code": "22012"},  # the data decides whether something is divided by zero
        {"state_code": "22P02"},
        {"state_code": "57014"},  # cancelled: rows may have gone out
        {"state_code": "P0001"},
        {"state_code": "42601", "context": "PL/pgSQL function f() line 3 at RAISE"},  # a code that a function chose
    ],
)
def test_an_error_that_the_data_may_have_decided_counts_as_answered(
    read: Callable[..., list[Statement]], changes: Row
) -> None:
    error = row("it went wrong", "ERROR", ps="SELECT", statement=SUM, **changes)
    assert told(read(row(f"statement: {SUM}"), error)) == [(SUM, (), False)]
    assert told(read(error)) == [(SUM, (), False)]


def test_an_error_fails_only_its_own_statement(read: Callable[..., list[Statement]]) -> None:
    other = row("no", "ERROR", ps="SELECT", state_code="42703", statement="SELECT sum(salry) FROM staff")
    assert [f for _, _, f in told(read(row(f"statement: {SUM}"), other))] == [False, True]
    again = row("no", "ERROR", ps="SELECT", state_code="42501", statement=SUM)
    assert [f for _, _, f in told(read(row(f"duration: 1 ms  statement: {SUM}"), again))] == [False, True]
    elsewhere = {**again, "session_id": "65a1.30"}
    assert [f for _, _, f in told(read(row(f"statement: {SUM}"), elsewhere))] == [False, True]


@pytest.mark.parametrize("form", ["log.csv", "log.json"])
def test_an_error_while_parsing_again_does_not_undo_an_answer(form: str, tmp_path: Path) -> None:
    path = tmp_path / form
    answered = row(f"execute <unnamed>: {SUM}")
    parsing = row("operator does not exist", "ERROR", ps="PARSE", state_code="42883", statement=SUM)
    path.write_text(FORMS[form]([answered, parsing]))
    assert [s.failed for s in read_log(path)] == [False, True]


def test_a_plain_log_does_not_tell_parsing_from_running(tmp_path: Path) -> None:
    path = tmp_path / "postgresql.log"
    parsing = row("operator does not exist", "ERROR", state_code="42883", statement=SUM)
    path.write_text(as_plain([row(f"execute <unnamed>: {SUM}"), parsing]))
    assert [s.failed for s in read_log(path)] == [False]


def test_of_several_statements_in_a_failed_text_some_were_answered(read: Callable[..., list[Statement]]) -> None:
    text = f"{SUM}; SELECT sum(salry) FROM staff"
    error = row("no", "ERROR", ps="SELECT", state_code="42703", statement=text)
    assert [s.failed for s in read(row(f"statement: {text}"), error)] == [False, False]
    syntax = {**error, "state_code": "42601"}
    assert [s.failed for s in read(syntax)] == [True, True]


@pytest.mark.parametrize("columns", [23, 24, 26])
def test_every_width_of_csvlog(tmp_path: Path, columns: int) -> None:
    path = tmp_path / "postgresql-Fri.csv"
    path.write_text(as_csv([row("listening"), row(f"statement: {AVG}")], columns))
    log = read_log(path)
    assert log.format == "csvlog"
    assert [s.sql for s in log] == [AVG]


def test_the_columns_of_a_related_server_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "gauss.csv"
    fields = "2026-11-21 09:00:00.000 CET,65a1b2.4f,ana,hr,47,3,10.0.0.7,LOG,00000,0,5,6,7,statement: SELECT 1"
    path.write_text(fields + "\n")
    with pytest.raises(DataError, match=r"gauss\.csv:1: 14 columns that are not in PostgreSQL's order"):
        list(read_log(path))


def test_a_log_in_another_language_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(as_csv([row("Anweisung: SELECT 1"), row("gibt es nicht", "FEHLER")]))
    with pytest.raises(DataError, match=r"log\.csv:2: a severity that is not English"):
        list(read_log(path))


def audit(statement: int, sql: str, values: str = "<none>", kind: str = "SESSION", sub: int = 1) -> Row:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(
        [kind, statement, sub, "READ", "SELECT", "TABLE", "public.staff", sql, values]
    )
    return row(f"AUDIT: {text.getvalue()}")


def test_lines_of_pgaudit(read: Callable[..., list[Statement]]) -> None:
    found = read(
        audit(1, SUM),
        audit(1, SUM, kind="OBJECT"),
        audit(2, AVG, '"a,""b""",7'),
        audit(3, AVG, "a,"),
        audit(4, AVG, "<not logged>"),
        audit(5, "SELECT f()"),
        audit(5, "SELECT salary FROM staff WHERE id = $1", sub=2),
        audit(5, "<previously logged>", "<previously logged>"),
    )
    assert told(found) == [
        (SUM, (), False),
        (AVG, ('a,"b"', "7"), False),
        (AVG, (), False),
        (AVG, (), False),
        ("SELECT f()", (), False),
    ]


def test_pgaudit_beside_the_servers_own_lines(read: Callable[..., list[Statement]]) -> None:
    found = read(
        row(f"statement: {SUM}"),
        audit(1, SUM),
        row(f"duration: 1 ms  statement: {SUM}"),
        row(f"statement: {SUM}"),
        audit(2, SUM),
        row("statement: COMMIT"),
        audit(3, AVG, "<not logged>"),
        row(f"duration: 1 ms  execute a: {AVG}", detail="parameters: $1 = 'x'"),
    )
    assert [s.sql for s in found] == [SUM, SUM, AVG]


def test_pgaudit_without_statements_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(as_csv([audit(1, "<not logged>", "<not logged>")]))
    with pytest.raises(DataError, match="log_statement = on"):
        list(read_log(path))
