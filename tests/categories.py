"""Tables whose columns list values that no row holds, and what a release of them lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

NEVER = "never there"
KINDS = ("pandas", "pandas of Arrow", "polars", "polars enums", "arrow")


def table(kind: str, columns: Mapping[str, Sequence[str | None]]) -> Any:
    """The columns as categories, each with one that no row has."""
    lists = {
        name: [*dict.fromkeys(each for each in values if each is not None), NEVER] for name, values in columns.items()
    }
    indices = {n: [None if v is None else lists[n].index(v) for v in values] for n, values in columns.items()}
    arrow = pa.table(
        {
            name: pa.DictionaryArray.from_arrays(pa.array(indices[name], pa.int32()), pa.array(lists[name]))
            for name in columns
        }
    )
    if kind == "pandas":
        return pd.DataFrame({name: pd.Categorical(values, lists[name]) for name, values in columns.items()})
    if kind == "pandas of Arrow":
        return arrow.to_pandas(types_mapper=pd.ArrowDtype)
    if kind == "polars":
        return pl.DataFrame({name: pl.Series(values, dtype=pl.Categorical) for name, values in columns.items()})
    if kind == "polars enums":
        return pl.DataFrame({name: pl.Series(values, dtype=pl.Enum(lists[name])) for name, values in columns.items()})
    return arrow


def written(folder: Path, columns: Mapping[str, Sequence[str | None]]) -> list[Path]:
    """The columns as dictionaries, with one that no row has, in files of each format that has them."""
    arrow = table("arrow", columns)
    paths = [folder / name for name in ("feather/t.feather", "stream/t.arrow", "file/t.parquet")]
    for path in paths:
        path.parent.mkdir(parents=True)
    feather.write_feather(arrow, paths[0])
    with pa.ipc.new_stream(paths[1], arrow.schema) as stream:
        stream.write_table(arrow, max_chunksize=5)
    pq.write_table(arrow, paths[2])
    return paths


def unheld(release: Any, folder: Path) -> dict[str, set[Any]]:
    """What a release lists and no row of it holds, by column: in memory, and in Parquet made of it."""
    path = folder / "from_memory.parquet"
    found: dict[str, set[Any]] = {}
    if isinstance(release, pd.DataFrame):
        found = {
            str(name): set(release[name].dtype.categories) - set(release[name])
            for name in release.columns
            if isinstance(release[name].dtype, pd.CategoricalDtype)
        }
        release.to_parquet(path)
    elif isinstance(release, pl.DataFrame):
        found = {
            each.name: set(each.dtype.categories) - set(each) for each in release if isinstance(each.dtype, pl.Enum)
        }
        release.write_parquet(path)
    else:
        pq.write_table(release, path)
    in_file = unheld_in(path)
    return {name: found.get(name, set()) | in_file[name] for name in in_file}


def unheld_in(path: Path) -> dict[str, set[Any]]:
    """What the dictionaries of a Parquet file list and no row holds, row group by row group."""
    file = pq.ParquetFile(path)
    names = [each.name for each in file.schema_arrow if pa.types.is_string(_of(each.type))]
    file = pq.ParquetFile(path, read_dictionary=names)
    found: dict[str, set[Any]] = {name: set() for name in file.schema_arrow.names}
    for group in range(file.num_row_groups):
        part = file.read_row_group(group)
        for place, name in enumerate(part.column_names):
            column = part[name]
            statistics = file.metadata.row_group(group).column(place).statistics
            held = set(column.to_pylist())
            if pa.types.is_dictionary(column.type):
                found[name] |= {value for chunk in column.chunks for value in chunk.dictionary.to_pylist()} - held
            counted = None if statistics is None else statistics.distinct_count
            if counted is not None and counted > len(held - {None}):
                found[name].add(f"{counted} values are counted")
    return found


def _of(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
