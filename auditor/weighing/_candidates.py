"""What a sweep tries: masking methods with their parameters, each under a short name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Any

from auditor.errors import UsageError
from auditor.masking import Method
from auditor.masking.microaggregation import Microaggregation
from auditor.masking.rank_swapping import RankSwapping

MOST = 1_000
"""More candidates than this are refused: the answer would be no page that somebody reads."""
KINDS = frozenset({"kind", "matrix"})
"""The parameters that say which kind of a method it is."""
CONFIDENTIAL = "confidential"
BLOCK = "protection"
"""The method of a candidate that is several methods, one after the other."""
BESIDE = " + "
"""Stands between the names of the methods of such a candidate."""


@dataclass(frozen=True)
class Trial:
    """One way to mask: a method, or several that are applied in order; `confidential` parameters are never shown."""

    name: str
    methods: tuple[Method, ...]
    confidential: frozenset[str] = frozenset()
    parts: tuple[str, ...] = ()
    """The names of the candidates that are put together in it; none where it is one method."""

    @property
    def method(self) -> str:
        """The method's name in policy files; for several, that of the block, for none, that nothing is masked."""
        return self.methods[0].name if len(self.methods) == 1 else BLOCK if self.methods else "none"

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every column that it masks, once."""
        return tuple(dict.fromkeys(name for method in self.methods for name in method.attributes))

    @property
    def parameters(self) -> dict[str, Any]:
        """What may be shown of a single method's parameters; of several, nothing."""
        own = self.methods[0].parameters() if len(self.methods) == 1 else {}
        return {name: CONFIDENTIAL if name in self.confidential else value for name, value in own.items()}


@dataclass(frozen=True)
class Tried:
    """What is tried; `narrowed` where methods are put together with their own parameters only, for there are too many.

    The values that were swept are then tried alone.
    """

    candidates: tuple[Trial, ...]
    narrowed: bool = False


def candidates(protection: Sequence[Method], confidential: Sequence[frozenset[str]] | None = None) -> Tried:
    """Each method of a policy's block with each combination of its sweep, and those of different columns together.

    `confidential` has, for each method, the parameters that are not shown, neither as such nor in the name.

    Methods that mask different columns are also tried together, as many as possible, each with every value of its
    sweep; those that mask the same are taken for alternatives. Where all that would be more than `MOST`, they are tried
    together with their own parameters, and the first of these.

    Raises:
        UsageError: the methods alone are more than `MOST`.
    """
    hidden = [frozenset[str]() for _ in protection] if confidential is None else confidential
    swept = [method.swept() for method in protection]
    count = sum(map(len, swept))
    if count > MOST:
        raise UsageError(f"the policy's protection lists {count:,} methods with their sweeps; at most {MOST:,}")
    alone = iter(_named([(each, own) for methods, own in zip(swept, hidden, strict=True) for each in methods]))
    of_entries = [tuple(islice(alone, len(methods))) for methods in swept]
    sets, room = list(islice(_together(protection), MOST + 1)), MOST - count
    narrowed = sum(prod(len(of_entries[n]) for n in each) for each in sets) > room
    choices = (
        choice for each in sets for choice in product(*(of_entries[n][:1] if narrowed else of_entries[n] for n in each))
    )
    whole = tuple(_joined(choice) for choice in islice(choices, room))
    return Tried((*(each for entry in of_entries for each in entry), *whole), narrowed)


def _joined(choice: Sequence[Trial]) -> Trial:
    """Several candidates, one after the other, under the names of all."""
    names = tuple(each.name for each in choice)
    return Trial(BESIDE.join(names), tuple(method for each in choice for method in each.methods), parts=names)


def _together(protection: Sequence[Method]) -> Iterator[tuple[int, ...]]:
    """The sets of two entries or more that mask pairwise different columns and that no other such entry could join.

    These are the maximal cliques of a graph: C. Bron, J. Kerbosch, Algorithm 457, CACM 16(9), 1973, with a pivot.
    """
    columns = [frozenset(method.attributes) for method in protection]
    beside = [{m for m, other in enumerate(columns) if not own & other} for own in columns]

    def grown(taken: tuple[int, ...], open_: set[int], closed: set[int]) -> Iterator[tuple[int, ...]]:
        if not open_ and not closed and len(taken) > 1:
            yield tuple(sorted(taken))
        if not open_:
            return
        pivot = max(sorted(open_ | closed), key=lambda n: len(beside[n] & open_))
        for n in sorted(open_ - beside[pivot]):
            yield from grown((*taken, n), open_ & beside[n], closed & beside[n])
            open_, closed = open_ - {n}, closed | {n}

    yield from grown((), set(range(len(protection))), set())


def named(methods: Sequence[Method]) -> tuple[Trial, ...]:
    """Methods as candidates under distinct names."""
    return _named([(method, frozenset()) for method in methods])


def _named(methods: Sequence[tuple[Method, frozenset[str]]]) -> tuple[Trial, ...]:
    names = [short_name(method, hidden) for method, hidden in methods]
    times, seen, found = Counter(names), Counter[str](), []
    for name, (method, hidden) in zip(names, methods, strict=True):
        seen[name] += 1
        found.append(Trial(name if times[name] == 1 else f"{name}-{seen[name]}", (method,), hidden))
    return tuple(found)


def short_name(method: Method, confidential: frozenset[str] = frozenset()) -> str:
    """The name in Torra's chapter (Rank19, Micmul03, Mic4mul04), else the method's with its numbers and kinds.

    A kind that is spelt out, as a matrix of one's own, is not: its place is held by the word own.
    """
    shown = {name: value for name, value in method.parameters().items() if name not in confidential}
    if isinstance(method, RankSwapping) and "p" in shown:
        return f"Rank{_digits(method.p)}"
    if isinstance(method, Microaggregation) and not confidential & {"k", "group"}:
        return f"Mic{_grouping(method)}{_digits(method.k)}"
    numbers = [f"{value:g}" for value in shown.values() if isinstance(value, int | float)]
    kinds = [value if isinstance(value, str) else "own" for name, value in shown.items() if name in KINDS and value]
    return "-".join([method.name, *kinds, *numbers])


def _grouping(method: Microaggregation) -> str:
    return "mul" if method.group is None else f"{method.group}mul"


def _digits(number: float) -> str:
    """Two digits, as in the chapter, where it is a whole number."""
    return f"{int(number):02d}" if float(number).is_integer() else f"{number:g}"
