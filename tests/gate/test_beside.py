"""What the file of a database holds beside the table that is released: it leaves the house with it."""

from __future__ import annotations

import sqlite3
import zipfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import openpyxl
import pytest

from auditor.cli import invoke
from auditor.engines.duckdb._remains import of_sqlite
from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED
from tests.gate.repository import DATA, Repository, document

ROWS = ",".join(f"('{row.replace(',', chr(39) + ',' + chr(39))}')" for row in DATA.splitlines()[1:])


def database(repository: Repository, system: str, *statements: str, asked: str = "table=t") -> None:
    """A new release: a table that meets the policy, in a file with whatever else the statements make."""
    with closing((sqlite3 if system == "sqlite" else duckdb).connect(str(repository.top / "out/x.db"))) as made:
        for statement in (
            "create table t (age text, zip text, diagnosis text)",
            f"insert into t values {ROWS}",
            *statements,
        ):
            made.execute(statement)
        made.commit()
    place = f'"{system}:out/x.db?{asked}"'
    repository.replace(
        "auditor.yaml", "trusted:", f"  other: {{policy: policies/clinic.yaml, data: {place}}}\ntrusted:"
    )
    repository.commit()


@pytest.mark.parametrize("system", ["sqlite", "duckdb"])
@pytest.mark.parametrize(
    ("statements", "asked"),
    [
        (["create table raw as select 'Ana' as name"], "table=t"),
        (["create table raw as select 'Ana' as name"], "query=SELECT * FROM t"),
        (["create view seen as select * from t"], "table=seen"),
        (["create view names as select 'Ana' as name"], "table=t"),
    ],
)
def test_what_nobody_judges_is_not_released(
    repository: Repository, system: str, statements: list[str], asked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    database(repository, system, *statements, asked=asked)
    assert invoke(["gate"]) == EXIT_NOT_EVALUATED
    assert "that nobody judges" in capsys.readouterr().out
    repository.replace("auditor.yaml", f'{asked}"', f'{asked}", not_released: [raw, names, t]')
    assert invoke(["gate"]) == EXIT_MET


def test_a_sheet_that_nobody_judges_closes_the_gate(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    book = openpyxl.Workbook()
    for name, rows in (("Data", DATA.splitlines()), ("Raw", ["name", "Ana"])):
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([int(value) if value.isdigit() else value for value in row.split(",")])
    book.save(repository.top / "out/clinic.xlsx")
    told = "data: out/clinic.xlsx, csv: {sheet: Data}"
    repository.replace("auditor.yaml", "trusted:", f"  other: {{policy: policies/clinic.yaml, {told}}}\ntrusted:")
    repository.commit()
    assert invoke(["gate"]) == EXIT_NOT_EVALUATED
    said = capsys.readouterr().out
    assert "that nobody judges" in said
    assert "Ana" not in said
    repository.replace("auditor.yaml", told, f"{told}, not_released: [sheet Raw]")
    assert invoke(["gate"]) == EXIT_MET


@pytest.mark.parametrize("part", ["docProps/core.xml", "docProps/said.xml"])
def test_a_description_of_a_workbook_closes_the_gate(repository: Repository, part: str) -> None:
    """It is shown wherever the part lies that a relationship leads to."""
    file = repository.top / "out/clinic.xlsx"
    book = openpyxl.Workbook()
    for row in DATA.splitlines():
        book.active.append([int(value) if value.isdigit() else value for value in row.split(",")])
    book.save(file)
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "out/clinic.csv", "out/clinic.xlsx")
    repository.commit("a workbook")
    repository.git("checkout", "-q", "-B", "change")
    assert invoke(["gate"]) == EXIT_MET
    book.properties.description = "Ana, 31, flu"
    book.save(file)
    with zipfile.ZipFile(file) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(file, "w") as new:
        for name, content in parts.items():
            new.writestr(name.replace("docProps/core.xml", part), content.replace(b"docProps/core.xml", part.encode()))
    repository.commit("described")
    assert invoke(["gate"]) == EXIT_NOT_EVALUATED


TEXTS = [
    ("sqlite", "alter table t add column g text /* Ana, 31, flu */"),
    ("sqlite", "alter table t add column g Ana_31_flu"),
    ("sqlite", "alter table t add column g text default 'Ana, 31, flu'"),
    ("sqlite", 'create index "Ana, 31, flu" on t (age)'),
    ("sqlite", "create trigger x after insert on t begin select 'Ana, 31, flu'; end"),
    ("sqlite", 'create table "Ana, 31, flu" (a text)'),
    ("duckdb", "comment on table t is 'Ana, 31, flu'"),
    ("duckdb", "comment on column t.age is 'Ana, 31, flu'"),
    ("duckdb", 'create schema "Ana, 31, flu"'),
    ("duckdb", "create type e as enum ('Ana, 31, flu')"),
    ("duckdb", "create macro m() as 'Ana, 31, flu'"),
    ("duckdb", "create sequence s start 310101"),
    ("duckdb", 'create table "Ana, 31, flu" (a text)'),
]


@pytest.mark.parametrize(("system", "statement"), [("sqlite", ""), ("duckdb", ""), *TEXTS])
def test_texts_of_definitions_are_told(
    repository: Repository, system: str, statement: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No query of the table shows them, and whoever gets the file reads them."""
    database(repository, system, *([statement] if statement else []))
    for form in ("text", "json", "markdown"):
        invoke(["gate", "other", "--format", form])
        assert ("definitions (of tables" in " ".join(capsys.readouterr().out.split())) is bool(statement), form


@pytest.mark.parametrize("system", ["sqlite", "duckdb"])
def test_a_table_alone_and_empty_ones_beside_it(repository: Repository, system: str) -> None:
    database(repository, system, "create table empty (a text)", asked="table=T" if system == "duckdb" else "table=t")
    assert repository.gate().exit_code == EXIT_MET


def test_a_table_of_another_schema(repository: Repository) -> None:
    database(repository, "duckdb", "create schema raw", "create table raw.t as select 'Ana' as name")
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED
    repository.replace("auditor.yaml", 'table=t"', 'table=t", not_released: [raw.t]')
    assert repository.gate().exit_code == EXIT_MET


def test_one_more_table_beside_a_release_needs_somebody(repository: Repository) -> None:
    database(repository, "sqlite")
    repository.git("branch", "-q", "-f", "main")
    with closing(sqlite3.connect(repository.top / "out/x.db")) as made:
        made.execute("create table raw as select 'Ana' as name")
        made.commit()
    repository.commit()
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED
    repository.replace("auditor.yaml", 'table=t"', 'table=t", not_released: [raw]')
    assert repository.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize(
    ("system", "log"), [("sqlite", "x.db-wal"), ("sqlite", "x.db-journal"), ("duckdb", "x.db.wal")]
)
@pytest.mark.parametrize("linked", [False, True])
def test_changes_that_are_not_in_the_file(repository: Repository, system: str, log: str, *, linked: bool) -> None:
    """Whoever gets the file without its log gets another table; behind a link, too."""
    database(repository, system)
    folder = "out"
    if linked:
        (repository.top / "kept").mkdir()
        (repository.top / "out/x.db").rename(repository.top / "kept/x.db")
        (repository.top / "out/x.db").symlink_to("../kept/x.db")
        folder = "kept"
    repository.write(f"{folder}/{log}", "changes")
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any(
        f"{log} holds changes that are not in the file" in note for each in found.releases for note in each.notes
    )


def test_a_log_that_hides_rows(repository: Repository) -> None:
    """The file has a row of one person, and SQLite's log deletes it again."""
    database(repository, "sqlite", "insert into t values ('99', '9', 'flu')")
    with closing(sqlite3.connect(repository.top / "out/x.db")) as made:
        made.execute("pragma journal_mode = wal")
        made.execute("delete from t where age = '99'")
        made.commit()
        kept = {name: (repository.top / f"out/{name}").read_bytes() for name in ("x.db", "x.db-wal")}
    for name, content in kept.items():
        (repository.top / f"out/{name}").write_bytes(content)
    repository.commit()
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED


MANY = "insert into t select 'Ana', 'HIV', x from generate_series(1, 500) g(x)"
FORGOTTEN = "delete from t where age = 'Ana'"


@pytest.mark.parametrize("size", [1, 500], ids=["a part of a page", "whole pages"])
@pytest.mark.parametrize("way", ["as it is", "secure", "vacuum", "allowed"])
def test_rows_that_were_deleted_of_sqlite(repository: Repository, size: int, way: str) -> None:
    database(repository, "sqlite")
    with closing(sqlite3.connect(repository.top / "out/x.db", isolation_level=None)) as made:
        made.execute(f"pragma secure_delete = {'on' if way == 'secure' else 'off'}")
        rows = [("Ana", "HIV", str(number)) for number in range(size)]
        made.execute("begin")
        made.executemany("insert into t values (?, ?, ?)", rows)
        made.execute("insert into t values ('40', '2', 'asthma')")
        made.execute("commit")
        made.execute(FORGOTTEN)
        if way == "vacuum":
            made.execute("vacuum")
    kept = b"AnaHIV" in (repository.top / "out/x.db").read_bytes()
    assert kept is (way in ("as it is", "allowed"))
    if way == "allowed":
        repository.replace("auditor.yaml", 'table=t"', 'table=t", not_released: ["(deleted rows)"]')
    found = repository.gate("other")
    assert found.exit_code == (EXIT_NOT_EVALUATED if way == "as it is" else EXIT_MET)
    (judged,) = next(each for each in found.releases if each.name == "other").documents
    assert any("deleted" in str(each.reason) for each in judged.requirements) is (way == "as it is")


@pytest.mark.parametrize("size", [512, 4096])
@pytest.mark.parametrize("grown", ["", "create index i on t (zip, age)"])
def test_pages_of_sqlite_that_grew_hold_nothing_deleted(tmp_path: Path, size: int, grown: str) -> None:
    """Pages of an index, and those above the rows, are split as they grow, and keep what has moved."""
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as made:
        for statement in (
            f"pragma page_size = {size}",
            "pragma secure_delete = off",
            "create table t (age, zip)",
            grown,
        ):
            made.execute(statement)
        made.execute("begin")
        made.executemany("insert into t values (?, ?)", [(i % 90, f"{i * 7919 % 9973}") for i in range(3000)])
        made.execute("commit")
        assert of_sqlite(tmp_path / "x.db") == (False, False)
        made.execute("delete from t where rowid % 7 = 3")
    assert of_sqlite(tmp_path / "x.db")[0]


@pytest.mark.parametrize(
    "forgotten",
    ["delete from t where age = 'Ana'", "update t set age = '40', zip = '2', diagnosis = 'flu' where age = 'Ana'"],
)
@pytest.mark.parametrize("secure", ["on", "off"])
def test_the_last_row_of_sqlite_that_was_deleted(repository: Repository, forgotten: str, secure: str) -> None:
    """What is nearest to the pointers becomes no free block: the page is said to begin behind it."""
    database(repository, "sqlite")
    with closing(sqlite3.connect(repository.top / "out/x.db", isolation_level=None)) as made:
        made.execute(f"pragma secure_delete = {secure}")
        made.execute("insert into t values ('40', '2', 'asthma')")
        made.execute("insert into t values ('Ana', 'HIV', 'and what the doctor wrote')")
        made.execute(forgotten)
    kept = b"AnaHIV" in (repository.top / "out/x.db").read_bytes()
    assert kept is (secure == "off")
    assert repository.gate("other").exit_code == (EXIT_NOT_EVALUATED if kept else EXIT_MET)


@pytest.mark.parametrize(
    ("keys", "deleted"), [([*range(50), 999, *range(50, 60)], -1), (range(400), 399)], ids=["moved", "deleted"]
)
def test_what_may_only_have_moved_is_noted(tmp_path: Path, keys: Sequence[int], deleted: int) -> None:
    """A page that was split keeps what moved to another one, as one does whose last row was deleted."""
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as made:
        made.execute("pragma page_size = 4096")
        made.execute("pragma secure_delete = off")
        made.execute("create table t (id integer primary key, age)")
        made.execute("begin")
        made.executemany("insert into t values (?, ?)", [(key, "x" * 60) for key in keys])
        made.execute("commit")
        made.execute("delete from t where id = ?", (deleted,))
        told = of_sqlite(tmp_path / "x.db")
        made.execute("vacuum")
    assert told == (False, True)
    assert of_sqlite(tmp_path / "x.db") == (False, False)


@pytest.mark.parametrize("vacuumed", [False, True])
def test_a_table_that_the_list_of_tables_of_sqlite_has_lost(repository: Repository, *, vacuumed: bool) -> None:
    """Its pages are neither free nor of any table; no query shows them."""
    database(repository, "sqlite", "create table raw (name text)", "insert into raw values ('Ana Moreno')")
    with closing(sqlite3.connect(repository.top / "out/x.db", isolation_level=None)) as made:
        made.execute("pragma writable_schema = on")
        made.execute("delete from sqlite_master where name = 'raw'")
    if vacuumed:
        with closing(sqlite3.connect(repository.top / "out/x.db", isolation_level=None)) as made:
            made.execute("vacuum")
    assert (b"Ana Moreno" in (repository.top / "out/x.db").read_bytes()) is not vacuumed
    repository.commit()
    assert repository.gate("other").exit_code == (EXIT_MET if vacuumed else EXIT_NOT_EVALUATED)


@pytest.mark.parametrize("lost", [False, True])
def test_an_order_that_only_a_program_knows_does_not_hide_lost_pages(repository: Repository, *, lost: bool) -> None:
    database(repository, "sqlite", "create table raw (name text)", "insert into raw values ('Ana Moreno')")
    with closing(sqlite3.connect(repository.top / "out/x.db", isolation_level=None)) as made:
        made.create_collation("LOCALIZED", lambda one, other: (one > other) - (one < other))
        made.execute("create index i on t (age collate LOCALIZED)")
        if lost:
            made.execute("pragma writable_schema = on")
            made.execute("delete from sqlite_master where name = 'raw'")
        else:
            made.execute("drop table raw")
            made.execute("vacuum")
    repository.commit()
    assert repository.gate("other").exit_code == (EXIT_NOT_EVALUATED if lost else EXIT_MET)


def test_bytes_of_sqlite_that_no_page_has(repository: Repository) -> None:
    """Behind the last page, and in what the header keeps for extensions."""
    database(repository, "sqlite")
    file = repository.top / "out/x.db"
    content = file.read_bytes()
    for more in (content + b"Ana".ljust(4096, b"\0"), content[:72] + b"Ana, 31, flu".ljust(20, b"\0") + content[92:]):
        file.write_bytes(more)
        assert repository.gate("other").exit_code == EXIT_NOT_EVALUATED


def test_what_sqlite_counts_for_itself(repository: Repository) -> None:
    """The numbers of its tables; a row of anything else is one that nobody judges."""
    database(repository, "sqlite", "create table n (a integer primary key autoincrement)")
    with closing(sqlite3.connect(repository.top / "out/x.db")) as made:
        made.execute("insert into n values (7)")
        made.execute("delete from n")
        made.commit()
        assert repository.gate("other").exit_code == EXIT_MET
        made.execute("insert into sqlite_sequence values ('Ana Moreno', 'HIV')")
        made.commit()
    assert repository.gate("other").exit_code == EXIT_NOT_EVALUATED


@pytest.mark.parametrize("way", ["in one session", "later", "copied"])
def test_rows_that_were_deleted_of_duckdb(repository: Repository, way: str) -> None:
    deleting = [MANY, FORGOTTEN]
    database(repository, "duckdb", *(deleting if way == "in one session" else deleting[:1]))
    file = repository.top / "out/x.db"
    if way != "in one session":
        with duckdb.connect(str(file)) as made:
            made.execute(FORGOTTEN)
    if way == "copied":
        other = repository.top / "copy.db"
        with duckdb.connect() as made:
            made.execute(f"attach '{file}' as old (read_only); attach '{other}' as new; copy from database old to new")
        other.replace(file)
    found = repository.gate("other")
    assert found.exit_code == (EXIT_MET if way == "copied" else EXIT_NOT_EVALUATED)


def test_blocks_that_duckdb_has_freed_are_told(repository: Repository) -> None:
    """What they hold nobody can ask for; that there are some is said, for two sessions of inserts leave some, too."""
    database(repository, "duckdb")
    with duckdb.connect(str(repository.top / "out/x.db")) as made:
        made.execute("insert into t values ('40', '2', 'flu')")
    assert repository.gate("other").exit_code == EXIT_MET
    assert "COPY FROM DATABASE" in str(document(repository, "other"))
    with (repository.top / "out/x.db").open("ab") as file:
        file.write(b"Ana Moreno")
    assert repository.gate("other").exit_code == EXIT_NOT_EVALUATED


def test_what_a_variable_leads_to_is_the_houses_own(repository: Repository) -> None:
    """A table that is exported of a database outside: the file itself does not leave the house."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "trusted: {", "trusted: {env: [RAW], ")
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    database(repository, "duckdb", "create table raw as select 'Ana' as name")
    repository.replace("auditor.yaml", "duckdb:out/x.db", "${RAW}")
    assert repository.gate(environment={"RAW": f"duckdb://{repository.top}/out/x.db"}).exit_code == EXIT_MET
