"""`check_outputs`: the requirements of an audit of outputs, what it never takes for a pass, what it remembers."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from auditor import check_outputs
from auditor.errors import DataError, UsageError
from auditor.ledger import read_ledger
from auditor.result import Status, Verdict
from tests.ledgers import append

TABLE = {
    "type": "frequency-table",
    "by": ["sex"],
    "cells": [{"key": ["F"], "count": 12}, {"key": ["M"], "count": 15}],
}
CLUSTERS = {"type": "clusters", "clusters": [{"size": 12, "centre": {"age": 31.5}}]}
DATA = pd.DataFrame({"sex": ["F"] * 12 + ["M"] * 15})


def _policy(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"version": 1, "name": "p", "attributes": {"sex": "quasi-identifier"}, "outputs": list(rules), **more}


def _small(count: int) -> dict[str, Any]:
    return {**TABLE, "cells": [{"key": ["F"], "count": count}, {"key": ["M"], "count": 15}]}


THRESHOLD = {"type": "frequency-table", "min_cell": 10}


def test_a_table_that_holds_every_limit_passes() -> None:
    result = check_outputs(TABLE, _policy(THRESHOLD))
    assert result.verdict is Verdict.PASS
    assert [(r.id, r.model, r.status) for r in result.requirements] == [
        ("frequency-table-min-cell", "small-cell", Status.PASS),
        ("frequency-table-protection", "suppressed-cell-recoverable", Status.PASS),
    ]
    assert result.requirements[0].achieved == 12
    assert result.requirements[0].bound == 10


@pytest.mark.parametrize(
    ("reading", "written", "status"),
    [
        ({"decimal": ",", "thousands": "."}, "5.000", Status.NOT_EVALUATED),
        ({"thousands": ".", "decimal": ","}, "1.234.567", Status.NOT_EVALUATED),
        ({"decimal": ","}, "15.000", Status.NOT_EVALUATED),
        ({"decimal": ","}, "15.0", Status.PASS),
        ({"decimal": ","}, "5000", Status.PASS),
        ({"dates": "DD.MM.YYYY"}, "15.000", Status.PASS),
    ],
)
def test_a_point_that_may_group_digits_is_no_decimal_one(
    reading: dict[str, str], written: str, status: Status, tmp_path: Path
) -> None:
    """Who wrote 5.000 of data with decimal commas may mean 5000."""
    (tmp_path / "t.csv").write_text(f"sex,count\nF,12\nM,{written}\n")
    result = check_outputs(tmp_path / "t.csv", _policy(THRESHOLD, reading=reading), output_type="frequency-table")
    assert result.requirements[0].status is status


def test_each_violation_says_by_how_much_and_with_data_who() -> None:
    data = pd.DataFrame({"sex": ["F"] * 3 + ["M"] * 15})
    result = check_outputs(_small(3), _policy(THRESHOLD), data)
    (violation,) = result.outputs[0].violations
    assert (violation.reason, violation.needed, violation.reached) == ("small-cell", 10, 3)
    assert violation.records == (0, 1, 2)
    assert violation.records_count == 3
    assert result.requirements[0].records_violating == 3
    assert result.exit_code == 1


def test_every_rule_of_a_type_is_judged_and_named_by_its_id() -> None:
    strict = {"id": "strict", "type": "frequency-table", "min_cell": 13}
    result = check_outputs(TABLE, _policy(THRESHOLD, strict))
    statuses = {r.id: r.status for r in result.requirements}
    assert statuses["frequency-table-min-cell"] is Status.PASS
    assert statuses["strict-min-cell"] is Status.FAIL


def test_an_output_of_which_the_policy_says_nothing_is_not_evaluated() -> None:
    result = check_outputs([TABLE, CLUSTERS], _policy(THRESHOLD))
    assert result.verdict is Verdict.NOT_EVALUATED
    assert [r.id for r in result.requirements if r.status is Status.NOT_EVALUATED] == ["outputs-clusters"]


def test_a_rule_without_an_output_of_its_type_is_listed_as_not_checked() -> None:
    result = check_outputs(TABLE, _policy(THRESHOLD, {"type": "clusters", "min_size": 3}))
    assert "outputs/clusters" in result.not_checked
    assert result.passed


def test_a_file_that_cannot_be_read_stops_no_other_and_is_never_a_pass(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(_small(3)))
    bad.write_text("{")
    result = check_outputs([good, bad], _policy(THRESHOLD))
    assert result.verdict is Verdict.FAIL
    assert {r.id: r.status for r in result.requirements}["outputs-unread"] is Status.NOT_EVALUATED
    assert [each.type for each in result.outputs] == ["frequency-table", "unknown"]
    assert check_outputs([bad], _policy(THRESHOLD)).exit_code == 3


@pytest.mark.parametrize(
    ("output", "rule"),
    [
        ({"type": "frequency-table", "by": ["sex"]}, THRESHOLD),
        ({"type": "magnitude-table", "by": ["sex"], "of": "age"}, {"type": "magnitude-table", "min_cell": 10}),
        ({"type": "statistics", "by": ["sex"], "of": "age"}, {"type": "statistics", "min_n": 10}),
    ],
)
def test_a_small_count_cannot_hide_behind_a_second_cell_of_the_same_key(
    output: dict[str, Any], rule: dict[str, Any]
) -> None:
    numbers = [{"n": n, "mean": 41.5} if "min_n" in rule else {"count": n} for n in (3, 50)]
    if output["type"] == "magnitude-table":
        numbers = [{**each, "sum": 70} for each in numbers]
    result = check_outputs({**output, "cells": [{"key": ["F"], **each} for each in numbers]}, _policy(rule))
    assert result.verdict is Verdict.NOT_EVALUATED
    assert "cells 0 and 1 have the same key" in str(result.requirements[0].reason)


def test_a_csv_whose_key_lost_a_column_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("sex,count\nF,3\nF,50\n")
    result = check_outputs(tmp_path / "counts.csv", _policy(THRESHOLD), output_type="frequency-table")
    assert result.verdict is Verdict.NOT_EVALUATED


def test_the_policy_must_say_something_of_outputs() -> None:
    policy = {
        "version": 1,
        "attributes": {"sex": "quasi-identifier"},
        "requirements": [{"model": "k-anonymity", "k": 2}],
    }
    with pytest.raises(UsageError, match="no block `outputs`"):
        check_outputs(TABLE, policy)
    with pytest.raises(UsageError, match="no output was given"):
        check_outputs([], _policy(THRESHOLD))


def test_what_is_recorded_is_compared_with_what_comes_later(tmp_path: Path) -> None:
    """Two tables one record apart, one after the other: each passes alone, the second fails with the first."""
    rule = {"type": "frequency-table", "min_cell": 5, "differencing": True}
    wide = {"type": "frequency-table", "by": ["sex"], "cells": TABLE["cells"]}
    cells = [{"key": ["F", "no"], "count": 11}, {"key": ["M", "no"], "count": 6}]
    narrow = {"type": "frequency-table", "by": ["sex", "old"], "cells": cells}
    policy = _policy(rule, attributes={"sex": "quasi-identifier", "old": "quasi-identifier"})
    ledger = tmp_path / "ledger.jsonl"
    assert check_outputs(wide, policy).passed
    assert check_outputs(narrow, policy).passed
    first = check_outputs(wide, policy, ledger=ledger, record=True)
    assert first.passed
    assert len(read_ledger(ledger).entries) == 1
    second = check_outputs(narrow, policy, ledger=ledger, record=True)
    assert second.verdict is Verdict.FAIL
    assert second.released_before == 1
    assert {v.reason for each in second.outputs for v in each.violations} == {"differencing"}
    assert len(read_ledger(ledger).entries) == 1, "what may not be released is not recorded"


def test_the_same_output_is_recorded_once_and_is_no_difference_to_itself(tmp_path: Path) -> None:
    rule = {"type": "frequency-table", "min_cell": 5, "differencing": True}
    ledger = tmp_path / "ledger.jsonl"
    for _ in range(2):
        assert check_outputs(TABLE, _policy(rule), ledger=ledger, record=True).passed
    assert len(read_ledger(ledger).entries) == 1


def test_outputs_of_one_run_that_say_the_same_are_recorded_once(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    assert check_outputs([TABLE, dict(TABLE)], _policy(THRESHOLD), ledger=ledger, record=True).passed
    assert len(read_ledger(ledger).entries) == 1


def test_what_cannot_be_recorded_is_told_and_does_not_pass(tmp_path: Path) -> None:
    result = check_outputs(TABLE, _policy(THRESHOLD), ledger=tmp_path / "none" / "ledger.jsonl", record=True)
    assert result.verdict is Verdict.NOT_EVALUATED
    assert result.outputs[0].items == len(TABLE["cells"])
    assert [each.id for each in result.requirements if each.status is Status.NOT_EVALUATED] == ["outputs-ledger"]


@pytest.mark.parametrize("body", [{}, {"published": None}, {"published": [1]}, {"published": {"type": "x"}}])
def test_a_sound_chain_around_what_is_no_output_is_an_error_with_its_line(tmp_path: Path, body: dict[str, Any]) -> None:
    append(tmp_path / "ledger.jsonl", "output", body, "2026-01-01")
    with pytest.raises(DataError, match=r"^ledger\.jsonl:1: "):
        check_outputs(TABLE, _policy(THRESHOLD), ledger=tmp_path / "ledger.jsonl")


def test_recording_needs_a_ledger() -> None:
    with pytest.raises(UsageError, match="needs a ledger"):
        check_outputs(TABLE, _policy(THRESHOLD), record=True)


def test_a_ledger_that_was_changed_stops_the_audit(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    check_outputs(TABLE, _policy(THRESHOLD), ledger=ledger, record=True)
    ledger.write_bytes(ledger.read_bytes().replace(b"12", b"13"))
    with pytest.raises(DataError, match=r"ledger\.jsonl:1: does not follow"):
        check_outputs(TABLE, _policy(THRESHOLD), ledger=ledger)


def test_a_secret_bound_is_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAST", "14")
    result = check_outputs(TABLE, _policy({"type": "frequency-table", "min_cell": {"secret": "LEAST"}}))
    assert result.verdict is Verdict.FAIL
    requirement = result.requirements[0]
    assert requirement.bound == "confidential"
    assert requirement.achieved is None
    assert "14" not in json.dumps(result.to_dict()["requirements"])
    assert all(v.needed is None for v in result.outputs[0].violations)


def test_counts_are_recomputed_from_the_data_and_the_result_says_so() -> None:
    assert check_outputs(TABLE, _policy(THRESHOLD), DATA).outputs[0].counted == "data"
    assert check_outputs(TABLE, _policy(THRESHOLD)).outputs[0].counted == "file"
    wrong = check_outputs(_small(11), _policy(THRESHOLD), DATA)
    assert {v.reason for v in wrong.outputs[0].violations} == {"mismatch"}
    assert wrong.verdict is Verdict.FAIL


def _waiver(**more: Any) -> dict[str, Any]:
    person = {"owner": "ana", "approved_by": "dpo", "reason": "agreed with the registry"}
    return {"requirement": "frequency-table", "expires": "2027-01-31", **person, **more}


DAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("waiver", "status", "code"),
    [
        (_waiver(at_least={"min_cell": 3}), Status.WAIVED, 0),
        (_waiver(at_least={"min_cell": 4}), Status.FAIL, 1),
        (_waiver(), Status.WAIVED, 0),
        (_waiver(expires="2026-11-21"), Status.FAIL, 1),
        (_waiver(approved_by="Ana"), Status.FAIL, 1),
        (_waiver(scope={"data": ["other.json"]}), Status.FAIL, 1),
        (_waiver(scope={"releases": ["north"]}), Status.WAIVED, 0),
        (_waiver(scope={"releases": ["south"]}), Status.FAIL, 1),
    ],
    ids=["within", "beyond", "off", "lapsed", "own", "other data", "its release", "other release"],
)
def test_a_waiver_excuses_what_its_bounds_allow_and_is_never_a_pass(
    waiver: dict[str, Any], status: Status, code: int
) -> None:
    result = check_outputs(_small(3), _policy(THRESHOLD, waivers=[waiver]), as_of=DAY, release="north")
    assert result.requirements[0].status is status
    assert result.exit_code == code
    assert not result.passed
    assert (result.requirements[0].waiver is not None) is (status is Status.WAIVED)


def test_a_waiver_of_a_limit_excuses_that_limit_alone() -> None:
    rule = {"type": "frequency-table", "min_cell": 10, "max_share_of_margin": 0.5}
    named = _waiver(requirement="frequency-table-min-cell", at_least={"min_cell": 3})
    result = check_outputs(_small(3), _policy(rule, waivers=[named]), as_of=DAY)
    statuses = {each.id: each.status for each in result.requirements}
    assert statuses["frequency-table-min-cell"] is Status.WAIVED
    assert statuses["frequency-table-max-share-of-margin"] is Status.FAIL
    further = _waiver(requirement="frequency-table-min-cell", at_least={"min_cell": 4})
    assert check_outputs(_small(3), _policy(rule, waivers=[further]), as_of=DAY).requirements[0].status is Status.FAIL


def test_the_name_of_a_rule_is_no_limit_of_another() -> None:
    """A rule called as another rule's limit has the waivers of that name for itself."""
    rules = [THRESHOLD, {"id": "frequency-table-min-cell", "type": "frequency-table", "min_cell": 2}]
    policy = {**_policy(THRESHOLD, waivers=[_waiver(requirement="frequency-table-min-cell")]), "outputs": rules}
    assert check_outputs(_small(3), policy, as_of=DAY).requirements[0].status is Status.FAIL


