"""Inheritance: laying one policy tree over another.

Later wins. Blocks merge key by key. Attributes merge by name, lists of entries by `id`; an entry that says what it is
(a role, a model, a type) replaces the inherited one, an entry that does not changes only what it names. An entry
without an id never replaces an inherited one that judges something else.
"""

from __future__ import annotations

from itertools import chain, count

from auditor.policy._expand import as_id
from auditor.policy._nodes import Mapping, Mark, Node, Problems, Scalar, Sequence, did_you_mean, quoted

OWN_KEYS = frozenset({"version", "name", "description", "extends", "pack"})
"""What a policy says about itself: not inherited."""
MERGED_BLOCKS = frozenset({"risk", "remediation", "queries"})
KIND = {"requirements": "model", "outputs": "type", "waivers": "requirement"}
"""The lists whose entries have ids, and the key that says what an entry is."""
MAX_ENTRIES = 1000
SUBJECT = ("sensitive", "quasi_identifiers", "attribute", "others")
"""What a requirement judges; two of one model and one subject are the same requirement. Outputs have but a type."""


def overlay(below: Mapping, above: Mapping, problems: Problems) -> Mapping:
    """The policy `above` on top of what it inherits."""
    merged = _by_name(below.without(OWN_KEYS))
    for key, node in above.entries:
        inherited = merged[key.text][1] if key.text in merged else None
        merged[key.text] = (key, _laid_over(inherited, node, key.text, problems))
    return Mapping(tuple(merged.values()), above.mark)


def _laid_over(inherited: Node | None, node: Node, key: str, problems: Problems) -> Node:
    """One block of a policy on top of the inherited block of that name."""
    if key in KIND and isinstance(node, Sequence):
        if len(node.items) > MAX_ENTRIES:
            problems.add(node.mark, f"{key}: too many entries", f"at most {MAX_ENTRIES}", "limit")
            return Sequence((), node.mark)
        base = inherited if isinstance(inherited, Sequence) else Sequence((), node.mark)
        return _Entries(base, KIND[key], problems).overlaid(node)
    if isinstance(node, Mapping) and isinstance(inherited, Mapping):
        if key == "attributes":
            return _merge_attributes(inherited, node)
        if key in MERGED_BLOCKS:
            return _merge_blocks(inherited, node)
    return node


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
        inherited = merged[key.text][1] if key.text in merged else None
        amends = isinstance(node, Mapping) and node.get("role") is None
        merged[key.text] = (key, _amended(_in_full(inherited), node) if inherited and amends else node)
    return Mapping(tuple(merged.values()), above.mark)


def _in_full(attribute: Node) -> Node:
    """An attribute's mapping, where a plain role was said."""
    if not isinstance(attribute, Scalar):
        return attribute
    return Mapping(((Scalar("role", False, attribute.mark), attribute),), attribute.mark)


def _by_name(mapping: Mapping) -> dict[str, tuple[Scalar, Node]]:
    return {key.text: (key, node) for key, node in mapping.entries}


def _amended(below: Node, above: Node) -> Node:
    """An entry with some of its keys said anew."""
    if not (isinstance(below, Mapping) and isinstance(above, Mapping)):
        return above
    return Mapping(tuple({**_by_name(below), **_by_name(above)}.values()), above.mark)


class _Entries:
    """A list of entries with ids, and another list laid over it."""

    def __init__(self, below: Sequence, kind: str, problems: Problems) -> None:
        self.kind = kind
        self.problems = problems
        self.inherited: dict[object, Node] = {_id(node) or place: node for place, node in enumerate(below.items)}

    def overlaid(self, above: Sequence) -> Sequence:
        """Both lists as one: an inherited entry stays in its place, new ones stand behind."""
        merged = dict(self.inherited)
        seen: dict[str, Node] = {}
        for place, node in enumerate(self.with_ids(above)):
            name = _id(node)
            if name is not None and name in seen:
                what = f"the id {quoted(name)} stands twice"
                self.problems.add(_id_mark(node), what, f"see {_id_mark(seen[name])}", "duplicate")
                continue
            if name is not None:
                seen[name] = node
            entry = self._entry(node, name)
            if entry is not None:
                merged[name or (place,)] = entry
        return Sequence(tuple(merged.values()), above.mark)

    def _entry(self, node: Node, name: str | None) -> Node | None:
        """An entry that says what it is as it stands; one that does not, on top of the inherited one of its id."""
        if not isinstance(node, Mapping) or node.get(self.kind) is not None or name is None:
            return node
        inherited = self.inherited.get(name)
        if inherited is not None:
            return _amended(inherited, node)
        near = did_you_mean(name, [key for key in self.inherited if isinstance(key, str)])
        right = f"say which {self.kind}, or give the id of an inherited entry{near}"
        self.problems.add(node.mark, f"an entry without {self.kind}", right, "missing")
        return None

    def with_ids(self, entries: Sequence) -> list[Node]:
        """The entries of one file with their ids filled in.

        An id defaults to what the entry is (its model, its type), with the sensitive attribute and then a counter where
        that is taken: by another entry of the file, or by an inherited one that judges something else.
        """
        kinds = [
            node.text(self.kind) if isinstance(node, Mapping) and _id(node) is None else _id(node)
            for node in entries.items
        ]
        taken = {name for node in entries.items if (name := _id(node)) is not None}
        filled: list[Node] = []
        for node, kind in zip(entries.items, kinds, strict=True):
            if isinstance(node, Mapping) and node.lacks("id") and kind is not None:
                chosen = self._free(node, kind, taken, crowded=kinds.count(kind) > 1)
                taken.add(chosen)
                filled.append(node.put("id", Scalar(chosen, False, node.mark)))
            else:
                filled.append(node)
        return filled

    def _free(self, node: Mapping, kind: str, taken: set[str], *, crowded: bool) -> str:
        """The first name for an entry that nothing else has."""
        sensitive = as_id(node.text("sensitive") or "")
        names = [kind] if not (crowded and sensitive) else []
        names += [f"{kind}-{sensitive}"] if sensitive else []
        counted = (f"{names[-1]}-{number}" for number in count(2))
        return next(name for name in chain(names, counted) if name not in taken and self._may_have(name, node))

    def _may_have(self, name: str, node: Mapping) -> bool:
        inherited = self.inherited.get(name)
        return inherited is None or _subject(inherited, self.kind) == _subject(node, self.kind)


def _id(node: Node) -> str | None:
    return node.text("id") if isinstance(node, Mapping) else None


def _id_mark(node: Node) -> Mark:
    named = node.get("id") if isinstance(node, Mapping) else None
    return (named or node).mark


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
