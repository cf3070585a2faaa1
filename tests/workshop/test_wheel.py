"""The wheel holds what a user needs and nothing else: a folder that is moved cannot silently fall out of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.workshop.pages import ROOT

pytestmark = pytest.mark.slow

GENERATED = {"__pycache__"}


@pytest.fixture(scope="module")
def listing(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in the wheel, built with the build tools of the development environment."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


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
    assert {name.split("/")[0] for name in listing} == {"auditor", "disclosure_auditor-0.1.0.dist-info"}
    policies = {name for name in listing if name.startswith("auditor/policies/")}
    assert len(listing) == len(_below(ROOT / "auditor")) + len(policies) + len(
        [name for name in listing if ".dist-info/" in name]
    )


def test_the_licence_and_the_command_are_in_it(listing: set[str]) -> None:
    assert "disclosure_auditor-0.1.0.dist-info/licenses/LICENSE" in listing
    assert "disclosure_auditor-0.1.0.dist-info/entry_points.txt" in listing
