"""The supports behind written measures, against trying every triple of counts."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.interval import CountInterval
from auditor.outputs.patterns.measures import MEASURES
from auditor.outputs.patterns.supports import NOISE, Effort, Written
from auditor.outputs.published.conditions import group_of
from auditor.outputs.published.outputs import AssociationRule, Stated

X, Y = group_of({"a": "1"}), group_of({"b": "1"})

TEXTBOOK = {
    "confidence": lambda x, y, both, n: both / x,
    "lift": lambda x, y, both, n: (both / n) / ((x / n) * (y / n)),
    "leverage": lambda x, y, both, n: both / n - (x / n) * (y / n),
    "conviction": lambda x, y, both, n: (1 - y / n) / (1 - both / x),
    "jaccard": lambda x, y, both, n: (both / n) / (x / n + y / n - both / n),
    "certainty": lambda x, y, both, n: (both / x - y / n) / (1 - y / n),
    "kulczynski": lambda x, y, both, n: (both / x + both / y) / 2,
    "zhangs_metric": lambda x, y, both, n: (
        (both / n - x / n * y / n) / max(both / n * (1 - x / n), x / n * (y / n - both / n))
    ),
}
"""As mlxtend's documentation writes them, on shares."""


def triples(n):
    return [(x, y, both) for x, y, both in product(range(n + 1), repeat=3) if both <= min(x, y) and x + y - both <= n]


@pytest.mark.parametrize("name", sorted(TEXTBOOK))
def test_measures_are_those_of_the_textbook(name):
    n = Fraction(9)
    for x, y, both in triples(9):
        try:
            expected = TEXTBOOK[name](Fraction(x), Fraction(y), Fraction(both), n)
        except ZeroDivisionError:
            continue
        assert MEASURES[name](x, y, both, 9) == expected


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_measures_rise_with_both_and_fall_with_either(name):
    measure = MEASURES[name]
    value = {triple: measure(*triple, 8) for triple in triples(8)}
    for (x, y, both), here in value.items():
        for other, sign in (((x + 1, y, both), -1), ((x, y + 1, both), -1), ((x, y, both + 1), 1)):
            there = value.get(other)
            if here is not None and there is not None:
                assert (there - here) * sign >= 0


def rounded(value, places):
    return Stated(Fraction(round(value * 10**places), 10**places), places)


def written(names, triple, n, places):
    """A rule of which only some numbers were written, rounded."""
    x, y, both = triple
    rule = {"antecedent": X, "consequent": Y}
    measures = []
    for name in names:
        if name in ("support", "antecedent_support", "consequent_support"):
            rule[name] = {"support": both, "antecedent_support": x, "consequent_support": y}[name]
        elif name.endswith("share"):
            count = {"support_share": both, "antecedent_share": x, "consequent_share": y}[name]
            rule[name] = rounded(Fraction(count, n), places)
        else:
            value = MEASURES[name](x, y, both, n)
            if value is None:  # a miner writes nothing there, or infinity
                continue
            if name == "confidence":
                rule[name] = rounded(value, places)
            else:
                measures.append((name, rounded(value, places)))
    return AssociationRule(**rule, measures=tuple(measures))


NAMES = ["support", "antecedent_support", "consequent_support", "support_share", "antecedent_share", *TEXTBOOK]


@st.composite
def cases(draw):
    n = draw(st.integers(1, 12))
    triple = draw(st.sampled_from([t for t in triples(n) if t[2] <= n]))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    return written(names, triple, n, draw(st.integers(0, 6))), triple, n


def consistent(rule, n):
    """Every triple that gives all that is written, from the rule's own fields."""
    found = []
    for x, y, both in triples(n):
        counts = (
            (rule.support, both),
            (rule.antecedent_support, x),
            (rule.consequent_support, y),
        )
        shares = [(rule.support_share, Fraction(both, n)), (rule.antecedent_share, Fraction(x, n))]
        named = [("confidence", rule.confidence), *rule.measures]
        shares += [(stated, MEASURES[name](x, y, both, n)) for name, stated in named if stated is not None]
        if all(stated in (None, count) for stated, count in counts) and all(
            stated is None or (value is not None and near(value, stated)) for stated, value in shares
        ):
            found.append((x, y, both))
    return found


