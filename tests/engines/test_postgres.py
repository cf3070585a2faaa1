"""PostgreSQL, against a private server on a loopback port (skipped where no server is installed)."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator

import pytest

import auditor
from auditor.cli import invoke
from auditor.engines import ColumnUse, open_data
from auditor.errors import DataError, Unsupported, UsageError
from tests.documents import without_work
from tests.engines import data
from tests.postgres import PASSWORD, Server, private_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with private_server() as running:
        yield running


@pytest.fixture(scope="module")
def people(server: Server) -> data.Table:
    table = data.people()
    server.keep("people", data.arrow(table))
    return table


@pytest.mark.parametrize("what", ["?table=people", "?table=public.people", "?query=SELECT * FROM people"])
def test_a_table_of_a_server_gives_the_document_of_a_file(what, server, people):
    given = (server.url(what), data.arrow(people))
    ours, theirs = (without_work(auditor.check(each, data.POLICY).to_dict()) for each in given)
    facts = ours.pop("data")
    assert facts["rows"] == theirs.pop("data")["rows"]
    assert PASSWORD not in str(facts)
    assert ours == theirs


def test_types_of_the_server(server):
    server.sql(
        "CREATE TABLE typed AS SELECT 1.10::numeric AS a, date '1969-12-31' AS b, true AS c, 7::bigint AS d, "
        "timestamp '2026-01-02 03:04:05' AS e, NULL::text AS f, 'NaN'::float8 AS g"
    )
    allowed = {"a": "1.10", "b": "1969-12-31", "c": "true", "d": "7", "e": "2026-01-02T03:04:05"}
    policy = {
        "attributes": dict.fromkeys("abcdefg", "insensitive"),
        "requirements": [
            {"id": name, "model": "allowed-values", "attribute": name, "values": [value], "missing": "forbidden"}
            for name, value in {**allowed, "f": "x", "g": "x"}.items()
        ],
    }
    found = {r.id: r.achieved for r in auditor.check(server.url("?table=typed"), policy).requirements}
    assert found == {**dict.fromkeys(allowed, 0), "f": 1, "g": 1}


@pytest.mark.parametrize(
    ("user", "password", "what", "reason"),
    [
        ("auditor", "falsch-0815", "?table=people", "does not accept this user and password"),
        ("nobody-4711", PASSWORD, "?table=people", "does not accept this user and password"),
        ("auditor", PASSWORD, "?table=nowhere", "no such table that the role can see (SQLSTATE 42P01)"),
        ("auditor", PASSWORD, "?table=nowhere.people", "no such table that the role can see (SQLSTATE 42P01)"),
        ("auditor", PASSWORD, "?query=SELECT no_such_column FROM people", "names a column that is not there"),
        ("auditor", PASSWORD, "?query=SELECT 1/0 AS a", "cannot compute a value as the query or view asks"),
        ("auditor", PASSWORD, "?query=SELECT nowhere(1)", "does not understand the query (SQLSTATE 42883)"),
        ("auditor", PASSWORD, "?table=people&sslmode=require", "cannot be encrypted as requested"),
        ("auditor", PASSWORD, "?table=people&nonsense=1", "the URL, or an option in it, cannot be read"),
        ("auditor", PASSWORD, "?table=people&service=nowhere", "PGSERVICE"),
    ],
)
def test_what_the_server_refuses(user, password, what, reason, server, people, tmp_path, capfd):
    (tmp_path / "p.yaml").write_text("attributes: {a: insensitive}\nrequirements: [{model: k-anonymity, k: 2}]\n")
    code = invoke(["check", server.url(what, user=user, password=password), "-p", str(tmp_path / "p.yaml")])
    out, err = capfd.readouterr()
    assert (code, out) == (3, "")
    assert reason in err
    for credential in (password, f"{user}:", f"{user}@", f'"{user}"'):
        assert credential not in err.removeprefix("auditor: ")


def test_no_such_database(server):
    with pytest.raises(DataError, match="no database of that name"):
        auditor.check(server.url("?table=people").replace("/postgres?", "/elsewhere?"), data.POLICY)


def test_a_query_that_writes_is_refused(server, people):
    for query in (
        "DELETE FROM people",
        "SELECT 1; DROP TABLE people",
        "WITH x AS (DELETE FROM people RETURNING 1) SELECT 1",
    ):
        with pytest.raises((UsageError, DataError)):
            auditor.check(server.url(f"?query={query}"), data.POLICY)
    assert auditor.check(server.url("?table=people"), data.POLICY).data.rows == len(people)


def test_no_server_is_there(capfd, tmp_path):
    pytest.importorskip("adbc_driver_postgresql", reason="the extra postgres is not installed")
    with socket.socket() as unused:  # bound, and not listening
        unused.bind(("127.0.0.1", 0))
        url = f"postgresql://u:{PASSWORD}@127.0.0.1:{unused.getsockname()[1]}/db?table=t&connect_timeout=2"
        with pytest.raises(DataError, match="no server answers there") as error:
            auditor.check(url, data.POLICY)
    assert PASSWORD not in str(error.value)
    with pytest.raises(DataError, match="the name of the host is not known") as error:
        auditor.check(f"postgresql://u:{PASSWORD}@nowhere.invalid/db?table=t", data.POLICY)
    assert PASSWORD not in str(error.value)


def test_without_the_extra_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    with pytest.raises(Unsupported, match="auditor\\[postgres\\]") as error:
        auditor.check(f"postgresql://u:{PASSWORD}@host/db?table=t", data.POLICY)
    assert PASSWORD not in str(error.value)


def test_a_private_server_has_the_settings_asked_for():
    """Nothing of the product: what other tests rely on when they ask for a log in a form of their own."""
    settings = {"log_destination": "jsonlog", "logging_collector": "on", "log_statement": "all"}
    with private_server(settings) as running:
        running.sql("SELECT 4711")
        logged = [json.loads(line) for line in running.log_with("SELECT 4711", ".json").read_text().splitlines()]
    assert any("SELECT 4711" in line.get("message", "") and line.get("user") == "auditor" for line in logged)
    assert not running.folder.exists()


def test_names_that_differ_only_in_case_are_two_columns(server):
    server.sql('CREATE TABLE cases AS SELECT 1 AS a, 2 AS "A", 3 AS "A_1"')
    with open_data(server.url("?table=cases")) as source:
        assert [column.name for column in source.columns] == ["a", "A", "A_1"]
        assert [source.dictionary(ColumnUse(name))[0] for name in ("a", "A", "A_1")] == [("1",), ("2",), ("3",)]
