"""The house's architecture, held by machines: floors of imports, and what is not loaded until it is used."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.workshop.pages import ROOT

LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")
DATAFRAMES = {"duckdb", "pandas", "polars", "pyarrow", "numpy", "scipy"}


def _contracts(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False)


def test_the_contracts_hold() -> None:
    checked = _contracts(ROOT)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "line", "broken"),
    [
        ("auditor/errors.py", "import auditor.classes", "Floors: imports point down only BROKEN"),
        ("auditor/policy/packs.py", "import auditor.audit", "Floors: imports point down only BROKEN"),
        ("auditor/models/max_risk.py", "import auditor.engines", "Models know no engine and no report BROKEN"),
        ("auditor/report/json.py", "import auditor.models", "The report imports results and errors alone BROKEN"),
        ("auditor/attic.py", "import auditor.errors", "Floors: imports point down only BROKEN"),
    ],
)
def test_a_wrong_import_or_a_room_without_a_floor_is_caught(file: str, line: str, broken: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "auditor", tmp_path / "auditor", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / file).open("a", encoding="utf-8") as source:
        source.write(f"\n{line}\n")
    checked = _contracts(tmp_path)
    assert checked.returncode == 1
    assert broken in checked.stdout


def test_no_files_import_each_other_in_a_circle() -> None:
    """Not inside functions and not for type checkers alone either: what knows each other is one file."""
    files = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in (ROOT / "auditor").rglob("*.py")}
    modules = {name.removesuffix(".__init__"): file for name, file in files.items()}
    known = {
        module: {
            imported if (imported := f"{node.module}.{each.name}") in modules else str(node.module)
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("auditor")
            for each in node.names
        }
        for module, file in modules.items()
    }
    try:
        list(TopologicalSorter(known).static_order())
    except CycleError as circle:
        pytest.fail(" → ".join(circle.args[1]))


def test_no_room_has_forty_files() -> None:
    """What so many have in common, some have to themselves: a room of their own."""
    rooms = [folder for folder in (ROOT / "auditor").rglob("*") if (folder / "__init__.py").is_file()]
    assert rooms
    assert {folder.name for folder in rooms if len(list(folder.glob("*.py"))) >= 40} == set()


def test_the_map_of_the_house_has_every_room() -> None:
    shown = re.findall(r"`auditor/(\w+)/`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert {file.parent.name for file in (ROOT / "auditor").glob("*/__init__.py")} <= set(shown)


def _loaded(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "statement",
    [
        "import auditor",
        "from auditor.cli import invoke; invoke(['--help'])",
        "from auditor.cli import invoke; invoke(['schema'])",
    ],
)
def test_no_dataframe_library_is_loaded_before_it_is_used(statement: str) -> None:
    assert not _loaded(statement) & DATAFRAMES


def test_duckdb_loads_no_spark_and_no_other_dataframe() -> None:
    loaded = _loaded("import auditor.engines.duckdb")
    assert "duckdb" in loaded
    assert not loaded & {"pyspark", "polars", "pyarrow"}
