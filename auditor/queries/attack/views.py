"""Whose answers are put together, and what those users know beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from auditor.policy.queries import Coalition, Queries

User = str | None
"""A user of the log; None stands for every statement that names none."""

Knowledge = Mapping[str, frozenset[int]]
"""For each insider the records, by row, whose protected values he knows."""


@dataclass(frozen=True)
class View:
    """The answers of some users together (None: of all), and the records that they know already."""

    users: frozenset[User] | None
    known: frozenset[int] = frozenset()
    insiders: tuple[str, ...] = ()

    def sees(self, user: User) -> bool:
        """Whether a user's answers are in it."""
        return self.users is None or user in self.users


def views(scope: Queries, users: Sequence[User], insiders: Knowledge) -> Iterator[View]:
    """Every view that the scope asks for, smaller coalitions first."""
    if scope.scope == "pooled":
        yield from pooled(insiders)
        return
    largest = 1
    if isinstance(scope.scope, Coalition):  # an insider may tell what he knows without having asked anything
        largest, users = scope.scope.coalition, list(dict.fromkeys([*users, *insiders]))
    for size in range(1, min(largest, len(users)) + 1):
        for together in combinations(users, size):
            yield view_of(together, insiders)


def view_of(users: Iterable[User], insiders: Knowledge) -> View:
    """The view of some users, with what those of them know who are insiders."""
    together = frozenset(users)
    knowing = tuple(sorted(user for user in together if user is not None and user in insiders))
    return View(together, frozenset().union(*(insiders[user] for user in knowing)), knowing)


def pooled(insiders: Knowledge) -> Iterator[View]:
    """The views of all answers together: with nothing known, then with what insiders know.

    What an insider knows is still disclosed to the others. So for each record that somebody knows there is the view of
    all insiders who do not, and for everybody else the view of all of them.
    """
    yield View(None)
    ignorant = {tuple(sorted(insiders))}
    for record in frozenset().union(*insiders.values()):
        ignorant.add(tuple(sorted(user for user, known in insiders.items() if record not in known)))
    for users in sorted(ignorant - {()}):
        yield View(None, frozenset().union(*(insiders[user] for user in users)), users)
