"""Levels at which a column's labels comply with the requirements on its contents."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path

from auditor.audit import AuditRun, not_complying
from auditor.dialect import CsvDialect
from auditor.engines import open_data
from auditor.hierarchies import STAR, Labels, Ladder
from auditor.models import (
    ColumnRequirement,
    PopulationModel,
    RecordRequirement,
    SampleRequirement,
    SequenceRequirement,
)
from auditor.policy.remediation import LOCAL, Remediation
from auditor.remediate._lattice import Sublattice


def complying(run: AuditRun, ladders: dict[str, Ladder | None], ranges: Sublattice) -> Sublattice:
    """The ranges without levels at which some label breaks a requirement on its column.

    Of levels that comply and do not follow each other, the coarsest ones stay. Where no level complies, the range stays
    as it is: whatever is found then fails its audit.
    """
    low, high = list(ranges.low), list(ranges.high)
    for place, (column, ladder) in enumerate(ladders.items()):
        for requirement in _on(run, column):
            complies = partial(_complies, run, requirement)
            low[place], high[place] = _kept(ladder, (low[place], high[place]), complies)
    return Sublattice(tuple(low), tuple(high))


def varying(run: AuditRun, ladders: dict[str, Ladder | None], ranges: Sublattice) -> Sublattice:
    """The ranges without levels of one label, where whole columns are on one level and must hold several values."""
    varied = _varied(run)
    kept = [
        _kept(ladder, pair, _differ) if column in varied else pair
        for (column, ladder), pair in zip(ladders.items(), zip(ranges.low, ranges.high, strict=True), strict=True)
    ]
    return Sublattice(tuple(low for low, _ in kept), tuple(high for _, high in kept))


def _kept(ladder: Ladder | None, within: tuple[int, int], complies: Callable[[Labels], bool]) -> tuple[int, int]:
    """The coarsest levels in a row that comply; all where none does."""
    low, high = within
    right = [level for level in range(low, high + 1) if ladder is not None and complies(ladder.levels[level])]
    return (max(level for level in right if level - 1 not in right), right[-1]) if right else within


def _varied(run: AuditRun) -> frozenset[str]:
    """The columns that must hold more than one value: no level with one label is searched."""
    asked = [bound.requirement for bound in run.binding.requirements if bound.requirement.severity == "error"]
    return frozenset(
        name
        for model in asked
        if isinstance(model, RecordRequirement)
        for name in model.varied(model.attributes or run.binding.quasi_identifiers)
    )


def unsearched(run: AuditRun) -> list[str]:
    """The requirements, by their ids, that no search looks at: the release alone is judged by them."""
    return [
        str(bound.requirement.id)
        for bound in run.binding.requirements
        if isinstance(bound.requirement, SequenceRequirement)
        or (isinstance(bound.requirement, PopulationModel) and not whole_classes(run))
        or (
            isinstance(bound.requirement, RecordRequirement)
            and not (isinstance(bound.requirement, SampleRequirement) and looks_at(run, bound.requirement))
            and not bound.requirement.varied(bound.requirement.attributes or run.binding.quasi_identifiers)
        )
    ]


def looks_at(run: AuditRun, model: SampleRequirement) -> bool:
    """Whether the search looks at a requirement on a sample."""
    return whole_classes(run) and set(model.attributes or ()) <= set(run.binding.quasi_identifiers)


def whole_classes(run: AuditRun) -> bool:
    """Whether a node's release is a matter of whole classes, whatever is demanded: rows are counted, and left out.

    Elsewhere the search looks at no population, and at no sample.
    """
    settings = run.policy.remediation or Remediation()
    names = set(run.binding.quasi_identifiers)
    return (
        run.unit is None
        and settings.search not in LOCAL
        and settings.suppress == "remove"
        and run.policy.reference == "released"
        and all(set(bound.quasi_identifiers) <= names for bound in run.binding.requirements)
    )


def _differ(labels: Labels) -> bool:
    return len(set(labels)) > 1


def stars_comply(run: AuditRun) -> bool:
    """Whether `*` may stand in every quasi-identifier; where it may not, no record can be kept as `*`."""
    return all(
        _complies(run, requirement, (STAR,))
        for column in run.binding.quasi_identifiers
        for requirement in _on(run, column)
    )


def star_allowed(run: AuditRun, column: str) -> bool:
    """Whether a further level of `*` alone, above all others of a column's ladder, would be allowed."""
    return column not in _varied(run) and all(
        requirement.least_level is not None or _complies(run, requirement, (STAR,)) for requirement in _on(run, column)
    )


def _on(run: AuditRun, column: str) -> list[ColumnRequirement]:
    asked = [bound.requirement for bound in run.binding.requirements if bound.requirement.severity == "error"]
    return [model for model in asked if isinstance(model, ColumnRequirement) and model.attribute == column]


def _complies(run: AuditRun, requirement: ColumnRequirement, labels: Labels) -> bool:
    """Whether every label complies, judged as the audit judges a column that holds them."""
    file = Path(run.source.workspace) / "labels.csv"
    with file.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
            [(requirement.attribute,), *((label or "",) for label in labels)]
        )
    with open_data(file, limits=run.limits, csv=CsvDialect(",")) as source:
        return not_complying(source, requirement, run.binding.roles[requirement.attribute]) == 0
