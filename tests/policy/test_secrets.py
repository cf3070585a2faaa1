"""A parameter from the environment is used, and shown nowhere."""

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import model_validator

from auditor.errors import PolicyError
from auditor.policy import load_policy
from auditor.policy.base import Block
from auditor.policy.file.nodes import PolicySource
from auditor.policy.file.problems import Problems
from auditor.policy.file.reader import FAILED, PolicyReader
from auditor.policy.file.yaml import parse
from auditor.policy.lint import doubts
from auditor.policy.show import origins, policy_text
from tests.policy.conftest import Desk

TEXT = """\
attributes: {ill: sensitive, zip: insensitive}
requirements:
  - {model: k-anonymity, k: {secret: LIMIT}}
  - {model: allowed-values, attribute: zip, pattern: {secret: PATTERN}}
outputs:
  - {type: magnitude-table, p_percent: {secret: LIMIT}, dominance: [{n: 1, k: {secret: SHARE}}]}
queries: {limits: {max_queries: {secret: LIMIT}}}
protection: [{method: rounding, attributes: [zip], base: {secret: LIMIT}}]
"""


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMIT", "4711")
    monkeypatch.setenv("SHARE", "61.75%")
    monkeypatch.setenv("PATTERN", "[q]{3}")


def test_secrets_are_used(desk: Desk, secrets: None) -> None:
    policy = desk.load(TEXT)
    assert policy.requirements[0].parameters() == {"k": 4711}
    assert policy.outputs[0].dominance[0].k == 0.6175  # type: ignore[union-attr]
    assert policy.queries is not None
    assert policy.queries.limits.max_queries == 4711
    assert policy.protection[0].base == 4711  # type: ignore[attr-defined]
    assert policy.confidential("k-anonymity") == {"k"}
    assert policy.confidential("allowed-values") == {"pattern"}
    assert policy.confidential("magnitude-table") == {"p_percent", "dominance"}


def test_secrets_are_shown_nowhere(desk: Desk, secrets: None) -> None:
    policy = desk.load(TEXT)
    views = [
        repr(policy),
        str(policy),
        policy.to_yaml(),
        policy.canonical_json(),
        policy_text(policy),
        policy.model_dump_json(),
        json.dumps(policy.model_dump(mode="json")),
        repr(policy.model_dump()),
        json.dumps(origins(policy)),
        repr(doubts(policy, date(2026, 1, 1))),
        json.dumps(policy.secret_names),
    ]
    for view in views:
        assert "4711" not in view
        assert "61.75" not in view
        assert "0.6175" not in view
        assert "[q]{3}" not in view
    assert policy.to_yaml().count("confidential") == 6
    assert json.loads(policy.canonical_json())["requirements"][0]["k"] == {"secret": "LIMIT"}


def test_the_digest_does_not_depend_on_the_secret(desk: Desk, secrets: None, monkeypatch: pytest.MonkeyPatch) -> None:
    first = desk.load(TEXT).sha256
    monkeypatch.setenv("LIMIT", "4712")
    assert desk.load(TEXT).sha256 == first


def test_a_secret_that_is_not_set_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIMIT", raising=False)
    (problem,) = desk.problems("requirements: [{model: k-anonymity, k: {secret: LIMIT}}]\n")
    assert problem.where == "p.yaml:1:40"
    assert "'LIMIT' is not set" in problem.what


@pytest.mark.parametrize("value", ["hunter2", "-4711", "7.3", "", "1e9999"])
def test_a_secret_of_the_wrong_kind_is_not_repeated(desk: Desk, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("LIMIT", value)
    (problem,) = desk.problems("requirements: [{model: k-anonymity, k: {secret: LIMIT}}]\n")
    assert not value or value not in str(problem)
    assert "secret" in problem.what


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=6, max_size=20).map("¤".__add__))
def test_no_problem_repeats_a_secret(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THIS_TEST", value)
    secret = {"secret": "SECRET_OF_THIS_TEST"}
    requirement = {"model": "t-closeness", "t": secret, "distance": secret, "ground": secret, "matrix": secret}
    with pytest.raises(PolicyError) as wrong:
        load_policy({"attributes": {"a": "sensitive"}, "requirements": [requirement]})
    assert value.strip() not in str(wrong.value).replace("SECRET_OF_THIS_TEST", "") or len(value.strip()) < 6


@pytest.mark.parametrize(
    "text",
    [
        "name: {secret: LIMIT}\nrequirements: [{model: k-anonymity, k: 5}]\n",
        "risk: {threshold: {secret: LIMIT}}\nrequirements: [{model: k-anonymity, k: 5}]\n",
        "requirements: [{id: {secret: LIMIT}, model: k-anonymity, k: 5}]\n",
        "requirements: [{model: {secret: LIMIT}, k: 5}]\n",
        "attributes: {a: sensitive}\nrequirements: [{model: t-closeness, t: 1, distance: {secret: LIMIT}}]\n",
        "attributes: {a: sensitive}\nrequirements: [{model: t-closeness, t: 1, ground: matrix, matrix: {secret: X}}]\n",
        "requirements: [{model: k-anonymity, k: 5}]\nprotection: [{method: {secret: X}, attributes: [a], base: 5}]\n",
        "requirements: [{model: k-anonymity, k: 5}]\nprotection: [{method: rounding, attributes: {secret: X}}]\n",
        "attributes: {a: {secret: LIMIT}}\nrequirements: [{model: k-anonymity, k: 5}]\n",
        "requirements: [{model: k-anonymity, k: {secret: LIMIT, default: 5}}]\n",
        "requirements: [{model: k-anonymity, k: {secret: [LIMIT]}}]\n",
    ],
)
def test_only_parameters_can_be_secret(desk: Desk, secrets: None, text: str) -> None:
    assert desk.problems(text)


def test_an_attribute_may_be_called_secret(desk: Desk) -> None:
    policy = desk.load("outputs: [{type: association-rules, max_confidence: 0.5, sensitive: {secret: [a, b]}}]\n")
    assert policy.outputs[0].sensitive == {"secret": ("a", "b")}  # type: ignore[union-attr]


class Pair(Block):
    low: float
    high: float

    @model_validator(mode="after")
    def _in_order(self) -> "Pair":
        if self.low > self.high:
            raise ValueError(f"{self.low} is above {self.high}")
        return self


def test_a_model_that_repeats_its_values_is_silenced(secrets: None) -> None:
    problems = Problems()
    document = PolicySource("p.yaml", Path(), ())
    node = parse(b"{low: {secret: LIMIT}, high: 1}", document, problems)
    assert node is not None
    assert PolicyReader(problems).model(node, Pair, ("requirements", "0")) is FAILED
    (problem,) = problems.found
    assert "4711" not in str(problem)
    assert "secret" in problem.what