def test_a_waiver_of_one_output_excuses_no_other() -> None:
    policy = _policy(THRESHOLD, waivers=[_waiver(at_least={"min_cell": 3})])
    result = check_outputs([_small(3), _small(2)], policy, as_of=DAY)
    assert result.requirements[0].status is Status.FAIL


def test_a_waiver_that_is_not_needed_is_pointed_out() -> None:
    result = check_outputs(TABLE, _policy(THRESHOLD, waivers=[_waiver(at_least={"min_cell": 3})]), as_of=DAY)
    assert result.passed
    assert [finding.level for finding in result.findings] == ["warning"]


def test_an_output_of_another_number_of_records_was_not_made_from_this_data() -> None:
    result = check_outputs({**TABLE, "records": 28}, _policy(THRESHOLD), DATA)
    assert {violation.reason for violation in result.outputs[0].violations} == {"mismatch"}
    assert check_outputs({**TABLE, "records": 27}, _policy(THRESHOLD), DATA).passed


STATISTICS = {"type": "statistics", "of": "age", "by": ["sex"], "cells": [{"key": ["F"], "n": 12, "mean": 41.5}]}


def test_what_is_denied_by_default_and_only_the_data_answers_is_listed_as_not_checked() -> None:
    result = check_outputs(STATISTICS, _policy({"type": "statistics", "min_n": 10}))
    assert result.passed
    assert "outputs/statistics/identical" in result.not_checked


