"""What has to be counted for a policy, and counting it: one view per grouping and sensitive attribute."""

from __future__ import annotations

from auditor.audit._questions import MOST_CLASSES_JOINED, MOST_JOINED, Question, ViewReading
from auditor.audit._sizes import Histogram, Sizes
from auditor.classes import ClassTable, Domain
from auditor.engines import Counted
from auditor.errors import OutOfMemory
from auditor.wildcard import widen


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
        reading = ViewReading(asked, sizes if view == whole else None)
        if wildcards:
            reading.read(widen(_whole_table(counted, tuple(view[0]), sensitive, unit), wildcards))
        else:
            counted.fold(reading, tuple(view[0]), sensitive, unit)
        if view == whole:
            sizes.prefixes = None if wildcards else _prefixes(counted, sizes, everything, unit)
    return sizes


def _prefixes(
    counted: Counted, sizes: Sizes, everything: tuple[str, ...], unit: str | None
) -> list[tuple[str, Histogram]] | None:
    """The class sizes of the first quasi-identifiers, the first two, and so on: each counted, unless they are known.

    Those of all are known from the view, where it counts records. Of the others the most are counted first: an engine
    that keeps their classes finds those of fewer among them.
    """
    if sizes.prefixes is not None or sizes.classes > MOST_CLASSES_JOINED:
        return sizes.prefixes
    ordered = sorted(everything, key=lambda name: (counted.cardinality(name), name))[:MOST_JOINED]
    found: list[tuple[str, Histogram]] = []
    for count in range(len(ordered), 0, -1):
        known = unit is None and count == len(everything)
        histogram = Histogram(sizes.found) if known else Histogram.counted(counted.class_sizes(ordered[:count]))
        found.append((ordered[count - 1], histogram))
    return found[::-1]


def _whole_table(
    counted: Counted, grouping: tuple[str, ...], sensitive: tuple[str, Domain] | None, unit: str | None
) -> ClassTable:
    tables = counted.tables(grouping, sensitive, unit)
    first = next(tables)
    if next(tables, None) is not None:
        raise OutOfMemory(
            "missing: wildcard compares every class with every other and needs them all in memory at once"
        )
    return first


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
