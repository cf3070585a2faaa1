"""Names that may be values of the data are shown by their place below the internal audience, in every format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.errors import without_partitions
from auditor.report import redact, render
from auditor.report.gate import _release as redact_release
from auditor.report.names import placed
from auditor.report.rendered import FORMATS
from auditor.result import Audience, Strictness
from auditor.result.comparison import Difference
from auditor.result.gate import Change, GateFile, GateStatus, ReleaseResult

BELOW = (Audience.PUBLIC, Audience.REVIEWER)
POLICY: dict[str, Any] = {
    "version": 1,
    "name": "p",
    "attributes": {"age": "quasi-identifier", "dx": "sensitive", "salary": {"role": "sensitive", "type": "number"}},
    "requirements": [{"model": "k-anonymity", "k": 2}],
}


def pages(result: Any, audience: Audience) -> str:
    """Every format of a result, one after the other."""
    document = redact(result, audience)
    return "\n".join(str(render(document, format_)) for format_ in FORMATS) + repr(result)


def test_columns_that_the_policy_does_not_name() -> None:
    data = pd.DataFrame({"age": [1, 1], "Maria Huber": [1, 2], "dx": ["x", "y"], "salary": [1, 2], "C50.9": [1, 2]})
    result = auditor.check(data, POLICY)
    for audience in BELOW:
        page = pages(result, audience)
        assert "Huber" not in page
        assert "C50.9" not in page
        document = redact(result, audience).to_dict()
        assert document["requirements"][0]["columns"] == ["column 2", "column 5"]
    assert "Maria Huber" in render(redact(result, Audience.INTERNAL), "text")


def test_users_of_a_log(tmp_path: Path) -> None:
    staff = pd.DataFrame({"id": range(6), "dept": list("aaabbb"), "salary": [3, 5, 9, 4, 4, 8]})
    attributes = {"id": "identifier", "dept": "quasi-identifier", "salary": {"role": "sensitive", "type": "number"}}
    queries = {"table": "staff", "key": "id", "limits": {"exact_value": "deny"}, "assume": {"insiders": {"eve": ["4"]}}}
    policy = {"version": 1, "name": "p", "attributes": attributes, "queries": queries}
    log = tmp_path / "log.sql"
    log.write_text(
        "-- user: huber\nSELECT sum(salary) FROM staff;\n"
        "-- user: maier\nSELECT sum(salary) FROM staff WHERE id <> 3;\n-- user: eve\nSELECT max(salary) FROM staff;\n",
        encoding="utf-8",
    )
    result = auditor.audit_queries(log, policy, staff)
    document = redact(result, Audience.REVIEWER).to_dict()
    assert document["log"]["users"] == ["user 1", "user 2", "user 3"]
    assert [query["user"] for query in document["queries"]] == ["user 1", "user 2", "user 3"]
    assert {user for found in document["disclosures"] for user in found["users"]} <= {"user 1", "user 2", "user 3"}
    for audience in BELOW:
        shown = redact(replace(result, policy=replace(result.policy, text=None)), audience)
        page = "\n".join(str(render(shown, format_)) for format_ in FORMATS)
        for name in ("huber", "maier"):
            assert name not in page
    assert "huber" in render(redact(result, Audience.INTERNAL), "text")
    assert placed(placed(result)) == placed(result)


def test_folders_of_partitions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "out" / "dx=HIV"
    folder.mkdir(parents=True)
    (folder / "part.csv").write_text("age,salary\n1,2\n1,3\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    attributes = {"age": "quasi-identifier", "salary": "sensitive"}
    result = auditor.check("out/dx=HIV/part.csv", {**POLICY, "attributes": attributes})
    for audience in BELOW:
        assert "HIV" not in pages(result, audience)
        assert redact(result, audience).to_dict()["data"]["source"] == "out/dx=…/part.csv"


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("out/a=1/b=x y/part.parquet", "out/a=…/b=…/part.parquet"),
        ("out/a=1", "out/a=…"),
        ("postgresql://server/db?table=people", "postgresql://server/db?table=people"),
        ("release.csv", "release.csv"),
        ("out/=x/part.csv", "out/=x/part.csv"),
    ],
)
def test_the_values_of_partitions_are_left_out(path: str, shown: str) -> None:
    assert without_partitions(path) == shown


@given(st.lists(st.text("abcXYZ", min_size=1, max_size=5), min_size=1, max_size=4), st.text("HIV", min_size=3))
def test_no_value_of_a_partition_is_left(keys: list[str], value: str) -> None:
    path = "/".join(f"{key}=SECRET{value}" for key in keys) + "/part.parquet"
    assert "SECRET" not in without_partitions(path)


def test_a_gate_keeps_the_keys_of_partitions_alone() -> None:
    file = GateFile(role="data", name="out/dx=HIV/part.csv", sha256="0" * 64)
    change = Difference(
        path="releases/clinic/data",
        old=["out/dx=HIV/part.csv", "out/dx=flu/part.csv"],
        new=["out/dx=flu/part.csv"],
        old_origin=None,
        new_origin=None,
        direction="superset",
        verdict=Strictness.WEAKER,
        note="files that are no longer judged",
    )
    release = ReleaseResult(
        name="clinic",
        status=GateStatus.WEAKENED,
        why="less is judged",
        presence=Change.CHANGED,
        files=(file,),
        changes=(change,),
    )
    for audience in BELOW:
        shown = redact_release(release, audience)
        assert "HIV" not in str(shown)
        assert "flu" not in str(shown)
        assert shown.files[0].name == "out/dx=…/part.csv"
    assert "HIV" in str(redact_release(release, Audience.INTERNAL))
