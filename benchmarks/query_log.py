"""Whole audits of query logs, from the files on: ad-hoc SQL with planted trackers, and GROUP BY over a million records.

Each audit is a process of its own, reads a Parquet or CSV table and a log of SQL, and is judged by what it finds, too.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import duckdb
import numpy as np

from _measure import MET, MISSED, judge, process, show, start
from _queries import COLUMNS, make_table, predicate, read_columns

COARSE = {"region": 10, "dept": 8, "grade": 6, "tenure": 5, "contract": 4, "sex": 2}
"""Those of many GROUP BY statements: few enough that ten thousand statements ask much the same again and again."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--audit", nargs=3, metavar=("LOG", "POLICY", "DATA"))
    parser.add_argument("--small", action="store_true", help="few queries over few records: does it run at all")
    options, _ = parser.parse_known_args()
    if options.audit:
        return _audit(*options.audit)
    start("a query log, whole: 2,000 ad-hoc queries over 200,000 records; GROUP BY over a million")
    by = 100 if options.small else 1
    with tempfile.TemporaryDirectory() as folder:
        met = [_ad_hoc(Path(folder), by), _numbers(Path(folder), by), _statements(Path(folder), by)]
    return MET if all(met) else MISSED


def _audit(log: str, policy: str, data: str) -> int:
    """The audit of a file; the named records are found exactly, and nothing else is disclosed."""
    from auditor import audit_queries

    found = audit_queries(log, policy, data)
    expected = json.loads(Path(log).with_suffix(".json").read_text(encoding="utf-8"))
    exposed = sorted(record for each in found.disclosures for record in each.records or ())
    if found.unsupported or exposed != expected or len(found.queries) < len(expected):
        sys.stderr.write(f"exposed {exposed[:9]}, expected {expected}, unsupported {found.unsupported}\n")
        return 1
    sys.stderr.write(f"{len(found.queries):,} numbers\n")
    return 0


def _ad_hoc(folder: Path, by: int) -> bool:
    """The limit of 2,000 queries, from either kind of file, and the growth around it."""
    met, records = [], 200_000 // by
    table = make_table(folder, "people", COLUMNS, records)
    policy = _policy(folder, "people", COLUMNS)
    for queries in (100, 300, 1_000, 2_000, 5_000, 10_000):
        log = folder / f"adhoc{queries}.sql"
        _ad_hoc_log(log, table, max(queries // by, 20))
        for data in (table, table.with_suffix(".csv")) if queries == 2_000 else (table,):
            cost = process([sys.executable, __file__, "--audit", log, policy, data])
            show(f"{queries // by:,} ad-hoc queries, {records:,} records, {data.suffix[1:]}", cost)
            if queries == 2_000:
                met.append(judge(f"2,000 ad-hoc queries from {data.suffix[1:]}, CPU seconds", cost.cpu, 20))
    return all(met)


def _numbers(folder: Path, by: int) -> bool:
    """10,000 numbers: 200 statements of 50 groups, each within two ranges, over records that are nearly all unlike."""
    table, policy = make_table(folder, "wide", COLUMNS, 1_000_000 // by), _policy(folder, "wide", COLUMNS)
    log = folder / "numbers.sql"
    generator = np.random.default_rng(5)
    lines = []
    for _ in range(200 // by):
        terms = []
        for name in generator.permutation([each for each in COLUMNS if each != "zip"])[:2]:
            half = COLUMNS[name] // 2
            low = int(generator.integers(0, COLUMNS[name] - half))
            terms.append(f"{name} BETWEEN {low} AND {low + half}")
        lines.append(f"SELECT zip, SUM(salary) FROM wide WHERE {' AND '.join(terms)} GROUP BY zip;")
    return _judged(log, lines, policy, table, "10,000 numbers by GROUP BY")


def _statements(folder: Path, by: int) -> bool:
    """10,000 statements, of 8 to 80 groups each: most ask what earlier ones answer already."""
    table, policy = make_table(folder, "coarse", COARSE, 1_000_000 // by), _policy(folder, "coarse", COARSE)
    generator = np.random.default_rng(6)
    lines = []
    for _ in range(10_000 // by):
        a, b, c = generator.choice(list(COARSE), 3, replace=False)
        where = f" WHERE {c} = {generator.integers(0, COARSE[c])}" if generator.random() < 0.9 else ""
        lines.append(f"SELECT {a}, {b}, SUM(salary) FROM coarse{where} GROUP BY {a}, {b};")
    return _judged(folder / "statements.sql", lines, policy, table, "10,000 statements by GROUP BY")


def _judged(log: Path, lines: list[str], policy: Path, table: Path, what: str) -> bool:
    _write(log, lines, [])
    cost = process([sys.executable, __file__, "--audit", log, policy, table])
    show(what, cost)
    seconds = judge(f"{what}, CPU seconds", cost.cpu, 60)
    return judge(f"{what}, peak MB", cost.peak_mb or 0, 4096) and seconds


def _policy(folder: Path, table: str, columns: dict[str, int]) -> Path:
    path = folder / f"{table}.yaml"
    roles = "".join(f", {name}: quasi-identifier" for name in columns)
    path.write_text(
        f"""version: 1
name: {table}
attributes: {{id: identifier{roles}, salary: {{role: sensitive, type: number}}}}
queries: {{table: {table}, key: id, limits: {{exact_value: deny}}}}
""",
        encoding="utf-8",
    )
    return path


def _ad_hoc_log(path: Path, table: Path, queries: int) -> None:
    """Plant five pairs of sums that differ by one record, known by its public values; the others overlap at random."""
    generator = np.random.default_rng(queries)
    read, names = read_columns(table), ", ".join(COLUMNS)
    with duckdb.connect() as database:
        alone = database.execute(f"SELECT min(id) FROM '{table}' GROUP BY {names} HAVING count(*) = 1").fetchnumpy()
    single = np.sort(alone["min(id)"])
    asked = [predicate(generator, read) for _ in range(queries - 5)]
    statements = [f"SELECT SUM(salary) FROM people WHERE {text};" for text, _ in asked]
    planted: list[int] = []
    for which in generator.permutation(len(asked)):
        text, members = asked[which]
        victims = single[members[single]]
        if not len(victims):
            continue
        victim = int(generator.choice(victims))
        described = " AND ".join(f"{name} = {read[name][victim]}" for name in COLUMNS)
        statements.append(f"SELECT SUM(salary) FROM people WHERE {text} AND NOT ({described});")
        planted.append(victim)
        if len(planted) == 5:
            break
    _write(path, statements, sorted(planted))


def _write(log: Path, statements: list[str], exposed: list[int]) -> None:
    """A log, and beside it who is exposed by it."""
    log.write_text("\n".join(statements) + "\n", encoding="utf-8")
    log.with_suffix(".json").write_text(json.dumps(exposed), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
