"""A small table of people, and policies that mask it."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

NAMES = ("name", "age", "zip", "income", "ill")
POLICY: dict[str, Any] = {
    "name": "masked",
    "attributes": {
        "name": "identifier",
        "age": "quasi-identifier",
        "zip": "quasi-identifier",
        "income": "sensitive",
        "ill": "sensitive",
    },
    "requirements": [{"id": "k", "model": "k-anonymity", "k": 3, "quasi_identifiers": ["age"]}],
    "protection": [
        {"method": "microaggregation", "attributes": ["age"], "k": 3},
        {"method": "rank-swapping", "attributes": ["inc*"], "p": 20},
    ],
}


def people(rows: int = 60) -> list[tuple[str, str, str, str, str]]:
    """Records with missing incomes and illnesses; no two ages or incomes are written in two ways."""
    chance = random.Random(11)
    return [
        (
            f"person {i}",
            str(chance.randint(20, 60)),
            chance.choice(["08001", "08002"]),
            str(chance.randint(1000, 9000)) if i % 10 else "",
            chance.choice(["flu", "none", ""]),
        )
        for i in range(rows)
    ]


def write(path: Path, rows: list[tuple[str, ...]] | None = None) -> Path:
    """The table as a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([NAMES, *(people() if rows is None else rows)])
    return path


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def masking(*methods: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The policy with other methods, and a requirement that every table meets."""
    demanded = [{"model": "k-anonymity", "k": 1}]
    return POLICY | {"requirements": demanded, "protection": list(methods)} | changes
