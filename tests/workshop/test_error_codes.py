"""docs/error-codes.md against the code: every code is documented, and every documented code exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

from auditor import errors
from auditor.errors import AuditorError
from auditor.policy.outputs import Output
from tests.workshop.pages import ROOT

PAGE = (ROOT / "docs" / "error-codes.md").read_text(encoding="utf-8")
CODE_POSITION = {"add": 3, "_refuse": 3, "Problem": 3, "_doubt": 2}
"""The calls that take a problem's code, and which argument it is."""


def _documented(heading: str) -> dict[str, list[str]]:
    """The rows of the table under a heading, by their first cell."""
    section = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    (table,) = (part for part in section if part.startswith(heading))
    rows = [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in table.splitlines() if "| `" in line]
    return {row[0].strip("` "): row[1:] for row in rows}


def _exceptions() -> set[type[AuditorError]]:
    return {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, AuditorError)}


def test_every_exception_is_documented_with_its_exit_code() -> None:
    rows = {(code, row[0], int(row[1])) for code, row in _documented("Errors\n").items()}
    assert rows == {(error.code, error.__name__, error.exit_code) for error in _exceptions() - {AuditorError}}


def test_no_two_exceptions_share_a_code() -> None:
    assert len({error.code for error in _exceptions()}) == len(_exceptions())


def test_every_problem_of_a_policy_is_documented() -> None:
    files = {file for room in ("policy", "gate") for file in (ROOT / "auditor" / room).rglob("*.py")}
    doubts = {ROOT / "auditor" / "policy" / "lint.py"}
    unknown = {f"unknown-{tag}" for tag in (_tag(Output), "method", "model")}
    assert set(_documented("Problems")) == _codes(files - doubts) | unknown
    assert set(_documented("Doubts")) == _codes(doubts)


def _codes(files: set[Path]) -> set[str]:
    """The codes that stand as literals in calls which note a problem."""
    found: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
            if name in CODE_POSITION and isinstance(node, ast.Call) and len(node.args) > CODE_POSITION[name]:
                code = node.args[CODE_POSITION[name]]
                found |= {str(code.value)} if isinstance(code, ast.Constant) else set()
    return found


def _tag(union: object) -> str:
    """The key that tells the members of a union apart."""
    return str(get_args(union)[1].discriminator)
