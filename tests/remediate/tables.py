"""Small tables and policies for remediation."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

POLICY: dict[str, Any] = {
    "version": 1,
    "name": "visits",
    "attributes": {
        "id": "identifier",
        "key": "pseudonym",
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [10, 20], "start": 0}}},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        "note": "insensitive",
    },
    "requirements": [{"model": "k-anonymity", "k": 5}],
}
COLUMNS = ("id", "key", "age", "sex", "note")


def rows(count: int) -> list[tuple[str, ...]]:
    """Rows whose order nothing else in them tells."""
    return [
        (f"i{n}", f"k{n * 7919 % 100_003}", str(n * 31 % 90), "FM"[n % 2], f'=1+{n % 5}, "é"') for n in range(count)
    ]


def write(path: Path, count: int = 60, delimiter: str = ",") -> Path:
    """A table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows([COLUMNS, *rows(count)])
    return path


def read(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """A table of CSV as Python reads it."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def left_behind(folder: Path) -> list[str]:
    """The unfinished releases in a folder."""
    return [path.name for path in folder.iterdir() if ".auditor-tmp-" in path.name]
