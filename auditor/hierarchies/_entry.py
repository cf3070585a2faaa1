"""How a policy writes a hierarchy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from auditor.block import Block
from auditor.hierarchies._base import Hierarchy


class HierarchyEntry(Block):
    """A mapping of the policy whose first key is the name of its file; `hierarchy` makes it one.

    The file's name is the hierarchy's, and the key that tells a policy's entry from others.
    """

    @property
    def plain(self) -> Mapping[str, Any]:
        """The entry as plain values, which `auditor.hierarchies` builds from."""
        return self.model_dump(mode="json")

    @property
    def is_found(self) -> bool:
        """Whether the files that it names are there."""
        return True

    @classmethod
    @abstractmethod
    def built(cls, given: Any, options: Mapping[str, Any], /) -> Hierarchy:
        """The hierarchy: from what stands under the name, and what stands beside it and is not null."""
