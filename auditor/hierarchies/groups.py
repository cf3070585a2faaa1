"""Groups: listed groups of values, ``{north, east}``, then ``*``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, field_validator

from auditor.direction import Stricter
from auditor.errors import HierarchyError
from auditor.hierarchies._base import STAR, Hierarchy
from auditor.hierarchies._entry import HierarchyEntry
from auditor.hierarchies._listed import ListedHierarchy


def groups(listed: Sequence[Sequence[str]]) -> ListedHierarchy:
    """A hierarchy with one level of groups, named by their values in the policy's order.

    >>> groups([["north", "east"], ["south", "west"]]).ladder(["west", "north"], "region").levels
    (('west', 'north'), ('{south, west}', '{north, east}'), ('*', '*'))
    """
    if not all(listed):
        raise HierarchyError("a group is empty", "list the values that belong together, as in [[north, east], [south]]")
    top = (STAR,) if len(listed) > 1 else ()
    rows = [(value, "{" + ", ".join(group) + "}", *top) for group in listed for value in group]
    return ListedHierarchy(rows, "the list of groups")


class GroupHierarchy(HierarchyEntry):
    """One level of named-by-membership groups of values."""

    groups: Annotated[tuple[Annotated[tuple[str, ...], Field(min_length=1)], ...], Stricter.REVIEW] = Field(
        min_length=1, description="Lists of values that become one."
    )

    @field_validator("groups")
    @classmethod
    def _disjoint(cls, groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        values = [value for group in groups for value in group]
        twice = sorted({value for value in values if values.count(value) > 1}) if len(values) < 2000 else []
        if twice or len(set(values)) < len(values):
            raise ValueError(f"a value may be in one group only ({', '.join(twice[:3]) or 'some are in two'})")
        return groups

    @classmethod
    def built(cls, given: Any, _: Mapping[str, Any], /) -> Hierarchy:
        """See `Entry`."""
        return groups(given)
