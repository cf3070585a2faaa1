"""What an answer tells besides its number: that it is one, or NULL.

SUM is NULL exactly when nobody contributes to it, and a group that nobody is in is no row of the result. Whoever is
selected counts, with the weight 0, too: `sum(0 * x)` tells whether anybody has a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from auditor.queries._answers import answer_of, value_of
from auditor.queries._query import BoolArray, Extreme, Linear, Query
from auditor.queries.records.records import RecordProfiles

NOT_NULL = "a sum of 0 that is not NULL shows that somebody contributes to it, which was not followed further"


def values_asked(query: Query) -> Iterator[tuple[str, BoolArray]]:
    """The columns that a query asks about, and bool[p] of whom: it answers NULL where none of them has a value.

    Only of columns of which nobody knows what is missing.
    """
    if isinstance(query.asked, Linear):
        for count in query.asked.counts:
            if of_values(count):
                (quantity, weights), *_ = count.weights.items()
                yield quantity.attribute, weights.dense() != 0
    elif isinstance(query.asked, Extreme):
        yield query.asked.quantity.attribute, query.asked.members.dense() != 0


def weightless(query: Query, attribute: str, profiles: BoolArray) -> bool:
    """Whether the values of some profiles have the weight 0 in a sum, which then tells only that they are there."""
    if not isinstance(query.asked, Linear):
        return False
    weights = [each.dense() for quantity, each in query.asked.weights.items() if quantity.attribute == attribute]
    return not any(each[profiles].any() for each in weights)


def of_values(count: Linear) -> bool:
    """Whether a count is that of the values of one column."""
    return len(count.weights) == 1 and not count.constant and all(quantity.presence for quantity in count.weights)


def depends_on_values(query: Query) -> bool:
    """Whether it answers NULL, or no row at all, depending on what values somebody has."""
    asked = query.asked
    return isinstance(asked, Linear) and not all(of_values(count) for count in asked.counts)


def as_told(query: Query, profiles: RecordProfiles) -> Query:
    """The query whose answer says the same, where it answers NULL: how many contribute, which is none."""
    asked = query.asked
    if not depends_on_values(query) or answer_of(asked, profiles) is not None:
        return query
    assert isinstance(asked, Linear)  # noqa: S101  (only such have counts)
    return replace(query, asked=asked.counts[0]) if len(asked.counts) == 1 else query


def tells_more(query: Query, profiles: RecordProfiles) -> bool:
    """Whether an answer tells more than its number: it is 0 though somebody contributes, or several sums are in it."""
    asked = query.asked
    if not isinstance(asked, Linear) or not depends_on_values(query):
        return False
    return len(asked.counts) > 1 or value_of(asked, profiles) == asked.constant
