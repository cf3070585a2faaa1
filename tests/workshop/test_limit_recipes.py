"""The recipes "add a query limit" and "add an output limit" of CONTRIBUTING.md, followed in a copy of the project."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workshop import pages
from tests.workshop.pages import ROOT, fences

pytestmark = pytest.mark.slow

HOMES = {
    "class Limits(Block):": "auditor/policy/queries.py",
    "class RegressionLimits(OutputRule):": "auditor/policy/outputs/statistics.py",
    "def check(output: Regression,": "auditor/outputs/checks/regression.py",
}
"""How the recipes' fences begin that show a part of a file, and the file that each is a part of."""
POLICY = """\
version: 1
name: recipe
attributes: {age: quasi-identifier, pay: {role: sensitive, type: number}}
queries: {limits: {max_selected: 3}}
outputs: [{type: regression, min_records: 30}]
"""
TABLE = "age,pay\n" + "".join(f"{30 + i // 4},{100 * i}\n" for i in range(6))
LOG = "SELECT sum(pay) FROM data WHERE age = 31;\nSELECT sum(pay) FROM data;\n"
MODEL = {"type": "regression", "records": 29, "terms": [{"name": "Intercept"}]}
TESTS = """\
policy: p.yaml
tests:
  - {name: four, data: t.csv, sql: SELECT sum(pay) FROM data WHERE age = 30, expect: {fails: [queries-selected]}}
  - {name: a model, output: model.json, expect: {fails: [regression-min-records]}}
"""
SECTION = """
## max-selected

<!-- generated: max-selected -->
<!-- end -->

**Definition.** A single query selects more records than the bound.

**At the edges.** Exactly so many records are allowed.

**Attacker.** Somebody who compares a large sum with small ones.

```yaml
attributes: {age: quasi-identifier, pay: {role: sensitive, type: number}}
queries: {limits: {max_selected: 3, exact_value: allow}}
tests:
  - name: four records
    csv: |
      age,pay
      30,100
      30,200
      30,300
      30,400
    sql: SELECT sum(pay) FROM data
    expect: {fails: [queries-selected], achieved: {queries-selected: 4}}
```
"""


