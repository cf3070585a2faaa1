"""Finding and loading the manifest: the nearest ``auditor.yaml`` upwards, with those that it includes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os.path import lexists
from pathlib import Path

from auditor.errors import UsageError
from auditor.gate._approval_files import (
    ApprovalFile,
    ApprovalPlace,
    Declared,
    approvals_at,
    check_spelling,
    declared_in,
    place_of,
)
from auditor.gate._schema import Manifest, Release, Trusted
from auditor.gate.signatures.signers import with_keys
from auditor.policy.packs import PackName, starter_file
from auditor.policy.reading import (
    Mark,
    Problems,
    Scalar,
    Sequence,
    quoted,
    reachable,
    read,
    read_block,
    read_tree,
    reported,
    repository_of,
    resolve,
    roots_for,
)

NAME = "auditor.yaml"
OF_THE_FIRST = frozenset({"trusted", "reports", "include", "weakenings", "other_tables"})
"""What an included manifest does not say: there is one place for it."""
MOST_INCLUDED = 200


@dataclass(frozen=True)
class ManifestEntry:
    """One release as a manifest names it; `folder` is that manifest's, resolved."""

    name: str
    release: Release
    folder: Path
    marks: dict[str, Mark]

    def mark(self, field: str) -> Mark:
        """The place of a field, or of the release where the field was not written."""
        path = f"releases/{self.name}"
        return self.marks.get(f"{path}/{field}" if field else path, self.marks[path])

    def policy(self, problems: Problems) -> Path | str | None:
        """The release's policy: a file, or the name of a starter pack; None, with a problem noted, for neither."""
        named = self.release.policy
        if "/" not in named and not lexists(self.folder / named) and starter_file(named) is not None:
            return PackName(named)
        return resolve(named, self.mark("policy"), problems)


@dataclass(frozen=True)
class LoadedManifest:
    """A manifest with all that it includes."""

    file: Path
    entries: dict[str, ManifestEntry]
    trusted: Trusted
    reports: tuple[tuple[str, Mark], ...]
    place: ApprovalPlace | None
    """Where the approvals stand, if not in the manifest itself."""
    declared: tuple[Declared, ...]
    marks: dict[str, Mark]
    files: tuple[Path, ...] = ()
    """Its own file and those that it includes, resolved."""
    include: tuple[str, ...] = ()
    """What it includes, as it names that."""
    other_tables: tuple[Path, ...] = ()
    """Where tables may lie that are no release, by globs."""


def find(start: Path, top: Path) -> Path:
    """The nearest manifest from a folder upwards to the top of the repository."""
    folders = [start, *(parent for parent in start.parents if parent.is_relative_to(top))]
    found = next((folder / NAME for folder in folders if (folder / NAME).exists()), None)
    if found is None:
        raise UsageError(f"there is no {NAME} here or in a folder above; the manifest names what is released")
    return found


def load(file: Path) -> LoadedManifest:
    """The manifest in a file.

    Raises:
        PolicyError: with every problem of it and of those that it includes.
    """
    with reported() as problems:
        loaded = _load(file, problems)
    if loaded is None:
        raise problems.error()
    return loaded


def entries_of(file: Path) -> tuple[ManifestEntry, ...]:
    """The releases that a manifest, and those that it includes, name.

    Raises:
        PolicyError: the manifest is wrong.
    """
    return tuple(load(file).entries.values())


def policies_of(file: Path) -> list[Path]:
    """The policy files that a manifest, and those that it includes, name for their releases, each once.

    Raises:
        PolicyError: the manifest is wrong, or names a policy that cannot be read.
    """
    with reported() as problems:
        found = [entry.policy(problems) for entry in load(file).entries.values()]
    return list(dict.fromkeys(policy for policy in found if isinstance(policy, Path)))


