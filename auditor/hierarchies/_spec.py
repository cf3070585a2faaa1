"""From the policy's words to a hierarchy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from auditor import registry
from auditor.errors import HierarchyError, nearest
from auditor.hierarchies._base import Hierarchy
from auditor.hierarchies._entry import HierarchyEntry
from auditor.hierarchies._ladder import Ladder

ROOM = __name__.rpartition(".")[0]
Spec = Mapping[str, Any] | str
"""A hierarchy as policies write it: ``{"mask": {"side": "right"}}``, ``{"prefix": [3, 2]}``, ``"suppress"``, …"""


@cache
def entries() -> dict[str, type[HierarchyEntry]]:
    """How policies write hierarchies that have parameters, by name."""
    found = registry.classes(ROOM, HierarchyEntry)  # type: ignore[type-abstract]
    return {entry.__module__.rpartition(".")[2]: entry for entry in found}


def words() -> tuple[str, ...]:
    """The hierarchies without parameters: a policy writes their name."""
    return tuple(name for name in registry.names(ROOM) if name not in entries())


def ladder_spec(entry: HierarchyEntry | str) -> Spec:
    """A policy's entry as the plain values that `build` reads, a file as its resolved path."""
    return entry if isinstance(entry, str) else entry.plain


def hierarchy(spec: Spec) -> Hierarchy:
    """The hierarchy that a policy describes. A `file` is given by its resolved path.

    >>> hierarchy({"prefix": [3, 2]}).level_of("E1*")
    2

    Raises:
        HierarchyError: the description, or the file it names, is wrong.
    """
    if isinstance(spec, str) and spec in words():
        word: Hierarchy = registry.module(ROOM, spec).built()
        return word
    kinds = [key for key in spec if key in entries()] if isinstance(spec, Mapping) else []
    if not isinstance(spec, Mapping) or len(kinds) != 1:
        name = spec if isinstance(spec, str) else next(iter(spec), "")
        known = registry.names(ROOM)
        raise HierarchyError(f"no hierarchy {name!r}{nearest(name, known)}", f"one of {', '.join(known)}")
    rest = {key: value for key, value in spec.items() if key != kinds[0] and value is not None}
    return entries()[kinds[0]].built(spec[kinds[0]], rest)


def build(spec: Spec, values: Sequence[str | None], column: str = "") -> Ladder:
    """The ladder of a column's distinct values (None: missing); `column` names it in messages.

    >>> build({"mask": {"side": "right"}}, ["123", "124"]).levels[1:]
    (('12*', '12*'), ('1**', '1**'), ('***', '***'))

    Raises:
        HierarchyError: the description, or the file it names, is wrong.
        UncoveredValues: values that the hierarchy does not cover; its text says neither which nor how many.
    """
    return hierarchy(spec).ladder(values, column)
