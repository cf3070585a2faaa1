"""What policies declare and the equations do not say: where it could matter, a pass would prove nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from auditor.inference import Domain
from auditor.policy.queries import Queries
from auditor.queries._asked import BoolArray, Extreme, Linear, Quantity, Query
from auditor.queries._records import Profiles

WHOLE_AND_DISTINCT = "that whole numbers are all distinct may determine more than was looked at"
VALUE_AND_PRESENCE = "whether values are missing and what they are may determine more together than was looked at"


def not_modelled(
    policy: Queries, profiles: Profiles, queries: Sequence[Query], domains: Mapping[Quantity, Domain]
) -> str | None:
    """Why the answers may disclose more than what is deduced from them; None where they cannot.

    Distinct whole numbers run out: three of them that add up to 3 and are not negative are 0, 1 and 2. And a value that
    may be missing is 0 in sums or within its range, and its presence goes with it; equations say neither.
    """
    summed = {q for query in queries if isinstance(query.asked, Linear) for q in query.asked.weights}
    extreme = {query.asked.quantity for query in queries if isinstance(query.asked, Extreme)}
    values = {q for q in summed | extreme if is_number(q, profiles)}
    if policy.assume.equal_values == "distinct":
        whole = {q for q in values if domains[q].integer}
        if whole & extreme or any(_is_bounded(domains[q]) for q in whole):
            return WHOLE_AND_DISTINCT
    if not policy.assume.null_is_public:
        present = {q.attribute for q in summed if q.presence}
        others = {q.attribute for q in summed | extreme if not q.presence}
        categories = Counter(q.attribute for q in summed if q.value is not None)
        if present & others or categories.total() > len(categories) or any(_is_bounded(domains[q]) for q in values):
            return VALUE_AND_PRESENCE
    return None


def values_asked(query: Query, profiles: Profiles) -> Iterator[tuple[Quantity, BoolArray]]:
    """The columns of numbers that a query asks about, and bool[p] of whom: NULL answers where nobody has a value."""
    if isinstance(query.asked, Linear):
        for quantity, weights in query.asked.weights.items():
            if is_number(quantity, profiles):
                yield quantity, weights.dense() != 0
    elif isinstance(query.asked, Extreme):
        yield query.asked.quantity, query.asked.members.dense() != 0


def is_number(quantity: Quantity, profiles: Profiles) -> bool:
    """Whether it is the value of a column of numbers."""
    own = quantity.value is None and not quantity.presence
    return own and profiles.protected[quantity.attribute].kind == "number"


def _is_bounded(domain: Domain) -> bool:
    return domain.low is not None or domain.high is not None
