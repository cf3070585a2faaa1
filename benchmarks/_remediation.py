"""What the remediation benchmarks share: Adult's policy with its hierarchies, and a search by itself."""

from __future__ import annotations

import csv
import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

from auditor.audit import AuditRun, uses
from auditor.engines import RunLimits, open_data
from auditor.policy import bind, load_policy
from auditor.remediate._problem import SearchProblem, problem

NINE = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
)  # fmt: skip
K5 = [{"model": "k-anonymity", "k": 5}]


def lattice_policy(
    table: Path,
    folder: Path,
    requirements: list[dict[str, Any]],
    *,
    sensitive: str | None = None,
    reference: str = "released",
    **settings: Any,
) -> Path:
    """Write a policy over Adult's nine columns into a folder, with the hierarchies that lie beside the table."""
    attributes = {}
    for column in NINE:
        name = f"adult_hierarchy_{column}.csv"
        shutil.copyfile(table.parent / name, folder / name)
        role = "sensitive" if column == sensitive else "quasi-identifier"
        attributes[column] = {"role": role, "hierarchy": {"file": name}}
    policy = {"name": "adult", "attributes": attributes, "requirements": requirements, "reference": reference}
    file = folder / f"policy-{len(list(folder.glob('policy-*')))}.yaml"
    file.write_text(json.dumps(policy | {"remediation": settings}), encoding="utf-8")
    return file


def problem_of(table: Path, policy: Path) -> SearchProblem:
    """Count a table and set up the search that the policy asks for."""
    limits, loaded = RunLimits.of(), load_policy(policy)
    with open_data(table, limits=limits) as source:
        binding = bind(loaded, [column.name for column in source.columns])
        run = AuditRun(loaded, binding, source, None, date(2026, 11, 21), True, False, limits)
        return problem(run, source.count(uses(run)))


def hierarchy_values(table: Path, column: str) -> list[str]:
    """The leaves of one of Adult's hierarchies."""
    with (table.parent / f"adult_hierarchy_{column}.csv").open(encoding="utf-8") as file:
        return [row[0] for row in csv.reader(file, delimiter=";")]
