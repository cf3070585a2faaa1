"""From what a column looks like to the role and the ladder that a policy could give it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from auditor import looks
from auditor.profile._measure import ColumnProfile

FEW = 12
"""Numbers with so few values are codes, not quantities."""
REPEATING = 0.5
MANY_NAMES = 50
"""Names of people are many; a column of names with fewer values names something else."""
LONGEST_MASK = 12
INTERVALS = 20
"""About so many intervals on the finest level."""
SPANS = (1e-9, 1e18)
"""Numbers that reach less or more far are no quantities of a person."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a policy could say about a column, and why.

    `unsure` marks a proposal that a person should look at first. It is never laxer than what it may turn out to be.
    `few` says that everybody may know which numbers there can be, and that the policy had better say it, too.
    """

    column: str
    role: str
    why: str
    hierarchy: Any = None
    type: str | None = None
    range: tuple[int, int] | None = None
    unsure: bool = False
    few: bool = False


Rule = Callable[[ColumnProfile], Proposal | None]


def propose(column: ColumnProfile) -> Proposal:
    """The first rule that recognises the column speaks; one that nothing recognises may be known to an attacker."""
    return next(proposal for rule in _RULES if (proposal := rule(column)) is not None)


def _unusable(column: ColumnProfile) -> Proposal | None:
    if column.usable:
        return None
    return Proposal(column.name, "text", "nested or binary values, which cannot be judged", unsure=True)


def _by_name(column: ColumnProfile) -> Proposal | None:
    if column.words & looks.NAMES:
        return Proposal(column.name, "identifier", "its name says that it names a person")
    if column.words & looks.PERHAPS_NAMES and not column.numeric and column.distinct > MANY_NAMES:
        return Proposal(column.name, "identifier", "its name says that it may name a person", unsure=True)
    return None


def _by_look(column: ColumnProfile) -> Proposal | None:
    if column.look in {look.name for look in looks.IDENTIFYING}:
        return Proposal(column.name, "identifier", f"looks like {column.look}")
    if column.look == looks.TEXT:
        return Proposal(column.name, "text", "looks like free text")
    return None


def _key(column: ColumnProfile) -> Proposal | None:
    nearly_unique = column.distinct_share >= looks.NEARLY_UNIQUE and column.distinct > 1
    if column.words & looks.KEYS and nearly_unique:
        return Proposal(
            column.name, "identifier", "its name says that it is a key, and nearly every record has a different value"
        )
    if column.words & {"id", "uuid", "guid"} and not column.numeric | (column.distinct <= MANY_NAMES):
        why = "its name says that it is a key; if it names a person with several records, say so under `unit`"
        return Proposal(column.name, "identifier", why, unsure=True)
    other = column.numeric or column.look is not None or column.words & (looks.POSTCODES | looks.SENSITIVE)
    if nearly_unique and column.distinct > FEW and not other:
        return Proposal(column.name, "identifier", "nearly every record has a unique value", unsure=True)
    return None


def _sensitive(column: ColumnProfile) -> Proposal | None:
    by_name = bool(column.words & looks.SENSITIVE)
    if not by_name and column.look != looks.DISEASE:
        return None
    why = "its name says that nobody should learn it" if by_name else f"looks like {looks.DISEASE}"
    ladder = {"prefix": [3, 1]} if column.look == looks.DISEASE else None
    if column.binary:  # as an audit of a query log takes it to be where nothing is declared
        return Proposal(column.name, "sensitive", why, ladder, "integer", (0, 1), unsure=not by_name)
    few = column.numeric and _may_be_codes(column)
    kind = "integer" if few and column.whole else "number" if column.numeric else None
    return Proposal(column.name, "sensitive", why, ladder, kind, unsure=not by_name, few=few)


def _constant(column: ColumnProfile) -> Proposal | None:
    if column.distinct > 1 or not column.records:
        return None
    why = "the same value in every record that has one" if column.distinct else "no value in any record"
    return Proposal(column.name, "insensitive", why, unsure=0 < column.missing < column.records)


def _date(column: ColumnProfile) -> Proposal | None:
    if column.look == looks.DATE:
        return Proposal(column.name, "quasi-identifier", "looks like dates", {"date": ["month", "quarter", "year"]})
    if column.look == looks.OTHER_DATE:
        why = "looks like dates; written as 2026-02-10 they could be made coarser"
        return Proposal(column.name, "quasi-identifier", why, "suppress")
    return None


def _postcode(column: ColumnProfile) -> Proposal | None:
    by_name = bool(column.words & looks.POSTCODES)
    if not by_name and column.look != looks.POSTCODE:
        return None
    why = "its name says that it is a postcode" if by_name else "looks like postcodes"
    return Proposal(column.name, "quasi-identifier", why, _code_ladder(column))


def _number(column: ColumnProfile) -> Proposal | None:
    if column.numeric and column.words & looks.AGE:
        ladder = {"intervals": {"widths": [5, 10, 20], "top": 90}}
        return Proposal(column.name, "quasi-identifier", "its name says that it is an age", ladder)
    if not column.numeric or _may_be_codes(column):
        return None
    return Proposal(column.name, "quasi-identifier", "numbers", _intervals(column.span), unsure=True)


def _other(column: ColumnProfile) -> Proposal:
    what = "numbers, so few that they may be codes" if column.numeric else "names or codes"
    return Proposal(column.name, "quasi-identifier", what, "suppress", unsure=column.distinct > FEW)


def _may_be_codes(column: ColumnProfile) -> bool:
    """Whether numbers are few and repeat, as codes do."""
    return column.distinct <= FEW and column.distinct_share < REPEATING


def _code_ladder(column: ColumnProfile) -> Any:
    """Masking needs short values."""
    return {"mask": {"side": "right"}} if 0 < column.longest <= LONGEST_MASK else "suppress"


def _intervals(span: float | None) -> Any:
    """Widths of one digit, so that about `INTERVALS` cover the numbers: they tell the order of magnitude, no value."""
    if span is None or not SPANS[0] <= span <= SPANS[1]:
        return None
    exponent = math.floor(math.log10(span / INTERVALS))
    digit = next(digit for digit in (1, 2, 5, 10) if digit * 10.0**exponent >= span / INTERVALS)
    widths = [_decimal(digit * factor, exponent) for factor in (1, 2, 4)]
    return {"intervals": {"widths": widths}}


def _decimal(digits: int, exponent: int) -> int | float:
    return digits * 10**exponent if exponent >= 0 else float(f"{digits}e{exponent}")


_RULES: tuple[Rule, ...] = (
    _unusable, _by_name, _by_look, _key, _sensitive, _constant, _date, _postcode, _number, _other,
)  # fmt: skip
"""The strict before the lax: a column that never varies is harmless only if it does not say what it must not."""
