"""docs/recipes.md tells what was tried: every tool that is installed for it, and its version."""

from __future__ import annotations

import re
from pathlib import Path

from tests.workshop.pages import ROOT

PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
TOOLS = {
    "apache-airflow": "Airflow",
    "dagster": "Dagster",
    "datacontract-cli": "Data Contract CLI",
    "dbt-core": "dbt-core",
    "dbt-duckdb": "dbt-duckdb",
    "dvc": "DVC",
    "great-expectations": "Great Expectations",
    "prefect": "Prefect",
}
"""How the page calls what is installed."""


def lines(file: str) -> list[str]:
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_the_page_names_what_is_installed() -> None:
    assert {re.split("[<>=]", line)[0] for line in lines("requirements.in")} == set(TOOLS)


def test_the_page_names_the_versions_that_are_installed() -> None:
    pinned = dict(line.split(" ")[0].split("==") for line in lines("requirements.txt"))
    told = " ".join(PAGE.partition("These versions were tried")[2].partition("Not tried:")[0].split())
    for package, tool in TOOLS.items():
        assert f"{tool} {'.'.join(pinned[package].split('.')[:2])}" in told
