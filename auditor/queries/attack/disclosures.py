"""Everything that the answers of a log give away, to whomever the policy's scope puts together."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from auditor.inference import UnknownDomain
from auditor.policy.attributes import Attribute
from auditor.policy.demands import set_in
from auditor.policy.queries import Queries, name_of
from auditor.queries._query import Linear, Quantity, Query
from auditor.queries.attack._distinct import DistinctWhole
from auditor.queries.attack._mixed import Mixed, SeenBoth
from auditor.queries.attack._mixed_missing import MixedMissing
from auditor.queries.attack._trackers import tracker
from auditor.queries.attack.discovery import Conclusions, Discovery
from auditor.queries.attack.extremes import SeenExtremes, quantities_of_extremes
from auditor.queries.attack.limitations import not_modelled
from auditor.queries.attack.null import values_asked, weightless
from auditor.queries.attack.ranges import BoundedSums, Domains
from auditor.queries.attack.sums import SeenSums, Sums
from auditor.queries.attack.views import Knowledge, User, View, pooled, views
from auditor.queries.measures import is_measured
from auditor.queries.records.domains import all_inferred
from auditor.queries.records.records import RecordProfiles
from auditor.stages import tell

LATE = "there was not enough time to decide what bounds or extremes determine"
NOT_SETTLED = (
    "it was not settled what bounds or extremes determine: declare a range for values whose sums and extremes were "
    "both asked; if there is one, the search was too large"
)
MAX_VIEWS = 20_000
"""So many coalitions are looked at; beyond, the audit says that it is not complete."""


@dataclass
class Disclosures:
    """What was found, the same thing once, and for a limit of the policy why it could not be judged to the end.

    `contradicted` says that the answers of a view do not fit an assumption about the values. From a contradiction
    nothing is deduced, so that the view discloses less than its parts, which may fit.
    """

    found: dict[object, Discovery] = field(default_factory=dict)
    undetermined: dict[str, str] = field(default_factory=dict)
    contradicted: bool = False

    def add(self, found: Discovery) -> None:
        """Keep a finding, or the first of two that say the same: fewer users, then the earlier query."""
        held = self.found.setdefault(found.key, found)
        if _rank(found) < _rank(held):
            self.found[found.key] = found


def _rank(found: Discovery) -> tuple[int, int]:
    return len(found.view.users or ()), found.first


@dataclass(frozen=True)
class Auditor:
    """Judges the queries of a log, all of them answered."""

    profiles: RecordProfiles
    queries: Sequence[Query]
    policy: Queries
    attributes: Mapping[str, Attribute]
    insiders: Knowledge
    deadline: float

    def disclosed(self) -> Disclosures:
        """Look at every view, smaller coalitions first.

        None is looked at where even all users together learn nothing, unless only because their answers contradict an
        assumption: those of fewer users may not.
        """
        found = Disclosures()
        sums = Sums.of(self.profiles, self.queries)
        users: list[User] = list(dict.fromkeys(query.statement.user for query in self.queries))
        everything = Disclosures()
        if self.policy.scope != "pooled":
            for view in pooled(self.insiders):
                self._judge(view, sums, everything)
            if not everything.found and not everything.undetermined and not everything.contradicted:
                return found
        for number, view in enumerate(views(self.policy, users, self.insiders)):
            if number == MAX_VIEWS:
                names = (limit.name for path, _, limit in set_in(self.policy.limits) if not is_measured(path))
                found.undetermined |= dict.fromkeys(names, "there are more coalitions than can be examined")
                break
            tell(number, unit="coalitions judged")
            self._judge(view, sums, found)
        return found

    def _judge(self, view: View, sums: Sums, into: Disclosures) -> None:
        limits = self.policy.limits
        seen = sums.seen_by(view)
        for found in self._of_sums(seen, into):
            into.add(found)
        for found in self._of_extremes(view, into):
            into.add(found)
        for found in self._of_missing(view):
            into.add(found)
        asked = [query for query in self.queries if view.sees(query.statement.user)]
        reason = not_modelled(self.policy, self.profiles, asked, self._declared)
        if reason is not None:
            self._leave_open(reason, into)
        if limits.exact_value == "allow":
            asked_for = (limit for path, _, limit in set_in(limits) if path != "min_group" or limits.min_group != 1)
            judged = {"group", "interval", *(kind for limit in asked_for for kind in limit.broken_by)}
            for key in [key for key, found in into.found.items() if found.kind not in judged]:
                del into.found[key]

    def _of_sums(self, seen: SeenSums, into: Disclosures) -> Iterator[Discovery]:
        limits = self.policy.limits
        for found in seen.exact():
            yield self._with_tracker(found)
        yield from seen.individuals()
        if limits.min_group is not None and limits.min_group > 1:
            groups, complete = seen.groups(limits.min_group, limits.group_effort, self.deadline)
            yield from (self._with_tracker(group) for group in groups)
            if not complete:
                into.undetermined[name_of("min_group")] = (
                    f"groups were searched for as long as time and group_effort ({limits.group_effort} sets) allowed"
                )
        if limits.exact_value == "deny" or self._narrow is not None:
            for each, narrow in self._ways(distinct=False):
                domains = {q: each[q] for q in seen.sums.quantities}
                yield from self._kept(BoundedSums(seen, domains).narrow(narrow, self.deadline), into)

    def _ways(self, *, distinct: bool) -> list[tuple[Domains, Fraction | None]]:
        """The domains to judge by, and the width to hold intervals to.

        What was inferred of a column determines values. How closely one is known is judged by what is declared; and of
        values of which few are different, nobody assumes that all are.
        """
        if distinct or not self._inferred:
            return [(self._declared, self._narrow)]
        return [(self._domains, None)] + [(self._declared, self._narrow)] * (self._narrow is not None)

    @property
    def _narrow(self) -> Fraction | None:
        interval = self.policy.limits.interval
        return None if interval is None else interval.width

    def _of_extremes(self, view: View, into: Disclosures) -> Iterator[Discovery]:
        quantities = quantities_of_extremes(self.queries)
        for quantity in quantities:
            seen = SeenExtremes.of(self.profiles, self.queries, view, quantity)
            for distinct in self.policy.assume.distinct:
                for domains, narrow in self._ways(distinct=distinct):
                    domain = domains[quantity]
                    judged = seen.judged(domain, distinct=distinct, narrow=narrow, deadline=self.deadline)
                    yield from self._kept(judged, into, either=distinct)
        yield from self._of_both(view, into)

    def _of_both(self, view: View, into: Disclosures) -> Iterator[Discovery]:
        """What sums and extremes tell together; and, where nobody knows what is missing, sums and counts of values."""
        if self.policy.limits.exact_value == "allow" and self._narrow is None and self.policy.limits.min_group is None:
            return
        for distinct in self.policy.assume.distinct:
            for domains, narrow in self._ways(distinct=distinct):
                yield from self._of_both_by(view, into, domains, narrow, distinct=distinct)

    def _of_both_by(
        self, view: View, into: Disclosures, domains: Domains, narrow: Fraction | None, *, distinct: bool
    ) -> Iterator[Discovery]:
        seen = SeenBoth.of(self.profiles, self.queries, view)
        declared = self.policy.assume.equal_values == "distinct"
        together: Mixed | MixedMissing
        if self.policy.assume.null_is_public:
            together = Mixed(seen, domains)
            tells = together.both
        else:
            together = MixedMissing(seen, domains)
            tells = together.tells
        whole = DistinctWhole(seen, domains, narrow)
        run_out = distinct and self.policy.assume.null_is_public
        if run_out and ((tells and whole.whole) or (declared and whole.bounded)):
            yield from self._kept(whole.judged(self.deadline), into, either=True)
        elif tells:
            judged = together.judged(distinct=distinct, narrow=narrow, deadline=self.deadline)
            yield from self._kept(judged, into, either=distinct)

    def _of_missing(self, view: View) -> Iterator[Discovery]:
        """What an answer tells of who has a value, which is not known anyhow.

        NULL says that nobody in the query set has one; any other answer says that a single one has, with the weight 0,
        too.
        """
        if self.policy.assume.null_is_public:
            return
        for position, query in enumerate(self.queries):
            if view.sees(query.statement.user):
                for attribute, profiles in values_asked(query):
                    records = np.flatnonzero(profiles[self.profiles.of_record])
                    unknown = tuple(record for record in records.tolist() if record not in view.known)
                    missing = self.profiles.protected[attribute].missing
                    alone = len(unknown) == 1 and missing[[r for r in records.tolist() if r in view.known]].all()
                    if missing[records].all() or (alone and weightless(query, attribute, profiles)):
                        presence = Quantity(attribute, presence=True)
                        there = Fraction(int(not missing[records].all()))
                        yield Discovery(
                            "finite-domain", presence, unknown, there, there, position, view, follows_from=(position,)
                        )

    @cached_property
    def _declared(self) -> Domains:
        """What the policy declares of each quantity."""
        return Domains(self.profiles, self.attributes)

    @cached_property
    def _inferred(self) -> dict[str, UnknownDomain]:
        return all_inferred(self.profiles, self.attributes)

    @cached_property
    def _domains(self) -> Domains:
        """The same, with what was inferred where no range is declared."""
        return Domains(self.profiles, self.attributes, self._inferred)

    def _kept(self, judged: Conclusions, into: Disclosures, *, either: bool = False) -> tuple[Discovery, ...]:
        """What was found; and a note where something was left open.

        With `either`, values are distinct; where nothing was declared and the answers show that they are not, what
        follows with equal values is all that does.
        """
        into.contradicted = into.contradicted or not judged.consistent
        if not judged.consistent and not (either and len(self.policy.assume.distinct) > 1):
            self._leave_open("the answers do not fit what the policy declares about the values", into)
        if judged.open_:
            late = time.monotonic() >= self.deadline
            self._leave_open(LATE if late else NOT_SETTLED, into)
        return judged.found

    def _leave_open(self, reason: str, into: Disclosures) -> None:
        into.undetermined[name_of("exact_value")] = reason
        if self._narrow is not None:
            into.undetermined[name_of("interval")] = reason

    def _with_tracker(self, found: Discovery) -> Discovery:
        """Name the pattern of the proof, where the literature has a name for it."""
        if not 2 <= len(found.proof) <= 4:
            return found
        asked = [self.queries[position].asked for position in found.proof]
        sets, coefficients = [], []
        for position, each in zip(found.proof, asked, strict=True):
            if not isinstance(each, Linear) or set(each.weights) != {found.quantity}:
                return found
            sets.append(each.weights[found.quantity].dense())
            coefficients.append(found.proof[position] * each.scale)
        if any(weights.dtype != np.bool_ for weights in sets):
            return found
        members = np.zeros(len(self.profiles), dtype=np.bool_)
        members[self.profiles.of_record[list(found.records)]] = True
        everybody = ~self.profiles.missing[found.quantity.attribute]
        return replace(found, tracker=tracker(coefficients, [s.astype(np.bool_) for s in sets], members, everybody))
