"""The rows themselves, as codes in the order of the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from auditor.engines._protocol import Coded, ColumnUse, RowKeys
from auditor.engines.duckdb import column_sql, sql
from auditor.engines.duckdb.connection import Connection
from auditor.errors import OutOfMemory

BYTES_PER_VALUE = 16
"""What one value takes at the peak: its code, and the place and code of the column being fetched."""


def coded_rows(
    connection: Connection,
    what: str,
    relation: str,
    uses: Sequence[ColumnUse],
    columns: Mapping[str, tuple[str, str]],
) -> Coded:
    """Code the values of some columns, row by row.

    Numbering rows makes DuckDB keep the order of the source, although its connection does not keep it elsewhere. One
    column is fetched at a time: what is sorted or joined stays with the engine, which can spill it.
    """
    texts = {f"c{i}": column_sql.row_text(*columns[use.name], use.missing_values) for i, use in enumerate(uses)}
    connection.run(what, sql.number_rows("numbered", relation, texts))
    coded = coded_texts(connection, what, "numbered", len(uses))
    connection.run(what, "DROP TABLE numbered")
    return coded


def keyed_rows(
    connection: Connection, what: str, relation: str, use: ColumnUse, columns: Mapping[str, tuple[str, str]]
) -> RowKeys:
    """Hash the values of a column, row by row, numbered as `coded_rows` numbers them.

    Texts that are not the same are told apart by 128 bits: 64 of the text, and 64 of the text read backwards.
    """
    text = column_sql.row_text(*columns[use.name], use.missing_values)
    found = connection.arrays(what, sql.hashed(relation, text))
    place = found["place"]
    values = np.empty((len(place), 2), dtype=np.uint64, order="F")
    spellings, missing = np.empty(len(place), dtype=np.uint64), np.empty(len(place), dtype=np.bool_)
    values[place, 0], values[place, 1] = found["forwards"], found["backwards"]
    spellings[place], missing[place] = found["spelling"], found["missing"]
    return RowKeys(values, spellings, missing)


def coded_texts(connection: Connection, what: str, numbered: str, columns: int) -> Coded:
    """Code the texts c0, c1, … of rows that have a `place`."""
    records = int(connection.rows(what, f"SELECT count(*) FROM {numbered}")[0][0])
    size = records * max(4 * columns + BYTES_PER_VALUE, connection.limits.record_bytes)
    if size > connection.limits.rows_memory:
        raise OutOfMemory(
            f"{what}: its rows take about {size / 1e6:,.0f} MB in arrays, more than the memory limit leaves beside the "
            f"engine's part; {connection.limits.advice}"
        )
    codes = np.zeros((records, columns), dtype=np.int32, order="F")
    dictionaries = []
    for i in range(columns):
        connection.run(what, sql.code_column("dictionary", numbered, f"c{i}"))
        dictionaries.append(connection.texts(what, "SELECT v FROM dictionary ORDER BY code"))
        found = connection.arrays(what, sql.coded_column("dictionary", numbered, f"c{i}"))
        codes[found["place"], i] = found["code"]
    connection.run(what, "DROP TABLE IF EXISTS dictionary")
    return Coded(codes, tuple(dictionaries))
