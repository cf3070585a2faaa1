"""Tables that change: every version of a record is an unknown of its own, valid for a time.

A statement asked at a time t speaks of the versions with since ≤ t < until. A record that did not change is one
version, so that its value is the same unknown in every answer; what was inserted or deleted between two queries shows
up as the difference of their query sets, by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from auditor.queries._query import Aggregate, BoolArray, Extreme, Linear, Query, Refused, Statement, Weights
from auditor.queries.records.records import RecordProfiles
from auditor.queries.records.validity import moment_of
from auditor.queries.sql.reader import SqlReader


class StatementReader(Protocol):
    """What reads statements."""

    def read(self, statement: Statement) -> list[Query]:
        """The queries that a statement asks."""


def reader_of(profiles: RecordProfiles, dialect: str) -> StatementReader:
    """What reads statements about these records: at the time they were asked, where the records have versions."""
    return SqlReader(profiles, dialect) if profiles.validity is None else VersionedReader(profiles, dialect)


class VersionedReader:
    """Reads each statement about the versions that were valid when it was asked."""

    def __init__(self, profiles: RecordProfiles, dialect: str) -> None:
        self._profiles = profiles
        self._dialect = dialect
        self._readers: dict[bytes, tuple[BoolArray, SqlReader]] = {}

    def read(self, statement: Statement) -> list[Query]:
        """The queries that a statement asks; refused where the log does not say when."""
        moment = None if statement.time is None else moment_of(statement.time)
        if moment is None:
            return [Query(str(statement.number), statement, Refused("unknown-time"))]
        assert self._profiles.validity is not None  # noqa: S101  (only records with versions come here)
        valid = self._profiles.validity.at(moment)
        key = np.packbits(valid).tobytes()
        if key not in self._readers:
            self._readers[key] = valid, SqlReader(valid_only(self._profiles, valid), self._dialect)
        return [_widened(query, valid) for query in self._readers[key][1].read(statement)]


def valid_only(profiles: RecordProfiles, valid: BoolArray) -> RecordProfiles:
    """The records of some profiles."""
    kept = np.flatnonzero(valid[profiles.of_record])
    number = np.cumsum(valid) - 1
    return replace(
        profiles,
        codes=np.asfortranarray(profiles.codes[valid]),
        of_record=number[profiles.of_record[kept]],
        sizes=profiles.sizes[valid],
        protected={name: column.of_records(kept) for name, column in profiles.protected.items()},
        missing={name: missing[valid] for name, missing in profiles.missing.items()},
        keys=[profiles.keys[record] for record in kept.tolist()],
        units=None if profiles.units is None else profiles.units[kept],
        validity=None,
    )


def _widened(query: Query, valid: BoolArray) -> Query:
    """The same query, said of all profiles: those that were not valid do not contribute."""
    asked: Aggregate = query.asked
    if isinstance(asked, Linear):
        asked = _widened_sum(asked, valid)
    elif isinstance(asked, Extreme):
        asked = replace(asked, members=_wide(asked.members, valid))
    members = None if query.members is None else _wide(query.members, valid)
    return replace(query, asked=asked, members=members)


def _widened_sum(asked: Linear, valid: BoolArray) -> Linear:
    weights = {q: _wide(held, valid) for q, held in asked.weights.items()}
    return replace(asked, weights=weights, counts=tuple(_widened_sum(each, valid) for each in asked.counts))


def _wide(weights: Weights, valid: BoolArray) -> Weights:
    narrow = weights.dense()
    wide = np.zeros(len(valid), dtype=np.int64)
    wide[valid] = narrow
    return Weights.of(wide.astype(np.bool_) if narrow.dtype == np.bool_ else wide)
