"""What to count, and what to ask of it: from bound requirements to questions about class tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from auditor.audit import _columns
from auditor.audit._domains import domain_of, fitted, kind_of
from auditor.audit._patterns import PatternQuestion
from auditor.audit._population import People, Register
from auditor.audit._questions import Question, summaries_of
from auditor.audit._results import Results
from auditor.audit._run import AuditRun
from auditor.audit._sequence import Sequences
from auditor.audit._spellings import Spellings
from auditor.classes import Domain
from auditor.engines import Allowed, ColumnUse, Counted
from auditor.errors import NotEvaluated
from auditor.judge import relaxed
from auditor.models import (
    ColumnRequirement,
    GroupedRequirement,
    Knowledge,
    PopulationModel,
    RecordRequirement,
    SequenceRequirement,
    largest_decide,
)
from auditor.policy import Attribute, Binding, BoundRequirement
from auditor.result import RequirementResult, Status


@dataclass
class Plan:
    """Questions that need class tables, and requirements that are decided without."""

    questions: list[tuple[BoundRequirement, Question]] = field(default_factory=list)
    decided: dict[str, RequirementResult] = field(default_factory=dict)
    """By the id of the requirement."""
    told: tuple[str, ...] = ()
    """What was not looked at, and what the policy lists and occurs nowhere, in words."""


def uses(run: AuditRun) -> list[ColumnUse]:
    """The columns to count, and how."""
    return [_use(column, run.binding.roles[column]) for column in columns_to_count(run.binding, run.unit)]


def columns_to_count(binding: Binding, unit: str | None) -> tuple[str, ...]:
    """Every quasi-identifier, the sensitive attributes that are judged, and the unit."""
    wanted = dict.fromkeys(binding.quasi_identifiers)
    for bound in binding.requirements:
        if bound.reason is None:
            wanted |= dict.fromkeys((*bound.quasi_identifiers, *([bound.sensitive] if bound.sensitive else [])))
    if unit is not None:
        wanted[unit] = None
    return tuple(wanted)


def _use(column: str, attribute: Attribute) -> ColumnUse:
    """A sensitive attribute is read as what it is even where it joins the grouping; all else is text."""
    return ColumnUse(column, attribute.missing, kind_of(attribute) if attribute.role == "sensitive" else "text")


def ask(run: AuditRun, counted: Counted, results: Results) -> Plan:
    """A question for every requirement on classes; the others are decided at once."""
    asked = Plan()
    domains: dict[str, Domain] = {}
    register = cache(lambda: Register.of(run, _held_against(run)))
    incomplete = rejected(run, counted)
    spellings = Spellings(run, counted)
    sequences = Sequences(run, results)
    for bound in run.binding.requirements:
        try:
            if bound.reason is not None:
                raise NotEvaluated(bound.reason)
            spellings.refuse(bound)
            if isinstance(bound.requirement, ColumnRequirement):
                found = _judged_column(run, bound, bound.requirement, results)
                asked.decided[str(bound.requirement.id)] = found
                listed = getattr(bound.requirement, "values", None)
                if listed is not None and found.status is Status.PASS:
                    spellings.tell_allowed(bound.requirement.attribute, listed)
            elif isinstance(bound.requirement, RecordRequirement):
                found = _judged_records(run, counted, bound, bound.requirement, results)
                asked.decided[str(bound.requirement.id)] = found
            elif incomplete is not None:
                raise NotEvaluated(incomplete)
            elif isinstance(bound.requirement, SequenceRequirement):
                asked.decided[str(bound.requirement.id)] = sequences.judged(bound, bound.requirement)
            else:
                question = _question(run, counted, bound, domains, spellings)
                if isinstance(bound.requirement, PopulationModel):
                    question.people = _people(register(), counted, bound, bound.requirement)
                asked.questions.append((bound, question))
        except NotEvaluated as reason:
            if type(reason) is not NotEvaluated:
                raise
            asked.decided[str(bound.requirement.id)] = results.not_evaluated(bound, str(reason), reason.private)
    spellings.tell_missing()
    asked.told = (*spellings.told, *_unweighted(run))
    return asked


def _held_against(run: AuditRun) -> tuple[str, ...]:
    """The columns by which requirements hold the data against its population."""
    reading = [each for each in run.binding.requirements if isinstance(each.requirement, PopulationModel)]
    return tuple(dict.fromkeys(name for each in reading if each.reason is None for name in each.quasi_identifiers))


def _people(register: Register, counted: Counted, bound: BoundRequirement, model: PopulationModel) -> People:
    names = bound.quasi_identifiers
    people = register.people(names, {name: counted.labels(name) for name in names})
    if people.overlap and not model.overlapping:
        raise NotEvaluated(
            f"{model.name} needs classes that share no person of the population, and values of a column stand on "
            "several levels of its hierarchy; release each column on one level"
        )
    return people


def _unweighted(run: AuditRun) -> Iterator[str]:
    """What is told of weights that the policy declares, where requirements count the records of the sample."""
    column = None if run.policy.sample is None else run.policy.sample.weights
    counting = [bound.requirement for bound in run.binding.requirements]
    names = dict.fromkeys(each.name for each in counting if isinstance(each, GroupedRequirement))
    if column is not None and names:
        yield (
            f"Requirements on classes ({', '.join(names)}) count the records of the sample and do not use its weights "
            f"({column!r})."
        )


def rejected(run: AuditRun, counted: Counted) -> str | None:
    """Why nothing can be judged where the policy says ``missing: reject``; None where it can.

    It speaks of every quasi-identifier and every sensitive attribute of the data, whatever a requirement reads.
    """
    if run.policy.missing != "reject":
        return None
    known = {use.name for use in uses(run)}
    for column in (*run.binding.quasi_identifiers, *run.binding.sensitive):
        if counted.has_missing(column) if column in known else _lacks_values(run, column):
            return f"column {column!r} has missing values, which the policy rejects"
    return None


def _lacks_values(run: AuditRun, column: str) -> bool:
    use = ColumnUse(column, run.binding.roles[column].missing)
    return run.source.outside(use, Allowed(missing=False)) > 0


def _judged_column(
    run: AuditRun, bound: BoundRequirement, requirement: ColumnRequirement, results: Results
) -> RequirementResult:
    attribute = run.binding.roles[requirement.attribute]
    return results.column(bound, _columns.not_complying(run.source, requirement, attribute))


def _judged_records(
    run: AuditRun, counted: Counted, bound: BoundRequirement, requirement: RecordRequirement, results: Results
) -> RequirementResult:
    """By what has been counted of the columns where that decides; records are read only where it does not."""
    columns = requirement.attributes or run.binding.quasi_identifiers
    if requirement.counted(columns, {use.name for use in uses(run)}):
        number = requirement.from_distinct([counted.cardinality(name) for name in columns])
        if number is not None:
            return results.records(bound, number, (), None)
    from auditor.audit import _records

    return results.records(bound, *_records.number_of(run, requirement))


def _question(
    run: AuditRun, counted: Counted, bound: BoundRequirement, domains: dict[str, Domain], spellings: Spellings
) -> Question:
    if run.unit_is_absent and run.policy.unit is not None:
        raise NotEvaluated(f"the policy counts by {run.policy.unit.column!r}, but the data has no such column")
    if not bound.quasi_identifiers:
        raise NotEvaluated("no column of the data is a quasi-identifier, so there are no classes to judge")
    requirement = bound.requirement
    if requirement.fixed_scheme and run.unit is not None:
        raise NotEvaluated(f"{requirement.name} is defined where every person has one record; the policy counts a unit")
    waiver = run.granted.of(str(requirement.id))
    summaries = summaries_of(requirement, relaxed(requirement, waiver), expose=run.expose)
    asked = {
        "requirement": requirement, "grouping": bound.quasi_identifiers, "sensitive": bound.sensitive, **summaries
    }  # fmt: skip
    attacker = requirement.attacker if isinstance(requirement, GroupedRequirement) else None
    if attacker is not None and attacker.events is not None and run.unit is None and run.policy.unit is not None:
        # each row is a unit, as the policy says: a person has one record, and all of its columns tell it
        attacker = Knowledge(columns=len(bound.quasi_identifiers), events=None)
    every = not largest_decide(requirement, units=run.unit is not None)
    question = (
        Question(**asked)
        if attacker is None
        else PatternQuestion(**asked, knowledge=attacker, every=every, most=run.policy.most_patterns)
    )
    if bound.sensitive is not None:
        question.domain = _domain(run, counted, bound, domains)
        spellings.refuse_listed(bound, question.domain)
    if isinstance(question, PatternQuestion):
        question.count(counted, run.unit)
    return question


def _domain(run: AuditRun, counted: Counted, bound: BoundRequirement, domains: dict[str, Domain]) -> Domain:
    column = str(bound.sensitive)
    attribute = run.binding.roles[column]
    if column not in domains:
        domains[column] = domain_of(counted, column, attribute, run.unit, run.reference)
    return fitted(domains[column], bound.requirement, attribute, column, bound.costs)
