"""What `mask` gives back: the document, and in Python the masked table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from auditor.report import Rendered
from auditor.result import Audience, MaskingFigures, MaskingResult, Result, Verdict


class MaskResult(Rendered, MaskingResult):
    """The result of `mask`: the JSON document as a value, which can show itself."""


@dataclass(frozen=True, eq=False)
class Masked:
    """A masking: `result` is its document, `data` the masked table in the kind that came in.

    `data` is None for a path or a database, whose release is a file, and where the policy is not met.
    """

    result: MaskResult
    data: Any = field(default=None, repr=False)

    @property
    def protection(self) -> MaskingFigures | None:
        """What the masking cost, and what it left to find."""
        return self.result.protection

    @property
    def before(self) -> Result | None:
        """The audit of the table that came in."""
        return self.result.before

    @property
    def after(self) -> Result | None:
        """The audit of the masked table."""
        return self.result.after

    @property
    def verdict(self) -> Verdict:
        """What became of the policy."""
        return self.result.verdict

    @property
    def passed(self) -> bool:
        """Whether the masked table meets every requirement of severity error, without a waiver."""
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
