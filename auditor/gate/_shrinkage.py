"""What is judged of a release must not shrink in silence: files, and the hashes that they must have.

A place may stay as it is and match fewer files, or change and match others. What the base revision has of each place,
as git knows it, is held against what was judged now: a file that is judged no more is weaker, unless its contents are
judged under another name. So is a file of the head that the base revision's place names and that is judged no more. An
earlier release to be compared with is the base revision's, or what that released; the table that the release was made
from is the base revision's; a query log has every statement that it had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from glob import has_magic
from itertools import takewhile
from os.path import lexists, normpath, relpath
from pathlib import Path

from auditor.engines import is_named, says_nothing
from auditor.gate._earlier import ReleasedBefore, Same, forgotten, paired, strangers
from auditor.gate._judgement import JudgedCase
from auditor.gate._logs import unsaid
from auditor.gate._manifest import ManifestEntry
from auditor.gate._places import path_of
from auditor.gate._schema import Release
from auditor.gate._sides import BaseSide
from auditor.policy import Policy
from auditor.policy.reading import Stricter, destination, quoted
from auditor.policy.tree import Tree
from auditor.result import Strictness
from auditor.result.comparison import Difference
from auditor.result.gate import GateFile

ROLES = ("data", "outputs", "queries", "previous", "original", "previous_original")
BEHIND = {"previous": "data", "previous_original": "original"}
"""What of the base revision an earlier release, or its original, may be besides, as that revision was released."""
FORGOTTEN = "other data is released, and what the base revision released is none of the earlier releases"
FIRST = "it is said to be the first release, which nobody said before"
RELEASED = ("data", "outputs", "queries")
ELSEWHERE = "a different place, which git does not track"
FEWER_STATEMENTS = "statements of these logs are no longer in any log"
OTHER_HASH = "another hash of what it is made from, or is compared with"


def shrunk(
    side: BaseSide,
    head: Tree,
    entries: tuple[ManifestEntry, ManifestEntry],
    judged: JudgedCase,
    same: Same,
    *,
    top: Path,
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
    old, new = _here(side, top, entries[0]), entries[1]
    yield from _pins((old, new), judged)
    if old.release.purpose is not None and old.release.purpose != new.release.purpose:
        purposes = ([old.release.purpose], [] if new.release.purpose is None else [new.release.purpose])
        yield _difference(new.name, "purpose", purposes, Strictness.INCOMPARABLE, "it is released for another purpose")
    if old.release.recipients and not new.release.recipients:
        shown: tuple[list[str], list[str]] = (list(old.release.recipients), [])
        yield _difference(new.name, "recipients", shown, Strictness.WEAKER, "no recipient is named any more")
    if new.release.previous == () and old.release.previous is None:
        yield _difference(new.name, "previous", ([], []), Strictness.INCOMPARABLE, FIRST)
    tree = side.snapshot.tree
    before = {role: [matched(tree, top, old.folder, text) for text in old.release.texts(role)] for role in ROLES}
    policy = side.policy(old.name)
    left_out = (*old.release.not_released, *(policy.not_released if isinstance(policy, Policy) else ()))
    inside = judged.inside(top)
    if isinstance(new.release.previous, tuple):
        own = ReleasedBefore(
            tree, [name for found in before["data"] for name in found], same, _alike(same, top, (old, new), judged)
        )
        here = [matched(head, top, new.folder, text) for text in new.release.texts("previous")]
        data, earlier = ([file for file, _ in judged.of(role)] for role in ("data", "previous"))
        if forgotten(data, earlier, here, own):
            shown = (list(own.names), new.release.texts("previous"))
            yield _difference(new.name, "previous", shown, Strictness.INCOMPARABLE, FORGOTTEN)
    for role in ROLES:
        now = [file for file, _ in judged.of(role)]
        names = frozenset(file.name for file in now if file in inside)
        known = [name for found in before[role] for name in found]
        there = list(_named_there(head, top, (old, new), role, left_out))
        places = ((new.folder, text) for text in new.release.texts(role))
        kept = {name for place in places for name in matched(head, top, *place)}
        gone = {
            name
            for revision, found in ((tree, known), (head, there))
            for name in found
            if not _stands(revision, top, name, names, kept) and not any(same(file, revision, name) for file in now)
        }
        moved = _elsewhere(old.release, new.release, role, before[role])
        if gone:
            shown = (sorted(gone), sorted(file.name for file in now))
            found = _unwritten(top, old, role, before[role], now)
            yield _difference(new.name, role, shown, Strictness.WEAKER, "files that are no longer judged", found=found)
        elif moved:
            texts = (old.release.texts(role), new.release.texts(role))
            yield _difference(new.name, role, texts, Strictness.INCOMPARABLE, ELSEWHERE)
        if role != "queries" and (gone or moved):
            continue
        # Who accepts that a log is gone has not accepted that another one says less.
        stay = {each: [[name for name in found if name not in gone] for found in before[each]] for each in ROLES}
        here = [matched(head, top, new.folder, text) for text in new.release.texts(role)]
        alike = same if role == "queries" else _alike(same, top, (old, new), judged)
        if other := _other(tree, role, stay, judged, alike, here=here):
            note, verdict = other
            found = _unwritten(top, old, role, before[role], now)
            yield _difference(new.name, role, (known, [file.name for file in now]), verdict, note, found=found)


def narrowed(side: BaseSide, top: Path, old: ManifestEntry, new: ManifestEntry) -> Iterator[str]:
    """What is to be said of folders and globs of the base revision that a release no longer names, one sentence each.

    The files that are there now are judged, or `shrunk` says that they are not; what is added there later is not.
    """
    before = _here(side, top, old)
    for role in RELEASED:
        kept = {name_of(top, new.folder, text) for text in new.release.texts(role)}
        for text in old.release.texts(role):
            name = name_of(top, before.folder, text)
            if (
                path_of(text) is not None
                and name not in kept
                and (has_magic(name) or side.snapshot.tree.is_folder(name))
            ):
                yield f"The release no longer names {quoted(text)}: what is added there later is not judged."


def by_contents(found: Difference) -> bool:
    """Whether a difference is of contents that it does not tell: an approval of it is of the files as they are."""
    return found.path.endswith(("/previous", "/original", "/previous_original")) or found.note in (
        FEWER_STATEMENTS,
        OTHER_HASH,
    )


def _other(
    tree: Tree,
    role: str,
    before: Mapping[str, Sequence[Sequence[str]]],
    judged: JudgedCase,
    same: Same,
    *,
    here: Sequence[Sequence[str]],
) -> tuple[str, Strictness] | None:
    """What is wrong with the contents of files that are named as they were, in a sentence; None for nothing.

    Args:
        tree: the base revision.
        role: what the files are.
        before: the names of the base revision's files by role and place, without those that are judged no more.
        judged: what was judged.
        same: tells what has the contents that it had.
        here: the names of the head's files by place.
    """
    known, released = ([name for found in before[each] for name in found] for each in (role, "data"))
    now = judged.of(role)
    if role == "queries":
        others, changed = paired([file for file, _ in now], known, tree, same)
        logs = [(name, blob) for name in changed if (blob := tree.file(name)) is not None]
        now = [each for each in now if each[0] in others]
        return (FEWER_STATEMENTS, Strictness.WEAKER) if unsaid(logs, [path for _, path in now]) else None
    behind = [name for found in before[BEHIND[role]] for name in found] if role in BEHIND else []
    if role not in (*BEHIND, "original") or not (known or (behind and role == "previous_original")):
        return None
    files = [file for file, _ in now]
    strange, _ = paired(files, known, tree, same)
    if role in BEHIND:
        note = "it is neither the base revision's file nor what that revision released"
        if role != "previous":
            note = "it is neither the base revision's file nor what that revision's release was made from"
        strange = strange and strangers(files, here, [*before[role], behind], tree, same)
    else:
        note = "it is not made from the file of the base revision"
        if set(known) <= set(released):
            # The table that is released is released anew; it is judged itself. No other file is, beside it.
            beside = _besides(now, [destination(path) for _, path in judged.of("data")])
            strange = strange if len(beside) == len(files) else beside
    return (note, Strictness.INCOMPARABLE) if strange else None


def _alike(same: Same, top: Path, entries: tuple[ManifestEntry, ManifestEntry], judged: JudgedCase) -> Same:
    """`same` of records: what folders ``column=value`` say of them stands in no byte of the file."""
    old, new = entries
    now = {
        file: _partitions(name_of(top, new.folder, text), relpath(path, top))
        for role in (*BEHIND, "original")
        for text in new.release.texts(role)
        for file, path in judged.of(role)
    }
    places = [name_of(top, old.folder, text) for role in ROLES for text in old.release.texts(role)]

    def alike(file: GateFile, tree: Tree, name: str) -> bool:
        before = [_partitions(place, name) for place in places if _is_below(place, name)]
        return same(file, tree, name) and now.get(file, []) in before

    return alike


def _partitions(place: str, name: str) -> list[str]:
    """The folders ``column=value`` between where a place begins to search and a file."""
    return [part for part in name.split("/")[len(_fixed(place)) : -1] if "=" in part]


def _is_below(place: str, name: str) -> bool:
    fixed = _fixed(place)
    return name.split("/")[: len(fixed)] == fixed


def _fixed(place: str) -> list[str]:
    """The parts of a place before its first wildcard."""
    return [part for part in takewhile(lambda part: not has_magic(part), place.split("/")) if part != "."]


def _besides(files: Sequence[tuple[GateFile, Path]], data: list[Path]) -> list[GateFile]:
    """The files that are not the data; each file of that stands for one of them."""
    left = Counter(data)
    beside = []
    for file, path in files:
        if left[destination(path)]:
            left[destination(path)] -= 1
        else:
            beside.append(file)
    return beside


def _named_there(
    head: Tree,
    top: Path,
    entries: tuple[ManifestEntry, ManifestEntry],
    role: str,
    left_out: tuple[str, ...],
) -> Iterator[str]:
    """The files of the head that places of the base revision name, where the head has others in their stead."""
    old, new = entries
    own = new.release.texts(role) if new.folder == old.folder else []
    for text in old.release.texts(role):
        if text not in own:
            for name in matched(head, top, old.folder, text, hidden=role in RELEASED):
                named = is_named(relpath(top / name, old.folder / text), left_out)
                if lexists(top / name) and not named and not says_nothing(top / name):
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
    top: Path, old: ManifestEntry, role: str, matched: Sequence[Sequence[str]], now: Sequence[GateFile]
) -> list[str]:
    """The files, then and now, that no manifest names: they lie in a folder, or match a pattern."""
    written = {name_of(top, old.folder, text) for text in old.release.texts(role)}
    names = [name for found in matched for name in found if name not in written]
    return list(dict.fromkeys([*names, *(file.name for file in now if file.found)]))


def _here(side: BaseSide, top: Path, entry: ManifestEntry) -> ManifestEntry:
    """A release of the base revision as if its manifest stood in the working tree: places may go by that one's name."""
    return replace(entry, folder=Path(normpath(top / relpath(entry.folder, side.snapshot.top))))


