"""The reports that a manifest wants written by every run.

A manifest may come from a stranger's branch: its reports stay inside the repository, are of a format that their name
tells, and take the place of no file that git knows or that a release is judged from.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.errors import UsageError
from auditor.gate import _manifest
from auditor.gate._manifest import LoadedManifest
from auditor.gate._places import path_of
from auditor.policy.git import Git
from auditor.policy.reading import Mark, Problems, destination, inside, quoted, reachable, reported, repository_of
from auditor.report.formats import endings


def sinks() -> tuple[list[str], list[str]]:
    """The reports of the nearest manifest upwards, and what the releases are judged from.

    Raises:
        PolicyError, UsageError: the manifest is wrong, or a report of it may not be written.
    """
    start = Path.cwd().resolve()
    top = repository_of(start)
    loaded = _manifest.load(_manifest.find(start, top))
    with reported() as problems:
        found = [_sink(loaded, top, name, mark, problems) for name, mark in loaded.reports]
    return [os.path.relpath(file, start) for file in found if file is not None], list(_inputs(loaded))


def refuse_links(paths: Iterable[Path]) -> None:
    """Refuse to write through a link of the repository: a stranger's branch may have laid it where a report goes.

    Args:
        paths: the files to be written, as the command line names them.

    Raises:
        UsageError: such a link stands on the way to one of them, and leads out or to where git keeps its own files.
    """
    start = Path.cwd().resolve()
    top = repository_of(start)
    for path in paths:
        file = Path(os.path.normpath(start / path))
        final = destination(file.parent) / file.name
        if file.is_relative_to(top) and (file.is_symlink() or not reachable(final, (top,))):
            raise UsageError(f"{path}: a link of the repository; write to another place, or remove the link")


def _sink(loaded: LoadedManifest, top: Path, name: str, mark: Mark, problems: Problems) -> Path | None:
    """One report; None, with a problem noted, where it may not be written."""
    file = Path(os.path.normpath(loaded.file.parent.resolve() / name))
    # A folder on the way may be a link: what is written, and what git knows, is what it leads to.
    final = destination(file.parent) / file.name
    right = f"a name inside the repository that ends in {', '.join(sorted(endings()))}"
    if "\0" in name or not inside(file, (top,)) or not inside(destination(file), (top,)):
        problems.add(mark, f"the report {quoted(name)} lies outside", right, "escape")
    elif not (reachable(file, (top,)) and reachable(final, (top,))) or file.is_symlink():
        problems.add(mark, f"the report {quoted(name)} cannot hold a report", right, "escape")
    elif file.suffix not in endings():
        problems.add(mark, f"the name of the report {quoted(name)} does not tell its format", right, "file")
    elif not file.parent.is_dir():
        problems.add(mark, f"there is no folder for the report {quoted(name)}", "a folder that exists", "file")
    elif Git(top).run("ls-files", "-z", "--", f":(literal){final.relative_to(top).as_posix()}").stdout:
        problems.add(mark, f"the report {quoted(name)} would overwrite a file of the repository", right, "escape")
    else:
        return file
    return None


def _inputs(loaded: LoadedManifest) -> Iterator[str]:
    for entry in loaded.entries.values():
        for role in ("policy", "data", "original", "previous", "previous_original", "outputs", "queries"):
            for text in entry.release.texts(role):
                if (path := path_of(text)) is not None:
                    yield str(entry.folder / path)
