"""Columns of Arrow in types that DuckDB reads exactly: what it would not read, or would round.

Half floats become floats, decimals of more than 38 digits the texts of the numbers that they are, and durations, of
which DuckDB would cut off the nanoseconds, whole numbers of them; intervals that have some are texts. Dictionaries and
runs of these are written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from auditor.engines._frame_columns import interval_texts
from auditor.engines._object_texts import number_text


def exact_table(table: Any, *, alike: bool = False) -> Any:
    """A table or batch of Arrow whose columns DuckDB reads exactly; the same one where it does.

    With `alike` what a type becomes does not depend on its values: durations without nanoseconds are numbers, too.
    """
    for place, field in enumerate(table.schema):
        wanted = _wanted(field.type)
        if wanted is None or (_may_be_finer(field.type, alike=alike) and not _finer(table.column(place))):
            continue
        table = table.set_column(place, field.name, _as(table.column(place), wanted))
    return table


def exact_stream(stream: Any) -> Any:
    """A stream of Arrow (``__arrow_c_stream__``) whose columns DuckDB reads exactly; the same one where it does."""
    import pyarrow as pa

    reader = pa.RecordBatchReader.from_stream(stream)
    kinds = [_wanted(field.type) for field in reader.schema]
    if not any(kinds):
        return reader
    pairs = list(zip(reader.schema, kinds, strict=True))
    schema = pa.schema(
        [field if kind is None else pa.field(field.name, pa.type_for_alias(kind)) for field, kind in pairs]
    )
    return pa.RecordBatchReader.from_batches(schema, _batches(reader, kinds, schema))


def _batches(reader: Any, kinds: list[str | None], schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    for batch in reader:
        columns = [each if kind is None else _as(each, kind) for each, kind in zip(batch.columns, kinds, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _wanted(kind: Any) -> str | None:
    """The name of the type that holds values of a type as DuckDB reads them; None where it reads the type itself."""
    from pyarrow import types

    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _wanted(kind.value_type)
    if types.is_float16(kind):
        return "float"
    if types.is_decimal256(kind) or types.is_interval(kind):
        return "string"
    return "int64" if types.is_duration(kind) and kind.unit == "ns" else None


def _plain(column: Any) -> Any:
    """A column without dictionaries or runs."""
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_run_end_encoded(column.type):
        return pc.run_end_decode(column)
    return column.cast(column.type.value_type) if types.is_dictionary(column.type) else column


def _may_be_finer(kind: Any, *, alike: bool) -> bool:
    """Whether values decide about a column of this type: an interval without nanoseconds stays what it is."""
    from pyarrow import types

    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _may_be_finer(kind.value_type, alike=alike)
    return bool(types.is_interval(kind) or (types.is_duration(kind) and not alike))


def _finer(column: Any) -> bool:
    """Whether durations or intervals have nanoseconds."""
    import pyarrow as pa

    if pa.types.is_interval(_plain(column).type):
        return any(value is not None and value.nanoseconds % 1000 for value in _plain(column).to_pylist())
    return any(number is not None and number % 1000 for number in _plain(column).cast(pa.int64()).to_pylist())


def _as(column: Any, wanted: str) -> Any:
    import pyarrow as pa

    plain = _plain(column)
    if pa.types.is_interval(plain.type):
        return pa.array(interval_texts(plain), pa.string())
    if wanted == "string":
        return pa.array([number_text(each) for each in plain.to_pylist()], pa.string())
    return plain.cast(pa.type_for_alias(wanted))
