"""What a reader takes published numbers to say: which values are nested, and which combinations are of nobody.

A table may list all the combinations that there are, or leave some out; labels may hold each other, or be recoded
values beside each other. What says most and fits the numbers is taken. Where nested values fit only with records that
have none of the values listed, and the numbers fit without that where nothing is nested, both are looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from auditor.errors import NotEvaluated
from auditor.outputs._examination import Context, Violation
from auditor.outputs.linked import NOTHING_NESTED, Contradiction, Listing, Nesting, System
from auditor.outputs.published.conditions import EVERYBODY
from auditor.outputs.published.outputs import FrequencyTable, GroupStatistics, Published
from auditor.outputs.published.scales import PLAIN, scales_of, with_masks


@dataclass(frozen=True)
class SystemReading:
    """A system that fits the numbers, the one without its joint table, and which of the assumptions it makes."""

    assumed: int
    system: System
    relaxed: System | None


class Build(Protocol):
    """Makes the system of an assumption and checks that some database fits it."""

    def __call__(self, at: int, nesting: Nesting, *, relaxed: bool) -> System: ...


def nestings(outputs: Sequence[Published], context: Context) -> list[Nesting]:
    """What may be nested, what says most first."""
    tables = [each for each in outputs if isinstance(each, FrequencyTable | GroupStatistics)]
    listings = tuple(_listing(each) for each in tables)
    labels: defaultdict[str, set[str]] = defaultdict(set)
    for each in listings:
        for column, *named in zip(each.by, *each.keys, strict=True):
            labels[column].update(named)
    scales = scales_of(context.policy, labels)
    masks = {column: with_masks(scales.get(column, PLAIN), labels[column]) for column in labels}
    known = {**scales, **{column: scale for column, scale in masks.items() if scale != PLAIN}}
    found = Nesting(known, listings, listed="all")
    plain = replace(found, listed="none", crossing=False)
    if not any(len(each.by) > 1 for each in listings):
        return [replace(plain, crossing=True), plain]
    return [found, replace(found, crossing=False), replace(plain, listed="functions"), plain]


def _listing(table: FrequencyTable | GroupStatistics) -> Listing:
    missing = [column in table.missing for column in table.by]
    keys = frozenset(
        tuple(value for value, also in zip(cell.key, missing, strict=True) if value is not None and (value or not also))
        for cell in table.cells
    )
    inner = frozenset(key for key in keys if len(key) == len(table.by))
    return Listing(table.by, inner, table.where == EVERYBODY)


def readings(assumptions: int, nested: Sequence[Nesting], build: Build, *, relaxed: bool = True) -> list[SystemReading]:
    """The systems that fit the numbers, the one that assumes most last; none where no database does.

    Args:
        assumptions: how many there are, what says most first.
        nested: what may be nested, what says most first.
        build: makes a system.
        relaxed: whether tables in a circle are looked at without their joint table, too.

    Raises:
        NotEvaluated: there are too many combinations.
    """
    found = _first(range(assumptions), nested, build, relaxed=relaxed)
    if found is not None and not (found.system.is_nested and (found.assumed or found.system.relaxed)):
        return [found]
    before = range(assumptions) if found is None or found.system.relaxed else range(found.assumed)
    plain = _first(before, [NOTHING_NESTED], build, relaxed=relaxed)
    return [each for each in (found, plain) if each is not None]


def _first(
    assumptions: Iterable[int], nested: Sequence[Nesting], build: Build, *, relaxed: bool
) -> SystemReading | None:
    for at in assumptions:
        for nesting in nested:
            try:
                return _read(at, nesting, build, relaxed=relaxed)
            except Contradiction as error:
                if not error.nested:
                    break
    return None


def _read(at: int, nesting: Nesting, build: Build, *, relaxed: bool) -> SystemReading:
    """One system; where nested values make too many combinations, the one without a joint table."""
    try:
        system = build(at, nesting, relaxed=False)
    except NotEvaluated:
        if nesting == NOTHING_NESTED:
            raise
        return SystemReading(at, build(at, nesting, relaxed=True), None)
    near = build(at, nesting, relaxed=True) if relaxed and system.cyclic else None
    return SystemReading(at, system, near)


def once(violations: Iterable[Violation]) -> list[Violation]:
    """Each violation once, whichever reading tells of it."""
    return list(_once(violations))


def _once(violations: Iterable[Violation]) -> Iterator[Violation]:
    seen = set[tuple[str, str, str]]()
    for each in violations:
        known = each.item, each.reason, each.limit
        if known not in seen:
            seen.add(known)
            yield each
