"""The recipe "add a model" of CONTRIBUTING.md, followed in a copy of the project."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.workshop.conftest import Followed

pytestmark = pytest.mark.slow

NAME = "pair-anonymity"
FILE = Path("auditor/models/pair_anonymity.py")
TABLE = "age,sex\n30,F\n30,F\n40,M\n40,M\n40,M\n"
POLICY = """\
version: 1
name: recipe
attributes: {age: quasi-identifier, sex: quasi-identifier}
requirements: [{model: pair-anonymity, n: 5}]
"""


def _laws(copy: Followed) -> subprocess.CompletedProcess[str]:
    return copy.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/models/test_laws.py", "-k", NAME)


def test_explain_knows_the_model(followed: Followed) -> None:
    assert NAME in followed.auditor("explain").stdout
    explained = followed.auditor("explain", NAME).stdout
    assert "The least number of halves." in explained
    assert "stricter when higher" in explained


def test_the_schema_knows_the_model(followed: Followed) -> None:
    schema = json.loads(followed.auditor("schema").stdout)
    assert '"minimum": 2' in json.dumps(schema["$defs"]["PairAnonymity"]["properties"]["n"])


def test_a_policy_can_demand_the_model(followed: Followed, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    run = followed.auditor("check", "table.csv", "-p", "policy.yaml", "--format", "json", at=tmp_path)
    (judged,) = json.loads(run.stdout)["requirements"]
    assert run.returncode == 1
    assert (judged["model"], judged["status"], judged["achieved"], judged["bound"]) == (NAME, "fail", 4, 5)
    assert judged["records_violating"] == 2


def test_the_laws_are_held_over_the_model(followed: Followed) -> None:
    run = _laws(followed)
    assert run.returncode == 0, run.stdout
    assert "passed" in run.stdout


def test_a_model_that_lies_about_its_monotonicity_is_caught(followed: Followed, tmp_path: Path) -> None:
    """The same number, bounded from the other side: merging breaks it, though it is declared to keep it."""
    liar = tmp_path / "liar"
    shutil.copytree(followed.folder, liar)
    source = (liar / FILE).read_text(encoding="utf-8")
    (liar / FILE).write_text(source.replace('    bound_field = "n"', '    bound_field = "n"\n    comparison = "<="'))
    run = _laws(Followed(liar))
    assert run.returncode == 1, run.stdout
    assert "test_merging_keeps_the_model[pair-anonymity]" in run.stdout
