"""Limits of logs and rules on outputs have the terms of requirements: severity, because, hard, and a baseline."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from auditor.cli import invoke
from auditor.errors import PolicyError
from auditor.judge import known_failures
from auditor.outputs import check_outputs
from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.policy.demands import every
from auditor.queries import audit_queries
from auditor.result import Result, Status, Strictness, Verdict

DAY = date(2026, 11, 22)
STAFF = pd.DataFrame({"id": [f"s{i}" for i in range(6)], "dept": list("aaabbb"), "pay": [4, 5, 7, 11, 13, 17]})
LOG = ["SELECT sum(pay) FROM data WHERE dept = 'a'", "SELECT sum(pay) FROM data WHERE id = 's0' OR id = 's1'"]
"""The sets have three members and two; the difference is the pay of s2."""
TABLE = {
    "type": "frequency-table",
    "by": ["dept"],
    "cells": [{"key": ["a"], "count": 2}, {"key": ["b"], "count": 30}],
}


def policy(**more: Any) -> dict[str, Any]:
    attributes = {"id": "quasi-identifier", "dept": "quasi-identifier"}
    return {
        "name": "p",
        "attributes": {**attributes, "pay": {"role": "sensitive", "type": "number"}},
        "queries": {"key": "id", "limits": {"exact_value": "allow", "query_set_size": {"min": 3, "both_ends": False}}},
        "outputs": [{"type": "frequency-table", "min_cell": 10}],
        **more,
    }


def terms(**said: Any) -> dict[str, Any]:
    return policy(limits=dict.fromkeys(("queries-query-set-size", "frequency-table-min-cell"), said))


def known(**said: Any) -> dict[str, Any]:
    queries = {"requirement": "queries-query-set-size", "achieved": {"min": 2}, "expires": "2027-01-31"}
    outputs = {"requirement": "frequency-table-min-cell", "achieved": {"min_cell": 2}, "expires": "2027-01-31"}
    return policy(baseline=[{**queries, **said}, {**outputs, **said}])


def of_log(asked: Any) -> Result:
    return audit_queries(LOG, asked, STAFF, as_of=DAY)


def of_outputs(asked: Any) -> Result:
    return check_outputs(TABLE, asked, as_of=DAY)


JUDGES = pytest.mark.parametrize("judge", [of_log, of_outputs])


@JUDGES
def test_severity_decides_what_a_broken_limit_does(judge: Any) -> None:
    (broken,) = [each for each in judge(policy()).requirements if each.status is Status.FAIL]
    warned = judge(terms(severity="warning", because="on trial"))
    (same,) = [each for each in warned.requirements if each.id == broken.id]
    assert (same.severity, same.status, same.because) == ("warning", Status.WARNING, "on trial")
    assert warned.verdict is Verdict.PASS
    assert [each.level for each in warned.findings if each.requirement == broken.id] == ["warning"]


@JUDGES
def test_a_known_failure_excuses_a_limit_until_it_gets_worse_or_lapses(judge: Any) -> None:
    assert judge(known()).verdict is Verdict.WAIVED
    assert judge(known(expires="2026-11-21")).verdict is Verdict.FAIL
    better = dict.fromkeys(("min", "min_cell"), 3)
    entries = [{**each, "achieved": {k: better[k] for k in each["achieved"]}} for each in known()["baseline"]]
    assert judge(policy(baseline=entries)).verdict is Verdict.FAIL


def test_a_hard_limit_cannot_be_in_a_baseline() -> None:
    with pytest.raises(PolicyError, match="'queries-query-set-size' is hard, so no baseline excuses it"):
        load_policy({**known(), "limits": {"queries-query-set-size": {"hard": True}}})
    with pytest.raises(PolicyError, match="has no parameter 'max'"):
        load_policy(known(achieved={"max": 3}))


def test_terms_of_what_is_no_limit_are_an_error() -> None:
    with pytest.raises(PolicyError, match="did you mean 'queries-query-set-size'"):
        load_policy(policy(limits={"queries-query-set": {"severity": "warning"}}))


def test_terms_that_say_nothing_are_in_no_digest() -> None:
    assert load_policy(policy(limits={})).sha256 == load_policy(policy()).sha256
    assert load_policy(terms(severity="warning")).sha256 != load_policy(policy()).sha256
    assert "limits" not in load_policy(policy()).effective()


@pytest.mark.parametrize("name", [each.id for each in every(load_policy(policy()))])
def test_every_limit_may_have_terms_and_weaker_ones_are_weaker(name: str) -> None:
    plain, warned, hard = (
        load_policy(policy(limits=said))
        for said in ({}, {name: {"severity": "warning"}}, {name: {"hard": True, "because": "the law"}})
    )
    assert compare(plain, warned).verdict is Strictness.WEAKER
    assert compare(warned, plain).verdict is Strictness.STRICTER
    assert compare(plain, hard).verdict is Strictness.STRICTER
    assert compare(hard, plain).verdict is Strictness.WEAKER


def test_a_rule_that_is_renamed_takes_no_weaker_terms_along() -> None:
    """Terms hang on the id: a rule that gets another one, and a severity with it, is to be reviewed."""
    renamed = policy(
        outputs=[{"id": "t", "type": "frequency-table", "min_cell": 10}],
        limits={"t-min-cell": {"severity": "warning"}},
    )
    assert compare(load_policy(policy()), load_policy(renamed)).verdict is Strictness.INCOMPARABLE


LENT = "frequency-table-min-cell"
SMALL = {"id": LENT, "type": "frequency-table", "min_cell": 3}
RENAMED = {**SMALL, "id": "other"}
FREQUENCY = {"type": "frequency-table", "min_cell": 10}
COUNTED = {"model": "k-anonymity", "k": 1, "quasi_identifiers": ["dept"]}
WAIVED = {"requirement": LENT, "reason": "a rare illness", "owner": "ana", "approved_by": "board"}
WAIVER = {"waivers": [{**WAIVED, "expires": "2027-01-31"}]}
ON_TRIAL = {"limits": {LENT: {"severity": "warning"}}}
RULES = {"outputs": [FREQUENCY, SMALL]}, {"outputs": [FREQUENCY, RENAMED]}
DEMANDS = {"requirements": [{**COUNTED, "id": LENT}]}, {"requirements": [{**COUNTED, "id": "other"}]}


@pytest.mark.parametrize(
    ("before", "after", "excuse"),
    [(*RULES, WAIVER), (*RULES, ON_TRIAL), (*DEMANDS, WAIVER), (*DEMANDS, ON_TRIAL)],
)
def test_an_id_that_a_limit_takes_over_takes_no_excuse_along(before: Any, after: Any, excuse: Any) -> None:
    """An id is that of a requirement or a rule first; once that is called otherwise it is the limit's."""
    held = {} if "limits" in excuse else excuse
    table = {**TABLE, "cells": [{"key": ["a"], "count": 5}, {"key": ["b"], "count": 30}]}
    old, new = load_policy(policy(**before, **held)), load_policy(policy(**after, **excuse))
    assert check_outputs(table, old, as_of=DAY).verdict is Verdict.FAIL
    assert check_outputs(table, new, as_of=DAY).verdict is not Verdict.FAIL
    assert compare(old, new).verdict in (Strictness.WEAKER, Strictness.INCOMPARABLE)


