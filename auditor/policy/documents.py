"""Other files beside policies, as blocks that know where each of their values stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from auditor.policy.base import Block
from auditor.policy.file.files import display
from auditor.policy.file.nodes import Mark
from auditor.policy.file.problems import Problems
from auditor.policy.file.reader import FAILED, PolicyReader
from auditor.policy.reading import read_tree

AnyBlock = TypeVar("AnyBlock", bound=Block)


@dataclass(frozen=True)
class Read(Generic[AnyBlock]):
    """A file as a block, with the place of each value and the resolved files that it names."""

    block: AnyBlock
    file: str
    marks: dict[str, Mark]
    files: dict[str, Path] = field(default_factory=dict)

    def mark(self, path: str) -> Mark:
        """The place of a value, or of the nearest block around it that was written."""
        while path not in self.marks:
            path = path.rpartition("/")[0]
        return self.marks[path]


def read_document(path: Path, wanted: type[AnyBlock], problems: Problems) -> Read[AnyBlock] | None:
    """The block in a file; None with problems noted.

    Args:
        path: the file. What it names is confined to its own repository or folder, as for a policy.
        wanted: the block that it holds.
        problems: takes what is wrong, with file, line and column.
    """
    file = path.absolute().parent.resolve() / path.name
    tree = read_tree(file, problems)
    if tree is None:
        return None
    reader = PolicyReader(problems)
    block = reader.model(tree, wanted)
    return None if block is FAILED else Read(block, display(file), reader.marks, reader.files)
