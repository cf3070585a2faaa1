"""Requirements on the records of a release beside those of its original: which record is which, and the number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.audit._microdata import microdata
from auditor.audit._other_match import RELEASED, Rows, other_matches
from auditor.audit._other_names import under_other_names
from auditor.audit._run import AuditRun
from auditor.audit._whole_rows import by_rows
from auditor.engines import ColumnUse, Source
from auditor.errors import DataError, NotEvaluated
from auditor.microdata import Categorical, Microdata, Numeric, as_categories, side_by_side
from auditor.models import TOLERANCE, RecordRequirement, beyond
from auditor.policy import Binding, bind
from auditor.result import Kind

WRITTEN = 0.9
"""Texts in the place of numbers, this part of as many different ones: the numbers, written otherwise."""
ALL_MISSING = "Every value of the columns is missing, so the requirement had nothing to judge."


@dataclass(frozen=True)
class MatchedTables:
    """A release and its original, of the same columns; row i of both is one record where that was asked for."""

    original: Microdata
    released: Microdata
    rows: NDArray[np.intp] | None = None
    """The row of the original's file that each row is; None where that was not asked for."""
    every: Microdata | None = None
    """The original in the order of its file, where `rows` says which of its rows are released."""


def number_of(run: AuditRun, requirement: RecordRequirement) -> tuple[float, tuple[str, ...], int | None]:
    """The requirement's number, what it does not see where it meets its bound, and of how few records it may tell.

    The last is None for a number that is made of all records, whatever became of them.

    Raises:
        NotEvaluated: why there is none: no original, no way to tell which record is which, no meaning for this data.
    """
    try:
        pair = _pair(run, requirement)
        number = _worst(requirement, pair.original, pair.released)
        few = changed_records(pair.original, pair.released) if requirement.kind is Kind.LOSS else None
        if _beyond(requirement, number):
            return number, (), few
        if pair.rows is not None:
            named = under_other_names(run, pair.original, pair.released, requirement.key)
            other_number = number if named is None else _worst(requirement, pair.original, named)
            if _beyond(requirement, other_number):
                return other_number, (), few
        if all(variable.missing.all() for variable in pair.released.variables):
            return number, (ALL_MISSING,), few
        unseen = dict.fromkeys(_unseen(requirement, pair.original, pair.released))
        if pair.rows is not None and pair.every is not None and run.followed is None:
            for rows, why in other_matches(run, requirement, pair.original.names, pair.rows):
                other = pair.every.rows(rows)
                if _beyond(requirement, _worst(requirement, other, pair.released)):
                    raise NotEvaluated(why)
                unseen |= dict.fromkeys(_unseen(requirement, other, pair.released))
        return number, tuple(unseen), few
    except DataError as error:
        raise NotEvaluated(str(error)) from None


def changed_records(original: Microdata, released: Microdata) -> int:
    """The fewest records that lost their values, in one column or in all together; 0 where none is missed.

    Records are not followed: those are counted that have no partner with the same values in the release.
    """
    records = original.records
    together = np.zeros(records + released.records, dtype=np.intp)
    counts = []
    for before, after in zip(original.variables, released.variables, strict=True):
        values, own = np.unique(np.concatenate(side_by_side(before, after)), return_inverse=True)
        together = np.unique(together * len(values) + own, return_inverse=True)[1]
        counts.append(_gone(own, records))
    return min(filter(None, (*counts, _gone(together, records))), default=0)


def _gone(codes: NDArray[np.intp], records: int) -> int:
    width = int(codes.max(initial=0)) + 1
    lost = np.bincount(codes[:records], minlength=width) - np.bincount(codes[records:], minlength=width)
    return int(lost[lost > 0].sum())


def _beyond(requirement: RecordRequirement, number: float) -> bool:
    return bool(beyond(np.array([number]), requirement.bound, requirement.comparison, TOLERANCE)[0])


def _unseen(requirement: RecordRequirement, original: Microdata, released: Microdata) -> Iterator[str]:
    undone = _in_own_scale(original, released) if requirement.follows_records else None
    return requirement.unseen(original, undone or released)


def _worst(requirement: RecordRequirement, original: Microdata, released: Microdata) -> float:
    """The number, or that of an attacker who reads the release otherwise, where only that one breaks the bound."""
    number = requirement.measure(original, released)
    if not requirement.follows_records or _beyond(requirement, number):
        return number
    return next(
        (each for each in _other_numbers(requirement, original, released) if _beyond(requirement, each)), number
    )


def _other_numbers(requirement: RecordRequirement, original: Microdata, released: Microdata) -> Iterator[float]:
    """The numbers of attackers who read the release otherwise.

    What keeps the order of a column, or reverses it, is no masking (`auditor.risk.own_scale`), neither is what writes
    values in other units (`auditor.risk.lines`), and neither is what leaves a record as it is and changes others so
    much that the units change.
    """
    from auditor.risk.lines import in_units

    yield requirement.measure_as_released(original, released)
    undone = _in_own_scale(original, released)
    if undone is not None:
        yield requirement.measure(original, undone)
    in_their_units = _undone(in_units, original, released)
    if in_their_units is not None:
        yield requirement.measure(original, in_their_units)
        yield requirement.measure_as_released(original, in_their_units)


