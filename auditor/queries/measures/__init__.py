"""Limits on the shape of a log: the number of a query that each is about, one per file.

A limit of the policy that has a file of its parameter's name here is judged by ``numbers(log)``: the number of each
query, by its place in the log; what has none breaks nothing. Nothing else has to know of it.

Such limits restrict what may be asked and prove little about what follows from the answers: a log may keep all of them
and disclose everybody (Denning, Denning & Schwartz 1979, trackers).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from auditor import registry
from auditor.direction import Stricter
from auditor.policy.demands import set_in
from auditor.policy.fields import directions
from auditor.policy.queries import Queries
from auditor.queries._query import Query, Refused
from auditor.queries.records.records import RecordProfiles


def is_measured(path: str) -> bool:
    """Whether a limit, by the path of its parameter, is one on the shape; else what follows from the answers is."""
    return _name(path) in registry.names(__name__)


def _name(path: str) -> str:
    return path.partition("/")[0].replace("_", "-")


@dataclass(frozen=True)
class Measured:
    """A limit that is set, by its path and its name in results, with the number of each query by its place."""

    path: str
    name: str
    bound: int
    direction: Stricter
    numbers: Mapping[int, int]

    def worst(self, places: Iterable[int]) -> int | None:
        """The number of some queries that is compared with the bound."""
        found = [self.numbers[place] for place in places if place in self.numbers]
        return (min if self.direction is Stricter.HIGHER else max)(found, default=None)

    def broken(self, places: Iterable[int]) -> bool:
        """Whether one of some queries breaks it."""
        worst = self.worst(places)
        return worst is not None and (worst < self.bound if self.direction is Stricter.HIGHER else worst > self.bound)


@dataclass(frozen=True)
class AskedQueries:
    """Queries in the order in which they were asked, of which those from the place `new` on are judged.

    Where no answer is given yet, `queries` are those that were answered, and `new` is where the statement begins.
    """

    profiles: RecordProfiles
    policy: Queries
    queries: Sequence[Query]
    new: int = 0

    @property
    def places(self) -> Iterator[int]:
        """The places of the queries that are judged."""
        return (place for place in range(self.new, len(self.queries)) if is_answered(self.queries[place]))

    @cached_property
    def measured(self) -> tuple[Measured, ...]:
        """The limits on the shape that are set, in the order of the policy's fields."""
        return tuple(
            Measured(path, limit.name, getattr(block, parameter), directions(type(block))[parameter], numbers)
            for path, block, limit in set_in(self.policy.limits)
            if is_measured(path)
            for parameter in [path.rpartition("/")[2]]
            for numbers in [registry.module(__name__, _name(path)).numbers(self)]
        )

    def broken(self, *places: int) -> tuple[str, ...]:
        """The limits that some queries break, by their names."""
        return tuple(each.name for each in self.measured if each.broken(places))


def is_answered(query: Query) -> bool:
    """Whether a query gave something to whoever asked it: what failed, or could not be read, counts as nothing."""
    return not query.statement.failed and not isinstance(query.asked, Refused)
