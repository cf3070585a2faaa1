"""The columns of a table or query, and how each is read so that no value becomes another."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.engines import _grouping
from auditor.engines._grouping import ReadColumn, ValueKind
from auditor.engines._locate import DatabaseTable
from auditor.engines.postgres._server import Server

DIALECT = "postgres"
_KINDS = {
    **dict.fromkeys(("text", "varchar", "name"), ValueKind.TEXT),
    "bpchar": ValueKind.PADDED,
    "numeric": ValueKind.NUMBER,
    "interval": ValueKind.EXACT,
    **dict.fromkeys(("citext", "inet", "cidr", "macaddr", "macaddr8", "json", "jsonb"), ValueKind.CAST),
}
"""By the name of the type in the server; of the others equal values are the same, or they have none to group by."""


def source_of(table: DatabaseTable) -> str:
    """The table, or the query, as something to select from."""
    if table.table is not None:
        return _grouping.table(table.table, DIALECT)
    return _grouping.query(_grouping.single_select(table.query or "", DIALECT, table.name))


def shown(server: Server, source: str, names: Sequence[str]) -> list[ReadColumn]:
    """Every column as it is to be read, under the names c0, c1, …: two names may differ in nothing but case."""
    kinds = _without_padding(server, source, names, _kinds(server, source, names))
    kinds = _without_zeros(server, source, names, kinds)
    return [ReadColumn(name, kind, f"c{i}") for i, (name, kind) in enumerate(zip(names, kinds, strict=True))]


def _kinds(server: Server, source: str, names: Sequence[str]) -> list[ValueKind]:
    """Asked of the server: a domain counts as what it is made of, and an enumeration is read as text."""
    if not names:
        return []
    ((*types,),) = server.rows(_types(source, names))
    found = {given: (name, kind) for given, name, kind in server.rows(_base_types(types))}
    return [ValueKind.CAST if found[each][1] == "e" else _KINDS.get(found[each][0], ValueKind.PLAIN) for each in types]


def _without_padding(server: Server, source: str, names: Sequence[str], kinds: Sequence[ValueKind]) -> list[ValueKind]:
    """Columns of char(n) are read by their text, which has no blanks at the end: to the server they are none.

    A bpchar without a length has no padding, only blanks of its own: values that differ in them stay two.
    """
    padded = [name for name, kind in zip(names, kinds, strict=True) if kind is ValueKind.PADDED]
    if not padded:
        return list(kinds)
    wide = [f"octet_length({column}) - octet_length({text}) + char_length({text})" for column, text in
            ((_quoted(name), f"CAST({_quoted(name)} AS text)") for name in padded)]  # fmt: skip
    ((*same,),) = server.rows(
        f"SELECT {', '.join(f'min({each}) IS NOT DISTINCT FROM max({each})' for each in wide)} FROM {source}"
    )
    plain = {name for name, one in zip(padded, same, strict=True) if one}
    return [ValueKind.CAST if name in plain else kind for name, kind in zip(names, kinds, strict=True)]


def _without_zeros(server: Server, source: str, names: Sequence[str], kinds: Sequence[ValueKind]) -> list[ValueKind]:
    """Columns of numeric whose values have more places or fewer are read without zeros at their ends: 1.0 is 1.00.

    Where all have as many, as those of numeric(6, 2), no value has two texts, and each keeps its own.
    """
    numbers = [name for name, kind in zip(names, kinds, strict=True) if kind is ValueKind.NUMBER]
    if not numbers:
        return list(kinds)
    places = ", ".join(f"min(scale({name})) IS DISTINCT FROM max(scale({name}))" for name in map(_quoted, numbers))
    ((*differ,),) = server.rows(f"SELECT {places} FROM {source}")
    trimmed = {name for name, other in zip(numbers, differ, strict=True) if other}
    return [ValueKind.TRIMMED if name in trimmed else kind for name, kind in zip(names, kinds, strict=True)]


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
