"""Thousands of quasi-identifiers: what each of them needs is done for hundreds at a time, or for the first ones."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.robustness.conftest import Audit

COLUMNS = 5000
PAIRS = 100


@pytest.mark.slow
def test_five_thousand_quasi_identifiers(audit: Audit, tmp_path: Path) -> None:
    """Every record occurs twice, and no two pairs agree, so all quasi-identifiers together make classes of two."""
    chance = random.Random(5)
    records = {tuple(chance.choices("xyz", k=COLUMNS)) for _ in range(PAIRS)}
    lines = [",".join(record) for record in (*records, *records)]
    table = tmp_path / "wide.csv"
    table.write_text("\n".join([",".join(f"q{i}" for i in range(COLUMNS)), *lines]), encoding="utf-8")
    requirements = [{"model": "k-anonymity", "k": 2}, {"model": "uniqueness", "max": 0}]
    policy = {"name": "p", "attributes": {"q*": "quasi-identifier"}, "requirements": requirements}

    outcome = audit(table, "--format", "json", policy=policy)

    found = json.loads(outcome.out)
    assert outcome.code == 0, outcome.err
    assert len(found["classes"]["quasi_identifiers"]) == COLUMNS
    assert (found["classes"]["count"], found["classes"]["smallest"], found["classes"]["largest"]) == (PAIRS, 2, 2)
    steps = found["dimensionality"]["steps"]
    assert len(steps) == 100
    assert steps[-1]["classes"] == PAIRS
    assert (
        "The dimensionality check joins only the 100 quasi-identifiers with the fewest values." in found["assumptions"]
    )
