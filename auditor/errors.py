"""Every error a user can meet.

::

    AuditorError                 everything below; `code` is stable, `exit_code` is what the command returns
    ├── UsageError          2    the command line or a Python call is wrong
    ├── PolicyError         2    a policy file is wrong: all its problems at once, each with its place
    ├── HierarchyError      2    a column's ladder of coarser values, or the file it stands in, is wrong
    ├── NotEvaluated        3    the question could not be answered
    │   ├── DataError            the data is missing, empty, unreadable or not what the policy describes
    │   │   └── UncoveredValues  a column has values that its hierarchy has no place for
    │   ├── Unsupported          asked for something that is not built (yet)
    │   ├── OutOfMemory          the memory limit was reached
    │   ├── OutOfTime            the time limit was reached
    │   ├── Interrupted          the user stopped the run
    │   └── DeliveryError        the answer could not be written where it was asked for
    ├── PolicyNotMet        1    raised by `Result.raise_unless_passed`
    └── InternalError       5    a fault of this program

A message says what was read, where, and what would be right. It never repeats a value of the data: error texts end up
in logs, and logs travel further than releases. Where values have to be known to mend what is wrong, an attribute of the
error carries them apart from its text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar

EXIT_MET = 0
EXIT_NOT_MET = 1
EXIT_USAGE = 2
EXIT_NOT_EVALUATED = 3
EXIT_WEAKENED = 4
EXIT_FAULT = 5


class AuditorError(Exception):
    """The base class of every error that auditor raises intentionally."""

    code: ClassVar[str] = "auditor-error"
    exit_code: ClassVar[int] = EXIT_FAULT


class UsageError(AuditorError):
    """The command line, or a call from Python, asks for something that makes no sense."""

    code = "usage"
    exit_code = EXIT_USAGE


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem in a policy file.

    `where` is ``file:line:column`` (or the name of a mapping given from Python), `what` says what was read, `right`
    what would be right, `code` is a stable name of the kind of problem.
    """

    where: str
    what: str
    right: str
    code: str

    def __str__(self) -> str:
        """One line, as compilers print it, so that editors can jump to it."""
        return f"{self.where}: {self.what}; {self.right}" if self.right else f"{self.where}: {self.what}"


class PolicyError(AuditorError):
    """A policy is wrong. Contains every problem found, not only the first."""

    code = "policy"
    exit_code = EXIT_USAGE

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[PolicyError], tuple[tuple[Problem, ...]]]:
        """How it travels between processes."""
        return type(self), (self.problems,)


class HierarchyError(AuditorError):
    """A column's ladder of coarser values, in the policy or its hierarchy file, is wrong.

    `what` says what was read and `right` what would be right, so that a policy's loader can add the place.
    """

    code = "hierarchy"
    exit_code = EXIT_USAGE

    def __init__(self, what: str, right: str = "") -> None:
        self.what = what
        self.right = right
        super().__init__(f"{what}; {right}" if right else what)

    def __reduce__(self) -> tuple[type[HierarchyError], tuple[str, str]]:
        """How it travels between processes."""
        return type(self), (self.what, self.right)


class NotEvaluated(AuditorError):  # noqa: N818  (the outcome's name, not "…Error")
    """The policy could not be judged. Never a pass.

    `private` may name values of the data, and is for the internal audience alone.
    """

    code = "not-evaluated"
    exit_code = EXIT_NOT_EVALUATED
    private: tuple[str, ...] = ()


class DataError(NotEvaluated):
    """The data is missing, empty, unreadable, or not what the policy describes."""

    code = "data"


class UncoveredValues(DataError):  # noqa: N818  (what is wrong, not "…Error")
    """Values of a column that its hierarchy has no place for. The message says neither which nor how many they are.

    `details` has the values, and how many records hold each (None where that was not counted), those of most records
    first; `extent` says how many they are. That is of the data: for whoever may see the data, and for no log.
    """

    code = "uncovered"

    def __init__(
        self,
        column: str,
        details: Mapping[str, int | None],
        distinct: int,
        right: str,
        *,
        where: str = "",
        records: int | None = None,
    ) -> None:
        """`distinct` values of `column`, in `records` records; `right` says what the values of `details` are not."""
        self.column = column
        self.details = tuple(sorted(details.items(), key=lambda each: (-(each[1] or 0), each[0])))
        self._distinct = distinct
        self._right = right
        held = "" if records is None else f", in {sum(n or 0 for _, n in self.details)} of {records} records"
        self.extent = f"{len(details)} of its {distinct} distinct values{held}"
        place = f"{where}: " if where else ""
        super().__init__(f"{place}column {column!r}: holds values that are not {right}")

    def located(self, where: str, counts: Mapping[str | None, int]) -> UncoveredValues:
        """The same with the place of the hierarchy in the policy, and `counts`: how many records hold each value."""
        details = {value: counts[value] for value, _ in self.details}
        records = sum(counts.values())
        return UncoveredValues(self.column, details, self._distinct, self._right, where=where, records=records)


class Unsupported(NotEvaluated):
    """Something that the contract knows and this program cannot do (yet)."""

    code = "unsupported"


class OutOfMemory(NotEvaluated):
    """The memory limit was reached."""

    code = "memory"


class OutOfTime(NotEvaluated):
    """The time limit was reached."""

    code = "time"


class Interrupted(AuditorError):  # noqa: N818  (the outcome's name, not "…Error")
    """The user stopped the run; nothing was written.

    No `NotEvaluated`: who goes on with the next release where one could not be judged must not go on here.
    """

    code = "interrupted"
    exit_code = EXIT_NOT_EVALUATED


class DeliveryError(NotEvaluated):
    """The answer could not be written where it was asked for (full disk, read-only folder)."""

    code = "delivery"


class PolicyNotMet(AuditorError):  # noqa: N818
    """Raised by `raise_unless_passed` when the verdict is not ``pass``."""

    code = "policy-not-met"
    exit_code = EXIT_NOT_MET


class InternalError(AuditorError):
    """A fault of this program: an invariant that should hold does not."""

    code = "fault"
    exit_code = EXIT_FAULT


_PARTITION = re.compile(r"^([^=/?]+)=.*$", re.DOTALL)


def nearest(word: str, known: Sequence[str]) -> str:
    """` (did you mean 'x'?)` for the known word nearest to `word`, or nothing.

    >>> nearest("k-anonimity", ["k-anonymity", "t-closeness"])
    " (did you mean 'k-anonymity'?)"
    >>> nearest("zzz", ["k-anonymity"])
    ''
    """
    match = get_close_matches(word, known, n=1, cutoff=0.6)
    return f" (did you mean {match[0]!r}?)" if match else ""


def without_partitions(path: str) -> str:
    """A path whose folders ``key=value`` keep their keys alone; what follows a ``?`` is no path."""
    place, question, query = path.partition("?")
    kept = [_PARTITION.sub(r"\1=…", folder) for folder in place.split("/")]
    return "/".join(kept) + question + query