def near(value, stated):
    half = Fraction(1, 2 * 10**stated.places) + NOISE * max(1, abs(stated.value))
    return abs(value - stated.value) <= half


def within(count, bounds):
    return bounds.low <= count and (bounds.high is None or count <= bounds.high)


@given(cases(), st.integers(0, 300))
def test_no_triple_that_gives_what_is_written_is_left_out(case, effort):
    rule, triple, n = case
    supports = Written.of(rule, n).supports(Effort(effort))
    every = consistent(rule, n)
    assert triple in every
    for x, y, both in every:
        assert within(x, supports.antecedent)
        assert within(y, supports.consequent)
        assert within(both, supports.support)
        assert within(x - both, supports.exceptions)
        low, high = supports.confidence
        assert not x or low <= Fraction(both, x) <= high


@given(cases())
def test_ranges_are_attained_where_the_effort_is_enough(case):
    rule, _, n = case
    supports = Written.of(rule, n).supports(Effort(10_000))
    every = consistent(rule, n)
    if all(box.settled for box in supports.boxes):
        assert supports.support == CountInterval(min(both for _, _, both in every), max(both for _, _, both in every))
        assert supports.antecedent == CountInterval(min(x for x, _, _ in every), max(x for x, _, _ in every))


@given(st.data())
def test_numbers_of_which_no_triple_is_written_so_leave_nothing(data):
    rule, triple, n = data.draw(cases())
    other = data.draw(st.sampled_from(triples(n)))
    changed = written(["lift", "support"], other, n, 4) if other[0] and other[1] else rule
    joined = AssociationRule(
        antecedent=X,
        consequent=Y,
        support=rule.support if rule.support is not None else triple[2],
        antecedent_support=triple[0],
        consequent_support=triple[1],
        confidence=rule.confidence,
        measures=changed.measures,
    )
    supports = Written.of(joined, n).supports(Effort())
    assert bool(supports.boxes) == bool(consistent(joined, n))


def test_dropping_the_supports_hides_nothing():
    """Lift, confidence and leverage alone give all three supports back."""
    n, (x, y, both) = 1000, (180, 240, 63)
    rule = written(["lift", "confidence", "leverage"], (x, y, both), n, 9)
    supports = Written.of(rule, n).supports(Effort())
    assert (supports.antecedent.point, supports.consequent.point, supports.support.point) == (x, y, both)
    assert supports.exceptions.point == 117


def test_counts_and_confidence_need_no_total():
    rule = AssociationRule(antecedent=X, consequent=Y, support=5, confidence=Stated(Fraction(83, 100), 2))
    supports = Written.of(rule, None).supports(Effort())
    assert (supports.antecedent.point, supports.exceptions.point) == (6, 1)


def test_what_is_not_written_has_no_end():
    supports = Written.of(AssociationRule(antecedent=X, consequent=Y, support=5), None).supports(Effort())
    assert supports.antecedent == CountInterval(5)
    assert supports.exceptions == CountInterval()


def test_shares_of_an_unknown_total_are_not_searched_without_end():
    n, (x, y, both) = 1000, (300, 400, 295)
    for names in (["confidence", "jaccard", "kulczynski"], ["confidence"], ["confidence", "support_share"]):
        effort = Effort()
        supports = Written.of(written(names, (x, y, both), n, 15), None).supports(effort)
        assert effort.left == Effort().left
        assert supports.exceptions.high is None
        low, high = supports.confidence
        assert low <= Fraction(both, x) <= high < 1


def test_narrowing_by_a_little_at_a_time_gives_way_to_halving():
    """n(X) and n(XY) both a little above the other's bound would climb by ones to a million."""
    rule = AssociationRule(antecedent=X, consequent=Y, confidence=Stated(Fraction(99999, 100000), 5), measures=())
    effort = Effort(100)
    supports = Written.of(rule, 1_000_000).supports(effort)
    assert supports.antecedent.high == 1_000_000
