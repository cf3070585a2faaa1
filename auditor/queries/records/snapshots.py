"""A history of versions out of snapshots: the same table as it was at several times."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from auditor.dialect import CsvDialect
from auditor.engines import ColumnUse, RunLimits, open_data
from auditor.errors import DataError, UsageError
from auditor.policy import Policy
from auditor.queries.records.validity import moment_of

SINCE, UNTIL = "valid_since", "valid_until"


def with_history(
    data: Any, policy: Policy, limits: RunLimits, csv: CsvDialect | None
) -> tuple[Any, tuple[str, str] | None]:
    """The data, made into a history where it is a mapping of snapshots; and then the columns of its versions."""
    if not isinstance(data, Mapping):
        return data, None
    if not data:
        raise UsageError("no snapshot was given")
    return history(data, None if policy.queries is None else policy.queries.key, limits, csv), (SINCE, UNTIL)


def named(snapshots: Mapping[str, Any]) -> str:
    """What snapshots are called together in a result: files by their names."""
    names = [f"{time}={Path(data).name}" if isinstance(data, str | Path) else time for time, data in snapshots.items()]
    return f"snapshots {', '.join(names)}"


def history(
    snapshots: Mapping[str, Any], key: str | None, limits: RunLimits | None = None, csv: CsvDialect | None = None
) -> Any:
    """One table with a row for every version of a record, and when it was valid.

    Args:
        snapshots: the table by the time, in ISO 8601, from which on it was as it is; the last one still is.
        key: the column that names a record.
        limits: memory and time, as `auditor.engines.open_data` has them.
        csv: how CSV files are written; what it leaves open is found in them.

    A record that is the same in the next snapshot is the same version. Values are texts, as in CSV.
    """
    import pandas as pd

    if key is None:
        raise UsageError("snapshots need queries.key in the policy: the column that says which record is which")
    times = sorted(snapshots, key=_moment)
    if len({_moment(each) for each in times}) < len(times):
        raise UsageError("two snapshots have the same time; give each the time from which it was valid")
    frames = [_frame(snapshots[each], key, limits, csv) for each in times]
    columns = list(frames[0].columns)
    for each, frame in zip(times, frames, strict=True):
        if set(frame.columns) != set(columns):
            raise DataError(f"the snapshot of {each} has other columns than the one of {times[0]}")
    closed, current = [], frames[0].assign(**{SINCE: times[0]})
    for time, frame in zip(times[1:], frames[1:], strict=True):
        both = current.merge(frame, on=columns, how="outer", indicator="stands")
        gone = both["stands"] == "left_only"
        closed.append(both[gone].drop(columns="stands").assign(**{UNTIL: time}))
        current = both[~gone].drop(columns="stands")
        current[SINCE] = current[SINCE].where(current[SINCE].notna(), time)
    whole = pd.concat([*closed, current.assign(**{UNTIL: None})], ignore_index=True)
    return whole.astype(object).where(whole.notna(), None)


def _moment(text: str) -> int:
    moment = moment_of(text)
    if moment is None:
        raise UsageError(f"{text!r} is not a time in ISO 8601; write a snapshot as 2026-01-31=FILE")
    return moment


def _frame(data: Any, key: str, limits: RunLimits | None, csv: CsvDialect | None) -> Any:
    """A table as texts, in which every record stands once."""
    import pandas as pd

    with open_data(data, limits=limits, csv=csv) as source:
        names = [column.name for column in source.columns if column.usable]
        coded = source.coded([ColumnUse(name) for name in names])
        frame = pd.DataFrame(
            {
                name: np.array([*coded.dictionaries[i], None], dtype=object)[:-1][coded.codes[:, i]]
                for i, name in enumerate(names)
            },
            dtype=object,
        )
        if key not in names or frame[key].isna().any() or frame[key].duplicated().any():
            raise DataError(f"{source.facts.name}: column {key!r} does not name each record of the snapshot once")
    return frame
