"""From measurements to the answer's lines: means over seeds, the frontier, which Scores are gamed, what to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev

from auditor.masking import Method
from auditor.masking.rank_swapping import RankSwapping
from auditor.result import WeighedMethod
from auditor.tradeoff._candidates import Candidate
from auditor.tradeoff._measure import Measured

SWEPT_TO = 20.0
"""The largest p of rank swapping that the published comparison swept, in percent."""
SAME_ROWS = 50.0
"""From this share of rows on that are rows of the original, a release is the original in another order."""

BEYOND = (
    "Rank swapping beyond p = 20 %: the Score goes on falling because three of the five losses look at one column at a "
    "time, which swapping leaves as they are, while covariances and correlations are destroyed."
)
SAME = (
    "Most rows of the masked table are rows of the original. The linkage is judged by record, but whoever holds the "
    "original finds these rows whatever their order."
)
LESS_THAN_NOTHING = "The Score is above that of the table as it is (50): the method loses more than it protects."


def weighed(candidate: Candidate, found: Sequence[Measured]) -> WeighedMethod:
    """One line: the means over the seeds."""
    met = [each.met for each in found]
    scores = [each.score for each in found]
    apil, id_, rd = (fmean(getattr(each, name) for each in found) for name in ("apil", "id", "rd"))
    dr = (id_ + rd) / 2
    same = fmean(each.same_rows for each in found)
    score = (apil + dr) / 2
    return WeighedMethod(
        name=candidate.name,
        method=candidate.method,
        parameters=candidate.methods[0].parameters() if len(candidate.methods) == 1 else {},
        attributes=candidate.attributes,
        apil=apil,
        id=id_,
        rd=rd,
        dr=dr,
        score=score,
        sd=stdev(scores) if len(scores) > 1 else None,
        linkage=tuple(fmean(rates) for rates in zip(*(each.linkage for each in found), strict=True)),
        same_rows=same,
        compliant=None if None in met else all(met),
        seeds=len(found),
        frontier=False,
        gamed=tuple(_gamed(candidate.methods, same, score)),
    )


def _gamed(methods: Sequence[Method], same: float, score: float) -> list[str]:
    beyond = any(isinstance(method, RankSwapping) and method.p > SWEPT_TO for method in methods)
    reasons = [(beyond, BEYOND), (same >= SAME_ROWS, SAME), (score > 50, LESS_THAN_NOTHING)]
    return [text for holds, text in reasons if holds]


def ranked(methods: Sequence[WeighedMethod]) -> tuple[WeighedMethod, ...]:
    """The lines in the order of their Scores, those on the frontier marked."""
    marked = [replace(each, frontier=not any(_dominates(other, each) for other in methods)) for each in methods]
    return tuple(sorted(marked, key=lambda each: (each.score, each.name)))


def _dominates(one: WeighedMethod, other: WeighedMethod) -> bool:
    """Whether one method has no more loss and no more risk than another, and less of either."""
    return one.apil <= other.apil and one.dr <= other.dr and (one.apil, one.dr) != (other.apil, other.dr)


def best(methods: Sequence[WeighedMethod]) -> WeighedMethod | None:
    """The least Score among the methods that meet the policy and whose Score is not gamed."""
    allowed = [each for each in methods if each.compliant and not each.gamed]
    return min(allowed, key=lambda each: (each.score, each.name), default=None)