def _in_own_scale(original: Microdata, released: Microdata) -> Microdata | None:
    """The release with what is another scale undone; None where nothing is."""
    from auditor.risk.own_scale import in_own_scale

    return _undone(in_own_scale, original, released)


def _undone(undo: Callable[[Rows, Rows], Rows], original: Microdata, released: Microdata) -> Microdata | None:
    names = released.names
    now = released.numbers(names)
    undone = undo(original.numbers(names), now)
    if np.array_equal(undone, now, equal_nan=True):
        return None
    return Microdata(tuple(Numeric(name, column) for name, column in zip(names, undone.T, strict=True)))


def _pair(run: AuditRun, requirement: RecordRequirement) -> MatchedTables:
    if not requirement.needs_original:
        columns = requirement.attributes or run.binding.quasi_identifiers
        wanted = tuple(dict.fromkeys((*columns, *requirement.besides)))
        _refuse_weights_among_keys(requirement, columns)
        released = microdata(run.source, run.binding, wanted, run.limits)
        _refuse_several_records(run, requirement)
        _refuse_other_weights(run, requirement.besides, released)
        return MatchedTables(released, released)
    if run.original is None:
        raise NotEvaluated(
            f"{requirement.name} compares the release with the table that it was made from: name that table with "
            "--original"
        )
    binding = bind(run.policy, [column.name for column in run.original.columns])
    names = _columns(run, requirement, binding)
    released = microdata(run.source, run.binding, names, run.limits)
    original = microdata(run.original, binding, names, run.limits)
    if requirement.attributes is None:
        names = _numbers(original, released)
        original, released = original.only(names), released.only(names)
    if requirement.follows_records:
        rows = _rows(run, requirement, original.records, released.records)
        return MatchedTables(original.rows(rows), released, rows, original)
    if original.records != released.records:
        raise NotEvaluated("the release and its original have different numbers of records")
    return MatchedTables(original, released)


def _refuse_weights_among_keys(requirement: RecordRequirement, columns: Sequence[str]) -> None:
    """Refuse a column that an attacker knows and that is not looked at, since records are weighed or joined by it.

    Raises:
        NotEvaluated: says which.
    """
    both = [name for name in requirement.besides if name in columns]
    if both:
        raise NotEvaluated(
            f"column {both[0]!r}, by which {requirement.name} weighs records or joins them to households, is a "
            "quasi-identifier, too, and would be left out of what an attacker knows; give it another role, or name the "
            "columns that he knows under `attributes`"
        )


def _refuse_several_records(run: AuditRun, requirement: RecordRequirement) -> None:
    """Refuse to take the records of one unit for those of several people, who would hide each other.

    Raises:
        NotEvaluated: a unit has several records.
    """
    if not requirement.of_people or run.unit is None:
        return
    found = as_categories(microdata(run.source, run.binding, (run.unit,), run.limits)[run.unit])
    known = found.codes[~found.missing]
    if len(np.unique(known)) < len(known):
        raise NotEvaluated(
            f"{requirement.name} takes each record for a person, and the policy counts by {run.unit!r}, some values of "
            "which have several records; judge a table with one record each"
        )


def _refuse_other_weights(run: AuditRun, weights: tuple[str, ...], released: Microdata) -> None:
    """Refuse weights, and households, that are not the original's, where there is an original: others lower no risk.

    They are compared as a whole (a release may have fewer records), and with the columns beside them.

    Raises:
        NotEvaluated: a value of the release stands there more often than in the original, or beside other records; or
            the original has none.
    """
    if run.original is None or not weights:
        return
    binding = bind(run.policy, [column.name for column in run.original.columns])
    for name in weights:
        if name not in binding.roles and name not in binding.undeclared:
            raise NotEvaluated(
                f"the original has no column {name!r}, so that of the release cannot be compared with it"
            )
        pair = side_by_side(microdata(run.original, binding, (name,), run.limits)[name], released[name])
        own, now = (np.nan_to_num(each, nan=-np.inf) for each in pair)  # so that a missing value equals itself
        if Counter(now.tolist()) - Counter(own.tolist()):
            raise NotEvaluated(
                f"the values of column {name!r} are not those of the original: coarser or other weights, and other "
                "households, lower the number, not the risk; release the original column"
            )
        if _moved(run, binding, name, own, now):
            raise NotEvaluated(
                f"the values of column {name!r} are those of the original, but on other records: that lowers the "
                "number, not the risk; release each record with its own value"
            )


