"""Requirements on the records of a release beside those of its original: which record is which, and the number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.audit._microdata import microdata
from auditor.audit._run import Run
from auditor.engines import ColumnUse, Source
from auditor.errors import DataError, NotEvaluated
from auditor.microdata import Microdata, Numeric, side_by_side
from auditor.models import TOLERANCE, RecordRequirement
from auditor.models._base import beyond
from auditor.policy import Binding, bind

RELEASED = ("quasi-identifier", "sensitive", "insensitive", "pseudonym")


@dataclass(frozen=True)
class Pair:
    """A release and its original, of the same columns; row i of both is one record where that was asked for."""

    original: Microdata
    released: Microdata


def number_of(run: Run, requirement: RecordRequirement) -> tuple[float, tuple[str, ...]]:
    """The requirement's number, and what it does not see where it meets its bound.

    Raises:
        NotEvaluated: why there is none: no original, no way to tell which record is which, no meaning for this data.
    """
    try:
        pair = _pair(run, requirement)
        number = requirement.measure(pair.original, pair.released)
        if beyond(np.array([number]), requirement.bound, requirement.comparison, TOLERANCE)[0]:
            return number, ()
        if requirement.by_position and run.followed is None:
            _refuse_other_order(run)
        return number, tuple(requirement.unseen(pair.original, pair.released))
    except DataError as error:
        raise NotEvaluated(str(error)) from None


def _refuse_other_order(run: Run) -> None:
    """Refuse to believe that the rows stand in one order where the release holds the original's in another one.

    Both tables are compared in every column that they share and that is released, whatever the requirement looks at:
    swapping one column changes rows, and putting rows elsewhere changes none.

    Raises:
        NotEvaluated: the release holds at least `SAME_ROWS` percent of the original's rows, most of them elsewhere.
    """
    from auditor.risk import same_rows
    from auditor.risk.gamed import SAME_ROWS

    if run.original is None:
        return
    binding = bind(run.policy, [column.name for column in run.original.columns])
    theirs = binding.with_role(*RELEASED)
    names = tuple(name for name in run.binding.with_role(*RELEASED) if name in theirs)
    before = microdata(run.original, binding, names, run.limits)
    after = microdata(run.source, run.binding, names, run.limits)
    pairs = [side_by_side(before[name], after[name]) for name in names]
    was, now = (np.column_stack(side) for side in zip(*pairs, strict=True))
    found = same_rows(was, now)
    in_place = int(((was == now) | (np.isnan(was) & np.isnan(now))).all(axis=1).sum())
    if found.percent >= SAME_ROWS and 2 * in_place < found.rows:
        raise NotEvaluated(
            f"match: position, and at least {SAME_ROWS:g} % of the rows of the release are rows of the original in "
            "other places: the order does not tell which record is which, or nothing was masked; name a column with "
            "match:, or mask with auditor mask, which knows"
        )


def _pair(run: Run, requirement: RecordRequirement) -> Pair:
    if not requirement.needs_original:
        columns = requirement.attributes or run.binding.quasi_identifiers
        wanted = tuple(dict.fromkeys((*columns, *requirement.besides)))
        released = microdata(run.source, run.binding, wanted, run.limits)
        return Pair(released, released)
    if run.original is None:
        raise NotEvaluated(
            f"{requirement.name} compares the release with the table that it was made from: name it with --original"
        )
    binding = bind(run.policy, [column.name for column in run.original.columns])
    names = _columns(run, requirement, binding)
    released = microdata(run.source, run.binding, names, run.limits)
    original = microdata(run.original, binding, names, run.limits)
    if requirement.attributes is None:
        names = _numbers(original, released)
        original, released = original.only(names), released.only(names)
    if requirement.follows_records:
        original = original.rows(_rows(run, requirement, original.records, released.records))
    elif original.records != released.records:
        raise NotEvaluated("the release and its original do not have equally many records")
    return Pair(original, released)


def _columns(run: Run, requirement: RecordRequirement, original: Binding) -> tuple[str, ...]:
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
    if not names:
        raise NotEvaluated("the release and its original have no column of numbers in common")
    return names


def _rows(run: Run, requirement: RecordRequirement, before: int, after: int) -> NDArray[np.intp]:
    """The row of the original that each row of the release is."""
    if run.followed is not None:
        return run.followed
    if requirement.by_position:
        if before != after:
            raise NotEvaluated("match: position, and the release and its original do not have equally many records")
        return np.arange(before)
    if requirement.key is None:
        raise NotEvaluated(
            f"{requirement.name} has to know which record of the release is which of the original: name a column that "
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
