"""Whole numbers, booleans and categories: what every solution shares.

With x a whole number between low and high, the totals of the atoms are whole, |A|·low ≤ z_A ≤ |A|·high, B z = b, and a
member of an atom is determined iff its interval (see `intervals`) is a point: for 0 and 1, iff max z_A = 0 or
min z_A = |A|. To decide is coNP-complete already for booleans (Kleinberg, Papadimitriou & Raghavan 2003,
doi:10.1016/S0022-0000(03)00036-2); linear programmes alone are not enough, for one can leave [0, 1] to a value that is
determined.

A category is as many unknowns of 0 or 1 as it has values, with one row more for each atom of records, whose answer is
the number of records: Σ_v z_(A,v) = |A|. The caller adds these rows.

In this order, and each only for what is not settled: solutions met so far, which clear every atom they differ on; the
exact linear programme, rounded; exact branch and bound; HiGHS, whose solutions are checked exactly and whose "there is
none" is asked for twice and marked as such (`MemberInterval.exact`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from auditor.inference.integer.intervals import AtomIntervals, intervals
from auditor.inference.integer.parts import UnknownDomain
from auditor.inference.linear.equations import Equations


def integers(
    equations: Equations,
    answers: Sequence[Fraction],
    domains: Sequence[UnknownDomain],
    *,
    enough: Fraction | None = Fraction(1),
    known: Sequence[Sequence[Fraction]] = (),
    deadline: float = math.inf,
) -> AtomIntervals:
    """The interval of one member of each atom, all of them whole numbers.

    Args:
        equations: the rows and the sizes of the atoms.
        answers: b, one for each row, exact.
        domains: what is known of one member, one for each atom; each is taken as `integer`.
        enough: stop at an atom once its interval is known to be this wide; 1 asks for determined values only, None for
            both ends of every interval.
        known: solutions that the caller has, as totals of the atoms (see `intervals`).
        deadline: a time of `time.monotonic`; what is not settled by then is ``undetermined``.
    """
    whole = {domain: replace(domain, integer=True) for domain in set(domains)}
    of_atom = [whole[domain] for domain in domains]
    return intervals(equations, answers, of_atom, enough=enough, known=known, deadline=deadline)
