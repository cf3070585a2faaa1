"""Inheritance: laying one policy tree over another.

Later wins. Blocks merge key by key. Attributes merge by name, lists of entries by `id`; an entry that says what it is
(a role, a model, a type) replaces the inherited one, an entry that does not changes only what it names. An entry without
an id never replaces an inherited one that judges something else.
"""

from __future__ import annotations

from auditor.policy._expand import as_id
from auditor.policy._nodes import Mapping, Node, Problems, Scalar, Sequence, did_you_mean, quoted

OWN_KEYS = frozenset({"version", "name", "description", "extends", "pack"})
"""What a policy says about itself: not inherited."""
MERGED_BLOCKS = frozenset({"risk", "remediation", "queries"})
KIND = {"requirements": "model", "outputs": "type", "waivers": "requirement"}
"""The lists whose entries have ids, and the key that says what an entry is."""
SUBJECT = ("sensitive", "quasi_identifiers", "attribute", "others")
"""What a requirement judges; two of one model and one subject are the same requirement. Outputs have but a type."""


def overlay(below: Mapping, above: Mapping, problems: Problems) -> Mapping:
    """The policy `above` on top of what it inherits."""
    merged = below.without(OWN_KEYS)
    for key, node in above.entries:
        inherited = merged.get(key.text)
        if key.text in KIND and isinstance(node, Sequence):
            base = inherited if isinstance(inherited, Sequence) else Sequence((), node.mark)
            node = _merge_entries(base, node, KIND[key.text], problems)
        elif key.text == "attributes" and isinstance(node, Mapping):
            base_attributes = inherited if isinstance(inherited, Mapping) else Mapping((), node.mark)
            node = _merge_attributes(base_attributes, node)
        elif key.text in MERGED_BLOCKS and isinstance(node, Mapping) and isinstance(inherited, Mapping):
            node = _merge_blocks(inherited, node)
        merged = _put(merged, key, node)
    return Mapping(merged.entries, above.mark)


def _put(mapping: Mapping, key: Scalar, node: Node) -> Mapping:
    kept = tuple((k, v) for k, v in mapping.entries if k.text != key.text)
    if len(kept) == len(mapping.entries):
        return Mapping((*kept, (key, node)), mapping.mark)
    return Mapping(tuple((key, node) if k.text == key.text else (k, v) for k, v in mapping.entries), mapping.mark)


def _merge_blocks(below: Mapping, above: Mapping) -> Mapping:
    merged = below
    for key, node in above.entries:
        inherited = below.get(key.text)
        both = isinstance(node, Mapping) and isinstance(inherited, Mapping)
        merged = _put(merged, key, _merge_blocks(inherited, node) if both else node)  # type: ignore[arg-type]
    return Mapping(merged.entries, above.mark)


def _merge_attributes(below: Mapping, above: Mapping) -> Mapping:
    merged = dict(_by_name(below))
    for key, node in above.entries:
        inherited = merged.get(key.text, (key, None))[1]
        if isinstance(node, Mapping) and node.get("role") is None and inherited is not None:
            base = inherited if isinstance(inherited, Mapping) else Mapping((_said("role", inherited),), node.mark)
            node = _amended(base, node)
        merged[key.text] = (key, node)
    return Mapping(tuple(merged.values()), above.mark)


def _by_name(mapping: Mapping) -> dict[str, tuple[Scalar, Node]]:
    return {key.text: (key, node) for key, node in mapping.entries}


def _said(key: str, node: Node) -> tuple[Scalar, Node]:
    return Scalar(key, False, node.mark), node


def _amended(below: Mapping, above: Mapping) -> Mapping:
    merged = {**_by_name(below), **_by_name(above)}
    return Mapping(tuple(merged.values()), above.mark)


def _merge_entries(below: Sequence, above: Sequence, kind: str, problems: Problems) -> Sequence:
    merged: dict[object, Node] = {_id(node) or index: node for index, node in enumerate(below.items)}
    named = with_ids(above, merged, kind)
    seen: dict[str, Mapping] = {}
    for index, node in enumerate(named):
        if not isinstance(node, Mapping):
            merged[-1 - index] = node
            continue
        name = _id(node)
        if name in seen:
            line = seen[name].mark
            problems.add(_id_mark(node), f"the id {quoted(name)} stands twice", f"see {line}", "duplicate")
        elif node.get(kind) is None:
            _amend(merged, node, name, problems, kind)
        else:
            merged[name] = node
        if name is not None:
            seen[name] = node
    return Sequence(tuple(merged.values()), above.mark)


def _amend(merged: dict[object, Node], node: Mapping, name: str | None, problems: Problems, kind: str) -> None:
    inherited = merged.get(name)
    if isinstance(inherited, Mapping):
        merged[name] = _amended(inherited, node)
        return
    known = [key for key in merged if isinstance(key, str)]
    near = did_you_mean(name, known) if name else ""
    right = f"say which {kind}, or give the id of an inherited entry{near}"
    problems.add(node.mark, f"an entry without {kind}", right, "missing")


def _id(node: Node) -> str | None:
    return node.text("id") if isinstance(node, Mapping) else None


def _id_mark(node: Mapping) -> object:
    named = node.get("id")
    return (named or node).mark


def with_ids(entries: Sequence, inherited: dict[object, Node], kind: str) -> list[Node]:
    """The entries of one file with their ids filled in.

    An id defaults to what the entry is (its model, its type), with the sensitive attribute and then a counter where
    that is taken: by another entry of the file, or by an inherited one that judges something else.
    """
    names = [_id(node) or (node.text(kind) if isinstance(node, Mapping) else None) for node in entries.items]
    taken = {name for node in entries.items if (name := _id(node)) is not None}
    filled: list[Node] = []
    for node, name in zip(entries.items, names, strict=True):
        if not isinstance(node, Mapping) or node.get("id") is not None or name is None:
            filled.append(node)
            continue
        sensitive = as_id(node.text("sensitive") or "")
        crowded = names.count(name) > 1
        candidates = [name] if not (crowded and sensitive) else []
        candidates += [f"{name}-{sensitive}"] if sensitive else []
        chosen = _free(candidates, name, taken, inherited, node, kind)
        taken.add(chosen)
        filled.append(node.put("id", Scalar(chosen, False, node.mark)))
    return filled


def _free(
    candidates: list[str], name: str, taken: set[str], inherited: dict[object, Node], node: Mapping, kind: str
) -> str:
    stem = candidates[-1]
    counted = (f"{stem}-{count}" for count in range(2, len(taken) + len(inherited) + 3))
    for candidate in (*candidates, *counted):
        other = inherited.get(candidate)
        if candidate not in taken and (other is None or _subject(other, kind) == _subject(node, kind)):
            return candidate
    return name


def _subject(node: Node, kind: str) -> tuple[object, ...]:
    if not isinstance(node, Mapping):
        return ()
    subject = SUBJECT if kind == "model" else ()
    return tuple(_plain(node.get(key)) for key in (kind, *subject))


def _plain(node: Node | None) -> object:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return tuple(_plain(item) for item in node.items)
    return None if node is None else tuple((key.text, _plain(value)) for key, value in node.entries)
