"""What nothing reaches leaves: every function and class of the program is used by the program, or exported."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

import pytest

from auditor import hierarchies, masking
from auditor.utility import uses
from tests.workshop.pages import ROOT
from tests.workshop.test_private import DOORS

FOUND_BY_NAME = {*DOORS, hierarchies.__name__, masking.__name__, uses.__name__, "auditor.cli"}
"""Rooms whose files are found because they are there."""


def unreached(trees: Mapping[str, ast.Module]) -> set[str]:
    """Functions and classes that no module names: neither their own, nor by an import, nor as ``module.name``.

    A text names a class of any module, and so does ``import_module(…).document`` a function.
    """
    named: dict[str, set[str]] = {}
    through, texts, loaded = set(), set(), set()
    for module, tree in trees.items():
        nodes = list(ast.walk(tree))
        imports = [(node.module, each) for node in nodes if isinstance(node, ast.ImportFrom) for each in node.names]
        alias = {each.asname: each.name for _, each in imports if each.asname}
        for source, each in imports:
            named.setdefault(str(source), set()).add(each.name)
        for node in nodes:
            match node:
                case ast.Name(name):
                    named.setdefault(module, set()).add(name)
                case ast.Attribute(ast.Name(of), name):
                    through.add((alias.get(of, of), name))
                case ast.Attribute(ast.Call(ast.Name("import_module")), name):
                    loaded.add(name)
                case ast.Constant(str(text)):
                    texts.add(text)
    return {
        f"{module}.{node.name}"
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("__")
        if node.name not in named.get(module, ())
        and (module.rpartition(".")[2], node.name) not in through
        and node.name not in (texts if isinstance(node, ast.ClassDef) else loaded | _texts(tree))
    }


def _texts(tree: ast.Module) -> set[str]:
    """The texts of a module, among them its ``__all__``."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.slow
def test_what_is_defined_is_used() -> None:
    trees = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            file.read_text(encoding="utf-8")
        )
        for file in sorted((ROOT / "auditor").rglob("*.py"))
    }
    templates = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "auditor").rglob("*.j2"))
    called = set(re.findall(r"\b(\w+)\(", templates))
    left = {
        name
        for name in unreached(trees)
        if name.rsplit(".", 2)[0] not in FOUND_BY_NAME and name.rpartition(".")[2] not in called
    }
    assert left == set()


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("def left(): pass", {"a.left"}),
        ("def used(): pass\nused()", set()),
        ("class Left: pass", {"a.Left"}),
        ("def exported(): pass\n__all__ = ['exported']", set()),
    ],
)
def test_what_counts_as_used(text: str, dead: set[str]) -> None:
    assert unreached({"a": ast.parse(text)}) == dead


@pytest.mark.parametrize("line", ["from a import one", "from b import a\na.one()", "from b import a as c\nc.one()"])
def test_another_module_uses_it_too(line: str) -> None:
    assert unreached({"a": ast.parse("def one(): pass"), "b": ast.parse(line)}) == set()


def test_a_function_of_the_same_name_elsewhere_is_another_one() -> None:
    two = {"a": ast.parse("def one(): pass"), "b": ast.parse("def one(): pass\none()")}
    assert unreached(two) == {"a.one"}