@pytest.mark.parametrize(
    ("name", "with_data", "code"),
    [
        *(
            (name, given, code)
            for name, code in (("oldest", 3), ("per_1000", 3), ("Max.", 1), ("stdev", 0))
            for given in (False, True)
        ),
        ("prevalence", True, 0),
        ("prevalence", False, 3),  # 95 is no share of 12, and of how many it speaks is not said
    ],
)
def test_a_statistic_of_a_name_that_is_not_known_passes_under_no_default(name, with_data, code) -> None:
    ages = pd.DataFrame({"sex": ["F"] * 12, "age": [*range(40, 51), 95]})
    output = {**STATISTICS, "cells": [{"key": ["F"], "n": 12, name: 95}]}
    rule = {"type": "statistics", "min_n": 10}
    assert check_outputs(output, _policy(rule), ages if with_data else None).exit_code == code


def test_what_the_policy_writes_down_and_only_the_data_answers_is_not_evaluated() -> None:
    result = check_outputs(STATISTICS, _policy({"type": "statistics", "min_n": 10, "identical": "deny"}))
    assert result.exit_code == 3
    assert [r.id for r in result.requirements if r.status is Status.NOT_EVALUATED] == ["statistics-identical"]


def test_data_without_records_is_an_error_and_no_mismatch() -> None:
    with pytest.raises(DataError, match="has no records"):
        check_outputs(TABLE, _policy(THRESHOLD), DATA.head(0))


