"""The plug-in for pytest, which finds it by its entry point: a release as a test of a project.

Nothing of the program is imported before a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from auditor import CheckResult

__all__ = ["assert_release_meets"]


@pytest.fixture
def assert_release_meets(pytestconfig: pytest.Config) -> Callable[..., CheckResult]:
    """A function that fails the test unless data meets a policy, and else gives the result.

    It takes what `auditor.check` takes. A policy that is no file from the current folder is looked for from the root of
    the tests. What fails is told as for reviewers, without a traceback, whose variables may hold the data.
    """

    def asserted(data: Any, policy: Any, **options: Any) -> CheckResult:
        from auditor import Audience, AuditorError, check
        from auditor.errors import NotEvaluated
        from auditor.report import redact, render
        from auditor.report.names import without_quoted

        below = pytestconfig.rootpath / policy if isinstance(policy, str | Path) else None
        found = below if below is not None and below.is_file() and not Path(policy).exists() else policy
        try:
            result = check(data, found, **options)
        except AuditorError as wrong:
            said = without_quoted(str(wrong)) if isinstance(wrong, NotEvaluated) else str(wrong)
            raise pytest.fail.Exception(said, pytrace=False) from None
        if result.exit_code:
            raise pytest.fail.Exception(render(redact(result, Audience.REVIEWER), "text"), pytrace=False)
        return result

    return asserted
