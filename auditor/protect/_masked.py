"""What `mask` gives back: the document, and in Python the masked table."""

from __future__ import annotations

from dataclasses import dataclass

from auditor.produced import Produced
from auditor.report import Rendered
from auditor.result import Result
from auditor.result.masking import MaskingFigures, MaskingResult


class MaskResult(Rendered, MaskingResult):
    """The result of `mask`: the JSON document as a value, which can show itself."""


@dataclass(frozen=True, eq=False)
class Masked(Produced):
    """The result of `mask`: `data` is the masked table."""

    result: MaskResult

    @property
    def protection(self) -> MaskingFigures | None:
        """What the masking cost, and what an attacker can still find."""
        return self.result.protection

    @property
    def before(self) -> Result | None:
        """The audit of the original table."""
        return self.result.before

    @property
    def after(self) -> Result | None:
        """The audit of the masked table."""
        return self.result.after
