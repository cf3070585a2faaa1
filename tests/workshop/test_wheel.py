"""The wheel holds what a user needs and nothing else: a folder that is moved cannot silently fall out of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, requires
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from auditor.distribution import NAME, installation
from tests.workshop import pages
from tests.workshop.pages import ROOT
from tests.workshop.test_pages import RUN_BY_CI

pytestmark = pytest.mark.slow

GENERATED = {"__pycache__"}
INFORMATION = "disclosure_auditor-0.1.0.dist-info"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with the build tools of the development environment."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def listing(wheel: Path) -> set[str]:
    """The names in the wheel."""
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment that holds the wheel and what it asks for, and nothing else.

    The packages that it asks for are those of the development environment, so that no network is needed.
    """
    folder = tmp_path_factory.mktemp("bare")
    _environment(sys.executable, "-m", "venv", str(folder))
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in _asked_for(NAME, frozenset()) - {NAME}:
        found = distribution(name)
        for part in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (packages / part).exists():
                (packages / part).symlink_to(found.locate_file(part))
    python = str(folder / "bin" / "python")
    _environment(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel))
    _environment(python, "-m", "pip", "check")
    return folder / "bin"


def _asked_for(name: str, known: frozenset[str]) -> frozenset[str]:
    """A distribution and all that it needs, without extras."""
    known |= {canonicalize_name(name)}
    for text in requires(name) or ():
        asked = Requirement(text)
        wanted = asked.marker is None or asked.marker.evaluate({"extra": ""})
        if wanted and canonicalize_name(asked.name) not in known:
            known = _asked_for(asked.name, known)
    return known


def _environment(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command that knows nothing of the source's folder."""
    told = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(words, env=told, cwd=Path(words[0]).parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def _below(folder: Path) -> set[str]:
    files = (file for file in folder.rglob("*") if file.is_file() and not GENERATED & set(file.parts))
    return {file.relative_to(folder).as_posix() for file in files}


def test_every_file_of_the_package_is_in_it(listing: set[str]) -> None:
    assert {f"auditor/{name}" for name in _below(ROOT / "auditor")} <= listing


def test_the_starter_policies_are_in_it_with_their_hierarchies(listing: set[str]) -> None:
    shipped = {f"auditor/policies/{name}" for name in _below(ROOT / "policies")}
    assert shipped <= listing
    assert "auditor/policies/hipaa-safe-harbor.yaml" in shipped


def test_nothing_else_is_in_it(listing: set[str]) -> None:
    assert {name.split("/")[0] for name in listing} == {"auditor", INFORMATION}
    policies = {name for name in listing if name.startswith("auditor/policies/")}
    assert len(listing) == len(_below(ROOT / "auditor")) + len(policies) + len(
        [name for name in listing if ".dist-info/" in name]
    )


def test_the_licence_and_the_command_are_in_it(listing: set[str]) -> None:
    assert f"{INFORMATION}/licenses/LICENSE" in listing
    assert f"{INFORMATION}/entry_points.txt" in listing


def test_the_readmes_commands_run_in_a_bare_environment(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "README.md"
    monkeypatch.delenv("PYTHONPATH", raising=False)
    pages.write_files(page, tmp_path)
    listed = [command for command in pages.commands(page) if command.words not in RUN_BY_CI]
    assert {command.words.split()[1] for command in listed} >= {"lint", "check", "remediate"}
    pages.run(listed, tmp_path, bare)
    (program,) = (fence.text for fence in pages.fences(page) if fence.language == "python")
    script = tmp_path / "program.py"
    script.write_text(f"{program}\nprint(auditor.__file__)\n", encoding="utf-8")
    done = subprocess.run([bare / "python", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(bare.parent), "the package of the wheel, not the source"


def test_an_extra_that_is_missing_is_added_to_what_is_installed(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command of the message asks an index for the extra's packages, and for nothing of this project's name."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    program = "from auditor.masking.lossy_compression import _pillow; _pillow('jpeg')"
    done = subprocess.run([bare / "python", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert installation("imaging") in done.stderr
    words = f"{installation('imaging')} --no-index".replace("pip", f'"{bare / "python"}" -m pip', 1)
    done = subprocess.run(["bash", "-c", words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "No matching distribution found for pillow" in done.stderr


def test_the_page_of_installation_lists_every_extra() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    listed = {
        name: {each.strip() for each in brought.split(",")}
        for name, brought in re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", page, re.MULTILINE)
    }
    own = {"build", "demo", "dev", "docs"}
    assert listed == {
        name: {Requirement(each).name for each in asked} for name, asked in extras.items() if name not in own
    }
