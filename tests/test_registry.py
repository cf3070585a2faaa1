"""The finder: what stands in a room is found, in a fixed order, and nothing else lists it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from auditor import registry
from auditor.outputs.readers._reader import Documents, Tables, Texts
from tests.workshop.pages import ROOT

PROTOCOLS = {
    "auditor.report.formats": ("ABOUT", "MEDIA_TYPE", "NEEDS", "write"),
    "auditor.queries.logs": ("ABOUT", "GROUND", "is_one", "read"),
    "auditor.outputs.readers": ("ABOUT", "FORMAT", "GROUND", "READERS"),
    "auditor.outputs.hiding.methods": ("HOW", "SOURCE", "hide"),
    "auditor.outputs.checks": ("check",),
    "auditor.queries.measures": ("numbers",),
    "auditor.engines.foreign": ("read",),
}
"""What each file of a room has."""


@pytest.mark.parametrize("room", PROTOCOLS)
def test_every_file_of_a_room_is_found_and_has_what_its_door_asks_for(room: str) -> None:
    folder = ROOT / room.replace(".", "/")
    there = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    public = {name.replace("_", "-") for name in there if not name.startswith("_")}
    assert registry.names(room) == tuple(sorted(public))
    for name in public:
        assert [each for each in PROTOCOLS[room] if not hasattr(registry.module(room, name), each)] == []


@pytest.mark.parametrize("name", ["_base", "..", "", "os", "k_anonymity", "k-anonymity.", "__init__"])
def test_what_stands_in_no_room_is_not_imported(name: str) -> None:
    with pytest.raises(KeyError):
        registry.module("auditor.models", name)


@pytest.mark.parametrize("room", [room for room, has in PROTOCOLS.items() if "GROUND" in has])
def test_surer_readers_are_asked_first_and_else_in_alphabetical_order(room: str) -> None:
    asked = [(module.GROUND, name) for name, module in registry.in_turn(room)]
    assert asked == sorted(asked)
    assert {name for _, name in asked} == set(registry.names(room))


def test_every_reader_of_outputs_reads_one_kind_of_file_or_more() -> None:
    for name in registry.names("auditor.outputs.readers"):
        readers = registry.module("auditor.outputs.readers", name).READERS
        assert readers
        assert all(isinstance(reader, Texts | Tables | Documents) for reader in readers)


def test_nothing_else_looks_for_modules() -> None:
    assert _with(r"\b(pkgutil|iter_modules)\b", ROOT.glob("auditor/**/*.py")) == {"auditor/registry.py"}


def test_formats_are_named_together_in_their_own_files_alone() -> None:
    """A list of formats kept by hand has two of these names in one line."""
    code = (path for path in ROOT.glob("auditor/**/*.py") if "formats" not in path.parts)
    assert _with(r"[\"'.](sarif|junit|gitlab)[\"'].*[\"'.](sarif|junit|gitlab|github|md)[\"']", code) == set()


def _with(pattern: str, files: Iterable[Path]) -> set[str]:
    """The files in which a line has the pattern."""
    found = re.compile(pattern)
    return {path.relative_to(ROOT).as_posix() for path in files if found.search(path.read_text(encoding="utf-8"))}
