"""A small table of numbers, and policies that weigh methods on it."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from auditor.cli import invoke

NAMES = ("income", "tax", "wealth", "age")


@pytest.fixture
def table(tmp_path):
    """60 records of four numbers that go together, beside a column that is not masked."""
    generator = np.random.default_rng(7)
    base = generator.normal(size=60)
    rows = [",".join([*NAMES, "area"])]
    for i in range(60):
        numbers = [round(1000 * base[i] + 300 * generator.normal(), 2) for _ in NAMES]
        rows.append(",".join([*map(str, numbers), "north" if i % 2 else "south"]))
    path = tmp_path / "table.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def policy():
    """A policy as a mapping; the arguments replace what it says."""

    def made(**changes):
        return {
            "version": 1,
            "name": "weighing",
            "attributes": {**dict.fromkeys(NAMES, "sensitive"), "area": "quasi-identifier"},
            "requirements": [{"model": "k-anonymity", "k": 5}],
            "protection": [{"attributes": list(NAMES), "method": "rank-swapping", "p": 10, "sweep": {"p": [20, 30]}}],
            **changes,
        }

    return made


@pytest.fixture
def policy_file(tmp_path, policy):
    """The policy as a file."""
    path = tmp_path / "policy.yaml"
    path.write_text(json.dumps(policy()))
    return path


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def run_cli(capfd):
    """Run a command in this process."""

    def run(*arguments):
        code = invoke(list(arguments))
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return run
