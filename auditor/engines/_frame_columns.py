"""Columns of pandas in types that DuckDB reads exactly: what it would not read, or would round."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

WHOLE = 1e38
"""Below it floats that are whole numbers are written as such, whatever holds them."""
MOST_PLACES = 400
"""Decimals with so many digits before or behind the point are written out."""


def exact(data: Any) -> Any:
    """A pandas DataFrame whose columns DuckDB reads exactly; the same one where it does."""
    found = data
    for place in range(len(data.columns)):
        if (read := _column(data.iloc[:, place])) is not None:
            found = found.copy(deep=False) if found is data else found
            found.isetitem(place, read)
    return found


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
    return _objects(column) if kind == object else _nanoseconds(column)  # noqa: E721  (a dtype of numpy)


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
    values = column.cat.categories.to_series()
    read = _column(values)
    if read is None or str(kind) in ("object", "str", "string"):
        return None
    return column.map(dict(zip(values, read, strict=True))).astype(object)


def _objects(column: Any) -> Any | None:
    """Objects that are all truth values, or some of them numbers: equal numbers get one text."""
    import pandas as pd

    found = pd.api.types.infer_dtype(column, skipna=True)
    if found == "boolean":
        return column.astype("boolean")
    if found in ("integer", "floating", "mixed-integer-float", "mixed-integer", "decimal", "mixed"):
        return _canonical(column)
    return None


def _canonical(column: Any) -> Any:
    import pandas as pd

    # Series.map would make floats of large integers beside a missing value.
    return pd.Series([number_text(value) for value in column], index=column.index, dtype=object)


def number_text(value: Any) -> Any:
    """A number as the text that it shares with every equal one; everything else as it is."""
    if isinstance(value, Decimal) and not value.is_finite():
        value = float(value)
    if isinstance(value, Decimal):
        if abs(value.adjusted()) > MOST_PLACES:
            return str(value)
        text = format(value, "f")
        return (text.rstrip("0").rstrip(".") if "." in text else text) if value else "0"
    if isinstance(value, float):
        if value != value:  # noqa: PLR0124  (NaN)
            return None
        return str(int(value)) if abs(value) < WHOLE and value == int(value) else repr(float(value))
    return value


def _texts(column: Any) -> Any:
    return column.astype(object).map(str, na_action="ignore").astype(object)
