"""What may find other rows whenever it is asked: counting in the server asks several times, so it is refused.

A query says it by its words; what views and functions hide, the server's plan shows, in which views are written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import sqlglot
from sqlglot import exp

from auditor.engines._locate import DatabaseTable
from auditor.engines.postgres._columns import DIALECT
from auditor.engines.postgres._server import Server
from auditor.errors import Unsupported

_VARYING = (exp.TableSample, exp.Limit, exp.Fetch, exp.Offset, exp.Rand, exp.Randn, exp.Uuid)
_NODES = ("Limit", "Sample Scan")
_CALLED = re.compile(r"""'(?:[^']|'')*'|("(?:[^"]|"")+"|\w+)\(""")
"""A text, or the name of what is called; what stands within a text is no call."""


def refuse_what_varies(table: DatabaseTable, source: str, server: Server) -> None:
    """Refuse a query or view whose rows are drawn anew at each read.

    Raises:
        Unsupported: it samples, takes some rows of many, or calls a function that answers anew (VOLATILE).
    """
    if table.query is not None and sqlglot.parse_one(table.query, dialect=DIALECT).find(*_VARYING):
        raise _refusal(table)
    # Without indexes the server's own way to find a least or greatest value, a LIMIT of 1, is not taken.
    settings = ("enable_indexscan", "enable_indexonlyscan")
    server.set_local(dict.fromkeys(settings, "off"))
    plan = server.plan(f"SELECT * FROM {source}")
    server.set_local(dict.fromkeys(settings, "DEFAULT"))
    told = list(_texts(plan))
    if any(text in _NODES for key, text in told if key == "Node Type") or _answers_anew(server, told):
        raise _refusal(table)


def _refusal(table: DatabaseTable) -> Unsupported:
    return Unsupported(
        f"{table.name}: may return different rows each time (LIMIT, OFFSET, TABLESAMPLE, random() or another "
        "function that "
        "is VOLATILE, in the query or in a view), and with --push-down it is asked several times; keep its result in a "
        "table first, or declare a function of your own STABLE if it is"
    )


def _answers_anew(server: Server, told: list[tuple[str, str]]) -> bool:
    """Whether a function is called that is not the same within a transaction; one that answers nothing is."""
    called = {found[1] for _, text in told for found in _CALLED.finditer(text) if found[1]}
    called |= {text for key, text in told if key == "Function Name"}
    names = {name[1:-1].replace('""', '"') if name.startswith('"') else name for name in called}
    if not names:
        return False
    listed = ", ".join("'" + name.replace("'", "''") + "'" for name in sorted(names))
    # STABLE is within a statement: of what the server brings along, only this differs between those of a transaction.
    return server.rows(
        "SELECT count(*) FROM pg_proc WHERE (provolatile = 'v' OR proname = 'statement_timestamp') "
        f"AND prorettype <> CAST('void' AS regtype) AND proname IN ({listed})"
    ) != [(0,)]


def _texts(told: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a plan, with the key that it stands under."""
    if isinstance(told, dict):
        for name, value in told.items():
            yield from _texts(value, name)
    elif isinstance(told, list):
        for value in told:
            yield from _texts(value, key)
    elif isinstance(told, str):
        yield key, told
