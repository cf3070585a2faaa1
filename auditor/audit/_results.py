"""From what was measured to what the result says of each requirement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from auditor.audit._questions import Question
from auditor.classes import IntArray
from auditor.engines import Counted
from auditor.judge import Evidence, Granted, decided, relaxed
from auditor.models import (
    TOLERANCE,
    ClassModel,
    GroupedRequirement,
    RecordRequirement,
    Requirement,
    SensitiveModel,
    SequenceRequirement,
    Summary,
    TableModel,
    beyond,
    bin_edges,
    holds,
    monotone_under,
)
from auditor.policy import BoundRequirement, Policy
from auditor.result import Also, ExposedClass, Kind, Location, NumberBin, RequirementResult, Status

CONFIDENTIAL = "confidential"
"""What is shown of a parameter that the policy keeps secret."""

_NOT_OF_THE_POPULATION = (
    "some classes have more members than the population has persons with their values, or it has none: the population "
    "has to hold everybody in the data, and its values have to be those of the data before they were generalized"
)


@dataclass(frozen=True)
class Results:
    """Turns answers into results, under one policy and the waivers that hold."""

    policy: Policy
    granted: Granted

    def frame(self, bound: BoundRequirement) -> RequirementResult:
        """What a result says of a requirement before it is judged."""
        requirement = bound.requirement
        secret = bound.confidential
        shown = {name: CONFIDENTIAL if name in secret else value for name, value in requirement.parameters().items()}
        units, wildcards = self.policy.unit is not None, self.policy.missing == "wildcard"
        return RequirementResult(
            id=str(requirement.id),
            model=requirement.name,
            parameters=shown,
            severity=requirement.severity,
            status=Status.NOT_EVALUATED,
            kind=requirement.kind.value,
            edge=None if secret or not isinstance(requirement, GroupedRequirement) else requirement.edge,
            bound=shown_bound(requirement, secret),
            comparison=getattr(requirement, "comparison", "<="),
            location=_location(bound),
            monotone=monotone_under(requirement, units=units, wildcards=wildcards),
            sensitive=bound.sensitive,
            quasi_identifiers=bound.quasi_identifiers,
            columns=(bound.attribute,) if bound.attribute else (),
            because=requirement.because,
            citation=requirement.SOURCE,
        )

    def not_evaluated(self, bound: BoundRequirement, reason: str, details: tuple[str, ...] = ()) -> RequirementResult:
        """A requirement that could not be judged, and why. Never a pass."""
        frame = replace(self.frame(bound), details=details)
        return decided(frame, [Evidence(broken=False, open=reason)], self.granted)

    def classes(
        self, bound: BoundRequirement, question: Question, label: Callable[[str, int], str | None] | None
    ) -> RequirementResult:
        """A class model, judged by its summary; `label` decodes the keys of the worst classes (None: no keys)."""
        summary = question.summary
        model = bound.requirement
        if summary is None or not isinstance(model, ClassModel) or summary.worst is None:
            return self.not_evaluated(bound, "the data has no records to judge")
        if summary.strangers:
            return self.not_evaluated(bound, _NOT_OF_THE_POPULATION)
        everybody = 0 if question.people is None else question.people.total
        missed = summary.misses(everybody)
        kept = question.relaxed is None or not (
            question.relaxed.classes_violating or question.relaxed.misses(everybody)
        )
        result = replace(
            self.frame(bound),
            achieved=summary.worst,
            smallest_group=summary.smallest_group if model.kind is Kind.OF_CLASS else None,
            also=_also(bound, model, summary, missed=missed),
            classes_violating=summary.classes_violating,
            records_violating=summary.records_violating,
            tolerance=_tolerance(model, question),
            patterns=question.patterns,
            distribution=() if bound.confidential or question.patterns else tuple(_distribution(model, summary)),
            exposed=_exposed(summary, label) if label else (),
        )
        return self._decided(result, broken=missed or summary.classes_violating > 0, kept=kept)

    def table(self, bound: BoundRequirement, question: Question, counted: Counted) -> RequirementResult:
        """A whole-table model: a ratio of integers where it is one, compared exactly."""
        model = bound.requirement
        if not isinstance(model, TableModel) or not counted.records:
            return self.not_evaluated(bound, "the data has no records to judge")
        number = Fraction(question.numerator) / (question.among or counted.records)
        left = relaxed(model, self.granted.of(str(model.id)))
        return self._decided(
            replace(self.frame(bound), achieved=float(number), patterns=question.patterns),
            broken=_exceeded(model, number),
            kept=not isinstance(left, TableModel) or not _exceeded(left, number),
        )

    def records(
        self, bound: BoundRequirement, number: float, notes: tuple[str, ...], few: int | None
    ) -> RequirementResult:
        """A requirement on records: its number against its bound, equal within the tolerance of rounded sums.

        `few` is the number of records that it may tell of, as in `number_of`.
        """
        model = bound.requirement
        if not isinstance(model, RecordRequirement):
            raise TypeError(model.name)
        left = relaxed(model, self.granted.of(str(model.id)))
        return self._decided(
            replace(self.frame(bound), achieved=number, smallest_group=few, tolerance=TOLERANCE, notes=notes),
            broken=_broken(model, number),
            kept=not isinstance(left, RecordRequirement) or not _broken(left, number),
        )

    def sequence(
        self,
        bound: BoundRequirement,
        numbers: IntArray,
        people: IntArray,
        *,
        left_open: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> RequirementResult:
        """A requirement on releases in sequence: one number for each path, and how many people take it.

        `left_open` says why paths are left that were not judged.
        """
        model = bound.requirement
        if not isinstance(model, SequenceRequirement):
            raise TypeError(model.name)
        wrong = numbers < model.bound
        left = relaxed(model, self.granted.of(str(model.id)))
        result = replace(self.frame(bound), notes=notes)
        if left_open is None or wrong.any():
            result = replace(result, achieved=int(numbers.min()), records_violating=int(people[wrong].sum()))
        kept = not isinstance(left, SequenceRequirement) or not (numbers < left.bound).any()
        return self._decided(result, broken=bool(wrong.any()), kept=kept, left_open=left_open)

    def column(self, bound: BoundRequirement, records: int) -> RequirementResult:
        """A requirement on a column: how many records do not comply."""
        result = replace(self.frame(bound), achieved=records, bound=0, records_violating=records)
        return self._decided(result, broken=records > 0)

    def present(self, result: RequirementResult) -> RequirementResult:
        """What must not be in a release and is (identifiers, undeclared columns), with its waiver, if any."""
        return self._decided(result, broken=True)

    def _decided(
        self, result: RequirementResult, *, broken: bool, kept: bool = True, left_open: str | None = None
    ) -> RequirementResult:
        """A result by the table as evidence; `kept` says whether the table keeps the bound that the waiver leaves."""
        waiver = self.granted.of(result.id)
        if waiver is not None and (not kept or (waiver.columns and not set(result.columns) <= waiver.columns)):
            waiver = None
        return decided(result, [Evidence(broken, left_open, waiver)], self.granted)


def _exceeded(model: TableModel, number: Fraction) -> bool:
    return not holds(number, Fraction(repr(model.bound)), model.comparison)


def _broken(model: RecordRequirement, number: float) -> bool:
    return bool(beyond(np.array([number]), model.bound, model.comparison, TOLERANCE)[0])


def shown_bound(requirement: Requirement, secret: frozenset[str]) -> float | str | None:
    """The bound as a result shows it: a secret one as "confidential", None for a model without."""
    field = getattr(requirement, "bound_field", None)
    if field is None:
        return None
    bound: float | str = CONFIDENTIAL if field in secret else getattr(requirement, field)
    return bound


def _also(bound: BoundRequirement, model: ClassModel, summary: Summary, *, missed: bool) -> tuple[Also, ...]:
    """What is reached of a second bound; the least share is 0 where persons are missed."""
    field: str | None = model.size_field
    achieved: float | None = summary.smallest
    if model.least_field is not None:
        field, achieved = model.least_field, 0 if missed else summary.mildest
    if field is None or achieved is None:
        return ()
    demanded: Any = CONFIDENTIAL if field in bound.confidential else getattr(model, field)
    return (Also(parameter=field, achieved=achieved, bound=demanded),)


def _location(bound: BoundRequirement) -> Location | None:
    return None if bound.origin is None else Location(file=bound.origin.file, line=bound.origin.line)


def _exposed(summary: Summary, label: Callable[[str, int], str | None]) -> tuple[ExposedClass, ...]:
    return tuple(
        ExposedClass(key=tuple((c, label(c, code)) for c, code in key.items()), number=number, records=records)
        for number, records, key in summary.exposed
    )


def _tolerance(model: ClassModel, question: Question) -> float | None:
    return model.tolerance if question.domain is None else model.tolerance_for(numeric=question.domain.numeric)


def _distribution(model: ClassModel, summary: Summary) -> list[NumberBin]:
    """The histogram of a diversity or closeness model's numbers; sizes have a picture of their own."""
    if not isinstance(model, SensitiveModel):
        return []
    edges = [None, *bin_edges(model).tolist(), None]
    bins = []
    for place, (low, high) in enumerate(pairwise(edges)):
        for violates in (False, True):
            classes, records = summary.bins.get((place, violates), (0, 0))
            if classes:
                bins.append(NumberBin(low=low, high=high, violates=violates, classes=classes, records=records))
    return bins