def test_a_hard_limit_is_hard_no_more_where_another_rule_takes_its_id() -> None:
    hard = {"limits": {"x-min-cell": {"hard": True}}}
    other = {"id": "x", "type": "magnitude-table", "min_cell": 3}
    old = load_policy(policy(outputs=[{**FREQUENCY, "id": "x"}], **hard))
    new = load_policy(policy(outputs=[{**FREQUENCY, "id": "y"}, other], **hard))
    assert compare(old, new).verdict is Strictness.INCOMPARABLE


def test_a_breach_without_a_number_is_in_no_baseline() -> None:
    """An entry without its measure could not be read, and would excuse whatever came."""
    asked = load_policy(policy())
    (broken,) = [each for each in of_log(asked).requirements if each.status is Status.FAIL]
    assert known_failures(asked, [broken], DAY)[1] == []
    unmeasured = replace(broken, achieved=None, records_violating=None)
    entries, (sentence,) = known_failures(asked, [unmeasured], DAY)
    assert (entries, sentence.partition(":")[0]) == ([], broken.id)


def test_terms_are_inherited_limit_by_limit(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        "outputs: [{type: frequency-table, min_cell: 10}]\n"
        "limits: {frequency-table-min-cell: {severity: warning, because: on trial}}\n",
        encoding="utf-8",
    )
    child = tmp_path / "child.yaml"
    child.write_text("extends: [base.yaml]\nlimits: {frequency-table-min-cell: {severity: error}}\n", encoding="utf-8")
    (said,) = load_policy(child).limits.values()
    assert (said.severity, said.because) == ("error", "on trial")


@pytest.mark.parametrize("command", ["queries", "outputs"])
def test_a_baseline_is_written_and_then_excuses(tmp_path: Path, command: str) -> None:
    asked = tmp_path / "p.yaml"
    asked.write_text(load_policy(policy()).to_yaml(), encoding="utf-8")
    STAFF.to_csv(tmp_path / "staff.csv", index=False)
    (tmp_path / "log.sql").write_text(";\n".join(LOG) + ";\n", encoding="utf-8")
    (tmp_path / "t.json").write_text(pd.Series(TABLE).to_json(), encoding="utf-8")
    file = {"queries": "log.sql", "outputs": "t.json"}[command]
    data = ["-d", str(tmp_path / "staff.csv")] if command == "queries" else []
    words = [command, str(tmp_path / file), "-p", str(asked), *data, "--as-of", "2026-11-22", "--quiet"]
    assert invoke([*words, "--write-baseline", str(tmp_path / "known.yaml")]) == 1
    assert invoke([*words, "--write-baseline", str(tmp_path / "known.yaml")]) == 2, "never over another"
    asked.write_text(asked.read_text(encoding="utf-8") + "baseline: known.yaml\n", encoding="utf-8")
    assert invoke(words) == 0


def test_a_known_failure_of_a_requirement_excuses_no_limit_of_its_id() -> None:
    """The ids meet: the requirement has it, and the limit of the table is judged for itself."""
    name = "frequency-table-min-cell"
    entry = {"requirement": name, "achieved": {"k": 1}, "expires": "2027-01-31"}
    asked = policy(requirements=[{"id": name, "model": "k-anonymity", "k": 5}], baseline=[entry])
    assert of_outputs(asked).verdict is Verdict.FAIL
    counted = policy(requirements=[{"id": name, "model": "k-anonymity", "k": 5}], baseline=[{**entry, "records": 99}])
    assert of_outputs(counted).verdict is Verdict.FAIL
    rows = {"id": name, "model": "allowed-values", "attribute": "dept", "values": ["a"]}
    without = {"requirement": name, "records": 99, "expires": "2027-01-31"}
    true = {**TABLE, "cells": [{"key": ["a"], "count": 3}, {"key": ["b"], "count": 3}]}
    judged = check_outputs(true, policy(requirements=[rows], baseline=[without]), STAFF, as_of=DAY)
    (found,) = [each for each in judged.requirements if each.id == name]
    assert (found.status, found.records_violating) == (Status.FAIL, 6)
