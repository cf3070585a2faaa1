"""From a policy and counted data to what a search for groups needs; refusals of what it cannot do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auditor.audit import AuditRun
from auditor.classes import distinct
from auditor.engines import Counted
from auditor.errors import NotEvaluated, Unsupported
from auditor.hierarchies import hierarchy, ladder_spec
from auditor.policy.remediation import Remediation
from auditor.remediate._compliance import complying, stars_comply
from auditor.remediate._counting import CountedCells, cells_of, rungs_of
from auditor.remediate._lattice import Sublattice
from auditor.remediate._problem import demands_of, ranges_of, refuse_choice
from auditor.remediate._rungs import Rungs
from auditor.remediate.local._partition import CombinationTable
from auditor.remediate.local._scales import ColumnScale, LadderScale, MeanScale, RangeScale
from auditor.remediate.local._whole import ReleaseRules

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_OF_NODES = ("height", "precision")
"""The metrics of a lattice's nodes, which local recoding does not have."""


@dataclass(frozen=True)
class Setup:
    """A search for groups, ready to run."""

    settings: Remediation
    table: CombinationTable
    cells: CountedCells
    rules: ReleaseRules
    objectives: tuple[str, ...]


def setup(run: AuditRun, counted: Counted) -> Setup:
    """Set up the search that a policy asks for over counted data.

    Raises:
        Unsupported: the policy asks for what local recoding cannot do.
        NotEvaluated: there is no quasi-identifier.
    """
    settings = run.policy.remediation or Remediation()
    names = run.binding.quasi_identifiers
    if not names:
        raise NotEvaluated("no column of the data is a quasi-identifier, so there is nothing to generalize")
    objectives = (settings.objective,) if isinstance(settings.objective, str) else settings.objective
    _refuse(run, counted, settings, objectives)
    refuse_choice(run)
    demands, domains = demands_of(run, counted)
    rungs = tuple(_rungs(run, counted, name) for name in names)
    ranges = complying(run, {each.column: each.ladder for each in rungs}, ranges_of(settings, rungs))
    if settings.search in ("kaca", "constrained-local"):
        _need_ladders(rungs, settings.search)
    averaged = _averaged(run, counted, settings)
    scales = tuple(
        MeanScale(each.column, counted.labels(each.column), counted.frequencies(each.column))
        if each.column in averaged
        else _scale(counted, each, ranges, place)
        for place, each in enumerate(rungs)
    )
    cells = cells_of(counted, names, demands, domains, run.unit)
    limit = settings.suppression_limit.of(counted.records)
    if settings.suppress == "star" and not stars_comply(run):
        limit = 0
    starred = settings.suppress == "star" and limit > 0
    rules = ReleaseRules(
        demands=demands,
        limit=limit,
        kinds=cells.kinds,
        how_many=cells.how_many,
        moving_reference=run.policy.reference == "released" and not starred,
        starred=starred,
        aggregate=settings.aggregate,
    )
    return Setup(settings, _table(scales, cells, ranges), cells, rules, objectives)


def _refuse(run: AuditRun, counted: Counted, settings: Remediation, objectives: Sequence[str]) -> None:
    kind = f"search: {settings.search}"
    of_nodes = [name for name in objectives if name in _OF_NODES]
    if of_nodes:
        raise Unsupported(f"{kind} has no levels, so no {of_nodes[0]} to minimize; use objective: loss")
    grouping = {name for bound in run.binding.requirements for name in bound.quasi_identifiers}
    missing = [name for name in sorted({*run.binding.quasi_identifiers, *grouping}) if counted.has_missing(name)]
    if run.policy.missing == "wildcard" and missing:
        raise Unsupported(
            f"{kind} cannot be combined with missing: wildcard: column {missing[0]!r} has missing values, and a record "
            "that agrees with several groups is in none; use missing: value, or search: optimal"
        )


def _need_ladders(rungs: Sequence[Rungs], search: str) -> None:
    for each in rungs:
        if each.ladder is None:
            raise Unsupported(
                f"search: {search} works along hierarchies, and the numbers of column {each.column!r} have none; "
                "give it one, as in hierarchy: {intervals: {widths: [5, 10, 20]}}, or use search: mondrian"
            )


def _averaged(run: AuditRun, counted: Counted, settings: Remediation) -> set[str]:
    """The columns whose numbers are released as means, whatever hierarchy they have."""
    names, kind = run.binding.quasi_identifiers, f"search: {settings.search}"
    if settings.search not in ("mage", "mdav"):
        return set()
    numbers = {name for name in names if _is_number(run, counted, name)}
    others = [name for name in names if name not in numbers]
    if settings.search == "mdav" and others:
        raise Unsupported(f"{kind} averages numbers, and column {others[0]!r} has others; use search: mage")
    for name in sorted(numbers):
        if counted.has_missing(name):
            raise Unsupported(f"{kind} averages numbers, and column {name!r} has missing values; use search: mondrian")
        if name in settings.levels:
            raise Unsupported(f"{kind} averages numbers, so remediation.levels says nothing of column {name!r}")
    return numbers


def _rungs(run: AuditRun, counted: Counted, name: str) -> Rungs:
    """The ladder of one quasi-identifier; without one it is a number's range, or the value and `*` above it."""
    found = rungs_of(run, counted, name)
    if found.ladder is not None or _is_number(run, counted, name):
        return found
    suppress = hierarchy(ladder_spec("suppress"))
    return Rungs.of(name, suppress.ladder(counted.labels(name), name), counted.cardinality(name))


def _is_number(run: AuditRun, counted: Counted, name: str) -> bool:
    if run.binding.roles[name].is_numeric is False:
        return False
    present = [label for label in counted.labels(name) if label is not None]
    return all(_NUMBER.fullmatch(label) for label in present)


def _scale(counted: Counted, rungs: Rungs, ranges: Sublattice, place: int) -> ColumnScale:
    values, frequencies = counted.labels(rungs.column), counted.frequencies(rungs.column)
    if rungs.ladder is None:
        return RangeScale(rungs.column, values, frequencies)
    return LadderScale(rungs, values, frequencies, ranges.low[place], ranges.high[place])


def _table(scales: Sequence[ColumnScale], cells: CountedCells, ranges: Sublattice) -> CombinationTable:
    codes = np.stack([each.code[cells.codes[each.column]] for each in scales])
    regions = np.zeros(len(cells.records), dtype=np.int64)
    for place, each in enumerate(scales):
        if isinstance(each, LadderScale):
            nodes = each.levels[ranges.high[place]][codes[place]]
            _, regions = distinct(regions * (int(nodes.max()) + 1) + nodes)
    return CombinationTable(tuple(scales), codes, cells.records, cells.kind, regions)
