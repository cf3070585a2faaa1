"""Association rules: the vectors, brute force over small tables, and what today's tools miss."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.outputs.checks.association_rules import check
from auditor.outputs.published.conditions import group_of
from auditor.outputs.published.outputs import AssociationRule, AssociationRules, Stated
from tests.outputs.tiny import judged, policy_of

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "output_cases.json").read_text())
COLUMNS = CASES["table"]["columns"]
TABLE = [dict(zip(COLUMNS, map(str, row), strict=True)) for row in CASES["table"]["rows"]]
VECTORS = {case["id"]: case for case in CASES["cases"] if case["kind"] == "rule"}
REASONS = {"sensitive_confidence_above_limit": "high-confidence", "complement_below_k": "few-exceptions"}


def rules(*listed, **more):
    return AssociationRules(source="r.json", format="neutral", sha256="", rules=tuple(listed), **more)


def implies(x, y, **numbers):
    return AssociationRule(antecedent=group_of(x), consequent=group_of(y), **numbers)


def policy(**limits):
    return policy_of({"type": "association-rules", **limits}, attributes={"*": "insensitive"})


def found(checked):
    return {(violation.reason, violation.limit) for violation in checked.violations}


@pytest.mark.parametrize("case", VECTORS.values(), ids=lambda case: case["title"])
def test_vectors(case):
    asked = case["policy"]
    limits = dict.fromkeys(("min_support_count", "min_antecedent_count", "min_exceptions"), asked["min_group_size"])
    of = policy(**limits, max_confidence=asked["max_confidence_sensitive"], sensitive=asked["sensitive"])
    sides = [{name: str(value) for name, value in case["rule"][side].items()} for side in ("lhs", "rhs")]
    measures = case["measures"]
    confidence = Fraction(measures["confidence"]["num"], measures["confidence"]["den"])
    rule = implies(*sides, support=measures["rule_count"], confidence=Stated(confidence))
    for rows in (TABLE, None):  # from the data, and from what is written
        checked = judged(check, rules(rule, records=len(TABLE)), of, rows)
        assert {violation.reason for violation in checked.violations} == {REASONS[name] for name in case["reasons"]}
        assert not checked.open_limits
        assert checked.worst.get("max_confidence", confidence) == confidence
    exposed = {row + 1 for v in judged(check, rules(rule), of, TABLE).violations for row in v.rows or ()}
    assert exposed == set(case["individuals_at_risk"])


def test_confidence_exactly_at_the_limit_is_allowed():
    """7/10 in floating point is a hair below 0.7, 0.7 · 10 a hair above 7: ratios are compared as ratios."""
    rows = [{"a": "1", "b": "1"}] * 7 + [{"a": "1", "b": "0"}] * 3
    for limit, broken in ((0.7, False), (0.6999999999999999, True)):
        checked = judged(check, rules(implies({"a": "1"}, {"b": "1"})), policy(max_confidence=limit), rows)
        assert bool(checked.violations) is broken
        assert checked.worst["max_confidence"] == Fraction(7, 10)


def test_certainty_of_the_opposite_is_judged_where_it_is_asked():
    rows = [{"a": "1", "b": "ill"}] + [{"a": "1", "b": "well"}] * 19
    rule = implies({"a": "1"}, {"b": "ill"})
    limits = {"max_confidence": 0.9, "sensitive": {"b": ["ill"]}}
    assert not judged(check, rules(rule), policy(**limits), rows).violations
    asked = judged(check, rules(rule), policy(**limits, opposite=True), rows)
    assert found(asked) == {("high-confidence", "max_confidence")}
    assert asked.worst["max_confidence"] == Fraction(19, 20)


def test_the_only_other_value_is_disclosed_by_a_low_confidence():
    rows = [{"a": "1", "hiv": "no"}] + [{"a": "1", "hiv": "yes"}] * 9 + [{"a": "2", "hiv": "no"}] * 10
    limits = {"max_confidence": 0.8, "sensitive": {"hiv": ["yes"]}}
    checked = judged(check, rules(implies({"a": "1"}, {"hiv": "no"})), policy(**limits), rows)
    assert found(checked) == {("high-confidence", "max_confidence")}
    rows[-1] = {"a": "2", "hiv": "unknown"}  # a third value, which is not sensitive
    assert not judged(check, rules(implies({"a": "1"}, {"hiv": "no"})), policy(**limits), rows).violations


def test_fewer_than_k_exceptions_follow_from_supports_that_are_all_large():
    rule = implies({"a": "1"}, {"b": "1"}, support=997, antecedent_support=1000)
    checked = judged(check, rules(rule), policy(min_support_count=10, min_antecedent_count=10, min_exceptions=10))
    assert found(checked) == {("few-exceptions", "min_exceptions")}
    assert checked.violations[0].reached == 3
    assert checked.violations[0].needed == 10


def test_exceptions_are_found_without_the_column_of_supports():
    """Lift, leverage and confidence are functions of the same three supports: dropping the supports hides nothing."""
    n, x, y, both = 1000, 300, 400, 295
    lift, leverage = Fraction(n * both, x * y), Fraction(both, n) - Fraction(x * y, n * n)
    numbers = {"confidence": Fraction(both, x), "lift": lift, "leverage": leverage}
    stated = {name: Stated(Fraction(round(value * 10**8), 10**8), 8) for name, value in numbers.items()}
    rule = implies({"a": "1"}, {"b": "1"}, confidence=stated.pop("confidence"), measures=tuple(stated.items()))
    checked = judged(check, rules(rule, records=n), policy(min_exceptions=10, min_support_count=10))
    assert found(checked) == {("few-exceptions", "min_exceptions")}
    assert checked.violations[0].reached == 5


def test_exactly_nobody_is_no_group_and_exactly_k_is_enough():
    limits = {"min_support_count": 5, "min_antecedent_count": 5, "min_exceptions": 5}
    for both, x in ((0, 5), (5, 5), (5, 10), (0, 0)):
        rule = implies({"a": "1"}, {"b": "1"}, support=both, antecedent_support=x)
        assert not judged(check, rules(rule), policy(**limits)).violations


def test_counts_that_contradict_each_other_fit_no_database():
    for numbers in (
        {"support": 6, "antecedent_support": 5},
        {"support": 5, "antecedent_support": 10, "confidence": Stated(Fraction(6, 10), 1)},
        {"support": 1, "antecedent_support": 8, "consequent_support": 9},  # 16 of 10 records
        {"support": 2, "support_share": Stated(Fraction(3, 10), 1)},
    ):
        checked = judged(check, rules(implies({"a": "1"}, {"b": "1"}, **numbers), records=10), policy(min_exceptions=1))
        assert found(checked) == {("mismatch", "mismatch")}
        assert "no database fits" in checked.violations[0].sentence


def test_a_coarse_confidence_leaves_the_limit_open():
    rule = implies({"a": "1"}, {"b": "1"}, confidence=Stated(Fraction(8, 10), 1))
    checked = judged(check, rules(rule, records=1000), policy(max_confidence=0.8, min_exceptions=3))
    assert not checked.violations
    assert set(checked.open_limits) == {"max_confidence", "min_exceptions"}


def test_shares_without_the_number_of_records_are_open_not_passed():
    rule = implies({"a": "1"}, {"b": "1"}, support_share=Stated(Fraction(1, 2), 1), confidence=Stated(Fraction(1, 2)))
    checked = judged(check, rules(rule), policy(min_support_count=5, max_confidence=0.8))
    assert set(checked.open_limits) == {"min_support_count"}


def test_records_of_a_file_are_not_units_of_a_policy():
    rule = implies({"a": "1"}, {"b": "1"}, support=7)
    of = policy_of({"type": "association-rules", "min_support_count": 5}, unit="who")
    assert set(judged(check, rules(rule), of).open_limits) == {"min_support_count"}
    rows = [{"a": "1", "b": "1", "who": "p"}] * 6 + [{"a": "1", "b": "1", "who": "q"}]
    checked = judged(check, rules(rule), of, rows)  # seven records of two people; seven is no mismatch
    assert found(checked) == {("low-support", "min_support_count")}
    assert checked.violations[0].reached == 2


def test_forbidden_items_and_sensitive_antecedents():
    rule = implies({"diagnosis": "HIV", "age": "26.0"}, {"zip": "10562"})
    of = policy(forbidden={"age": ["26"]}, sensitive={"diagnosis": ["HIV"]}, sensitive_antecedents="deny")
    checked = judged(check, rules(rule), of)
    assert found(checked) == {("forbidden-item", "forbidden"), ("forbidden-item", "sensitive_antecedents")}
    other = implies({"diagnosis": "Flu"}, {"zip": "10562"})
    assert not judged(check, rules(other), of).violations


def test_all_rules_with_one_antecedent_tell_a_distribution():
    """Each rule is within the confidence limit; together they leave two values, and are far from the whole."""
    rows = [{"a": "1", "d": d} for d in ["HIV"] * 5 + ["Flu"] * 5] + [{"a": "2", "d": "Cold"}] * 10
    both = [implies({"a": "1"}, {"d": d}) for d in ("HIV", "Flu")]
    limits = {"max_confidence": 0.6, "sensitive": {"d": ["HIV"]}}
    assert not judged(check, rules(*both), policy(**limits), rows).violations
    checked = judged(check, rules(*both), policy(**limits, min_l=3, max_t=0.4), rows)
    assert found(checked) == {("high-confidence", "min_l"), ("high-confidence", "max_t")}
    assert (checked.worst["min_l"], checked.worst["max_t"]) == (2, Fraction(1, 2))
    alone = judged(check, rules(both[0]), policy(**limits, min_l=3, max_t=0.4), rows)
    assert not alone.violations  # the other half may be flu and cold


def test_rules_with_one_antecedent_that_claim_more_people_than_there_are():
    listed = [implies({"a": "1"}, {"d": d}, support=6, antecedent_support=10) for d in ("HIV", "Flu")]
    assert found(judged(check, rules(*listed), policy(min_l=2))) == {("mismatch", "mismatch")}


def test_stated_numbers_are_compared_with_the_data():
    rows = [{"a": "1", "b": "1"}] * 5 + [{"a": "1", "b": "2"}] * 5
    right = implies({"a": "1"}, {"b": "1"}, support=5, confidence=Stated(Fraction(1, 2)))
    lift = ("lift", Stated(Fraction(11, 10), 1))
    wrong = implies({"a": "1"}, {"b": "1"}, support=5, measures=(lift,))
    checked = judged(check, rules(right, records=10), policy(min_support_count=2), rows)
    assert not checked.violations
    assert "mismatch" in checked.judged
    assert found(judged(check, rules(wrong), policy(min_support_count=2), rows)) == {("mismatch", "mismatch")}
    assert found(judged(check, rules(right, records=11), policy(), rows)) == {("mismatch", "mismatch")}


def test_a_rule_on_a_column_that_the_data_lacks_is_not_evaluated():
    checked = judged(check, rules(implies({"q": "1"}, {"b": "1"})), policy(min_support_count=2), [{"b": "1"}])
    assert "" in checked.open_limits


@st.composite
def tables(draw):
    size = draw(st.integers(1, 25))
    rows = [
        {
            "a": draw(st.sampled_from("12")),
            "b": draw(st.sampled_from("12")),
            "d": draw(st.sampled_from(["s", "t", "u"])),
        }
        for _ in range(size)
    ]
    listed = []
    for _ in range(draw(st.integers(1, 5))):
        x = {name: draw(st.sampled_from("12")) for name in draw(st.sampled_from([["a"], ["b"], ["a", "b"], []]))}
        listed.append(implies(x, {"d": draw(st.sampled_from(["s", "t", "u"]))}))
    return rows, listed


LIMITS = {
    "min_support_count": 3,
    "min_antecedent_count": 4,
    "min_exceptions": 2,
    "max_confidence": 0.6,
    "sensitive": {"d": ["s", "t"]},
    "min_l": 2,
    "max_t": 0.3,
}


def holds(row, group):
    return all(row[condition.attribute] == condition.values[0] for condition in group)


def oracle(rows, listed):
    """Every violation, row by row and from the definitions."""
    expected = set()
    for rule in listed:
        x = [row for row in rows if holds(row, rule.antecedent)]
        both = sum(holds(row, rule.consequent) for row in x)
        value = next(iter(rule.consequent)).values[0]
        name = (tuple(sorted(map(str, rule.antecedent))), value)
        expected |= {(name, "min_support_count")} if 0 < both < 3 else set()
        expected |= {(name, "min_antecedent_count")} if 0 < len(x) < 4 else set()
        expected |= {(name, "min_exceptions")} if 0 < len(x) - both < 2 else set()
        labels = {row["d"] for row in rows}
        sensitive = value in "st" or (labels - {value} and labels - {value} <= {"s", "t"})
        share = Fraction(both, len(x) or 1)
        toward = share if value in "st" else 1 - share
        expected |= {(name, "max_confidence")} if x and sensitive and toward > Fraction(3, 5) else set()
    for antecedent in {rule.antecedent for rule in listed}:
        x = [row["d"] for row in rows if holds(row, antecedent)]
        told = {next(iter(rule.consequent)).values[0] for rule in listed if rule.antecedent == antecedent}
        name = (tuple(sorted(map(str, antecedent))), "d")
        if x and most_values(x, told, {row["d"] for row in rows}) < 2:
            expected.add((name, "min_l"))
        if x and distance(x, [row["d"] for row in rows], told) > Fraction(3, 10):
            expected.add((name, "max_t"))
    return expected


def most_values(x, told, labels):
    """The most distinct values, over every way to fill the people of which nothing is told."""
    known = Counter(value for value in x if value in told)
    rest, others = sum(value not in told for value in x), sorted(labels - told)
    return len(known) + min(rest, len(others))


def distance(x, everybody, told):
    def shares(values):
        counted = Counter(value if value in told else "rest" for value in values)
        return {value: Fraction(counted[value], len(values)) for value in (*told, "rest")}

    p, q = shares(x), shares(everybody)
    return sum(abs(p[value] - q[value]) for value in p) / 2


def named(violation):
    antecedent, consequent = violation.item.split(" => ")
    conditions = () if antecedent == "everybody" else tuple(sorted(antecedent.split(", ")))
    return (conditions, consequent.removeprefix("d=")), violation.limit


@given(tables())
def test_every_verdict_from_the_data_is_the_one_of_brute_force(case):
    rows, listed = case
    checked = judged(check, rules(*listed), policy(**LIMITS), rows)
    assert {named(violation) for violation in checked.violations} == oracle(rows, listed)
    assert not checked.open_limits
    assert {limit for limit in LIMITS if limit != "sensitive"} <= checked.judged
    for violation in checked.violations:
        assert violation.records_count == len(violation.rows)


@given(tables())
def test_numbers_written_in_full_give_the_verdicts_of_the_data(case):
    rows, listed = case
    n = len(rows)
    written = []
    for rule in listed:
        x, both = (
            [row for row in rows if holds(row, group)] for group in (rule.antecedent, rule.antecedent | rule.consequent)
        )
        y = sum(holds(row, rule.consequent) for row in rows)
        written.append(
            implies(
                {c.attribute: c.values[0] for c in rule.antecedent},
                {c.attribute: c.values[0] for c in rule.consequent},
                antecedent_support=len(x),
                support_share=Stated(Fraction(len(both), n)),
                consequent_support=y,
            )
        )
    limits = {name: value for name, value in LIMITS.items() if name != "min_l"}
    column = {"role": "sensitive", "order": sorted({row["d"] for row in rows})}
    of = policy_of({"type": "association-rules", **limits}, attributes={"d": column, "*": "insensitive"})
    checked = judged(check, rules(*written, records=n), of)
    expected = {each for each in oracle(rows, listed) if each[1] != "min_l"}
    assert {named(violation) for violation in checked.violations} == expected
    assert not checked.open_limits
