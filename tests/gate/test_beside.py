"""What the file of a database holds beside the table that is released: it leaves the house with it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import duckdb
import pytest

from auditor.cli import invoke
from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED
from tests.gate.repository import DATA, Repository

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
    assert f"{log} holds changes that are not in the file" in str(found)


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


def test_what_a_variable_leads_to_is_the_houses_own(repository: Repository) -> None:
    """A table that is exported of a database outside: the file itself does not leave the house."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "trusted: {", "trusted: {env: [RAW], ")
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    database(repository, "duckdb", "create table raw as select 'Ana' as name")
    repository.replace("auditor.yaml", "duckdb:out/x.db", "${RAW}")
    assert repository.gate(environment={"RAW": f"duckdb://{repository.top}/out/x.db"}).exit_code == EXIT_MET
