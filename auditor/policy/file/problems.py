"""What is wrong in a policy: collected with its places, in words of bounded length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from auditor.errors import PolicyError, Problem, nearest

MAX_PROBLEMS = 100
"""How many problems are reported before reading stops: a hostile file could have one per byte."""
MANY = 8
"""From so many choices on, the nearest spelling is given alone."""

UNTOLD = ("cannot be read as rules", "a file whose name ends in .yaml; of others nothing is told")


class ProblemPlace(Protocol):
    """Where something stands: a mark, or a text that names a file."""

    def __str__(self) -> str: ...


class TooManyProblems(Exception):  # noqa: N818  (a signal inside this package, not an error)
    """Reading stops: the problems found are enough."""


class Problems:
    """Collects what is wrong, so that all of it is reported at once, in the order of the files."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def add(self, place: ProblemPlace, what: str, right: str = "", code: str = "value") -> None:
        """Note one problem; the same sentence at the same place is noted once."""
        problem = Problem(str(place), *((what, right) if getattr(place, "is_told", True) else UNTOLD), code)
        if problem in self.found:
            return
        self.found.append(problem)
        if len(self.found) == MAX_PROBLEMS - 1:
            raise TooManyProblems

    def error(self) -> PolicyError:
        """Everything found."""
        files = list(dict.fromkeys(in_order(problem)[0] for problem in self.found))
        ordered = sorted(self.found, key=lambda problem: (files.index(in_order(problem)[0]), in_order(problem)))
        if len(ordered) == MAX_PROBLEMS - 1:
            what = f"reading stopped after {len(ordered)} problems"
            ordered.append(Problem(ordered[-1].where, what, "there may be more; fix these first", "limit"))
        return PolicyError(ordered)


@contextmanager
def reported() -> Iterator[Problems]:
    """Collect what is wrong while files are read; at the end, all of it is one `PolicyError`."""
    problems = Problems()
    try:
        yield problems
    except TooManyProblems:
        raise problems.error() from None
    if problems.found:
        raise problems.error()


def in_order(problem: Problem) -> tuple[str, int, int]:
    """The file, line and column of a problem, for sorting; 0 where it names none."""
    file, _, rest = problem.where.partition(":")
    line, _, column = rest.partition(":")
    if line.isdecimal() and column.isdecimal():
        return file, int(line), int(column)
    return problem.where, 0, 0


def quoted(text: str) -> str:
    """Text for a message: one line, control characters escaped, at most 60 characters."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """The nearest spelling, as `auditor.errors.nearest`, at a bounded cost; case, or a missing end, is no distance."""
    word, names = word[:60], list(known)[:500]
    folded = word.casefold()
    same = [name for name in names if name.casefold() == folded]
    begun = [name for name in names if len(folded) >= 3 and name.casefold().startswith(folded)]
    if same or len(begun) == 1:
        return f" (did you mean {(same or begun)[0]!r}?)"
    return nearest(word, names)


def one_of(word: str, known: Sequence[str]) -> str:
    """What would be right in place of a word: the nearest spelling, and the choices where they are few."""
    near = did_you_mean(word, known)
    if near and len(known) >= MANY:
        return near.strip(" ()")
    shown = ", ".join(each if any(map(str.isalnum, each)) else repr(each) for each in known[:50])
    return (shown if len(known) == 1 else f"one of {shown}") + near
