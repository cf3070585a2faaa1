"""What a sweep tries: masking methods with their parameters, each under a short name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
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
"""The candidate that is all methods of a policy, one after the other."""


@dataclass(frozen=True)
class Candidate:
    """One way to mask: a method, or several that are applied in order; `confidential` parameters are never shown."""

    name: str
    methods: tuple[Method, ...]
    confidential: frozenset[str] = frozenset()

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


def candidates(
    protection: Sequence[Method], confidential: Sequence[frozenset[str]] | None = None
) -> tuple[Candidate, ...]:
    """Each method of a policy's block with each combination of its sweep.

    `confidential` has, for each method, the parameters that are not shown, neither as such nor in the name.

    Several that mask different columns are also tried together; those that mask the same are taken for alternatives.

    Raises:
        UsageError: they are more than `MOST`.
    """
    hidden = [frozenset[str]() for _ in protection] if confidential is None else confidential
    methods = [(each, own) for method, own in zip(protection, hidden, strict=True) for each in method.swept()]
    columns = [name for method in protection for name in method.attributes]
    together = len(protection) > 1 and len(set(columns)) == len(columns)
    whole = (Candidate(BLOCK, tuple(protection)),) if together else ()
    if len(methods) > MOST:
        raise UsageError(f"the policy's protection lists {len(methods):,} methods with their sweeps; at most {MOST:,}")
    return (*_named(methods), *whole)


def named(methods: Sequence[Method]) -> tuple[Candidate, ...]:
    """Methods as candidates under distinct names."""
    return _named([(method, frozenset()) for method in methods])


def _named(methods: Sequence[tuple[Method, frozenset[str]]]) -> tuple[Candidate, ...]:
    names = [short_name(method, hidden) for method, hidden in methods]
    times, seen, found = Counter(names), Counter[str](), []
    for name, (method, hidden) in zip(names, methods, strict=True):
        seen[name] += 1
        found.append(Candidate(name if times[name] == 1 else f"{name}-{seen[name]}", (method,), hidden))
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
