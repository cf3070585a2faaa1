"""The two sides that the gate compares: the working tree, and the base revision copied out of git."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from auditor.errors import NotEvaluated, PolicyError, UsageError
from auditor.folders import for_copies
from auditor.gate import _manifest
from auditor.gate._manifest import NAME, LoadedManifest
from auditor.gate._schema import Trusted
from auditor.gate._twins import around
from auditor.gate.signatures.signers import names_of
from auditor.policy import Policy, load_policy
from auditor.policy.git import Git
from auditor.policy.reading import (
    Mapping,
    Problems,
    Scalar,
    Sequence,
    TooManyProblems,
    destination,
    display,
    read_tree,
    reported,
)
from auditor.policy.revision import RevisionFiles
from auditor.policy.tree import Tree

MOST_FILES = 5_000
"""So many files of the base revision are copied, for all releases together."""
BASE = "the base revision"
TARGET = "the tip of the target branch"


@dataclass
class BaseSide:
    """The base revision: its manifest (None: it has none), and its policies, each loaded once.

    Also the tip of the target branch; `called` says which.
    """

    commit: str
    manifest: LoadedManifest | None
    snapshot: RevisionFiles
    called: str = BASE
    loaded: dict[str, Policy | str] = field(default_factory=dict)
    changeable: frozenset[Path] = frozenset()
    """The files and submodules of the working tree that git has, or had: what they say is the change's."""

    @property
    def trusted(self) -> Trusted:
        """The settings that count; none where the base revision has no manifest."""
        return Trusted() if self.manifest is None else self.manifest.trusted

    def policy(self, name: str) -> Policy | str:
        """The policy of a release, or why the base revision has none that can be read."""
        if name not in self.loaded:
            self.loaded[name] = self._policy(name)
        return self.loaded[name]

    def _policy(self, name: str) -> Policy | str:
        assert self.manifest is not None  # noqa: S101  (a release of it is asked for)
        entry = self.manifest.entries[name]
        try:
            self.snapshot.policy(f"{os.path.relpath(entry.folder, self.snapshot.top)}/{entry.release.policy}")
            with reported() as problems:
                file = entry.policy(problems)
            found = load_policy(file or "")
            self.check(found)
        except (PolicyError, UsageError, NotEvaluated) as wrong:
            return f"the policy of the base revision is wrong: {str(wrong).splitlines()[0]}"
        return found

    def check(self, policy: Policy) -> None:
        """`NotEvaluated` where a policy reads a file of the change, by its path on this machine.

        It may where a folder of ``AUDITOR_POLICIES`` lies in the repository.
        """
        here = next((f for f in policy.sources if not self.changeable.isdisjoint((f, *f.parents))), None)
        if here is not None:
            raise NotEvaluated(f"it reads {display(here)} of the working tree; name it relative to the policy")


@contextmanager
def base_side(git: Git, commit: str, start: PurePosixPath, called: str = BASE) -> Iterator[BaseSide]:
    """The base revision, for as long as the context lasts.

    Args:
        git: the repository.
        commit: the revision.
        start: the current folder, relative to the top; the nearest manifest upwards of it is the revision's.
        called: what messages call the revision.

    Raises:
        NotEvaluated: the revision's manifest is wrong, so nothing can be compared with it.
    """
    with for_copies() as folder:
        try:
            top = git.top()
            tree = Tree(git, commit, top)
            now = {} if top is None else git.entries("HEAD")
            if top is not None:
                tree.leave_out(now, top)
            snapshot = RevisionFiles(tree, commit, folder.path.resolve(), most_files=MOST_FILES)
            manifest = _manifest_of(snapshot, start, called, top)
            here = frozenset() if top is None else frozenset(top / name for name in (*now, *tree.files))
            side = BaseSide(commit, manifest, snapshot, called, changeable=here)
        except UsageError as wrong:
            advice = "a clone made with --filter lacks its files, fetch them first: git fetch --refetch --no-filter"
            raise NotEvaluated(f"{called} cannot be read ({wrong}); {advice}") from None
        yield side


def _manifest_of(snapshot: RevisionFiles, start: PurePosixPath, called: str, top: Path | None) -> LoadedManifest | None:
    tree, manifests = snapshot.tree, dict[str | None, str]()
    for folder in (start, *_names_before(tree, start, top)):
        candidates = [(each / NAME).as_posix() for each in (folder, *folder.parents)]
        nearest = next((path for path in candidates if tree.file(path) is not None), None)
        stray = [path for path in candidates if tree.walk(path)[0] is None]
        if stray:
            raise NotEvaluated(
                f"{called} has {stray[0]} as a link that leads out of it, so nobody can tell what it says"
            )
        if nearest is not None:
            manifests.setdefault(tree.walk(nearest)[0], nearest)
    if not manifests:
        return None
    if len(manifests) > 1:
        raise NotEvaluated(
            f"{called} has several manifests for this folder, which a link leads to now; make it a folder"
        )
    found = next(iter(manifests.values()))
    snapshot.file(found)
    _copy_named(snapshot, found)
    try:
        return _manifest.load(snapshot.top / found)
    except PolicyError as wrong:
        raise NotEvaluated(f"the manifest of {called} is wrong: {str(wrong).splitlines()[0]}") from None


def _names_before(tree: Tree, start: PurePosixPath, top: Path | None) -> Iterator[PurePosixPath]:
    """What the revision calls the current folder, where links lead to it that were folders, or led elsewhere.

    The current folder is known by where it is: a job that begins in ``project`` is in ``evil`` if that leads there.
    """
    # A folder without a manifest was under the one above it.
    folders = {name.rpartition("/")[0] for name in tree.files}
    for name in sorted({*tree.links, *folders, *(each for folder in folders for each in around(folder))}):
        if top is not None and (link := top / name).is_symlink():
            here, final = top / start, destination(link)
            if here.is_relative_to(final) and tree.walk(name)[0] not in (None, os.path.relpath(final, top)):
                yield PurePosixPath(name) / here.relative_to(final)


def _copy_named(snapshot: RevisionFiles, manifest: str) -> None:
    """Copy what a manifest includes, its approvals and its keys; what is wrong in it is for loading to say."""
    real = snapshot.tree.walk(manifest)[0] or manifest
    try:
        tree = read_tree(snapshot.top / real, Problems())
    except TooManyProblems:
        return
    if not isinstance(tree, Mapping):
        return
    folder = PurePosixPath(real).parent
    included = tree.get("include")
    named = [*(included.items if isinstance(included, Sequence) else ()), tree.get("weakenings")]
    for pattern in (*(node.text for node in named if isinstance(node, Scalar)), *names_of(tree)):
        place = (folder / pattern).as_posix()
        for path in (place, *snapshot.tree.matching(place)):
            snapshot.file(path)
