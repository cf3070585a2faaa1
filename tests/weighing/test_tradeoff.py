"""The whole sweep: figures that depend on nothing but data, method and seed; resumed, parallel, refused."""

import json

import pandas as pd
import pytest

from auditor.errors import DataError, Unsupported, UsageError
from auditor.weighing import tradeoff
from auditor.weighing._sweep import Bench


def figures(answer):
    return {each.name: (each.apil, each.id, each.rd, each.score, each.sd, each.uses) for each in answer.methods}


def test_what_is_answered(table, policy):
    answer = tradeoff(table, policy(), seeds=3)
    assert {each.name for each in answer.methods} == {"Rank10", "Rank20", "Rank30"}
    assert answer.attributes == ("income", "tax", "wealth", "age")
    assert [each.score for each in answer.methods] == sorted(each.score for each in answer.methods)
    assert all(each.compliant and each.seeds == 3 and each.sd > 0 for each in answer.methods)
    assert (answer.identity.apil, answer.identity.dr, answer.identity.score) == (0, 100, 50)
    assert answer.recommended.name == "Rank20"  # Rank30 is swept beyond what was published
    assert answer.exit_code == 0


def test_the_contract_s_keys(table, policy):
    document = tradeoff(table, policy(), seeds=2).to_dict()
    wanted = {"name", "method", "parameters", "apil", "id", "rd", "dr", "score", "sd", "compliant"}
    assert all(wanted <= each.keys() for each in document["methods"])
    assert document["methods"][0]["parameters"] == {"p": 30.0}


@pytest.mark.slow
def test_figures_depend_on_the_seed_alone(table, policy):
    first = figures(tradeoff(table, policy(), seeds=3, seed=5))
    assert figures(tradeoff(table, policy(), seeds=3, seed=5)) == first
    assert figures(tradeoff(table, policy(), seeds=3, seed=6)) != first
    alone = policy(protection=[{"attributes": ["income", "tax", "wealth", "age"], "method": "rank-swapping", "p": 20}])
    assert figures(tradeoff(table, alone, seeds=3, seed=5))["Rank20"] == first["Rank20"]


@pytest.mark.slow
def test_processes_change_nothing(table, policy):
    used = policy(tradeoff={"uses": [{"cluster": 3}]})
    assert figures(tradeoff(table, used, seeds=2, processes=2)) == figures(tradeoff(table, used, seeds=2))


