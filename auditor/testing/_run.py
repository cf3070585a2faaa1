"""Running policy tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from auditor.distribution import version
from auditor.models import TOLERANCE
from auditor.result import Location, Tool
from auditor.result.policy_tests import CaseResult, PolicyTestsResult
from auditor.stages import Stage, stage
from auditor.testing._file import PolicyTests, discover, load_tests
from auditor.testing._judge import day_of, judged, named_files, unmet
from auditor.testing._mutants import coverage


def test(  # the command's name; no test of this project
    paths: str | Path | Sequence[str | Path] = (),  # noqa: PT028
    *,
    coverage: bool = False,  # noqa: PT028
    as_of: date | None = None,  # noqa: PT028
) -> PolicyTestsResult:
    """Run the policy tests of files, or of all that are found below folders.

    Args:
        paths: a test file or folder, or several; by default the current folder.
        coverage: loosen each number of each policy by one step, too, and see whether a test notices.
        as_of: the day on which waivers are judged, where a test says none; by default today.

    Raises:
        PolicyError, UsageError: a policy or a test file is wrong, or there is none.
    """
    named = [paths] if isinstance(paths, str | Path) else paths
    return run([load_tests(file) for file in discover([str(path) for path in named])], as_of=as_of, covered=coverage)


def run(files: Sequence[PolicyTests], *, as_of: date | None = None, covered: bool = False) -> PolicyTestsResult:
    """Run every test of the files.

    Args:
        files: the test files.
        as_of: the day on which waivers are judged, where a test says none; today by default.
        covered: loosen each number of each policy by one step, too, and see whether a test notices.

    Raises:
        PolicyError: a column is matched by two globs of a policy.
    """
    cases = [(tests, index) for tests in files for index in range(len(tests.cases))]
    with stage(Stage.TESTING) as here:
        results = tuple(_result(tests, index, as_of) for tests, index in here.counting(cases, "tests"))
    mutants = coverage(files, as_of) if covered else None
    unnoticed = any(mutant.noticed_by is None for mutant in mutants or ())
    judged_by = {(tests.policy.name, case.judges) for tests in files for case in tests.cases}
    blocks = dict.fromkeys((tests.policy.name, block) for tests in files for block in tests.policy.blocks())
    return PolicyTestsResult(
        tool=Tool(version=version()),
        verdict="pass" if all(result.passed for result in results) and not unnoticed else "fail",
        files=tuple(tests.file for tests in files),
        tests=results,
        mutants=mutants,
        not_checked=tuple(f"{name}: {block}" for name, block in blocks if (name, block) not in judged_by),
        tolerance=TOLERANCE,
    )


def _result(tests: PolicyTests, index: int, as_of: date | None) -> CaseResult:
    case = tests.cases[index]
    found = judged(case, tests.policy, named_files(tests, index), day_of(tests, as_of))
    words, numbers = unmet(case, found)
    return CaseResult(
        name=case.name,
        policy=tests.policy.name,
        location=Location(file=tests.file, line=tests.read.mark(f"tests/{index}").line),
        passed=not words and not numbers,
        verdict=found.verdict,
        differences=tuple(words),
        achieved=tuple(numbers),
        reason=found.reason,
    )
