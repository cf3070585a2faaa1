"""Requirements on a sample: what the policy says once of it, figures of another program, and what makes them void."""

import math
from itertools import combinations
from math import factorial

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.errors import PolicyError
from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.report import redact
from auditor.result import Audience, Strictness

ATTACKERS = ("prosecutor", "journalist", "marketer")
KEYS = ("age", "pb220a", "pl030", "rb090", "hsize")


def policy(*requirements, sample, **more):
    attributes = {"sex": "quasi-identifier", "age": "quasi-identifier", "w": "insensitive", "h": "insensitive"}
    return {"version": 1, "name": "p", "attributes": attributes, "sample": sample, "requirements": requirements, **more}


def one(result):
    (found,) = result.requirements
    return found


def table(*rows):
    return pd.DataFrame(rows, columns=["sex", "age", "w", "h"]).astype({"sex": str, "age": str})


PEOPLE = table(("F", "30", 10, "a"), ("F", "30", 10, "a"), ("F", "30", 10, "b"), ("M", "40", 10, "b"))


def test_the_figures_of_another_program(shared_data, tmp_path):
    """sdcMicro 5.7 on 14,827 synthetic persons: 20.94 (0.14 %) and, by households, 78.59 (0.53 %) are expected."""
    data = pd.read_csv(shared_data / "eusilc.csv", dtype=str, keep_default_na=False)[[*KEYS, "rb050", "db030"]]
    data.to_csv(tmp_path / "eusilc.csv", index=False)
    asked = {
        "version": 1, "name": "eusilc", "sample": {"weights": "rb050", "households": "db030"},
        "attributes": {**dict.fromkeys(KEYS, "quasi-identifier"), "rb050": "insensitive", "db030": "insensitive"},
        "requirements": [
            {"model": "expected-reidentifications", "max": "0.5%"},
            {"model": "max-individual-risk", "max": "1.6478%"},
            {"model": "max-household-risk", "max": "10%"},
        ],
    }  # fmt: skip
    found = auditor.check(tmp_path / "eusilc.csv", asked)
    expected, individual, household = found.requirements
    assert expected.achieved * len(data) == pytest.approx(20.936968, abs=5e-7)
    assert individual.achieved == pytest.approx(0.016478, abs=1e-6)
    assert household.achieved == pytest.approx(0.131988, abs=1e-6)
    assert [each.status for each in found.requirements] == ["pass", "pass", "fail"]


def test_what_is_said_once_holds_where_nothing_else_is_said():
    own = {"model": "max-household-risk", "id": "own", "max": 0.5, "households": "sex"}
    loaded = load_policy(
        policy({"model": "max-household-risk", "max": 0.5}, own, sample={"weights": "w", "households": "h"})
    )
    assert [(each.weights, each.households) for each in loaded.requirements] == [("w", "h"), ("w", "sex")]
    assert load_policy(loaded.effective()).sha256 == loaded.sha256


def test_another_sample_is_for_somebody_to_decide():
    asked = {"model": "expected-reidentifications", "max": 0.5}
    before, after = (load_policy(policy(asked, sample={"weights": name})) for name in ("w", "h"))
    for old, new in ((before, after), (after, before)):
        found = compare(old, new).differences
        assert {each.path for each in found} == {"requirements/expected-reidentifications/weights", "sample/weights"}
        assert {each.verdict for each in found} == {Strictness.INCOMPARABLE}


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ({"model": "max-household-risk", "max": 0.5}, "needs households of the sample, which nothing says"),
        ({"model": "expected-reidentifications", "max": 0.5}, "needs weights of the sample, which nothing says"),
        (
            {"model": "expected-reidentifications", "max": 0.5, "attacker": "marketer"},
            "needs weights of the sample, which nothing says",
        ),
        ({"model": "max-suda2", "max": 0.5}, "needs fraction of the sample, which nothing says"),
        ({"model": "population-uniqueness", "max": 0.5}, "needs fraction of the sample, which nothing says"),
    ],
)
def test_what_a_requirement_needs_and_nobody_says_is_an_error(requirement, said):
    with pytest.raises(PolicyError, match=said):
        load_policy(policy(requirement, sample={}))


