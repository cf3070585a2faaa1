"""What a result says besides its requirements: policy, data, findings, feasibility, assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from auditor.audit._plan import uses
from auditor.audit._questions import MOST_CLASSES_JOINED, MOST_JOINED, Question
from auditor.audit._results import shown_bound
from auditor.audit._run import AuditRun
from auditor.audit._sizes import Sizes
from auditor.classes import Cells, ClassTable
from auditor.engines import Counted
from auditor.models import ClassModel, GroupedRequirement, monotone_under, registry
from auditor.models._distances.transport import violates_triangle
from auditor.policy import BoundRequirement
from auditor.result import (
    Feasibility,
    RequirementResult,
)

_MESSAGES = {
    "identifiers": "The release holds columns that identify people or hold free text.",
    "undeclared": "The data has columns that the policy does not name; --audience internal lists their names.",
}
"""What is found of requirements that are not the policy's own."""


def sentence(result: RequirementResult) -> str:
    """What is found of a model, or of what holds of every release."""
    return _MESSAGES[result.model] if result.model in _MESSAGES else registry()[result.model].FINDING


def feasibility(run: AuditRun, bound: BoundRequirement, question: Question, counted: Counted) -> Feasibility | None:
    """The number that proves a requirement infeasible for this table without suppression, if one does.

    Generalizing to the top puts everybody in one class. Where merging keeps the model (not for every model when persons
    are counted or missing values are wildcards), and the whole table as one class violates, every generalization does.
    """
    model = question.requirement
    granted = monotone_under(model, units=run.unit is not None, wildcards=run.policy.missing == "wildcard")
    if not isinstance(model, ClassModel) or granted is None or not granted.generalization:
        return None
    top = _one_class(question, counted, run.unit)
    number = model.measure(top)
    if not model.violates(top, number).any():
        return None
    return Feasibility(
        requirement=str(model.id),
        bound=shown_bound(model, bound.confidential),
        best_possible=number[0].item(),
        kind=model.kind.value,
        why="The whole table as one class violates the requirement, so every generalization of it does.",
    )


def _one_class(question: Question, counted: Counted, unit: str | None) -> ClassTable:
    """The table in which every quasi-identifier stands at its top."""
    size = np.array([counted.units(unit) if unit else counted.records], dtype=np.int64)
    rows = np.array([counted.records], dtype=np.int64)
    if question.people is not None:
        return ClassTable(size, rows, people=np.array([question.people.total], dtype=np.int64))
    if question.sensitive is None or question.domain is None:
        return ClassTable(size, rows)
    counts = counted.frequencies(question.sensitive, unit)
    values = np.flatnonzero(counts)
    return ClassTable(size, rows, Cells(np.zeros(1, dtype=np.int64), values, counts[values], question.domain))


def assumptions(run: AuditRun, counted: Counted, sizes: Sizes) -> Iterator[str]:
    """What the verdict takes for granted, in words."""
    policy = run.policy
    yield "The attacker knows the quasi-identifiers that the policy names, and nothing else about a person."
    yield from run.source.facts.notes
    for bound in run.binding.requirements:
        yield from bound.requirement.assumes
    if policy.unit is None:
        yield "Each row is one person: the policy names no unit."
    elif run.unit is None and not run.unit_is_absent:
        yield "Each row is one unit, as the policy says; the column that would show it is not in the data."
    missing = [column for column in run.binding.quasi_identifiers if counted.has_missing(column)]
    if missing and policy.missing == "value":
        yield "A missing value is a value like any other: it agrees with missing values only."
    if missing and policy.missing == "wildcard":
        yield "A missing value agrees with every value."
    if run.reference is None and policy.reference != "released":
        yield "The reference distribution is that of the table itself, which is the original."
    for use in uses(run):
        if use.kind == "auto" and counted.is_number(use.name):
            yield f"Column {use.name!r} is read as numbers, because every value is one."
    if run.binding.quasi_identifiers and sizes.found and sizes.prefixes is None:
        yield (
            "The dimensionality check was left out: missing values are wildcards, "
            f"or there are more than {MOST_CLASSES_JOINED:,} classes."
        )
    if sizes.prefixes and len(sizes.prefixes) < len(run.binding.quasi_identifiers):
        yield f"The dimensionality check joins only the {MOST_JOINED} quasi-identifiers with the fewest values."
    if run.before_release:
        yield "The table was judged before release: identifiers and free text in it do not count."


def doubts(questions: Iterable[tuple[BoundRequirement, Question]]) -> Iterator[str]:
    """What a requirement takes for granted, and what it says that does nothing, or not what it seems to."""
    for bound, question in questions:
        requirement = bound.requirement
        if isinstance(requirement, GroupedRequirement) and requirement.attacker is not None:
            yield f"For requirement {requirement.id!r} the attacker knows {requirement.attacker} of a person."
        domain = question.domain
        if domain is not None and domain.costs is not None and violates_triangle(domain.costs):
            yield (
                f"The costs of {bound.requirement.id!r} violate the triangle inequality: "
                "mass moves through other values where that is cheaper."
            )
        limited = getattr(bound.requirement, "values", None)
        if domain is not None and limited is not None and not domain.among(limited).any():
            yield f"Requirement {bound.requirement.id!r} limits values that do not occur; check the spelling."