def _load(file: Path, problems: Problems) -> LoadedManifest | None:
    roots = roots_for(file.parent.resolve())
    final = file.resolve()
    if not reachable(final, roots):
        problems.add(file.name, "a link out of the repository", "a file inside it", "escape")
        return None
    tree = read_tree(final, problems)
    if tree is None:
        return None
    named = tree.get("weakenings")
    place: ApprovalPlace | None = None
    files: tuple[ApprovalFile, ...] = ()
    if isinstance(named, Scalar) and not named.is_null:
        place = place_of(named, final.parent, problems)
        files = () if place is None else approvals_at(place, repository_of(final.parent), problems, named.mark)
        tree = tree.put("weakenings", Sequence((), named.mark))
    manifest, marks = read_block(with_keys(tree, problems), Manifest, problems)
    if manifest is None:
        return None
    if manifest.weakenings:
        check_spelling(manifest.weakenings, read(final, file.name, problems) or b"", marks, problems)
    if place is None and manifest.trusted.unsigned == "forbidden":
        right = "weakenings: approvals/*.yaml, where approvals can be signed"
        problems.add(marks["trusted/unsigned"], "unsigned approvals are forbidden, and none can be signed", right)
    loaded = LoadedManifest(
        file=file,
        entries=_entries(manifest, final.parent, marks),
        trusted=manifest.trusted,
        reports=tuple((name, marks[f"reports/{i}"]) for i, name in enumerate(manifest.reports)),
        place=place,
        declared=tuple(map(Declared, manifest.weakenings)) or declared_in(files),
        marks=marks,
        other_tables=tuple(final.parent / name for name in manifest.other_tables),
    )
    loaded = _including(loaded, manifest, final, problems)
    if not loaded.entries:
        problems.add(marks[""], "no release", "releases: name what is released, and under which policy", "empty")
    return loaded


def _entries(manifest: Manifest, folder: Path, marks: dict[str, Mark]) -> dict[str, ManifestEntry]:
    return {name: ManifestEntry(name, release, folder, marks) for name, release in manifest.releases.items()}


def _including(loaded: LoadedManifest, manifest: Manifest, file: Path, problems: Problems) -> LoadedManifest:
    entries = dict(loaded.entries)
    done = {file}
    for index, pattern in enumerate(manifest.include):
        mark = loaded.marks[f"include/{index}"]
        for found in matching(file.parent, pattern, mark, problems):
            if found in done:
                continue
            done.add(found)
            if len(done) > MOST_INCLUDED:
                problems.add(mark, "too many manifests", f"at most {MOST_INCLUDED}", "limit")
                break
            for name, entry in _included(found, mark, problems).items():
                if name in entries:
                    what = f"the release {quoted(name)} appears twice"
                    problems.add(entry.mark(""), what, f"see {entries[name].mark('')}", "duplicate")
                else:
                    entries[name] = entry
    return replace(loaded, entries=entries, files=tuple(sorted(done)), include=manifest.include)


def matching(folder: Path, pattern: str, mark: Mark, problems: Problems) -> list[Path]:
    """The files of the repository that a path or glob names, resolved; none is a problem."""
    if Path(pattern).is_absolute() or ".." in Path(pattern).parts or "\0" in pattern:
        problems.add(mark, f"{quoted(pattern)} leads out", "a path below the manifest's folder", "escape")
        return []
    try:
        found = [file for file in sorted(folder.glob(pattern)) if file.is_file()]
    except (ValueError, OSError, IndexError):  # a pattern that is none; Path.glob(".") is an IndexError in Python 3.11
        found = []
    if not found:
        problems.add(mark, f"{quoted(pattern)} matches no file", "a path or glob of manifests", "file")
    kept = [path for file in found if reachable(path := file.resolve(), roots_for(folder))]
    if len(kept) < len(found):
        problems.add(mark, f"{quoted(pattern)} matches a link out of the repository", "files inside it", "escape")
    return kept


def _included(file: Path, mark: Mark, problems: Problems) -> dict[str, ManifestEntry]:
    tree = read_tree(file, problems, mark)
    if tree is None:
        return {}
    for key, _ in tree.entries:
        if key.text in OF_THE_FIRST:
            problems.add(
                key.mark, f"{key.text} in an included manifest", "state it in the manifest that includes this one"
            )
    manifest, marks = read_block(tree.without(OF_THE_FIRST), Manifest, problems)
    return {} if manifest is None else _entries(manifest, file.parent, marks)
