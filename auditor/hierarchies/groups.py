"""Groups: listed groups of values, ``{north, east}``, then ``*``."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.errors import HierarchyError
from auditor.hierarchies._base import STAR
from auditor.hierarchies._listed import Listed


def groups(listed: Sequence[Sequence[str]]) -> Listed:
    """A hierarchy with one level of groups, named by their values in the policy's order.

    >>> groups([["north", "east"], ["south", "west"]]).ladder(["west", "north"], "region").levels
    (('west', 'north'), ('{south, west}', '{north, east}'), ('*', '*'))
    """
    if not all(listed):
        raise HierarchyError("a group is empty", "list the values that belong together, as in [[north, east], [south]]")
    top = (STAR,) if len(listed) > 1 else ()
    rows = [(value, "{" + ", ".join(group) + "}", *top) for group in listed for value in group]
    return Listed(rows, "the list of groups")
