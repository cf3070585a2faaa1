"""The shape of a log: which limits on it every query breaks, and what it proves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from auditor.classes import IntArray
from auditor.policy.queries import Queries
from auditor.queries._query import Linear, Public, Query, Refused
from auditor.queries.attack._structure import largest_overlap, queries_needed
from auditor.queries.measures import AskedQueries, is_answered, max_overlap
from auditor.queries.records.records import RecordProfiles
from auditor.result.queries import StructuralFacts


class LogShape:
    """Sizes, overlaps and numbers of the query sets.

    Without a limit on overlaps only the largest of all is looked for, and given up where that takes too long.
    """

    def __init__(self, profiles: RecordProfiles, queries: Sequence[Query], policy: Queries, known: int) -> None:
        self.log = AskedQueries(profiles, policy, queries)
        self._known = known

    @cached_property
    def violations(self) -> list[tuple[str, ...]]:
        """The rules that each query breaks, in the order of the log."""
        return [self._broken(place) for place in range(len(self.log.queries))]

    def _broken(self, place: int) -> tuple[str, ...]:
        query = self.log.queries[place]
        if is_answered(query):
            return self.log.broken(place)
        refused = isinstance(query.asked, Refused) and not query.statement.failed
        return (query.asked.construct,) if refused and isinstance(query.asked, Refused) else ()

    @property
    def worst(self) -> dict[str, int | None]:
        """Of each limit on the shape, by its name, the number that is compared with the bound."""
        places = list(self.log.places)
        return {each.name: each.worst(places) for each in self.log.measured}

    def _largest_overlap(self) -> int | None:
        """The most records that two query sets share of those that are compared; None where that is not known."""
        for each in self.log.measured:
            if each.path == "max_overlap":
                return max(each.numbers.values(), default=0)
        sizes = self.log.profiles.sizes
        largest = [largest_overlap(self._by_size(each), sizes) for each in max_overlap.together(self.log)]
        known = [each for each in largest if each is not None]
        return max(known, default=0) if len(known) == len(largest) else None

    def _by_size(self, places: Sequence[int]) -> Iterator[IntArray]:
        """The profiles of each query set, the one with the most records first; of those asked again, once."""
        queries = self.log.queries
        seen: set[int] = set()
        for place in sorted(places, key=lambda each: -(queries[each].query_set or 0)):
            members = queries[place].members
            assert members is not None  # noqa: S101  (only such queries are compared)
            if id(members) not in seen:
                seen.add(id(members))
                yield members.places().astype(np.int64)

    @cached_property
    def facts(self) -> StructuralFacts:
        """What the shape of the whole log is, and what it proves; nothing where the overlaps are not known."""
        queries = self.log.queries
        sizes = [query.query_set for query in queries if query.members is not None and query.query_set]
        overlap = self._largest_overlap() if sizes else None
        provable = overlap is not None and all(_is_unweighted_sum(query) for query in queries if is_answered(query))
        return StructuralFacts(
            queries=sum(map(is_answered, queries)),
            smallest_query_set=min(sizes, default=None),
            largest_query_set=max(sizes, default=None),
            largest_overlap=overlap,
            compromise_needs=queries_needed(min(sizes), overlap or 0, self._known) if provable else None,
        )


def _is_unweighted_sum(query: Query) -> bool:
    """Whether the bound of Dobkin, Jones and Lipton speaks of it: a sum of a set, or nothing protected at all."""
    if isinstance(query.asked, Public):
        return True
    if not isinstance(query.asked, Linear) or len(query.asked.weights) != 1:
        return False
    return next(iter(query.asked.weights.values())).dense().dtype == np.bool_
