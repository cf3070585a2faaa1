"""Spark on executors of its own: killed in mid-run, robbed of their files; half of the rows are one class."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests import cluster, spark

pytestmark = spark.GROUP

ROWS = 20_000
POLICY = {
    "version": 1,
    "name": "struck",
    "attributes": {"a": "quasi-identifier", "b": "quasi-identifier", "s": "sensitive"},
    "requirements": [
        {"model": "k-anonymity", "k": 7},
        {"model": "entropy-l-diversity", "sensitive": "s", "l": 2},
    ],
}


@pytest.fixture(scope="module")
def policy(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("struck") / "policy.yaml"
    path.write_text(json.dumps(POLICY))
    return path


@pytest.fixture(scope="module")
def data(policy) -> str:
    """Several groups of rows, so several tasks; a has so many values that the driver of the tests takes it for many."""
    path = policy.parent / "people.parquet"
    duckdb.sql(
        f"""COPY (SELECT CASE WHEN range % 2 = 0 THEN 0 ELSE range % 1000 END AS a,
                         CASE WHEN range % 2 = 0 THEN 0 ELSE range * 7 % 30 END AS b, range * 13 % 5 AS s
                  FROM range({ROWS})) TO '{path}' (ROW_GROUP_SIZE 5000)"""
    )
    return str(path)


@pytest.fixture(scope="module")
def expected(data, policy) -> dict[str, Any]:
    found = told(cluster.shared().audit(data, policy, engine="duckdb"))
    assert found["classes"]["largest"] == ROWS // 2, "no class has half of the rows"
    return found


def told(found: dict[str, Any]) -> dict[str, Any]:
    """The document without what names the engine, and without times."""
    return {name: value for name, value in found["document"].items() if name not in ("work", "reproduce")}


@pytest.mark.parametrize("strike", ["executor", "shuffle files"])
def test_what_is_lost_is_computed_again_and_gives_the_same_document(strike, data, policy, expected):
    found = cluster.shared().audit(data, policy, strike=strike)
    assert found["struck"] == 1
    assert found["again"] > 0, "Spark did not miss what was lost"
    assert (found["code"], found["told"]) == (1, "")
    assert told(found) == expected


def test_executors_without_a_folder_for_their_files_are_an_error(data, policy):
    found = cluster.shared().audit(data, policy, strike="folders")
    assert found["struck"] == 1
    assert (found["code"], found["document"]) == (3, None)
    assert "an executor of Spark has lost the folder of its temporary files" in found["told"]


def test_executors_that_end_again_and_again_are_an_error(data, tmp_path):
    """The last test of the cluster: it takes long until there are executors again."""
    alone = {**POLICY, "attributes": {"a": "quasi-identifier"}, "undeclared": "insensitive"}
    (tmp_path / "p.yaml").write_text(json.dumps({**alone, "requirements": POLICY["requirements"][:1]}))
    found = cluster.shared().audit("table:struck", tmp_path / "p.yaml", strike="every executor", view=data)
    assert found["struck"] > 1
    assert (found["code"], found["document"]) == (3, None)
    assert "an executor of Spark ended and could not be replaced" in found["told"]
