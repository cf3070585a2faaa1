"""The columns of a table or query, and how each is read so that no value becomes another."""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp

from auditor.engines import _grouping
from auditor.engines._grouping import Kind, Shown
from auditor.engines._locate import Table
from auditor.engines.postgres._server import Server
from auditor.errors import Unsupported

DIALECT = "postgres"
_KINDS = {
    **dict.fromkeys(("text", "varchar", "name"), Kind.TEXT),
    "bpchar": Kind.PADDED,
    **dict.fromkeys(("numeric", "interval"), Kind.EXACT),
    **dict.fromkeys(("citext", "inet", "cidr", "macaddr", "macaddr8", "json", "jsonb"), Kind.CAST),
}
"""By the name of the type in the server; of the others equal values are the same, or they have none to group by."""


def source_of(table: Table) -> str:
    """The table, or the query, as something to select from."""
    if table.table is not None:
        return _grouping.table(table.table, DIALECT)
    return _grouping.query(_grouping.single_select(table.query or "", DIALECT, table.name))


_VARYING = (exp.TableSample, exp.Limit, exp.Fetch, exp.Offset, exp.Rand, exp.Randn, exp.Uuid)


def refuse_what_varies(table: Table) -> None:
    """Refuse a query that may find other rows whenever it is asked: counting in the server asks several times.

    Raises:
        Unsupported: it samples, or takes some rows of many.
    """
    if table.query is None:
        return
    if sqlglot.parse_one(table.query, dialect=DIALECT).find(*_VARYING):
        raise Unsupported(
            f"{table.name}: the query may find other rows each time (LIMIT, OFFSET, TABLESAMPLE, random()), and with "
            "--push-down it is asked several times; keep its result in a table first"
        )


def shown(server: Server, source: str, names: Sequence[str]) -> list[Shown]:
    """Every column as it is to be read, under the names c0, c1, …: two names may differ in nothing but case."""
    kinds = _kinds(server, source, names)
    return [Shown(name, kind, f"c{i}") for i, (name, kind) in enumerate(zip(names, kinds, strict=True))]


def _kinds(server: Server, source: str, names: Sequence[str]) -> list[Kind]:
    """Asked of the server: a domain counts as what it is made of, and an enumeration is read as text."""
    if not names:
        return []
    ((*types,),) = server.rows(_types(source, names))
    found = {given: (name, kind) for given, name, kind in server.rows(_base_types(types))}
    return [Kind.CAST if found[each][1] == "e" else _KINDS.get(found[each][0], Kind.PLAIN) for each in types]


def _types(source: str, names: Sequence[str]) -> str:
    """The number of each column's type, though there is no row."""
    wanted = ", ".join(f"CAST(CAST(pg_typeof(none.{_quoted(name)}) AS oid) AS bigint)" for name in names)
    return f"SELECT {wanted} FROM (SELECT 1) AS one LEFT JOIN ({_grouping.nothing(source)}) AS none ON TRUE"


def _base_types(types: Sequence[int]) -> str:
    """The name and class of each type, or of the type that a domain is made of."""
    listed = ", ".join(str(int(each)) for each in sorted(set(types)))
    return (
        "WITH RECURSIVE base(given, type) AS ("
        f"SELECT oid, oid FROM pg_type WHERE oid IN ({listed}) UNION ALL "
        "SELECT given, typbasetype FROM base JOIN pg_type ON pg_type.oid = type WHERE typtype = 'd') "
        "SELECT CAST(given AS bigint), CAST(typname AS text), CAST(typtype AS text) "
        "FROM base JOIN pg_type ON pg_type.oid = type WHERE typtype <> 'd'"
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
