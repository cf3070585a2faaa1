"""What `remediate` gives back: the document, and in Python the released table."""

from __future__ import annotations

from dataclasses import dataclass

from auditor.produced import Produced
from auditor.report import Rendered
from auditor.result import Result
from auditor.result.remediation import AlternativeRelease, RemediationResult, Shortfall, Solution


class RemediateResult(Rendered, RemediationResult):
    """The result of `remediate`: the JSON document as a value, which can show itself."""


@dataclass(frozen=True, eq=False)
class Remediated(Produced):
    """The result of `remediate`: `data` is the released table."""

    result: RemediateResult

    @property
    def solution(self) -> Solution | None:
        """What was chosen; None if no generalization meets the policy."""
        return self.result.solution

    @property
    def shortfall(self) -> Shortfall | None:
        """Why no generalization meets the policy; None if one does."""
        return self.result.shortfall

    @property
    def alternatives(self) -> tuple[AlternativeRelease, ...]:
        """The other releases that were looked at, each with what it loses and the lines that ask for it."""
        return self.result.alternatives or ()

    @property
    def before(self) -> Result | None:
        """The audit of the original table."""
        return self.result.before

    @property
    def after(self) -> Result | None:
        """The audit of the release."""
        return self.result.after
