"""What a command line leaves out and the nearest auditor.yaml says: the policy, and the data of a release."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import UsageError
from auditor.policy.find import MANIFEST, nearest_manifest

if TYPE_CHECKING:
    from auditor.gate import ManifestEntry


def completed(data: str | None, policy: str | None) -> tuple[str, str]:
    """Data and policy of a release: as given, and what is not given of the one release that has the other.

    Raises:
        UsageError: there is no manifest, or it has no such release, or several.
    """
    if data is not None and policy is not None:
        return data, policy
    found = [each for each in _entries("DATA and -p POLICY") if each.release.data is not None]
    if data is not None:
        found = [each for each in found if _is(each, each.release.data, data)]
    if policy is not None:
        found = [each for each in found if _is(each, each.release.policy, policy)]
    chosen = _one(found, lambda each: (each.release.data, each.release.policy))
    return data or _place(chosen, str(chosen.release.data)), policy or _place(chosen, chosen.release.policy)


def policy_for(table: str, policy: str | None) -> str:
    """The policy of the release that is made from a table, or that has it; of the only one where none is.

    Raises:
        UsageError: there is no manifest, or several releases have policies for it.
    """
    if policy is not None:
        return policy
    entries = _entries("-p POLICY")
    found = [
        each for each in entries if any(_is(each, own, table) for own in (each.release.original, each.release.data))
    ]
    chosen = _one(found or entries, lambda each: each.release.policy)
    return _place(chosen, chosen.release.policy)


def _entries(wanted: str) -> Sequence[ManifestEntry]:
    manifest = nearest_manifest(Path.cwd())
    if manifest is None:
        raise UsageError(f"give {wanted}; only where an {MANIFEST} names releases is it found there")
    from auditor.gate import entries_of

    return entries_of(manifest)


def _one(found: Sequence[ManifestEntry], what: Callable[[ManifestEntry], object]) -> ManifestEntry:
    """The only entry, or the first of several that say the same."""
    if len({what(each) for each in found}) != 1:
        names = ", ".join(each.name for each in found)
        which = f"has several releases that fit ({names})" if found else "has no release that fits"
        raise UsageError(f"the {MANIFEST} {which}; give DATA and -p POLICY")
    return found[0]


def _is(entry: ManifestEntry, named: str | None, given: str) -> bool:
    """Whether what the manifest names is what was given: the same place, or a starter pack's name."""
    return named is not None and (named == given or os.path.realpath(entry.folder / named) == os.path.realpath(given))


def _place(entry: ManifestEntry, named: str) -> str:
    """What the manifest names, from the current folder; an address or a starter pack as it is."""
    path = entry.folder / named
    is_name = ":" in named or (not path.exists() and "/" not in named and not any(each in named for each in "*?["))
    return named if is_name else os.path.relpath(path)
