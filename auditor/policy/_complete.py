"""What a merged tree leaves out: the only sensitive attribute is filled in, requirements that are off are dropped."""

from __future__ import annotations

from auditor.models import SensitiveModel, registry
from auditor.policy._nodes import Mapping, Node, Problems, Scalar, Sequence


def completed(tree: Mapping, problems: Problems) -> Mapping:
    """The tree without entries of severity off, each remaining one naming its sensitive attribute."""
    listed = tree.get("requirements")
    if not isinstance(listed, Sequence):
        return tree
    kept = (_with_sensitive(node, tree, problems) for node in listed.items if not _is_off(node))
    return tree.put("requirements", Sequence(tuple(kept), listed.mark))


def _is_off(node: Node) -> bool:
    return isinstance(node, Mapping) and node.text("severity") == "off"


def _with_sensitive(node: Node, tree: Mapping, problems: Problems) -> Node:
    """The entry with the only sensitive attribute filled in, where its model needs one and it names none."""
    if not isinstance(node, Mapping) or not node.lacks("sensitive"):
        return node
    name = node.text("model") or ""
    model = registry().get(name)
    if model is None or not issubclass(model, SensitiveModel):
        return node
    declared = _sensitive_attributes(tree)
    if len(declared) == 1:
        return node.put("sensitive", Scalar(declared[0], False, node.mark))
    right = f"one of {', '.join(declared)}, or a list" if declared else "an attribute with role: sensitive"
    problems.add(node.mark, f"{name} does not say which sensitive attribute", f"sensitive: {right}", "missing")
    return node


def _sensitive_attributes(tree: Mapping) -> list[str]:
    """The names, or globs, that a tree declares as sensitive."""
    attributes = tree.get("attributes")
    entries = attributes.entries if isinstance(attributes, Mapping) else ()
    return [key.text for key, node in entries if _role(node) == "sensitive"]


def _role(node: Node) -> str | None:
    if isinstance(node, Mapping):
        return node.text("role")
    return node.text if isinstance(node, Scalar) else None
