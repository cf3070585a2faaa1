"""Requirements on the records of a release beside those of its original: which record is which, and the number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.audit._microdata import microdata
from auditor.audit._run import Run
from auditor.engines import ColumnUse, Source
from auditor.errors import DataError, NotEvaluated
from auditor.microdata import Microdata, Numeric, Variable, side_by_side
from auditor.models import TOLERANCE, RecordRequirement
from auditor.models._base import beyond
from auditor.policy import Binding, bind

Rows = NDArray[np.float64]
STAYS = 0.75
"""A column stays with some records where it is nearer to them than this part of its distance to others."""
RELEASED = ("quasi-identifier", "sensitive", "insensitive", "pseudonym")


@dataclass(frozen=True)
class Pair:
    """A release and its original, of the same columns; row i of both is one record where that was asked for."""

    original: Microdata
    released: Microdata
    rows: NDArray[np.intp] | None = None
    """The row of the original's file that each row is; None where that was not asked for."""


def number_of(run: Run, requirement: RecordRequirement) -> tuple[float, tuple[str, ...]]:
    """The requirement's number, and what it does not see where it meets its bound.

    Raises:
        NotEvaluated: why there is none: no original, no way to tell which record is which, no meaning for this data.
    """
    try:
        pair = _pair(run, requirement)
        number = requirement.measure(pair.original, pair.released)
        if _beyond(requirement, number):
            return number, ()
        if pair.rows is not None and run.followed is None:
            _refuse_other_match(run, requirement, pair, pair.rows)
        return number, tuple(requirement.unseen(pair.original, pair.released))
    except DataError as error:
        raise NotEvaluated(str(error)) from None


def _beyond(requirement: RecordRequirement, number: float) -> bool:
    return bool(beyond(np.array([number]), requirement.bound, requirement.comparison, TOLERANCE)[0])


def _refuse_other_match(run: Run, requirement: RecordRequirement, pair: Pair, rows: NDArray[np.intp]) -> None:
    """Refuse to believe a match where the release holds the original's rows as other records, and that matters.

    Both tables are compared in every column that they share and that is released but the key, whatever the requirement
    looks at: swapping one column changes rows, and giving rows to other records changes none. So they are in those that
    it looks at alone, for others may be masked, unless one of these stays with the record of the match. In a table of
    one column beside its key both are the same, and whoever finds a row learns nothing else, so there the key is
    believed.

    Raises:
        NotEvaluated: at least `SAME_ROWS` percent of the release's rows are the original's, or plainly are by slight
            noise (`auditor.risk.recognition`), most of them as other records, and with the records that they are by
            their rows the number does not meet its bound.
    """
    from auditor.risk._rows import row_codes
    from auditor.risk.gamed import SAME_ROWS

    if run.original is None:
        return
    binding = bind(run.policy, [column.name for column in run.original.columns])
    theirs = binding.with_role(*RELEASED)
    names = tuple(name for name in run.binding.with_role(*RELEASED) if name in theirs and name != requirement.key)
    if not names or (len(names) == 1 and not requirement.by_position):
        return
    before = microdata(run.original, binding, names, run.limits)
    after = microdata(run.source, run.binding, names, run.limits)
    own = tuple(name for name in pair.original.names if name in names)
    for looked in dict.fromkeys((names, own if len(own) > 1 else names)):
        one, other = before.only(looked), after.only(looked)
        was, now = (
            np.column_stack(side)
            for side in zip(*(side_by_side(one[name], other[name]) for name in looked), strict=True)
        )
        codes = row_codes(was)[0]
        rest = [name for name in names if name not in looked]
        for found, said in ((by_rows(was, now), "are"), (_near(one, other), "lie next to")):
            there = found >= 0
            same, in_place = int(there.sum()), int((codes[found[there]] == codes[rows[there]]).sum())
            if 100 * same < SAME_ROWS * len(now) or 2 * in_place >= same:
                continue
            if any(_stays(before[name], after[name], found, rows) for name in rest):
                continue
            wanted = microdata(run.original, binding, pair.original.names, run.limits).rows(
                completed(found, rows, len(was))
            )
            if _beyond(requirement, requirement.measure(wanted, pair.released)):
                raise NotEvaluated(_other(requirement, SAME_ROWS, said))


def _stays(was: Variable, now: Variable, found: NDArray[np.intp], rows: NDArray[np.intp]) -> bool:
    """Whether a column stays with the records that the match names, and not with those that the rows are.

    So it does where the columns beside it were swapped together: whoever finds such a row learns nothing else.
    """
    before, after = map(np.nan_to_num, side_by_side(was, now))
    there = found >= 0
    apart = [np.abs(after[there] - before[of[there]]) for of in (rows, found)]
    if not (isinstance(was, Numeric) and isinstance(now, Numeric)):
        apart = [each > 0 for each in apart]
    named, told = (float(each.mean()) for each in apart)
    return named < STAYS * told


