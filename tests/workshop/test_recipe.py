"""The recipe "add a model" of CONTRIBUTING.md, followed in a copy of the project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workshop import pages
from tests.workshop.pages import ROOT

pytestmark = pytest.mark.slow

NAME = "pair-anonymity"
FILE = Path("auditor/models/pair_anonymity.py")
AUDITOR = ["-c", "from auditor.cli import main; main()"]
TABLE = "age,sex\n30,F\n30,F\n40,M\n40,M\n40,M\n"
POLICY = """\
version: 1
name: recipe
attributes: {age: quasi-identifier, sex: quasi-identifier}
requirements: [{model: pair-anonymity, n: 5}]
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the recipe's model in it."""
    folder = tmp_path_factory.mktemp("recipe")
    for name in ("auditor", "tests", "policies"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    pages.write_files(ROOT / "CONTRIBUTING.md", folder)
    assert (folder / FILE).is_file()
    assert _python(folder, "-m", "auditor.policy.generate").returncode == 0
    return folder


def _python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def _laws(folder: Path) -> subprocess.CompletedProcess[str]:
    return _python(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/models/test_laws.py", "-k", NAME)


def test_explain_knows_the_model(copy: Path) -> None:
    assert NAME in _python(copy, *AUDITOR, "explain").stdout
    explained = _python(copy, *AUDITOR, "explain", NAME).stdout
    assert "The least number of halves." in explained
    assert "stricter when higher" in explained


def test_the_schema_knows_the_model(copy: Path) -> None:
    schema = json.loads(_python(copy, *AUDITOR, "schema").stdout)
    assert '"minimum": 2' in json.dumps(schema["$defs"]["PairAnonymity"]["properties"]["n"])


def test_a_policy_can_demand_the_model(copy: Path) -> None:
    (copy / "table.csv").write_text(TABLE, encoding="utf-8")
    (copy / "policy.yaml").write_text(POLICY, encoding="utf-8")
    run = _python(copy, *AUDITOR, "check", "table.csv", "-p", "policy.yaml", "--format", "json")
    (judged,) = json.loads(run.stdout)["requirements"]
    assert run.returncode == 1
    assert (judged["model"], judged["status"], judged["achieved"], judged["bound"]) == (NAME, "fail", 4, 5)
    assert judged["records_violating"] == 2


def test_the_laws_are_held_over_the_model(copy: Path) -> None:
    run = _laws(copy)
    assert run.returncode == 0, run.stdout
    assert "passed" in run.stdout


def test_a_model_that_lies_about_its_monotonicity_is_caught(copy: Path, tmp_path: Path) -> None:
    """The same number, bounded from the other side: merging breaks it, though it is declared to keep it."""
    liar = tmp_path / "liar"
    shutil.copytree(copy, liar)
    source = (liar / FILE).read_text(encoding="utf-8")
    (liar / FILE).write_text(source.replace('    bound_field = "n"', '    bound_field = "n"\n    comparison = "<="'))
    run = _laws(liar)
    assert run.returncode == 1, run.stdout
    assert "test_merging_keeps_the_model[pair-anonymity]" in run.stdout
