"""What users are taken to know of a protected column of which the policy declares no range.

A column that holds only 0 and 1, or few numbers again and again, is a code or a grade, and everybody knows what it
can be. Taken as unbounded, a sum of three ones over three people would tell nothing. So its ends are those that
occur, and it is whole where its values are. That is inferred from the data, so it is told, and never used online: there
a decision would depend on values that nobody was told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from auditor.classes import IntArray
from auditor.errors import DataError
from auditor.inference import UnknownDomain
from auditor.inference.integer.parts import BIT
from auditor.policy.attributes import Attribute
from auditor.queries.records.records import ProtectedColumn, RecordProfiles

FEW = 12
"""More different numbers are no code."""


def inferred(column: ProtectedColumn, attribute: Attribute | None) -> UnknownDomain | None:
    """The domain that users are taken to know; None where one is declared, or nothing suggests one.

    Only 0 and 1; or at most `FEW` different numbers, each of which occurs three times on average; or whole ones within
    a span of `FEW` numbers, each more than twice on average.
    """
    if column.kind != "number" or (attribute is not None and attribute.range is not None):
        return None
    numbers = column.numbers().at(_places(column))
    values = sorted({Fraction(int(each), numbers.denominator) for each in set(numbers.numerators.tolist())})
    if not values or len(values) > FEW:
        return None
    if set(values) <= set(BIT.ends):
        return BIT
    if len(values) == 1:
        return None
    present, whole = len(numbers.numerators), all(each.denominator == 1 for each in values)
    close = whole and values[-1] - values[0] < FEW and 2 * len(values) < present
    if not close and 3 * len(values) > present:
        return None
    return UnknownDomain(values[0], values[-1], integer=whole)


def _places(column: ProtectedColumn) -> IntArray:
    found: IntArray = (~column.missing).nonzero()[0]
    return found


def all_inferred(profiles: RecordProfiles, attributes: Mapping[str, Attribute]) -> dict[str, UnknownDomain]:
    """The inferred domains, by column."""
    found = {name: inferred(column, attributes.get(name)) for name, column in profiles.protected.items()}
    return {name: domain for name, domain in found.items() if domain is not None}


def check_declared(profiles: RecordProfiles, attributes: Mapping[str, Attribute]) -> None:
    """Refuse to decide before answering where what users know would have to be inferred from the data.

    Raises:
        DataError: a protected column holds few different numbers, and the policy declares no range of it.
    """
    for name in all_inferred(profiles, attributes):
        raise DataError(
            f"column {name!r} holds few different numbers, and the policy declares no range; what users know about it "
            "must not be inferred from the data, because decisions would reveal it; declare its type and range, such "
            "as `type: integer, range: [0, 1]`, or `range: [null, null]` where nobody knows an end"
        )


def in_words(profiles: RecordProfiles, attributes: Mapping[str, Attribute]) -> Sequence[str]:
    """What the verdict takes users to know of each protected column."""
    found = all_inferred(profiles, attributes)
    return [_said(name, column, attributes.get(name), found.get(name)) for name, column in profiles.protected.items()]


def _said(name: str, column: ProtectedColumn, attribute: Attribute | None, domain: UnknownDomain | None) -> str:
    if column.kind == "boolean":
        return f"Users know that {name!r} is true or false."
    if column.kind == "category":
        return f"Users know which values {name!r} can have: those that occur, and those that the policy lists."
    if domain is not None:
        what = "0 or 1" if domain == BIT else "one of few numbers, from the least to the largest there is"
        why = "this is inferred from the data; declare its type and range to say otherwise"
        return f"Users know that {name!r} is {what}, because the policy declares no range: {why}."
    whole = "a whole number" if attribute is not None and attribute.type == "integer" else "a number"
    ranged = attribute is not None and attribute.range not in (None, (None, None))
    return f"Users know that {name!r} is {whole}" + (
        " within the range that the policy declares." if ranged else ", and no end of it."
    )
