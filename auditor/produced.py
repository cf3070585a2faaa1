"""What a command gives back that makes a release: its document, and in Python the released table."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auditor.result import Audience, Verdict


@dataclass(frozen=True, eq=False)
class Produced:
    """A release: `result` is its document, which says its type, and `data` what is released, in the kind that came in.

    `data` is None for a path or a database, whose release is a file, and where nothing was released.
    """

    result: Any
    data: Any = field(default=None, repr=False)

    @property
    def verdict(self) -> Verdict:
        """The outcome for the policy."""
        found: Verdict = self.result.verdict
        return found

    @property
    def passed(self) -> bool:
        """Whether there is a release that meets every requirement of severity error, without a waiver."""
        found: bool = self.result.passed
        return found

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        found: int = self.result.exit_code
        return found

    def raise_unless_passed(self) -> None:
        """Raise `PolicyNotMet` unless the verdict is ``pass``."""
        self.result.raise_unless_passed()

    def to_dict(self) -> dict[str, Any]:
        """The complete document as plain values."""
        found: dict[str, Any] = self.result.to_dict()
        return found

    def to_html(self, audience: Audience | str = Audience.REVIEWER) -> str:
        """The report as one HTML file that needs no network and no script."""
        found: str = self.result.to_html(audience)
        return found

    def requirement(self, id_: str) -> Any:
        """What was found of the requirement with this id."""
        return self.result.requirement(id_)

    def save(self, path: str | Path, audience: Audience | str | None = None) -> None:
        """Write the report to a file; the ending of its name sets the format."""
        self.result.save(path, audience)

    def to_frame(self) -> Any:
        """What was found of each requirement as a row of a dataframe of pandas."""
        return self.result.to_frame()

    def _repr_html_(self) -> str:
        found: str = self.result._repr_html_()
        return found