def _moved(run: AuditRun, binding: Binding, weight: str, own: Rows, now: Rows) -> bool:
    """Whether weights changed places: by the match that the policy names, else by the columns beside them.

    By columns: all rows are the original's without the weight, and some not with it; or most rows are, and no column
    has its weights any more. Only columns are compared whose released values all occur in the original, because a
    generalized one tells no record.
    """
    rows = _told_rows(run, len(own), len(now))
    if rows is not None:
        return bool((own[rows] != now).any())
    kept = _kept_columns(run, binding, weight)
    if not kept:
        return False
    was, here = (np.column_stack(side) for side in zip(*kept, strict=True))
    alike = _count_alike([was], [here])
    if _count_alike([was, own], [here, now]) >= alike or 2 * alike < len(here):
        return False
    told = [pair for pair in kept if len(np.unique(pair[0])) > 1]
    return alike == len(here) or not any(_count_alike([was, own], [here, now]) == len(here) for was, here in told)


def _count_alike(was: Sequence[Rows], now: Sequence[Rows]) -> int:
    """How many rows of the release equal a row of the original, each once."""
    return int((by_rows(np.column_stack(was), np.column_stack(now)) >= 0).sum())


def _kept_columns(run: AuditRun, binding: Binding, but: str) -> list[tuple[Rows, Rows]]:
    """The columns, but one, that both tables have and whose released values all occur in the original."""
    theirs = binding.with_role(*RELEASED)
    names = tuple(name for name in run.binding.with_role(*RELEASED) if name in theirs and name != but)
    if not names or run.original is None:
        return []
    before = microdata(run.original, binding, names, run.limits)
    after = microdata(run.source, run.binding, names, run.limits)
    pairs = [side_by_side(before[name], after[name]) for name in names]
    return [(was, now) for was, now in pairs if (np.isin(now, was) | (np.isnan(now) & np.isnan(was).any())).all()]


def _told_rows(run: AuditRun, before: int, after: int) -> NDArray[np.intp] | None:
    """The row of the original that each row of the release is, where a requirement of the policy tells."""
    for requirement in run.policy.requirements:
        told = isinstance(requirement, RecordRequirement) and (requirement.key or requirement.by_position)
        if isinstance(requirement, RecordRequirement) and (told or run.followed is not None):
            with suppress(NotEvaluated):
                return _rows(run, requirement, before, after)
    return None


def _columns(run: AuditRun, requirement: RecordRequirement, original: Binding) -> tuple[str, ...]:
    """The columns to look at: those named, or all that both tables have and a release may have."""
    if requirement.attributes is None:
        there = original.with_role(*RELEASED)
        return tuple(name for name in run.binding.with_role(*RELEASED) if name in there and name != requirement.key)
    for name in requirement.attributes:
        if name not in original.roles and name not in original.undeclared:
            raise NotEvaluated(f"the original has no column {name!r}")
    return requirement.attributes


def _numbers(original: Microdata, released: Microdata) -> tuple[str, ...]:
    both = zip(original.variables, released.variables, strict=True)
    names = tuple(one.name for one, other in both if isinstance(one, Numeric) and isinstance(other, Numeric))
    for one, other in zip(original.variables, released.variables, strict=True):
        if isinstance(one, Numeric) and not isinstance(other, Numeric) and _written_otherwise(one, other):
            raise NotEvaluated(
                f"column {one.name!r} holds numbers in the original and no fewer texts in the release: it is written "
                "differently, not masked; release numbers, or name the columns to look at under attributes"
            )
    if not names:
        raise NotEvaluated("the release and its original have no column of numbers in common")
    return names


def _written_otherwise(numbers: Numeric, texts: Categorical) -> bool:
    """Whether a column of texts has as many values as the numbers had, nearly: one for each, and none for several."""
    before, after = (len(np.unique(each.codes[~each.missing])) for each in (as_categories(numbers), texts))
    return before > 1 and after >= WRITTEN * before


def _rows(run: AuditRun, requirement: RecordRequirement, before: int, after: int) -> NDArray[np.intp]:
    """The row of the original that each row of the release is."""
    if run.followed is not None:
        return run.followed
    if requirement.by_position:
        if before != after:
            raise NotEvaluated("match: position, but the release and its original have different numbers of records")
        return np.arange(before)
    if requirement.key is None:
        raise NotEvaluated(
            f"{requirement.name} must know which record of the original each released record is: name a column that "
            "both have with match:, or say match: position where both are in the same order"
        )
    if run.original is None:
        raise NotEvaluated("there is no original")
    return _matched(run.source, run.original, requirement.key)


def _matched(released: Source, original: Source, key: str) -> NDArray[np.intp]:
    after, before = _keys(released, key, "release"), _keys(original, key, "original")
    place = {name: row for row, name in enumerate(before)}
    if any(name not in place for name in after):
        raise NotEvaluated(f"match: column {key!r} of the release has values that the original lacks")
    return np.array([place[name] for name in after], dtype=np.intp)


def _keys(source: Source, key: str, which: str) -> list[str]:
    """The value of the key in each row, each once."""
    if key not in [column.name for column in source.columns]:
        raise NotEvaluated(f"match: the {which} has no column {key!r}")
    coded = source.coded([ColumnUse(key)])
    codes, names = coded.codes[:, 0], coded.dictionaries[0]
    if None in names or len(names) < len(codes):
        raise NotEvaluated(f"match: column {key!r} of the {which} does not name each record once")
    return [str(names[code]) for code in codes.tolist()]
