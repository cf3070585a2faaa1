"""`make quick` leaves out what is slow, and in no room everything."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.slow import slow

ROOT = Path(__file__).resolve().parent.parent.parent
TESTS = ROOT / "tests"
MODULES = sorted(TESTS.rglob("test_*.py"))
NEEDY = {"spark", "browser"}
"""The marks of tests that need a cluster or a browser."""


def marks(*expressions: ast.expr) -> set[str]:
    """The marks that decorators, or what `pytestmark` is, ask for; `spark.GROUP` is a list of them."""
    written = " ".join(map(ast.unparse, expressions)).replace("spark.GROUP", "mark.spark mark.slow")
    return {"slow", *NEEDY} & set(re.findall(r"\bmark\.(\w+)", written))


def functions(nodes: list[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """Every test of a module."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            yield from functions(node.body)
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node


@cache
def marked(module: Path) -> list[tuple[str, set[str]]]:
    """Each test of a module, and its marks and the module's."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    shared = [node.value for node in assigned if ast.unparse(node.targets[0]) == "pytestmark"]
    return [(each.name, marks(*shared, *each.decorator_list)) for each in functions(tree.body)]


def test_the_mark_is_declared_and_an_undeclared_one_is_an_error(pytestconfig: pytest.Config) -> None:
    declared = {line.split(":")[0] for line in pytestconfig.getini("markers")}
    assert {"slow", *NEEDY} <= declared
    assert "--strict-markers" in pytestconfig.getini("addopts")
    assert '-m "not slow"' in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_room_keeps_quick_tests() -> None:
    rooms = {module.relative_to(TESTS).parts[0] for module in MODULES}
    quick = {module.relative_to(TESTS).parts[0] for module in MODULES for _, found in marked(module) if not found}
    assert len(rooms) > 20
    assert rooms - quick == set()


def test_whatever_needs_a_cluster_or_a_browser_is_slow() -> None:
    needy = [(module.name, name, found) for module in MODULES for name, found in marked(module) if found & NEEDY]
    assert {each for *_, found in needy for each in found} == {"slow", *NEEDY}
    assert [(module, name) for module, name, found in needy if "slow" not in found] == []


def test_the_list_names_tests_that_there_are() -> None:
    there = {(module.relative_to(ROOT).as_posix(), name) for module in MODULES for name, _ in marked(module)}
    listed = (line.partition("[")[0] for line in (TESTS / "slow.txt").read_text(encoding="utf-8").splitlines())
    assert {(name.partition("::")[0], name.rpartition("::")[2]) for name in listed} <= there


def test_what_takes_long_is_listed_once() -> None:
    times = {"t.py::all[1]": 0.4, "t.py::all[2]": 0.5, "t.py::one[1]": 0.4, "t.py::one[2]": 0.1, "t.py::none": 0.1}
    assert slow(times) == ["t.py::all", "t.py::one[1]"]
