"""What a DataFrame says of its columns beside their values.

Machine learning in Spark lists a column's values there, or says between which they lie. A record that is suppressed
would live on in it, in files, too: Spark writes it into the footers of Parquet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import functions as fn
from pyspark.sql.types import StructType


def only(frame: Any, kept: Mapping[int, Mapping[str, Any]]) -> Any:
    """A DataFrame with the metadata that is kept, by the places of columns, and none besides; no name has a dot."""
    for place, field in enumerate(frame.schema.fields):
        bare = _bare(field.dataType)
        if place not in kept and bare != field.dataType:
            frame = frame.withColumn(field.name, fn.col(field.name).cast(bare))
        wanted = dict(kept.get(place, {}))
        if (field.metadata or {}) != wanted:
            frame = frame.withMetadata(field.name, wanted)
    return frame


def _bare(kind: Any) -> Any:
    """A type whose own fields say nothing beside their names and types."""
    field = {"name": "v", "type": _without(kind.jsonValue()), "nullable": True, "metadata": {}}
    return StructType.fromJson({"type": "struct", "fields": [field]}).fields[0].dataType


def _without(written: Any) -> Any:
    """A type as Spark writes it in JSON, without metadata."""
    if isinstance(written, list):
        return [_without(each) for each in written]
    if isinstance(written, dict):
        return {key: {} if key == "metadata" else _without(each) for key, each in written.items()}
    return written
