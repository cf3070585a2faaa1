"""The data held against its population: numbers by brute force, releases on several levels, what is no population."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.errors import DataError, PolicyError, UsageError
from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.report import redact
from auditor.result import Audience, Strictness

AGES = {"any": {"young": ["20", "25"], "old": ["60", "65", "70"]}}
ABOVE = {age: group for group, ages in AGES["any"].items() for age in ages}
K_MAP = {"model": "k-map", "k": 3}
PRESENCE = {"model": "delta-presence", "min": 0.1, "max": 0.5}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def policy(*requirements, counts=None, **more):
    """A policy on ages, which have levels, and areas, which have none."""
    population = {"data": "register.csv"} | ({"counts": counts} if counts else {})
    return {
        "version": 1,
        "name": "p",
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"tree": AGES}},
            "area": "quasi-identifier",
            "dx": "insensitive",
        },
        "sample": {"population": population},
        "requirements": [{"id": str(i), **each} for i, each in enumerate(requirements)],
        **more,
    }


def write(rows, columns=("age", "area")):
    pd.DataFrame(rows, columns=list(columns)).to_csv("register.csv", index=False)


def frame(rows):
    return pd.DataFrame(rows, columns=["age", "area"]).assign(dx="flu")


def found(rows, *requirements, **more):
    return auditor.check(frame(rows), policy(*requirements, **more)).requirements


REGISTER = [("20", "n")] * 4 + [("25", "n")] * 3 + [("60", "s")] * 5 + [("70", "s")] * 2 + [("20", "s")]


def test_the_population_is_generalized_to_the_levels_of_the_data():
    write(REGISTER)
    assert found([("20", "n"), ("60", "s")], K_MAP)[0].achieved == 4
    assert found([("young", "n"), ("old", "s")], K_MAP)[0].achieved == 7
    assert found([("any", "n"), ("any", "s")], K_MAP)[0].achieved == 7
    # a record on another level than the others, as local recoding leaves them: ("any", "s") are 5 + 2 + 1
    mixed = [("20", "n"), ("25", "n"), ("any", "s")]
    assert found(mixed, {"model": "k-map", "k": 4})[0].achieved == 3
    assert found([*mixed, ("any", "n")], K_MAP, {"model": "delta-presence", "max": 1})[1].status == "not-evaluated"


def test_rows_may_stand_for_several_persons():
    write([("20", "n", 4), ("25", "n", 3), ("60", "s", 9)], ("age", "area", "persons"))
    one, other = found([("young", "n"), ("old", "s"), ("old", "s")], K_MAP, PRESENCE, counts="persons")
    assert (one.achieved, other.achieved, other.also[0].achieved) == (7, 2 / 9, 1 / 7)
    assert (one.status, other.status) == ("pass", "pass")


people = st.lists(
    st.tuples(st.sampled_from(list(ABOVE)), st.sampled_from("ns"), st.booleans()), min_size=1, max_size=14
)


@given(people, st.sampled_from([0, 0.25, 0.5]), st.sampled_from([0.5, 0.75, 1]), st.booleans(), st.booleans())
def test_numbers_are_those_of_counting_person_by_person(rows, low, high, coarse, judged):
    def key(age, area):
        return (ABOVE[age] if coarse else age, area)

    released = Counter(key(age, area) for age, area, drawn in rows if drawn)
    if not released:
        return
    everybody = Counter(key(age, area) for age, area, _ in rows)
    write([row[:2] for row in rows])
    unreleased = "judged" if judged else "ignored"
    asked = {"model": "delta-presence", "min": low, "max": high, "unreleased": unreleased}
    k_map, presence = found(list(released.elements()), K_MAP, asked)
    shares = [Fraction(count, everybody[each]) for each, count in released.items()]
    least = 0 if judged and low and set(everybody) - set(released) else min(shares)
    assert k_map.achieved == min(everybody[each] for each in released)
    assert (presence.achieved, presence.also[0].achieved) == (float(max(shares)), float(least))
    assert (presence.status == "pass") == (Fraction(low) <= least and max(shares) <= Fraction(high))
    assert presence.classes_violating == sum(not Fraction(low) <= share <= Fraction(high) for share in shares)


def test_persons_without_a_record_count_unless_a_class_size_is_demanded():
    alone = load_policy_of(PRESENCE)
    assert alone.requirements[0].unreleased == "judged"
    k = {"model": "k-anonymity", "k": 2}
    assert load_policy_of(PRESENCE, k).requirements[0].unreleased == "ignored"
    assert load_policy_of(PRESENCE, k | {"severity": "warning"}).requirements[0].unreleased == "judged"
    assert load_policy_of({**PRESENCE, "min": 0}, k).requirements[0].unreleased is None
    assert load_policy(alone.effective()).sha256 == alone.sha256
    found_ = compare(alone, load_policy_of(PRESENCE, k)).differences
    assert [each.path for each in found_ if each.verdict is Strictness.WEAKER] == ["requirements/0/unreleased"]


def load_policy_of(*requirements):
    write(REGISTER)
    return load_policy(policy(*requirements))


def test_what_is_no_population_of_the_data_is_refused_without_a_value():
    write(REGISTER)
    for rows in ([("65", "n")], [("20", "s")] * 2, [("SECRET", "n")]):
        results = found(rows, K_MAP, PRESENCE)
        assert results[1].status == "not-evaluated"
        assert (results[0].status == "not-evaluated") == (rows[0] != ("20", "s"))
        assert "SECRET" not in str(results)
    write([("20",)], ["age"])
    assert "'area'" in found([("20", "n")], K_MAP)[0].reason
    write([])
    with pytest.raises(DataError, match="no population"):
        found([("20", "n")], K_MAP)
    with pytest.raises(UsageError, match="no column 'persons'"):
        found([("20", "n")], K_MAP, counts="persons")
    write([("SECRET", "n")])
    assert "SECRET" not in str(found([("20", "n")], K_MAP)[0])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"sample": {}}, "needs the population of the sample, which nothing says"),
        ({"sample": {"population": "nowhere.csv"}}, "nowhere.csv"),
        ({"missing": "wildcard"}, "not defined where a missing value may be any value"),
        ({"requirements": [{**PRESENCE, "min": 0.6}]}, "min is 0.6, above max"),
    ],
)
def test_a_policy_that_cannot_be_judged_does_not_load(more, said):
    write(REGISTER)
    with pytest.raises(PolicyError, match=said):
        load_policy(policy(K_MAP, **more))


def test_another_population_is_for_somebody_to_decide():
    before = load_policy_of(K_MAP)
    pd.DataFrame(REGISTER[1:], columns=["age", "area"]).to_csv("other.csv", index=False)
    after = load_policy({**before.effective(), "sample": {"population": "other.csv"}})
    assert {each.verdict for each in compare(before, after).differences} == {Strictness.INCOMPARABLE}
    assert before.sha256 != after.sha256
    assert [path.name for path in before.referenced_files] == ["register.csv"]


def test_the_public_is_told_no_share_of_a_small_class():
    write(REGISTER)
    result = auditor.check(frame([("young", "n"), ("old", "s")]), policy(K_MAP, {"model": "delta-presence", "max": 1}))
    for audience, shown in ((Audience.PUBLIC, False), (Audience.REVIEWER, True)):
        seen = redact(result, audience).to_dict()["requirements"]
        assert [each["achieved"] is not None for each in seen] == [shown] * 2


def test_an_infeasible_bound_is_told_by_the_whole_table():
    write(REGISTER)
    given_ = policy({"model": "k-map", "k": 99}, {"model": "delta-presence", "max": 0.1})
    result = auditor.check(frame([("young", "n"), ("old", "s")]), given_, source=True)
    assert [(each.requirement, each.best_possible) for each in result.feasibility] == [("0", 15), ("1", 2 / 15)]