def name_of(top: Path, folder: Path, text: str) -> str:
    """What a place names, from the top; a database by its file."""
    return normpath(relpath(folder / (path_of(text) or text), top))


def _pins(entries: tuple[ManifestEntry, ManifestEntry], judged: JudgedCase) -> Iterator[Difference]:
    """Hashes that are expected no more, and other ones.

    Another hash of the data, an output or a log comes with every release, and is told; of the table that the release
    was made from, or of an earlier one, it is another table, which git need not know.
    """
    old, new = entries
    before, after = _pinned(old.release), _pinned(new.release)
    lost = sorted(each for each in before if each not in after)
    if lost:
        note = "files whose hash is no longer expected"
        yield _difference(new.name, "sha256", (lost, sorted(after)), Strictness.WEAKER, note)
    fixed = {path for path, file in zip(judged.paths, judged.files, strict=True) if file.role in (*BEHIND, "original")}
    others = sorted(name for name, digest in before.items() if after.get(name, digest) != digest)
    held = [name for name in others if destination(new.folder / name) in {path.resolve() for path in fixed}]
    for names, verdict, note in (
        (held, Strictness.INCOMPARABLE, OTHER_HASH),
        ([name for name in others if name not in held], Strictness.EQUAL, "another hash, as of files released anew"),
    ):
        if names:
            yield _difference(new.name, "sha256", (names, names), verdict, note)


