"""From a policy and counted data to something that can be searched: towers, demands, ranges, losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from auditor.audit import Run, domain_of, fitted, rejected
from auditor.classes import ClassTable, Domain, IntArray
from auditor.engines import Counted
from auditor.errors import NotEvaluated, Unsupported, UsageError
from auditor.hierarchies import Ladder, hierarchy
from auditor.models import ClassModel, TableModel
from auditor.policy import BoundRequirement
from auditor.policy.hierarchies import ladder_spec
from auditor.policy.remediation import Remediation
from auditor.remediate._complying import complying
from auditor.remediate._evaluate import Demand, Evaluator
from auditor.remediate._lattice import Node, Ranges
from auditor.remediate._losses import Column, Losses
from auditor.remediate._rollup import Tower, tree_order


@dataclass(frozen=True)
class Rungs:
    """One quasi-identifier's ladder over its values, in tree order.

    Args:
        ladder: the ladder over the values as the engine codes them; None for a column that has none.
        code: int64[m], the tree-order code of each engine code.
        levels: int64[height + 1, m], the node of each tree-order code at each level.
        example: the labels of levels 1, 2, … above a value of the policy's own.
    """

    column: str
    ladder: Ladder | None
    code: IntArray
    levels: IntArray
    example: tuple[str | None, ...] = ()

    @classmethod
    def of(cls, column: str, ladder: Ladder | None, size: int, example: tuple[str | None, ...] = ()) -> Rungs:
        """Order a ladder's codes along its tree; a column without a ladder has level 0 alone."""
        given = np.arange(size)[None, :] if ladder is None else ladder.codes()
        code, levels = tree_order(given)
        return cls(column, ladder, code, levels, example)

    def loss_column(self, frequencies: IntArray) -> Column:
        """What the losses need; `frequencies` are by engine code."""
        by_code = np.zeros(len(frequencies), dtype=np.int64)
        by_code[self.code] = frequencies
        if self.ladder is None:
            return Column.of(self.levels, by_code, [np.ones(len(by_code), dtype=np.int64)], len(by_code))
        leaves = []
        for nodes, given, under in zip(self.levels, self.ladder.codes(), self.ladder.leaves, strict=True):
            here = np.zeros(int(nodes.max()) + 1, dtype=np.int64)
            here[nodes[self.code]] = np.asarray(under)[given]
            leaves.append(here)
        return Column.of(self.levels, by_code, leaves, self.ladder.leaf_count)


@dataclass(frozen=True)
class Problem:
    """A search, ready to run."""

    quasi_identifiers: tuple[str, ...]
    rungs: tuple[Rungs, ...]
    evaluator: Evaluator
    losses: Losses
    ranges: Ranges
    not_monotone: tuple[str, ...]
    """The requirements that generalizing does not keep, in the setting asked for."""
    arguments: Mapping[str, str]
    """For each requirement the argument by which nodes may be decided without looking at them."""

    @property
    def monotone(self) -> bool:
        """Whether solving is kept by generalizing, in the setting asked for."""
        return not self.not_monotone


def problem(run: Run, counted: Counted) -> Problem:
    """Set up the search that a policy asks for over counted data."""
    names = run.binding.quasi_identifiers
    settings = run.policy.remediation or Remediation()
    _refuse_what_is_not_searched(run, counted, settings)
    rungs = tuple(_rungs(run, counted, name) for name in names)
    domains = _domains(run, counted)
    demands = [
        _demand(run, bound, domains) for bound in run.binding.requirements if bound.requirement.severity == "error"
    ]
    asked = [demand for demand in demands if demand is not None]
    limit = suppression_limit(settings, counted.records)
    towers = _towers(counted, rungs, asked, domains)
    evaluator = Evaluator(towers, asked, limit, moving_reference=run.policy.reference == "released")
    columns = [each.loss_column(counted.frequencies(each.column)) for each in rungs]
    return Problem(
        quasi_identifiers=names,
        rungs=rungs,
        evaluator=evaluator,
        losses=Losses(evaluator.tower, columns, settings.aggregate),
        ranges=complying(run, {each.column: each.ladder for each in rungs}, _ranges(settings, rungs)),
        not_monotone=tuple(str(demand.model.id) for demand in asked if not _monotone(demand, suppressing=limit > 0)),
        arguments={str(demand.model.id): _argument(demand, suppressing=limit > 0) for demand in asked},
    )


def suppression_limit(settings: Remediation, records: int) -> int:
    """How many records may be suppressed: ⌊share·N⌋ in exact decimal arithmetic, or the number given."""
    limit = settings.suppression_limit
    if limit.records is not None:
        return limit.records
    return int(Fraction(Decimal(repr(limit.share or 0.0))) * records)


def _argument(demand: Demand, *, suppressing: bool) -> str:
    if _monotone(demand, suppressing=suppressing):
        return "monotone under generalization" + (" with suppression" if suppressing else "")
    return "decides only the nodes looked at: suppression is not monotone with it"


def _monotone(demand: Demand, *, suppressing: bool) -> bool:
    granted = demand.model.monotone
    return granted.generalization and (granted.suppression or not suppressing)


