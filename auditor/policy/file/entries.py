"""Lists whose entries have ids (requirements, outputs, waivers, baseline): naming entries, laying one over another."""

from __future__ import annotations

from itertools import chain, count

from auditor.policy.file.nodes import Mapping, Mark, Node, Scalar, Sequence
from auditor.policy.file.problems import Problems, did_you_mean, quoted
from auditor.result import as_id

KIND = {"requirements": "model", "outputs": "type", "waivers": "requirement", "baseline": "requirement"}
"""The lists whose entries have ids, and the key that says what an entry is."""
SUBJECT = ("sensitive", "quasi_identifiers", "attribute", "others")
"""What a requirement judges; two of one model and one subject are the same requirement. Outputs have but a type."""
MAX_ENTRIES = 1000


class Entries:
    """A list of entries with ids, and another list laid over it."""

    def __init__(self, below: Sequence, kind: str, problems: Problems) -> None:
        self.kind = kind
        self.problems = problems
        self.inherited: dict[object, Node] = {_id(node) or place: node for place, node in enumerate(below.items)}

    def overlaid(self, above: Sequence) -> Sequence:
        """Both lists as one: an inherited entry stays in its place, new ones stand behind."""
        if sum(map(_width, above.items)) > MAX_ENTRIES:
            right = f"at most {MAX_ENTRIES}, a list of sensitive attributes counted in full"
            self.problems.add(above.mark, "too many entries", right, "limit")
            return above
        merged = dict(self.inherited)
        seen: dict[str, Node] = {}
        for place, node in enumerate(self._named(above)):
            name = _id(node)
            if name is not None and name in seen:
                what = f"the id {quoted(name)} appears twice"
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
        if isinstance(inherited, Mapping):
            return inherited.amended(node)
        near = did_you_mean(name, [key for key in self.inherited if isinstance(key, str)])
        right = f"say which {self.kind}, or give the id of an inherited entry{near}"
        self.problems.add(node.mark, f"an entry without {self.kind}", right, "missing")
        return None

    def _named(self, entries: Sequence) -> list[Node]:
        """The entries of one file with their ids filled in, one for each sensitive attribute.

        An id defaults to what the entry is (its model, its type), with the sensitive attribute and then a counter where
        that is taken: by another entry of the file, or by an inherited one that judges something else.
        """
        kinds = [_id(node) or (node.text(self.kind) if isinstance(node, Mapping) else None) for node in entries.items]
        taken = {name for node in entries.items if (name := _id(node)) is not None}
        named: list[Node] = []
        for node, kind in zip(entries.items, kinds, strict=True):
            if not isinstance(node, Mapping) or kind is None:
                named.append(node)
            elif _sensitive_list(node):
                named += self._per_attribute(node, kind, taken)
            elif node.lacks("id"):
                named.append(self._with_id(node, self._default_names(node, kind, crowded=kinds.count(kind) > 1), taken))
            else:
                named.append(node)
        return named

    def _per_attribute(self, node: Mapping, name: str, taken: set[str]) -> list[Node]:
        """One entry per attribute of a list of sensitive ones, named ``<id>-<attribute>``."""
        entries = [node.put("sensitive", attribute) for attribute in _sensitive_list(node)]
        return [self._with_id(entry, [f"{name}-{as_id(entry.text('sensitive') or '')}"], taken) for entry in entries]

    @staticmethod
    def _default_names(node: Mapping, kind: str, *, crowded: bool) -> list[str]:
        sensitive = as_id(node.text("sensitive") or "")
        names = [kind] if not (crowded and sensitive) else []
        return [*names, f"{kind}-{sensitive}"] if sensitive else names

    def _with_id(self, node: Mapping, names: list[str], taken: set[str]) -> Mapping:
        """The entry under the first of the names that nothing else has; a counter makes more of the last."""
        counted = (f"{names[-1]}-{number}" for number in count(2))
        chosen = next(name for name in chain(names, counted) if name not in taken and self._may_have(name, node))
        taken.add(chosen)
        return node.put("id", Scalar(chosen, False, node.mark))

    def _may_have(self, name: str, node: Mapping) -> bool:
        inherited = self.inherited.get(name)
        return inherited is None or _subject(inherited, self.kind) == _subject(node, self.kind)


def _id(node: Node) -> str | None:
    return node.text("id") if isinstance(node, Mapping) else None


def _id_mark(node: Node) -> Mark:
    named = node.get("id") if isinstance(node, Mapping) else None
    return (named or node).mark


def _sensitive_list(node: Mapping) -> list[Scalar]:
    """The attributes of a list of sensitive ones; empty where it is no list, or no list of names."""
    named = node.get("sensitive")
    items = named.items if isinstance(named, Sequence) else ()
    names = [item for item in items if isinstance(item, Scalar)]
    return names if len(names) == len(items) else []


def _width(node: Node) -> int:
    """How many entries an entry stands for."""
    return max(1, len(_sensitive_list(node))) if isinstance(node, Mapping) else 1


def _subject(node: Node, kind: str) -> tuple[object, ...]:
    if not isinstance(node, Mapping):
        return ()
    return tuple(_plain(node.get(key)) for key in (kind, *(SUBJECT if kind == "model" else ())))


def _plain(node: Node | None) -> object:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return tuple(_plain(item) for item in node.items)
    return None if node is None else tuple((key.text, _plain(value)) for key, value in node.entries)
