"""From measurements to the answer's lines: means over seeds, the frontier, which Scores are gamed, what to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev

from auditor.masking import Method
from auditor.masking.rank_swapping import RankSwapping
from auditor.result.tradeoff import WeighedMethod
from auditor.risk import dr, gamed, score
from auditor.weighing._candidates import Trial
from auditor.weighing._measure import MethodFigures


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
        gamed=gamed(swapped=_swapped(candidate.methods), same_rows=same, score=figure),
    )


def _swapped(methods: Sequence[Method]) -> float | None:
    """The largest p of rank swapping; None where no method swaps."""
    return max((method.p for method in methods if isinstance(method, RankSwapping)), default=None)


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
