"""Tree: nested names, ``{Any: {Europe: [DE, FR], Asia: [JP]}}``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Field
from typing_extensions import TypeAliasType

from auditor.direction import Stricter
from auditor.errors import HierarchyError
from auditor.hierarchies._base import MAX_HEIGHT, Hierarchy
from auditor.hierarchies._entry import HierarchyEntry
from auditor.hierarchies._listed import ListedHierarchy, shown


def tree(nested: Mapping[str, Any]) -> ListedHierarchy:
    """A hierarchy from nested mappings and lists: a name stands above what it holds.

    The levels are as given: one name at the root is the top level, several are a top level of several values. Where
    branches differ in length, the value of a short one is repeated below its first name.

    >>> tree({"Any": {"Europe": ["DE", "FR"], "Moon": []}})
    Traceback (most recent call last):
    auditor.errors.HierarchyError: 'Moon' has nothing under it in the tree; list the values under it
    """
    paths = list(_paths(nested, ()))
    depth = max(map(len, paths), default=0)
    rows = [(path[-1],) * (depth - len(path)) + tuple(reversed(path)) for path in paths]
    return ListedHierarchy(rows, "the tree")


def _paths(node: Any, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every leaf with the names above it, from the root down."""
    if len(above) > MAX_HEIGHT:
        raise HierarchyError("the tree is nested too deeply", f"at most {MAX_HEIGHT} levels are supported")
    if isinstance(node, Mapping):
        for name, inner in node.items():
            if not inner:
                raise HierarchyError(f"{shown(str(name))} has nothing under it in the tree", "list the values under it")
            yield from _paths(inner, (*above, str(name)))
    elif isinstance(node, Sequence) and not isinstance(node, str):
        for inner in node:
            yield from _paths(inner, above)
    else:
        yield (*above, str(node))


if TYPE_CHECKING:
    Tree = dict[str, Any]
else:
    Tree = TypeAliasType("Tree", dict[str, Union["Tree", tuple[str, ...]]])
"""Nested groups: names of coarser values, at the bottom a list of the finest."""


class TreeHierarchy(HierarchyEntry):
    """Levels as nested groups give them; the top has one name."""

    tree: Annotated[Tree, Stricter.REVIEW] = Field(min_length=1, description="Nested groups of values.")

    @classmethod
    def built(cls, given: Any, _: Mapping[str, Any], /) -> Hierarchy:
        """See `Entry`."""
        return tree(given)
