"""What a policy leaves out: what it says once is filled in everywhere, and requirements that are off are dropped."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as AnyMapping

from auditor.models import SensitiveRequirement, registry
from auditor.policy.file.nodes import Mapping, Node, Scalar, Sequence
from auditor.policy.file.problems import Problems


def with_sensitive(tree: Mapping, attributes: Node | None) -> Mapping:
    """The tree with the only sensitive attribute filled in where a requirement's model needs one and it names none."""
    listed = tree.get("requirements")
    declared = _sensitive_attributes(attributes)
    if not isinstance(listed, Sequence) or len(declared) != 1:
        return tree
    entries = tuple(_filled(node, declared[0]) for node in listed.items)
    return tree.put("requirements", Sequence(entries, listed.mark))


def with_sample(tree: Mapping, names: Iterable[str]) -> Mapping:
    """The tree with what it says of the sample, by these names, in each requirement that reads it and says nothing."""
    listed, sample = tree.get("requirements"), tree.get("sample")
    if not isinstance(listed, Sequence) or not isinstance(sample, Mapping):
        return tree
    said = {name: node for name in names if (node := sample.get(name)) is not None}
    return tree.put("requirements", Sequence(tuple(_sampled(node, said) for node in listed.items), listed.mark))


def _sampled(node: Node, said: AnyMapping[str, Node]) -> Node:
    model = registry().get(node.text("model") or "") if isinstance(node, Mapping) else None
    for name in said.keys() & (model.model_fields if model is not None else {}):
        if isinstance(node, Mapping) and node.lacks(name):
            node = node.put(name, said[name])
    return node


def completed(tree: Mapping, problems: Problems) -> Mapping:
    """The tree without requirements of severity off; one that still names no sensitive attribute is a problem."""
    listed = tree.get("requirements")
    if not isinstance(listed, Sequence):
        return tree
    kept = tuple(node for node in listed.items if not _is_off(node))
    for node in kept:
        if _needs_sensitive(node):
            declared = _sensitive_attributes(tree.get("attributes"))
            right = f"one of {', '.join(declared)}, or a list" if declared else "an attribute with role: sensitive"
            problems.add(node.mark, "which sensitive attribute is not said", f"sensitive: {right}", "missing")
    return tree.put("requirements", Sequence(kept, listed.mark))


def _is_off(node: Node) -> bool:
    return isinstance(node, Mapping) and node.text("severity") == "off"


def _filled(node: Node, attribute: str) -> Node:
    if isinstance(node, Mapping) and _needs_sensitive(node):
        return node.put("sensitive", Scalar(attribute, False, node.mark))
    return node


def _needs_sensitive(node: Node) -> bool:
    """Whether an entry's model reads a sensitive attribute and the entry names none."""
    if not isinstance(node, Mapping) or not node.lacks("sensitive"):
        return False
    model = registry().get(node.text("model") or "")
    return model is not None and issubclass(model, SensitiveRequirement)


def _sensitive_attributes(attributes: Node | None) -> list[str]:
    """The names, or globs, that are declared as sensitive."""
    entries = attributes.entries if isinstance(attributes, Mapping) else ()
    return [key.text for key, node in entries if _role(node) == "sensitive"]


def _role(node: Node) -> str | None:
    if isinstance(node, Mapping):
        return node.text("role")
    return node.text if isinstance(node, Scalar) else None
