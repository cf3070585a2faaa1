"""SafePub: the k that follows from ε and δ, what voids it, and a release of ARX."""

from __future__ import annotations

from math import exp, log

import pandas as pd
import pytest

import auditor
from auditor.errors import PolicyError, UsageError
from auditor.models.safepub import delta_of, least_size
from auditor.policy import load_policy
from tests import oracle
from tests.remediate.test_adult import COLUMNS

ASKED = {"model": "safepub", "epsilon": 1, "delta": 0.01}


def policy(*, fraction=0.1, attributes=("age",), **more):
    roles = {name: {"role": "quasi-identifier", "hierarchy": "suppress"} for name in attributes}
    return {"name": "p", "attributes": roles, "sample": {"fraction": fraction}, "requirements": [ASKED], **more}


@pytest.mark.parametrize(
    ("epsilon", "delta", "fraction"), [(1, 1e-3, 0.3), (0.5, 1e-2, 0.1), (2, 1e-4, 0.5), (1, 1, 0.5)]
)
def test_the_least_size_is_the_first_whose_delta_is_small_enough(epsilon, delta, fraction):
    k = least_size(epsilon, delta, fraction)
    assert oracle.binomial_delta(k, epsilon, fraction) <= delta
    assert k == 1 or oracle.binomial_delta(k - 1, epsilon, fraction) > delta
    assert delta_of(k, epsilon, fraction) == pytest.approx(oracle.binomial_delta(k, epsilon, fraction), rel=1e-9)


def test_a_sample_has_to_be_small_enough_and_said():
    for fraction, said in ((0.64, "at most 0.6321"), (None, "needs fraction of the sample")):
        with pytest.raises(PolicyError, match=said):
            load_policy(policy(fraction=fraction))


def test_what_it_takes_for_granted_is_said_and_what_voids_it_is_refused():
    data = pd.DataFrame({"age": ["30"] * 9 + ["40"] * 2})
    found = auditor.check(data, policy())
    assert found.requirements[0].status == "fail"
    assert sum("safepub: " in each for each in found.assumptions) == 3
    for more in ({}, {"remediation": {"search": "mondrian"}}):
        with pytest.raises(UsageError, match="void where a search chooses levels"):
            auditor.remediate(data, policy(**more))
    fixed = {"levels": {"age": {"min": 0, "max": 0}}, "suppression_limit": {"records": 2}}
    done = auditor.remediate(data, policy(remediation=fixed)).result
    assert (done.verdict, done.solution.suppressed_records) == ("pass", 2)
    people = pd.DataFrame({"age": ["30"] * 9, "who": range(9)})
    asked = policy(unit="who")
    asked["attributes"]["who"] = "pseudonym"
    assert "every person has one record" in auditor.check(people, asked).requirements[0].reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "delta", "k", "levels", "loss"),
    [
        (2.0, 1e-5, 113, (0, 2, 0, 1, 1, 1, 1, 1, 0), 0.6820705793543056),
        (log(3), 1e-8, 108, (1, 2, 1, 1, 2, 1, 1, 1, 1), 0.6092780386290699),
    ],
)
def test_a_release_of_the_independent_tool(shared_data, tmp_path, monkeypatch, epsilon, delta, k, levels, loss):
    """Its sample of Adult is drawn by the generator of Java from a seed; losses are cut to ten decimals there."""
    monkeypatch.chdir(tmp_path)
    for column in COLUMNS:
        source = shared_data / "adult" / f"adult_hierarchy_{column}.csv"
        (tmp_path / source.name).write_bytes(source.read_bytes())
    fraction, state = 1 - exp(-epsilon), ((0xDEADBEEF - (1 << 32)) ^ 0x5DEECE66D) % (1 << 48)

    def drawn() -> bool:
        nonlocal state
        parts = []
        for bits in (26, 27):
            state = (state * 0x5DEECE66D + 0xB) % (1 << 48)
            parts.append(state >> (48 - bits))
        return ((parts[0] << 27) + parts[1]) / (1 << 53) < fraction

    adult = pd.read_csv(shared_data / "adult" / "adult.csv", sep=";", dtype=str)
    attributes = {
        name: {"role": "quasi-identifier", "hierarchy": {"file": f"adult_hierarchy_{name}.csv", "separator": ";"}}
        for name in COLUMNS
    }
    remediation = {
        "levels": {name: {"min": level, "max": level} for name, level in zip(COLUMNS, levels, strict=True)},
        "suppression_limit": 1.0, "objective": "loss", "aggregate": "geometric-mean",
    }  # fmt: skip
    asked = {
        "name": "p", "attributes": attributes, "remediation": remediation,
        "requirements": [{"model": "safepub", "epsilon": epsilon, "delta": delta, "fraction": fraction}],
    }  # fmt: skip
    assert load_policy(asked).requirements[0].least_size == k
    sample = adult[[drawn() for _ in range(len(adult))]].reset_index(drop=True)
    done = auditor.remediate(sample, asked)
    assert done.result.solution.loss == pytest.approx(loss, abs=1e-9)
