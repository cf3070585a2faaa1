"""Nothing outside the room of models chooses one by its name or its class: what is asked of a model is a hook of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from auditor.models import registry

AUDITOR = Path(__file__).resolve().parent.parent.parent / "auditor"
CLASSES = {model.__name__ for model in registry().values()}


def sources() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(AUDITOR.rglob("*.py")):
        if file.parent.name != "models":
            yield file.relative_to(AUDITOR).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def test_no_model_is_named_outside_its_room() -> None:
    named = {
        (file, node.value)
        for file, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in registry()
    }
    assert not named, "ask the model: a hook of `Requirement`, or a field of the result"


def test_no_model_is_chosen_by_its_class() -> None:
    chosen = {
        (file, name.id)
        for file, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"isinstance", "issubclass"}
        for name in ast.walk(node.args[1])
        if isinstance(name, ast.Name) and name.id in CLASSES
    }
    assert not chosen, "ask the model: a hook of `Requirement`"
