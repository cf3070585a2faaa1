"""Columns of pandas in types that DuckDB reads exactly: what it would not read, or would round."""

from __future__ import annotations

from typing import Any

from auditor.engines import _object_texts
from auditor.engines._object_texts import object_texts
from auditor.errors import DataError

DOUBLE = 8
"""Bytes of a double."""


def exact(data: Any) -> Any:
    """A pandas DataFrame whose columns DuckDB reads exactly; the same one where it does.

    Raises:
        DataError: a column holds what cannot be read.
    """
    found = data
    for place in range(len(data.columns)):
        try:
            read = _column(data.iloc[:, place])
        except (ValueError, TypeError, NotImplementedError):  # pandas has no answer to what a type is asked
            raise unreadable("pandas DataFrame", data.columns[place], data.dtypes.iloc[place]) from None
        read = _forwards(data.iloc[:, place]) if read is None else read
        if read is not None:
            found = found.copy(deep=False) if found is data else found
            found.isetitem(place, read)
    return found


def _forwards(column: Any) -> Any | None:
    """A copy of a column that lies backwards in memory, as ``frame[::-1]`` leaves it; None for any other."""
    import numpy as np

    # What pandas keeps of a type of its own: `_ndarray`, and `_data` beside the mask of nullable types.
    kept = (getattr(column.array, name, None) for name in ("_ndarray", "_data"))
    return column.copy() if any(isinstance(each, np.ndarray) and each.strides[0] < 0 for each in kept) else None


def _column(column: Any) -> Any | None:
    """A column of pandas in a type that DuckDB reads exactly; None where it has one."""
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pd.SparseDtype):
        dense = column.sparse.to_dense()
        read = _column(dense)
        return dense if read is None else read
    if isinstance(kind, pd.CategoricalDtype):
        return _categories(column)
    if is_read_as_text(kind):
        return _texts(column)
    if isinstance(kind, pd.ArrowDtype) and str(kind.pyarrow_dtype) == "month_day_nano_interval":
        return pd.Series(interval_texts(column.array.__arrow_array__()), dtype=object)
    if isinstance(kind, pd.ArrowDtype) and str(kind.pyarrow_dtype).startswith(("decimal256", "halffloat")):
        return _canonical(column.astype(object))
    return _objects(column) if kind == object else _of_numpy(column)  # noqa: E721  (a dtype of numpy)


def _of_numpy(column: Any) -> Any | None:
    """Floats, times and durations that DuckDB would not read, or round."""
    long = getattr(column.dtype, "kind", "") == "f" and column.dtype.itemsize > DOUBLE
    return _as_double(column) if long else _nanoseconds(column)


def unreadable(what: str, column: Any, kind: Any) -> DataError:
    """The refusal of a column of a type that no engine reads, with the way out."""
    told = f"column {str(column)!r} is {kind}, which is not read"
    return DataError(f"{what}: {told}; cast it to a plain type, such as text, or leave it out")


def _as_double(column: Any) -> Any:
    """Floats of more bits than any file holds, as doubles that are the same numbers.

    Raises:
        DataError: a double would be another number.
    """
    double = column.astype("float64")
    if (column.notna() & (double.astype(column.dtype) != column)).any():
        raise DataError(
            f"pandas DataFrame: column {str(column.name)!r} is {column.dtype}, and holds numbers that no double can "
            "represent; round it with .astype('float64'), or write it as texts"
        )
    return double


def is_read_as_text(kind: Any) -> bool:
    """Whether a column of pandas, or its categories, are read as they are written: intervals, periods, complex."""
    import pandas as pd

    kind = kind.categories.dtype if isinstance(kind, pd.CategoricalDtype) else kind
    return isinstance(kind, pd.IntervalDtype | pd.PeriodDtype) or getattr(kind, "kind", "") == "c"


def interval_texts(column: Any) -> list[str | None]:
    """Arrow's intervals as ISO 8601 writes them, to the nanosecond."""
    return [None if value is None else _interval_text(*value) for value in column.to_pylist()]


def _interval_text(months: int, days: int, nanoseconds: int) -> str:
    sign, (seconds, part) = "-" if nanoseconds < 0 else "", divmod(abs(nanoseconds), 10**9)
    return f"P{months}M{days}DT{sign}{seconds}.{part:09}S"


def _nanoseconds(column: Any) -> Any | None:
    """Times and durations of which DuckDB would cut off the nanoseconds."""
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pd.DatetimeTZDtype) and kind.unit == "ns" and (column.dt.nanosecond.fillna(0) != 0).any():
        return column.dt.tz_convert("UTC").dt.tz_localize(None)
    if getattr(kind, "kind", "") == "m" and (column.dt.nanoseconds.fillna(0) != 0).any():
        return _texts(column)
    return None


def _categories(column: Any) -> Any | None:
    """Categories that are no texts, as the values that they are."""
    import pandas as pd

    kind = column.cat.categories.dtype
    if getattr(kind, "kind", "") in "iu":
        whole = pd.array(column.cat.categories, dtype="Int64" if kind.kind == "i" else "UInt64")
        return pd.Series(whole.take(column.cat.codes, allow_fill=True))
    values = column.cat.categories.to_series(name=column.name)
    read = _column(values)
    if read is None:
        return None
    return column.map(dict(zip(values, read, strict=True))).astype(object)


def _objects(column: Any) -> Any | None:
    """Objects that are all truth values, or anything but texts: equal values get one text."""
    import pandas as pd

    found = pd.api.types.infer_dtype(column, skipna=True)
    if found == "boolean":
        return column.astype("boolean")
    return None if found in ("string", "empty") else _canonical(column)


def are_alike(column: Any) -> bool:
    """Whether a column of pandas has values of several kinds that are one value."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.categories.to_series()
    if column.dtype != object or pd.api.types.infer_dtype(column, skipna=True) in ("string", "empty"):
        return False
    values = list(column)
    return _object_texts.are_alike(values, object_texts(values))


def _canonical(column: Any) -> Any:
    import pandas as pd

    return pd.Series(object_texts(list(column)), index=column.index, dtype=object)


def _texts(column: Any) -> Any:
    return column.astype(object).map(str, na_action="ignore").astype(object)
