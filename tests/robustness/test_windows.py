"""What needs no POSIX runs where there is none. Nothing here is run on Windows itself (see `tests.windows`)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLINIC = """version: 1
name: clinic
attributes:
  patient: identifier
  zip: {role: quasi-identifier, hierarchy: {mask: {side: right, character: "*"}}}
  age: {role: quasi-identifier, hierarchy: {intervals: {widths: [5, 10], start: 0, top: 90}}}
  diagnosis: sensitive
requirements: [{model: k-anonymity, k: 3}]
"""
VISITS = """patient,zip,age,diagnosis
p1,02138,31,asthma
p2,02139,33,flu
p3,02138,38,flu
p4,02141,42,diabetes
p5,02142,44,flu
p6,02141,47,asthma
"""
NUMBERS = """version: 1
name: numbers
attributes: {"*": {role: insensitive, type: number}}
requirements: [{model: max-linkage-risk, max: 1, attributes: [a, b]}]
protection: [{method: rank-swapping, attributes: [a, b], p: 10, sweep: {p: [15]}}]
"""
STAFF = """version: 1
name: staff
attributes: {id: identifier, dept: quasi-identifier, salary: {role: sensitive, type: number}}
queries: {table: staff, key: id, limits: {query_set_size: {min: 5, both_ends: false}}}
outputs: [{type: frequency-table, min_cell: 3}]
"""
COMMANDS = {
    "check visits.csv -p clinic.yaml --source --counts kept --report kept.json": 1,
    "check visits.csv -p clinic.yaml --source --since kept.json": 1,
    "check visits.csv -p clinic.yaml --source --memory 300MB --spill .": 1,
    "remediate visits.csv -p clinic.yaml -o release.csv --report release.html": 0,
    "remediate visits.csv -p clinic.yaml -o release.csv --mapping mapping.csv": 0,
    "remediate visits.csv -p clinic.yaml -o release.xlsx": 0,
    "remediate visits.csv -p clinic.yaml -o release.parquet": 0,
    "check release.csv -p clinic.yaml --certificate seal.json --ledger ledger.jsonl": 0,
    "verify seal.json release.csv": 0,
    "mask numbers.csv -p numbers.yaml -o masked.csv --seed 7": 0,
    "tradeoff numbers.csv -p numbers.yaml --seeds 1 --state state.jsonl": 0,
    "hide baskets.jsonl --sensitive sensitive.txt --min-support 2 -o hidden.jsonl": 0,
    "queries log.sql -p staff.yaml -d staff.csv": 0,
    "outputs table.csv -p staff.yaml -d staff.csv --ledger outputs.jsonl --record": 0,
    "init visits.csv -o proposed.yaml": 0,
    "hierarchy visits.csv -p clinic.yaml": 0,
    "report kept.json --format markdown": 0,
}
"""The commands, and their exit codes here and there."""
PROGRAM = """
import json, sys
from tests.windows import take_away
take_away()
from auditor.cli import invoke
print(json.dumps([invoke(command.split()) for command in sys.argv[1:]]))
"""


@pytest.mark.skipif(not Path("/proc/self/fdinfo").is_dir(), reason="what is open is read from /proc")
def test_what_needs_no_posix_runs_without_it(tmp_path):
    files = {
        "clinic.yaml": CLINIC, "visits.csv": VISITS, "numbers.yaml": NUMBERS, "staff.yaml": STAFF,
        "numbers.csv": "a,b\n" + "".join(f"{17 * n % 61}.5,{23 * n % 59}\n" for n in range(60)),
        "staff.csv": "id,dept,salary\n" + "".join(f"{n},{'AB'[n % 2]},{1000 + 7 * n}\n" for n in range(20)),
        "log.sql": "SELECT sum(salary) FROM staff;\n", "table.csv": "dept,n\nA,10\nB,10\n", "sensitive.txt": "a b\n",
        "baskets.jsonl": "".join(f'{{"items": {json.dumps(list(items))}}}\n' for items in ("ab", "ab", "abc", "bc")),
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "temporary").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *COMMANDS],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "temporary")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines(), done.stderr
    assert dict(zip(COMMANDS, json.loads(done.stdout.splitlines()[-1]), strict=True)) == COMMANDS, done.stderr
    assert not list((tmp_path / "temporary").iterdir())
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
