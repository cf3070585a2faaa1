"""docs/recipes.md with the real tools: what it says to type passes a table that meets the policy, and stops another.

The tools are in an environment of their own, `.venv/recipes`, which `make recipes` builds; the tests skip without it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workshop import pages
from tests.workshop.pages import ROOT

PAGE = ROOT / "docs" / "recipes.md"
TOOLS = Path(os.environ.get("AUDITOR_RECIPES", Path(sys.prefix) / "recipes")) / "bin"
SETTINGS = {
    "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "300",
    "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
    "DAGSTER_DISABLE_TELEMETRY": "1",
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "DO_NOT_TRACK": "1",
    "DVC_NO_ANALYTICS": "1",
    "GX_ANALYTICS_ENABLED": "false",
    "NO_COLOR": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",
}
"""Nothing is told to anybody, no examples are loaded, and a busy machine has time."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (TOOLS / "auditor").exists(), reason="the tools are not installed: make recipes"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the page, and a home in which the tools may leave what they like."""
    pages.write_files(PAGE, tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    places = {"HOME": home, "AIRFLOW_HOME": home / "airflow", "DAGSTER_HOME": home, "PREFECT_HOME": home / "prefect"}
    places["AIRFLOW__CORE__DAGS_FOLDER"] = tmp_path / "dags"
    for name, value in {**SETTINGS, **places, "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # tools start several times, and have many modules
    return tmp_path


def follow(heading: str, folder: Path) -> None:
    """Type what the page says under a heading, as `pages.run`, with the tools' own Python."""
    listed = pages.commands(PAGE, heading)
    assert listed
    for command in listed:
        code, printed = typed(command.words, folder)
        assert code == 0, f"{command.words}: exit code {code}\n{printed}"
        problem = pages.differs(command.printed, printed) if command.printed else ""
        assert not problem, f"{command.words}: {problem}"


def typed(words: str, folder: Path) -> tuple[int, str]:
    """The exit code of a command, and all that it prints."""
    shown = subprocess.run(["bash", "-c", words], cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    return shown.returncode, shown.stdout + shown.stderr


def without_a_record(folder: Path) -> None:
    """The table less a record, so that a class has two members."""
    lines = (folder / "stays.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "stays.csv").write_text("".join(lines[:-1]), encoding="utf-8")


@pytest.mark.parametrize(
    ("heading", "again", "said"),
    [
        ("Airflow", "airflow dags test publish", "policy clinic: fail (k-anonymity)"),
        ("Dagster", "python publish_dagster.py", "1 blocking asset check failed"),
        ("Prefect", "python publish_prefect.py", "policy clinic: fail (k-anonymity)"),
        ("DVC", "dvc repro", "✗  k-anonymity"),
        ("Great Expectations", "python expect_policy.py", '"observed_value": "fail"'),
    ],
)
def test_what_does_not_meet_the_policy_is_stopped(heading: str, again: str, said: str, folder: Path) -> None:
    assert again in {command.words for command in pages.commands(PAGE, heading)}
    follow(heading, folder)
    (folder / "published.csv").unlink(missing_ok=True)
    without_a_record(folder)
    code, printed = typed(again, folder)
    assert code != 0
    assert said in printed
    assert "publishing stays.csv" not in printed
    assert not (folder / "published.csv").exists()


WIDENED = "select * from {{ ref('stays') }} union all select * from {{ ref('stays') }}"


def test_dbt_judges_a_model(folder: Path) -> None:
    """Fewer records fail a requirement; a column that the policy does not name fails though none is counted."""
    follow("dbt", folder)
    without_a_record(folder)
    schema = folder / "models" / "schema.yml"
    more = "  - {name: doubled, data_tests: [meets_clinic]}\n  - {name: widened, data_tests: [meets_clinic]}\n"
    schema.write_text(schema.read_text(encoding="utf-8") + more, encoding="utf-8")
    (folder / "models" / "doubled.sql").write_text(WIDENED, encoding="utf-8")
    (folder / "models" / "widened.sql").write_text(WIDENED.replace("*", "*, 'it''s' as \"it's\""), encoding="utf-8")
    (folder / "models" / "behind.sql").write_text("select * from {{ ref('released') }}", encoding="utf-8")
    code, printed = typed("cp stays.csv seeds/ && dbt build", folder)
    assert code != 0
    for line in ("FAIL 1 meets_clinic_released_", "PASS meets_clinic_doubled_", "FAIL 1 meets_clinic_widened_"):
        assert line in printed, printed
    assert "SKIP relation main.behind" in printed


def test_the_contract_is_one_of_the_standard(folder: Path) -> None:
    pages.write_files(ROOT / "docs" / "contracts.md", folder)
    code, printed = typed("datacontract lint contract.yaml", folder)
    assert code == 0, printed
    assert "valid against ODCS v3.1.0" in printed
