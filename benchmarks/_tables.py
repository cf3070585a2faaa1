"""The tables and the policies that benchmarks audit, and DuckDB's bare GROUP BY as the peer of each."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from _measure import ROOT, SKIPPED

AUDITOR = Path(sys.executable).with_name("auditor")
ADULT = ROOT.parent / "shared" / "data" / "adult" / "adult.csv"
ADULT_COLUMNS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
PERSON_COLUMNS = ("age", "sex", "race", "zip", "marital", "education", "country")
OCCUPATIONS = {
    "Technical": ["Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct"],
    "Nontechnical": ["Sales", "Exec-managerial", "Handlers-cleaners"],
    "Other": ["Other-service", "Adm-clerical", "Farming-fishing", "Transport-moving", "Priv-house-serv",
              "Protective-serv", "Armed-Forces"],
}  # fmt: skip
DISEASES = {f"group{group}": [f"disease{number}" for number in range(group, 30, 5)] for group in range(5)}


def ten_models(sensitive: str) -> list[dict[str, Any]]:
    """List the ten models, t-closeness with every distance and every ground distance but the expert's matrix."""
    closeness = [
        {"distance": "variational"}, {"distance": "kl"}, {"distance": "js"},
        {"ground": "equal"}, {"ground": "ordered"}, {"ground": "hierarchical"},
    ]  # fmt: skip
    models: list[dict[str, Any]] = [
        {"model": "alpha-k-anonymity", "alpha": 0.6, "k": 5},
        {"model": "p-sensitive-k-anonymity", "p": 3, "k": 5},
        {"model": "distinct-l-diversity", "l": 3},
        {"model": "entropy-l-diversity", "l": 2.5},
        {"model": "recursive-l-diversity", "c": 4, "l": 3},
        {"model": "basic-beta-likeness", "beta": 2},
        {"model": "enhanced-beta-likeness", "beta": 2},
        {"model": "delta-disclosure", "delta": 1.5},
        *({"model": "t-closeness", "t": 0.3, **choice} for choice in closeness),
    ]
    return [{"model": "k-anonymity", "k": 5}, *({**model, "sensitive": sensitive} for model in models)]


def policy(name: str, columns: tuple[str, ...], sensitive: str, tree: dict[str, list[str]]) -> dict[str, Any]:
    """Demand the ten models of a table with these quasi-identifiers."""
    values = [value for group in tree.values() for value in group]
    attribute = {"role": "sensitive", "hierarchy": {"tree": {"Any": tree}}, "order": values}
    return {
        "version": 1,
        "name": name,
        "attributes": {**dict.fromkeys(columns, "quasi-identifier"), sensitive: attribute},
        "undeclared": "insensitive",
        "requirements": ten_models(sensitive),
    }


def adult_policy() -> dict[str, Any]:
    """Judge Adult: seven quasi-identifiers, the occupation is sensitive."""
    return policy("adult", ADULT_COLUMNS, "occupation", OCCUPATIONS)


def person_policy() -> dict[str, Any]:
    """Judge the generated persons: seven quasi-identifiers, the disease is sensitive."""
    return policy("persons", PERSON_COLUMNS, "disease", DISEASES)


@contextmanager
def workplace() -> Iterator[tuple[argparse.Namespace, Path]]:
    """Read the command line (``--data``, ``--repeats``) and give a temporary folder for the tables to be made."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--data", type=Path, help="use this table instead of making one (Adult: the CSV file)")
    parser.add_argument("--repeats", type=int, help="how often to measure")
    with tempfile.TemporaryDirectory(prefix="auditor-benchmark-") as folder:
        yield parser.parse_args(), Path(folder)


def adult(given: Path | None) -> Path:
    """Find the Adult table of 30,162 rows, or end the benchmark and say why."""
    file = given or ADULT
    if not file.is_file():
        print(f"   skipped: Adult (semicolons, a header, 30,162 rows) is not at {file.name}; name it with --data FILE")
        sys.exit(SKIPPED)
    return file


def repeated(table: Path, times: int, target: Path) -> Path:
    """Write the table with every record repeated; the format of the target is that of its name."""
    return _written(f"select t.* from {reader(table)} t, range({times})", target)


def persons(rows: int, target: Path) -> Path:
    """Write generated persons, almost every one a class of its own; the same persons every time."""
    columns = {
        "age": "18 + h % 72",
        "sex": "if(h // 72 % 2 = 0, 'F', 'M')",
        "race": "'race' || h // 144 % 5",
        "zip": "10000 + h // 720 % 30000 * 3",
        "marital": "'marital' || g % 7",
        "education": "'education' || g // 7 % 16",
        "country": "'country' || g // 112 % 41",
        "disease": "'disease' || g // 4592 % 30",
    }
    select = ", ".join(f"({expression})::varchar as {name}" for name, expression in columns.items())
    hashed = f"select hash(range) as h, hash(range + {rows}) as g from range({rows})"
    return _written(f"select {select} from ({hashed})", target)


def auditing(table: Path, demanded: dict[str, Any], folder: Path) -> list[str | Path]:
    """Write the policy into the folder (JSON is YAML) and give the command that audits the table against it."""
    file = folder / "policy.yaml"
    file.write_text(json.dumps(demanded), encoding="utf-8")
    return [AUDITOR, "check", table, "-p", file, "--format", "json"]


def bare_group_by(table: Path, columns: tuple[str, ...], memory: str | None = None, spill: Path | None = None) -> str:
    """Write the peer as a Python program: DuckDB counts the classes of the table, and does nothing else."""
    listed = ", ".join(f'"{column}"' for column in columns)
    counted = f"select {listed}, count(*) as n from {reader(table)} group by {listed}"
    settings = ["set enable_progress_bar = false", "set preserve_insertion_order = false"]
    if memory:
        settings += [f"set memory_limit = '{memory}'", f"set temp_directory = '{spill}'"]
    statements = [*settings, f"select count(*), max(n) from ({counted})"]
    return f"import duckdb\nd = duckdb.connect()\nfor s in {statements!r}: d.execute(s).fetchall()"


def reader(table: Path) -> str:
    """Say in SQL how DuckDB reads a table of these benchmarks."""
    if table.suffix == ".parquet":
        return f"read_parquet('{table}')"
    return f"read_csv('{table}', header = true, all_varchar = true)"


def _written(query: str, target: Path) -> Path:
    form = "format parquet, compression zstd" if target.suffix == ".parquet" else "format csv, header true"
    with duckdb.connect() as database:
        database.execute("set enable_progress_bar = false")
        database.execute("set preserve_insertion_order = false")
        database.execute(f"copy ({query}) to '{target}' ({form})")
    return target
