"""Whether to answer a question before its answer is known: what the worst possible answer would disclose.

A denial must not tell anything (Kenthapadi, Mishra & Nissim 2005, doi:10.1145/1065167.1065183): it may depend on the
questions and on earlier answers, never on the answer itself. So a question is denied iff some answer that is consistent
with the earlier ones would disclose something that they do not. No function here is given the answer.

*Maxima and minima*: what follows from them depends on the order of the answers alone, so that all answers between two
neighbours of the earlier ones are as good as one. To try each of the t earlier values, a point between each two, and
one beyond each end (2t + 1) decides. Where a least width w is declared, the known ends of intervals and what lies w
beside them count as such values, because the width of an interval that an answer ends is compared with w.

*Sums of bounded reals*: the pairs (answer, x) of a record x fill a convex region of the plane, so that the width of x
is a concave function of the answer, and least at an end of the possible answers. To try both ends decides.

*Sums of whole numbers*: each possible answer is tried, up to `MOST_ANSWERS`; with more of them the ends and as many
others are tried, and if none discloses the question is denied as undetermined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice, pairwise
from typing import Literal

import numpy as np
from scipy.sparse import csr_array, hstack, vstack

from auditor.inference.extrema._joined import joined
from auditor.inference.extrema.extremes import ExtremeAnswer, Extremes, extremes
from auditor.inference.integer.intervals import intervals
from auditor.inference.integer.parts import UnknownDomain, check_lengths, parts
from auditor.inference.integer.search import MemberInterval, PartSearch
from auditor.inference.integer.simplex import Termination
from auditor.inference.linear.equations import Equations, IntArray

MOST_ANSWERS = 64
"""How many answers of a sum of whole numbers are tried."""


@dataclass(frozen=True)
class Decision:
    """Whether a question may be answered, and why.

    `reason` is ``safe``: no possible answer discloses anything new; ``discloses``: a possible answer does;
    ``undetermined``: time or size did not allow to exclude it; ``inconsistent``: the earlier answers fit no data.
    """

    answer: bool
    reason: Literal["safe", "discloses", "undetermined", "inconsistent"]


SAFE = Decision(True, "safe")
DISCLOSES = Decision(False, "discloses")
UNSURE = Decision(False, "undetermined")
INCONSISTENT = Decision(False, "inconsistent")


def may_answer_extreme(
    earlier: Sequence[ExtremeAnswer],
    which: Literal["max", "min"],
    members: IntArray,
    sizes: IntArray,
    *,
    distinct: bool,
    domains: Sequence[UnknownDomain] | None = None,
    min_width: Fraction = Fraction(0),
    deadline: float = math.inf,
) -> Decision:
    """Decide on a maximum or minimum of `members`, columns (int64).

    Args:
        earlier: what was answered.
        which: of the pending question.
        members: of the pending question.
        sizes: int64[c], how many records stand behind each column; no question tells them apart.
        distinct: whether no two records have the same value.
        domains: the ends that everybody knows of a record, one for each column.
        min_width: an interval below it discloses, and so does a determined value.
        deadline: a time of `time.monotonic`.
    """
    if distinct and domains is not None and all(domain.integer for domain in domains):
        return (
            UNSURE  # how many numbers are left counts, so that more than one answer of each kind would be to be tried
        )
    near, columns = _near(earlier, members, len(sizes))
    place = np.zeros(len(sizes), dtype=np.int64)
    place[columns] = np.arange(len(columns))
    of_columns = (
        [UnknownDomain()] * len(columns) if domains is None else [domains[column] for column in columns.tolist()]
    )
    near, members, sizes, ends = joined(near, place[members], sizes[columns], of_columns)

    def known(asked: list[ExtremeAnswer]) -> Extremes:
        return extremes(asked, sizes, distinct=distinct, domains=ends, deadline=deadline)

    before = known(near)
    if before.consistent is not True:
        return INCONSISTENT if before.consistent is False else UNSURE
    if not distinct:  # distinct values also connect answers of one value that share nobody who can attain it any more
        near, columns = _near(near, members, len(sizes))
        members, sizes = np.searchsorted(columns, members), sizes[columns]
        ends = [ends[column] for column in columns.tolist()]
        before = known(near)
    whole = all(domain.integer for domain in ends)
    for answer in _candidates(near, before, which, members, whole=whole, width=min_width):
        after = known([*near, ExtremeAnswer(which, members, answer)])
        if after.consistent is None:
            return UNSURE
        if after.consistent and any(
            now.discloses(min_width) and not then.discloses(min_width)
            for now, then in zip(after.of_column, before.of_column, strict=True)
        ):
            return DISCLOSES
    return SAFE


def _near(earlier: Sequence[ExtremeAnswer], members: IntArray, count: int) -> tuple[list[ExtremeAnswer], IntArray]:
    """The earlier answers that share records with a question, directly or through others, and all their columns.

    The answers come with their columns renumbered to places in the second.
    """
    reached = np.zeros(count, dtype=np.bool_)
    reached[members] = True
    found: set[int] = set()
    while True:
        more = [t for t, extreme in enumerate(earlier) if t not in found and reached[extreme.members].any()]
        if not more:
            break
        found.update(more)
        for t in more:
            reached[earlier[t].members] = True
    columns = np.flatnonzero(reached)
    place = np.zeros(count, dtype=np.int64)
    place[columns] = np.arange(len(columns))
    kept = [earlier[t] for t in sorted(found)]
    return [replace(extreme, members=place[extreme.members]) for extreme in kept], columns


def _candidates(
    earlier: Sequence[ExtremeAnswer],
    before: Extremes,
    which: Literal["max", "min"],
    members: IntArray,
    *,
    whole: bool,
    width: Fraction,
) -> Iterator[Fraction]:
    """One of each kind of answers that the bounds of the members allow."""
    bounds = [before.of_column[column] for column in members.tolist()]
    pick = max if which == "max" else min
    lows, highs = [each.low for each in bounds], [each.high for each in bounds]
    marks = {extreme.answer for extreme in earlier}.union(*(each.ends for each in bounds))
    if width:  # an answer may become the other end of a member's interval
        marks |= {low + width for low in lows if low is not None} | {high - width for high in highs if high is not None}
    # A maximum is at least every low end, but at most the largest high one; a minimum the other way round.
    least = _most(pick, lows, missing_wins=which == "min")
    most = _most(pick, highs, missing_wins=which == "max")
    for answer in _between(marks, whole=whole):
        if (least is None or least <= answer) and (most is None or answer <= most):
            yield answer


def _most(
    pick: Callable[[list[Fraction]], Fraction], ends: list[Fraction | None], *, missing_wins: bool
) -> Fraction | None:
    known = [end for end in ends if end is not None]
    return None if not known or (missing_wins and len(known) < len(ends)) else pick(known)


def _between(marks: set[Fraction], *, whole: bool) -> Iterator[Fraction]:
    """Each mark, a point between each two neighbours (a whole number, if there is one), and one beyond each end."""
    ordered = sorted(marks)
    if not ordered:
        return iter([Fraction(0)])
    gaps = ((low + high) / 2 for low, high in pairwise(ordered))
    if whole:
        gaps = (Fraction(math.floor(low) + 1) for low, high in pairwise(ordered) if math.floor(low) + 1 < high)
    return chain([ordered[0] - 1, ordered[-1] + 1], ordered, gaps)


def may_answer_sum(
    equations: Equations,
    answers: Sequence[Fraction],
    pending: IntArray,
    domains: Sequence[UnknownDomain],
    *,
    min_width: Fraction = Fraction(0),
    deadline: float = math.inf,
) -> Decision:
    """Decide on a sum.

    Args:
        equations: the earlier questions; the atoms must be such that the pending one does not split them.
        answers: theirs, exact.
        pending: int64[p], the coefficients of the pending question.
        domains: what is known of one member, one for each atom. In the part that the question touches they are all
            whole numbers or all reals; else it is denied as undetermined.
        min_width: an interval below it discloses, and so does a determined value.
        deadline: a time of `time.monotonic`.
    """
    check_lengths(equations, answers, domains)
    question = _Question.of(equations, answers, pending, domains, min_width)
    if question is None:
        return SAFE
    before = question.before(deadline)
    if isinstance(before, Decision):
        return before
    *of_atoms, possible = before
    tried = question.candidates(possible)
    if tried is None:
        return UNSURE
    candidates, all_of_them = tried
    known = [interval.discloses(min_width) for interval in of_atoms]
    for answer in candidates:
        verdict = question.after(answer, known, deadline)
        if verdict is not SAFE:
            return verdict
    return SAFE if all_of_them else UNSURE


@dataclass(frozen=True)
class _Question:
    """The part that a pending sum touches; its last row is the pending one."""

    equations: Equations
    earlier: list[Fraction]
    domains: list[UnknownDomain]
    min_width: Fraction

    @classmethod
    def of(
        cls,
        equations: Equations,
        answers: Sequence[Fraction],
        pending: IntArray,
        domains: Sequence[UnknownDomain],
        min_width: Fraction,
    ) -> _Question | None:
        """None where the question asks of nobody."""
        if not pending.any():
            return None
        rows = csr_array(vstack([equations.rows, csr_array(pending.reshape(1, -1))], format="csr"))
        asked = len(answers)
        everything = Equations(rows, equations.sizes)
        part = next(p for p in parts(everything, [*answers, Fraction(0)], domains) if asked in p.answers)
        return cls(
            Equations(part.rows, equations.sizes[part.atoms]),
            [answers[row] for row in part.answers.tolist() if row != asked],
            [domains[atom] for atom in part.atoms.tolist()],
            min_width,
        )

    def before(self, deadline: float) -> list[MemberInterval] | Decision:
        """The interval of each atom without the answer, and last that of the answer: y in B z = b, c·z − y = 0."""
        rows = self.equations.rows
        column = np.zeros((rows.shape[0], 1), dtype=np.int64)
        column[-1] = -1
        sizes = np.append(self.equations.sizes, 1)
        domains = [*self.domains, UnknownDomain(integer=self.domains[0].integer)]
        with_answer = Equations(csr_array(hstack([rows, csr_array(column)], format="csr")), sizes)
        (part,) = parts(with_answer, [*self.earlier, Fraction(0)], domains)
        last = len(domains) - 1
        search = PartSearch(part, domains, sizes.tolist(), None, deadline)
        outcome = search.begin()
        if outcome is not Termination.OPTIMAL:
            return INCONSISTENT if outcome is Termination.INFEASIBLE else UNSURE
        possible = search.interval(last)
        search.enough = self.min_width
        return [*(search.interval(position) for position in range(last)), possible]

    def candidates(self, possible: MemberInterval) -> tuple[list[Fraction], bool] | None:
        """Answers that decide, and whether they do when none of them discloses; None where that is not settled."""
        whole = {domain.integer for domain in self.domains}
        if possible.status == "undetermined" or not possible.exact or len(whole) > 1:
            return None
        low, high = possible.low, possible.high
        if low == high and low is not None:
            return [], True
        ends = list(possible.ends)
        if not whole.pop():
            return ends or [Fraction(0)], True
        if low is None or high is None:
            return ends, False
        inside = (low + step for step in range(1, math.floor(high - low)))
        return [*ends, *islice(inside, MOST_ANSWERS)], high - low <= MOST_ANSWERS

    def after(self, answer: Fraction, known: list[bool], deadline: float) -> Decision:
        """What one answer would do: `known` are atoms disclosed already."""
        found = intervals(
            self.equations, [*self.earlier, answer], self.domains, enough=self.min_width, deadline=deadline
        )
        if found.consistent is False:
            return SAFE
        for interval, was_known in zip(found.of_atom, known, strict=True):
            if interval.status == "undetermined":
                return UNSURE
            if interval.discloses(self.min_width) and not was_known:
                return DISCLOSES
        return SAFE
