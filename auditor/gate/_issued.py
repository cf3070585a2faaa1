"""The certificates of the base revision: one that is gone, or is of another release or other files now, is weaker.

A new certificate in the place of an old one, of the same release and files of the same names, is what a release leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from auditor.certificates._read import NoCertificate, Shown, shown
from auditor.certificates._statement import PREDICATE
from auditor.gate._sides import BaseSide
from auditor.policy.git import Git
from auditor.policy.reading import Stricter, reachable
from auditor.result import Difference, Strictness


def certificates_lost(side: BaseSide, git: Git, top: Path) -> Iterator[Difference]:
    """What a change makes of the certificates that the base revision has.

    Args:
        side: the base revision.
        git: the repository.
        top: the working tree.
    """
    found = git.run("grep", "-l", "-z", "--full-name", "-F", "-e", PREDICATE, side.commit, "--", ":(top)*.json").stdout
    for name in (each.decode("utf-8", "surrogateescape").partition(":")[2] for each in found.split(b"\0") if each):
        blob = side.snapshot.tree.files.get(name)
        content = b"" if blob is None else blob.read()
        old, now = _shown(content), _content(top / name, top)
        if old is None or now == content:
            continue
        new = _shown(now)
        if new is None:
            if not any(_content(file, top) == content for file in top.rglob("*.json")):
                yield _difference(name, old, None, "a certificate that is gone")
        elif _of(old) != _of(new):
            yield _difference(name, old, new, "a certificate of something else")


def _content(file: Path, top: Path) -> bytes:
    try:
        return file.read_bytes() if file.is_file() and reachable(file.resolve(), (top,)) else b""
    except OSError:
        return b""


def _shown(content: bytes) -> Shown | None:
    try:
        return shown(content)
    except NoCertificate:
        return None


def _of(found: Shown) -> list[str]:
    """What a certificate is of: its release, and its files by their names."""
    return [str(found.evaluation.get("release")), *sorted(file.name for file in found.of("data", "outputs"))]


def _difference(name: str, old: Shown, new: Shown | None, note: str) -> Difference:
    return Difference(
        path=f"certificates/{name}",
        old=_of(old),
        new=[] if new is None else _of(new),
        old_origin=None,
        new_origin=None,
        direction=Stricter.SUPERSET,
        verdict=Strictness.WEAKER,
        note=note,
    )
