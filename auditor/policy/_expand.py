"""What a merged tree says in short, said in full: requirements that are off, lists of sensitive attributes."""

from __future__ import annotations

from itertools import count

from auditor.models import SensitiveModel, registry
from auditor.policy._nodes import Mapping, Node, Problems, Scalar, Sequence

MAX_REQUIREMENTS = 2000


def expanded(tree: Mapping, problems: Problems) -> Mapping:
    """The tree with entries of severity off dropped, and one requirement per sensitive attribute, which it names."""
    listed = tree.get("requirements")
    if not isinstance(listed, Sequence):
        return tree
    kept = [_with_sensitive(node, tree, problems) for node in listed.items if not _is_off(node)]
    if sum(map(_width, kept)) > MAX_REQUIREMENTS:
        right = f"at most {MAX_REQUIREMENTS}, a list of sensitive attributes counted in full"
        problems.add(listed.mark, "too many requirements", right, "limit")
        return tree.without({"requirements"})
    taken = {name for node in kept if isinstance(node, Mapping) and (name := node.text("id")) is not None}
    entries = [part for node in kept for part in _per_attribute(node, taken)]
    return tree.put("requirements", Sequence(tuple(entries), listed.mark))


def _width(node: Node) -> int:
    """How many requirements an entry stands for."""
    named = node.get("sensitive") if isinstance(node, Mapping) else None
    return len(named.items) if isinstance(named, Sequence) else 1


def _is_off(node: Node) -> bool:
    return isinstance(node, Mapping) and node.text("severity") == "off"


def _with_sensitive(node: Node, tree: Mapping, problems: Problems) -> Node:
    """The entry with the only sensitive attribute filled in, where its model needs one and it names none."""
    if not isinstance(node, Mapping) or not node.lacks("sensitive"):
        return node
    model = registry().get(node.text("model") or "")
    if model is None or not issubclass(model, SensitiveModel):
        return node
    declared = sensitive_attributes(tree)
    if len(declared) == 1:
        return node.put("sensitive", Scalar(declared[0], False, node.mark))
    named = f"one of {', '.join(declared)}, or a list" if declared else "an attribute with role: sensitive"
    problems.add(
        node.mark, f"{node.text('model')} does not say which sensitive attribute", f"sensitive: {named}", "missing"
    )
    return node


def sensitive_attributes(tree: Mapping) -> list[str]:
    """The names, or globs, that a tree declares as sensitive."""
    attributes = tree.get("attributes")
    entries = attributes.entries if isinstance(attributes, Mapping) else ()
    return [key.text for key, node in entries if _role(node) == "sensitive"]


def _role(node: Node) -> str | None:
    if isinstance(node, Mapping):
        return node.text("role")
    return node.text if isinstance(node, Scalar) else None


def _per_attribute(node: Node, taken: set[str]) -> list[Node]:
    """One entry per attribute of a list of sensitive ones, named ``<id>-<attribute>``; the entry itself otherwise."""
    named = node.get("sensitive") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or not isinstance(named, Sequence):
        return [node]
    names = [item for item in named.items if isinstance(item, Scalar)]
    if not names or len(names) < len(named.items):
        return [node]
    return [_for_attribute(node, item, taken) for item in names]


def _for_attribute(node: Mapping, attribute: Scalar, taken: set[str]) -> Mapping:
    stem = f"{node.text('id')}-{as_id(attribute.text)}"
    name = next(name for n in count(1) if (name := stem if n == 1 else f"{stem}-{n}") not in taken)
    taken.add(name)
    return node.put("sensitive", attribute).put("id", Scalar(name, False, node.mark))


def as_id(name: str) -> str:
    """A column's name as part of an id.

    >>> as_id("blood type (ABO)")
    'blood-type--ABO-'
    """
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in name)