def test_a_result_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "table.json").write_text(json.dumps(_small(3)))
    document = json.dumps(check_outputs(tmp_path / "table.json", _policy(THRESHOLD)).to_dict())
    assert "table.json" in document
    assert str(tmp_path) not in document


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ({"type": "clusters", "records": 25, "clusters": [{"size": 12}, {"size": 11}]}, "small-cluster"),
        ({"type": "clusters", "records": 20, "clusters": [{"size": 12}, {"size": 11}]}, "mismatch"),
        ({**TABLE, "records": 30}, "differencing"),
        ({**TABLE, "records": 5}, "mismatch"),
    ],
)
def test_how_many_records_a_file_says_there_are_is_a_number_like_others(output: dict[str, Any], reason: str) -> None:
    rules = {"type": "clusters", "min_size": 10}, {"type": "frequency-table", "min_cell": 10, "differencing": True}
    result = check_outputs(output, _policy(*rules))
    assert result.verdict is Verdict.FAIL
    assert {violation.reason for violation in result.outputs[0].violations} == {reason}


def test_no_cluster_at_all_is_not_evaluated() -> None:
    assert (
        check_outputs({"type": "clusters", "clusters": []}, _policy({"type": "clusters", "min_size": 3})).exit_code == 3
    )


RULES = {
    "type": "association-rules",
    "rules": [{"antecedent": {"age": "30"}, "consequent": {"ill": "HIV"}, "support": 4, "antecedent_support": 5}],
}
LEAVES = [{"path": {"age": "30"}, "count": 5, "counts": {"HIV": 4, "flu": 1}}]
LEAVES += [{"path": {"age": "40"}, "count": 5, "counts": {"HIV": 1, "flu": 4}}]
TREE = {"type": "decision-tree", "target": "ill", "leaves": LEAVES}
SICK = {"type": "clusters", "clusters": [{"size": 5, "counts": {"ill": {"HIV": 4, "flu": 1}}}]}


@pytest.mark.parametrize(
    ("output", "limit"),
    [
        (RULES, "max_confidence"),
        (TREE, "max_confidence"),
        (TREE, "max_t"),
        (SICK, "max_confidence"),
        (TABLE, "max_share_of_margin"),
    ],
)
def test_a_share_of_at_most_nothing_is_a_limit(output: dict[str, Any], limit: str) -> None:
    """The strictest of all: what fails at the half fails at 0."""
    rule = {"type": output["type"], "id": "one"}
    for bound in (0.5, 0):
        found = check_outputs([output], _policy({**rule, limit: bound if limit != "max_t" else bound / 5}))
        judged = next(each for each in found.requirements if each.id == f"one-{limit.replace('_', '-')}")
        assert (bound, judged.status) == (bound, Status.FAIL)
