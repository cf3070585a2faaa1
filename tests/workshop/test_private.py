"""A leading underscore means something: nobody outside a folder imports what it hides there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from auditor import models
from tests.test_registry import PROTOCOLS
from tests.workshop.pages import ROOT

DOORS = frozenset({*PROTOCOLS, models.__name__})
"""Rooms in which a name without an underscore is a model, a reader or a check that is found by it."""


def reached(tree: ast.AST, package: str) -> Iterator[str]:
    """The modules that a file of a package imports, and that are private to a folder in which it does not stand."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                paths = [each.name for each in names]
            case ast.ImportFrom(str(module), names):
                paths = [module, *(f"{module}.{each.name}" for each in names)]
            case _:
                continue
        for path in paths:
            parts = path.split(".")
            at = next((at for at, part in enumerate(parts) if part.startswith("_")), None)
            owner = ".".join(parts[:at])
            if at is None or owner in DOORS or not (ROOT / owner.replace(".", "/") / f"{parts[at]}.py").is_file():
                continue
            if not f"{package}.".startswith(f"{owner}."):
                yield ".".join(parts[: at + 1])


def test_no_file_imports_what_is_private_to_another_folder() -> None:
    found = {
        (file.relative_to(ROOT).as_posix(), name)
        for file in (ROOT / "auditor").rglob("*.py")
        for name in reached(ast.parse(file.read_text(encoding="utf-8")), ".".join(file.relative_to(ROOT).parent.parts))
    }
    assert not found, "a module that others import has no underscore"


@pytest.mark.parametrize(
    ("line", "package", "found"),
    [
        ("from auditor.gate._run import gated", "auditor.cli", ["auditor.gate._run"]),
        ("from auditor.gate import _run", "auditor.gatehouse", ["auditor.gate._run"]),
        ("from auditor.gate._run import gated", "auditor.gate.signatures", []),
        ("from auditor.gate import _run", "auditor.gate", []),
        ("import auditor.gate._run", "auditor.cli", ["auditor.gate._run"]),
        ("from auditor.outputs.readers._read import read_file", "auditor.outputs", []),
    ],
)
def test_what_counts_as_reaching_in(line: str, package: str, found: list[str]) -> None:
    assert list(dict.fromkeys(reached(ast.parse(line), package))) == found
