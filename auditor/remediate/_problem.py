"""From a policy and counted data to something that can be searched: demands, ranges, an evaluator, losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from auditor.audit import AuditRun, Register, fitted
from auditor.classes import Domain
from auditor.engines import Counted
from auditor.errors import NotEvaluated, UsageError
from auditor.hierarchies import STAR
from auditor.models import (
    ClassModel,
    PopulationModel,
    SampleRequirement,
    SensitiveModel,
    TableModel,
    largest_decide,
    monotone_under,
)
from auditor.policy import BoundRequirement
from auditor.policy.remediation import Remediation
from auditor.remediate._base import Room, finest_that_fits
from auditor.remediate._compliance import complying, looks_at, star_allowed, stars_comply, varying, whole_classes
from auditor.remediate._counting import (
    domains_of,
    rungs_of,
    sensitive_of,
    told_by,
    tower_of_kinds,
    towers_of,
)
from auditor.remediate._evaluate import Evaluator, NodeDemand
from auditor.remediate._lattice import Node, Sublattice
from auditor.remediate._losses import ColumnLosses, Losses
from auditor.remediate._population import Residents
from auditor.remediate._recount import Recounter, Setting
from auditor.remediate._residents import residents_of
from auditor.remediate._rungs import Rungs
from auditor.remediate._sample_rows import SampleRows


@dataclass(frozen=True)
class SearchProblem:
    """A search, ready to run."""

    quasi_identifiers: tuple[str, ...]
    rungs: tuple[Rungs, ...]
    evaluator: Evaluator
    losses: Losses
    ranges: Sublattice
    """The levels that are searched."""
    least: Node
    """The least generalization that the policy allows; it is not searched where its table did not fit into memory."""
    not_monotone: tuple[str, ...]
    """The requirements that generalizing does not keep, in the setting asked for."""
    arguments: Mapping[str, str]
    """For each requirement the argument by which nodes may be decided without looking at them."""
    starred: bool = False
    """Whether suppressed records stay, with `*` for every quasi-identifier."""
    extendable: tuple[int, ...] = ()
    """The quasi-identifiers, by place, that may be `*` throughout, and that no searched level makes one value."""

    @property
    def never_tried(self) -> Mapping[str, tuple[int, ...]]:
        """For each quasi-identifier the levels that the policy allows and that were too fine for the memory."""
        found = zip(self.quasi_identifiers, self.least, self.ranges.low, strict=True)
        return {name: tuple(range(least, low)) for name, least, low in found if least < low}

    @property
    def monotone(self) -> bool:
        """Whether solving is kept by generalizing, in the setting asked for."""
        return not self.not_monotone


def problem(run: AuditRun, counted: Counted) -> SearchProblem:
    """Set up the search that a policy asks for over counted data."""
    settings = run.policy.remediation or Remediation()
    if not run.binding.quasi_identifiers:
        raise NotEvaluated("no column of the data is a quasi-identifier, so there is nothing to generalize")
    rungs = tuple(rungs_of(run, counted, name) for name in run.binding.quasi_identifiers)
    ladders = {each.column: each.ladder for each in rungs}
    ranges = varying(run, ladders, complying(run, ladders, ranges_of(settings, rungs)))
    if ranges.low != ranges.high:
        refuse_choice(run)
    demands, domains = demands_of(run, counted)
    starred = settings.suppress == "star"
    limit = settings.suppression_limit.of(counted.records)
    if starred and not stars_comply(run):
        limit = 0
    setting = _setting(run, counted, rungs, starred=starred and limit > 0)
    evaluator: Evaluator
    if _takes_a_recount(run, demands, domains, setting):
        room = Room.of([told_by(demands, run.unit)], len(rungs), run.limits, recounted=True)
        finest = finest_that_fits(counted, rungs, ranges, room)
        tower, kinds = tower_of_kinds(counted, rungs, demands, domains, run.unit, finest=finest)
        evaluator = Recounter(tower, demands, limit, kinds, setting)
    else:
        tables = [[each] if each else [] for each in sensitive_of(demands)]
        finest = finest_that_fits(counted, rungs, ranges, Room.of(tables, len(rungs), run.limits))
        towers = towers_of(counted, rungs, demands, domains, finest=finest)
        residents = _residents(run, counted, rungs, next(iter(towers.values())).order, demands)
        evaluator = Evaluator(
            towers,
            demands,
            limit,
            moving_reference=setting.moving_reference,
            residents=residents,
            rows=_rows(run, counted, rungs, demands),
        )
    searched = Sublattice(finest, ranges.high)
    columns = [ColumnLosses.of_rungs(each, counted.frequencies(each.column)) for each in rungs]
    in_parts = run.unit is not None or any(demand.joined for demand in demands)
    reasons = {str(demand.model.id): _Reasons(run, demand, setting, limit) for demand in demands}
    return SearchProblem(
        quasi_identifiers=run.binding.quasi_identifiers,
        rungs=rungs,
        evaluator=evaluator,
        losses=Losses(evaluator.tower, columns, settings.aggregate, in_parts=in_parts),
        ranges=searched,
        least=ranges.low,
        not_monotone=tuple(name for name, reason in reasons.items() if not reason.monotone),
        arguments={name: reason.argument for name, reason in reasons.items()},
        starred=setting.stars is not None,
        extendable=_extendable(run, evaluator, searched),
    )


def _rows(run: AuditRun, counted: Counted, rungs: Sequence[Rungs], demands: Sequence[NodeDemand]) -> SampleRows | None:
    """The rows of the sample, where a demand looks at them."""
    models = [demand.model for demand in demands if isinstance(demand.model, SampleRequirement)]
    if all(model.by_sizes for model in models):
        return None
    besides = tuple(dict.fromkeys(name for model in models for name in model.besides))
    return SampleRows.of(run, rungs, [counted.labels(each.column) for each in rungs], besides)


def refuse_choice(run: AuditRun) -> None:
    """`UsageError` for a requirement that is void where levels are chosen by the data."""
    for bound in run.binding.requirements:
        if bound.requirement.fixed_scheme:
            raise UsageError(
                f"{bound.requirement.name} is void where a search chooses levels by the data; say the level of every "
                "quasi-identifier, as in remediation: {levels: {age: {min: 2, max: 2}}}"
            )


def _residents(
    run: AuditRun, counted: Counted, rungs: Sequence[Rungs], order: Sequence[int], demands: Sequence[NodeDemand]
) -> Residents | None:
    """The population, where a demand reads it."""
    if not any(demand.reads_population for demand in demands):
        return None
    register = Register.of(run, [each.column for each in rungs])
    return residents_of(register, rungs, [counted.labels(each.column) for each in rungs], order)


def _extendable(run: AuditRun, evaluator: Evaluator, ranges: Sublattice) -> tuple[int, ...]:
    return tuple(
        place
        for place, (name, top) in enumerate(zip(run.binding.quasi_identifiers, ranges.high, strict=True))
        if evaluator.tower.cardinality(place, top) > int(place in evaluator.apart) + 1 and star_allowed(run, name)
    )


def _setting(run: AuditRun, counted: Counted, rungs: Sequence[Rungs], *, starred: bool) -> Setting:
    """How a release is made and judged. With stars the released table has every record, so q is the input's."""
    missing = [each.column for each in rungs if counted.has_missing(each.column)]
    joined = {name for bound in run.binding.requirements for name in _joined(run, bound) if counted.has_missing(name)}
    places: set[int | str] = {place for place, each in enumerate(rungs) if each.column in missing}
    return Setting(
        moving_reference=run.policy.reference == "released" and not starred,
        wildcards=frozenset(places | joined) if run.policy.missing == "wildcard" else frozenset(),
        stars=[each.labelled(STAR, counted.labels(each.column)) for each in rungs] if starred else None,
    )


