"""The formats that are not a server's: SQL files, JSON lines, CSV; and how a format is told."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, UsageError
from auditor.queries.logs import answers_nothing, read_log
from auditor.queries.logs._split import pieces_of
from auditor.result.queries import LogFacts


@pytest.fixture
def log(tmp_path: Path):
    def write(text: str | bytes, name: str = "log.sql") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def sqls(path: Path, format_: str | None = None) -> list[str]:
    return [statement.sql for statement in read_log(path, format_)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT a FROM t; SELECT b FROM t;", ["SELECT a FROM t", "SELECT b FROM t"]),
        ("SELECT a FROM t;\n\nSELECT b FROM t", ["SELECT a FROM t", "SELECT b FROM t"]),
        ("SELECT ';';SELECT 'it''s; fine';", ["SELECT ';'", "SELECT 'it''s; fine'"]),
        ('SELECT "a;b""c;" FROM t;', ['SELECT "a;b""c;" FROM t']),
        (r"SELECT E'a\';b'; SELECT 'a\'; SELECT b FROM t;", [r"SELECT E'a\';b'", r"SELECT 'a\'", "SELECT b FROM t"]),
        ("SELECT $$;$$; SELECT $x$ ; $$ $y$ ; $x$;", ["SELECT $$;$$", "SELECT $x$ ; $$ $y$ ; $x$"]),
        ("SELECT a$b$c; SELECT d$b$;", ["SELECT a$b$c", "SELECT d$b$"]),
        ("SELECT $1; SELECT $2;", ["SELECT $1", "SELECT $2"]),
        ("SELECT a FROM t /* ; /* ; */ ; */ + 2; SELECT 3;", ["SELECT a FROM t /* ; /* ; */ ; */ + 2", "SELECT 3"]),
        ("SELECT a -- \u2028 WHERE b;\x85 c\n, d;", ["SELECT a \n, d"]),
        ("SELECT a -- b\rWHERE c; SELECT d;", ["SELECT a \rWHERE c", "SELECT d"]),
        ("SELECT a FROM t -- one; not two\n+ 2;", ["SELECT a FROM t \n+ 2"]),
        ("-- nothing;\n;;  ; /* ; */ ;", []),
        ("SELECT 'a\n;\n--b';", ["SELECT 'a\n;\n--b'"]),
        ("SELECT 'never closed; SELECT b FROM t;", ["SELECT 'never closed; SELECT b FROM t;"]),
        ("\\timing on\nTABLE a;\n\\copy a to 'x'\nTABLE b", ["\\timing on", "TABLE a", "\\copy a to 'x'", "TABLE b"]),
        ("SELECT a FROM t;\r\nSELECT b FROM t;\r\n", ["SELECT a FROM t", "SELECT b FROM t"]),
    ],
)  # fmt: skip
def test_a_semicolon_ends_a_statement_unless_it_is_quoted(text: str, expected: list[str]) -> None:
    assert [piece.text for piece in pieces_of(text)] == expected


QUOTED = st.one_of(
    st.text("ab;'-/*$\n ", max_size=8).map(lambda t: "'" + t.replace("'", "''") + "'"),
    st.text('ab;"-/*$\n ', max_size=8).map(lambda t: '"' + t.replace('"', '""') + '"'),
    st.text("ab;'\"-/*\n ", max_size=8).map(lambda t: f"$q${t}$q$"),
    st.text("ab;'\"-$\n ", max_size=8).map(lambda t: f"/*{t}*/"),
    st.sampled_from([" x ", " + ", "\n", " 12 "]),
)
STATEMENT = st.lists(QUOTED, max_size=5).map(lambda parts: "SELECT " + " ".join(parts) + " z")


@given(st.lists(STATEMENT, max_size=6))
def test_joined_statements_come_apart_again(statements: list[str]) -> None:
    assert [piece.text for piece in pieces_of(";\n".join(statements) + ";")] == statements


def test_fields_in_comments_of_an_sql_file(log) -> None:
    text = """-- A header that is no field: really
-- user: ana
-- time: 2026-11-21 09:00
SELECT sum(salary) FROM staff;   -- answer: 48000.50
BEGIN;
/* user: nobody */ SELECT
  -- params: ["D3", null, 4]
  sum(salary) FROM staff WHERE dept = $1;
