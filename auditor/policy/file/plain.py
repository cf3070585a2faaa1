"""Python mappings to nodes, so that a policy given from Python meets the same checks as one read from a file."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from datetime import date
from decimal import Decimal
from pathlib import PurePath

from auditor.policy.file.nodes import Mapping, Mark, Node, PolicySource, Scalar, Sequence
from auditor.policy.file.problems import Problems
from auditor.policy.file.yaml import MAX_DEPTH, MAX_NODES


class _PlainBuilder:
    def __init__(self, document: PolicySource, problems: Problems) -> None:
        self.document = document
        self.problems = problems
        self.count = 0

    def node(self, value: object, path: tuple[str, ...]) -> Node:
        mark = Mark(self.document, 0, 0, "/".join(path))
        self.count += 1
        if len(path) > MAX_DEPTH or self.count > MAX_NODES:
            self.problems.add(mark, "too deep or too large for a policy", "", "limit")
            return Scalar("", True, mark)
        if isinstance(value, AnyMapping):
            entries = []
            for name, item in value.items():
                inner = (*path, str(name))
                entries.append(
                    (Scalar(str(name), False, Mark(self.document, 0, 0, "/".join(inner))), self.node(item, inner))
                )
            return Mapping(tuple(entries), mark)
        if isinstance(value, (list, tuple, set, frozenset)):
            items = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
            return Sequence(tuple(self.node(item, (*path, str(i))) for i, item in enumerate(items)), mark)
        return self._scalar(value, mark)

    def _scalar(self, value: object, mark: Mark) -> Scalar:
        if value is None:
            return Scalar("", True, mark)
        if isinstance(value, bool):
            return Scalar("true" if value else "false", True, mark)
        if isinstance(value, (int, float)):
            return Scalar(repr(value), True, mark)
        if isinstance(value, Decimal):
            return Scalar(str(value), True, mark)
        if isinstance(value, (str, PurePath, date)):
            return Scalar(str(value), False, mark)
        self.problems.add(mark, f"a {type(value).__name__}", "text, numbers, true, false, lists and mappings", "type")
        return Scalar("", True, mark)


def from_python(value: object, document: PolicySource, problems: Problems) -> Node:
    """The tree of a Python value."""
    return _PlainBuilder(document, problems).node(value, ())
