"""What a reader is told besides the file."""

from __future__ import annotations

from dataclasses import dataclass

from auditor import registry
from auditor.outputs.readers._items import Columns
from auditor.outputs.readers._statistic_names import asked_for

TYPES = registry.names("auditor.outputs.checks")
"""The types of outputs: those that a check judges."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What the user, the policy and the data know of a file.

    `columns` are the names that the policy or the data have, `type` the type of output that the user says it is, and
    `records` N, which some formats do not write. `by` and `of` are what the headings of a table do not say: the columns
    that it is by, and what its numbers are (``count``, ``mean of cost``, or of which column, ``cost``). `across` is the
    name of the columns' labels, which a data frame has and its CSV has not, and `keys` how many names its rows have.
    `points_may_group` says that the policy has data whose points may stand between groups of three digits.
    """

    columns: Columns = frozenset()
    type: str | None = None
    records: int | None = None
    by: tuple[str, ...] = ()
    of: str | None = None
    across: str = ""
    keys: int = 0
    points_may_group: bool = False

    @property
    def numbers(self) -> tuple[str, str]:
        """The column and the statistic, "" where none is said, that the numbers of a table are."""
        of, said = asked_for(self.of, self.columns) if self.of else ("", "")
        return of, said or {"frequency-table": "count", "magnitude-table": "sum"}.get(self.type or "", "")
