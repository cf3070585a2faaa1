"""The gate over a repository of 50 releases of 100,000 rows, ten models each: within 60 s on two processors."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from _measure import MET, MISSED, Cost, judge, process, show, start
from _tables import AUDITOR, person_policy, persons

RELEASES = 50
ROWS = 100_000
SECONDS = 60
GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=RELEASES)
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args()
    start(f"{options.releases} releases of {options.rows:,} rows of CSV, seven quasi-identifiers, ten models each")
    with tempfile.TemporaryDirectory(prefix="auditor-benchmark-") as name:
        folder = Path(name)
        _repository(folder, options.releases, options.rows)
        same = _gate(folder, "policies as at the base revision")
        for file in (folder / "policies").iterdir():
            demanded = json.loads(file.read_text(encoding="utf-8"))
            demanded["requirements"].append({"model": "max-risk", "max": 0.5})
            file.write_text(json.dumps(demanded), encoding="utf-8")
        both = _gate(folder, "every policy stricter, data judged by both")
    met = [
        judge("policies as at the base revision, wall seconds", same.wall, SECONDS),
        judge("every policy stricter, wall seconds", both.wall, SECONDS),
        judge("peak MB of one process", max(same.peak_mb or 0, both.peak_mb or 0), 2000),
    ]
    return MET if all(met) else MISSED


def _repository(folder: Path, releases: int, rows: int) -> None:
    """A repository with a policy and a table for each release; no two tables are the same."""
    for inner in ("policies", "out"):
        (folder / inner).mkdir()
    listed = {}
    table = persons(rows, folder / "persons.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    for number in range(releases):
        name = f"release-{number:02d}"
        (folder / "out" / f"{name}.csv").write_text("".join([table[0], *table[1 + number :]]), encoding="utf-8")
        (folder / "policies" / f"{name}.yaml").write_text(json.dumps(person_policy()), encoding="utf-8")
        listed[name] = {"policy": f"policies/{name}.yaml", "data": f"out/{name}.csv"}
    (folder / "persons.csv").unlink()
    (folder / "auditor.yaml").write_text(json.dumps({"version": 1, "releases": listed}), encoding="utf-8")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "Begin")):
        subprocess.run([*GIT, *words], cwd=folder, check=True)


def _gate(folder: Path, what: str) -> Cost:
    """The whole command; the random tables do not meet their policy."""
    command = [str(AUDITOR), "gate", "--quiet"]
    program = f"import os; os.chdir({str(folder)!r}); os.execv({command[0]!r}, {command!r})"
    cost = process([sys.executable, "-c", program], expected=(1,))
    show(what, cost)
    return cost


if __name__ == "__main__":
    sys.exit(main())
