"""Judging the table, the log or the output of a policy test, and comparing what was found with what is expected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import isclose
from pathlib import Path

from auditor.audit import check
from auditor.errors import NotEvaluated
from auditor.folders import for_copies
from auditor.models import TOLERANCE
from auditor.policy import Policy
from auditor.result import RequirementResult, Status, verdict_of
from auditor.result.policy_tests import AchievedDifference
from auditor.testing._file import Case, PolicyTests


@dataclass(frozen=True)
class Observation:
    """What was found in one test: the requirements that it looks at, or why there are none."""

    requirements: tuple[RequirementResult, ...]
    reason: str | None = None

    @property
    def verdict(self) -> str:
        """As of a policy that has these requirements alone."""
        return str(verdict_of(self.requirements))

    @property
    def fails(self) -> frozenset[str]:
        """The ids of the requirements that fail."""
        return frozenset(r.id for r in self.requirements if r.status is Status.FAIL)


def judged(case: Case, policy: Policy, files: dict[str, Path], as_of: date | None) -> Observation:
    """Judge what a test holds under a policy; `files` are those that the test names."""
    with for_copies() as folder:
        try:
            found = _requirements(case, policy, _Inputs(folder.path, files), case.as_of or as_of)
        except NotEvaluated as wrong:
            return Observation((), str(wrong).replace(f"{folder.path}{os.sep}", ""))
    kept = tuple(r for r in found if not case.only or r.id in case.only)
    return Observation(kept, next((r.reason for r in kept if r.reason), None))


def _requirements(case: Case, policy: Policy, given: _Inputs, day: date | None) -> Sequence[RequirementResult]:
    table = given.file("data", "table.csv", case.csv)
    if case.judges == "queries":
        from auditor.queries import audit_queries

        return audit_queries(str(given.file("log", "log.sql", case.sql)), policy, table, as_of=day).requirements
    if case.judges == "outputs":
        from auditor.outputs import check_outputs

        return check_outputs(given.file("output", "output", case.published), policy, table, as_of=day).requirements
    earlier = None
    if case.previous is not None:
        earlier = [given.file("", f"previous-{number}.csv", text) for number, text in enumerate(case.previous, start=1)]
    original = given.files.get("original")
    return check(table, policy, source=case.source, original=original, previous=earlier, as_of=day).requirements


@dataclass(frozen=True)
class _Inputs:
    """The files of a test: those that it names, and those that are written for it."""

    folder: Path
    files: Mapping[str, Path]

    def file(self, key: str, name: str, text: str | None) -> Path | None:
        """The file of a key; one of this name where the test holds its text, None where it has neither."""
        if text is None:
            return self.files.get(key)
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file


def named_files(tests: PolicyTests, index: int) -> dict[str, Path]:
    """The files that one test names, by the key that names them."""
    place = f"tests/{index}/"
    return {path.removeprefix(place): file for path, file in tests.read.files.items() if path.startswith(place)}


def day_of(tests: PolicyTests, as_of: date | None) -> date | None:
    """The day on which a file's tests are judged, where they say none themselves."""
    return tests.read.block.as_of or as_of


def unmet(case: Case, found: Observation) -> tuple[list[str], list[AchievedDifference]]:
    """What is not as expected: in words, and in numbers."""
    expected, words = case.expect, []
    if expected.verdict is not None and found.verdict != expected.verdict:
        words.append(f"verdict: expected {expected.verdict}, found {found.verdict}")
    if expected.fails is not None and found.fails != set(expected.fails):
        words.append(f"fails: expected {_listed(expected.fails)}, found {_listed(found.fails)}")
    measured = {r.id: r.achieved for r in found.requirements}
    return words, [
        AchievedDifference(requirement=name, expected=number, measured=measured.get(name))
        for name, number in expected.achieved.items()
        if not same(number, measured.get(name))
    ]


def same(expected: float, measured: float | None) -> bool:
    """Whether a measured number is the expected one; whole numbers are compared exactly."""
    if measured is None or isinstance(measured, int):
        return measured == expected
    return isclose(expected, measured, rel_tol=TOLERANCE, abs_tol=0.0)


def _listed(ids: Iterable[str]) -> str:
    return ", ".join(sorted(ids)) or "none"
