"""What is found by being there: the public modules of a room, each one thing under its own name.

A room is a package, such as ``auditor.models``; a public module of it (no underscore in front) is one model, one
reader, one format. Its name is the module's, with hyphens for underscores. Names cost the listing of a folder; a module
is imported when somebody asks for it, so that nobody pays for what he does not use.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Generic, TypeVar

T = TypeVar("T")


@cache
def names(room: str) -> tuple[str, ...]:
    """What stands in a room, in alphabetical order."""
    found = (module.name for module in pkgutil.iter_modules(import_module(room).__path__))
    return tuple(sorted(name.replace("_", "-") for name in found if not name.startswith("_")))


def module(room: str, name: str) -> ModuleType:
    """The module of that name; `KeyError` where the room has none."""
    if name not in names(room):
        raise KeyError(name)
    return import_module(f"{room}.{name.replace('-', '_')}")


def classes(room: str, kind: type[T]) -> Iterator[type[T]]:
    """The classes of a kind that the room's modules define, public ones alone."""
    for name in names(room):
        yield from classes_of(module(room, name), kind)


def classes_of(home: ModuleType, kind: type[T]) -> Iterator[type[T]]:
    """The public classes of a kind that a module defines."""
    for _, found in inspect.getmembers(home, inspect.isclass):
        if issubclass(found, kind) and found.__module__ == home.__name__ and not found.__name__.startswith("_"):
            yield found


class Family(Mapping[str, type[T]], Generic[T]):
    """The one public class of each module of a room, by the module's name, in alphabetical order."""

    def __init__(self, room: str, kind: type[T]) -> None:
        self._room, self._kind = room, kind
        self._imported: dict[str, type[T]] = {}

    def __getitem__(self, name: str) -> type[T]:
        """The class, whose module is imported on first use; `KeyError` if there is none."""
        if name not in self._imported:
            found = list(classes_of(module(self._room, name), self._kind))
            if len(found) != 1:
                raise TypeError(f"{self._room}.{name} has {len(found)} public classes of its kind; it needs one")
            self._imported[name] = found[0]
        return self._imported[name]

    def __contains__(self, name: object) -> bool:
        return name in names(self._room)

    def __iter__(self) -> Iterator[str]:
        return iter(names(self._room))

    def __len__(self) -> int:
        return len(names(self._room))


class Ground(IntEnum):
    """What a reader knows its files by: the surer is asked first."""

    NAME = 0
    """The ending of the file's name, whatever is in it."""
    CONTENTS = 1
    """What only files of its format hold."""
    LIKENESS = 2
    """What others may hold, too: the reader takes what no surer one does."""


def in_turn(room: str) -> Iterator[tuple[str, ModuleType]]:
    """The readers of a room in the order in which they are asked: by their `GROUND`, then by name."""
    found = ((name, module(room, name)) for name in names(room))
    yield from sorted(found, key=lambda each: (each[1].GROUND, each[0]))
