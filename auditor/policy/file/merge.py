"""Inheritance: laying one policy tree over another.

Later wins. Blocks merge key by key. Attributes merge by name, lists of entries by `id`; an entry that says what it is
(a role, a model, a type) replaces the inherited one, an entry that does not changes only what it names. An entry
without an id never replaces an inherited one that judges something else. What has the wrong shape to be merged is a
problem even where something is laid over it: nothing inherited is lost in silence.
"""

from __future__ import annotations

from auditor.policy.file.complete import with_sensitive
from auditor.policy.file.entries import KIND, Entries
from auditor.policy.file.nodes import Mapping, Node, Scalar, Sequence, shown
from auditor.policy.file.problems import Problems

OWN_KEYS = frozenset({"version", "name", "description", "extends", "pack"})
"""What a policy says about itself: not inherited."""
MERGED_BLOCKS = frozenset({"attributes", "risk", "remediation", "queries", "limits"})


def overlay(below: Mapping, above: Mapping, problems: Problems) -> Mapping:
    """The policy `above` on top of what it inherits.

    The only sensitive attribute is filled in on the way, so that a requirement means the same alone and inherited.
    """
    below = below.without(OWN_KEYS)
    attributes = _merged(below, above.only({"attributes"}), problems).get("attributes")
    return _merged(with_sensitive(below, attributes), with_sensitive(above, attributes), problems)


def _merged(below: Mapping, above: Mapping, problems: Problems) -> Mapping:
    merged = _by_name(below)
    for key, node in above.entries:
        inherited = merged[key.text][1] if key.text in merged else None
        merged[key.text] = (key, _laid_over(inherited, node, key.text, problems))
    return Mapping(tuple(merged.values()), above.mark)


def _laid_over(inherited: Node | None, node: Node, key: str, problems: Problems) -> Node:
    """One block of a policy on top of the inherited block of that name."""
    if key in KIND:
        _refuse_unless(Sequence, inherited, key, problems)
        base = inherited if isinstance(inherited, Sequence) else Sequence((), node.mark)
        return Entries(base, KIND[key], problems).overlaid(node) if isinstance(node, Sequence) else node
    if key == "at_least" and isinstance(node, Sequence) and isinstance(inherited, Sequence):
        return Sequence((*inherited.items, *node.items), node.mark)
    if key in MERGED_BLOCKS:
        _refuse_unless(Mapping, inherited, key, problems)
        if isinstance(node, Mapping) and isinstance(inherited, Mapping):
            return _merge_attributes(inherited, node) if key == "attributes" else _merge_blocks(inherited, node)
    return node


def _refuse_unless(shape: type[Node], inherited: Node | None, key: str, problems: Problems) -> None:
    """Note an inherited block of the wrong shape, in the words in which the reader would."""
    if inherited is None or isinstance(inherited, shape) or (isinstance(inherited, Scalar) and inherited.is_null):
        return
    wanted = "a list" if shape is Sequence else "a mapping"
    problems.add(inherited.mark, f"{key}: {shown(inherited)} was read", f"wanted: {wanted}")


def _merge_blocks(below: Mapping, above: Mapping) -> Mapping:
    merged = _by_name(below)
    for key, node in above.entries:
        inherited = merged[key.text][1] if key.text in merged else None
        if isinstance(node, Mapping) and isinstance(inherited, Mapping):
            merged[key.text] = (key, _merge_blocks(inherited, node))
        else:
            merged[key.text] = (key, node)
    return Mapping(tuple(merged.values()), above.mark)


def _merge_attributes(below: Mapping, above: Mapping) -> Mapping:
    merged = _by_name(below)
    for key, node in above.entries:
        inherited = _in_full(merged[key.text][1]) if key.text in merged else None
        amends = isinstance(node, Mapping) and node.get("role") is None
        merged[key.text] = (key, inherited.amended(node) if inherited and amends else node)
    return Mapping(tuple(merged.values()), above.mark)


def _in_full(attribute: Node) -> Mapping:
    """An attribute's mapping; a plain value is its role."""
    if isinstance(attribute, Mapping):
        return attribute
    return Mapping(((Scalar("role", False, attribute.mark), attribute),), attribute.mark)


def _by_name(mapping: Mapping) -> dict[str, tuple[Scalar, Node]]:
    return {key.text: (key, node) for key, node in mapping.entries}