class Copy:
    """A copy of the project in which both recipes were followed, and a folder with a policy of the new limits."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.work = folder / "work"
        for name in ("auditor", "tests", "policies", "docs"):
            shutil.copytree(ROOT / name, self.project / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "CONTRIBUTING.md"):
            shutil.copy(ROOT / name, self.project)
        pages.write_files(ROOT / "CONTRIBUTING.md", self.project)
        for fence in fences(ROOT / "CONTRIBUTING.md"):
            home = next((file for begins, file in HOMES.items() if fence.text.startswith(begins)), None)
            if home is not None:
                put(fence.text, self.project / home)
        self.work.mkdir()
        files = {"p.yaml": POLICY, "t.csv": TABLE, "log.sql": LOG, "model.json": json.dumps(MODEL)}
        for name, text in (files | {"p_test.yaml": TESTS}).items():
            (self.work / name).write_text(text, encoding="utf-8")

    def python(self, *words: str, at: Path | None = None) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": f"{self.project}", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}
        return subprocess.run(
            [sys.executable, *words],
            cwd=at or self.project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def auditor(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.python("-P", "-m", "auditor", *words, at=self.work)


def put(shown: str, file: Path) -> None:
    """Put what a fence shows behind ``...`` at the end of the class or function, before a last line that it repeats."""
    head, *others = ast.parse(shown).body
    assert isinstance(head, ast.ClassDef | ast.FunctionDef)
    lines, text = shown.splitlines(), file.read_text(encoding="utf-8")
    added = lines[lines.index("    ...") + 1 : head.end_lineno]
    there = next(each for each in ast.parse(text).body if getattr(each, "name", None) == head.name)
    assert isinstance(there, ast.ClassDef | ast.FunctionDef)
    assert there.end_lineno is not None
    written = text.splitlines()
    last = there.end_lineno - (added[-1] == written[there.end_lineno - 1])
    whole = [*written[:last], *added, *written[there.end_lineno :], *lines[head.end_lineno or 0 :]]
    assert others or added
    file.write_text("\n".join(whole) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("limits"))


@pytest.mark.parametrize(
    ("words", "name", "finding"),
    [
        (("queries", "log.sql", "-d", "t.csv"), "queries-selected", "Some queries select more records than the policy"),
        (("outputs", "model.json"), "regression-min-records", "The model is fitted to too few records"),
    ],
)
def test_every_format_tells_of_the_limit(copy: Copy, words: tuple[str, ...], name: str, finding: str) -> None:
    formats = copy.python("-c", "from auditor.report.formats import FORMATS; print(*FORMATS)").stdout.split()
    reports = [word for each in formats for word in ("--report", f"{each}=report.{each}")]
    run = copy.auditor(*words, "-p", "p.yaml", "--audience", "internal", *reports)
    assert run.returncode == 1, run.stderr
    assert {"text", "json", "html", "sarif", "junit"} <= set(formats)
    for each in formats:
        shown = (copy.work / f"report.{each}").read_text(encoding="utf-8")
        assert name in shown or finding in shown, each
    (judged,) = (r for r in json.loads((copy.work / "report.json").read_text())["requirements"] if r["id"] == name)
    assert (judged["status"], judged["achieved"], judged["bound"]) == (
        ("fail", 6, 3) if words[0] == "queries" else ("fail", 29, 30)
    )


def test_a_limit_is_decided_before_answers(copy: Copy) -> None:
    run = copy.auditor("queries", "log.sql", "-d", "t.csv", "-p", "p.yaml", "--online", "--format", "json")
    assert [each["violations"] for each in json.loads(run.stdout)["queries"]] == [[], ["selected"]]


def test_explain_lint_diff_and_waivers_know_the_limits(copy: Copy) -> None:
    assert "docs/limits/queries.md#max-selected" in copy.auditor("explain", "max-selected").stdout
    assert "A model is fitted to too few records." in copy.auditor("explain", "min-records").stdout
    weaker = POLICY.replace("max_selected: 3", "max_selected: 4").replace("min_records: 30", "min_records: 2")
    (copy.work / "weaker.yaml").write_text(weaker, encoding="utf-8")
    told = copy.auditor("diff", "p.yaml", "weaker.yaml").stdout
    assert "queries/limits/max_selected" in told
    assert "outputs/regression/min_records" in told
    assert "min_records: 2 protects hardly anybody" in copy.auditor("lint", "weaker.yaml").stdout
    waiver = "requirement: queries-selected, reason: a yearly total, owner: a, approved_by: b, expires: 2027-01-01"
    (copy.work / "waived.yaml").write_text(f"{POLICY}waivers: [{{{waiver}}}]\n", encoding="utf-8")
    run = copy.auditor(
        "queries", "log.sql", "-d", "t.csv", "-p", "waived.yaml", "--as-of", "2026-12-01", "--format", "json"
    )
    assert [each["status"] for each in json.loads(run.stdout)["requirements"]] == ["pass", "waived"], run.stderr


def test_a_policys_tests_notice_the_limits(copy: Copy) -> None:
    found = json.loads(copy.auditor("test", "--coverage", "--format", "json").stdout)
    assert all(each["passed"] for each in found["tests"])
    noticed = {each["requirement"]: each["noticed_by"] for each in found["mutants"]}
    assert noticed["queries-selected"] == "p_test.yaml: four"
    assert noticed["regression-min-records"] == "p_test.yaml: a model"


def test_what_is_generated_and_the_laws_know_the_limits(copy: Copy) -> None:
    page = copy.project / "docs" / "limits" / "queries.md"
    page.write_text(page.read_text(encoding="utf-8") + SECTION, encoding="utf-8")
    for generator in ("auditor.policy.generate", "tests.policy.pages"):
        run = copy.python("-m", generator)
        assert run.returncode == 0, run.stderr
    assert '"max_selected"' in (copy.project / "auditor/policy/schema.json").read_text(encoding="utf-8")
    assert "`queries-selected`, of model `selected`" in page.read_text(encoding="utf-8")
    assert "queries.md#max-selected" in page.with_name("README.md").read_text(encoding="utf-8")
    tests = ["tests/policy/test_limit_pages.py", "tests/testing/test_limits.py", "tests/queries/test_measures.py"]
    chosen = ["-k", "max-selected or max_selected or every_measure"]
    run = copy.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, *chosen)
    assert run.returncode == 0, run.stdout
