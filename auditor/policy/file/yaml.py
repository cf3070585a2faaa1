"""YAML text to nodes, within limits.

Only the parser's events are used: no tag is resolved and no object is built, so nothing in the file can run, and plain
scalars stay text until the schema says what is wanted (``no`` is a column's name, not false). What the parser would let
pass is refused here: duplicate keys, explicit tags, merge keys, several documents. Anchors and aliases are allowed, as
lists of columns are worth repeating, but an alias costs as many nodes as it stands for.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from auditor.policy.file.nodes import Mapping, Mark, Node, PolicySource, Scalar, Sequence
from auditor.policy.file.problems import Problems, quoted

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
MAX_NODES = 20_000
MAX_SCALAR = 1 << 16

QUOTES = frozenset("'\"|>")
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# C0 and C1 controls, byte order marks inside, and the bidirectional overrides that make text look like other text.
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


class _Stop(Exception):  # noqa: N818  (a signal inside this module, not an error)
    """The text cannot be read any further; the problem has been noted."""


def parse(content: bytes, document: PolicySource, problems: Problems) -> Node | None:
    """The tree of one YAML document, or None when it cannot be read or holds nothing; problems are noted."""
    try:
        text = _decoded(content, document, problems)
        return _NodeBuilder(text, document, problems).document()
    except _Stop:
        return None
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark or wrong.context_mark
        place = Mark(document, mark.line + 1, mark.column + 1) if mark else Mark(document, 1, 1)
        problems.add(
            place, f"not YAML: {wrong.problem or wrong.context}", "check quotes, colons and indentation", "yaml"
        )
    except (yaml.YAMLError, RecursionError, ValueError) as wrong:
        problems.add(Mark(document, 1, 1), f"not YAML: {quoted(str(wrong))}", "", "yaml")
    return None


def _decoded(content: bytes, document: PolicySource, problems: Problems) -> str:
    if len(content) > MAX_BYTES:
        problems.add(Mark(document, 1, 1), "the file is too large for a policy", f"at most {MAX_BYTES} bytes", "limit")
        raise _Stop
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        good = content[: wrong.start].decode("utf-8-sig", "replace")
        problems.add(
            _place(document, good, len(good)), "a byte that is not UTF-8", "save the file as UTF-8", "encoding"
        )
        raise _Stop from None
    bad = FORBIDDEN.search(text)
    if bad:
        code = f"U+{ord(bad.group()):04X}"
        problems.add(_place(document, text, bad.start()), f"the control character {code}", "remove it", "encoding")
        raise _Stop
    return text


def _place(document: PolicySource, text: str, offset: int) -> Mark:
    before = text[:offset]
    return Mark(document, before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


class _NodeBuilder:
    """Builds nodes from events, counting as it goes."""

    def __init__(self, text: str, document: PolicySource, problems: Problems) -> None:
        self.loader = LOADER(text)
        self.source = document
        self.problems = problems
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.count = 0

    def document(self) -> Node | None:
        try:
            self._next(yaml.StreamStartEvent)
            if self.loader.check_event(yaml.StreamEndEvent):
                return None
            self._next(yaml.DocumentStartEvent)
            root = self._node(0)
            self._next(yaml.DocumentEndEvent)
            if not self.loader.check_event(yaml.StreamEndEvent):
                event = self.loader.peek_event()
                self._refuse(self._mark(event), "a second document", "one policy per file", "yaml")
            return root
        finally:
            self.loader.dispose()

    def _next(self, kind: type) -> Any:
        event = self.loader.get_event()
        if not isinstance(event, kind):
            self._refuse(self._mark(event), "not a YAML document", "", "yaml")
        return event

    def _mark(self, event: Any) -> Mark:
        return Mark(self.source, event.start_mark.line + 1, event.start_mark.column + 1)

    def _refuse(self, mark: Mark, what: str, right: str, code: str) -> None:
        self.problems.add(mark, what, right, code)
        raise _Stop

    def _node(self, depth: int) -> Node:
        event = self.loader.get_event()
        mark = self._mark(event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, mark)
        if depth > MAX_DEPTH:
            self._refuse(mark, "nested too deeply", f"at most {MAX_DEPTH} levels", "limit")
        if event.tag is not None:
            written = event.tag.replace("tag:yaml.org,2002:", "!!", 1)
            self.problems.add(mark, f"the tag {quoted(written)}", "a policy holds no tags; remove it", "tag")
        before = self.count
        self._charge(mark, 1)
        node = self._content(event, mark, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = (node, self.count - before)
        return node

    def _charge(self, mark: Mark, nodes: int) -> None:
        self.count += nodes
        if self.count > MAX_NODES:
            self._refuse(mark, "too many values", f"at most {MAX_NODES}, aliases counted in full", "limit")

    def _alias(self, event: Any, mark: Mark) -> Node:
        if event.anchor not in self.anchors:
            self._refuse(mark, f"the alias {quoted('*' + event.anchor)}", "put anchors before their aliases", "alias")
        node, size = self.anchors[event.anchor]
        self._charge(mark, size)
        return node

    def _content(self, event: Any, mark: Mark, depth: int) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, mark)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(mark, depth)
        return self._mapping(mark, depth)

    def _scalar(self, event: Any, mark: Mark) -> Scalar:
        text: str = event.value
        if len(text) > MAX_SCALAR:
            self._refuse(mark, "a text that is too long", f"at most {MAX_SCALAR} characters", "limit")
        if FORBIDDEN.search(text):
            self.problems.add(mark, "a text with an escaped control character", "remove it", "encoding")
        return Scalar(text, event.style not in QUOTES, mark)

    def _sequence(self, mark: Mark, depth: int) -> Sequence:
        items = []
        while not self.loader.check_event(yaml.SequenceEndEvent):
            items.append(self._node(depth + 1))
        self.loader.get_event()
        return Sequence(tuple(items), mark)

    def _mapping(self, mark: Mark, depth: int) -> Mapping:
        entries: dict[str, tuple[Scalar, Node]] = {}
        while not self.loader.check_event(yaml.MappingEndEvent):
            key = self._node(depth + 1)
            value = self._node(depth + 1)
            self._enter(entries, key, value)
        self.loader.get_event()
        return Mapping(tuple(entries.values()), mark)

    def _enter(self, entries: dict[str, tuple[Scalar, Node]], key: Node, value: Node) -> None:
        if not isinstance(key, Scalar) or (key.plain and not key.text):
            self.problems.add(key.mark, "a key that is not text", "keys are names", "key")
        elif key.plain and key.text == "<<":
            self.problems.add(key.mark, "the merge key <<", "use extends, or write the entries out", "key")
        elif key.text in entries:
            first = entries[key.text][0].mark.line
            self.problems.add(key.mark, f"the key {quoted(key.text)} appears twice", f"see line {first}", "duplicate")
        else:
            entries[key.text] = (key, value)
