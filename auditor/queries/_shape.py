"""The structural limits, judged for every query of a log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, partial

import numpy as np

from auditor.classes import IntArray
from auditor.inference.equations import collapse
from auditor.policy.queries import Coalition, Queries
from auditor.queries._asked import Extreme, Linear, Public, Query, Refused
from auditor.queries._records import Profiles
from auditor.queries._structure import breaks_size, largest_overlap, largest_overlaps, queries_needed
from auditor.queries._validity import moment_of
from auditor.queries._views import User
from auditor.result import StructuralFacts


class Shape:
    """Sizes, overlaps and numbers of the query sets.

    Without a limit on overlaps only the largest of all is looked for, and given up where that takes too long.
    """

    def __init__(self, profiles: Profiles, queries: Sequence[Query], policy: Queries, known: int) -> None:
        self._profiles = profiles
        self._queries = queries
        self._policy = policy
        self._known = known
        self._selecting = [i for i, query in enumerate(queries) if query.members is not None and query.query_set]

    @cached_property
    def violations(self) -> list[tuple[str, ...]]:
        """The rules that each query breaks, in the order of the log."""
        late = set(self._beyond())
        return [tuple(self._broken(i, late)) for i in range(len(self._queries))]

    def _broken(self, position: int, late: set[int]) -> Iterator[str]:
        query, limits = self._queries[position], self._policy.limits
        if _answered(query):
            size, limit = query.query_set, limits.query_set_size
            if limit is not None and size is not None and breaks_size(limit, size, population(query, self._profiles)):
                yield "query-set-size"
            if limits.max_overlap is not None and self._overlaps.get(position, 0) > limits.max_overlap:
                yield "overlap"
            if position in late:
                yield "too-many-queries"
        elif isinstance(query.asked, Refused) and not query.statement.failed:
            yield query.asked.construct

    @cached_property
    def _overlaps(self) -> dict[int, int]:
        """Of each query set the most records that it shares with an earlier one of the same user, or of anybody."""
        found: dict[int, int] = {}
        for positions in self._together():
            rows = [partial(_members, self._queries[i]) for i in positions]
            collapsed = collapse(rows, self._profiles.sizes).equations
            overlaps = largest_overlaps(collapsed.rows.astype(np.bool_), collapsed.sizes)
            found |= dict(zip(positions, overlaps.tolist(), strict=True))
        return found

    def _largest_overlap(self) -> int | None:
        """The most records that two query sets share of those that are compared; None where that is not known."""
        if self._policy.limits.max_overlap is not None:
            return max(self._overlaps.values(), default=0)
        largest = [largest_overlap(self._by_size(each), self._profiles.sizes) for each in self._together()]
        known = [each for each in largest if each is not None]
        return max(known, default=0) if len(known) == len(largest) else None

    def _by_size(self, positions: Sequence[int]) -> Iterator[IntArray]:
        """The profiles of each query set, the one with the most records first; of those asked again, once."""
        seen: set[int] = set()
        for position in sorted(positions, key=lambda each: -(self._queries[each].query_set or 0)):
            members = self._queries[position].members
            assert members is not None  # noqa: S101  (only such queries are compared)
            if id(members) not in seen:
                seen.add(id(members))
                yield members.places().astype(np.int64)

    def _together(self) -> Iterator[list[int]]:
        """The queries that are compared with each other."""
        if self._policy.scope != "per-user":
            yield self._selecting
            return
        by_user: dict[User, list[int]] = {}
        for position in self._selecting:
            by_user.setdefault(self._queries[position].statement.user, []).append(position)
        yield from by_user.values()

    def _beyond(self) -> Iterator[int]:
        """The queries after the last one that is allowed, of whoever puts answers together."""
        most = self._policy.limits.max_queries
        if most is None:
            return
        counts: Counter[User] = Counter()
        scope = self._policy.scope
        others = (
            scope.coalition - 1 if isinstance(scope, Coalition) else 0 if scope == "per-user" else len(self._queries)
        )
        for position, query in enumerate(self._queries):
            if _answered(query):
                user = query.statement.user
                counts[user] += 1
                allies = sorted((n for other, n in counts.items() if other != user), reverse=True)[:others]
                if counts[user] + sum(allies) > most:
                    yield position

    @property
    def facts(self) -> StructuralFacts:
        """What the shape of the whole log is, and what it proves; nothing where the overlaps are not known."""
        sizes = np.array([self._queries[i].query_set for i in self._selecting], dtype=np.int64)
        overlap = self._largest_overlap() if len(sizes) else None
        provable = overlap is not None and all(_is_unweighted_sum(q) for q in self._queries if _answered(q))
        return StructuralFacts(
            queries=sum(_answered(query) for query in self._queries),
            smallest_query_set=int(sizes.min()) if len(sizes) else None,
            largest_query_set=int(sizes.max()) if len(sizes) else None,
            largest_overlap=overlap,
            compromise_needs=queries_needed(int(sizes.min()), overlap or 0, self._known) if provable else None,
        )


def population(query: Query, profiles: Profiles) -> int:
    """How many records could contribute: those that are not missing the value that is asked about."""
    missing = np.zeros(len(profiles), dtype=np.bool_)
    if profiles.validity is not None and query.statement.time is not None:
        missing |= ~profiles.validity.at(moment_of(query.statement.time) or 0)
    for attribute in _attributes(query):
        missing |= profiles.missing[attribute]
    return int(profiles.sizes[~missing].sum())


def _members(query: Query) -> IntArray:
    assert query.members is not None  # noqa: S101  (only such queries are compared)
    return query.members.dense().astype(np.bool_)


def _answered(query: Query) -> bool:
    return not query.statement.failed and not isinstance(query.asked, Refused)


def _attributes(query: Query) -> set[str]:
    if isinstance(query.asked, Linear):
        return {quantity.attribute for quantity in query.asked.weights if not quantity.presence}
    return {query.asked.quantity.attribute} if isinstance(query.asked, Extreme) else set()


def _is_unweighted_sum(query: Query) -> bool:
    """Whether the bound of Dobkin, Jones and Lipton speaks of it: a sum of a set, or nothing protected at all."""
    if isinstance(query.asked, Public):
        return True
    if not isinstance(query.asked, Linear) or len(query.asked.weights) != 1:
        return False
    return next(iter(query.asked.weights.values())).dense().dtype == np.bool_
