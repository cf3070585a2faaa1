"""Columns that a pending question and the answered extremes cannot tell apart, joined.

A record takes part in an answered maximum a only by the bound x ≤ a and by attaining it. Let ub be the least such bound
of a record. Where a > ub, the bound says nothing more and the record cannot attain a, now or after any further answer,
because bounds only tighten. So it may be left out of that answer; minima are the same upside down. A bound that is an
answer stays one, for its record can attain it. What is left tells far fewer records apart: of a hundred maxima over
random halves of twenty thousand records a few dozen kinds of records remain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from auditor.inference.extrema.extremes import ExtremeAnswer
from auditor.inference.integer.parts import UnknownDomain
from auditor.inference.linear.equations import IntArray, alike


def joined(
    earlier: Sequence[ExtremeAnswer], members: IntArray, sizes: IntArray, domains: Sequence[UnknownDomain]
) -> tuple[list[ExtremeAnswer], IntArray, IntArray, list[UnknownDomain]]:
    """The earlier answers, the members of the pending question, the sizes and the domains, over joined columns.

    Two columns are joined iff they have the same domain and stand in the same answers and questions, after each was
    left out of what it cannot attain, decided by 128-bit hashes as in `equations.collapse`. Answers that are then the
    same are given once.
    """
    kinds = list({id(domain): domain for domain in domains}.values())
    number = {id(kind): position for position, kind in enumerate(kinds)}
    kind_of = np.array([number[id(domain)] for domain in domains], dtype=np.int64)
    kept = _able(earlier, kinds, kind_of)
    words = np.random.default_rng().integers(0, 2**64, (len(kinds) + len(kept) + 1, 2), dtype=np.uint64)
    hashes = words[kind_of]
    for answer, word in zip(kept, words[len(kinds) :], strict=False):
        hashes[answer.members] += word
    hashes[members] += words[-1]
    joined_to, first = alike(hashes)
    together: IntArray = np.zeros(len(first), dtype=np.int64)
    np.add.at(together, joined_to, sizes)
    renumbered = [replace(answer, members=np.unique(joined_to[answer.members])) for answer in kept]
    once = {(answer.which, answer.answer, answer.members.tobytes()): answer for answer in renumbered}
    kept_domains = [domains[column] for column in first.tolist()]
    return list(once.values()), np.unique(joined_to[members]), together, kept_domains


def _able(earlier: Sequence[ExtremeAnswer], kinds: Sequence[UnknownDomain], kind_of: IntArray) -> list[ExtremeAnswer]:
    """Each answer with those of its members alone whose other bounds on its side let them attain it."""
    values = sorted({answer.answer for answer in earlier} | {end for domain in kinds for end in domain.ends})
    rank: dict[Fraction | None, int] = {value: position for position, value in enumerate(values)}
    low: NDArray[np.int64] = np.array([-1 if d.low is None else rank[d.low] for d in kinds])[kind_of]
    high: NDArray[np.int64] = np.array([len(rank) if d.high is None else rank[d.high] for d in kinds])[kind_of]
    for answer in earlier:
        value, of = rank[answer.answer], answer.members
        if answer.which == "max":
            high[of] = np.minimum(high[of], value)
        else:
            low[of] = np.maximum(low[of], value)
    found = []
    for answer in earlier:
        value, of = rank[answer.answer], answer.members
        found.append(replace(answer, members=of[high[of] >= value if answer.which == "max" else low[of] <= value]))
    return found
