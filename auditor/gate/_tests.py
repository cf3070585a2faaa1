"""The policy tests of the base revision, which hold the policies of a change.

A test says of a small table that it must fail. The base revision's tests judge the head's policies: what had to fail
and fails no more is weaker, whatever the fields say. A test that is gone, or turned round, is a weakening itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath

from auditor.errors import NotEvaluated, PolicyError, UsageError
from auditor.gate._changes import demands
from auditor.gate._sides import BaseSide
from auditor.policy import Policy, load_policy
from auditor.policy.reading import Problems, Scalar, Stricter, TooManyProblems, destination, reachable, read_tree
from auditor.policy.revision import RevisionFiles
from auditor.result.comparison import Difference
from auditor.testing import ENDING, LostTest, PolicyTests, discover, load_tests, removed, unnoticed

Successors = Mapping[str | None, Sequence[Policy]]
"""The head's policies of releases, by the files (links followed) that the base revision has theirs in."""


@dataclass(frozen=True)
class BaseTests:
    """A file of tests in the base revision, and the file of their policy there; None for a starter pack.

    `final` is where that leads in the base revision.
    """

    file: str
    tests: PolicyTests
    policy: str | None
    final: str | None


def tests_loosened(
    side: BaseSide, top: Path, successors: Successors, day: date, ignored: Callable[[Iterable[str]], AbstractSet[str]]
) -> tuple[Difference, ...]:
    """What a change makes of the policy tests of the base revision.

    Args:
        side: the base revision.
        top: the working tree.
        successors: which policies releases have now that the base revision has under others.
        day: the day on which waivers are judged, where a test says none.
        ignored: tells which of some files, by their names from the top, git ignores: the next base revision lacks them.

    Raises:
        NotEvaluated: the base revision has more tests than are copied.
    """
    found: list[Difference] = []
    everywhere: list[PolicyTests] | None = None
    before = list(_of_base(side.snapshot))
    there = _kept({old.file: top / old.file for old in before}, top, ignored)
    for old in before:
        new = there.get(old.file)
        policies = _policies_of_head(old, top, successors)
        policy = next(iter(policies), None)
        said: dict[str, LostTest] = {}
        for each in policies:
            if demands(each) != demands(old.tests.policy):
                said |= _by_name(unnoticed(old.tests, each, day))
        lost = list(removed(old.tests, [] if new is None else [new], policy, day))
        if lost:
            everywhere = _everywhere(top, ignored) if everywhere is None else everywhere
            lost = list(removed(old.tests, everywhere, policy, day))
        # That a table fails no more and that its test is gone are two changes: who approves one does not approve both.
        found += [_difference(old.file, each) for each in (*_by_name(lost).values(), *said.values())]
    return tuple(found)


def read_for(files: Iterable[Path], top: Path) -> Iterator[Path]:
    """What is read for policy tests: their files, with the policies and the tables that they name."""
    for file in (each for each in files if each.name.endswith(ENDING)):
        yield file
        tests = _loaded(file, top)
        if tests is not None:
            yield from tests.policy.sources
            yield from (file.parent / name for name in _names(tests))


def _by_name(found: Iterable[LostTest]) -> dict[str, LostTest]:
    return {each.test: each for each in found}


def _difference(path: str, found: LostTest) -> Difference:
    return Difference(
        path=f"tests/{path}/{found.test}",
        old=found.expected,
        new=found.now,
        old_origin=found.location,
        new_origin=None,
        direction=Stricter.SUPERSET,
        verdict=found.verdict,
        note=found.note,
    )


def _of_base(snapshot: RevisionFiles) -> Iterator[BaseTests]:
    """The policy tests of the base revision; a file that was wrong there already holds nothing."""
    for file in sorted((*snapshot.tree.files, *snapshot.tree.links)):
        if not file.endswith(ENDING) or any(part.startswith(".") for part in PurePosixPath(file).parent.parts):
            continue
        try:
            snapshot.policy(file)
            policy = _named_policy(snapshot, file)
            if policy is not None:
                snapshot.policy(policy)
        except UsageError as wrong:
            raise NotEvaluated(f"the policy tests of the base revision cannot be read: {wrong}") from None
        tests = _loaded(snapshot.top / file, snapshot.top)
        if tests is not None:
            yield BaseTests(file, tests, policy, None if policy is None else snapshot.tree.walk(policy)[0])


def _named_policy(snapshot: RevisionFiles, file: str) -> str | None:
    """The policy's file that a file of tests names; None where it names none of the revision."""
    try:
        tree = read_tree(snapshot.top / file, Problems())
    except TooManyProblems:
        return None
    named = tree.get("policy") if tree is not None else None
    if not isinstance(named, Scalar):
        return None
    path = os.path.normpath(PurePosixPath(file).parent / named.text)
    return None if snapshot.tree.file(path) is None else path


def _loaded(file: Path, top: Path) -> PolicyTests | None:
    """The tests in a file; None where there are none, or it is a link out of the repository.

    Nor are there any for the next change where they name a file by way of the folders above: a revision has none.
    """
    try:
        found = load_tests(file) if file.is_file() and reachable(file.resolve(), (top,)) else None
    except PolicyError:
        return None
    folder = Path(os.path.relpath(file.parent, top))
    ways = () if found is None else (Path(os.path.normpath(folder / name)) for name in _names(found))
    return None if any(way.is_absolute() or way.parts[:1] == ("..",) for way in ways) else found


def _names(tests: PolicyTests) -> Iterator[str]:
    """The files that a file of tests names: their policy, and what is judged."""
    named = [name for case in tests.cases for name in (case.data, case.original, case.log, case.output)]
    yield from (name for name in (tests.read.block.policy, *named) if name is not None)


def _everywhere(top: Path, ignored: Callable[[Iterable[str]], AbstractSet[str]]) -> list[PolicyTests]:
    """All policy tests of the working tree that the next change will find."""
    try:
        files = {file.relative_to(top).as_posix(): file for file in discover([top])}
    except UsageError:
        return []
    return list(_kept(files, top, ignored).values())


def _kept(
    files: Mapping[str, Path], top: Path, ignored: Callable[[Iterable[str]], AbstractSet[str]]
) -> dict[str, PolicyTests]:
    """The tests in files, by their names from the top, but for those that git ignores, or whose tables it does."""
    found = {name: tests for name, file in files.items() if (tests := _loaded(file, top)) is not None}
    needed = {name: _needed(files[name], tests, top) for name, tests in found.items()}
    gone = ignored(set().union(*needed.values()))
    return {name: tests for name, tests in found.items() if gone.isdisjoint(needed[name])}


def _needed(file: Path, tests: PolicyTests, top: Path) -> set[str]:
    """What tests need, from the top: their file, what that names, and where links lead from there."""
    paths = [file, *(Path(os.path.normpath(file.parent / name)) for name in _names(tests))]
    return {each.relative_to(top).as_posix() for p in paths for each in (p, destination(p)) if each.is_relative_to(top)}


def _policies_of_head(old: BaseTests, top: Path, successors: Successors) -> list[Policy]:
    """What has become of the policy that a file of tests is of; first the one that later tests are to be of.

    A release that has another policy now is held to the tests of its old one, although that may be there still.
    """
    if old.policy is None:
        return [old.tests.policy]
    file = destination(top / old.policy)
    followed = list(successors.get(old.final, ()))
    try:
        if not file.is_file() or not reachable(file, (top,)):
            return followed
        here = load_policy(file)
    except PolicyError:
        return followed
    used = not followed or any(file in each.sources for each in followed)
    return [here, *followed] if used else followed
