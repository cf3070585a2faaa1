"""What a sweep tries: masking methods with their parameters, each under a short name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.errors import UsageError
from auditor.masking import Method
from auditor.masking.microaggregation import Microaggregation
from auditor.masking.rank_swapping import RankSwapping

MOST = 1_000
"""More candidates than this are refused: the answer would be no page that somebody reads."""
BLOCK = "protection"
"""The candidate that is all methods of a policy, one after the other."""


@dataclass(frozen=True)
class Candidate:
    """One way to mask: a method, or several that are applied in order."""

    name: str
    methods: tuple[Method, ...]

    @property
    def method(self) -> str:
        """The method's name in policy files; for several, that of the block, for none, that nothing is masked."""
        return self.methods[0].name if len(self.methods) == 1 else BLOCK if self.methods else "none"

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every column that it masks, once."""
        return tuple(dict.fromkeys(name for method in self.methods for name in method.attributes))


def candidates(protection: Sequence[Method]) -> tuple[Candidate, ...]:
    """Each method of a policy's block with each combination of its sweep.

    Several that mask different columns are also tried together; those that mask the same are taken for alternatives.

    Raises:
        UsageError: they are more than `MOST`.
    """
    methods = [each for method in protection for each in method.swept()]
    columns = [name for method in protection for name in method.attributes]
    together = len(protection) > 1 and len(set(columns)) == len(columns)
    whole = (Candidate(BLOCK, tuple(protection)),) if together else ()
    if len(methods) > MOST:
        raise UsageError(f"the policy's protection lists {len(methods):,} methods with their sweeps; at most {MOST:,}")
    return (*named(methods), *whole)


def named(methods: Sequence[Method]) -> tuple[Candidate, ...]:
    """Methods as candidates under distinct names."""
    names = [short_name(method) for method in methods]
    times, seen, found = Counter(names), Counter[str](), []
    for name, method in zip(names, methods, strict=True):
        seen[name] += 1
        found.append(Candidate(name if times[name] == 1 else f"{name}-{seen[name]}", (method,)))
    return tuple(found)


def short_name(method: Method) -> str:
    """The name in Torra's chapter (Rank19, Micmul03, Mic4mul04), else the method's with its numbers."""
    if isinstance(method, RankSwapping):
        return f"Rank{_digits(method.p)}"
    if isinstance(method, Microaggregation):
        return f"Mic{_grouping(method)}{_digits(method.k)}"
    numbers = [f"{value:g}" for value in method.parameters().values() if isinstance(value, int | float)]
    kinds = [str(value) for name, value in method.parameters().items() if name in {"kind", "matrix"} and value]
    return "-".join([method.name, *kinds, *numbers])


def _grouping(method: Microaggregation) -> str:
    return "mul" if method.group is None else f"{method.group}mul"


def _digits(number: float) -> str:
    """Two digits, as in the chapter, where it is a whole number."""
    return f"{int(number):02d}" if float(number).is_integer() else f"{number:g}"
