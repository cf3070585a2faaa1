"""How many records a query selects, or leaves out where that is fewer and the limit has both ends."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from auditor.policy.queries import QuerySetSize
from auditor.queries._query import Extreme, Linear, Query
from auditor.queries.measures import AskedQueries
from auditor.queries.records.records import RecordProfiles
from auditor.queries.records.validity import moment_of


def numbers(log: AskedQueries) -> Mapping[int, int]:
    """The smaller end of every query set."""
    limit = log.policy.limits.query_set_size
    assert limit is not None  # noqa: S101  (asked where it is set)
    asked = ((place, log.queries[place]) for place in log.places)
    return {place: _of(limit, query, log.profiles) for place, query in asked if query.query_set is not None}


def _of(limit: QuerySetSize, query: Query, profiles: RecordProfiles) -> int:
    size = query.query_set or 0
    return smaller_end(size, population(query, profiles)) if limit.both_ends else size


def smaller_end(size: int, population: int) -> int:
    """The records of a query set, or those of the `population` that it leaves out.

    Without the upper end a whole-table query minus a large one isolates whoever is left (k ≤ |C| ≤ N − k).
    """
    return min(size, population - size)


def population(query: Query, profiles: RecordProfiles) -> int:
    """How many records could contribute: those that are not missing the value that is asked about."""
    missing = np.zeros(len(profiles), dtype=np.bool_)
    if profiles.validity is not None and query.statement.time is not None:
        missing |= ~profiles.validity.at(moment_of(query.statement.time) or 0)
    for attribute in _attributes(query):
        missing |= profiles.missing[attribute]
    return int(profiles.sizes[~missing].sum())


def _attributes(query: Query) -> set[str]:
    if isinstance(query.asked, Linear):
        return {quantity.attribute for quantity in query.asked.weights if not quantity.presence}
    return {query.asked.quantity.attribute} if isinstance(query.asked, Extreme) else set()
