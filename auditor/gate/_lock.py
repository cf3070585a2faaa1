"""The packs that a lock file names: as they are now, as the head has locked them, and as the base revision had.

What the base revision locked is held against what is there now, by the comparator of policies: a pack that became
weaker is a weakening, whether the change brought it or the machine. The head's lock must hold what is there now; it
brings nothing into the judgement but the base revision's content of the next change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType

from auditor.gate._bundles import signer_of
from auditor.gate._floor import Floor, floors_of_head
from auditor.gate._manifest import LoadedManifest, find, load
from auditor.gate._schema import Trusted
from auditor.gate._sides import BaseSide
from auditor.policy import Policy, load_policy
from auditor.policy.compare import compare
from auditor.policy.lock import NAME, Lockable, Locked, bundle_of, entries, names_outside, outside
from auditor.policy.reading import Problems, Stricter, destination, reachable, read, reported, repository_of
from auditor.result import Strictness
from auditor.result.comparison import Difference

Lock = Mapping[str, Locked]
SHOWN = 12
"""So many digits of a digest stand in a difference."""


@dataclass(frozen=True)
class Packs:
    """The packs of a manifest's policies, and the lock file beside it; `lock` is None where there is none yet."""

    file: Path
    lock: Lock | None
    found: Mapping[str, Lockable]

    @property
    def changes(self) -> tuple[Difference, ...]:
        """What the packs say now beside what is locked, field by field."""
        return tuple(changes(self.lock, self.lock, self.found))

    @property
    def unheld(self) -> list[str]:
        """What the lock file does not hold, one sentence each; a missing file holds nothing."""
        return unheld(self.lock or {}, self.found)


def packs() -> Packs:
    """The packs that the nearest manifest's policies use.

    Raises:
        PolicyError, UsageError: the manifest or a policy is wrong.
        NotEvaluated: the lock file cannot be read.
    """
    start = Path.cwd().resolve()
    top, today = repository_of(start), date.today()  # noqa: DTZ011  (the day of whoever locks)
    manifest = load(find(start, top))
    with reported() as problems:
        named = [entry.policy(problems) for entry in manifest.entries.values()]
    policies = [load_policy(name) for name in dict.fromkeys(named) if name is not None]
    return Packs(
        manifest.file.parent / NAME, of_head(manifest, top), used(policies, manifest, top, manifest.trusted, today)
    )


def used(
    policies: Iterable[Policy], manifest: LoadedManifest, top: Path, trusted: Trusted, on: date
) -> dict[str, Lockable]:
    """What is used from outside the repository, by policies of releases and by floors; with whoever signed it.

    Args:
        policies: the policies of the releases.
        manifest: the manifest of the working tree.
        top: its repository.
        trusted: the settings that say whose signatures count.
        on: the day on which keys must be valid.
    """
    found = outside([*policies, *floors_of_head(manifest, top)], top)
    for name, each in found.items() if trusted.signers else ():
        bundle = bundle_of(each.file)
        if bundle is not None:
            signed = replace(each.locked, signed_by=signer_of(each.file, bundle, trusted, on))
            found[name] = replace(each, locked=signed)
    return found


def used_before(policies: Iterable[Policy], floors: Iterable[Floor], top: Path) -> dict[str, Lockable]:
    """What the base revision's policies and floors use from outside the repository, as it is there now."""
    return outside([*policies, *(floor.policy for floor in floors)], top, copied=True)


def unsigned_instead(base: Lock | None, policies: Iterable[tuple[Policy, Policy]], top: Path) -> dict[str, str]:
    """What releases use now where they used what is signed: its name, and the signer.

    Args:
        base: the base revision's lock.
        policies: of each release, the base revision's and the head's.
        top: the repository.
    """
    found: dict[str, str] = {}
    signed = {name: each.signed_by for name, each in (base or {}).items() if each.signed_by is not None}
    for old, new in policies if signed else ():
        now = names_outside(new, top)
        lost = sorted(name for name in names_outside(old, top, copied=True) - now if name in signed)
        if lost:
            found |= dict.fromkeys(now, signed[lost[0]])
    return found


