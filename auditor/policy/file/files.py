"""Which files a policy may read, and reading them.

A policy may come from a stranger's branch. It reaches files of its own git repository (or, outside git, its own
folder) and of the folders listed in the environment variable AUDITOR_POLICIES; symbolic links are resolved first.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from auditor.files import opened
from auditor.policy.file.nodes import Mark
from auditor.policy.file.problems import Problems, quoted
from auditor.policy.file.yaml import MAX_BYTES

FOLDERS_VARIABLE = "AUDITOR_POLICIES"


def roots_for(folder: Path) -> tuple[Path, ...]:
    """The folders that a policy standing in `folder` may read from."""
    return (repository_of(folder), *listed_folders())


def listed_folders() -> list[Path]:
    """The folders of policies that the environment lists, resolved."""
    return [Path(name).resolve() for name in os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep) if name]


def repository_of(folder: Path) -> Path:
    """The root of the git repository around a folder; the folder itself outside git."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), folder)


def display(path: Path) -> str:
    """A path as users may see it: relative to the current directory or the repository, never of the machine."""
    for base in (Path.cwd(), repository_of(path.parent)):
        if path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return path.name


def destination(path: Path) -> Path:
    """Where links lead from a path; one that leads to itself leads nowhere, which `Path.resolve` raises for."""
    return Path(os.path.realpath(path))


def inside(path: Path, roots: tuple[Path, ...]) -> bool:
    """Whether a resolved path lies in one of the folders."""
    return any(path.is_relative_to(root) for root in roots)


def reachable(path: Path, roots: tuple[Path, ...]) -> bool:
    """Whether a resolved path lies in one of the folders, and is none of git's own files there.

    A checkout leaves tokens in ``.git/config``. Where upper and lower case are one, ``.GIT`` is that folder, too.
    """
    within = (path.relative_to(root).parts for root in roots if path.is_relative_to(root))
    return any(".git" not in map(str.lower, parts) for parts in within)


def resolve(name: str, mark: Mark, problems: Problems) -> Path | None:
    """The file that a policy names, relative to the file that names it; None, with a problem noted, if it may not."""
    right = f"a file of the policy's repository or folder, or of a folder listed in {FOLDERS_VARIABLE}"
    if "\0" in name or not name.strip():
        problems.add(mark, f"{quoted(name)} is not a file name", right, "file")
        return None
    try:
        path = (mark.document.folder / name).resolve()
        if not reachable(path, mark.document.roots):
            problems.add(mark, f"the file {quoted(name)} lies outside", right, "escape")
            return None
        mode = path.stat().st_mode
    except (OSError, RuntimeError) as wrong:
        problems.add(mark, f"the file {quoted(name)} {_why(wrong)}", right, "file")
        return None
    if not stat.S_ISREG(mode):
        problems.add(mark, f"{quoted(name)} is {_kind(mode)}", "a file", "file")
        return None
    return path


def read(path: Path, mark: Mark | str, problems: Problems) -> bytes | None:
    """The first bytes of a regular file, one more than the limit if it is longer; None, with a problem noted."""
    try:
        with opened(path) as stream:
            mode = os.fstat(stream.fileno()).st_mode
            if stat.S_ISREG(mode):
                return stream.read(MAX_BYTES + 1)
            problems.add(mark, f"{display(path)} is {_kind(mode)}", "a policy is a file", "file")
    except IsADirectoryError:
        problems.add(mark, f"{display(path)} is a folder", "a policy is a file", "file")
    except (OSError, ValueError) as wrong:
        problems.add(mark, f"{display(path)} {_why(wrong)}", "a readable policy file", "file")
    return None


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or socket"


def _why(wrong: Exception) -> str:
    """Why a file cannot be read, without the machine's paths that the system's message repeats."""
    code = getattr(wrong, "errno", None)
    if code == errno.ENOENT:
        return "does not exist"
    return f"cannot be read ({os.strerror(code)})" if code else "cannot be read"
