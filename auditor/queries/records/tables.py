"""Public tables: what everybody can read, and a statement may join."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.engines import ColumnUse, RunLimits, open_data
from auditor.errors import DataError, nearest
from auditor.policy.schema import Policy
from auditor.queries.values.values import PublicColumn, is_floating, source_readings


@dataclass(frozen=True)
class JoinedTable:
    """A public table: `codes` is int32[n, d], and `key` the columns that a join has to equate."""

    columns: tuple[PublicColumn, ...]
    codes: NDArray[np.int32]
    key: tuple[str, ...]

    def column(self, name: str) -> tuple[PublicColumn, int]:
        """A column and its place."""
        return next((column, i) for i, column in enumerate(self.columns) if column.name == name)


def read_public_tables(policy: Policy, limits: RunLimits | None = None) -> Mapping[str, JoinedTable]:
    """The public tables of a policy's `queries`.

    Raises:
        DataError: one cannot be read, or lacks a column of its key.
    """
    declared = policy.queries.public_tables if policy.queries is not None else {}
    found = {}
    for name, table in declared.items():
        path = policy.file_at(f"queries/public_tables/{name}/data") or table.data
        csv = policy.dialect()
        with open_data(path, limits=limits, csv=csv) as source:
            types = {column.name: column.type for column in source.columns if column.usable}
            for key in table.key:
                if key not in types:
                    near = nearest(key, list(types))
                    raise DataError(f"the public table {name!r} has no column {key!r}{near}, its key")
            coded = source.coded([ColumnUse(column) for column in types])
            columns = tuple(
                PublicColumn(column, labels, source_readings(kind), floating=is_floating(kind), csv=csv)
                for (column, kind), labels in zip(types.items(), coded.dictionaries, strict=True)
            )
        found[name] = JoinedTable(columns, coded.codes, table.key)
    return found
