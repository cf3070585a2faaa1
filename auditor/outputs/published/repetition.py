"""A table in which two cells have one key is refused.

The checks and the system of all counts know a cell by its key, so the second number would stand for the first, and a
small count could hide behind a large one. Such files come about when a column of the key is dropped before publishing.
"""

from __future__ import annotations

from auditor.errors import DataError
from auditor.outputs.published.outputs import FrequencyTable, GroupStatistics, Published


def distinct(output: Published) -> Published:
    """The output as it is.

    Raises:
        DataError: two of its cells have the same key; with their places, from 0, and never the key.
    """
    if isinstance(output, FrequencyTable | GroupStatistics):
        first: dict[tuple[str | None, ...], int] = {}
        for place, key in enumerate([cell.key for cell in output.cells]):
            if first.setdefault(key, place) != place:
                raise DataError(
                    f"{output.source}: cells {first[key]} and {place} have the same key; each key once (is a "
                    "column of the key missing?)"
                )
    return output
