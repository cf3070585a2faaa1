"""Nothing outside its room chooses a model by its name or its class, and no limit is named but where it is declared."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from auditor.models import registry
from auditor.policy import demands

AUDITOR = Path(__file__).resolve().parent.parent.parent / "auditor"
DECLARED = ("policy/queries.py", "policy/outputs/")
"""Where limits are declared."""
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


def test_no_limit_is_named_outside_its_declaration() -> None:
    """A limit that is renamed is renamed everywhere. Words of one part, as ``group``, mean other things, too."""
    parameters = {part.replace("_", "-") for _, path, _ in demands.declared() for part in path.split("/")}
    declared = [limit for *_, limit in demands.declared()]
    names = {name for limit in declared for name in (limit.name, getattr(limit, "reason", limit.name)) if "-" in name}
    assert {"small-cell", "pure-leaf", "too-many-queries"} <= names - parameters
    named = {
        (file, node.value)
        for file, tree in sources()
        if not file.startswith(DECLARED)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in names - parameters
    }
    assert not named, "ask the declaration: `name_of` of a query limit, `Violation.reason_in`"


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
