"""From the data to every format: what stands in a table's cells reaches no reader but the internal one."""

from __future__ import annotations

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check
from auditor.report import redact, render
from auditor.report.rendered import FORMATS
from auditor.result import Audience

POLICY = {
    "version": 1,
    "name": "secrets",
    "attributes": {
        "name": "identifier",
        "age": "quasi-identifier",
        "zip": "quasi-identifier",
        "diagnosis": "sensitive",
        "cost": {"role": "sensitive", "type": "number"},
    },
    "requirements": [
        {"model": "k-anonymity", "k": 3},
        {"model": "distinct-l-diversity", "sensitive": "diagnosis", "l": 2},
        {"model": "t-closeness", "sensitive": "cost", "t": 0.1},
        {"model": "allowed-values", "attribute": "zip", "pattern": "[0-9]+"},
    ],
}

tokens = st.text("QXZJKVW", min_size=9, max_size=12).map(lambda letters: f"SECRET{letters}")
costs = st.integers(10**11, 10**12)
rows = st.lists(st.tuples(tokens, tokens, tokens, tokens, costs), min_size=1, max_size=12)


@settings(max_examples=15)
@given(rows, st.booleans())
def test_no_cell_of_the_table_reaches_the_reviewer_or_the_public(
    records: list[tuple[str, str, str, str, int]], repeat: bool
) -> None:
    table = pd.DataFrame(records * (1 + 3 * repeat), columns=["name", "age", "zip", "diagnosis", "cost"])
    result = check(table, POLICY, expose=True)
    needles = {str(cell) for record in records for cell in record} | {f"{record[4]:,}" for record in records}
    for audience in (Audience.REVIEWER, Audience.PUBLIC):
        for format_ in FORMATS:
            text = render(redact(result, audience), format_)
            assert not [needle for needle in needles if needle in text], (audience, format_)


def test_the_test_above_can_fail() -> None:
    table = pd.DataFrame([("a", "SECRETAGE", "1", "flu", 10**11)], columns=["name", "age", "zip", "diagnosis", "cost"])
    assert "SECRETAGE" in render(redact(check(table, POLICY, expose=True), Audience.INTERNAL), "html")
