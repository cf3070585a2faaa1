"""The query cases of `tests/vectors/query_cases.json`: who contributes, what is answered, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.queries._answers import answer_of
from auditor.queries._query import Refused
from auditor.queries.records.records import RecordProfiles
from tests.queries.tables import asked, profiles_of, records

FOUND = json.loads((Path(__file__).parent.parent / "vectors" / "query_cases.json").read_text(encoding="utf-8"))
CASES = FOUND["cases"]
REASONS = {
    "sensitive_column_in_predicate": "protected-in-predicate",
    "order_statistic": "order-statistic",
    "unknown_function": "unknown-function",
}
"""The vectors' names of what is refused, and ours."""


def table_of(case: dict[str, Any]) -> RecordProfiles:
    table = case["table"]
    columns = {name: [row[i] for row in table["rows"]] for i, name in enumerate(table["columns"])}
    return profiles_of(columns, [case["sensitive_column"]], table=table["name"], key=table["key"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_contributing_records_and_the_answers_agree(case):
    profiles = table_of(case)
    for query in case["queries"]:
        (found,) = asked(profiles, query["sql"])
        assert [int(profiles.keys[record]) for record in records(found, profiles)] == query["ids"]
        assert found.query_set == len(query["ids"])
        assert answer_of(found.asked, profiles) == query["answer"]


@pytest.mark.parametrize("case", FOUND["sql_subset"], ids=lambda case: case["reason"])
def test_the_subset_is_as_listed(case):
    (found,) = asked(table_of(CASES[0]), case["sql"])
    if case["expected"] == "refused":
        assert isinstance(found.asked, Refused)
        assert found.asked.construct == REASONS[case["reason"]]
        assert found.members is None
    else:
        assert not isinstance(found.asked, Refused)