def of_head(manifest: LoadedManifest, top: Path) -> Lock | None:
    """The lock file beside the manifest; None where there is none.

    Raises:
        PolicyError: it is a link out of the repository, or no file.
        NotEvaluated: it is not a lock file.
    """
    file = manifest.file.parent / NAME
    if not (file.is_symlink() or file.exists()):
        return None
    problems = Problems()
    if not reachable(destination(file), (top,)):
        problems.add(NAME, "a link out of the repository", "a file inside it", "escape")
    content = None if problems.found else read(file, NAME, problems)
    if content is None:
        raise problems.error()
    return entries(content, NAME)


def of_base(side: BaseSide | None) -> Lock | None:
    """The lock file beside the base revision's manifest; None where there is none."""
    if side is None or side.manifest is None:
        return None
    path = (side.manifest.file.parent / NAME).relative_to(side.snapshot.top).as_posix()
    known = side.snapshot.tree.file(path)
    return None if known is None else entries(known.read(), f"{side.commit[:SHOWN]}:{path}")


def unheld(lock: Lock | None, found: Mapping[str, Lockable]) -> list[str]:
    """What the head's lock does not hold, one sentence each; none where there is no lock."""
    names = [] if lock is None else [name for name, each in found.items() if not _holds(lock, name, each)]
    return [f"{name} is not what {NAME} holds; run auditor lock and commit the file." for name in names]


def _holds(lock: Lock, name: str, now: Lockable) -> bool:
    """Whether a lock names what there is, and who signed it: the next change is held to both."""
    return now.held_by(lock, name) and lock[name].signed_by == now.locked.signed_by


def changes(
    base: Lock | None,
    head: Lock | None,
    found: Mapping[str, Lockable],
    before: Mapping[str, Lockable] = MappingProxyType({}),
    instead: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Difference]:
    """What became of the base revision's packs, field by field, and of its lock file.

    Args:
        base: the base revision's lock.
        head: the head's.
        found: what the head uses.
        before: what the base revision uses: a pack that is named no more is held to its lock all the same, because the
            rules of the base are read with the pack as it is now.
        instead: what releases use where they used what is signed, as `unsigned_instead` finds it.
    """
    if base is not None and head is None:
        yield _difference("lock", (NAME, None), Strictness.WEAKER, "the lock file is removed")
    if base is None:
        return
    unused = [each.signed_by for name, each in base.items() if each.signed_by is not None and name not in found]
    for name, now in {**before, **found}.items():
        known = base.get(name)
        if known is None:
            signer = instead.get(name, next(iter(unused), None))
            if signer is not None and name in found and now.locked.signed_by is None:
                note = "it takes the place of a signed folder, and is not signed itself"
                yield _difference(f"lock/{name}/signed_by", (signer, None), Strictness.INCOMPARABLE, note)
            continue
        if known.signed_by is not None and now.locked.signed_by is None and name in found:
            signers = known.signed_by, None
            yield _difference(f"lock/{name}/signed_by", signers, Strictness.WEAKER, "no trusted key has signed it")
        if not now.held_by(base, name):
            yield from _changed(name, known, now)


def _changed(name: str, before: Locked, now: Lockable) -> Iterator[Difference]:
    """The fields of a pack that differ from those that were locked; the whole, where they cannot be compared."""
    old = before.loaded(now.file.parent)
    if old is None or now.locked.policy is None:
        digests = before.sha256[:SHOWN], now.locked.sha256[:SHOWN]
        yield _difference(f"lock/{name}", digests, Strictness.INCOMPARABLE, "what it said cannot be compared")
        return
    for each in compare(old, load_policy(now.locked.policy, now.file.parent)).differences:
        yield replace(each, path=f"lock/{name}/{each.path}", old_origin=None, new_origin=None)


def _difference(path: str, values: tuple[str, str | None], verdict: Strictness, note: str) -> Difference:
    old, new = values
    return Difference(
        path=path,
        old=old,
        new=new,
        old_origin=None,
        new_origin=None,
        direction=Stricter.REVIEW,
        verdict=verdict,
        note=note,
    )
