"""How many records a query set shares at most with an earlier one that is not the same set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from auditor.classes import IntArray
from auditor.inference.linear.equations import collapse
from auditor.queries._query import Query
from auditor.queries.attack.views import User
from auditor.queries.measures import AskedQueries

_CHUNK = 1024
"""Queries compared at a time, so that the overlaps of a long log are never held all at once."""


def numbers(log: AskedQueries) -> Mapping[int, int]:
    """Of each query set the most records that it shares with an earlier one of the same user, or of anybody.

    Any two users may be a coalition, so that their sets are compared, however few queries they asked.
    """
    found: dict[int, int] = {}
    for places in together(log):
        found |= _of_all(log, places) if log.new == 0 else _of_new(log, places)
    return found


def together(log: AskedQueries) -> Iterator[list[int]]:
    """The places of the queries that select records, those that are compared with each other."""
    by_user: dict[User, list[int]] = {}
    for place, query in enumerate(log.queries):
        if query.members is not None and query.query_set:
            user = query.statement.user if log.policy.scope == "per-user" else None
            by_user.setdefault(user, []).append(place)
    yield from by_user.values()


def _of_all(log: AskedQueries, places: Sequence[int]) -> dict[int, int]:
    rows = [partial(_members, log.queries[place]) for place in places]
    collapsed = collapse(rows, log.profiles.sizes).equations
    overlaps = largest_overlaps(collapsed.rows.astype(np.bool_), collapsed.sizes)
    return dict(zip(places, overlaps.tolist(), strict=True))


def _of_new(log: AskedQueries, places: Sequence[int]) -> dict[int, int]:
    """The same of the last queries alone, set by set: what is decided while somebody waits."""
    found = {}
    for place in (each for each in places if each >= log.new):
        mine, most = _members(log.queries[place]), 0
        for earlier in (each for each in places if each < place):
            theirs = _members(log.queries[earlier])
            if not np.array_equal(mine, theirs):
                most = max(most, int(log.profiles.sizes[(mine & theirs).astype(np.bool_)].sum()))
        found[place] = most
    return found


def _members(query: Query) -> IntArray:
    assert query.members is not None  # noqa: S101  (only such queries are compared)
    return query.members.dense().astype(np.bool_)


def largest_overlaps(memberships: csr_array, sizes: IntArray) -> IntArray:
    """int64[m]: how many records each query set shares at most with an earlier one that is not the same set.

    `memberships` is bool[m, p] over atoms of `sizes` int64[p]. A repeated set tells nothing new, so the overlap with
    itself is not counted.
    """
    members = memberships.astype(np.int64).tocsr()
    weighted = (members @ _diagonal(sizes)).tocsr()
    totals = np.asarray(weighted.sum(axis=1)).reshape(-1)
    largest = np.zeros(members.shape[0], dtype=np.int64)
    for start in range(0, members.shape[0], _CHUNK):
        stop = min(start + _CHUNK, members.shape[0])
        shared = (weighted[start:stop] @ members[:stop].T).tocoo()
        rows, columns = shared.coords[0] + start, shared.coords[1]
        same = (shared.data == totals[rows]) & (shared.data == totals[columns])
        counted = (columns < rows) & ~same
        np.maximum.at(largest, rows[counted], shared.data[counted])
    return largest


def _diagonal(sizes: IntArray) -> csr_array:
    p = len(sizes)
    return csr_array((sizes, np.arange(p), np.arange(p + 1)), shape=(p, p))
