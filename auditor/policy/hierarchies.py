"""The specification of a column's ladder of coarser values: what a policy says about it.

The entries stand beside their builders in `auditor.hierarchies`, one per file, and are found there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Union

from auditor.hierarchies import HierarchyEntry, entries, words

if TYPE_CHECKING:
    Hierarchy = HierarchyEntry | Literal["suppress"]
else:
    Hierarchy = Union[(*entries().values(), Literal[words()])]
"""How a column is generalized; ``suppress``: as is, or ``*``."""
