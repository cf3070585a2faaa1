"""The beginning of a log: what a guess at its format rests on."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from auditor.errors import DataError
from auditor.queries.logs._records import records
from auditor.queries.logs._text import lines

ENDING = re.compile(r"(\.[a-z]+)(?:[.-][0-9]+)*(?:\.gz)?\Z")
"""As of ``q.sql``, ``q.sql.1``, ``q.sql-20270331.gz``."""


@dataclass(frozen=True)
class Beginning:
    """A log file and its first line that is not blank."""

    path: Path
    first: str

    @property
    def ending(self) -> str:
        """The ending of the file's name in small letters, without what rotation and compression put behind it."""
        found = ENDING.search(self.path.name.lower())
        return "" if found is None else found[1]

    @property
    def is_json(self) -> bool:
        """Whether the first line begins as a JSON object does."""
        return self.first.lstrip().startswith("{")

    @cached_property
    def entry(self) -> dict[str, Any] | None:
        """The JSON object in the first line; None where there is none."""
        if not self.is_json:
            return None
        try:
            found = json.loads(self.first)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    @cached_property
    def fields(self) -> list[str] | None:
        """The first record of CSV without a header; None where there is none."""
        try:
            return next(records(lines(self.path), self.path))[1]
        except (DataError, StopIteration):
            return None
