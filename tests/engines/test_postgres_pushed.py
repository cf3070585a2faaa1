"""Counting in the server: the same as a copy, value by value, and no row leaves it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import auditor
from auditor.audit._persons import NOT_LOOKED_AT
from auditor.engines import Allowed, ColumnUse, RunLimits, Source, open_data
from auditor.engines.postgres import PostgreSQL
from auditor.errors import DataError, OutOfTime, Unsupported
from tests.documents import without_work
from tests.engines import data
from tests.engines.test_postgres_session import end_all, in_the_background, sessions, until
from tests.postgres import PASSWORD, Server, private_server

pytestmark = pytest.mark.slow

PUSH = PostgreSQL()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with private_server() as running:
        running.sql(
            "CREATE EXTENSION IF NOT EXISTS citext",
            "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
            "CREATE TYPE mood AS ENUM ('sad', 'ok')",
            "CREATE DOMAIN price AS numeric",
            "CREATE DOMAIN fee AS price",
        )
        yield running


def literal(value: str | None) -> str:
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


@pytest.fixture(scope="module")
def people(server: Server) -> data.Table:
    table = data.people()
    server.keep("people", data.arrow(table))
    return table


def document(found: auditor.audit.CheckResult) -> dict[str, Any]:
    """Without what says where it was counted, how long it took, and that no row could be looked at."""
    told: dict[str, Any] = without_work(found.to_dict())
    told.pop("data")
    told["assumptions"] = [said for said in told["assumptions"] if said != NOT_LOOKED_AT]
    return told


def judged(url: str, policy: dict[str, Any]) -> list[dict[str, Any]]:
    return [document(auditor.check(url, policy, engine=engine)) for engine in (None, PUSH)]


@pytest.mark.parametrize("missing", ["value", "wildcard"])
@pytest.mark.parametrize("what", ["?table=people", "?query=SELECT * FROM people WHERE site <> 'n' -- all but one"])
def test_the_document_is_that_of_a_copy(what, missing, server, people):
    copied, pushed = judged(server.url(what), {**data.POLICY, "missing": missing})
    assert pushed == copied


TYPES = {
    "numeric": "(1.1), (1.10), (1.10), (1), ('NaN'), ('NaN'), ('Infinity'), (NULL), (12345678901234567890.5)",
    "numeric(6,2)": "(1.1), (1.10), (-0.00), (0), (NULL)",
    "fee": "(1.1), (1.10), (2), ('NaN')",
    "float8": "('-0'), (0), (0), ('NaN'), ('NaN'), ('Infinity'), (0.1), (1e300), (NULL), ('-0')",
    "float4": "('-0'), (0), ('NaN'), (0.1), (16777217)",
    "int2": "(-1), (3), (NULL)",
    "int8": "(9223372036854775807), (-9223372036854775808), (3), (3)",
    "oid": "(1), (1), (7)",
    "boolean": "(true), (false), (true), (NULL)",
    "date": "('1969-12-31'), ('0044-03-15 BC'), ('2026-01-02'), ('infinity'), (NULL), ('-infinity'), ('infinity')",
    "timestamp": "('2026-01-02 03:04:05'), ('2026-01-02 03:04:05.000001'), (NULL), ('infinity'), ('-infinity')",
    "timestamptz": "('2026-01-02 03:04:05+02'), ('2026-01-02 01:04:05+00'), ('2026-01-02 03:04:05+00')",
    "time": "('01:02:03'), ('24:00:00'), ('01:02:03')",
    "uuid": "('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'), (NULL)",
    "mood": "('sad'), ('ok'), ('ok'), (NULL)",
    "char(4)": "('a'), ('a '), ('A'), ('b   '), (NULL)",
    "bpchar": "('a'), ('a '), ('a  '), ('a'), (NULL)",
    "varchar(9)": "('a'), ('a '), ('A'), (''), (NULL), ('ß'), ('ss')",
    "text": "('Köln'), ('KÖLN'), ('köln'), ('a\u0301'), ('\u00e1'), (''), (NULL), ('NaN')",
    "text COLLATE blind": "('Köln'), ('KÖLN'), ('köln'), ('a\u0301'), ('\u00e1'), (NULL), ('KÖLN')",
    "citext": "('Köln'), ('KÖLN'), ('KÖLN'), (NULL)",
    "name": "('ab'), ('AB'), (NULL)",
    "inet": "('10.0.0.1'), ('10.0.0.1/32'), ('10.0.0.1/24'), ('::1')",
    "jsonb": """('{"a": 1}'), ('{"a": 1.0}'), ('{"a":1}'), (NULL)""",
    "json": """('{"a": 1}'), ('{"a":1}'), ('{"a": 1}'), (NULL)""",
    "money": "(1.5), (2), (1.5)",
}
DISTINCT = {"text COLLATE blind": 6, "citext": 3, "float8": 5, "bpchar": 4, "numeric": 5, "fee": 3, "jsonb": 3}
"""How many values some have, counted by hand: NaN of a number is missing, and 1.1 is 1.10, as everywhere."""


@pytest.mark.parametrize("kind", TYPES)
def test_values_are_told_apart_as_a_copy_tells_them_apart(kind, server):
    server.sql("DROP TABLE IF EXISTS one", f"CREATE TABLE one (v {kind})", f"INSERT INTO one VALUES {TYPES[kind]}")
    found = []
    for engine in (None, PUSH):
        with open_data(server.url("?table=one"), engine=engine) as source:
            labels, counts = source.dictionary(ColumnUse("v"))
            counted = source.count([ColumnUse("v", kind="auto")])
            order = counted.labels("v"), counted.frequencies("v").tolist(), counted.has_missing("v")
            few = Allowed(values=tuple(label for label in labels[:2] if label is not None), missing=False)
            found.append(
                (
                    source.columns,
                    source.records(),
                    dict(zip(labels, counts.tolist(), strict=True)),
                    order,
                    source.outside(ColumnUse("v"), few),
                    source.fingerprint(["v"]),
                )
            )
    copied, pushed = found
    assert pushed == copied
    assert len(copied[2]) == DISTINCT.get(kind, len(copied[2]))


@pytest.mark.parametrize("engine", [None, PUSH])
@pytest.mark.parametrize(
    ("kind", "first", "last"),
    [
        ("date", "4713-01-01 BC", "5874897-12-31"),
        ("timestamp", "4713-01-01 00:00:00 BC", "294246-12-31 23:59:59.999999"),
        ("timestamptz", "4713-01-01 00:00:00+00 BC", "294246-12-31 23:59:59.999999+00"),
    ],
)
def test_infinite_dates_are_called_what_the_server_calls_them(kind, first, last, engine, server):
    """The first date that PostgreSQL knows, and the last; of times the end of the last whole year that we read."""
    values = ", ".join(f"('{value}')" for value in ("infinity", "2026-01-02", last, "-infinity", first, "infinity"))
    server.sql("DROP TABLE IF EXISTS one", f"CREATE TABLE one (v {kind})", f"INSERT INTO one VALUES {values}, (NULL)")
    with open_data(server.url("?table=one"), engine=engine) as source:
        labels, counts = source.dictionary(ColumnUse("v"))
    found = {label and label[:9]: count for label, count in zip(labels, counts.tolist(), strict=True)}
    dates = dict.fromkeys((first[:9], "2026-01-0", last[:9]), 1)
    assert found == {None: 1, "-infinity": 1, **dates, "infinity": 2}


@pytest.mark.parametrize("engine", [None, PUSH])
def test_times_later_than_can_be_read_are_refused(engine, server):
    server.sql("DROP TABLE IF EXISTS one", "CREATE TABLE one AS SELECT timestamp '294276-12-31 23:59:59' AS \"When\"")
    with pytest.raises(DataError, match=r"column 'When' holds a time after the year 294246, later than can be read"):
        auditor.check(
            server.url("?table=one"),
            {"attributes": {"When": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 1}]},
            engine=engine,
        )


@pytest.mark.parametrize("kind", ["bytea", "integer[]", "point"])
def test_what_has_no_values_to_group_by(kind, server):
    server.sql("DROP TABLE IF EXISTS one", f"CREATE TABLE one (v {kind}, w text)")
    for engine in (None, PUSH):
        with open_data(server.url("?table=one"), engine=engine) as source:
            assert [column.usable for column in source.columns] == [False, True]
            with pytest.raises(DataError, match="'v' is nested or binary"):
                source.count([ColumnUse("v")])


words = st.one_of(st.none(), st.sampled_from(["a", "A", "a ", "", "ä", "Ä", "1", "1.0", "NA", "ﬀ", "'", '"']))
numbers = st.one_of(st.none(), st.sampled_from(["1", "1.0", "-0", "0", "NaN", "1e-7"]))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(words, numbers, numbers, words), min_size=1, max_size=40))
def test_any_table_gives_the_document_of_a_copy(rows, server):
    kinds = {"a": "text COLLATE blind", "b": "numeric", "c": "float8", 'D "x"': "text"}
    columns = ", ".join(f"{literal_name(name)} {kind}" for name, kind in kinds.items())
    listed = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    server.sql("DROP TABLE IF EXISTS any_table", f"CREATE TABLE any_table ({columns})")
    server.sql(f"INSERT INTO any_table VALUES {listed}")
    policy = {
        "attributes": {
            "a": "quasi-identifier",
            "b": "quasi-identifier",
            "c": {"role": "sensitive", "missing_values": ["1"]},
            'D "x"': "sensitive",
        },
        "requirements": [
            {"model": "k-anonymity", "k": 2},
            {"model": "distinct-l-diversity", "sensitive": ["c", 'D "x"'], "l": 2},
            {"model": "t-closeness", "sensitive": ["c"], "t": 0.3},
        ],
    }
    copied, pushed = judged(server.url("?table=any_table"), policy)
    assert pushed == copied


def literal_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def test_names_that_could_break_out(server):
    names = ['a"b', "select", "Größe; DROP TABLE people; --", "c0", "n", "a`b", "A", "a", "x' OR '1'='1"]
    columns = ", ".join(f"{literal_name(name)} text" for name in names)
    server.sql(f'CREATE TABLE "odd ""table"";--" ({columns})')
    server.sql(f"""INSERT INTO "odd ""table"";--" VALUES ({", ".join(f"'{i}'" for i in range(len(names)))})""")
    for engine in (None, PUSH):
        with open_data(server.url('?table=odd "table"%3B--'), engine=engine) as source:
            assert [column.name for column in source.columns] == names
            assert [source.dictionary(ColumnUse(name))[0] for name in names] == [(str(i),) for i in range(len(names))]
            counted = source.count([ColumnUse(name) for name in names])
            assert [counted.labels(name) for name in names] == [(str(i),) for i in range(len(names))]


def everything(source: Source) -> tuple[object, ...]:
    return source.records(), source.dictionary(ColumnUse("a"))[1].tolist(), source.count([ColumnUse("b")]).records


def test_an_audit_sees_one_state_though_the_table_changes(server):
    server.sql("DROP TABLE IF EXISTS moving", "CREATE TABLE moving (a text, b text)")
    server.sql("INSERT INTO moving SELECT i::text, 'x' FROM generate_series(1, 50) AS i")
    with open_data(server.url("?table=moving"), engine=PUSH) as source:
        assert source.records() == 50
        server.sql(
            "DELETE FROM moving WHERE a::int <= 20", "UPDATE moving SET b = a", "INSERT INTO moving VALUES ('', '')"
        )
        assert everything(source) == (50, [1] * 50, 50)
    assert server.ask("SELECT count(*) FROM moving") == [(31,)]
    with open_data(server.url("?table=moving"), engine=PUSH) as source:
        assert everything(source) == (31, [1] * 31, 31)


@pytest.mark.parametrize("change", ["TRUNCATE moved", "DROP TABLE moved", "ALTER TABLE moved DROP COLUMN b"])
def test_a_change_of_the_table_itself_waits_for_the_audit(change, server):
    server.sql(
        "DROP TABLE IF EXISTS moved", "CREATE TABLE moved AS SELECT i::text AS a, 'x' AS b FROM generate_series(1, 9) i"
    )
    with open_data(server.url("?table=moved"), engine=PUSH) as source, in_the_background(
        lambda: server.sql(change)
    ) as changed:  # fmt: skip
        until(lambda: server.ask("SELECT count(*) FROM pg_locks WHERE NOT granted") != [(0,)])
        assert everything(source) == (9, [1] * 9, 9)
        assert not changed.done()
        source.close()
    changed.result()


def test_a_writer_all_along(server):
    """Each transaction of the writer keeps the total: any mixture of two states would show."""
    server.sql("DROP TABLE IF EXISTS accounts", "CREATE TABLE accounts (a text, b text)")
    server.sql("INSERT INTO accounts SELECT (i % 7)::text, (i % 3)::text FROM generate_series(1, 210) AS i")
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            server.sql("BEGIN; DELETE FROM accounts; INSERT INTO accounts SELECT (i % 5)::text, (i % 2)::text "
                       "FROM generate_series(1, (random() * 50)::int * 10 + 10) AS i; COMMIT")  # fmt: skip

    with in_the_background(write):
        try:
            for _ in range(5):
                with open_data(server.url("?table=accounts"), engine=PUSH) as source:
                    records, values, counted = everything(source)
                assert records == sum(values) == counted
        finally:
            stop.set()


def test_a_connection_that_is_cut_in_the_middle(server):
    server.sql("DROP TABLE IF EXISTS kept", "CREATE TABLE kept AS SELECT 'x' AS a, 'y' AS b")
    with open_data(server.url("?table=kept"), engine=PUSH) as source:
        assert source.records() == 1
        server.ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'auditor'")
        with pytest.raises(DataError, match="the connection was cut"):
            source.count([ColumnUse("a")])
        with pytest.raises(DataError, match="the connection was cut"):
            source.dictionary(ColumnUse("a"))
    until(lambda: sessions(server) == 0)


SLOWLY = "?query=SELECT i::text AS a, pg_sleep(0.001)::text AS b FROM generate_series(1, 100000) AS i"
POLICY: dict[str, Any] = {"attributes": {"a": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 2}]}


def test_a_server_that_is_restarted_in_the_middle():
    with private_server() as server:
        with in_the_background(lambda: auditor.check(server.url(SLOWLY), POLICY, engine=PUSH)) as found:
            until(lambda: sessions(server, "AND state = 'active' AND query LIKE '%pg_sleep%'"))
            server.run("pg_ctl", "-D", "db", "-l", "log", "-m", "immediate", "-w", "restart")
        with pytest.raises(DataError, match="stopped or restarted"):
            found.result()


def test_limits_of_time(server):
    url = server.url(SLOWLY.replace("i::text", "pg_sleep(0.001)::text"))
    with pytest.raises(OutOfTime, match="time limit of 1 s"):
        auditor.check(url, POLICY, engine=PUSH, time_limit=1)
    with in_the_background(lambda: auditor.check(url, POLICY, engine=PUSH)) as found:
        end_all(server)
    assert isinstance(found.exception(), DataError)


def test_an_idle_transaction_that_the_server_ends(server):
    server.sql("DROP TABLE IF EXISTS idle", "CREATE TABLE idle AS SELECT 'x' AS a")
    url = server.url("?table=idle&options=-c%20idle_in_transaction_session_timeout%3D100")
    with open_data(url, engine=PUSH) as source:
        until(lambda: sessions(server) == 0)
        with pytest.raises(DataError, match=r"idle_in_transaction_session_timeout|the connection was cut"):
            source.records()


def test_rows_do_not_leave_the_server(server, people):
    with open_data(server.url("?table=people"), engine=PUSH) as source:
        for ask in (
            lambda: source.coded([ColumnUse("zip")]),
            lambda: source.snapshot(["zip"], [ColumnUse("zip")]),
        ):
            with pytest.raises(Unsupported, match="rows may not leave the server"):
                ask()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM people LIMIT 10",
        "SELECT * FROM people TABLESAMPLE BERNOULLI (50)",
        "SELECT zip FROM people WHERE random() < 0.5",
        "SELECT zip FROM (SELECT zip FROM people OFFSET 3) AS x",
    ],
)
def test_a_query_that_may_find_other_rows_each_time_is_refused(query, server, people):
    with pytest.raises(Unsupported, match="may return different rows each time"):
        open_data(server.url(f"?query={query}"), engine=PUSH)
    assert open_data(server.url(f"?query={query}")).columns[0].name == "zip"


@pytest.mark.parametrize(
    "asked",
    ["table=drawn", "table=drawn_again", "table=few", "query=SELECT clock_timestamp() AS v", "query=SELECT own() AS v",
     "query=SELECT statement_timestamp() AS v", "query=SELECT v FROM drawn_again WHERE v > 0"],
)  # fmt: skip
def test_what_a_view_or_function_draws_anew_is_refused(asked, server):
    server.sql(
        "CREATE OR REPLACE VIEW drawn AS SELECT random() AS v FROM generate_series(1, 5)",
        "CREATE OR REPLACE VIEW drawn_again AS SELECT v FROM drawn",
        "CREATE OR REPLACE VIEW few AS SELECT i AS v FROM generate_series(1, 5) AS i LIMIT 2",
        "CREATE OR REPLACE FUNCTION own() RETURNS float8 LANGUAGE plpgsql AS 'BEGIN RETURN random(); END'",
    )
    with pytest.raises(Unsupported, match="may return different rows each time"):
        open_data(server.url(f"?{asked}"), engine=PUSH)


@pytest.mark.parametrize("asked", ["now()", "'random()'::text", "(SELECT max(i) FROM indexed)"])
def test_what_is_the_same_all_along_is_counted(asked, server):
    server.sql("CREATE TABLE IF NOT EXISTS indexed (i int PRIMARY KEY)")
    with open_data(server.url(f"?query=SELECT {asked} AS v"), engine=PUSH) as source:
        assert source.records() == 1


@pytest.mark.parametrize("engine", [None, PUSH])
def test_the_padding_of_char_is_no_part_of_a_value(engine, server):
    server.sql(
        "DROP TABLE IF EXISTS one", "CREATE TABLE one (v char(3))", "INSERT INTO one VALUES ('x'), ('y '), ('ab')"
    )
    with open_data(server.url("?table=one"), engine=engine) as source:
        assert source.dictionary(ColumnUse("v", missing_values=("x",)))[0] == (None, "ab", "y")


@pytest.mark.parametrize("engine", [None, PUSH])
def test_a_quoted_name_of_a_table_is_a_name(engine, server):
    server.sql('CREATE SCHEMA IF NOT EXISTS "s.x"', 'DROP TABLE IF EXISTS "s.x"."a.b""c"')
    server.sql('CREATE TABLE "s.x"."a.b""c" AS SELECT 7 AS v')
    with open_data(server.url('?table="s.x"."a.b""c"'), engine=engine) as source:
        assert source.dictionary(ColumnUse("v"))[0] == ("7",)


def test_other_data_is_counted_in_this_process(people):
    ours, theirs = (auditor.check(data.arrow(people), data.POLICY, engine=engine) for engine in (PUSH, None))
    assert document(ours) == document(theirs)


def test_more_combinations_than_the_memory_holds(server):
    """96 MB of texts within 128 MiB, of which the engine gets 60 %: batches go to disk."""
    server.sql(
        "DROP TABLE IF EXISTS many",
        "CREATE TABLE many AS SELECT repeat(md5(i::text), 10) AS a, (i % 3)::text AS b "
        "FROM generate_series(1, 300000) AS i",
    )
    with open_data(server.url("?table=many"), engine=PUSH, limits=RunLimits.of("128MiB")) as source:
        assert source.fingerprint(["a", "b"])[0] == 300000


def test_the_password_is_nowhere(server, people, tmp_path):
    result = auditor.check(server.url("?table=people"), data.POLICY, engine=PUSH)
    assert PASSWORD not in str(result.to_dict())


def test_the_printed_statement_counts_what_the_rows_hold(server):
    server.sql(
        "DROP TABLE IF EXISTS printed",
        "CREATE TABLE printed (a text COLLATE blind, b numeric, c float8)",
        "INSERT INTO printed VALUES ('ä', 1.0, 'NaN'), ('Ä', 1.00, 2), ('ä', 1.0, 'NaN'), (NULL, NULL, NULL)",
    )
    policy = {
        "attributes": {"a": "quasi-identifier", "b": "sensitive", "c": {"role": "sensitive", "type": "number"}},
        "requirements": [{"model": "k-anonymity", "k": 2}],
    }
    found = server.ask(auditor.counting_sql(policy, "public.printed", "postgres"))
    assert set(found) == {("ä", "1", None, 2), ("Ä", "1", "2", 1), (None, None, None, 1)}


@pytest.mark.parametrize("digits", [-15, 0, 1, 3])
def test_the_printed_statement_tells_floats_apart_whatever_the_session_shows(digits, server):
    policy = {"attributes": {"v": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 1}]}
    values = "('NaN'), (NULL), ('0'), ('-0'), (0.3), (0.1::float8 + 0.2::float8)"
    server.sql("DROP TABLE IF EXISTS one", "CREATE TABLE one (v float8)", f"INSERT INTO one VALUES {values}")
    server.sql(f"ALTER ROLE CURRENT_USER SET extra_float_digits = {digits}")
    try:
        found = server.ask(auditor.counting_sql(policy, "one", "postgres"))
    finally:
        server.sql("ALTER ROLE CURRENT_USER RESET extra_float_digits")
    assert set(found) == {(None, 2), ("0", 2), ("0.3", 1), ("0.30000000000000004", 1)}
