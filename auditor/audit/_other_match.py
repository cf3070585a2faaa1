"""Whether the records that a policy matches are those that the rows of the release plainly are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from auditor.audit._microdata import microdata
from auditor.audit._run import AuditRun
from auditor.audit._single_values import called_by_values
from auditor.audit._whole_rows import Find, Places, by_rows, columns_of, whole_elsewhere
from auditor.microdata import Microdata, Numeric, Variable, side_by_side
from auditor.models import RecordRequirement
from auditor.policy import bind

Rows = NDArray[np.float64]
STAYS = 0.75
"""A column stays with some records where it is nearer to them than this part of its distance to others."""
PAIRS = 200
"""Of so many pairs of a column that is looked at and another one the rows are compared, too."""
BEYOND_CHANCE = 0.5
"""So much of what chance leaves free is to be found by two columns, or by ranks: two columns alone are often alike."""
RELEASED = ("quasi-identifier", "sensitive", "insensitive", "pseudonym")


def other_matches(
    run: AuditRun, requirement: RecordRequirement, own: tuple[str, ...], rows: Places
) -> Iterator[tuple[Places, str]]:
    """Other matches than `rows` by which the release holds the original's rows, and why each is to be believed.

    Of the release's rows more are the original's as other records than its masking puts there, equal or plainly by
    slight noise; or at least `SAME_ROWS` percent are, in another scale, too (`auditor.risk.recognition`).

    Both tables are compared in every column that they share and that is released but the key and those that only number
    or name records, whatever the requirement looks at: swapping one column changes rows, and giving rows to other
    records changes none. So they are in those that it looks at alone (`own`), and in pairs of one of these and another,
    for others may be masked, unless a column beside those that are compared stays with the record of the match. In a
    table of one column beside its key both are the same, and whoever finds a row learns nothing else, so there the key
    is believed.
    """
    from auditor.risk.gamed import SAME_ROWS
    from auditor.risk.rows import row_codes

    if run.original is None:
        return
    binding = bind(run.policy, [column.name for column in run.original.columns])
    theirs = binding.with_role(*RELEASED)
    shared = tuple(name for name in run.binding.with_role(*RELEASED) if name in theirs and name != requirement.key)
    if not shared:
        return
    before = microdata(run.original, binding, shared, run.limits)
    named = requirement.attributes or ()
    names = tuple(each.name for each in before.variables if each.name in named or not _numbers_records(each))
    if not names or (len(names) == 1 and not requirement.by_position):
        return
    after = microdata(run.source, run.binding, names, run.limits)
    own = tuple(name for name in own if name in names)
    for looked in _looks(names, own):
        run.limits.check()
        one, other = before.only(looked), after.only(looked)
        was = columns_of(one, one)[0]
        codes = row_codes(was)[0]
        rest = [name for name in names if name not in looked]
        wholly = looked in (own, names)
        for found, said in _ways(one, other, wholly=wholly):
            there = found >= 0
            same, in_place = int(there.sum()), int((codes[found[there]] == codes[rows[there]]).sum())
            if 100 * same < SAME_ROWS * other.records or 2 * in_place >= same:
                continue
            if not any(_stays(before[name], after[name], found, rows) for name in rest):
                yield completed(found, rows, len(was)), _other(requirement, f"at least {SAME_ROWS:g} %", said)
        for found, said in _beyond_masking(one, other, rows, wholly=wholly):
            elsewhere = np.where(found == rows, -1, found)
            if any(_stays(before[name], after[name], elsewhere, rows) for name in rest):
                continue
            percent = f"{100 * float((elsewhere >= 0).mean()):.0f} %"
            yield completed(found, rows, len(was)), _other(requirement, percent, said)
    for called in called_by_values(before.only(names), after, rows):
        others = [name for name in names if name not in called.columns]
        if not any(_stays(before[name], after[name], called.found, rows) for name in others):
            share = f"{100 * float((called.found >= 0).mean()):.2g} %"
            yield completed(called.found, rows, before.records), _other(requirement, share, "hold several values of")


def _beyond_masking(one: Microdata, other: Microdata, rows: Places, *, wholly: bool) -> Iterator[tuple[Places, str]]:
    """The rows of the original that those of the release are, most beyond chance as other records; and how."""
    from auditor.risk.recognition import recognised

    ways: list[tuple[Find | None, str]] = [(None, "are")]
    if wholly and len(one.names) > 1:
        ways.append((partial(recognised, as_released=True), "lie next to"))
    for find, said in ways:
        found = whole_elsewhere(one, other, rows, find)
        if (found >= 0).any():
            yield found, said


def _numbers_records(column: Variable) -> bool:
    """Whether a column only numbers the records, or names them: it says nothing of a person, and any row can have it.

    So do whole numbers of which none appears twice and no more than every second is left out, and such texts.
    """
    if column.missing.any():
        return False
    if not isinstance(column, Numeric):
        return len(np.unique(column.codes)) == len(column.codes)
    values = np.unique(column.values)
    whole = bool((values == np.floor(values)).all())
    return whole and len(values) == len(column.values) and bool(values[-1] - values[0] < 2 * len(values))


def _looks(names: tuple[str, ...], own: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The columns to compare: all, those that the requirement looks at, and each of these beside another one."""
    pairs = (tuple(sorted(pair, key=names.index)) for pair in product(own, names) if len({*pair}) == 2 < len(names))
    yield from dict.fromkeys((names, *((own,) if len(own) > 1 else ()), *islice(dict.fromkeys(pairs), PAIRS)))


def _ways(before: Microdata, after: Microdata, *, wholly: bool) -> Iterator[tuple[Places, str]]:
    """The rows of the original that those of the release are, and how; by ranks alone where the columns are a pair."""
    if wholly:
        yield by_rows(*columns_of(before, after)), "are"
    if len(before.names) == 1:
        return  # in a single column every value lies near another one
    from auditor.risk.recognition import recognised, recognised_by_ranks

    if wholly:
        yield recognised(before, after), "lie next to"
    yield _beyond_chance(before, after, recognised_by_ranks), "keep the ranks of"


def _beyond_chance(before: Microdata, after: Microdata, find: Callable[[Microdata, Microdata], Places]) -> Places:
    """What is found, without what need not be so: equal rows, and all where as many are found by chance.

    By chance is, in the release with every column in an order of its own.
    """
    from auditor.risk.rows import row_codes

    codes, _, counts = row_codes(columns_of(before, before)[0])
    single = counts[codes] == 1

    def found_in(table: Microdata) -> Places:
        found = find(before, table)
        return np.where((found >= 0) & single[found], found, -1)

    found = found_in(after)
    order = np.random.default_rng(0)
    mixed = Microdata(
        tuple(Microdata((each,)).rows(order.permutation(after.records))[each.name] for each in after.variables)
    )
    chance, share = (float((each >= 0).mean()) for each in (found_in(mixed), found))
    return found if share - chance > BEYOND_CHANCE * (1 - chance) else np.full(after.records, -1, np.intp)


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


def _other(requirement: RecordRequirement, share: str, said: str) -> str:
    held = f"and {share} of the rows of the release {said} rows of the original"
    if requirement.by_position:
        return (
            f"match: position, {held} in other places: the order does not tell which record is which, or nothing was "
            "masked; name a column with match:, or mask with auditor mask, which knows"
        )
    return (
        f"match: column {requirement.key!r}, {held} under other keys: the column does not tell which record is which, "
        "or nothing was masked; mask with auditor mask, which knows"
    )