@pytest.mark.slow
def test_an_interrupted_sweep_goes_on(table, policy, tmp_path, monkeypatch):
    whole = figures(tradeoff(table, policy(), seeds=2))
    measured, measure = [], Bench.measure

    def interrupted(bench, task):
        if len(measured) == 4:
            raise KeyboardInterrupt
        measured.append((task.candidate.name, task.repetition))
        return measure(bench, task)

    monkeypatch.setattr(Bench, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tradeoff(table, policy(), seeds=2, state=tmp_path / "state")
    begun = measured[:]
    measured.clear()
    assert figures(tradeoff(table, policy(), seeds=2, state=tmp_path / "state")) == whole
    assert len(begun) == 4
    assert len(measured) == 2
    assert not set(begun) & set(measured)


@pytest.mark.slow
def test_a_state_of_other_data_is_not_believed(table, policy, tmp_path):
    tradeoff(table, policy(), seeds=1, state=tmp_path / "state")
    table.write_text(table.read_text().replace("south", "north"))
    assert figures(tradeoff(table, policy(), seeds=1, state=tmp_path / "state")) == figures(
        tradeoff(table, policy(), seeds=1)
    )
    assert len((tmp_path / "state").read_text().splitlines()) == 1 + 3 + 3


def test_a_method_without_chance_is_measured_once(table, policy, monkeypatch):
    measured, measure = [], Bench.measure
    monkeypatch.setattr(Bench, "measure", lambda bench, task: measured.append(task) or measure(bench, task))
    protection = [{"attributes": ["income", "tax"], "method": "microaggregation", "k": 3}]
    answer = tradeoff(table, policy(protection=protection), seeds=4)
    assert len(measured) == 1
    assert answer.methods[0].sd == 0
    assert answer.methods[0].seeds == 4


def test_a_policy_that_no_masking_meets(table, policy):
    answer = tradeoff(table, policy(requirements=[{"model": "k-anonymity", "k": 31}]), seeds=1)
    assert answer.recommended is None
    assert not any(each.compliant for each in answer.methods)
    assert "No method meets the policy" in answer.findings[0].message


def test_what_is_not_masked_discloses(table, policy):
    """A method on one attribute is measured over all that any method masks."""
    one = {"attributes": ["income"], "method": "rank-swapping", "p": 20}
    every = {"attributes": ["income", "tax", "wealth", "age"], "method": "rank-swapping", "p": 20}
    answer = tradeoff(table, policy(protection=[one, every]), seeds=2)
    found = {each.name: each for each in answer.methods}
    assert found["Rank20-1"].dr > found["Rank20-2"].dr
    assert found["Rank20-1"].apil < found["Rank20-2"].apil


@pytest.mark.parametrize(
    ("changes", "options", "error", "said"),
    [
        ({"protection": []}, {}, UsageError, "has no protection to weigh"),
        ({}, {"preset": "table-35"}, UsageError, "no preset 'table-35'"),
        ({}, {"seeds": 0}, UsageError, "at least one is needed"),
        (
            {"protection": [{"attributes": ["income"], "method": "microaggregation", "k": 100}]},
            {},
            DataError,
            "fewer|k = 100|100",
        ),
    ],
)
def test_what_cannot_be_weighed(changes, options, error, said, table, policy):
    with pytest.raises(error, match=said):
        tradeoff(table, policy(**changes), **options)


@pytest.mark.parametrize(
    ("masked", "known", "said"),
    [
        (["tax"], ("tax",), "knows the original values of 'tax', and links"),
        (["tax", "income"], ("income",), "knows the original values of 'income', and links"),
        (["tax", "income", "age"], ("income", "tax"), "the first, the first two, … of 'income' and 'tax', and links"),
    ],
)
def test_what_an_attacker_knows_is_named(masked, known, said, table, policy):
    """Half of the masked columns, rounded up, in the table's order: there is a figure of linkage for each."""
    protection = [{"attributes": masked, "method": "rank-swapping", "p": 10}]
    answer = tradeoff(table, policy(protection=protection), seeds=1)
    assert answer.known == known
    assert len(answer.methods[0].linkage) == len(known)
    assert said in answer.assumptions[0]
    assert "columns that no method masks is not counted" in answer.assumptions[1]


def test_the_product_of_the_sweeps_is_weighed(table, policy):
    swap = {"attributes": ["income"], "method": "rank-swapping", "p": 10, "sweep": {"p": [20]}}
    noise = {"attributes": ["tax"], "method": "noise", "p": 5, "sweep": {"p": [50]}}
    answer = tradeoff(table, policy(protection=[swap, noise]), seeds=1)
    found = {each.name: each for each in answer.methods}
    assert len(found) == len(answer.methods) == 2 + 2 + 4
    both = found["Rank20 + noise-uncorrelated-50"]
    assert (both.method, both.parts) == ("protection", ("Rank20", "noise-uncorrelated-50"))
    assert found[both.parts[0]].parameters["p"] == 20
    assert both.dr < min(found[part].dr for part in both.parts)
    assert answer.findings == ()


def test_what_was_left_out_is_said(table, policy, monkeypatch):
    monkeypatch.setattr("auditor.weighing._candidates.MOST", 6)
    swap = {"attributes": ["income"], "method": "microaggregation", "k": 3, "sweep": {"k": [4]}}
    answer = tradeoff(table, policy(protection=[swap, {**swap, "attributes": ["tax"]}]), seeds=1)
    assert len(answer.methods) == 5
    assert "their own parameters only" in answer.findings[0].message


def test_missing_values_are_named(table, policy):
    lines = table.read_text().splitlines()
    table.write_text("\n".join([lines[0], "," + lines[1].split(",", 1)[1], *lines[2:]]))
    with pytest.raises(DataError, match="'income' has missing values"):
        tradeoff(table, policy(), seeds=1)


def test_categories_alone_have_no_score(table, policy):
    pram = {"attributes": ["area"], "method": "pram", "theta": 0.5}
    with pytest.raises(Unsupported, match="mask only categories"):
        tradeoff(table, policy(protection=[pram]), seeds=1)


def test_the_command(table, policy_file, tmp_path, run_cli):
    html = tmp_path / "r.html"
    outcome = run_cli("tradeoff", str(table), "-p", str(policy_file), "--seeds", "2", "--report", str(html))
    assert outcome.code == 0, outcome.err
    assert "Of 3 methods, Rank20 costs the least" in outcome.out
    assert "⚠" in outcome.out
    assert "Risk-utility map" in html.read_text()
    document = run_cli("tradeoff", str(table), "-p", str(policy_file), "--seeds", "2", "--format", "json")
    (tmp_path / "stored.json").write_text(document.out)
    again = run_cli("report", str(tmp_path / "stored.json"))
    assert again.out == outcome.out
    assert len(json.loads(document.out)["methods"]) == 3


def test_formats_of_requirements_are_refused(table, policy_file, run_cli):
    outcome = run_cli("tradeoff", str(table), "-p", str(policy_file), "--format", "sarif")
    assert (outcome.code, outcome.out) == (2, "")
    assert "a sweep judges no release" in outcome.err


def test_globs_stand_for_the_columns_that_match(table, policy):
    entry = {"attributes": ["inc*", "tax"], "method": "rounding", "base": 100}
    answer = tradeoff(table, policy(protection=[entry]), seeds=1)
    assert answer.methods[0].attributes == answer.attributes == ("income", "tax")


def test_a_glob_that_matches_nothing_is_refused(table, policy):
    with pytest.raises(DataError, match="has no column 'zz\\*'"):
        tradeoff(table, policy(protection=[{"attributes": ["zz*"], "method": "rounding", "base": 100}]), seeds=1)


def test_a_secret_parameter_is_confidential(table, policy, monkeypatch):
    monkeypatch.setenv("SECRET_BASE", "473")
    entry = {"attributes": ["income"], "method": "rounding", "base": {"secret": "SECRET_BASE"}}
    answer = tradeoff(table, policy(protection=[entry]), seeds=1)
    assert answer.methods[0].parameters == {"base": "confidential"}
    assert "473" not in answer.methods[0].name


def test_a_state_is_not_of_another_secret_bound(table, policy, tmp_path, monkeypatch):
    bound = policy(requirements=[{"model": "k-anonymity", "k": {"secret": "SECRET_K"}}])
    monkeypatch.setenv("SECRET_K", "5")
    assert all(each.compliant for each in tradeoff(table, bound, seeds=1, state=tmp_path / "state").methods)
    monkeypatch.setenv("SECRET_K", "50")
    assert not any(each.compliant for each in tradeoff(table, bound, seeds=1, state=tmp_path / "state").methods)


def test_a_state_is_refused_for_a_table_that_has_no_digest(table, policy, tmp_path):
    with pytest.raises(UsageError, match="write the table to a file"):
        tradeoff(pd.read_csv(table), policy(), seeds=1, state=tmp_path / "state")
