"""Questions about class tables, and what reads their answers off them, batch by batch, wherever the batches are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import Any

from auditor.audit._population import People
from auditor.audit._sizes import Histogram, Sizes
from auditor.classes import ClassTable, Domain, prefix_sizes
from auditor.models import ClassModel, Profiles, Requirement, Summary, TableModel
from auditor.result import PatternCounts

WORTH_A_THREAD = 100_000
"""From so many classes on, questions are read by several threads."""
READERS = 2
"""Each takes memory for what it works out, so there are not more of them on a larger machine."""
MOST_JOINED = 100
"""So many quasi-identifiers are joined one by one by the dimensionality check, those with the fewest values first."""
MOST_CLASSES_JOINED = 3_000_000
"""The dimensionality check is made for tables of up to so many classes, whatever the memory and the engine."""


@dataclass
class Question:
    """One requirement on classes, with what is found out about it."""

    requirement: Requirement
    grouping: tuple[str, ...]
    sensitive: str | None
    domain: Domain | None = None
    summary: Summary | None = None
    relaxed: Summary | None = None
    """The same for the bound that a waiver leaves standing."""
    numerator: Fraction | int = 0
    among: int | None = None
    """Of how many persons `numerator` is a share, where that is not of the records."""
    patterns: PatternCounts | None = None
    """What was counted of an attacker with bounded knowledge."""
    people: People | None = None
    """The population, for a model that reads it."""

    @property
    def key(self) -> tuple[frozenset[str], str | None]:
        """Questions with the same key are answered from the same class table."""
        return frozenset(self.grouping), self.sensitive

    def read(self, table: ClassTable, profiles: Profiles) -> None:
        """Take in one batch."""
        if self.people is not None:
            table = self.people.counted(table)
            profiles = Profiles.of(table)
        if isinstance(self.requirement, TableModel):
            self.numerator += _weighted(self.requirement, profiles)
            return
        if self.domain is not None and table.cells is not None and self.domain is not table.cells.domain:
            profiles = replace(profiles, classes=under(profiles.classes, self.domain))
        for summary in (self.summary, self.relaxed):
            if summary is not None:
                summary.add(table, profiles)

    def found(self) -> tuple[Summary | None, Summary | None, Fraction | int]:
        """What was found out, to be merged."""
        return self.summary, self.relaxed, self.numerator

    def merge(self, found: tuple[Summary | None, Summary | None, Fraction | int]) -> None:
        """Take in what was found out from other batches."""
        summary, relaxed, numerator = found
        self.numerator += numerator
        for mine, other in ((self.summary, summary), (self.relaxed, relaxed)):
            if mine is not None and other is not None:
                mine.merge(other)


@dataclass
class ViewReading:
    """Reads one view: a grouping with a sensitive attribute or without, for every question that it answers.

    Args:
        questions: what is asked.
        sizes: the sizes of all classes, where the view is that of all quasi-identifiers; None where it is not.
        batches: how many batches were read: what says something of the first columns alone needs the whole in one.
    """

    questions: list[Question]
    sizes: Sizes | None = None
    batches: int = field(default=0, init=False)

    def read(self, table: ClassTable) -> None:
        """Take in one batch of whole classes."""
        profiles = Profiles.of(table)
        _read_all(self.questions, table, profiles)
        self.batches += 1
        if self.sizes is not None:
            self.sizes.read(profiles)
            self.sizes.prefixes = _prefixes(table) if self.batches == 1 else None

    def found(self) -> tuple[int, list[Any], Sizes | None]:
        """What was read, without what was asked."""
        return self.batches, [question.found() for question in self.questions], self.sizes

    def merge(self, found: tuple[int, list[Any], Sizes | None]) -> None:
        """Take in what was read from other batches."""
        batches, answers, sizes = found
        if not batches:
            return
        for question, answer in zip(self.questions, answers, strict=True):
            question.merge(answer)
        if self.sizes is not None and sizes is not None:
            self.sizes.merge(sizes)
            self.sizes.prefixes = None if self.batches else sizes.prefixes
        self.batches += batches


def _prefixes(table: ClassTable) -> list[tuple[str, Histogram]] | None:
    if len(table) > MOST_CLASSES_JOINED:
        return None
    return [(column, Histogram.of(sizes)) for column, sizes in islice(prefix_sizes(table), MOST_JOINED)]


def _read_all(questions: list[Question], table: ClassTable, profiles: Profiles) -> None:
    """Let every question read a table; a large one, two at a time: numpy lets go of the interpreter while it works."""
    if len(profiles.classes) < WORTH_A_THREAD:
        for question in questions:
            question.read(table, profiles)
        return
    with ThreadPoolExecutor(READERS) as pool:
        for _ in pool.map(lambda question: question.read(table, profiles), questions):
            pass


def under(table: ClassTable, domain: Domain) -> ClassTable:
    """The classes with what their values mean to one question."""
    return table if table.cells is None else replace(table, cells=table.cells.under(domain))


def _weighted(requirement: TableModel, profiles: Profiles) -> Fraction | int:
    """A profile stands for several classes; what it adds is its classes' records, not its own."""
    sizes = profiles.classes.sizes
    return requirement.numerator(ClassTable(sizes, profiles.records))


def summaries_of(requirement: Requirement, relaxed: Requirement | None, *, expose: bool) -> dict[str, Any]:
    """Empty summaries for a question about a class model."""
    if not isinstance(requirement, ClassModel):
        return {}
    return {
        "summary": Summary(requirement, expose),
        "relaxed": Summary(relaxed) if isinstance(relaxed, ClassModel) else None,
    }
