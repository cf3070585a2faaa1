"""What is written is read again with the verdict that was reported, in every format that can be written."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import auditor
from tests.engines.test_one_verdict import NAMES, Judged, expected, same, tables
from tests.engines.values import KINDS
from tests.engines.writers import FORMATS, Table

TARGETS = ("r.csv", "r.tsv.gz", "r.jsonl", "r.parquet")
READ = ("CSV", "JSON lines", "Parquet", "Feather", "pandas", "SQLite")
SOURCES = [each for each in FORMATS if each.name in READ]
ROUNDED = {".jsonl": {"long decimal", "wide decimal"}, ".parquet": {"duration"}}
"""Kinds of which a format holds less than the table: numbers of JSON are doubles, intervals of Parquet milliseconds."""


def policy(**more: Any) -> dict[str, Any]:
    return {
        "attributes": {"a": "quasi-identifier", "b": "quasi-identifier", "s": "sensitive"},
        "requirements": [
            {"model": "k-anonymity", "k": 2},
            {"model": "distinct-l-diversity", "l": 1},
            {"model": "t-closeness", "t": 1, "ground": "equal"},
        ],
        **more,
    }


def judged(result: Any) -> Judged:
    return [(str(each.status), each.achieved) for each in result.requirements if each.id != "identifiers"]


def without_small_classes(table: Table) -> Table:
    """The rows whose quasi-identifiers somebody else shares."""
    kinds = list(table.kinds.values())
    told = [tuple(kind.means(value) for kind, value in zip(kinds[:2], row, strict=False)) for row in table.rows]
    kept = [row for row, each in zip(table.rows, told, strict=True) if Counter(told)[each] > 1]
    return Table(table.kinds, dict(zip(NAMES, zip(*kept, strict=True), strict=True)))


def with_a_pair(table: Table) -> Table:
    """The table with its first record twice, so that something can be released."""
    return Table(table.kinds, {name: [*column, column[0]] for name, column in table.columns.items()})


TYPED = [each for each in KINDS if each.arrow is not None]


@pytest.mark.slow
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), kind=st.sampled_from(TYPED), form=st.sampled_from(SOURCES), target=st.sampled_from(TARGETS))
def test_a_remediated_release_is_read_as_it_was_judged(data, kind, form, target):
    table = with_a_pair(data.draw(tables(kind)))
    if not form.holds(table):
        return
    left = without_small_classes(table)
    wanted = [("pass", number) for _, number in expected(left, "value")]
    told = policy(remediation={"suppression_limit": 1})
    with tempfile.TemporaryDirectory() as name:
        release = Path(name) / target
        done = auditor.remediate(form.write(Path(name), table), told, output=release)
        again = auditor.check(release, told)
    assert judged(again) == judged(done.result)
    assert again.data.rows == len(left.rows)
    if kind.name not in ROUNDED.get(release.suffix, set()):
        assert same(judged(again), wanted)


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), kind=st.sampled_from(TYPED), form=st.sampled_from(SOURCES), target=st.sampled_from(TARGETS))
def test_a_masked_release_is_read_as_it_was_judged(data, kind, form, target):
    table = with_a_pair(data.draw(tables(kind)))
    if not form.holds(table):
        return
    told = policy(protection=[{"method": "local-suppression", "attributes": ["a", "b"], "k": 2}])
    told["attributes"]["a"] = {"role": "quasi-identifier", "type": "category"}  # large integers are no doubles
    with tempfile.TemporaryDirectory() as name:
        release = Path(name) / target
        done = auditor.mask(form.write(Path(name), table), told, output=release)
        again = auditor.check(release, told) if release.exists() else None
    assert again is None or judged(again) == judged(done.result)
