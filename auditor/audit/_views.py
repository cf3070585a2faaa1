"""What has to be counted for a policy, and counting it: one view per grouping and sensitive attribute."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from auditor.classes import ClassTable, Domain, IntArray, distinct, prefix_sizes
from auditor.engines import Counted
from auditor.errors import OutOfMemory
from auditor.models import ClassModel, Profiles, Requirement, Summary, TableModel
from auditor.wildcard import widen

CURVE = (2, 3, 5, 10, 11, 20, 50, 100)
"""The k for which the report shows how many records stand in smaller classes."""

WORTH_A_THREAD = 100_000
"""From so many classes on, questions are read by several threads."""
READERS = 2
"""Each takes memory for what it works out, so there are not more of them on a larger machine."""

MOST_JOINED = 100
"""So many quasi-identifiers are joined one by one by the dimensionality check, those with the fewest values first."""


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

    @property
    def key(self) -> tuple[frozenset[str], str | None]:
        """Questions with the same key are answered from the same class table."""
        return frozenset(self.grouping), self.sensitive


@dataclass
class Sizes:
    """Class sizes of all quasi-identifiers together, summed over batches: size → (classes, records)."""

    found: dict[int, tuple[int, int]] = field(default_factory=dict)
    prefixes: list[tuple[str, IntArray]] | None = None

    def add(self, profiles: Profiles) -> None:
        """Take in one batch."""
        sizes, where = distinct(profiles.classes.sizes)
        classes = np.bincount(where, weights=profiles.count)
        records = np.bincount(where, weights=profiles.records)
        for size, count, rows in zip(sizes.tolist(), classes.tolist(), records.tolist(), strict=True):
            old = self.found.get(size, (0, 0))
            self.found[size] = (old[0] + int(count), old[1] + int(rows))


def answer(
    counted: Counted, questions: list[Question], everything: tuple[str, ...], unit: str | None, *, wildcard: bool
) -> Sizes:
    """Count each view once and let every question that it answers read it; returns the sizes of all classes.

    Args:
        counted: the data.
        questions: what is asked; their summaries are filled in.
        everything: all quasi-identifiers.
        unit: the column whose distinct values are counted.
        wildcard: whether a missing value matches anything.
    """
    sizes = Sizes()
    views = _views(questions, everything)
    whole = next(view for view in views if view[0] == frozenset(everything))
    for view, asked in views.items():
        domain = next((question.domain for question in asked if question.domain is not None), None)
        sensitive = (view[1], domain) if view[1] is not None and domain is not None else None
        wildcards = [column for column in view[0] if counted.has_missing(column)] if wildcard else []
        for table in _tables(counted, tuple(view[0]), sensitive, unit, wildcards):
            profiles = Profiles.of(table)
            _read_all(asked, table, profiles)
            if view == whole:
                sizes.add(profiles)
                only = len(table) == _classes(sizes) and not wildcards
                sizes.prefixes = list(islice(prefix_sizes(table), MOST_JOINED)) if only else None
    return sizes


def _views(
    questions: list[Question], everything: tuple[str, ...]
) -> dict[tuple[frozenset[str], str | None], list[Question]]:
    """Questions by view; one that needs no sensitive attribute joins any view of its grouping."""
    views: dict[tuple[frozenset[str], str | None], list[Question]] = {}
    for question in questions:
        if question.sensitive is not None:
            views.setdefault(question.key, []).append(question)
    sizes_only = [question for question in questions if question.sensitive is None]
    for grouping in [frozenset(everything), *(frozenset(question.grouping) for question in sizes_only)]:
        if not any(view[0] == grouping for view in views):
            views[grouping, None] = []
    for question in sizes_only:
        next(asked for view, asked in views.items() if view[0] == question.key[0]).append(question)
    return views


def _tables(
    counted: Counted,
    grouping: tuple[str, ...],
    sensitive: tuple[str, Domain] | None,
    unit: str | None,
    wildcards: list[str],
) -> Iterator[ClassTable]:
    tables = counted.tables(grouping, sensitive, unit)
    if not wildcards:
        yield from tables
        return
    first = next(tables)
    if next(tables, None) is not None:
        raise OutOfMemory(
            "missing: wildcard compares every class with every other and needs them all in memory at once"
        )
    yield widen(first, wildcards)


def _read_all(questions: list[Question], table: ClassTable, profiles: Profiles) -> None:
    """Let every question read a table; a large one, two at a time: numpy lets go of the interpreter while it works."""
    if len(profiles.classes) < WORTH_A_THREAD:
        for question in questions:
            _read(question, table, profiles)
        return
    with ThreadPoolExecutor(READERS) as pool:
        for _ in pool.map(lambda question: _read(question, table, profiles), questions):
            pass


def _read(question: Question, table: ClassTable, profiles: Profiles) -> None:
    requirement = question.requirement
    if isinstance(requirement, TableModel):
        question.numerator += _weighted(requirement, profiles)
        return
    if question.domain is not None and table.cells is not None and question.domain is not table.cells.domain:
        profiles = replace(profiles, classes=_under(profiles.classes, question.domain))
    for summary in (question.summary, question.relaxed):
        if summary is not None:
            summary.add(table, profiles)


def _under(table: ClassTable, domain: Domain) -> ClassTable:
    return table if table.cells is None else replace(table, cells=table.cells.under(domain))


def _weighted(requirement: TableModel, profiles: Profiles) -> Fraction | int:
    """A profile stands for several classes; what it adds is its classes' records, not its own."""
    sizes = profiles.classes.sizes
    return requirement.numerator(ClassTable(sizes, profiles.records))


def _classes(sizes: Sizes) -> int:
    return sum(classes for classes, _ in sizes.found.values())


def summaries_of(requirement: Requirement, relaxed: Requirement | None, *, expose: bool) -> dict[str, Any]:
    """Empty summaries for a question about a class model."""
    if not isinstance(requirement, ClassModel):
        return {}
    return {
        "summary": Summary(requirement, expose),
        "relaxed": Summary(relaxed) if isinstance(relaxed, ClassModel) else None,
    }
