"""The searches on a class table alone, without data or policy: for studies that compare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from auditor.classes import ClassTable, Domain, IntArray
from auditor.errors import UsageError
from auditor.hierarchies import Ladder
from auditor.models import ClassModel, PopulationModel, SensitiveModel, TableModel
from auditor.remediate._counting import tower_of_classes
from auditor.remediate._evaluate import Evaluator, NodeDemand
from auditor.remediate._lattice import Sublattice
from auditor.remediate._losses import METRICS, ColumnLosses, Losses
from auditor.remediate._rungs import Rungs
from auditor.remediate._search import SearchResult, incognito, optimal, samarati, weighed

_NO_KEYS = "the class table needs classes with keys, and at least one grouping column"

Strategy = Literal["optimal", "samarati", "incognito"]


@dataclass(frozen=True)
class Searched:
    """What a strategy found.

    Args:
        best: the levels of the solving nodes of the least loss, one per quasi-identifier; for samarati all those of
            the least height. Empty where no node solves.
        loss: the least loss by the first objective; None where no node solves, and for samarati.
        minimal: every minimal generalization; None where the strategy does not find them all.
        nodes: how many nodes the lattice has.
        evaluated: how many nodes, for incognito also those of subsets of the quasi-identifiers, were evaluated to
            find them.
        solving: how many nodes solve; None where the strategy does not decide every node.
    """

    best: tuple[tuple[int, ...], ...]
    loss: float | None
    minimal: tuple[tuple[int, ...], ...] | None
    nodes: int
    evaluated: int
    solving: int | None


def search(
    classes: ClassTable,
    ladders: Mapping[str, Ladder],
    requirements: Sequence[ClassModel | TableModel],
    *,
    strategy: Strategy = "optimal",
    objective: str | Sequence[str] = "loss",
    suppression_limit: int = 0,
) -> Searched:
    """Search the lattice over a class table of the values as they are.

    Args:
        classes: one class per combination of values, with its keys (as `auditor.classes.count_classes` gives it), and
            its cells where a requirement reads a sensitive attribute: there is one, that of the cells. Rows are
            counted, not units.
        ladders: for each grouping column of `classes` its ladder, over the values in the order of their codes.
        requirements: what a release must meet, of all quasi-identifiers together. q is that of the released records.
        strategy: ``optimal``, ``samarati`` or ``incognito``.
        objective: the metric to minimize, or several, in order; samarati minimizes the height.
        suppression_limit: how many records may be suppressed.

    Raises:
        UsageError: the table, the ladders, a requirement or an option is not as described; or the strategy needs
            requirements that generalizing keeps.
    """
    metrics = (objective,) if isinstance(objective, str) else tuple(objective)
    _check(classes, ladders, requirements, metrics, suppression_limit)
    rungs = [Rungs.of(name, ladders[name], len(ladders[name].values)) for name in classes.columns]
    tower = tower_of_classes([classes], rungs, None if classes.cells is None else classes.cells.domain)
    demands = [NodeDemand(model, "sensitive" if isinstance(model, SensitiveModel) else None) for model in requirements]
    evaluator = Evaluator({None if classes.cells is None else "sensitive": tower}, demands, suppression_limit)
    ranges = Sublattice((0,) * len(rungs), tuple(len(each.levels) - 1 for each in rungs))
    losses = Losses(
        tower, [ColumnLosses.of_rungs(each, _frequencies(classes, each.column, len(each.code))) for each in rungs]
    )
    kept = [model.monotone for model in requirements]
    monotone = all(each.generalization and (each.suppression or not suppression_limit) for each in kept)
    return _searched(strategy, evaluator, ranges, losses, metrics, monotone=monotone)


def _searched(
    strategy: str, evaluator: Evaluator, ranges: Sublattice, losses: Losses, metrics: Sequence[str], *, monotone: bool
) -> Searched:
    if strategy == "optimal":
        found = optimal(evaluator, ranges, losses, metrics, monotone=monotone)
    elif strategy not in ("samarati", "incognito"):
        raise UsageError(f"no search {strategy!r}; one of optimal, samarati, incognito")
    elif not monotone:
        raise UsageError(f"{strategy} needs requirements that generalizing never breaks; use optimal")
    else:
        found = samarati(evaluator, ranges) if strategy == "samarati" else incognito(evaluator, ranges)
    evaluated = found.evaluated
    if strategy == "incognito":
        found = weighed(found, evaluator, losses, metrics)
    return _told(found, ranges, evaluated)


def _told(found: SearchResult, ranges: Sublattice, evaluated: int) -> Searched:
    minimal = None if found.minimal is None else tuple(found.minimal)
    return Searched(tuple(found.best), found.loss, minimal, ranges.nodes, evaluated, found.solving)


def _check(
    classes: ClassTable,
    ladders: Mapping[str, Ladder],
    requirements: Sequence[object],
    metrics: Sequence[str],
    limit: int,
) -> None:
    if classes.keys is None or classes.layout is None or not classes.columns or not len(classes):
        raise UsageError(_NO_KEYS)
    if classes.units is not None:
        raise UsageError("the class table counts units; a search on it takes rows")
    if set(ladders) != set(classes.columns):
        raise UsageError(f"ladders must be given for the grouping columns, {', '.join(classes.columns)}")
    for name in classes.columns:
        if int(classes.layout.codes(classes.keys, name).max()) >= len(ladders[name].values):
            raise UsageError(f"the ladder of {name!r} has fewer values than the class table has codes")
    if not requirements or not all(isinstance(model, ClassModel | TableModel) for model in requirements):
        raise UsageError("requirements must be models on classes, at least one")
    for model in requirements:
        if isinstance(model, PopulationModel):
            raise UsageError(f"{model.name} reads the population, which no class table holds; use auditor.remediate")
        if isinstance(model, SensitiveModel):
            _check_domain(None if classes.cells is None else classes.cells.domain, model)
    if not metrics or not set(metrics) <= set(METRICS):
        raise UsageError(f"objective: one or more of {', '.join(METRICS)}")
    if limit < 0:
        raise UsageError("suppression_limit is a number of records, 0 or more")


def _check_domain(domain: Domain | None, model: SensitiveModel) -> None:
    if domain is None:
        raise UsageError("a requirement reads a sensitive attribute, and the class table has no cells")
    needed = {"ordered": domain.ranks, "hierarchical": domain.ladder, "matrix": domain.costs}
    ground = model.ground_for(numeric=domain.numeric)
    if ground in needed and needed[ground] is None:
        raise UsageError(f"{model.name} needs what its ground distance reads, {ground}, in the domain of the cells")


def _frequencies(classes: ClassTable, column: str, values: int) -> IntArray:
    """int64[m]: how many records have each value of a column."""
    if classes.keys is None or classes.layout is None:
        raise UsageError(_NO_KEYS)
    codes = classes.layout.codes(classes.keys, column)
    return np.bincount(codes, weights=classes.rows, minlength=values).astype(np.int64)
