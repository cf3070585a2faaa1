"""Tables and statistics through `check_outputs`: the ledger, what is confidential, and what texts never hold."""

import json

import pandas as pd
import pytest

from auditor import check_outputs
from auditor.report.redact import redact
from auditor.result import Audience

ROWS = [{"age": "26", "sex": sex, "cost": n} for n, sex in enumerate(["F"] * 40 + ["M"] * 5)]
ROWS += [{"age": "31", "sex": "MF"[n % 2], "cost": n} for n in range(50)]
FINE = {
    "type": "frequency-table",
    "by": ["age", "sex"],
    "cells": [
        {"key": ["26", "F"], "count": 40},
        {"key": ["26", "M"], "count": None},
        {"key": ["31", "F"], "count": 25},
        {"key": ["31", "M"], "count": 25},
    ],
}
COLLAPSED = {
    "type": "frequency-table",
    "by": ["age"],
    "cells": [{"key": ["26"], "count": 45}, {"key": ["31"], "count": 50}],
}
SUMS = {
    "type": "magnitude-table",
    "by": ["age"],
    "of": "cost",
    "cells": [{"key": ["26"], "count": 45, "sum": 990}, {"key": ["31"], "count": 50, "sum": 1225}],
}


def policy_of(*rules):
    attributes = dict.fromkeys(("age", "sex", "cost"), "insensitive")
    return {"version": 1, "name": "p", "attributes": attributes, "outputs": list(rules)}


TABLES = policy_of({"type": "frequency-table", "min_cell": 10, "differencing": True})


@pytest.mark.parametrize("data", [None, pd.DataFrame(ROWS)])
def test_what_was_released_before_is_remembered(tmp_path, data) -> None:
    ledger = tmp_path / "released.jsonl"
    assert check_outputs(FINE, TABLES, data, ledger=ledger, record=True).passed
    assert check_outputs(FINE, TABLES, data, ledger=ledger).passed  # the same release again
    result = check_outputs(COLLAPSED, TABLES, data, ledger=ledger)
    assert result.verdict == "fail"
    violation, recovered = result.outputs[0].violations
    assert (violation.item, violation.reason, violation.reached) == ("age=26, sex=M", "differencing", 5)
    assert recovered.reason == "suppressed-cell-recoverable"
    assert violation.records == (None if data is None else (40, 41, 42, 43, 44))
    assert check_outputs(COLLAPSED, TABLES, data).passed


def test_the_size_of_the_data_is_not_taken_as_published() -> None:
    """95 records are in the data, and no table says so; 95 − 90 is nobody's to compute."""
    assert check_outputs(FINE, TABLES, pd.DataFrame(ROWS)).passed


@pytest.mark.parametrize("share", ["12.5", "99999"])
def test_a_confidential_parameter_is_shown_nowhere(monkeypatch, share) -> None:
    monkeypatch.setenv("P_PERCENT", share)
    rule = {"type": "magnitude-table", "p_percent": {"secret": "P_PERCENT"}}
    result = check_outputs(SUMS, policy_of(rule), pd.DataFrame(ROWS))
    assert result.verdict == ("pass" if share == "12.5" else "fail")
    for audience in Audience:
        assert share not in json.dumps(redact(result, audience).to_dict())


def test_texts_hold_no_value_and_no_count() -> None:
    result = check_outputs([FINE, COLLAPSED], TABLES, pd.DataFrame(ROWS))
    texts = [violation.sentence for output in result.outputs for violation in output.violations]
    texts += [finding.message for finding in result.findings]
    assert texts
    assert not any(character.isdigit() for text in texts for character in text)
    reviewer = json.dumps(redact(result, Audience.REVIEWER).to_dict()["outputs"])
    assert "age=26" not in reviewer
