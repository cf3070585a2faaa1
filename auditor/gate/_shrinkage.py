"""What is judged of a release must not shrink in silence: files, and the hashes that they must have.

A place may stay as it is and match fewer files, or change and match others. What the base revision has of each place,
as git knows it, is held against what was judged now: a file that is judged no more is weaker, unless its contents are
judged under another name. So is a file of the head that the base revision's place names and that is judged no more. An
earlier release to be compared with is the base revision's, or what that released.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os.path import lexists, normpath, relpath
from pathlib import Path

from auditor.engines import is_named
from auditor.gate._judgement import Judged
from auditor.gate._manifest import Entry
from auditor.gate._schema import Release
from auditor.gate._sides import BaseSide
from auditor.policy import Policy
from auditor.policy.reading import Stricter, destination
from auditor.policy.tree import Tree
from auditor.result import Difference, GateFile, Strictness

ROLES = ("data", "outputs", "queries", "previous", "original")
Same = Callable[[GateFile, Tree, str], bool]
"""Whether a file that was judged is what a revision has under a name."""


def shrunk(
    side: BaseSide, head: Tree, entries: tuple[Entry, Entry], judged: Judged, same: Same, *, top: Path
) -> Iterator[Difference]:
    """What is judged no more, by role.

    Args:
        side: the base revision.
        head: the commit that is checked out.
        entries: the release in the base revision, and now.
        judged: what was judged of it.
        same: tells what has the contents that it had.
        top: the working tree; a name that is a link there is what it leads to.
    """
    old, new = entries
    yield from _pins(old.release, new.release, new.name)
    if old.release.recipients and not new.release.recipients:
        shown: tuple[list[str], list[str]] = (list(old.release.recipients), [])
        yield _difference(new.name, "recipients", shown, Strictness.WEAKER, "nobody is said to receive it any more")
    tree, above = side.snapshot.tree, side.snapshot.top
    before = {role: [matched(tree, above, old.folder, text) for text in texts_of(old.release, role)] for role in ROLES}
    policy = side.policy(old.name)
    left_out = (*old.release.not_released, *(policy.not_released if isinstance(policy, Policy) else ()))
    roots = top, above
    for role in ROLES:
        names = judged.names.get(role, frozenset())
        now = [file for file in judged.files if file.name in names]
        known = [name for found in before[role] for name in found]
        there = list(_named_there(head, roots, entries, role, left_out))
        kept = {name for text in texts_of(new.release, role) for name in matched(head, top, new.folder, text)}
        gone = {
            name
            for revision, found in ((tree, known), (head, there))
            for name in found
            if not _stands(revision, top, name, names, kept) and not any(same(file, revision, name) for file in now)
        }
        if gone:
            shown = (sorted(gone), sorted(file.name for file in now))
            found = _unwritten(above, old, role, before[role], now)
            yield _difference(new.name, role, shown, Strictness.WEAKER, "files that are judged no more", found=found)
        elif _elsewhere(old.release, new.release, role, before[role]):
            texts = (texts_of(old.release, role), texts_of(new.release, role))
            note = "a place that git does not know, and another one"
            yield _difference(new.name, role, texts, Strictness.INCOMPARABLE, note)
        elif role == "previous" and known:
            released = [*known, *(name for found in before["data"] for name in found)]
            others = [file.name for file in now if not any(same(file, tree, name) for name in released)]
            if others:
                note = "it is neither the base revision's nor what that released"
                found = _unwritten(above, old, role, before[role], now)
                yield _difference(new.name, role, (known, others), Strictness.INCOMPARABLE, note, found=found)


def _named_there(
    head: Tree, roots: tuple[Path, Path], entries: tuple[Entry, Entry], role: str, left_out: tuple[str, ...]
) -> Iterator[str]:
    """The files of the head that places of the base revision name, where the head has others in their stead."""
    (top, above), (old, new) = roots, entries
    folder = Path(normpath(top / relpath(old.folder, above)))
    own = texts_of(new.release, role) if new.folder == folder else []
    for text in texts_of(old.release, role):
        if text not in own:
            for name in matched(head, top, folder, text):
                if lexists(top / name) and not is_named(relpath(top / name, folder / text), left_out):
                    yield name


def _stands(revision: Tree, top: Path, name: str, judged: frozenset[str], kept: set[str]) -> bool:
    """Whether a name was judged: itself, or what it leads to where it was a link before, or is still named."""
    return name in judged or (_led(top, name) in judged and (name in kept or bool(revision.walk(name)[1])))


def _led(top: Path, name: str) -> str:
    """Where a name leads in the working tree, from its top."""
    final = destination(top / name)
    return final.relative_to(top).as_posix() if final.is_relative_to(top) else name


def _difference(
    name: str,
    field: str,
    values: tuple[list[str], list[str]],
    verdict: Strictness,
    note: str,
    *,
    found: Sequence[str] = (),
) -> Difference:
    return Difference(
        path=f"releases/{name}/{field}",
        old=values[0],
        new=values[1],
        old_origin=None,
        new_origin=None,
        direction=Stricter.SUPERSET,
        verdict=verdict,
        note=note,
        found=tuple(found),
    )


def _unwritten(
    top: Path, old: Entry, role: str, matched: Sequence[Sequence[str]], now: Sequence[GateFile]
) -> list[str]:
    """The files, then and now, that no manifest names: they lie in a folder, or match a pattern."""
    written = {name_of(top, old.folder, text) for text in texts_of(old.release, role)}
    names = [name for found in matched for name in found if name not in written]
    return list(dict.fromkeys([*names, *(file.name for file in now if file.found)]))


def name_of(top: Path, folder: Path, text: str) -> str:
    """What a place names, from the top; a database by its file."""
    address = text.removeprefix("duckdb:").removeprefix("sqlite:").partition("?")[0]
    return normpath(relpath(folder / address, top))


def _pins(old: Release, new: Release, name: str) -> Iterator[Difference]:
    """Hashes that are expected no more; another hash of the same file comes with every release."""
    before, after = _pinned(old), _pinned(new)
    lost = [each for each in before if each not in after]
    if lost:
        yield _difference(name, "sha256", (lost, after), Strictness.WEAKER, "files whose hash is expected no more")


def _pinned(release: Release) -> list[str]:
    return ["the data"] if isinstance(release.sha256, str) else sorted(release.sha256)


def texts_of(release: Release, role: str) -> list[str]:
    given: str | tuple[str, ...] | None = getattr(release, role)
    return [given] if isinstance(given, str) else list(given or ())


def matched(tree: Tree, top: Path, folder: Path, text: str) -> list[str]:
    """The files of a revision that a place names, by their paths from its top, as git knows them.

    Args:
        tree: the revision.
        top: its top, in whose folders the manifest stands.
        folder: the manifest's.
        text: the place.

    Raises:
        NotEvaluated: they lie in a submodule that cannot be looked into.
    """
    if "${" in text or "://" in text:
        return []
    path = name_of(top, folder, text)
    if tree.file(path) is not None:
        return [path]
    whole = tree.is_folder(path)
    below = len(path) + 1 if whole else 0
    found = tree.below(path) if whole else tree.matching(path)
    return [name for name in found if not _hidden(name[below:], folders=whole)]


def _hidden(name: str, *, folders: bool) -> bool:
    """Whether a folder, or a glob, leaves a file out by its name."""
    parts = name.split("/")
    return any(part.startswith((".", "_")) for part in parts) if folders else parts[-1].startswith(".")


def _elsewhere(old: Release, new: Release, role: str, matched: Sequence[Sequence[str]]) -> bool:
    """Whether a place of which git knows no file is named no more, and another one is."""
    after = texts_of(new, role)
    lost = [text for text, found in zip(texts_of(old, role), matched, strict=True) if not found and text not in after]
    return bool(lost and after)
