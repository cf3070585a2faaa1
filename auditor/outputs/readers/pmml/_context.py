"""What the models of one file share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from auditor.outputs.published.outputs import Published
from auditor.outputs.readers._file import File
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._xml import Element
from auditor.outputs.readers.pmml._predicates import Conditions

FORMAT = "PMML"
CLAIMED = "record counts are the file's claim: PMML does not bind them to the training data"


@dataclass
class PmmlContext:
    """The file, the hints, and what was met that no output holds (without values of the data)."""

    file: File
    hints: Hints
    notes: dict[str, None] = field(default_factory=dict)
    unread: dict[str, None] = field(default_factory=dict)

    def note(self, text: str) -> None:
        """Say what was taken for granted."""
        self.notes[text] = None

    def left(self, text: str) -> None:
        """Say what could not be read: no output of the file passes."""
        self.unread[text] = None

    def base(self) -> dict[str, Any]:
        """The fields of a `Published` that say where it is from."""
        return dict(self.file.provenance(FORMAT))


ReadModel = Callable[[Element, Conditions, PmmlContext], list[Published]]
"""A model, the conditions of the segments that it stands in, and its file: what it publishes."""
