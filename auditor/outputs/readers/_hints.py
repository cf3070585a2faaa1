"""What a reader is told besides the file."""

from __future__ import annotations

from dataclasses import dataclass

from auditor import registry
from auditor.outputs.readers._items import Columns

TYPES = registry.names("auditor.outputs.checks")
"""The types of outputs: those that a check judges."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What the user, the policy and the data know of a file.

    `columns` are the names that the policy or the data have, `type` the type of output that the user says it is, and
    `records` N, which some formats do not write.
    """

    columns: Columns = frozenset()
    type: str | None = None
    records: int | None = None
