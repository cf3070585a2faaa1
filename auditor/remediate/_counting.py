"""From counted data to what is searched: ladders in tree order, base tables, and what sensitive values mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from auditor.audit import AuditRun, domain_of, fitted
from auditor.classes import ClassTable, Domain, IntArray, distinct
from auditor.engines import Counted
from auditor.errors import Unsupported
from auditor.hierarchies import hierarchy, ladder_spec
from auditor.policy.covering import gaps_located
from auditor.remediate._evaluate import NodeDemand
from auditor.remediate._lattice import Node
from auditor.remediate._recount import Kinds
from auditor.remediate._rollup import Tower
from auditor.remediate._rungs import Rungs, small


def rungs_of(run: AuditRun, counted: Counted, name: str) -> Rungs:
    """The ladder of one quasi-identifier."""
    attribute, values = run.binding.roles[name], counted.labels(name)
    if attribute.hierarchy is None:
        return Rungs.of(name, None, counted.cardinality(name))
    climbed = hierarchy(ladder_spec(attribute.hierarchy))
    with gaps_located(run.policy, attribute, values, counted.frequencies(name)):
        ladder = climbed.ladder(values, name)
    if run.policy.missing == "wildcard":
        ladder = ladder.missing_apart()
    return Rungs.of(name, ladder, counted.cardinality(name), climbed.example(ladder.height))


def domains_of(run: AuditRun, counted: Counted) -> dict[str, Domain]:
    """What the codes of each sensitive attribute mean, with all that the requirements on it need but costs."""
    domains: dict[str, Domain] = {}
    for bound in run.binding.requirements:
        column = bound.sensitive
        if column is None or bound.reason is not None or bound.requirement.severity != "error":
            continue
        attribute = run.binding.roles[column]
        domain = domains.get(column) or domain_of(counted, column, attribute, run.unit, run.reference)
        own = domain if bound.costs else fitted(domain, bound.requirement, attribute, column, None)
        domains[column] = domain if own.ladder is None else replace(domain, ladder=own.ladder)
    return domains


def recoded(rungs: Sequence[Rungs], finest: Node) -> dict[str, IntArray]:
    """What an engine counts in place of the values, to give the class table at a node: for each code its node."""
    return {each.column: each.nodes(level) for each, level in zip(rungs, finest, strict=True) if level}


def sensitive_of(demands: Sequence[NodeDemand]) -> list[str | None]:
    """The sensitive attributes that demands read, which have a base table each; None alone where none does."""
    return [*dict.fromkeys(each.sensitive for each in demands if each.sensitive is not None)] or [None]


def towers_of(
    counted: Counted,
    rungs: Sequence[Rungs],
    demands: Sequence[NodeDemand],
    domains: Mapping[str, Domain],
    *,
    finest: Node,
) -> dict[str | None, Tower]:
    """A base table at a node for each sensitive attribute that a demand reads; one without where none does."""
    names, nodes = [each.column for each in rungs], recoded(rungs, finest)
    towers: dict[str | None, Tower] = {}
    for attribute in sensitive_of(demands):
        domain = None if attribute is None else domains[attribute]
        asked = None if attribute is None or domain is None else (attribute, domain)
        towers[attribute] = tower_of_classes(counted.tables(names, asked, recoded=nodes), rungs, domain, finest)
    return towers


def tower_of_classes(
    batches: Iterable[ClassTable], rungs: Sequence[Rungs], domain: Domain | None, finest: Node | None = None
) -> Tower:
    """A tower from the class table at a node (None: of the values as they are), in batches of whole classes.

    Where a level is above 0, the codes of the table are the nodes there.
    """
    finest = (0,) * len(rungs) if finest is None else finest
    codes: list[list[IntArray]] = [[] for _ in rungs]
    records, values = [], []
    for table in batches:
        owner = None if table.cells is None else table.cells.owner
        for place, (each, level) in enumerate(zip(rungs, finest, strict=True)):
            own = each.of_level(_codes(table, each.column), level)
            codes[place].append(own if owner is None else own[owner])
        records.append(table.sizes if table.cells is None else table.cells.counts)
        if table.cells is not None:
            values.append(small(table.cells.values))
    return Tower(
        [np.concatenate(column) for column in codes],
        [each.levels for each in rungs],
        np.concatenate(records),
        np.concatenate(values) if values else None,
        domain,
        finest=finest,
    )


def _codes(table: ClassTable, column: str) -> IntArray:
    if table.keys is None or table.layout is None:
        raise Unsupported("the engine delivered classes without keys")
    return table.layout.codes(table.keys, column)


def tower_of_kinds(
    counted: Counted,
    rungs: Sequence[Rungs],
    demands: Sequence[NodeDemand],
    domains: Mapping[str, Domain],
    unit: str | None,
    *,
    finest: Node,
) -> tuple[Tower, Kinds]:
    """One base table whose cells are kinds of records: combinations of all sensitive values asked for, and the unit."""
    names = [each.column for each in rungs]
    cells = cells_of(counted, names, demands, domains, unit, recoded=recoded(rungs, finest))
    tower = Tower(
        [each.of_level(cells.codes[each.column], level) for each, level in zip(rungs, finest, strict=True)],
        [each.levels for each in rungs],
        cells.records,
        cells.kind,
        kinds=cells.how_many,
        finest=finest,
    )
    return tower, cells.kinds


def told_by(demands: Sequence[NodeDemand], unit: str | None) -> list[str]:
    """What tells kinds of records apart: all sensitive attributes that the demands read or group by, and the unit."""
    return list(dict.fromkeys([*_read_of(demands), *([unit] if unit else [])]))


def _read_of(demands: Sequence[NodeDemand]) -> list[str]:
    read = [demand.sensitive for demand in demands if demand.sensitive is not None]
    return list(dict.fromkeys(chain(read, *(demand.joined for demand in demands))))


@dataclass(frozen=True)
class CountedCells:
    """The distinct combinations of quasi-identifiers and of all else that a demand reads.

    Args:
        codes: for each of these columns int64[c], the engine's code of each combination, or its node.
        records: int64[c], how many records it stands for.
        kind: int64[c], the kind of record that it is, whatever its quasi-identifiers.
        how_many: how many kinds there are.
        kinds: what tells them apart.
    """

    codes: Mapping[str, IntArray]
    records: IntArray
    kind: IntArray
    how_many: int
    kinds: Kinds


def cells_of(
    counted: Counted,
    names: Sequence[str],
    demands: Sequence[NodeDemand],
    domains: Mapping[str, Domain],
    unit: str | None,
    *,
    recoded: Mapping[str, IntArray] | None = None,
) -> CountedCells:
    """The cells of the quasi-identifiers `names`, with the sensitive attributes that the demands read, and the unit.

    `recoded` are quasi-identifiers that are grouped by nodes; see `auditor.engines.Counted`.
    """
    sensitive = _read_of(demands)
    told = told_by(demands, unit)
    grouping = list(dict.fromkeys([*names, *told]))
    batches = list(counted.tables(grouping, recoded=recoded))
    codes = {name: np.concatenate([_codes(table, name) for table in batches]) for name in grouping}
    kind = np.zeros(sum(map(len, batches)), dtype=np.int64)
    for name in told:
        _, kind = distinct(kind * (int(codes[name].max()) + 1) + codes[name])
    example = np.zeros(int(kind.max()) + 1, dtype=np.int64)
    example[kind] = np.arange(len(kind))
    values = {name: codes[name][example] for name in sensitive}
    kinds = Kinds(values, domains, unit, None if unit is None else codes[unit][example])
    return CountedCells(codes, np.concatenate([table.rows for table in batches]), kind, len(example), kinds)
