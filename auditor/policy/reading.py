"""Other YAML files than policies, read with the same care: limits, places, nearest spellings, all problems at once."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from auditor.policy.base import Block, FileReference, Stricter
from auditor.policy.fields import choices_of, directions, order
from auditor.policy.file.files import destination, display, inside, reachable, read, repository_of, resolve, roots_for
from auditor.policy.file.nodes import Mapping, Mark, Node, PolicySource, Scalar, Sequence, shown
from auditor.policy.file.problems import Problems, TooManyProblems, did_you_mean, one_of, quoted, reported
from auditor.policy.file.reader import FAILED, PolicyReader
from auditor.policy.file.yaml import parse

__all__ = [
    "Block",
    "FileReference",
    "Mapping",
    "Mark",
    "Node",
    "Problems",
    "Scalar",
    "Sequence",
    "Stricter",
    "TooManyProblems",
    "choices_of",
    "destination",
    "did_you_mean",
    "directions",
    "display",
    "inside",
    "one_of",
    "order",
    "parsed",
    "quoted",
    "reachable",
    "read",
    "read_block",
    "read_tree",
    "reported",
    "repository_of",
    "resolve",
    "roots_for",
]

AnyBlock = TypeVar("AnyBlock", bound=BaseModel)


def read_tree(file: Path, problems: Problems, mark: Mark | None = None) -> Mapping | None:
    """The mapping that a YAML file holds; None, with problems noted, where it holds none.

    Args:
        file: the file, resolved.
        problems: where problems are noted.
        mark: the place that names the file, if another file does.
    """
    content = read(file, mark or display(file), problems)
    return None if content is None else parsed(content, file, problems)


def parsed(content: bytes, file: Path, problems: Problems) -> Mapping | None:
    """As `read_tree`, of what a file holds."""
    document = PolicySource(display(file), file.parent, roots_for(file.parent))
    before = len(problems.found)
    node = parse(content, document, problems)
    if node is None and len(problems.found) == before:
        problems.add(Mark(document, 1, 1), "the file is empty", "a mapping", "value")
    elif node is not None and not isinstance(node, Mapping):
        problems.add(node.mark, f"{shown(node)} was read", "a mapping", "value")
    return node if isinstance(node, Mapping) else None


def read_block(tree: Mapping, kind: type[AnyBlock], problems: Problems) -> tuple[AnyBlock | None, dict[str, Mark]]:
    """A block from a mapping, and the place of each value in it; None, with problems noted, where it is wrong."""
    reader = PolicyReader(problems)
    found = reader.model(tree, kind)
    return (None if found is FAILED else found), reader.marks
