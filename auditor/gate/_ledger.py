"""The ledger of releases in a change: it may only grow.

A chained ledger shows entries that are changed or removed from its middle; that entries are gone from its end shows
beside an older copy alone. The base revision has one: its ledger must be how the head's begins.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import DataError, UsageError
from auditor.gate._manifest import LoadedManifest, find, load
from auditor.gate._sides import BaseSide
from auditor.ledger import LONGEST_WAIT, Ledger, parse_ledger, read_ledger, turn
from auditor.policy.reading import destination, reachable, repository_of


@dataclass(frozen=True)
class LedgerState:
    """The ledger as it was when a run began, which all of its releases are judged with; `wrong` is why it is unread."""

    ledger: Ledger | None
    wrong: str = ""

    def known(self) -> Ledger:
        """The ledger; `DataError` where it was not sound, or could not be read."""
        if self.ledger is None:
            raise DataError(self.wrong)
        return self.ledger


def kept(path: Path | None) -> LedgerState | None:
    """The ledger in a file, read once; None for no file."""
    if path is None:
        return None
    try:
        return LedgerState(read_ledger(path))
    except DataError as wrong:
        return LedgerState(None, str(wrong))


def ledger_of(manifest: LoadedManifest, top: Path) -> Path | None:
    """The file of the ledger that a manifest names, inside the repository; None where it names none.

    Raises:
        UsageError: it lies outside, or behind a variable.
    """
    named = manifest.trusted.ledger
    if named is None:
        return None
    if "${" in named:
        raise UsageError(f"trusted.ledger: {named}: names a variable; the ledger is a file of the repository")
    path = manifest.file.parent / named
    if not reachable(destination(path), (top,)):
        raise UsageError(f"trusted.ledger: {named}: lies outside of the repository")
    return path


@contextmanager
def ledger_turn(seconds: float | None) -> Iterator[None]:
    """Wait until no other run judges with the ledger of the nearest manifest, and let others wait for this one.

    Args:
        seconds: how long to wait at most; the ledger's own limit where it is not said.

    Raises:
        PolicyError, UsageError: there is no manifest, or it is wrong.
        DataError: the other runs took longer.
    """
    start = Path.cwd().resolve()
    top = repository_of(start)
    path = ledger_of(load(find(start, top)), top)
    with nullcontext() if path is None else turn(path, LONGEST_WAIT if seconds is None else seconds):
        yield


def shortened(side: BaseSide | None, manifest: LoadedManifest, top: Path) -> str | None:
    """Why the head's ledger is not the base's with nothing but entries added; None where it is."""
    if side is None or side.manifest is None or side.manifest.trusted.ledger is None:
        return None
    path = ledger_of(manifest, top) or top / _in_base(side, top)
    if not reachable(destination(path), (top,)):
        return f"The ledger {path.name} is a link out of the repository."
    try:
        before = _of_base(side, top)
    except DataError as wrong:
        return f"The ledger of the base revision is not sound: {wrong}."
    try:
        after = read_ledger(path)
    except DataError as wrong:
        return f"The ledger is not sound: {wrong}."
    if after.extends(before):
        return None
    return f"The ledger {path.name} lacks entries that the base revision's has, or has others in their place."


def grows_in_git(side: BaseSide | None, top: Path) -> bool:
    """Whether the base revision itself has its ledger, and does not leave it to the machine."""
    if side is None or side.manifest is None or side.manifest.trusted.ledger is None:
        return False
    return side.snapshot.tree.file(_in_base(side, top)) is not None


def _in_base(side: BaseSide, top: Path) -> str:
    """The path of the base's ledger, from the top; it may be named by way of the working tree's folder."""
    assert side.manifest is not None  # noqa: S101  (asked of a base revision with a manifest)
    folder = os.path.relpath(side.manifest.file.parent, side.snapshot.top)
    path = os.path.normpath(top / folder / str(side.manifest.trusted.ledger))
    return Path(os.path.relpath(path, top)).as_posix()


def _of_base(side: BaseSide, top: Path) -> Ledger:
    path = _in_base(side, top)
    known = side.snapshot.tree.file(path)
    if side.snapshot.tree.walk(path)[0] is None:
        raise DataError(f"{posixpath.basename(path)} is a link that leads out of it")
    return Ledger(path) if known is None else parse_ledger(known.read(), posixpath.basename(path))