def _takes_a_recount(
    run: AuditRun, demands: Sequence[NodeDemand], domains: Mapping[str, Domain], setting: Setting
) -> bool:
    """Whether classes alone do not decide a node."""
    return (
        run.unit is not None
        or bool(setting.wildcards)
        or setting.stars is not None
        or any(demand.joined or _ranks_may_move(run, demand, domains) for demand in demands)
    )


def _ranks_may_move(run: AuditRun, demand: NodeDemand, domains: Mapping[str, Domain]) -> bool:
    """Whether a value that a given reference lacks counts in the ordered distance until it is suppressed."""
    if run.policy.reference == "released" or not isinstance(demand.model, SensitiveModel):
        return False
    domain = demand.domain or domains[str(demand.sensitive)]
    ordered = demand.model.ground_for(numeric=domain.numeric) == "ordered"
    return ordered and not domain.listed and not np.all(domain.reference > 0)


@dataclass(frozen=True)
class _Reasons:
    """What a demand grants to a search."""

    run: AuditRun
    demand: NodeDemand
    setting: Setting
    limit: int

    @property
    def monotone(self) -> bool:
        """Whether generalizing keeps it, with suppression where some is allowed."""
        granted = monotone_under(
            self.demand.model, units=self.run.unit is not None, wildcards=bool(self.setting.wildcards)
        )
        if granted is None or not granted.generalization:
            return False
        return not self.limit or (granted.suppression and self.setting.stars is None)

    @property
    def argument(self) -> str:
        """By which argument nodes are decided without looking at them."""
        if self.monotone:
            return "monotone under generalization" + (" with suppression" if self.limit else "")
        model = self.demand.model
        least = model.least_size if isinstance(model, ClassModel) and self.demand.whole else 1
        if least > 1 and not self.setting.wildcards:
            return (
                f"not monotone in this setting; its consequence |E| ≥ {least}, counted in rows, is. It rules out "
                "nodes, and all others are examined"
            )
        return "not monotone in this setting: decides only the nodes looked at"


