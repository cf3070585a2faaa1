"""A policy file as read, before anything is known about its meaning: scalars, sequences and mappings with their place.

YAML text and Python mappings both become such a tree; inheritance merges trees; the reader turns the merged tree into
models. Because every node remembers its mark, every effective value knows where it was written.
"""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from auditor.policy.file.problems import quoted

RULES = (".yaml", ".yml")
"""How the names of files end of which messages say what stands in them."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written. `file` is relative to the current directory or the repository."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        """As compilers print it."""
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, eq=False)
class PolicySource:
    """One source of a policy: how it is shown, and from where and how far its file references reach."""

    shown: str
    folder: Path
    roots: tuple[Path, ...]
    is_file: bool = True
    is_pack: bool = False

    @property
    def is_told(self) -> bool:
        """Whether messages may say what stands in it: somebody may name a table as rules, to read it in a log."""
        final = PurePath(os.path.realpath(self.folder / PurePath(self.shown).name))
        return not self.is_file or final.suffix.lower() in RULES


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a document: line and column from 1, or for a Python mapping the path of keys."""

    document: PolicySource
    line: int
    column: int
    path: str = ""

    @property
    def is_told(self) -> bool:
        """See `PolicySource`."""
        return self.document.is_told

    @property
    def origin(self) -> Origin | None:
        """The place as users see it; None inside a Python mapping, which has no lines."""
        return Origin(self.document.shown, self.line, self.column) if self.document.is_file else None

    def __str__(self) -> str:
        return str(self.origin) if self.document.is_file else f"{self.document.shown} at {self.path or 'top'}"


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text, and whether it stood there plain (unquoted): only plain text can be a number or a truth value."""

    text: str
    plain: bool
    mark: Mark

    @property
    def is_null(self) -> bool:
        """Whether this is YAML's way of writing nothing."""
        return self.plain and self.text in {"", "~", "null"}


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    items: tuple[Node, ...]
    mark: Mark


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys and their nodes, in the order of the file; keys are unique text."""

    entries: tuple[tuple[Scalar, Node], ...]
    mark: Mark

    def get(self, key: str) -> Node | None:
        """The node under a key."""
        return next((node for name, node in self.entries if name.text == key), None)

    def text(self, key: str) -> str | None:
        """The text under a key, where it is a scalar that says something."""
        node = self.get(key)
        return node.text if isinstance(node, Scalar) and not node.is_null else None

    def lacks(self, key: str) -> bool:
        """Whether nothing is said under a key."""
        node = self.get(key)
        return node is None or (isinstance(node, Scalar) and node.is_null)

    def put(self, key: str, node: Node) -> Mapping:
        """The mapping with one entry replaced or added behind the others."""
        if self.get(key) is None:
            return replace(self, entries=(*self.entries, (Scalar(key, False, node.mark), node)))
        return replace(self, entries=tuple((k, node if k.text == key else v) for k, v in self.entries))

    def amended(self, above: Node) -> Node:
        """The mapping with the entries of another laid over it; what is no mapping replaces it."""
        if not isinstance(above, Mapping):
            return above
        merged = {key.text: (key, node) for key, node in (*self.entries, *above.entries)}
        return Mapping(tuple(merged.values()), above.mark)

    def only(self, keys: AbstractSet[str]) -> Mapping:
        """The mapping with no other keys."""
        return replace(self, entries=tuple((k, v) for k, v in self.entries if k.text in keys))

    def without(self, keys: AbstractSet[str]) -> Mapping:
        """The mapping lacking some keys."""
        return replace(self, entries=tuple((k, v) for k, v in self.entries if k.text not in keys))


Node = Scalar | Sequence | Mapping


def shown(node: Node) -> str:
    """What was read, short enough for a message."""
    if isinstance(node, Scalar):
        return "nothing" if node.is_null and not node.text else quoted(node.text)
    return "a list" if isinstance(node, Sequence) else "a mapping"
