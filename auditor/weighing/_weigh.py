"""From measurements to the answer's lines: means over seeds, the frontier, which Scores are gamed, what to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev

from auditor.masking import Method
from auditor.masking.rank_swapping import RankSwapping
from auditor.result.tradeoff import WeighedMethod, WeighedUse
from auditor.risk import dr, gamed, score
from auditor.weighing._candidates import Trial
from auditor.weighing._measure import MethodFigures
from auditor.weighing._uses import Lost


def weighed(candidate: Trial, found: Sequence[MethodFigures]) -> WeighedMethod:
    """One line: the means over the seeds."""
    met = [each.met for each in found]
    scores = [each.score for each in found]
    apil, id_, rd = (fmean(getattr(each, name) for each in found) for name in ("apil", "id", "rd"))
    risk = dr(id_, rd)
    same = fmean(each.same_rows for each in found)
    figure = score(apil, risk)
    return WeighedMethod(
        name=candidate.name,
        method=candidate.method,
        parts=candidate.parts,
        parameters=candidate.parameters,
        attributes=candidate.attributes,
        apil=apil,
        id=id_,
        rd=rd,
        dr=risk,
        score=figure,
        sd=stdev(scores) if len(scores) > 1 else None,
        linkage=tuple(fmean(rates) for rates in zip(*(each.linkage for each in found), strict=True)),
        same_rows=same,
        compliant=None if None in met else all(met),
        seeds=len(found),
        frontier=False,
        uses=tuple(_by_use(losses, risk) for losses in zip(*(each.uses for each in found), strict=True)),
        gamed=gamed(swapped=_swapped(candidate.methods), same_rows=same, score=figure),
    )


def _swapped(methods: Sequence[Method]) -> float | None:
    """The largest p of rank swapping; None where no method swaps."""
    return max((method.p for method in methods if isinstance(method, RankSwapping)), default=None)


def _by_use(found: Sequence[Lost], risk: float) -> WeighedUse:
    """One use: the mean over the seeds, or why it could not be measured with one of them."""
    losses = [each for each in found if not isinstance(each, str)]
    if len(losses) < len(found):
        return WeighedUse(loss=None, score=None, reason=next(each for each in found if isinstance(each, str)))
    loss = fmean(losses)
    return WeighedUse(loss=loss, score=score(loss, risk))


def ranked(methods: Sequence[WeighedMethod]) -> tuple[WeighedMethod, ...]:
    """The lines in the order of their Scores, those on the frontier marked, and on the frontier of each use."""
    losses = [[each.apil, *(use.loss for use in each.uses)] for each in methods]
    risks = [each.dr for each in methods]
    fronts = [_frontier(list(zip(kind, risks, strict=True))) for kind in zip(*losses, strict=True)]
    marked = [
        replace(
            each,
            frontier=general,
            uses=tuple(replace(use, frontier=front) for use, front in zip(each.uses, by_use, strict=True)),
        )
        for each, general, *by_use in zip(methods, *fronts, strict=True)
    ]
    return tuple(sorted(marked, key=lambda each: (each.score, each.name)))


def _frontier(costs: Sequence[tuple[float | None, float]]) -> list[bool]:
    """Of each loss with its risk, whether no other has no more of either, and less of one; a missing loss has none."""
    known = {(loss, risk) for loss, risk in costs if loss is not None}
    return [
        loss is not None
        and not any(other <= loss and beside <= risk and (other, beside) != (loss, risk) for other, beside in known)
        for loss, risk in costs
    ]


def best(methods: Sequence[WeighedMethod]) -> WeighedMethod | None:
    """The least Score among the methods that meet the policy and whose Score is not gamed."""
    allowed = [each for each in methods if each.compliant and not each.gamed]
    return min(allowed, key=lambda each: (each.score, each.name), default=None)


def best_by_use(methods: Sequence[WeighedMethod], place: int) -> WeighedMethod | None:
    """The least Score by one use among the methods that meet the policy and whose Score by it is not gamed.

    That swapping leaves each column as it is does not help here: a use reads columns together.
    """
    scores = [(each.uses[place].score, each) for each in methods if each.compliant]
    allowed = [
        (figure, each)
        for figure, each in scores
        if figure is not None and not gamed(swapped=None, same_rows=each.same_rows, score=figure)
    ]
    return min(allowed, key=lambda pair: (pair[0], pair[1].name), default=(None, None))[1]
