"""Entries that somebody pastes into a list of a YAML file: as lines, and where in which file they go.

The list may have entries, be empty, be missing, or stand in a file of its own.
"""

from __future__ import annotations

from collections.abc import Mapping as Plain
from collections.abc import Sequence as Several
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.policy.file.files import display, read, resolve, roots_for
from auditor.policy.file.nodes import Mapping, Node, PolicySource, Scalar, Sequence
from auditor.policy.file.problems import Problems, TooManyProblems
from auditor.policy.file.yaml import parse
from auditor.policy.file.yaml_text import yaml_text


@dataclass(frozen=True)
class Insertion:
    """Lines of YAML, the file that they go into, and where, in words; None: at its end."""

    lines: tuple[str, ...]
    file: Path
    where: str | None = None


def insertion(key: str, entries: Several[Plain[str, Any]], file: Path) -> Insertion:
    """What adds entries to the list that a file has under a key, or in another file which that key names.

    Args:
        key: of the file's mapping; a file that is named by it may hold the bare list.
        entries: plain values.
        file: resolved; one that is missing, or no YAML, is taken for empty.
    """
    block = tuple(yaml_text({key: [dict(each) for each in entries]}).splitlines())
    content, node, problems = *_tree(file), Problems()
    if isinstance(node, Mapping):
        mark = next((name.mark for name, _ in node.entries if name.text == key), node.mark)
        node = node.get(key)
        if isinstance(node, Scalar) and not node.is_null:
            other = resolve(node.text, node.mark, problems)
            return Insertion(block, file) if other is None else insertion(key, entries, other)
        if node is not None and not (isinstance(node, Sequence) and node.items):
            return Insertion(block, file, f"in place of line {mark.line}")
    if not isinstance(node, Sequence):
        return Insertion(block, file)
    if not node.items:
        return Insertion(block, file, f"in place of line {node.mark.line}")
    return _above(node.items[0].mark.line, block, content, file)


def _above(line: int, block: tuple[str, ...], content: bytes, file: Path) -> Insertion:
    """The entries alone, above the first one that is there and as far to the right."""
    written = content.decode("utf-8", "replace").splitlines()[line - 1]
    indent = len(written) - len(written.lstrip(" "))
    if not written[indent:].startswith("-"):
        return Insertion(block[1:], file, f"as entries of the list in line {line}")
    return Insertion(tuple(f"{' ' * indent}{each[2:]}" for each in block[1:]), file, f"above line {line}")


def _tree(file: Path) -> tuple[bytes, Node | None]:
    problems = Problems()
    try:
        content = read(file, file.name, problems) or b""
        return content, parse(content, PolicySource(display(file), file.parent, roots_for(file.parent)), problems)
    except TooManyProblems:
        return b"", None