-- USER = ben
-- status: failed
SELECT sum(salry) FROM staff;
SELECT avg(salary) FROM staff"""
    first, second, third, fourth = read_log(log(text))
    assert (first.number, first.user, first.time, first.answer) == (1, "ana", "2026-11-21 09:00", "48000.50")
    assert (second.number, second.user, second.time, second.answer) == (3, "ana", None, None)
    assert second.parameters == ("D3", None, "4")
    assert second.sql.startswith("/* user: nobody */ SELECT")
    assert (third.user, third.failed) == ("ben", True)
    assert (fourth.number, fourth.user, fourth.failed) == (5, "ben", False)


def test_json_lines(log) -> None:
    lines = [
        {
            "user": "ana",
            "time": "t1",
            "sql": "SELECT a FROM t",
            "params": ["a", 1, None, True, 1.50],
            "answer": 12.50,
            "x": {},
        },
        {"USER": "ben", "ts": 1763716800, "query": "SELECT b FROM t", "answer": [1, {"a": 2.50}], "status": "ERROR"},
        {"sql": "COMMIT"},
    ]
    one, two = read_log(log("\n".join(map(json.dumps, lines)) + "\n\n", "log.jsonl"))
    assert one.parameters == ("a", "1", None, "true", "1.5")
    assert (one.user, one.time, one.answer, one.failed) == ("ana", "t1", "12.5", False)
    assert (two.number, two.user, two.time, two.answer) == (2, "ben", "1763716800", '[1, {"a": 2.5}]')
    assert two.failed


def test_numbers_keep_their_digits(log) -> None:
    path = log('{"sql": "SELECT a FROM t", "answer": 12345678901234567890.1200, "params": [1e3]}\n', "log.jsonl")
    (statement,) = read_log(path)
    assert statement.answer == "12345678901234567890.1200"
    assert statement.parameters == ("1e3",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_with_mapped_columns(log, delimiter: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["Time", "USER_NAME", "note", "Query", "Parameters", "Result"])
    writer.writerow(["t1", "ana", "a", 'SELECT sum(x)\nFROM "t;|,"', '["a", null]', "7"])
    writer.writerow(["t2", "ben", "b", "SELECT b FROM t", "", ""])
    one, two = read_log(log(text.getvalue(), "log.csv"))
    assert (one.sql, one.user, one.time) == ('SELECT sum(x)\nFROM "t;|,"', "ana", "t1")
    assert (one.parameters, one.answer) == (("a", None), "7")
    assert (two.number, two.parameters, two.answer) == (2, (), None)


def test_one_column_of_sql_is_a_log(log) -> None:
    assert sqls(log("sql\nSELECT a FROM t\nSELECT b FROM t\n", "log.csv")) == ["SELECT a FROM t", "SELECT b FROM t"]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("q.sql", True),
        ("Q.SQL.1", True),
        ("q.2027.sql.12", True),
        ("q.sql-20270331", True),
        ("q.sql.bak", False),
        ("q.1", False),
        ("sql", False),
    ],
)
def test_a_log_is_called_as_before_it_was_rotated(tmp_path: Path, name: str, known: bool) -> None:
    for packed in (False, True):
        file = tmp_path / f"{name}{'.gz' if packed else ''}"
        content = b"SELECT count(*) FROM staff;\n"
        file.write_bytes(gzip.compress(content) if packed else content)
        if known:
            assert [each.sql for each in read_log(file)] == ["SELECT count(*) FROM staff"]
        else:
            with pytest.raises(DataError, match="cannot be told"):
                list(read_log(file))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("packed", [False, True])
def test_encodings_and_compression(log, encoding: str, packed: bool) -> None:
    content = "SELECT sum(x) FROM t WHERE y = 'Zoë 診';\nSELECT b FROM t;\n".encode(encoding)
    path = log(gzip.compress(content) if packed else content, "log.sql.gz" if packed else "log.sql")
    assert sqls(path) == ["SELECT sum(x) FROM t WHERE y = 'Zoë 診'", "SELECT b FROM t"]


def test_a_copy_to_the_client_asks_its_query(log) -> None:
    text = "COPY (SELECT sum(x) FROM t WHERE y = 'a) TO STDOUT') TO STDOUT (FORMAT binary); COPY t TO STDOUT;"
    assert sqls(log(text)) == ["SELECT sum(x) FROM t WHERE y = 'a) TO STDOUT'", "COPY t TO STDOUT"]


def test_facts_of_a_log(log) -> None:
    path = log("-- user: ana\n-- time: t1\nTABLE a; COMMIT;\n-- user: ben\n-- time: t2\n-- status: error\nTABLE b;")
    assert read_log(path).facts == LogFacts(
        source="log.sql",
        format="sql",
        statements=2,
        failed=1,
        ignored=1,
        users=("ana", "ben"),
        first_time="t1",
        last_time="t2",
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        guessable=True,
    )


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("log.jsonl", '{"sql": "SELECT a FROM t"}\n{"sql": 5}\n', ":2: no SQL text"),
        ("log.jsonl", '{"sql": "SELECT a FROM t"}\nnonsense\n', ":2: not a JSON object"),
        ("log.jsonl", '{"sql": "SELECT a FROM t"}\n[1]\n', ":2: not a JSON object"),
        ("log.jsonl", '{"sql": "SELECT a FROM t", "query": "SELECT b FROM t"}\n', ":1: two keys that name the sql"),
        ("log.jsonl", '{"sql": "SELECT a FROM t", "params": {"a": 1}}\n', ":1: parameters that are not a list"),
        ("log.jsonl", '{"sql": "SELECT a FROM t", "params": [[1]]}\n', ":1: parameters that are not a list"),
        ("log.jsonl", '{"sql": "SELECT a FROM t", "status": "perhaps"}\n', ":1: a status that is not known"),
        ("log.jsonl", '{"a": ' * 100_000, ":1: not a JSON object"),
        ("log.csv", "user,sql\nana\n", ":2: 1 fields; 2"),
        ("log.csv", 'user,sql\nana,"SELECT a FROM t\n', ":2: a record whose quotes are not closed"),
        ("log.csv", 'user,sql\nana,SELECT "a" FROM t\n', ":2: a quote in the middle of a field"),
        ("log.csv", "query,sql\nSELECT a FROM t,SELECT b FROM t\n", ":1: two columns that name the sql"),
        ("log.sql", "SELECT a FROM t;\nSELECT '\xff';".encode("latin-1"), ":2: bytes that are not UTF-8"),
        ("log.sql", "-- params: x\nSELECT a FROM t;", ":2: parameters that are not a list"),
        ("log.sql.gz", gzip.compress(b"SELECT a FROM t;\n" * 1000, mtime=0)[:-20], "cut short or damaged"),
        ("log.sql", b"\xff\xfeS\x00\x00\xd8", ":1: bytes that are not UTF-16"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_names_the_line(log, name: str, text: str | bytes, where: str) -> None:
    with pytest.raises(DataError) as caught:
        list(read_log(log(text, name)))
    assert f"{name}:" in str(caught.value)
    assert where in str(caught.value)


def test_messages_hold_nothing_of_the_log(log) -> None:
    secret = "SECRET48000"
    for name, text in (
        ("log.jsonl", f'{{"sql": "SELECT a FROM t", "status": "{secret}", "params": 5}}\n'),
        ("log.jsonl", f'{{"sql": "SELECT a FROM t", "params": "{secret}"}}\n'),
        ("log.csv", f'user,sql\n{secret},a "{secret}" b\n'),
        ("log.txt", f"{secret}\n"),
    ):
        with pytest.raises(DataError) as caught:
            list(read_log(log(text, name)))
        assert secret not in str(caught.value)


def test_a_log_that_is_not_there_or_empty(log, tmp_path: Path) -> None:
    for path, words in ((tmp_path / "no.sql", "does not exist"), (tmp_path, "folder"), (log("\n \n"), "empty")):
        with pytest.raises(DataError, match=words):
            read_log(path)


def test_a_format_is_asked_for_where_it_is_unsure(log) -> None:
    path = log("ana said something\n", "log.txt")
    with pytest.raises(DataError, match="cannot be told"):
        read_log(path)
    assert sqls(path, "sql") == ["ana said something"]
    with pytest.raises(UsageError, match="did you mean 'csvlog'"):
        read_log(path, "cvslog")


@pytest.mark.parametrize(
    ("name", "text", "format_"),
    [
        ("x.log", '{"sql": "SELECT a FROM t"}\n', "jsonl"),
        ("x.txt", "user,sql\n", "csv"),
        ("x.sql", "user,sql\n", "sql"),
        ("x.json", '{"session_id": "65a.1", "error_severity": "LOG"}\n', "jsonlog"),
        ("x", "\n\nuser;query\n", "csv"),
    ],
)
def test_the_format_is_told_from_the_content(log, name: str, text: str, format_: str) -> None:
    assert read_log(log(text, name)).format == format_


SILENT = r"""
BEGIN
begin transaction
START TRANSACTION READ ONLY
COMMIT
ROLLBACK TO SAVEPOINT a
SET search_path TO hr
SET SESSION application_name = 'psql'
SET LOCAL statement_timeout TO 5
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY
SET ROLE analyst
SET NAMES 'utf8'
RESET ALL
SHOW work_mem
DEALLOCATE p
PREPARE p AS SELECT sum(x) FROM t
/* a */ COMMIT
\timing on
DISCARD ALL
VACUUM staff
close c
SELECT 1
SELECT version()
SELECT pg_catalog.set_config('search_path', '', false)
SELECT oid, typname FROM pg_catalog.pg_type WHERE typtype <> 'r' AND typreceive::text <> 'array_recv'
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', '') ORDER BY 1
SELECT c.oid FROM pg_catalog.pg_class c WHERE c.relname OPERATOR(pg_catalog.~) '^(staff)$' COLLATE pg_catalog.default
""".strip().splitlines()

MAY_ANSWER = r"""
SELECT sum(salary) FROM staff
SELECT most_common_vals FROM pg_stats
SELECT * FROM hr.pg_type
SELECT * FROM pg_type, staff
SELECT (SELECT sum(salary) FROM staff) FROM pg_class
SELECT a FROM t FROM pg_type, LATERAL (TABLE staff) x
WITH a AS (SELECT salary FROM staff) SELECT a FROM t FROM pg_type
SELECT * INTO x FROM pg_class
SELECT f(1)
SELECT hr.version()
SELECT hr.lower('x')
SELECT query_to_xml('SELECT salary FROM staff', true, true, '')
SELECT pg_read_file('x')
SELECT a FROM t FROM pg_class c WHERE c.relname OPERATOR(hr.~) 'x'
SELECT a FROM t; SELECT salary FROM staff
EXECUTE p(1)
FETCH ALL FROM c
DECLARE c CURSOR FOR SELECT a FROM t
COPY staff TO STDOUT
EXPLAIN ANALYZE SELECT a FROM t
SET standard_conforming_strings = off
SET LOCAL transform_null_equals TO on
SET datestyle = 'DMY'
SET TIME ZONE 'Asia/Tokyo'
SELECT set_config('standard_conforming_strings', 'off', false)
SELECT set_config(lower('DateStyle'), 'DMY', false)
VACUUM VERBOSE staff
SET @x = (SELECT sum(salary) FROM staff)
settle
beginning
CALL f()
DO $$ $$
TABLE staff
VALUES (1)
WITH a AS (SELECT a FROM t) SELECT * FROM a
INSERT INTO t VALUES (1) RETURNING *
/* /* */ BEGIN */ COPY staff TO STDOUT
/* /* */ COPY staff TO STDOUT -- */ BEGIN
/*! COPY staff TO STDOUT */ BEGIN
\copy staff to 'x'
\g
BEGIN SELECT a FROM t
analyze select 1
/*
--
""".strip().splitlines()


@pytest.mark.parametrize("sql", [*SILENT, "-- a\nEND"])
def test_what_answers_nothing(sql: str) -> None:
    assert answers_nothing(sql)


@pytest.mark.parametrize("sql", [*MAY_ANSWER, ""])
def test_what_may_answer_something_is_never_passed_over(sql: str) -> None:
    assert not answers_nothing(sql)