def demands_of(run: AuditRun, counted: Counted) -> tuple[list[NodeDemand], dict[str, Domain]]:
    """What a release must meet, and what the values of the sensitive attributes mean."""
    domains = domains_of(run, counted)
    asked = [bound for bound in run.binding.requirements if bound.requirement.severity == "error"]
    found = [_demand(run, bound, domains) for bound in asked]
    return [demand for demand in found if demand is not None], domains


def _demand(run: AuditRun, bound: BoundRequirement, domains: Mapping[str, Domain]) -> NodeDemand | None:
    """The demand that a requirement makes on classes; None for one on columns, which the audit judges."""
    model, names = bound.requirement, run.binding.quasi_identifiers
    if isinstance(model, SampleRequirement) and looks_at(run, model):
        chosen = model.attributes or names
        return NodeDemand(model, attributes=None if set(chosen) == set(names) else tuple(map(names.index, chosen)))
    if not isinstance(model, ClassModel | TableModel):
        return None
    if isinstance(model, PopulationModel) and not whole_classes(run):
        return None
    places = tuple(names.index(name) for name in bound.quasi_identifiers if name in names)
    domain = None
    if bound.sensitive is not None and bound.costs is not None:
        attribute = run.binding.roles[bound.sensitive]
        domain = fitted(domains[bound.sensitive], model, attribute, bound.sensitive, bound.costs)
    attributes = None if len(places) == len(names) else places
    patterns = None
    if model.attacker is not None:
        every = not largest_decide(model, units=run.unit is not None)
        patterns = tuple(model.attacker.combinations(places, every=every and model.attacker.events is None))
    events = None if model.attacker is None else model.attacker.events
    return NodeDemand(model, bound.sensitive, attributes, _joined(run, bound), domain, patterns, events)


def _joined(run: AuditRun, bound: BoundRequirement) -> tuple[str, ...]:
    """The columns that a requirement groups by and that have no levels: other sensitive attributes, above all."""
    if bound.requirement.severity != "error":
        return ()
    return tuple(name for name in bound.quasi_identifiers if name not in run.binding.quasi_identifiers)


def ranges_of(settings: Remediation, rungs: Sequence[Rungs]) -> Sublattice:
    """The levels of each ladder that the policy lets a search use."""
    heights = {each.column: len(each.levels) - 1 for each in rungs}
    for name, wanted in settings.levels.items():
        if name not in heights:
            raise UsageError(f"remediation.levels names {name!r}, which is not a quasi-identifier of the data")
        if wanted.min > heights[name] or (wanted.max is not None and wanted.max > heights[name]):
            raise UsageError(f"remediation.levels of {name!r}: its hierarchy has levels 0 to {heights[name]}")
    low = {name: settings.levels[name].min if name in settings.levels else 0 for name in heights}
    high = {name: _highest(settings, name, height) for name, height in heights.items()}
    return Sublattice(tuple(low.values()), tuple(high.values()))


def _highest(settings: Remediation, name: str, height: int) -> int:
    wanted = settings.levels.get(name)
    return height if wanted is None or wanted.max is None else wanted.max


def by_column(names: Sequence[str], node: Node) -> Mapping[str, int]:
    """A node as the result names it: the level of each quasi-identifier."""
    return dict(zip(names, node, strict=True))
