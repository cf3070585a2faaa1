"""A remediation's document: each audit inside it is redacted as one, and the difference between them tells nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from auditor.errors import UsageError
from auditor.remediate import Remediated, remediate
from auditor.report import redact, render
from auditor.report.rendered import FORMATS
from auditor.report.stored import parse
from auditor.result import Audience

POLICY: dict[str, Any] = {
    "version": 1,
    "name": "secrets",
    "attributes": {
        "name": "identifier",
        "key": "pseudonym",
        "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
        "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}},
        "diagnosis": "sensitive",
        "cost": {"role": "sensitive", "type": "number"},
    },
    "requirements": [
        {"model": "k-anonymity", "k": 3},
        {"model": "distinct-l-diversity", "sensitive": "diagnosis", "l": 2},
    ],
    "remediation": {"suppression_limit": 0.5},
}
COLUMNS = ["name", "key", "age", "zip", "diagnosis", "cost"]

tokens = st.text("QXZJKVW", min_size=9, max_size=9).map(lambda letters: f"SECRET{letters}")
costs = st.integers(10**11, 10**12).filter(lambda cost: len(set(str(cost))) > 4)  # unlike 1/3 and 0.999…
records = st.lists(st.tuples(tokens, tokens, tokens, tokens, tokens, costs), min_size=2, max_size=12)


def table_of(*classes: tuple[str, int]) -> pd.DataFrame:
    """Classes by age and size; two diagnoses in each."""
    rows = [(f"n{age}{i}", f"k{age}{i}", age, "02139", f"d{i % 2}", i) for age, size in classes for i in range(size)]
    return pd.DataFrame(rows, columns=COLUMNS)


def kept_at_level_0(*classes: tuple[str, int], k: int = 3) -> Remediated:
    policy = POLICY | {
        "requirements": [{"model": "k-anonymity", "k": k}],
        "remediation": {"suppression_limit": 0.5, "levels": {"age": {"max": 0}, "zip": {"max": 0}}},
    }
    return remediate(table_of(*classes), policy)


@pytest.mark.slow
@settings(max_examples=15)
@given(records, st.booleans())
def test_no_cell_of_the_table_reaches_the_reviewer_or_the_public(rows: list[tuple[Any, ...]], repeat: bool) -> None:
    table = pd.DataFrame(rows * (1 + 3 * repeat), columns=COLUMNS)
    result = remediate(table, POLICY).result
    needles = {str(cell) for row in rows for cell in row} | {f"{row[-1]:,}" for row in rows}
    needles |= {cell[:-1] for row in rows for cell in row[2:4]}  # a masked value is a value
    for audience in (Audience.REVIEWER, Audience.PUBLIC):
        for format_ in FORMATS:
            text = render(redact(result, audience), format_)
            assert not [needle for needle in needles if needle in text], (audience, format_)


def test_a_small_number_of_suppressed_records_is_told_by_nothing() -> None:
    result = kept_at_level_0(("a", 40), ("b", 40), ("c", 2)).result
    document = redact(result, Audience.PUBLIC).to_dict()
    assert result.solution is not None
    assert result.solution.suppressed_records == 2
    assert document["solution"]["suppressed_records"] is None
    assert document["solution"]["losses"] is None
    assert document["after"]["data"]["rows"] == 80
    assert document["before"]["data"]["rows"] is None
    assert [path for path, value in numbers(document["before"]) if not path.startswith(FACTS)] == []


FACTS = ("policy/", "data/columns", "data/files", "risk/threshold", "requirements/", "dimensionality/k", "classes/")


def numbers(value: Any, path: str = "") -> list[tuple[str, float]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        return [(path, value)] if isinstance(value, (int, float)) and not isinstance(value, bool) else []
    return [found for key, item in items for found in numbers(item, f"{path}/{key}".lstrip("/"))]


def test_a_number_of_suppressed_records_that_may_be_told_is_told() -> None:
    result = kept_at_level_0(("a", 40), ("b", 40), *((f"c{i}", 2) for i in range(8))).result
    document = redact(result, Audience.PUBLIC).to_dict()
    assert document["solution"]["suppressed_records"] == 16
    assert document["solution"]["losses"] is not None
    assert (document["before"]["data"]["rows"], document["after"]["data"]["rows"]) == (96, 80)


def test_each_audit_is_redacted_as_it_would_be_alone() -> None:
    result = kept_at_level_0(("a", 40), ("b", 40), *((f"c{i}", 2) for i in range(8))).result
    document = redact(result, Audience.PUBLIC).to_dict()
    for name, audit in (("before", result.before), ("after", result.after)):
        assert audit is not None
        # the digest of a table that is not released is nobody's to see; alone, nothing says that it is not
        assert document[name]["data"]["sha256"] is None
        alone = redact(replace(audit, data=replace(audit.data, sha256=None)), Audience.PUBLIC).to_dict()
        inside = [path.removeprefix(f"{name}/") for path in document["redacted"] if path.startswith(f"{name}/")]
        assert inside == alone["redacted"]
        assert document[name] == {key: value for key, value in alone.items() if key in document[name]}
    assert any(path.startswith("before/") for path in document["redacted"])


def test_what_a_shortfall_counts_is_hidden_where_it_is_small() -> None:
    result = kept_at_level_0(("a", 3), ("b", 60), k=100).result
    assert result.solution is None
    (obstacle,) = redact(result, Audience.REVIEWER).to_dict()["shortfall"]["obstacles"]
    assert (obstacle["achieved"], obstacle["enough"]) == (3, 60)
    (obstacle,) = redact(result, Audience.PUBLIC).to_dict()["shortfall"]["obstacles"]
    assert (obstacle["achieved"], obstacle["enough"]) == (None, None)


@pytest.mark.slow
@given(st.lists(st.integers(1, 30), min_size=2, max_size=8), st.sampled_from(Audience), st.sampled_from(Audience))
def test_a_stored_remediation_renders_again_as_at_once(sizes: list[int], kept: Audience, wanted: Audience) -> None:
    result = kept_at_level_0(*((f"a{i}", size) for i, size in enumerate(sizes))).result
    stored = parse(json.dumps(redact(result, kept).to_dict()))
    widths = list(Audience)
    if widths.index(wanted) > widths.index(kept):
        with pytest.raises(UsageError):
            stored.document_for(wanted)
    else:
        assert stored.document_for(wanted).to_dict() == redact(result, wanted).to_dict()


@pytest.mark.slow
@given(st.lists(st.integers(1, 30), min_size=2, max_size=12))
def test_the_public_cannot_subtract_the_release_from_the_table(sizes: list[int]) -> None:
    result = kept_at_level_0(*((f"a{i}", size) for i, size in enumerate(sizes))).result
    assume(result.solution is not None)
    document = redact(result, Audience.PUBLIC).to_dict()
    before, after = document["before"]["data"]["rows"], document["after"]["data"]["rows"]
    if before is not None and after is not None:
        assert before - after == 0 or before - after >= 3


@pytest.mark.parametrize("objective", ["loss", "non-uniform-entropy", ["non-uniform-entropy", "loss"]])
def test_no_loss_tells_how_many_had_a_value_before(objective: Any) -> None:
    """A few of a value of their own, made coarser with all others: −Σ n·log2(n/N) has one solution for the few."""
    attributes = {"zip": {"role": "quasi-identifier", "hierarchy": "suppress"}, "dx": "sensitive"}
    policy = {"version": 1, "name": "p", "attributes": attributes, "requirements": [{"model": "k-anonymity", "k": 5}]}
    policy["remediation"] = {"suppression_limit": 0, "objective": objective}
    found = []
    for few in (1, 2, 3):
        table = pd.DataFrame({"zip": ["a"] * few + ["b"] * (100 - few) + ["c"] * 200, "dx": ["x", "y", "z"] * 100})
        found.append(remediate(table, policy).result)
    shown = [redact(each, Audience.PUBLIC).to_dict()["solution"] for each in found]
    assert len({str(each) for each in shown}) == 1
    assert len({str(redact(each, Audience.REVIEWER).to_dict()["solution"]) for each in found}) == 3
    assert shown[0]["losses"]["non-uniform-entropy"] is None
    assert shown[0]["losses"]["discernibility"] == 300 * 300
    assert (shown[0]["loss"] is None) == (objective != "loss")


def test_no_loss_tells_the_sizes_of_small_classes_of_a_release() -> None:
    """x² + (100 − x)² has one solution: a release that needs no class of k has no such loss on a public page."""
    shown = []
    for few in (2, 3):
        policy = POLICY | {
            "requirements": [{"model": "distinct-l-diversity", "sensitive": "diagnosis", "l": 2}],
            "remediation": {"suppression_limit": 0.5, "levels": {"age": {"max": 0}, "zip": {"max": 0}}},
        }
        shown.append(
            redact(remediate(table_of(("a", few), ("b", 100 - few)), policy).result, Audience.PUBLIC).to_dict()
        )
    assert shown[0]["after"]["classes"]["smallest"] is None
    assert len({str(each["solution"]) for each in shown}) == 1
    assert shown[0]["solution"]["losses"]["discernibility"] is None


def test_every_metric_says_what_it_is_worked_out_from() -> None:
    from auditor.remediate._losses import BASES, METRICS

    assert BASES.keys() == {*METRICS}
    assert {*BASES.values()} == {"levels", "suppressed", "classes", "values"}
