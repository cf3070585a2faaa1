"""Tables in memory, of whatever kind: all that is part of the table, in types that engines read exactly.

The index of a pandas DataFrame is columns of the table, as it is in every file that the DataFrame is written to. What
an engine would not read, or would round, is read as the text or number that it is.
"""

from __future__ import annotations

import os
from typing import Any

from auditor.engines._arrow_columns import exact_table
from auditor.engines._frame_columns import are_alike, exact, is_read_as_text
from auditor.engines._object_texts import ALIKE
from auditor.errors import DataError

WIDE = ("Int128", "UInt128")
"""Types of Polars that no engine reads."""


def kind_of_frame(data: Any) -> str | None:
    """``pandas``, ``polars``, ``spark`` or ``arrow``; None for a path or a database."""
    if isinstance(data, str | os.PathLike):
        return None
    home = type(data).__module__.split(".")[0]
    if home == "pyspark":
        return "spark"
    return home if home in ("pandas", "polars") else "arrow"


def without_column(table: Any, column: str) -> Any:
    """A table without one of its columns."""
    kind = kind_of_frame(table)
    if kind == "pandas":
        return table.drop(columns=[column])
    return table.drop(column) if kind in ("polars", "spark") else table.drop_columns([column])


def as_type(column: Any, own: Any) -> Any:
    """A released pandas column in the type of the column that came in; of categories, with those that a row holds.

    A type of categories lists values of records that are suppressed or changed, and others that were never there. A
    column stays as it is with values that such a type does not list, and of intervals and periods with other ones.
    """
    kind = own.dtype
    if not hasattr(kind, "categories"):
        return _by_text(column, own) if is_read_as_text(kind) else column.astype(kind)
    if is_read_as_text(kind):
        column = _by_text(column, kind.categories.to_series())
    held = kind.categories[kind.categories.isin(column)]
    if not column.dropna().isin(held).all():
        return column
    return column.astype(type(kind)(held, ordered=kind.ordered))


def _by_text(column: Any, own: Any) -> Any:
    """A column of texts as the values of another one that are written so; as it is where it holds anything else."""
    values = own.dropna().unique()
    written = {str(value): value for value in values}
    if len(written) < len(values) or not column.dropna().isin(list(written)).all():
        return column
    return column.astype(object).map(written).astype(own.dtype)  # a type of texts would make texts of them


def readable(data: Any) -> Any:
    """A table in memory as an engine reads it exactly; what is none stays as it is.

    Raises:
        DataError: a column has no values that could be read, or no name.
    """
    home = type(data).__module__.split(".")[0]
    if home == "pandas":
        return exact(with_index(data))
    if home == "polars":
        return _polars(data)
    return exact_table(data) if home == "pyarrow" and hasattr(data, "set_column") else data


def notes_of(data: Any) -> tuple[str, ...]:
    """What is to be said of a table in memory as it is read."""
    if type(data).__module__.split(".")[0] != "pandas":
        return ()
    wide = with_index(data)
    return (ALIKE,) if any(are_alike(wide.iloc[:, place]) for place in range(len(wide.columns))) else ()


def with_index(data: Any) -> Any:
    """A pandas DataFrame with its index as columns; one without a name that only counts the rows is none.

    Raises:
        DataError: a level of the index has the name of a column; a Series has no name.
    """
    if not hasattr(data, "columns"):
        if data.name is None:
            raise DataError(f"pandas {type(data).__name__}: has no name; give it that of its column, with .rename('…')")
        data = data.to_frame()
    names = index_names(data)
    if not names:
        return data
    twice = [name for name in names if name in [str(column) for column in data.columns]]
    if twice:
        raise DataError(f"pandas DataFrame: its index and a column are both called {twice[0]!r}; rename one of them")
    levels = data.index.to_frame(index=False)
    levels.columns = names
    wide = data.reset_index(drop=True)
    for place, name in enumerate(names):
        wide.insert(place, name, levels[name])
    return wide


def index_names(data: Any) -> list[str]:
    """The names of the columns that the index of a pandas DataFrame is; none where it only counts the rows."""
    index = data.index
    given = list(index.names)
    if given == [None] and (type(index).__name__ == "RangeIndex" or _counts(index)):
        return []
    unnamed = "index" if len(given) == 1 else "level_{}"
    return [unnamed.format(place) if name is None else str(name) for place, name in enumerate(given)]


def _counts(index: Any) -> bool:
    """Whether an index holds 0, 1, 2, … and nothing else."""
    import pandas as pd

    return getattr(index.dtype, "kind", "O") in "iu" and bool(index.equals(pd.RangeIndex(len(index))))


def shaped_like(data: Any, table: Any) -> Any:
    """A released table as `data` came in: with its index those of its columns that were it, or as a LazyFrame."""
    if kind_of_frame(data) == "polars" and type(data).__name__ == "LazyFrame":
        return table.lazy()
    if kind_of_frame(data) != "pandas" or not hasattr(data, "columns"):
        return table
    own = index_names(data)
    here = [name for name in own if name in table.columns]
    if not here:
        return table
    found = table.set_index(here)
    found.index.names = [data.index.names[own.index(name)] for name in here]
    return found


def _polars(data: Any) -> Any:
    import polars as pl

    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, pl.Series):
        if not data.name:
            raise DataError("polars Series: has no name; give it that of its column, with .alias('…')")
        data = data.to_frame()
    kinds = {name: str(kind) for name, kind in data.schema.items()}
    for name, kind in kinds.items():
        if kind == "Object":
            raise DataError(
                f"polars DataFrame: column {name!r} holds Python objects, which are not read; cast it to a type, or "
                "leave it out"
            )
    wide = [pl.col(name).cast(pl.String) for name, kind in kinds.items() if kind in WIDE]
    half = [pl.col(name).cast(pl.Float32) for name, kind in kinds.items() if kind == "Float16"]
    spans = [name for name, kind in data.schema.items() if kind == pl.Duration("ns")]
    fine = [pl.col(name).to_physical() for name in spans if (data[name].to_physical() % 1000 != 0).any()]
    return data.with_columns(*wide, *half, *fine) if wide or half or fine else data
