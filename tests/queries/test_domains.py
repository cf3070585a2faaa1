"""What users are taken to know of a protected column of which the policy declares no range."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.queries import QueryAudit, QueryAuditor, audit_queries
from auditor.report import redact, render
from auditor.report.rendered import FORMATS
from auditor.result import Audience

WARDS = "SELECT ward, sum(x), count(*) FROM t GROUP BY ward"


def _policy(x: Any) -> dict[str, Any]:
    attributes = {"id": "identifier", "ward": "quasi-identifier", "x": x}
    return {"version": 1, "name": "wards", "attributes": attributes, "queries": {"table": "t", "key": "id"}}


def _table(values: list[Any]) -> pd.DataFrame:
    wards = ["A"] * 3 + ["B"] * (len(values) - 3)
    return pd.DataFrame({"id": range(len(values)), "ward": wards, "x": values})


def _audit(values: list[Any], x: Any = "sensitive", *log: str) -> QueryAudit:
    return audit_queries(list(log) or [WARDS], _policy(x), _table(values))


@pytest.mark.parametrize(
    "values",
    [
        [1, 1, 1, 1, 0, 1, 0, 1, 0],
        ["1", "1", "1", "1", "0", "1", "0", "1", "0"],
        [1.0, 1.0, 1.0, None, 0.0, 1.0, 0.0, None, 0.0],
        [2, 2, 2, 1, 2, 1, 1, 2, 1],
        [3, 3, 3, 1, 2, 3, 1, 2, 3],
        [0, 0, 0, 100, 0, 100, 100, 0, 0],
        [1.5, 1.5, 1.5, 0.5, 1, 0.5, 1, 1.5, 0.5],
    ],
)
@pytest.mark.parametrize("declared", [{}, {"type": "number"}])
def test_all_at_an_end_of_few_numbers_are_told(values: list[Any], declared: dict[str, str]) -> None:
    audit = _audit(values, {"role": "sensitive", **declared})
    assert audit.verdict == "fail"
    assert (0, 1, 2) in {each.records for each in audit.disclosures}
    assert any("inferred from the data" in each for each in audit.assumptions)


@pytest.mark.parametrize(("values", "said"), [([1, 0, 0], "0 or 1"), ([1, 0, 0.5], "one of few numbers")])
def test_numbers_between_the_ends_are_not_left_out(values: list[float], said: str) -> None:
    assert any(f"Users know that 'x' is {said}" in each for each in _audit(values * 3).assumptions)


def test_a_declared_range_says_otherwise() -> None:
    audit = _audit([1, 1, 1, 1, 0, 1, 0, 1, 0], {"role": "sensitive", "type": "number", "range": [None, None]})
    assert audit.verdict == "pass"
    assert not any("inferred" in each for each in audit.assumptions)


def test_numbers_that_hardly_repeat_have_no_end_that_anybody_knows() -> None:
    assert _audit([67600, 86000, 73000, 71000, 84600, 85300, 44100]).verdict == "pass"


def test_online_nothing_is_inferred_from_what_was_not_answered() -> None:
    values = [1, 1, 1, 1, 0, 1, 0, 1, 0]
    with pytest.raises(DataError, match="declares no range"):
        QueryAuditor(_table(values), _policy("sensitive"))
    declared = {"role": "sensitive", "type": "integer", "range": [0, 1]}
    with QueryAuditor(_table(values), _policy(declared)) as auditor:
        assert auditor.decide(WARDS).decision == "deny"


@pytest.mark.slow
@given(st.lists(st.integers(0, 1), min_size=3, max_size=3), st.lists(st.integers(0, 1), min_size=3, max_size=6))
@settings(deadline=None, max_examples=30)
def test_what_is_inferred_of_0_and_1_is_what_declaring_them_says(some: list[int], others: list[int]) -> None:
    inferred, declared = _audit(some + others), _audit(some + others, {"role": "sensitive", "type": "boolean"})
    assert inferred.verdict == declared.verdict
    every = len(set(some)) == 1 or len(set(others)) == 1
    assert (inferred.verdict == "fail") == every


def test_whole_numbers_from_0_to_1_stand_in_conditions_as_booleans_do() -> None:
    values, bit = [1, 1, 1, 1, 0, 1, 0, 1, 0], {"role": "sensitive", "type": "integer", "range": [0, 1]}
    for sql in (
        "SELECT ward, count(*) FROM t WHERE x = 1 GROUP BY ward",
        "SELECT count(*) FILTER (WHERE x = 0) FROM t WHERE ward = 'A'",
        "SELECT ward, x, count(*) FROM t GROUP BY ward, x",
    ):
        audit = _audit(values, bit, sql)
        assert audit.verdict == "fail"
        assert {each.records for each in audit.disclosures} == {(0, 1, 2)}
    assert _audit(values, bit, "SELECT max(x) FROM t").verdict == "pass", "an extreme is still one"


def test_sums_and_a_maximum_say_where_the_list_is_incomplete() -> None:
    log = ["SELECT avg(x) FROM t WHERE id = 1", "SELECT sum(x) FROM t WHERE id = 2", "SELECT max(x) FROM t"]
    attributes = {"id": "quasi-identifier", "ward": "quasi-identifier", "x": {"role": "sensitive", "type": "number"}}
    queries = {"table": "t", "key": "id", "assume": {"equal_values": "allowed"}}
    policy = {"version": 1, "name": "mixed", "attributes": attributes, "queries": queries}
    audit = audit_queries(log, policy, _table([900, 35, 400]))
    assert audit.verdict == "fail"
    assert any("The list is incomplete" in each.message for each in audit.findings)
    for audience in Audience:
        for format_ in FORMATS:
            page = " ".join(str(render(redact(audit, audience), format_)).split())
            assert "The list is incomplete" in page, format_
    assert not any("enough time" in each.message for each in audit.findings)