def _near(before: Microdata, after: Microdata) -> NDArray[np.intp]:
    """As `by_rows`, with slight noise on the rows; nothing is near in a single column, where all values are."""
    from auditor.risk.recognition import recognised

    return recognised(before, after) if len(before.names) > 1 else np.full(after.records, -1, np.intp)


def by_rows(was: Rows, now: Rows) -> NDArray[np.intp]:
    """The row of the original that each row of the release equals, each once, in order; −1 where it equals none."""
    from auditor.risk._rows import row_codes

    codes, _, _ = row_codes(was, now)
    free: dict[int, list[int]] = {}
    for row in range(len(was) - 1, -1, -1):
        free.setdefault(int(codes[row]), []).append(row)
    found = np.full(len(now), -1, np.intp)
    for place, code in enumerate(codes[len(was) :].tolist()):
        if free.get(code):
            found[place] = free[code].pop()
    return found


def completed(found: NDArray[np.intp], rows: NDArray[np.intp], records: int) -> NDArray[np.intp]:
    """`found` with a row of the original for each −1: the one of `rows`, as they were matched, or any that is free."""
    found = found.copy()
    left = set(range(records)) - set(found[found >= 0].tolist())
    lost = np.flatnonzero(found < 0).tolist()
    for place in lost:
        if int(rows[place]) in left:
            found[place] = rows[place]
            left.remove(int(rows[place]))
    others = iter(sorted(left))
    for place in lost:
        if found[place] < 0:
            found[place] = next(others)
    return found


def _other(requirement: RecordRequirement, share: float, said: str) -> str:
    held = f"and at least {share:g} % of the rows of the release {said} rows of the original"
    if requirement.by_position:
        return (
            f"match: position, {held} in other places: the order does not tell which record is which, or nothing was "
            "masked; name a column with match:, or mask with auditor mask, which knows"
        )
    return (
        f"match: column {requirement.key!r}, {held} under other keys: the column does not tell which record is which, "
        "or nothing was masked; mask with auditor mask, which knows"
    )


def _pair(run: Run, requirement: RecordRequirement) -> Pair:
    if not requirement.needs_original:
        columns = requirement.attributes or run.binding.quasi_identifiers
        wanted = tuple(dict.fromkeys((*columns, *requirement.besides)))
        released = microdata(run.source, run.binding, wanted, run.limits)
        _refuse_other_weights(run, requirement.besides, released)
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
        rows = _rows(run, requirement, original.records, released.records)
        return Pair(original.rows(rows), released, rows)
    if original.records != released.records:
        raise NotEvaluated("the release and its original do not have equally many records")
    return Pair(original, released)


def _refuse_other_weights(run: Run, weights: tuple[str, ...], released: Microdata) -> None:
    """Refuse weights that are not the original's, where there is an original: other weights lower no risk.

    They are compared as a whole (a release may have fewer records), and with the columns beside them.

    Raises:
        NotEvaluated: a weight of the release stands there more often than in the original, or beside other records; or
            the original has none.
    """
    if run.original is None or not weights:
        return
    binding = bind(run.policy, [column.name for column in run.original.columns])
    for name in weights:
        if name not in binding.roles and name not in binding.undeclared:
            raise NotEvaluated(f"the original has no column {name!r}, so the weights cannot be compared with its own")
        own = microdata(run.original, binding, (name,), run.limits).numeric(name).values
        now = released.numeric(name).values
        if Counter(now.tolist()) - Counter(own.tolist()):
            raise NotEvaluated(
                f"the weights in column {name!r} are not those of the original: coarser or other weights lower the "
                "number and no risk; release the original's"
            )
        if _moved(run, binding, name, own, now):
            raise NotEvaluated(
                f"the weights in column {name!r} are those of the original beside other records: that lowers the "
                "number and no risk; release each record with its own"
            )


def _moved(run: Run, binding: Binding, weight: str, own: Rows, now: Rows) -> bool:
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


def _kept_columns(run: Run, binding: Binding, but: str) -> list[tuple[Rows, Rows]]:
    """The columns, but one, that both tables have and whose released values all occur in the original."""
    theirs = binding.with_role(*RELEASED)
    names = tuple(name for name in run.binding.with_role(*RELEASED) if name in theirs and name != but)
    if not names or run.original is None:
        return []
    before = microdata(run.original, binding, names, run.limits)
    after = microdata(run.source, run.binding, names, run.limits)
    pairs = [side_by_side(before[name], after[name]) for name in names]
    return [(was, now) for was, now in pairs if (np.isin(now, was) | (np.isnan(now) & np.isnan(was).any())).all()]


def _told_rows(run: Run, before: int, after: int) -> NDArray[np.intp] | None:
    """The row of the original that each row of the release is, where a requirement of the policy tells."""
    for requirement in run.policy.requirements:
        told = isinstance(requirement, RecordRequirement) and (requirement.key or requirement.by_position)
        if isinstance(requirement, RecordRequirement) and (told or run.followed is not None):
            with suppress(NotEvaluated):
                return _rows(run, requirement, before, after)
    return None


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
