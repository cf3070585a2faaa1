"""Nothing outside its room chooses a model by its name or its class, and no limit is named but where it is declared."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor.models import registry
from auditor.policy import demands

AUDITOR = Path(__file__).resolve().parent.parent.parent / "auditor"
DECLARED = ("policy/queries.py", "policy/outputs/")
"""Where limits are declared."""
CLASSES = {model.__name__ for model in registry().values()}
SHARED = {"confidence", "Confidence"}
"""What mining outputs call one of their measures, too."""
NAMED = {
    *(("remediate/_recount.py", name) for name in ("KAnonymity", "k_anonymity")),
    *(("policy/schema.py", name) for name in ("min_utility", "max-blank-columns")),
}
"""One model is made there, to count the sizes of classes, and a block of the policy is short for another, and has the
name of a third; none is chosen."""


def sources() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(AUDITOR.rglob("*.py")):
        if file.parent.name != "models":
            yield file.relative_to(AUDITOR).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def mentions(tree: ast.AST) -> Iterator[str]:
    """Every name and text of a file: what is imported, read from a module, matched, or quoted."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.alias(name=name):
                yield from name.split(".")
            case ast.ImportFrom(module=str(module)):
                yield from module.split(".")


def test_no_model_is_named_outside_its_room() -> None:
    """Neither by the policy's name for it, nor by its file's, nor by its class, whatever is done with that."""
    files = {name.replace("-", "_") for name in registry() if "-" in name}
    named = {
        (file, name)
        for file, tree in sources()
        for name in mentions(tree)
        if name in {*registry(), *files, *CLASSES} - SHARED
    }
    assert named == NAMED, "ask the model: a hook of `Requirement`, or a field of the result"


def test_no_template_names_a_model() -> None:
    templates = [file.read_text(encoding="utf-8") for file in AUDITOR.rglob("*.j2")]
    assert templates
    assert not [name for name in (*registry(), *CLASSES) for text in templates if re.search(rf"\b{name}\b", text)]


@pytest.mark.parametrize(
    "slip",
    [
        "chosen = requirement.name == 'k-anonymity'",
        "chosen = module('auditor.models', 'k_anonymity')",
        "chosen = type(requirement) is models.KAnonymity",
        "chosen = cast('KAnonymity', requirement).k",
        "from auditor.models.k_anonymity import KAnonymity as Sizes",
        "import auditor.models.k_anonymity",
        "match requirement:\n    case KAnonymity():\n        chosen = True",
    ],
)
def test_no_way_to_name_a_model_slips_past(slip: str) -> None:
    assert {"k-anonymity", "k_anonymity", "KAnonymity"} & set(mentions(ast.parse(slip)))


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


def test_a_class_has_a_name_of_its_own() -> None:
    """Whoever reads a name knows what is meant, wherever it stands."""
    classes = [
        (node.name, file.relative_to(AUDITOR).as_posix())
        for file in sorted(AUDITOR.rglob("*.py"))
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    twice = Counter(name for name, _ in classes)
    assert not [each for each in classes if twice[each[0]] > 1]
