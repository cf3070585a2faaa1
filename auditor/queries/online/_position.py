"""What one view was answered so far, and what one statement more would give it.

Every decision reads earlier questions and earlier answers, never the answer that is asked for (Kenthapadi, Mishra &
Nissim 2005): whoever is denied learns nothing that he could not have computed himself.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array

from auditor.classes import IntArray
from auditor.inference import AnsweredSums, Equations, UnknownDomain
from auditor.inference.extrema.worst_case import Decision, may_answer_extreme, may_answer_sum
from auditor.policy.queries import Queries, name_of
from auditor.queries._query import BoolArray, Extreme, Linear, Quantity, Query
from auditor.queries.attack.extremes import SeenExtremes
from auditor.queries.attack.limitations import not_foreseen
from auditor.queries.attack.null import values_asked
from auditor.queries.attack.ranges import BoundedSums
from auditor.queries.attack.sums import Sums, coefficients
from auditor.queries.attack.views import View
from auditor.queries.records.records import RecordProfiles

DECISION_SECONDS = 10.0
"""A decision that takes longer is a denial: what could not be excluded is never answered."""


@dataclass
class Position:
    """The answers of one view. `domains` says what everybody knows of a quantity."""

    profiles: RecordProfiles
    policy: Queries
    view: View
    domains: Mapping[Quantity, UnknownDomain]
    answered: list[Query] = field(default_factory=list)
    _sums: AnsweredSums | None = None
    _quantities: tuple[Quantity, ...] = ()
    _sizes: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """int64[c]: how many unknowns stand behind each column of the sums."""
    _pending: tuple[int, AnsweredSums] | None = None

    def violations(self, queries: Sequence[Query]) -> Iterator[str]:
        """The rules that answering these queries, all of one statement, would break; nothing is changed."""
        self._pending = None
        linear = _linear(queries)
        if linear:
            yield from self._of_sums(linear)
            exact = self.policy.limits.exact_value == "deny" or self.policy.limits.interval is not None
            if exact and any(self._is_bounded(query) for query in (*linear, *_linear(self.answered))):
                yield from self._of_bounds(linear)
        extremes = [query for query in queries if isinstance(query.asked, Extreme)]
        for place, query in enumerate(extremes):
            yield from self._of_extreme(query, alone=place == 0)
        if list(self._rules_on_values()):
            yield from self._of_what_is_not_equations(queries)

    def _of_what_is_not_equations(self, queries: Sequence[Query]) -> Iterator[str]:
        if (
            self._mixes(queries)
            or self._could_run_out(queries)
            or not_foreseen(self.policy, self.profiles, [*self.answered, *queries], self.domains)
        ):
            yield "undetermined"
        hidden = not self.policy.assume.null_is_public
        if hidden and any(True for query in queries for _ in values_asked(query)):
            yield "finite-domain"  # the answer may be NULL, which says that all of them are missing

    def take(self, queries: Sequence[Query]) -> None:
        """Note that these queries were answered."""
        linear = [_asked_of(query) for query in _linear(queries)]
        if linear:
            self._know(linear)
            assert self._sums is not None  # noqa: S101  (set up by the line above)
            if self._pending is not None and self._pending[0] == queries[0].statement.number:
                self._sums = self._pending[1]
            else:
                for asked in linear:
                    self._sums.answer(self._row(asked))
        self._pending = None
        self.answered += queries

    # Sums

    def _of_sums(self, linear: Sequence[Query]) -> Iterator[str]:
        limits = self.policy.limits
        self._know([_asked_of(query) for query in linear])
        assert self._sums is not None  # noqa: S101
        sums = self._sums if len(linear) == 1 else copy.deepcopy(self._sums)
        least = limits.min_group or 2
        for query in linear:
            row = self._row(_asked_of(query))
            told = sums.consequences(row, below=max(least, 2))
            of_size = self._sizes[told.determined]
            if (of_size == 1).any():
                yield from self._rules_on_values()
            if limits.min_group is not None and ((of_size < least).any() or len(told.pairs)):
                yield name_of("min_group")
            if len(linear) > 1:
                sums.answer(row)
        if len(linear) > 1:
            self._pending = linear[0].statement.number, sums
        if least > 3 or self.profiles.units is not None or self._several:
            yield from self._of_larger_groups(linear)

    @property
    def _several(self) -> bool:
        """Whether a record can have several unknowns."""
        return len(self._quantities) > 1 or self.profiles.validity is not None

    def _rules_on_values(self) -> Iterator[str]:
        """The rules that a value which follows breaks."""
        limits = self.policy.limits
        if limits.exact_value == "deny":
            yield name_of("exact_value")
        if limits.min_group is not None and limits.min_group > 1:
            yield name_of("min_group")
        if limits.interval is not None:
            yield name_of("interval")

    def _of_larger_groups(self, linear: Sequence[Query]) -> Iterator[str]:
        """Persons of several records, and groups of three and more: looked for among all that was answered."""
        limits = self.policy.limits
        seen = Sums.of(self.profiles, [*self.answered, *linear]).seen_by(self.view)
        if limits.exact_value == "deny" and next(seen.individuals(), None) is not None:
            yield name_of("exact_value")
        if limits.min_group is not None and (limits.min_group > 3 or self._several):
            deadline = time.monotonic() + DECISION_SECONDS
            groups, complete = seen.groups(limits.min_group, limits.group_effort, deadline)
            if groups:
                yield name_of("min_group")
            elif not complete:
                yield "undetermined"

    def _know(self, linear: Sequence[Linear]) -> None:
        """Make room for quantities that were not asked about before."""
        wanted = {quantity for asked in linear for quantity in asked.weights}
        if self._sums is not None and wanted <= set(self._quantities):
            return
        self._quantities = tuple(sorted(wanted | set(self._quantities)))
        sizes = self.profiles.sizes.copy()
        np.subtract.at(sizes, self.profiles.of_record[sorted(self.view.known)], 1)
        self._sizes = np.tile(sizes, len(self._quantities))
        self._sums = AnsweredSums(self._sizes, [self._row(_asked_of(query)) for query in _linear(self.answered)])

    def _row(self, asked: Linear) -> BoolArray | IntArray:
        row = coefficients(asked, self._quantities, len(self.profiles))
        return row & (self._sizes > 0) if row.dtype == np.bool_ else np.where(self._sizes > 0, row, 0)

    # What is known of the values besides

    def _is_bounded(self, query: Query) -> bool:
        """Whether everybody knows more of its values than that they are numbers.

        Then an answer at an end tells all of them, so that it counts whether such an answer is possible.
        """
        return any(self.domains[quantity].ends for quantity in _asked_of(query).weights)

    def _of_bounds(self, linear: Sequence[Query]) -> Iterator[str]:
        limits = self.policy.limits
        if len(linear) > 1:
            yield "undetermined"
            return
        earlier = _linear(self.answered)
        bounded = BoundedSums(Sums.of(self.profiles, [*earlier, *linear]).seen_by(self.view), self.domains)
        place = len(bounded.seen.rows) - 1
        if bounded.seen.positions[place] < len(earlier):
            return  # the same sum was answered before
        rows = bounded.equations.rows
        kept = np.delete(np.arange(rows.shape[0]), place)
        # The answers of the earlier queries and of the rows that only say that everybody has one category. The last,
        # which is that of the pending query, is never computed.
        answers = bounded.answers_of(kept)
        width = Fraction(0) if limits.interval is None else limits.interval.width
        decided = may_answer_sum(
            Equations(csr_array(rows[kept]), bounded.equations.sizes),
            answers,
            rows[[place]].toarray().reshape(-1),
            bounded.of_column,
            min_width=width,
            deadline=time.monotonic() + DECISION_SECONDS,
        )
        whole = any(domain.integer for domain in bounded.of_column)
        inner = "finite-domain" if whole else name_of("exact_value")
        rule = inner if limits.interval is None else name_of("interval")
        yield from _reasons(decided, rule)

    # Extremes

    def _of_extreme(self, query: Query, *, alone: bool) -> Iterator[str]:
        asked = query.asked
        assert isinstance(asked, Extreme)  # noqa: S101  (only such were chosen)
        if not alone:
            yield "undetermined"
            return
        rules = list(self._rules_on_values())
        if not rules:
            return
        interval = self.policy.limits.interval
        seen = SeenExtremes.of(self.profiles, self.answered, self.view, asked.quantity)
        domain = self.domains[asked.quantity]
        for distinct in self.policy.assume.distinct:
            decided = may_answer_extreme(
                seen.answers,
                asked.which,
                seen.columns_of(asked),
                seen.sizes,
                distinct=distinct,
                domains=seen.domains(domain),
                min_width=Fraction(0) if interval is None else interval.width,
                deadline=time.monotonic() + DECISION_SECONDS,
            )
            if distinct and decided.reason == "inconsistent":
                continue  # the values are not distinct, as the answers show
            yield from _reasons(decided, rules[0] if interval is None else name_of("interval"))

    def _could_run_out(self, queries: Sequence[Query]) -> bool:
        """Whether it is about extremes of distinct whole numbers: which possible answer uses them up is not tried."""
        asked = {query.asked.quantity for query in queries if isinstance(query.asked, Extreme)}
        return any(self.policy.assume.distinct) and any(self.domains[quantity].integer for quantity in asked)

    def _mixes(self, queries: Sequence[Query]) -> bool:
        """Whether sums and extremes of the same values would have been answered."""
        everything = [query.asked for query in (*self.answered, *queries)]
        summed = {quantity for asked in everything if isinstance(asked, Linear) for quantity in asked.weights}
        return any(isinstance(asked, Extreme) and asked.quantity in summed for asked in everything)


def _linear(queries: Sequence[Query]) -> list[Query]:
    """The queries that ask for a sum of protected values."""
    return [query for query in queries if isinstance(query.asked, Linear) and query.asked.weights]


def _asked_of(query: Query) -> Linear:
    """What one of them asks."""
    assert isinstance(query.asked, Linear)  # noqa: S101  (only such were chosen)
    return query.asked


def _reasons(decided: Decision, rule: str) -> Iterator[str]:
    if not decided.answer:
        yield rule if decided.reason == "discloses" else "undetermined"
