"""From measurements to lines: means, the frontier, what is gamed, what to take."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.masking.microaggregation import Microaggregation
from auditor.masking.rank_swapping import RankSwapping
from auditor.risk.gamed import BEYOND, LESS_THAN_NOTHING, SAME
from auditor.weighing._candidates import Trial
from auditor.weighing._measure import MethodFigures
from auditor.weighing._weigh import best, best_by_use, ranked, weighed

MIC = Microaggregation(attributes=("a",), k=3)


def line(name, *, apil=10.0, intervals=10.0, rd=10.0, same=0.0, met=True, method=MIC, uses=()):
    return weighed(
        Trial(name, (method,)), [MethodFigures(apil, intervals, rd, (rd,), same, met, each) for each in uses or [()]]
    )


def test_the_score_of_the_definition():
    """DR = (ID + RD) / 2 and Score = (aPIL + DR) / 2, over exact fractions."""
    seeds = [
        MethodFigures(38.0, 57.0, 13.0, (20.0, 6.0), 0.0, True),
        MethodFigures(40.0, 55.0, 15.0, (24.0, 6.0), 0.0, True),
    ]
    found = weighed(Trial("x", (MIC,)), seeds)
    assert (found.apil, found.id, found.rd) == (39, 56, 14)
    assert found.dr == Fraction(56 + 14, 2)
    assert found.score == Fraction(39 + 35, 2)
    assert found.sd == pytest.approx(0.7071067811865476)  # Scores 36.5 and 37.5
    assert found.linkage == (22, 6)
    assert found.seeds == 2


def test_one_seed_has_no_deviation():
    assert line("x").sd is None


@pytest.mark.parametrize(("met", "compliant"), [((True, True), True), ((True, False), False), ((True, None), None)])
def test_a_method_complies_when_every_masking_does(met, compliant):
    assert weighed(Trial("x", (MIC,)), [MethodFigures(1, 1, 1, (1,), 0, each) for each in met]).compliant is compliant


@given(st.lists(st.tuples(*[st.integers(0, 20)] * 2), min_size=1, max_size=12))
def test_the_frontier_is_what_nothing_else_beats(points):
    found = ranked([line(str(n), apil=float(a), intervals=float(r), rd=float(r)) for n, (a, r) in enumerate(points)])
    for each in found:
        beaten = any(a <= each.apil and r <= each.dr and (a < each.apil or r < each.dr) for a, r in points)
        assert each.frontier is not beaten
    assert [each.score for each in found] == sorted(each.score for each in found)


def test_what_is_gamed_is_said_and_never_recommended():
    beyond = line("Rank30", apil=1.0, method=RankSwapping(attributes=("a",), p=30))
    permuted = line("permuted", apil=0.0, intervals=0.0, rd=0.0, same=100.0)
    worse = line("noise", apil=100.0, intervals=30.0, rd=30.0)
    honest = line("honest")
    assert beyond.gamed == (BEYOND,)
    assert permuted.gamed == (SAME,)
    assert worse.gamed == (LESS_THAN_NOTHING,)
    found = best([beyond, permuted, worse, honest])
    assert found is honest


def test_nothing_is_recommended_that_does_not_comply():
    assert best([line("a", met=False), line("b", met=None)]) is None


def test_a_use_has_its_own_score_frontier_and_best_method():
    """Risk is 10 but for the second; a loss is a mean; swapping far is no reproach here, rows put elsewhere are."""
    far = line("far", uses=[(3.0, 9.0), (5.0, 9.0)], method=RankSwapping(attributes=("a",), p=30))
    safe = line("safe", intervals=0.0, rd=0.0, uses=[(30.0, 9.0)])
    lost = line("lost", uses=[(1.0, 95.0)], met=False)
    told = line("told", uses=[("why", 99.0)])
    permuted = line("permuted", uses=[(0.0, 0.0)], same=100.0)
    assert [(use.loss, use.score) for use in far.uses] == [(4, 7), (9, 9.5)]
    assert (told.uses[0].loss, told.uses[0].score, told.uses[0].reason) == (None, None, "why")
    found = {each.name: each for each in ranked([far, safe, lost, told])}
    assert [found[name].uses[0].frontier for name in ("far", "safe", "lost", "told")] == [False, True, True, False]
    assert [found[name].uses[1].frontier for name in ("far", "safe", "lost", "told")] == [False, True, False, False]
    assert best_by_use([permuted, far, safe, lost, told], 0) is far
    assert best_by_use([permuted, safe, told], 1) is safe
    assert best_by_use([lost, told], 0) is None
    assert best_by_use([told], 1) is None  # a Score of 54.5: it loses more than it protects
