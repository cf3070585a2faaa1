"""ANJANA against remediation: the same table, hierarchies, k and suppression; CPU seconds and discernibility."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import venv
from pathlib import Path

import pandas as pd

import auditor
from _measure import MET, MISSED, Cost, alternated, judge, show, start, timed
from _remediation import K5, NINE, lattice_policy
from _tables import adult, workplace

ANONYMIZE = """
import json, sys, time
from importlib.metadata import version
import numpy, pandas
from anjana.anonymity import k_anonymity
table = pandas.read_csv(sys.argv[1], sep=";", dtype=str)
ladders = json.load(open(sys.argv[2]))
hierarchies = {c: {i: numpy.array(level) for i, level in enumerate(levels)} for c, levels in ladders.items()}
cpu, wall = time.process_time(), time.perf_counter()
release = k_anonymity(table, [], list(hierarchies), 5, 4, hierarchies)
spent = [time.process_time() - cpu, time.perf_counter() - wall]
release[list(hierarchies)].to_csv(sys.argv[3], index=False)
print(json.dumps([*spent, version("anjana"), version("pandas")]))
"""


def main() -> int:
    start("ANJANA and remediation: Adult, nine quasi-identifiers, k = 5, at most 4 % suppressed, dataframes in memory")
    with workplace() as (options, folder):
        file = adult(options.data)
        python = _install(folder)
        table = pd.read_csv(file, sep=";", dtype=str)
        policy = lattice_policy(file, folder, K5, objective="discernibility", suppression_limit="4%")
        solution = auditor.remediate(table, policy).solution  # the lazy imports, and what is found
        if solution is None or solution.loss is None:
            raise SystemExit("the policy should have a solution on Adult, and none was found")
        remediated = {"remediate": lambda: timed(lambda: auditor.remediate(table, policy))}
        ours = alternated(remediated, options.repeats or 3)["remediate"]
        theirs, versions, release = _anonymized(python, file, folder)
    show("remediation, audited before and after (median)", ours)
    show(f"ANJANA {versions} (once)", theirs)
    lost = len(table) - len(release)
    discernibility = int((release.groupby(list(NINE)).size() ** 2).sum()) + len(table) * lost
    print(f"   ANJANA suppresses {lost:,} records; remediation {solution.suppressed_records:,}")
    met = [
        judge("discernibility against ANJANA's release", solution.loss / discernibility, 1, "x"),
        judge("CPU, ANJANA against remediation", theirs.cpu / ours.cpu, 1, "x", at_least=True),
    ]
    return MET if all(met) else MISSED


def _install(folder: Path) -> Path:
    venv.create(folder / "peer", with_pip=True)
    python = folder / "peer" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-qq", "anjana"], check=True)
    return python


def _anonymized(python: Path, table: Path, folder: Path) -> tuple[Cost, str, pd.DataFrame]:
    ladders = {column: _levels(table, column) for column in NINE}
    (folder / "ladders.json").write_text(json.dumps(ladders), encoding="utf-8")
    release = folder / "anjana.csv"
    command: list[str | Path] = [python, "-W", "ignore", "-c", ANONYMIZE, table, folder / "ladders.json", release]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    cpu, wall, anjana, pandas = json.loads(printed.splitlines()[-1])
    return Cost(cpu, wall, wall), f"{anjana} on pandas {pandas}", pd.read_csv(release, dtype=str, keep_default_na=False)


def _levels(table: Path, column: str) -> list[list[str]]:
    """The levels of a hierarchy, each a value per leaf."""
    with (table.parent / f"adult_hierarchy_{column}.csv").open(encoding="utf-8") as file:
        return [list(level) for level in zip(*csv.reader(file, delimiter=";"), strict=True)]


if __name__ == "__main__":
    sys.exit(main())
