"""Clauses whose literals all have one sign: which variables have one value in every solution.

Each clause asks that one of its variables is true, or that one of them is false. To satisfy such clauses is NP-complete
(Gold 1978, doi:10.1016/S0019-9958(78)90562-4), and they are searched exactly: unit propagation and backtracking (Davis,
Logemann & Loveland 1962, doi:10.1145/368273.368557), one connected part at a time.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Clause:
    """One of `variables` has the value `wanted`."""

    wanted: bool
    variables: frozenset[int]


@dataclass(frozen=True)
class Forced:
    """What every solution of one connected part shares.

    `values` are the variables that have one value only, `clauses` the positions of the part's clauses. `satisfiable` is
    None where the deadline passed.
    """

    variables: frozenset[int]
    clauses: tuple[int, ...]
    satisfiable: bool | None
    values: dict[int, bool]


class _OutOfTime(Exception):  # noqa: N818
    pass


def forced(clauses: Sequence[Clause], deadline: float) -> Iterator[Forced]:
    """What follows, part by part; clauses that nothing can take all variables from are left out."""
    kept = _contested(clauses)
    for places in _parts([clauses[position] for position in kept]):
        positions = tuple(kept[place] for place in places)
        of_part = [clauses[position] for position in positions]
        variables = frozenset().union(*(clause.variables for clause in of_part))
        try:
            values = _forced(of_part, variables, deadline)
        except _OutOfTime:
            yield Forced(variables, positions, None, {})
        else:
            yield Forced(variables, positions, values is not None, values or {})


def _contested(clauses: Sequence[Clause]) -> list[int]:
    """Positions of clauses that can decide anything.

    To satisfy k clauses of the other sign takes k variables at most, and what is tried besides is one more: a clause
    with more than k + 1 variables keeps one for itself, so that it can be satisfied whatever the others do.
    """
    kept = list(range(len(clauses)))
    while True:
        opposite = {sign: sum(clauses[position].wanted is not sign for position in kept) for sign in (True, False)}
        left = [p for p in kept if len(clauses[p].variables) <= opposite[clauses[p].wanted] + 1]
        if len(left) == len(kept):
            return kept
        kept = left


def _parts(clauses: Sequence[Clause]) -> Iterator[tuple[int, ...]]:
    """Positions of clauses that share variables, directly or through others."""
    holding = defaultdict(list)
    for position, clause in enumerate(clauses):
        for variable in clause.variables:
            holding[variable].append(position)
    left = set(range(len(clauses)))
    while left:
        part, queue = [], [left.pop()]
        while queue:
            part.append(queue.pop())
            near = {other for variable in clauses[part[-1]].variables for other in holding[variable]} & left
            left -= near
            queue.extend(near)
        yield tuple(sorted(part))


def _forced(clauses: Sequence[Clause], variables: frozenset[int], deadline: float) -> dict[int, bool] | None:
    """The shared values; None where there is no solution. A solution found clears all it differs on."""
    first = _solution(clauses, {}, deadline)
    if first is None:
        return None
    shared = {variable: first.get(variable) for variable in variables}
    for variable in sorted(variables):
        value = shared[variable]
        if value is None:
            continue
        other = _solution(clauses, {variable: not value}, deadline)
        if other is not None:
            shared = {v: kept if other.get(v) == kept else None for v, kept in shared.items()}
    return {variable: value for variable, value in shared.items() if value is not None}


def _solution(clauses: Sequence[Clause], assumed: dict[int, bool], deadline: float) -> dict[int, bool] | None:
    """Values that satisfy every clause and extend those assumed; variables left out may have either."""
    wanted = {sign: Counter(v for c in clauses if c.wanted is sign for v in c.variables) for sign in (True, False)}
    stack = [assumed]
    while stack:
        if time.monotonic() > deadline:
            raise _OutOfTime
        values = _propagated(clauses, stack.pop())
        if values is None:
            continue
        clause = next((c for c in clauses if not _satisfied(c, values)), None)
        if clause is None:
            return values
        against = wanted[not clause.wanted]
        variable = min((v for v in clause.variables if v not in values), key=lambda v: (against[v], v))
        stack.append({**values, variable: not clause.wanted})
        stack.append({**values, variable: clause.wanted})
    return None


def _satisfied(clause: Clause, values: dict[int, bool]) -> bool:
    return any(values.get(variable) is clause.wanted for variable in clause.variables & values.keys())


def _propagated(clauses: Sequence[Clause], values: dict[int, bool]) -> dict[int, bool] | None:
    """Add what clauses with one variable left ask for; None where one has none left."""
    values = dict(values)
    changed = True
    while changed:
        changed = False
        for clause in clauses:
            if len(clause.variables) > len(values) + 1 or _satisfied(clause, values):
                continue
            free = [variable for variable in clause.variables if variable not in values]
            if not free:
                return None
            if len(free) == 1:
                values[free[0]], changed = clause.wanted, True
    return values
