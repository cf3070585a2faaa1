"""Levels at which a column's labels comply with the requirements on its contents."""

from __future__ import annotations

import csv
from pathlib import Path

from auditor.audit import AuditRun, not_complying
from auditor.dialect import CsvDialect
from auditor.engines import open_data
from auditor.hierarchies import STAR, Ladder
from auditor.models import ColumnRequirement
from auditor.remediate._lattice import Ranges


def complying(run: AuditRun, ladders: dict[str, Ladder | None], ranges: Ranges) -> Ranges:
    """The ranges without levels at which some label breaks a requirement on its column.

    Of levels that comply and do not follow each other, the coarsest ones stay. Where no level complies, the range stays
    as it is: whatever is found then fails its audit.
    """
    low, high = list(ranges.low), list(ranges.high)
    for place, (column, ladder) in enumerate(ladders.items()):
        for requirement in _on(run, column):
            right = [
                level
                for level in range(low[place], high[place] + 1)
                if ladder is not None and _complies(run, requirement, ladder.levels[level])
            ]
            if right:
                high[place] = right[-1]
                low[place] = max(level for level in right if level - 1 not in right)
    return Ranges(tuple(low), tuple(high))


def stars_comply(run: AuditRun) -> bool:
    """Whether `*` may stand in every quasi-identifier; where it may not, no record can be kept as `*`."""
    return all(
        _complies(run, requirement, (STAR,))
        for column in run.binding.quasi_identifiers
        for requirement in _on(run, column)
    )


def star_allowed(run: AuditRun, column: str) -> bool:
    """Whether a further level of `*` alone, above all others of a column's ladder, would be allowed."""
    return all(
        requirement.least_level is not None or _complies(run, requirement, (STAR,)) for requirement in _on(run, column)
    )


def _on(run: AuditRun, column: str) -> list[ColumnRequirement]:
    asked = [bound.requirement for bound in run.binding.requirements if bound.requirement.severity == "error"]
    return [model for model in asked if isinstance(model, ColumnRequirement) and model.attribute == column]


def _complies(run: AuditRun, requirement: ColumnRequirement, labels: tuple[str | None, ...]) -> bool:
    """Whether every label complies, judged as the audit judges a column that holds them."""
    file = Path(run.source.workspace) / "labels.csv"
    with file.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
            [(requirement.attribute,), *((label or "",) for label in labels)]
        )
    with open_data(file, limits=run.limits, csv=CsvDialect(",")) as source:
        return not_complying(source, requirement, run.binding.roles[requirement.attribute]) == 0
