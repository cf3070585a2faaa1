"""No release lists a value that no row of it holds: of a suppressed record, of a generalized one, or of none."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pyarrow.parquet as pq
import pytest

import auditor
from auditor.policy.remediation import LOCAL, Search
from tests.categories import KINDS, NEVER, table, unheld, unheld_in, written

ROWS: dict[str, list[str | None]] = {
    "zip": ["0211"] * 6 + ["0212"] * 6 + ["9RARE", "8RARE", "7RARE"],
    "dx": [*["flu", "none", "cold"] * 4, "1SUPPRESSED", "2SUPPRESSED", "3SUPPRESSED"],
    "beside": [*["a", "b", None] * 4, "4SUPPRESSED", "5SUPPRESSED", None],
}
"""Fifteen records, the last three of which are alone."""
POLICY: dict[str, Any] = {
    "version": 1,
    "name": "of-categories",
    "attributes": {
        "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}},
        "dx": "sensitive",
        "beside": "insensitive",
    },
    "requirements": [{"model": "k-anonymity", "k": 3}],
}
MODES = [{"search": search} for search in get_args(Search) if search not in ("mage", "mdav")]
MODES += [{"search": "optimal", "suppress": "star"}]


def policy(mode: dict[str, Any]) -> dict[str, Any]:
    levels = {} if mode["search"] in LOCAL else {"levels": {"zip": {"max": 1}}}
    return POLICY | {"remediation": {"suppression_limit": {"records": 3}, **levels, **mode}}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: " ".join(mode.values()))
def test_a_release_lists_what_it_holds(kind: str, mode: dict[str, Any], tmp_path: Path) -> None:
    target = tmp_path / "release.parquet"
    done = auditor.remediate(table(kind, ROWS), policy(mode), output=target)
    assert done.passed
    assert not any(unheld_in(target).values())
    assert not any(unheld(done.data, tmp_path).values())


def test_columns_that_are_released_as_they_are_keep_their_order_of_categories() -> None:
    given = pd.DataFrame(
        {
            "zip": pd.Categorical(ROWS["zip"]),
            "dx": pd.Categorical(
                ROWS["dx"], ["none", "3SUPPRESSED", "2SUPPRESSED", "flu", "1SUPPRESSED", "cold", NEVER], ordered=True
            ),
            "beside": pd.Categorical([*[2.5, 1.0, None] * 4, 7.0, 8.0, 9.0], [9.0, 8.0, 7.0, 2.5, 1.0]),
        }
    )
    found = auditor.remediate(given, policy({"search": "optimal"})).data
    assert found["dx"].dtype == pd.CategoricalDtype(["none", "flu", "cold"], ordered=True)
    assert found["beside"].dtype == pd.CategoricalDtype([2.5, 1.0])
    assert found["dx"].value_counts().to_dict() == {"flu": 4, "none": 4, "cold": 4}
    assert found["beside"].isna().sum() == 4


@pytest.mark.parametrize("source", ["parquet", "csv"])
def test_a_file_written_from_a_file_counts_and_lists_what_it_holds(source: str, tmp_path: Path) -> None:
    """Columns of few texts are sorted as enumerations, of all values that the source has."""
    given = table("pandas", ROWS)
    data, target = tmp_path / f"data.{source}", tmp_path / "release.parquet"
    given.to_parquet(data) if source == "parquet" else given.to_csv(data, index=False)
    assert auditor.remediate(data, policy({"search": "optimal"}), output=target).passed
    assert not any(unheld_in(target).values())
    released = pq.read_table(target).to_pydict()
    assert sorted(set(released["dx"])) == ["cold", "flu", "none"]


@pytest.mark.parametrize("output", ["release.parquet", "release.jsonl", "release.csv"])
def test_no_byte_of_what_a_dictionary_lists_and_no_row_holds(output: str, tmp_path: Path) -> None:
    for place, data in enumerate(written(tmp_path / "in", ROWS)):
        target = tmp_path / f"{place}-{output}"
        assert auditor.remediate(data, policy({"search": "optimal"}), output=target).passed
        assert not any(text in target.read_bytes() for text in (NEVER.encode(), b"SUPPRESSED", b"RARE")), data.name


@pytest.mark.parametrize("audience", ["public", "reviewer", "internal"])
def test_no_report_lists_the_values_of_a_type(audience: str) -> None:
    given = table("pandas", ROWS | {"note": ["it's a (note)', 'or", *["n"] * 14]})
    policy = POLICY | {"attributes": POLICY["attributes"] | {"note": "insensitive"}}
    shown = auditor.check(given, policy).to_html(audience)
    assert not any(text in shown for text in (NEVER, "4SUPPRESSED", "it&#39;s", "it's a (note", "', 'or"))
    assert [each.type for each in auditor.check(given, policy).data.column_roles] == ["enum"] * 4
