"""An output in which nothing stands is no pass, whatever its type and whoever read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from auditor import check_outputs
from auditor.ledger import read_ledger
from auditor.outputs.readers import TYPES
from auditor.policy.packs import starter_names
from auditor.result import Status, Verdict
from tests.ledgers import append

EMPTY: dict[str, dict[str, Any]] = {
    "association-rules": {"rules": []},
    "frequent-itemsets": {"itemsets": []},
    "decision-tree": {"leaves": []},
    "frequency-table": {"by": ["ward"], "cells": []},
    "magnitude-table": {"by": ["ward"], "of": "cost", "cells": []},
    "statistics": {"by": ["ward"], "of": "cost", "cells": []},
    "regression": {"terms": []},
    "clusters": {"clusters": []},
}
RULES: list[dict[str, Any]] = [
    {"type": "association-rules", "min_support_count": 10},
    {"type": "frequent-itemsets", "min_support_count": 10, "channels": True},
    {"type": "decision-tree", "min_leaf": 10, "differencing": True},
    {"type": "frequency-table", "min_cell": 10, "differencing": True},
    {"type": "magnitude-table", "min_cell": 10, "dominance": [{"n": 1, "k": 0.5}]},
    {"type": "statistics", "min_n": 10},
    {"type": "regression", "min_dof": 10, "min_indicator": 10},
    {"type": "clusters", "min_size": 10},
]
COLUMN = ",diagnosis\n0,HIV\n1,flu\n2,flu\n3,asthma\n"
TABLE = {"type": "frequency-table", "by": ["ward"], "cells": [{"key": ["a"], "count": 20}, {"key": ["b"], "count": 30}]}


def policy(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    attributes = {"ward": "quasi-identifier", "diagnosis": "sensitive", "size": "insensitive"}
    return {"version": 1, "name": "p", "attributes": attributes, "outputs": list(rules or RULES), **more}


def test_every_type_has_its_empty_output() -> None:
    assert set(EMPTY) == set(TYPES) == {rule["type"] for rule in RULES}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("extends", [None, *starter_names()])
def test_an_output_without_items_is_not_evaluated_and_not_recorded(
    kind: str, extends: str | None, tmp_path: Path
) -> None:
    held = policy() if extends is None else {**policy(), "extends": [extends]}
    ledger = tmp_path / "ledger.jsonl"
    append(ledger, "release", {}, "2026-01-01")
    found = check_outputs({"type": kind, **EMPTY[kind]}, held, ledger=ledger, record=True)
    assert found.verdict is Verdict.NOT_EVALUATED
    assert len(read_ledger(ledger).entries) == 1


@pytest.mark.parametrize("kind", TYPES)
def test_what_passes_beside_it_does_not_make_it_pass(kind: str) -> None:
    assert check_outputs(TABLE, policy()).passed
    assert check_outputs([TABLE, {"type": kind, **EMPTY[kind]}], policy()).verdict is Verdict.NOT_EVALUATED


@pytest.mark.parametrize(
    "cells",
    [
        {"by": ["ward"], "cells": [{"key": ["a"], "count": None}, {"key": ["b"], "count": None}]},
        {"by": ["ward"], "of": "cost", "cells": [{"key": ["a"], "count": None, "sum": None}]},
    ],
)
def test_cells_without_a_number_are_not_evaluated(cells: dict[str, Any]) -> None:
    kind = "magnitude-table" if "of" in cells else "frequency-table"
    assert check_outputs({"type": kind, **cells}, policy()).verdict is Verdict.NOT_EVALUATED


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("column.csv", COLUMN),
        ("numbers.csv", ",size\n0,42\n1,43\n2,41\n"),
        ("unnamed.csv", ",0\n0,42\n1,43\n"),
        ("filtered.csv", ",size\n5,42\n9,43\n"),
        ("known.csv", ",count\n0,42\n1,43\n"),
        ("rules.csv", "antecedents,consequents,support,confidence\n"),
        ("itemsets.csv", "support,itemsets\n"),
        ("model.json", '{"params": {}}'),
        ("array.json", "[]"),
    ],
)
def test_a_file_that_holds_records_or_nothing_is_not_evaluated(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    attributes = {"ward": "quasi-identifier", "diagnosis": "sensitive", "size": "insensitive", "count": "insensitive"}
    found = check_outputs(tmp_path / name, policy(attributes=attributes))
    assert found.verdict is Verdict.NOT_EVALUATED


def test_counts_behind_numbers_are_a_table_where_they_say_so(tmp_path: Path) -> None:
    """`Series(labels).value_counts().sort_index().to_csv()`: the sizes of clusters 0 and 1."""
    (tmp_path / "sizes.csv").write_text(",count\n0,42\n1,9\n")
    found = check_outputs(tmp_path / "sizes.csv", policy())
    assert found.outputs[0].items == 2
    assert [violation.reached for violation in found.outputs[0].violations] == [9]


def test_rules_that_set_no_limit_hold_an_output_to_nothing() -> None:
    terms = {"type": "regression", "records": 60, "terms": [{"name": "age", "coefficient": 1.5}]}
    found = check_outputs([TABLE, terms], policy(RULES[3], {"type": "regression"}))
    assert found.verdict is Verdict.NOT_EVALUATED
    assert [r.id for r in found.requirements if r.status is Status.NOT_EVALUATED] == ["outputs-regression"]


def test_a_ledger_that_is_missing_or_empty_tells_nothing(tmp_path: Path) -> None:
    missing, empty = tmp_path / "nowhere.jsonl", tmp_path / "empty.jsonl"
    empty.touch()
    for ledger, record in ((missing, False), (empty, False), (empty, True)):
        found = check_outputs(TABLE, policy(), ledger=ledger, record=record)
        assert found.verdict is Verdict.NOT_EVALUATED
        assert found.requirements[-1].id == "outputs-ledger"
    assert not missing.exists()
    assert not empty.read_bytes()


def test_recording_begins_a_ledger_and_says_so(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    found = check_outputs(TABLE, policy(), ledger=ledger, record=True)
    assert found.passed
    assert "Nothing was released before: the ledger begins with these outputs." in found.assumptions
    again = check_outputs(TABLE, policy(), ledger=ledger)
    assert again.passed
    assert again.released_before == 1
    assert not any("begins" in each for each in again.assumptions)


def test_a_missing_ledger_does_not_hide_what_violates(tmp_path: Path) -> None:
    small = json.loads(json.dumps(TABLE).replace("20", "2"))
    assert check_outputs(small, policy(), ledger=tmp_path / "none.jsonl").verdict is Verdict.FAIL


@pytest.mark.parametrize("kind", TYPES)
def test_every_result_says_what_the_attacker_is_taken_to_know(kind: str) -> None:
    found = check_outputs({"type": kind, **EMPTY[kind]}, policy())
    assert any(each.startswith("The attacker has these outputs") for each in found.assumptions)
    assert any(each.startswith("The attacker may know who is in the data") for each in found.assumptions)


def test_what_is_not_looked_for_is_told() -> None:
    alone = check_outputs(TABLE, policy({"type": "frequency-table", "min_cell": 10}))
    assert any("Without `differencing`" in each for each in alone.assumptions)
    assert not any("Without `differencing`" in each for each in check_outputs(TABLE, policy(RULES[3])).assumptions)


RAW = pd.DataFrame({"id": range(101, 113), "age": [41, 22, 83, 35, 29, 64, 57, 70, 38, 46, 51, 33]}).assign(
    bp=[120, 131, 117, 145, 160, 111, 128, 133, 142, 119, 125, 138], weight=range(70, 82)
)
RAW_FILES = {
    "with row numbers": RAW.to_csv(),
    "without": RAW.to_csv(index=False),
    "by id": RAW.set_index("id").to_csv(),
    "by patient_id": RAW.rename(columns={"id": "patient_id"})[["patient_id", "bp", "age"]].to_csv(index=False),
    "transposed": RAW.T.to_csv(),
    "transposed by id": RAW.set_index("id").T.to_csv(),
    "without a header": RAW.to_csv(header=False),
    "in no order": RAW[["age", "bp"]].assign(x=RAW["bp"].to_numpy()[::-1]).to_csv(index=False),
}


@pytest.mark.parametrize("text", RAW_FILES.values(), ids=RAW_FILES)
@pytest.mark.parametrize("column", ["", "ward"])
def test_records_of_whole_numbers_are_no_crosstab(text: str, column: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    policy = {"version": 1, "name": "p", "outputs": [{"type": "frequency-table", "min_cell": 10}]}
    known = {"attributes": {column: "quasi-identifier"}} if column else {}
    assert check_outputs(tmp_path / "t.csv", policy | known).verdict is Verdict.NOT_EVALUATED


@pytest.mark.parametrize(
    "text",
    [
        "age,F,M\n20,40,30\n30,31,33\n40,22,29\n50,44,18\n",
        "hospital_id,F,M\n101,40,30\n102,31,33\n",
        "hospital,F,M\n7,90,30\n3,81,33\n5,42,29\n1,24,18\n",
        ",north,south\n1,40,30\n2,31,33\n",
        "ward,email,phone\na,40,30\nb,31,33\n",
    ],
)
def test_crosstabs_by_numbers_are_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    policy = {"version": 1, "name": "p", "outputs": [{"type": "frequency-table", "min_cell": 10}]}
    assert check_outputs(tmp_path / "t.csv", policy).passed
