"""What answered maxima and minima determine.

Each answer says that the largest (smallest) value of a set of records is a. Record i is then known to lie between

    lb_i = the largest answered minimum, and ub_i = the smallest answered maximum, of the sets that hold i,

and can be the *holder* of an answer a_t, the record that attains it, only where a_t = ub_i for a maximum, lb_i for a
minimum, and lb_i ≤ ub_i.

*Equal values allowed* (Chin 1986, doi:10.1145/5925.5928): every answer needs a holder. A record is determined when its
bounds meet, or when it is the only record that can hold an answer; what is determined narrows who can hold the rest.
With answers of one kind that is all. With both kinds, records whose two bounds are both answers can serve either but
not both, so that to decide is to satisfy clauses of all-positive (maxima) and all-negative (minima) literals, which is
NP-complete; they are searched exactly, up to the deadline.

*Distinct values* (Kenthapadi, Mishra & Nissim 2005, doi:10.1145/1065167.1065183; Nabar et al. 2006): every answered
value v has exactly one holder, who belongs to all the sets, of maxima and minima, that were answered with v; everybody
else in them is strictly beyond. Values are the nodes of a graph and a record that can hold two of them an edge. A value
left with one possible holder determines it, and this is all that follows: once every value has two possible holders
left, each record has two values, or an open interval of them, to choose from.

Distinct *whole numbers* also run out: three of them between 0 and 2 are 0, 1 and 2. Which can be whose is a question of
flows (`integer.places`), which is asked where every domain is of whole numbers.

*Values that may be missing* hold no answer. So a record whose bounds cross has none, and one whose bounds meet has that
value or none. Where equal values are allowed it is tried whether the others can hold all the answers without it; where
not, they can as soon as one more can hold the value, because that leaves as many records as values in its part of the
graph. Whoever can hold an answer alone is there.

Everything is a comparison of fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from auditor.inference.extrema._clauses import Clause, forced
from auditor.inference.integer.parts import UnknownDomain
from auditor.inference.integer.places import distinct_ends
from auditor.inference.integer.search import InferredInterval, Status
from auditor.inference.linear.equations import IntArray
from auditor.interval import Interval

MOST_TRIED = 200
"""Of so many records it is tried whether their values can be missing; further ones stay undetermined."""


@dataclass(frozen=True)
class ExtremeAnswer:
    """One answer: the largest or smallest value of `members`, the columns (int64) of the records asked about."""

    which: Literal["max", "min"]
    members: IntArray
    answer: Fraction


@dataclass(frozen=True, slots=True)
class RecordInterval(InferredInterval):
    """What one record of a column can be.

    Where it is determined, `proof` are the answers, by index, that it follows from; where `absent`, it has no value.
    What is free may be missing besides, if that was said.
    """

    proof: tuple[int, ...] = ()
    absent: bool = False


@dataclass(frozen=True)
class Extremes:
    """One range for each column.

    `consistent` is False where no values give these answers: under distinct values it means that the assumption does
    not fit the data. It is None where that was not settled. Then every column is ``undetermined``.
    """

    consistent: bool | None
    of_column: tuple[RecordInterval, ...]


def extremes(
    answers: Sequence[ExtremeAnswer],
    sizes: IntArray,
    *,
    distinct: bool,
    domains: Sequence[UnknownDomain] | None = None,
    missing: NDArray[np.bool_] | None = None,
    deadline: float = math.inf,
) -> Extremes:
    """What follows about a record of each column.

    Args:
        answers: maxima and minima of non-empty sets of columns.
        sizes: int64[c], how many records stand behind each column; the answers do not tell them apart.
        distinct: whether no two records have the same value.
        domains: the ends that everybody knows of a record, one for each column; `integer` matters for distinct values.
        missing: bool[c], of which columns values may be missing, as nobody knows; of none where None.
        deadline: a time of `time.monotonic`.
    """
    known = domains or [UnknownDomain()] * len(sizes)
    state = _State(answers, sizes, known, missing, distinct=distinct)
    consistent = state.solve(deadline)
    if consistent is False:
        return Extremes(False, (RecordInterval(),) * len(sizes))
    if not distinct:
        _try_without(state, answers, known, deadline)
    ranges = list(state.ranges())
    if distinct and domains is not None and all(_is_whole(domain) for domain in domains):
        placed = state.whole_ranges(ranges)
        if placed is None:
            return Extremes(False, (RecordInterval(),) * len(sizes))
        ranges = placed
    return Extremes(consistent, tuple(ranges))


def _try_without(
    state: _State, answers: Sequence[ExtremeAnswer], domains: Sequence[UnknownDomain], deadline: float
) -> None:
    """Determine whose bounds meet where the others cannot hold all the answers, so that its value is not missing."""
    for tried, column in enumerate(state.leant_on()):
        if tried >= MOST_TRIED:
            state.unsettled[column] = True
            continue
        without = [replace(each, members=each.members[each.members != column]) for each in answers]
        left = _State(without, state.sizes, domains, state.missing, distinct=False).solve(deadline)
        if left is None:
            state.unsettled[column] = True
        elif not left:
            state.determine_met(column)


def _is_whole(domain: UnknownDomain) -> bool:
    """Whether only whole numbers are possible."""
    return domain.integer or (domain.point is not None and domain.point.denominator == 1)


class _State:
    """Bounds of every column as ranks among the values that occur, and who can still hold what.

    A *demand* is what needs a holder: an answer where equal values are allowed; all answers of one value where not.
    """

    def __init__(
        self,
        answers: Sequence[ExtremeAnswer],
        sizes: IntArray,
        domains: Sequence[UnknownDomain],
        missing: NDArray[np.bool_] | None,
        *,
        distinct: bool,
    ) -> None:
        self.sizes, self.distinct = sizes, distinct
        self.missing = np.zeros(len(sizes), dtype=np.bool_) if missing is None else missing
        ends = {end for domain in set(domains) for end in domain.ends}
        self.values = sorted({answer.answer for answer in answers} | ends)
        rank = {value: position for position, value in enumerate(self.values)}
        count = len(sizes)
        self.low = np.array([-1 if domain.low is None else rank[domain.low] for domain in domains], dtype=np.int64)
        self.high = np.array([len(rank) if d.high is None else rank[d.high] for d in domains], dtype=np.int64)
        self.low_from: IntArray = np.full(count, -1, dtype=np.int64)
        self.high_from: IntArray = np.full(count, -1, dtype=np.int64)
        self.known: NDArray[np.bool_] = np.zeros(count, dtype=np.bool_)
        self.torn: NDArray[np.bool_] = np.zeros(count, dtype=np.bool_)
        """Single records that could hold an answer of each kind, and not both: what `search` began with."""
        self.unsettled: NDArray[np.bool_] = np.zeros(count, dtype=np.bool_)
        self.proofs: dict[int, frozenset[int]] = {}
        for index, answer in enumerate(answers):
            self._bound(index, answer, rank[answer.answer])
        self.demands = self._demands(answers, rank)

    def _bound(self, index: int, answer: ExtremeAnswer, value: int) -> None:
        members = answer.members
        ends, origin = (self.high, self.high_from) if answer.which == "max" else (self.low, self.low_from)
        closer = members[ends[members] > value if answer.which == "max" else ends[members] < value]
        ends[closer], origin[closer] = value, index

    def _demands(self, answers: Sequence[ExtremeAnswer], rank: Mapping[Fraction, int]) -> list[_Demand]:
        together: dict[int, list[int]] = {}
        for index, answer in enumerate(answers):
            together.setdefault(rank[answer.answer] if self.distinct else index, []).append(index)
        found = []
        for indexes in together.values():
            members = answers[indexes[0]].members
            for index in indexes[1:]:
                members = np.intersect1d(members, answers[index].members)
            kinds = {answers[index].which for index in indexes}
            value = rank[answers[indexes[0]].answer]
            found.append(_Demand(value, tuple(indexes), members, self._able(members, value), kinds))
        return found

    def _able(self, members: IntArray, value: int) -> IntArray:
        """Those whose bounds allow the value."""
        return members[(self.low[members] <= value) & (value <= self.high[members])]

    def solve(self, deadline: float) -> bool | None:
        """Determine what follows; whether all answers can be held, None where that was not settled."""
        if not self.settle():
            return False
        return True if self.distinct else self.search(deadline)

    def settle(self) -> bool:
        """Determine whoever is the only one that can hold an answer, until nothing changes; whether all can be held."""
        if (self.low > self.high)[~self.missing].any():
            return False
        for column in np.flatnonzero((self.low == self.high) & ~self.missing).tolist():
            proof = frozenset({int(self.low_from[column]), int(self.high_from[column])}) - {-1}
            if self.distinct and not self._holds_alone(column):
                return False
            self._determine(column, int(self.low[column]), proof)
        changed = True
        while changed:
            changed = False
            for demand in self.demands:
                demand.holders = self._holders(demand)
                if not len(demand.holders):
                    return False
                column = int(demand.holders[0])
                if len(demand.holders) == 1 and self.sizes[column] == 1 and not self.known[column]:
                    self._determine(column, demand.value, self._why_alone(demand))
                    changed = True
        return True

    def _holds_alone(self, column: int) -> bool:
        """Under distinct values: whether a column whose bounds meet is one record, and no other has its value."""
        value = self.low[column]
        same = np.flatnonzero((self.low == value) & (self.high == value) & ~self.missing)
        in_all = all(column in demand.members for demand in self.demands if demand.value == value)
        return bool(self.sizes[same].sum() == 1 and in_all)

    def _holders(self, demand: _Demand) -> IntArray:
        holders = self._able(demand.holders, demand.value)
        sure = holders[self.known[holders]]
        return sure if self.distinct and len(sure) else holders

    def _determine(self, column: int, value: int, proof: frozenset[int]) -> None:
        self.low[column] = self.high[column] = value
        self.known[column] = True
        self.proofs[column] = proof

    def _why_alone(self, demand: _Demand) -> frozenset[int]:
        """The answers that ask for a holder, and those that keep every other member from being it."""
        others = np.setdiff1d(demand.members, demand.holders)
        proof = set(demand.answers)
        for column in others[self.known[others]].tolist():
            proof |= self.proofs[column]
        others = others[~self.known[others]]
        proof.update(np.unique(self.high_from[others[self.high[others] < demand.value]]).tolist())
        proof.update(np.unique(self.low_from[others[self.low[others] > demand.value]]).tolist())
        return frozenset(proof - {-1})

    def search(self, deadline: float) -> bool | None:
        """Equal values allowed, maxima and minima: who has the same value in every way to hold all the answers."""
        clauses, demands = [], []
        both = (self.low_from >= 0) & (self.high_from >= 0) & (self.low < self.high)
        self.torn = both & (self.sizes == 1) & ~self.known
        for demand in self.demands:
            if self.torn[demand.holders].all():
                clauses.append(Clause("max" in demand.kinds, frozenset(demand.holders.tolist())))
                demands.append(demand)
        consistent: bool | None = True
        for part in forced(clauses, deadline):
            if part.satisfiable is False:
                return False
            if part.satisfiable is None:
                self.unsettled[list(part.variables)] = True
                consistent = None
            proof = self._why_all([demands[position] for position in part.clauses]) if part.values else frozenset()
            for column, at_high in part.values.items():
                self._determine(column, int((self.high if at_high else self.low)[column]), proof)
        return consistent

    def leant_on(self) -> list[int]:
        """Records whose bounds meet, if they are there, and without whom some answer needs a record that is torn.

        What another can hold besides, who has nothing else to hold, does not need them.
        """
        met = self.missing & (self.low == self.high) & (self.sizes == 1) & ~self.known
        found = set()
        for demand in self.demands if met.any() else ():
            ready = demand.holders[~self.torn[demand.holders]]
            if len(ready) == 1 and met[ready[0]]:
                found.add(int(ready[0]))
        return sorted(found)

    def determine_met(self, column: int) -> None:
        """A record whose bounds meet has that value."""
        self._determine(column, int(self.low[column]), frozenset(self._everything))

    @property
    def _absent(self) -> NDArray[np.bool_]:
        """bool[c]: whose bounds leave no value; under distinct values also whose only one somebody else has."""
        absent = self.low > self.high
        if self.distinct:
            met = self.missing & (self.low == self.high)
            for demand in self.demands:
                taken = met & (self.low == demand.value)
                taken[demand.holders] = False
                absent |= taken
        return absent & self.missing

    def _why_all(self, demands: Sequence[_Demand]) -> frozenset[int]:
        """What the demands of a part rest on: their answers, who cannot hold them, and both bounds of those who can."""
        holders = np.unique(np.concatenate([demand.holders for demand in demands]))
        bounds = {*self.low_from[holders].tolist(), *self.high_from[holders].tolist()}
        return frozenset().union(*(self._why_alone(demand) for demand in demands)) | frozenset(bounds)

    def ranges(self) -> Iterator[RecordInterval]:
        """What is known of a record of each column."""
        low_open, high_open = self._missed(self.low), self._missed(self.high)
        absent = self._absent
        for column, (low, high) in enumerate(zip(self.low.tolist(), self.high.tolist(), strict=True)):
            ends = self.values[low] if low >= 0 else None, self.values[high] if high < len(self.values) else None
            if self.known[column]:
                yield RecordInterval(*ends, status="determined", proof=tuple(sorted(self.proofs[column])))
            elif absent[column]:
                yield RecordInterval(status="determined", absent=True)
            elif self.unsettled[column]:
                yield RecordInterval(*ends)
            else:
                yield RecordInterval(*ends, bool(low_open[column]), bool(high_open[column]), status="free")

    def whole_ranges(self, ranges: Sequence[RecordInterval]) -> list[RecordInterval] | None:
        """The same where all values are distinct whole numbers; None where there are none."""
        if any(self.values[demand.value].denominator != 1 for demand in self.demands):
            return None
        own = [_in_integers(each) for each in ranges]
        holders = {int(self.values[demand.value]): set(demand.holders.tolist()) for demand in self.demands}
        ends = distinct_ends(own, self.sizes, holders)
        if ends is None:
            return None
        found = []
        for each, size, whole in zip(ranges, self.sizes.tolist(), ends, strict=True):
            low, high = (None if end is None else Fraction(end) for end in (whole.low, whole.high))
            alone = size == 1 and whole.point is not None
            status: Status = "determined" if alone else "free"
            placed = RecordInterval(low, high, status=status, proof=self._everything if alone else ())
            found.append(placed if size and each.status != "determined" else each)
        return found

    @property
    def _everything(self) -> tuple[int, ...]:
        return tuple(sorted({answer for demand in self.demands for answer in demand.answers}))

    def _missed(self, ends: IntArray) -> NDArray[np.bool_]:
        """Under distinct values an end that somebody else has is not reached."""
        missed = np.zeros(len(ends), dtype=np.bool_)
        if self.distinct:
            missed |= np.isin(ends, [demand.value for demand in self.demands])
            for demand in self.demands:
                missed[demand.holders[ends[demand.holders] == demand.value]] = False
        return missed


def _in_integers(known: RecordInterval) -> Interval[int]:
    low, high = (None if end is None else int(end) for end in (known.low, known.high))
    return Interval(low, high)


@dataclass
class _Demand:
    """What asks for a holder: the value, by rank; the answers that ask, the records they share, who can hold it yet."""

    value: int
    answers: tuple[int, ...]
    members: IntArray
    holders: IntArray
    kinds: set[Literal["max", "min"]]
