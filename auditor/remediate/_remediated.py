"""What `remediate` gives back: the document, and in Python the released table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from auditor.report import Rendered
from auditor.result import Audience, RemediationResult, Result, Shortfall, Solution, Verdict


class RemediateResult(Rendered, RemediationResult):
    """The result of `remediate`: the JSON document as a value, which can show itself."""


@dataclass(frozen=True, eq=False)
class Remediated:
    """A remediation: `result` is its document, `data` the released table in the kind that came in.

    `data` is None for a path or a database, whose release is a file, and where nothing was released.
    """

    result: RemediateResult
    data: Any = field(default=None, repr=False)

    @property
    def solution(self) -> Solution | None:
        """What was chosen; None where no generalization meets the policy."""
        return self.result.solution

    @property
    def shortfall(self) -> Shortfall | None:
        """Why no generalization meets the policy; None where one does."""
        return self.result.shortfall

    @property
    def before(self) -> Result | None:
        """The audit of the table that came in."""
        return self.result.before

    @property
    def after(self) -> Result | None:
        """The audit of the release."""
        return self.result.after

    @property
    def verdict(self) -> Verdict:
        """What became of the policy."""
        return self.result.verdict

    @property
    def passed(self) -> bool:
        """Whether there is a release that meets every requirement of severity error, without a waiver."""
        return self.result.passed

    @property
    def exit_code(self) -> int:
        """What the command returns."""
        return self.result.exit_code

    def raise_unless_passed(self) -> None:
        """Raise `PolicyNotMet` unless the verdict is ``pass``."""
        self.result.raise_unless_passed()

    def to_dict(self) -> dict[str, Any]:
        """The document as plain values, everything in it."""
        return self.result.to_dict()

    def to_html(self, audience: Audience | str = Audience.REVIEWER) -> str:
        """The report as one HTML file that needs no network and no script."""
        return self.result.to_html(audience)

    def _repr_html_(self) -> str:
        return self.result._repr_html_()
