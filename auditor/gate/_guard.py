"""Files that must not be committed: originals of releases, tables that no release names, and keys of certificates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from os.path import normpath, relpath
from pathlib import Path

from auditor.certificates import KEY_ENDING, SecretKey
from auditor.engines import FOREIGN, column_names, open_data
from auditor.errors import AuditorError, PolicyError, UsageError
from auditor.gate._committed import named_by, named_of
from auditor.gate._manifest import NAME, LoadedManifest, find, load
from auditor.gate._places import path_of
from auditor.gate._tests import read_for
from auditor.policy import Policy, bind, load_policy
from auditor.policy.file.yaml_text import flow
from auditor.policy.find import project_policies
from auditor.policy.reading import destination, repository_of
from auditor.testing import discover

TABLES = (".csv", ".tsv", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".jsonl", ".ndjson")
"""What is looked into; compressed, too."""
CLOSED = (
    *(f".{name}" for name in FOREIGN), ".xls", ".xlsm", ".xlsb", ".zsav", ".por", ".xpt", ".rds", ".rda", ".rdata",
    ".orc", ".avro", ".mdb", ".accdb", ".duckdb", ".sqlite", ".sqlite3",
)  # fmt: skip
"""Tables of spreadsheets, statistical programs, databases; only the names of their columns are looked at, if at all."""
LARGEST = 32 << 20
"""Bytes of such a file that is looked at."""


def refused(files: Sequence[str], folder: Path | None = None) -> Iterator[str]:
    """Why files must not be committed, one sentence each; nothing for those that may.

    A file is refused that a manifest names as `original` of a release, a table that has a column which a policy of the
    project calls an identifier, or free text, a table that the manifest, its policies and their tests do not name, and
    the key of a certificate.

    Args:
        files: the files, relative to `folder` or absolute.
        folder: where to begin to look for the manifest; the current folder.

    Raises:
        PolicyError: the manifest, or a policy, is wrong.
    """
    start = (folder or Path.cwd()).resolve()
    manifest = _manifest(start)
    originals = {} if manifest is None else dict(_originals(manifest))
    policies = [load_policy(path) for path in project_policies(start)]
    paths = {name: destination(start / name) for name in files}
    tables = any(_is_table(path) or _is_table(path, CLOSED) for path in paths.values())
    named = [*_named(manifest, policies)] if manifest is not None and tables else []
    for name, path in paths.items():
        of = next((release for place, release in originals.items() if _is_in(path, place)), None)
        if of is not None:
            yield f"{name}: is the original of the release {of}"
        elif path.suffix == KEY_ENDING and SecretKey.beside(path.with_suffix("")) is not None:
            yield f"{name}: is the key of a certificate; with it the data can be guessed from the certificate's digests"
        elif _is_table(path):
            yield from (f"{name}: {why}" for why in [*_identifying(path, policies)] or _unnamed(path, manifest, named))
        elif _is_table(path, CLOSED):
            yield from (f"{name}: {why}" for why in [*_called(path, policies)] or _unnamed(path, manifest, named))


def _manifest(start: Path) -> LoadedManifest | None:
    try:
        return load(find(start, repository_of(start)))
    except UsageError:
        return None


def _named(manifest: LoadedManifest, policies: Sequence[Policy]) -> Iterator[Path]:
    """Where tables may lie: those of releases, of policies and of their tests, and the others that a manifest lists."""
    yield from manifest.other_tables
    for folder, text in (*named_of(manifest.entries.values()), *named_by(manifest)):
        yield folder / (path_of(text) or text)
    for policy in policies:
        yield from policy.sources
    top = repository_of(manifest.file.parent)
    with suppress(UsageError):  # there are no tests
        yield from read_for(discover([top]), top)


def _unnamed(path: Path, manifest: LoadedManifest | None, named: Sequence[Path]) -> Iterator[str]:
    if manifest is not None and not any(_is_in(path, place) for place in named):
        line = f"other_tables: {flow([relpath(path, manifest.file.parent)])}"
        yield f"no release of {NAME} names it; if it is not about people, say so there ({line})"


def _originals(manifest: LoadedManifest) -> Iterator[tuple[Path, str]]:
    """Where the originals of releases lie, whether or not they are there; a database by its file."""
    for entry in manifest.entries.values():
        for named in (*entry.release.texts("original"), *entry.release.texts("previous_original")):
            path = path_of(named)
            if path is not None:
                yield entry.folder / path, entry.name


def _is_in(path: Path, place: Path) -> bool:
    """Whether a file is what a path, folder or glob names, or lies in it."""
    return any(_matches(path.parts, Path(normpath(each)).parts) for each in (place, destination(place)))


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a path, or a folder on the way to it, is one that a pattern names; ``**`` is any number of folders."""
    if not pattern:
        return True
    if pattern[0] == "**":
        return any(_matches(parts[left_out:], pattern[1:]) for left_out in range(len(parts) + 1))
    alike = bool(parts) and (parts[0] == pattern[0] or fnmatchcase(parts[0], pattern[0]))
    return alike and _matches(parts[1:], pattern[1:])


def _is_table(path: Path, endings: Sequence[str] = TABLES) -> bool:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in (".gz", ".zst")]
    return path.is_file() and bool(suffixes) and suffixes[-1] in endings


def _identifying(path: Path, policies: Sequence[Policy]) -> Iterator[str]:
    try:
        with open_data(str(path)) as source:
            columns = [column.name for column in source.columns]
    except AuditorError as wrong:
        yield f"cannot be read ({wrong.code}), so it is not known what is in it"
        return
    yield from _found(columns, policies)


def _called(path: Path, policies: Sequence[Policy]) -> Iterator[str]:
    """What the names of columns say, where they are found; most of these files need not be like a release."""
    if path.suffix[1:].lower() in FOREIGN and path.stat().st_size <= LARGEST:
        yield from _found(column_names(path), policies)


def _found(columns: Sequence[str], policies: Sequence[Policy]) -> Iterator[str]:
    for policy in policies:
        try:
            found = bind(policy, columns).identifiers
        except PolicyError:
            continue  # two globs match one column, which judging the release will say
        if found:
            named = ", ".join(repr(column) for column in found)
            yield f"has what the policy {policy.name} calls an identifier or free text: {named}"
            return