def _refuse_what_is_not_searched(run: Run, counted: Counted, settings: Remediation) -> None:
    if settings.search not in ("optimal", "samarati", "incognito"):
        raise Unsupported(f"search: {settings.search} is not built yet; use optimal, samarati or incognito")
    for wanted, what in (
        (run.policy.unit is not None, "a unit"),
        (run.policy.missing == "wildcard", "missing: wildcard"),
        (settings.suppress == "star", "suppress: star"),
        (run.policy.reference not in ("released", "original"), "a reference file"),
    ):
        if wanted:
            raise Unsupported(f"remediation of a policy with {what} is not built yet; check judges such releases")
    if not run.binding.quasi_identifiers:
        raise NotEvaluated("no column of the data is a quasi-identifier, so there is nothing to generalize")
    incomplete = rejected(run, counted)
    if incomplete is not None:
        raise NotEvaluated(incomplete)


def _rungs(run: Run, counted: Counted, name: str) -> Rungs:
    described = run.binding.roles[name].hierarchy
    if described is None:
        return Rungs.of(name, None, counted.cardinality(name))
    climbed = hierarchy(ladder_spec(described))
    ladder = climbed.ladder(counted.labels(name), name)
    return Rungs.of(name, ladder, counted.cardinality(name), climbed.example(ladder.height))


def _demand(run: Run, bound: BoundRequirement, domains: Mapping[str, Domain]) -> Demand | None:
    """The demand that a requirement makes on classes; None for one on columns, which the audit judges."""
    model, names = bound.requirement, run.binding.quasi_identifiers
    if not isinstance(model, ClassModel | TableModel):
        return None
    if bound.reason is not None:
        raise NotEvaluated(f"{model.id}: {bound.reason}")
    if not set(bound.quasi_identifiers) <= set(names):
        raise Unsupported(
            f"{model.id}: remediation with others: quasi-identifiers is not built yet; check judges such releases"
        )
    places = tuple(names.index(name) for name in bound.quasi_identifiers)
    domain = None
    if bound.sensitive is not None and bound.costs is not None:
        attribute = run.binding.roles[bound.sensitive]
        domain = fitted(domains[bound.sensitive], model, attribute, bound.sensitive, bound.costs)
    return Demand(model, bound.sensitive, None if len(places) == len(names) else places, domain=domain)


def _towers(
    counted: Counted, rungs: Sequence[Rungs], demands: Sequence[Demand], domains: Mapping[str, Domain]
) -> dict[str | None, Tower]:
    names = [each.column for each in rungs]
    sensitive = list(dict.fromkeys(demand.sensitive for demand in demands if demand.sensitive is not None))
    towers: dict[str | None, Tower] = {}
    names_of_towers: list[str | None] = [*sensitive] or [None]
    for attribute in names_of_towers:
        domain = None if attribute is None else domains[attribute]
        asked = None if attribute is None or domain is None else (attribute, domain)
        towers[attribute] = _tower(list(counted.tables(names, asked)), rungs, domain)
    return towers


def _tower(batches: Sequence[ClassTable], rungs: Sequence[Rungs], domain: Domain | None) -> Tower:
    """A tower from the class table of the values as they are, in batches of whole classes."""
    codes: list[list[IntArray]] = [[] for _ in rungs]
    records, values = [], []
    for table in batches:
        if table.keys is None or table.layout is None:
            raise Unsupported("the engine delivered classes without keys")
        owner = np.arange(len(table)) if table.cells is None else table.cells.owner
        for place, each in enumerate(rungs):
            codes[place].append(each.code[table.layout.codes(table.keys, each.column)][owner])
        records.append(table.sizes if table.cells is None else table.cells.counts)
        if table.cells is not None:
            values.append(table.cells.values)
    return Tower(
        [np.concatenate(column) for column in codes],
        [each.levels for each in rungs],
        np.concatenate(records),
        np.concatenate(values) if values else None,
        domain,
    )


def _domains(run: Run, counted: Counted) -> dict[str, Domain]:
    """What the codes of each sensitive attribute mean, with all that the requirements on it need but costs."""
    domains: dict[str, Domain] = {}
    for bound in run.binding.requirements:
        column = bound.sensitive
        if column is None or bound.reason is not None or bound.requirement.severity != "error":
            continue
        attribute = run.binding.roles[column]
        domain = domains.get(column) or domain_of(counted, column, attribute, None, None)
        own = domain if bound.costs else fitted(domain, bound.requirement, attribute, column, None)
        domains[column] = domain if own.ladder is None else replace(domain, ladder=own.ladder)
    return domains


def _ranges(settings: Remediation, rungs: Sequence[Rungs]) -> Ranges:
    heights = {each.column: len(each.levels) - 1 for each in rungs}
    for name, wanted in settings.levels.items():
        if name not in heights:
            raise UsageError(f"remediation.levels names {name!r}, which is no quasi-identifier of the data")
        if wanted.min > heights[name] or (wanted.max is not None and wanted.max > heights[name]):
            raise UsageError(f"remediation.levels of {name!r}: its hierarchy has levels 0 to {heights[name]}")
    low = {name: settings.levels[name].min if name in settings.levels else 0 for name in heights}
    high = {name: _highest(settings, name, height) for name, height in heights.items()}
    return Ranges(tuple(low.values()), tuple(high.values()))


def _highest(settings: Remediation, name: str, height: int) -> int:
    wanted = settings.levels.get(name)
    return height if wanted is None or wanted.max is None else wanted.max


def by_column(names: Sequence[str], node: Node) -> Mapping[str, int]:
    """A node as the result names it: the level of each quasi-identifier."""
    return dict(zip(names, node, strict=True))
