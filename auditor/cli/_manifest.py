"""What a command line leaves out and the nearest auditor.yaml says: the policy, and the data of a release."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from auditor.dialect import CsvDialect
from auditor.errors import UsageError
from auditor.policy.find import MANIFEST, nearest_manifest

if TYPE_CHECKING:
    from auditor.gate import ManifestEntry

BESIDE = ("outputs", "queries", "previous")
"""What a release may have besides its data, and the gate alone takes from there."""
_ADDRESS = re.compile("[a-z+]+:")


class JudgedTable(NamedTuple):
    """A table, the policy that judges it, how CSV files are written, and for whom it is."""

    data: str
    policy: str
    csv: CsvDialect
    recipients: tuple[str, ...] = ()
    purpose: str | None = None


def completed(data: str | None, policy: str | None, csv: CsvDialect, *, quiet: bool) -> JudgedTable:
    """What is given, completed from the one release of the manifest that fits it.

    Raises:
        UsageError: there is no manifest, or it has no such release, or several.
        PolicyError: the manifest is wrong.
    """
    if data is not None and policy is not None:
        return JudgedTable(data, policy, csv)
    found = [each for each in _entries("DATA and -p POLICY") if each.release.data is not None]
    found = [each for each in found if data is None or _is(_data(each, each.release.data), data)]
    found = [each for each in found if policy is None or _is(_policy(each), policy)]
    chosen = _one(found, lambda each: (_data(each, each.release.data), _policy(each), each.release.csv))
    beside = [role for role in BESIDE if getattr(chosen.release, role)]
    if beside and not quiet:
        told = f"release {chosen.name} also has {' and '.join(beside)}, which only auditor gate takes from there"
        click.echo(f"auditor: {told}", err=True)
    written = chosen.release.csv.dialect if csv == CsvDialect() else csv
    return JudgedTable(
        data or str(_data(chosen, chosen.release.data)),
        policy or _policy(chosen),
        written,
        tuple(dict.fromkeys(name for each in found for name in each.release.recipients)),
        "; ".join(dict.fromkeys(each.release.purpose for each in found if each.release.purpose)) or None,
    )


def policy_for(table: str, policy: str | None) -> str:
    """The policy of the release that is made from a table, or that has it; of the only one where none is.

    Raises:
        UsageError: there is no manifest, or several releases have policies for it.
        PolicyError: the manifest is wrong.
    """
    if policy is not None:
        return policy
    entries = _entries("-p POLICY")
    found = [
        each
        for each in entries
        if any(_is(_data(each, named), table) for named in (each.release.original, each.release.data))
    ]
    return _policy(_one(found or entries, _policy))


def _entries(wanted: str) -> Sequence[ManifestEntry]:
    manifest = nearest_manifest(Path.cwd())
    if manifest is None:
        raise UsageError(f"give {wanted}; only where an {MANIFEST} names releases is it found there")
    from auditor.gate import entries_of

    return entries_of(manifest)


def _one(found: Sequence[ManifestEntry], what: Callable[[ManifestEntry], object]) -> ManifestEntry:
    """The only entry, or the first of several that say the same."""
    said = [what(each) for each in found]
    if not said or any(each != said[0] for each in said):
        names = ", ".join(each.name for each in found)
        which = f"has several releases that fit ({names})" if found else "has no release that fits"
        raise UsageError(f"the {MANIFEST} {which}; give DATA and -p POLICY")
    return found[0]


def _data(entry: ManifestEntry, named: str | None) -> str | None:
    """What a manifest names, from the current folder; an address as it is."""
    return named if named is None or _ADDRESS.match(named) else os.path.relpath(entry.folder / named)


def _policy(entry: ManifestEntry) -> str:
    """The policy of a release: a file, from the current folder, or the name of a starter pack."""
    from auditor.policy.reading import reported

    with reported() as problems:
        found = entry.policy(problems)
    return os.path.relpath(found) if isinstance(found, Path) else str(found)


def _is(named: str | None, given: str) -> bool:
    """Whether a place, or a starter pack, is the one that was given."""
    return named is not None and (named == given or os.path.realpath(named) == os.path.realpath(given))
