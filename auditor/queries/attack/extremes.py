"""The maxima and minima of a log, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from auditor.classes import BoolArray, IntArray
from auditor.inference import UnknownDomain
from auditor.inference.extrema import extremes
from auditor.queries._answers import answer_of
from auditor.queries._query import Extreme, Quantity, Query
from auditor.queries.attack.discovery import Conclusions, Discovery
from auditor.queries.attack.views import View
from auditor.queries.records.records import RecordProfiles


@dataclass(frozen=True)
class SeenExtremes:
    """The maxima and minima of one quantity that the users of a view got answered, at `positions` of the log."""

    profiles: RecordProfiles
    view: View
    quantity: Quantity
    positions: tuple[int, ...]
    answers: tuple[extremes.ExtremeAnswer, ...]
    sizes: IntArray
    known: tuple[int, ...]

    @classmethod
    def of(cls, profiles: RecordProfiles, queries: Sequence[Query], view: View, quantity: Quantity) -> SeenExtremes:
        """Collect them; a record that the view knows stands in a column of its own, with its value as both extremes."""
        sizes = profiles.sizes.copy()
        everything = sorted(view.known)
        np.subtract.at(sizes, profiles.of_record[everything], 1)
        missing = profiles.protected[quantity.attribute].missing
        known = tuple(record for record in everything if not missing[record])
        positions, answers = [], []
        for position, query in enumerate(queries):
            asked = query.asked
            if not isinstance(asked, Extreme) or asked.quantity != quantity or not view.sees(query.statement.user):
                continue
            answer = answer_of(asked, profiles)
            if answer is not None:
                positions.append(position)
                answers.append(extremes.ExtremeAnswer(asked.which, _columns(asked, profiles, sizes, known), answer))
        everybody = np.concatenate([sizes, np.ones(len(known), dtype=np.int64)])
        return cls(profiles, view, quantity, tuple(positions), tuple(answers), everybody, known)

    def judged(self, domain: UnknownDomain, *, distinct: bool, narrow: Fraction | None, deadline: float) -> Conclusions:
        """Whose value is determined, and (with `narrow`) whose is known more closely than that."""
        judged = extremes.extremes(
            self.answers,
            self.sizes,
            distinct=distinct,
            domains=self.domains(domain),
            missing=self._may_be_missing,
            deadline=deadline,
        )
        if judged.consistent is False:
            return Conclusions((), open_=False, consistent=False)
        found = tuple(self._found(judged.of_column, narrow))
        touched = np.zeros(len(self.sizes), dtype=np.bool_)
        for answer in self.answers:
            touched[answer.members] = True
        unsettled = any(r.status == "undetermined" and touched[i] for i, r in enumerate(judged.of_column))
        return Conclusions(found, open_=unsettled)

    def columns_of(self, asked: Extreme) -> IntArray:
        """The columns that a question asks about."""
        return _columns(asked, self.profiles, self.sizes[: len(self.profiles)], self.known)

    def domains(self, domain: UnknownDomain) -> list[UnknownDomain]:
        """What the view knows of each column: the domain, or the value of a record that it knows."""
        if not self.profiles.schema.null_is_public:
            domain = UnknownDomain()  # at an end of the range, or missing
        return [domain] * len(self.profiles) + [self._known_value(record) for record in self.known]

    @property
    def _may_be_missing(self) -> BoolArray:
        """bool[c]: the columns of records that may have no value, as far as the view knows."""
        hidden = not self.profiles.schema.null_is_public
        return np.array([hidden] * len(self.profiles) + [False] * len(self.known), dtype=np.bool_)

    def _known_value(self, record: int) -> UnknownDomain:
        value = self.profiles.numbers(self.quantity).fraction(record)
        return UnknownDomain(value, value)

    def _found(self, ranges: Sequence[extremes.RecordInterval], narrow: Fraction | None) -> Iterator[Discovery]:
        for column, each in enumerate(ranges[: len(self.profiles)]):
            if not self.sizes[column] or self.profiles.missing[self.quantity.attribute][column]:
                continue
            if each.absent:
                kind = "finite-domain"
            elif each.status == "determined":
                kind = "exact-value"
            elif narrow is not None and each.width < narrow:
                kind = "interval"
            else:
                continue
            records = np.setdiff1d(np.flatnonzero(self.profiles.of_record == column), sorted(self.view.known))
            rests_on = tuple(sorted({self.positions[i] for i in each.proof if i < len(self.positions)}))
            rests_on = rests_on or self._touching(column)
            yield Discovery(
                kind=kind,
                quantity=Quantity(self.quantity.attribute, presence=True) if each.absent else self.quantity,
                records=tuple(records.tolist()),
                low=Fraction(0) if each.absent else each.low,
                high=Fraction(0) if each.absent else each.high,
                first=max(rests_on, default=0),
                view=self.view,
                follows_from=rests_on,
            )

    def _touching(self, column: int) -> tuple[int, ...]:
        """The queries that ask about a column."""
        return tuple(p for p, a in zip(self.positions, self.answers, strict=False) if column in a.members)


def quantities_of_extremes(queries: Sequence[Query]) -> list[Quantity]:
    """The quantities whose maximum or minimum was asked for."""
    return sorted({query.asked.quantity for query in queries if isinstance(query.asked, Extreme)})


def _columns(asked: Extreme, profiles: RecordProfiles, sizes: IntArray, known: Sequence[int]) -> IntArray:
    """The profiles with a record that is not known, then the columns of the records that are."""
    members = asked.members.dense().astype(np.bool_)
    own = [len(sizes) + i for i, record in enumerate(known) if members[profiles.of_record[record]]]
    return np.array([*np.flatnonzero(members & (sizes > 0)), *own], dtype=np.int64)
