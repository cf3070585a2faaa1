"""What policies declare and the equations do not say: where it could matter, a pass would prove nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auditor.inference import UnknownDomain
from auditor.policy.queries import Queries
from auditor.queries._query import Extreme, Linear, Quantity, Query
from auditor.queries.attack.null import NOT_NULL, depends_on_values, tells_more
from auditor.queries.records.records import RecordProfiles

WHOLE_AND_DISTINCT = "it may determine more than was examined that all values are distinct whole numbers"
VALUE_AND_PRESENCE = "which values are missing and what the others are may together determine more than was examined"


def not_modelled(
    policy: Queries, profiles: RecordProfiles, queries: Sequence[Query], domains: Mapping[Quantity, UnknownDomain]
) -> str | None:
    """Why the answers may disclose more than what is deduced from all of them; None where they cannot.

    Who has none of several categories may have one that nobody asked about, or none.
    """
    asked = _Quantities.of(profiles, queries)
    if any(tells_more(query, profiles) for query in queries):
        return NOT_NULL
    if not policy.assume.null_is_public:
        if asked.categories.total() > len(asked.categories):
            return VALUE_AND_PRESENCE
        if policy.assume.equal_values == "distinct" and asked.could_run_out(domains):
            return WHOLE_AND_DISTINCT
        if any(policy.assume.distinct) and asked.could_leave_none(domains):
            return VALUE_AND_PRESENCE
    return None


def not_foreseen(
    policy: Queries, profiles: RecordProfiles, queries: Sequence[Query], domains: Mapping[Quantity, UnknownDomain]
) -> str | None:
    """The same before an answer is known: a value that may be missing is not followed through every possible answer.

    It is 0 in sums or within its range, and its presence goes with it. And distinct whole numbers run out: three of
    them that add up to 3 and are not negative are 0, 1 and 2.
    """
    asked = _Quantities.of(profiles, queries)
    if any(depends_on_values(query) for query in queries):
        return NOT_NULL
    if policy.assume.equal_values == "distinct" and asked.could_run_out(domains):
        return WHOLE_AND_DISTINCT
    if not policy.assume.null_is_public:
        present = {q.attribute for q in asked.summed if q.presence}
        others = {q.attribute for q in asked.summed | asked.extreme if not q.presence}
        if present & others or any(domains[q].ends for q in asked.values):
            return VALUE_AND_PRESENCE
    return not_modelled(policy, profiles, queries, domains)


@dataclass(frozen=True)
class _Quantities:
    """What was summed, what an extreme was asked of, and the numbers among both."""

    summed: set[Quantity]
    extreme: set[Quantity]
    values: set[Quantity]

    @classmethod
    def of(cls, profiles: RecordProfiles, queries: Sequence[Query]) -> _Quantities:
        summed = {q for query in queries if isinstance(query.asked, Linear) for q in query.asked.weights}
        extreme = {query.asked.quantity for query in queries if isinstance(query.asked, Extreme)}
        return cls(summed, extreme, {q for q in summed | extreme if is_number(q, profiles)})

    def could_run_out(self, domains: Mapping[Quantity, UnknownDomain]) -> bool:
        """Whether whole numbers were summed that have a range, or of which an extreme was asked, too."""
        whole = {quantity for quantity in self.values & self.summed if domains[quantity].integer}
        return bool(whole & self.extreme) or any(domains[quantity].ends for quantity in whole)

    def could_leave_none(self, domains: Mapping[Quantity, UnknownDomain]) -> bool:
        """Whether extremes of a range were asked: below the least but one there is nothing left but to be missing."""
        return any(domains[quantity].ends for quantity in self.values & self.extreme)

    @property
    def categories(self) -> Counter[str]:
        """How many values of each category were asked about."""
        return Counter(q.attribute for q in self.summed if q.value is not None)


def is_number(quantity: Quantity, profiles: RecordProfiles) -> bool:
    """Whether it is the value of a column of numbers."""
    own = quantity.value is None and not quantity.presence
    return own and profiles.protected[quantity.attribute].kind == "number"
