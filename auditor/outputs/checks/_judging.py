"""What checks of patterns share: numbers that are known to lie in a range, and how a limit is decided by it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from auditor.interval import CountInterval
from auditor.outputs._examination import Context, Examination
from auditor.outputs.published.conditions import Group

ROWS_LISTED = 1_000
"""Of so many records the rows are listed; their number is always told."""


def exact(limit: float) -> Fraction:
    """A limit of the policy as it was written: 0.8 is 4/5."""
    return Fraction(repr(limit))


def is_small(count: CountInterval, least: int) -> bool | None:
    """Whether a count lies in 1 … least − 1; None where that is not known. Nobody is no group."""
    if count.low > 0 and count.high is not None and count.high < least:
        return True
    return False if count.low >= least or count.high == 0 else None


def rows_of(context: Context, inside: Group, outside: Group | None = None) -> tuple[int, ...] | None:
    """The rows of a group without those of another, the first of many; None without data."""
    if context.counts is None:
        return None
    return tuple(context.counts.members(inside, outside)[:ROWS_LISTED].tolist())


@dataclass
class Judging:
    """A `Examination` that is being filled: a limit that something breaks is broken, whatever else stays open."""

    context: Context
    checked: Examination
    open: dict[str, str] = field(default_factory=dict)

    def least(self, limit: str, needed: int | None, count: CountInterval, unknown: str) -> bool:
        """Judge a count by the least that a group must have; whether it violates."""
        if needed is None:
            return False
        self.checked.judged.add(limit)
        small, number = is_small(count, needed), count.point
        if small is None:
            self.open.setdefault(limit, unknown)
        elif number:
            self.checked.reach(limit, number, least=True)
        return bool(small)

    def most(self, limit: str, needed: Fraction, share: tuple[Fraction, Fraction], unknown: str) -> bool:
        """Judge a share by the largest that is allowed; whether it violates."""
        low, high = share
        self.checked.judged.add(limit)
        if low == high:
            self.checked.reach(limit, low, least=False)
        elif low <= needed < high:
            self.open.setdefault(limit, unknown)
        return low > needed

    def leave_open(self, limits: Iterable[str], reason: str) -> None:
        """Say of limits that they could not be judged."""
        for limit in limits:
            self.open.setdefault(limit, reason)

    def done(self) -> Examination:
        """Tell what stays open; of limits that are broken, as a note."""
        broken = {violation.limit for violation in self.checked.violations}
        for limit, reason in self.open.items():
            if limit in broken:
                self.checked.notes.append(f"{limit}: {reason}")
            else:
                self.checked.open_limits[limit] = reason
        return self.checked


UNITS_UNKNOWN = "the file may count records, while the policy counts units: it says so only with the data"


def counts_units_blindly(context: Context) -> bool:
    """Whether the policy counts units and there is no data to count them in: then no count is known to be enough."""
    unit = context.policy.unit
    return context.counts is None and unit is not None and unit.rows == "many-per-unit"
