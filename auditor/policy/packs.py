"""Starter policies: where they are, and what they say about themselves."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from os.path import isfile
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from auditor.policy.base import Block, Stricter

PACK_KEYS = frozenset({"version", "name", "description", "extends", "pack", "attributes", "requirements", "outputs"})
"""What a starter pack may contain: it says what must hold, never how a release is made or excused."""


class Pack(Block):
    """Where a starter pack has its figures from."""

    title: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="What the figures are taken from.")
    source: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="The text that contains them.")
    edition: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Which edition of it.")
    checked_on: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="When it was last read.")
    certainty: Annotated[Literal["A", "B", "C"] | None, Stricter.NEUTRAL] = Field(
        None, description="A: primary text seen. B: reliable second hand. C: from memory."
    )
    notice: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="What the pack does not cover.")


class PackName(str):
    """The name of a starter pack, where it has been settled that the pack is meant: no file takes its place."""

    __slots__ = ()


def starter_policies() -> Traversable:
    """The folder of starter policies: inside the wheel, or at the top of a source checkout."""
    packaged = files("auditor") / "policies"
    if packaged.is_dir():
        return packaged
    return Path(__file__).resolve().parents[2] / "policies"


def starter_names() -> list[str]:
    """The names that `extends` accepts: every ``<name>.yaml`` and ``<name>/policy.yaml`` of the folder."""
    folder = starter_policies()
    if not folder.is_dir():
        return []
    names = {entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")}
    return sorted(names | {entry.name for entry in folder.iterdir() if (entry / "policy.yaml").is_file()})


def starter_file(name: str) -> Path | None:
    """The file of a starter pack, or None when there is none of that name."""
    folder = Path(str(starter_policies()))
    candidates = (folder / f"{name}.yaml", folder / name / "policy.yaml")
    # Path.is_file raises where a name is too long.
    return next((file for file in candidates if isfile(file)), None)  # noqa: PTH113


def starter_name(file: Path) -> str | None:
    """The name of the starter pack that a resolved file is; None for any other file."""
    name = file.parent.name if file.name == "policy.yaml" else file.stem
    found = starter_file(name)
    return name if found is not None and found.resolve() == file else None
