"""Policy coverage: a loosened number that no test notices is told."""

from __future__ import annotations

import pytest

from auditor.models import one_step
from auditor.policy import load_policy
from auditor.testing._mutants import weakenings
from tests.testing.conftest import CLINIC, Bench

TWO = """\
policy: clinic.yaml
tests:
  - name: two people
    csv: |
      age,ill
      30,flu
      30,cold
    expect: {fails: [k]}
"""
ALIKE = """\
  - name: alike
    csv: |
      age,ill
      30,flu
      30,flu
      30,flu
    expect: {fails: [l]}
"""


def missed(bench: Bench, text: str) -> list[tuple[str, str | None]]:
    found = bench.run(text, covered=True)
    assert found.mutants is not None
    assert (found.exit_code == 0) is all(m.noticed_by for m in found.mutants)
    return [(m.requirement, m.field) for m in found.mutants if m.noticed_by is None]


def test_every_number_wants_a_test_at_its_bound(bench: Bench) -> None:
    assert missed(bench, TWO) == [("l", "l")]
    assert missed(bench, TWO + ALIKE) == []


def test_a_test_far_from_the_bound_notices_nothing(bench: Bench) -> None:
    assert missed(bench, TWO.replace("      30,cold\n", "").replace("[k]", "[k, l]") + ALIKE) == [("k", "k")]


def test_a_test_that_fails_anyway_notices_nothing(bench: Bench) -> None:
    """Under k: 2 the verdict would be as this test expects, under k: 3 it is not: a broken test is no guard."""
    assert missed(bench, TWO.replace("fails: [k]", "fails: []") + ALIKE) == [("k", "k")]


def test_what_the_attacker_knows_is_a_number_to_loosen() -> None:
    asked = {"model": "k-anonymity", "k": 3, "knows": {"columns": 2}}
    loaded = load_policy({"name": "p", "attributes": {"age": "quasi-identifier"}, "requirements": [asked]})
    assert [(each.field, each.old, each.new) for each in weakenings(loaded)] == [("knows/columns", 2, 1), ("k", 3, 2)]


@pytest.mark.slow
def test_a_requirement_without_a_number_is_left_out(bench: Bench) -> None:
    bench.write("clinic.yaml", CLINIC + '  - {id: ages, model: allowed-values, attribute: age, pattern: "[0-9]+"}\n')
    assert missed(bench, TWO + ALIKE) == [("ages", None)]
    letters = '  - {name: letters, csv: "age,ill\\nx,flu\\nx,flu\\nx,cold\\n", expect: {fails: [ages]}}\n'
    assert missed(bench, TWO + ALIKE + letters) == []


def test_a_secret_number_is_shown_nowhere(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_K", "3")
    bench.write("clinic.yaml", CLINIC.replace("k: 3", "k: {secret: SECRET_K}"))
    found = bench.run(TWO + ALIKE, covered=True)
    assert found.mutants is not None
    (k,) = (m for m in found.mutants if m.requirement == "k")
    assert (k.old, k.new) == ("confidential", "confidential")
    assert k.noticed_by == "clinic_test.yaml: two people"


@pytest.mark.parametrize(
    ("number", "sign", "next_one"),
    [(11, -1, 10), (3, 1, 4), (0.05, 1, 0.06), (0.2, 1, 0.3), (2.5, -1, 2.4), (3.0, -1, 2.0), (20.0, -1, 19.0)],
)
def test_a_step_is_one_in_the_last_decimal(number: float, sign: int, next_one: float) -> None:
    assert one_step(number, sign) == next_one
    assert type(one_step(number, sign)) is type(number)


def test_a_number_at_its_end_has_no_weaker_one() -> None:
    policy = load_policy(
        {"name": "x", "requirements": [{"model": "k-anonymity", "k": 1}, {"model": "max-risk", "max": 1.0}]}
    )
    assert [(each.requirement, each.field) for each in weakenings(policy)] == [
        ("k-anonymity", None),
        ("max-risk", None),
    ]