THE_DATA = "the data"


def _pinned(release: Release) -> dict[str, str]:
    return {THE_DATA: release.sha256} if isinstance(release.sha256, str) else dict(release.sha256)


def matched(tree: Tree, top: Path, folder: Path, text: str, *, hidden: bool = False) -> list[str]:
    """The files of a revision that a place names, by their paths from its top, as git knows them.

    Those are with it that lie in folders which a glob matches.

    Args:
        tree: the revision.
        top: its top, or the working tree's, in whose folders the manifest stands.
        folder: the manifest's.
        text: the place.
        hidden: take of a folder also what is not read as data: that is released with it.

    Raises:
        NotEvaluated: they lie in a submodule that cannot be looked into.
    """
    if path_of(text) is None:
        return []
    path = name_of(top, folder, text)
    if tree.file(path) is not None:
        return [path]
    whole = tree.is_folder(path)
    found = [] if whole else _visible(tree, path, folders=False)
    folders = [path] if whole else [] if path.endswith("**/*") else _visible(tree, path, folders=True)
    for place in folders:
        below = tree.below(place)
        found += [name for name in below if hidden or not _hidden(name[len(place) + 1 :], folders=True)]
    return list(dict.fromkeys(found))


def _visible(tree: Tree, pattern: str, *, folders: bool) -> list[str]:
    """The files or folders that a glob names, through links, too, without those that it leaves out by their names."""
    found = (*tree.matching(pattern, folders=folders), *tree.beyond(pattern, folders=folders))
    return [name for name in found if not _hidden(name, folders=False)]


def _hidden(name: str, *, folders: bool) -> bool:
    """Whether a folder, or a glob, leaves a file out by its name."""
    parts = name.split("/")
    return any(part.startswith((".", "_")) for part in parts) if folders else parts[-1].startswith(".")


def _elsewhere(old: Release, new: Release, role: str, matched: Sequence[Sequence[str]]) -> bool:
    """Whether a place of which git knows no file is named no more, and another one is."""
    after = new.texts(role)
    lost = [text for text, found in zip(old.texts(role), matched, strict=True) if not found and text not in after]
    return bool(lost and after)
