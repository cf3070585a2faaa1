"""Waivers that are offered of what fails: each excuses it, and is no wider."""

from __future__ import annotations

from datetime import date, timedelta
from math import inf
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.gate._offers import waivers_offered
from auditor.policy import load_policy
from auditor.result import Verdict

DAY = date(2027, 1, 15)
SAID = {"reason": "a rare disease", "owner": "ana", "approved_by": "dpo", "expires": str(DAY + timedelta(90))}
BEGUN: dict[str, Any] = {
    "version": 1,
    "name": "clinic",
    "attributes": {"zip": "quasi-identifier", "job": "quasi-identifier", "ill": {"role": "sensitive", "type": "text"}},
}
REQUIREMENTS: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 9},
    {"model": "t-closeness", "t": 0.001},
    {"model": "t-closeness", "t": 0.001, "distance": "kl"},
    {"model": "entropy-l-diversity", "l": 3.5},
    {"model": "recursive-l-diversity", "c": 0.1, "l": 2},
    {"model": "distinct-l-diversity", "l": 4},
    {"model": "basic-beta-likeness", "beta": 0.01},
    {"model": "alpha-k-anonymity", "alpha": 0.1, "k": 9},
    {"model": "average-risk", "max": 0.01},
    {"model": "max-individual-risk", "max": 0.01},
]
ROWS = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=12
)


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: "-".join(map(str, each.values())))
@given(rows=ROWS)
def test_a_waiver_that_is_offered_covers_what_was_found_and_no_more(
    requirement: dict[str, Any], rows: list[tuple[str, str, str]]
) -> None:
    """Thirds and logarithms have no end: the bound has four decimals, on the side where it holds."""
    table = pd.DataFrame(rows, columns=["zip", "job", "ill"])
    asked = {**BEGUN, "requirements": [{"id": "it", **requirement}]}
    found = auditor.check(table, asked, as_of=DAY)
    offered = waivers_offered(load_policy(asked), "clinic", [found])
    if found.verdict is not Verdict.FAIL:
        assert offered == []
        return
    if found.requirements[0].achieved == inf:
        assert offered == []  # no bound covers it, and a data frame has no digest
        return
    (waiver,) = offered
    assert waiver.pop("scope") == {"releases": ["clinic"]}
    waived = auditor.check(table, {**asked, "waivers": [{**waiver, **SAID}]}, as_of=DAY)
    assert waived.verdict is Verdict.WAIVED
    assert [each.message for each in waived.findings if each.level == "error"] == []
