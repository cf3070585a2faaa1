"""What testing a policy found."""

from __future__ import annotations

from dataclasses import dataclass

from auditor.errors import EXIT_MET, EXIT_NOT_MET
from auditor.result._document import SCHEMA_VERSION, Tool
from auditor.result._marks import fact, total
from auditor.result._requirement import Location


@dataclass(frozen=True, kw_only=True)
class AchievedDifference:
    """A number that a test expected of its table, and the one that was measured (None: none was)."""

    requirement: str = fact()
    expected: float = fact()
    measured: float | None = total()


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """One policy test.

    `differences` say in words what was not as expected; numbers stand in `achieved`. `reason` says why the table could
    not be judged.
    """

    name: str = fact()
    policy: str = fact()
    location: Location = fact()
    passed: bool = fact()
    verdict: str = fact()
    differences: tuple[str, ...] = fact(())
    achieved: tuple[AchievedDifference, ...] = fact(())
    reason: str | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A policy loosened in one place, and whether a test noticed.

    `field` is None where the whole requirement is left out. `old` and `new` are "confidential" for a secret.
    """

    policy: str = fact()
    requirement: str = fact()
    field: str | None = fact()
    old: float | str | None = fact()
    new: float | str | None = fact()
    noticed_by: str | None = fact()
    location: Location | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class PolicyTestsResult:
    """All tests that were run, and with ``--coverage`` what they would not notice."""

    schema_version: int = fact(SCHEMA_VERSION)
    tool: Tool = fact()
    command: str = fact("test")
    verdict: str = fact()
    files: tuple[str, ...] = fact()
    tests: tuple[CaseResult, ...] = fact()
    mutants: tuple[Mutant, ...] | None = fact(None)
    not_checked: tuple[str, ...] = fact(())
    tolerance: float = fact()
    """Relative: expected and measured numbers that differ by no more are equal, whole numbers only where they are."""

    def __repr__(self) -> str:
        """The verdict alone: tables of tests are fictitious, and long."""
        passed = sum(each.passed for each in self.tests)
        return f"<{type(self).__name__}: {self.verdict}, {passed} of {len(self.tests)} tests passed>"

    @property
    def exit_code(self) -> int:
        """0 where every test passed and every loosened number was noticed, else 1."""
        return EXIT_MET if self.verdict == "pass" else EXIT_NOT_MET
