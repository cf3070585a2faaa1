"""The floors: policies of the base revision that every release must meet, whatever policy it names for itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.errors import NotEvaluated, PolicyError, UsageError
from auditor.gate._changes import files_of
from auditor.gate._manifest import LoadedManifest
from auditor.gate._sides import BaseSide
from auditor.policy import Policy, load_policy
from auditor.policy.compare import compare
from auditor.policy.packs import PackName, starter_file
from auditor.policy.reading import Problems, reported, resolve
from auditor.result.comparison import Difference


@dataclass(frozen=True)
class Floor:
    """A policy of the base revision, by the name that the manifest there gives it."""

    name: str
    policy: Policy


def floors_of(side: BaseSide | None) -> tuple[Floor, ...]:
    """The floors of the base revision; none where it has no manifest.

    Raises:
        NotEvaluated: one of them cannot be read, so that nothing can be held to it.
    """
    if side is None or side.manifest is None:
        return ()
    return tuple(Floor(name, _of_base(side, side.manifest, name)) for name in side.manifest.trusted.at_least)


def _of_base(side: BaseSide, manifest: LoadedManifest, name: str) -> Policy:
    file = manifest.file.parent / name
    path = os.path.normpath(os.path.relpath(file, side.snapshot.top))
    try:
        if path in side.snapshot.tree.files:
            side.snapshot.policy(path)
            found = load_policy(file)
            side.check(found)
            return found
        if starter_file(name) is not None and "/" not in name:
            return load_policy(PackName(name))
    except (PolicyError, UsageError, NotEvaluated) as wrong:
        raise NotEvaluated(f"the floor {name} of {side.called} is wrong: {str(wrong).splitlines()[0]}") from None
    raise NotEvaluated(f"the floor {name} is not a regular file in {side.called}")


def floors_loosened(floors: tuple[Floor, ...], manifest: LoadedManifest, top: Path) -> Iterator[Difference]:
    """What a change makes of the floors that it keeps; that it drops one stands with the trusted settings.

    Raises:
        PolicyError: a floor of the head is wrong, or a link, so that the next change could be held to nothing.
    """
    kept = {floor.name: floor.policy for floor in floors}
    for name, new in zip(manifest.trusted.at_least, _of_heads(manifest, top), strict=True):
        if new is not None and name in kept:
            # An approval is of what the files say now: their names may be what they were.
            found = [f"{path}: SHA-256 {digest}" for path, digest in sorted(files_of(new).items())]
            for each in compare(kept[name], new).differences:
                note = "; ".join([*([each.note] if each.note else []), *found]) or each.note
                yield replace(each, path=f"floors/{name}/{each.path}", note=note)


def floors_of_head(manifest: LoadedManifest, top: Path) -> list[Policy]:
    """The policies that a manifest of the working tree names as floors.

    Raises:
        PolicyError: one of them is wrong, or a link.
    """
    return [policy for policy in _of_heads(manifest, top) if policy is not None]


def _of_heads(manifest: LoadedManifest, top: Path) -> list[Policy | None]:
    floors = enumerate(manifest.trusted.at_least)
    with reported() as problems:
        return [_of_head(manifest, i, name, top, problems) for i, name in floors]


def _of_head(manifest: LoadedManifest, index: int, name: str, top: Path, problems: Problems) -> Policy | None:
    mark = manifest.marks[f"trusted/at_least/{index}"]
    file = Path(os.path.normpath(manifest.file.parent / name))
    if "/" not in name and not os.path.lexists(file) and starter_file(name) is not None:
        return load_policy(PackName(name))
    final = resolve(name, mark, problems)
    if final is None:
        return None
    if final != file or not final.is_relative_to(top):
        problems.add(mark, "a floor that is a link, or lies outside", "a policy file of the repository", "escape")
        return None
    return load_policy(final)