@pytest.mark.parametrize("model", ["max-suda2", "population-uniqueness"])
def test_where_a_missing_value_is_any_value_they_are_refused(model):
    with pytest.raises(PolicyError, match=f"{model} is not defined where a missing value may be any value"):
        load_policy(policy({"model": model, "max": 0.5}, sample={"fraction": 0.1}, missing="wildcard"))


@pytest.mark.parametrize(
    ("households", "said"),
    [
        (["a", "a", "b", "b"], None),
        (["a", "c", "b", "d"], "the values of column 'h' are not those of the original"),
        (["a", "b", "a", "b"], "on other records"),
        ([None, "a", "b", "b"], "are not those of the original"),
    ],
)
def test_households_are_those_of_the_original(households, said, tmp_path):
    original = PEOPLE.assign(sex=["F", "M", "F", "M"], age=["1", "2", "3", "4"])
    original.to_csv(tmp_path / "o.csv", index=False)
    original.assign(h=households).to_csv(tmp_path / "r.csv", index=False)
    asked = policy({"model": "max-household-risk", "max": 1}, sample={"weights": "w", "households": "h"})
    found = one(auditor.check(tmp_path / "r.csv", asked, original=tmp_path / "o.csv"))
    assert found.status == ("not-evaluated" if said else "pass")
    assert said is None or said in found.reason


@pytest.mark.parametrize(("column", "model"), [("w", "max-individual-risk"), ("h", "max-household-risk")])
def test_what_an_attacker_knows_is_not_left_out_as_a_weight_or_a_household(column, model):
    """Four records that are alone by their weights, or households, had the risk of four that are alike."""
    data = table(*(("F", "30", 100 + i, f"h{i}") for i in range(4)))
    asked = policy({"model": model, "max": 0.2}, sample={"weights": "w", "households": "h"})
    asked["attributes"][column] = "quasi-identifier"
    found = one(auditor.check(data, asked))
    assert found.status == "not-evaluated"
    assert f"column {column!r}" in found.reason
    asked["requirements"][0]["attributes"] = ["sex", "age"]
    assert one(auditor.check(data, asked)).status == "pass"


@pytest.mark.parametrize("model", ["max-individual-risk", "max-suda2", "population-uniqueness"])
def test_the_records_of_one_person_do_not_hide_her(model):
    data = table(*[("F", "30", 10, "a")] * 5, *[("M", "40", 10, "b")] * 5)
    asked = policy({"model": model, "max": 0.2}, sample={"weights": "w", "fraction": 0.1}, unit="h")
    found = one(auditor.check(data, asked))
    assert found.status == "not-evaluated"
    assert "the policy counts by 'h'" in found.reason
    assert one(auditor.check(data.assign(h=list("abcdefghij")), asked)).status == "pass"


def test_members_without_a_household_stay_as_they_are(tmp_path):
    data = PEOPLE.assign(h=[None, "a", None, "b"])
    data.to_csv(tmp_path / "o.csv", index=False)
    asked = policy({"model": "max-household-risk", "max": 1}, sample={"weights": "w", "households": "h"})
    assert one(auditor.check(tmp_path / "o.csv", asked, original=tmp_path / "o.csv")).status == "pass"


def test_weights_that_a_requirement_does_not_use_are_told(tmp_path):
    PEOPLE.to_csv(tmp_path / "d.csv", index=False)
    asked = policy({"model": "k-anonymity", "k": 1}, sample={"weights": "w"})
    said = "Requirements on classes (k-anonymity) count the records of the sample and do not use its weights ('w')."
    assert said in auditor.check(tmp_path / "d.csv", asked).assumptions
    asked = policy({"model": "max-individual-risk", "max": 1}, sample={"weights": "w"})
    assert not [note for note in auditor.check(tmp_path / "d.csv", asked).assumptions if "weights" in note]


@pytest.mark.parametrize(("missing", "told"), [(None, True), ("30", False)])
def test_that_a_missing_value_agrees_with_all_is_told(missing, told):
    data = PEOPLE.assign(age=[missing, "30", "30", "30"], sex="F")
    asked = policy({"model": "max-individual-risk", "max": 1}, sample={"weights": "w"})
    said = "A missing value agrees with every value, whatever the policy says of missing values."
    assert (said in one(auditor.check(data, asked)).notes) == told


def test_a_release_that_is_made_is_judged_by_it(tmp_path):
    PEOPLE.to_csv(tmp_path / "d.csv", index=False)
    asked = policy(
        {"model": "k-anonymity", "k": 2},
        {"model": "expected-reidentifications", "max": 0.05},
        sample={"weights": "w"},
        remediation={"suppression_limit": "50%"},
    )
    done = auditor.remediate(tmp_path / "d.csv", asked, output=tmp_path / "release.csv")
    judged = {each.id: each for each in done.result.requirements}
    # One record is alone and is suppressed; each of the three that are left has 0.1/(3 − 0.9).
    assert judged["expected-reidentifications"].achieved == pytest.approx(0.1 / 2.1)
    assert done.result.verdict == "pass"
    asked["requirements"][1]["max"] = 0.04
    assert auditor.remediate(tmp_path / "d.csv", asked).result.solution is None
    starred = auditor.remediate(
        PEOPLE, {**asked, "remediation": {"suppress": "star", "suppression_limit": "50%"}}
    ).result  # fmt: skip
    assert "expected-reidentifications" not in [each.requirement for each in starred.shortfall.obstacles]


records = st.lists(
    st.tuples(st.sampled_from("FM"), st.sampled_from("123"), st.sampled_from("xy")), min_size=2, max_size=9
)


@given(records, st.sampled_from([0.1, 0.5, 1.0]))
def test_scores_by_looking_at_every_set_of_keys(rows, fraction):
    """Every subset of the keys of every record, and the formula of DIS-SUDA, written down once more."""
    keys = range(3)

    def alike(row, chosen):
        return sum(all(row[key] == other[key] for key in chosen) for other in rows)

    def minimal(row, chosen):
        return alike(row, chosen) == 1 and all(alike(row, set(chosen) - {key}) > 1 for key in chosen)

    scores = [
        sum(factorial(3 - size) for size in (1, 2, 3) for chosen in combinations(keys, size) if minimal(row, chosen))
        for row in rows
    ]
    pairs = sum(alike(row, keys) == 2 for row in rows)
    power = 1 + (8 - 3) / 20
    total = sum(score**-power for score in scores if score)
    odds = pairs * (1 - fraction) / fraction
    dis = [1 / (1 + odds / (score**power * total)) if score else 0.0 for score in scores]
    asked = {
        "version": 1, "name": "p", "sample": {"fraction": fraction},
        "attributes": dict.fromkeys(["a", "b", "c"], "quasi-identifier"),
        "requirements": [{"model": "max-suda2", "max": 1}],
    }  # fmt: skip
    found = one(auditor.check(pd.DataFrame(rows, columns=["a", "b", "c"]), asked))
    assert math.isclose(found.achieved, max(dis), abs_tol=1e-12)


@pytest.mark.parametrize(("audience", "shown"), [(Audience.PUBLIC, False), (Audience.REVIEWER, True)])
def test_the_public_is_told_no_number_that_follows_from_the_sizes_of_classes(audience, shown):
    """With equal weights the mean of the risks tells how many classes there are of each size, and so do estimates."""
    asked = policy(
        {"model": "max-individual-risk", "max": 1},
        {"model": "max-household-risk", "max": 1},
        *({"model": "expected-reidentifications", "id": each, "attacker": each, "max": 1} for each in ATTACKERS),
        {"model": "max-suda2", "max": 1},
        {"model": "population-uniqueness", "max": 1},
        sample={"weights": "w", "households": "h", "fraction": 0.1},
    )
    seen = redact(auditor.check(PEOPLE, asked), audience).to_dict()
    assert [each["achieved"] is not None for each in seen["requirements"]] == [shown] * 7
