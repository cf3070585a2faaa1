"""SUM, AVG, COUNT, MAX and MIN of one group, as linear forms or extremes over the profiles.

A condition on a protected boolean or category is worked out once for each value v that the column may have. With f_v a
row's contribution under v, the row contributes Σ_v f_v · [its value is v]: linear in the row's one-hot unknowns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from auditor.classes import BoolArray, IntArray
from auditor.queries._query import Quantity
from auditor.queries.sql._affine import NOWHERE, Affine
from auditor.queries.sql._forms import Form
from auditor.queries.values.exact import Exact, Integers, largest
from auditor.queries.values.values import Refusal

EVERYWHERE = np.array([True])
Function = Literal["sum", "avg", "count", "max", "min"]


@dataclass(frozen=True)
class Extremum:
    """The largest or smallest of a quantity in some profiles (bool[p])."""

    which: Literal["max", "min"]
    quantity: Quantity
    members: BoolArray


Answer = Form | Extremum | None
"""What an aggregate of one group comes to; None where it is NULL, whatever the protected values are."""


@dataclass(frozen=True)
class Contribution:
    """What rows put into an aggregate: `mask` bool[rows], and the expression that they put in."""

    mask: BoolArray
    worth: Affine


@dataclass(frozen=True)
class Assigned:
    """A protected column whose values are tried in turn, and the profiles that lack it."""

    name: str
    boolean: bool
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class Weighing:
    """From rows to profiles: `owner` is int64[rows], `sizes` int64[p]; `assigned` the columns tried, in order.

    `once` says that no profile stands in two rows.
    """

    owner: IntArray
    sizes: IntArray
    assigned: tuple[Assigned, ...]
    once: bool

    def of_profiles(self, rows: IntArray, values: Integers) -> Integers:
        """The sum over some rows of each profile's values."""
        short = largest(values) * max(len(values), 1) < 2**62
        sums = np.zeros(len(self.sizes), dtype=np.int64 if short else object)
        np.add.at(sums, self.owner[rows], values)
        return sums

    def records(self, rows: IntArray, values: Integers) -> int:
        """The sum over the records of some rows of their values."""
        sizes = self.sizes[self.owner[rows]]
        short = largest(values) * largest(sizes) * max(len(rows), 1) < 2**62
        return int((values * sizes).sum() if short else (values.astype(object) * sizes).sum())

    def members(self, rows: IntArray) -> BoolArray:
        """bool[p]: the profiles of some rows."""
        found = np.zeros(len(self.sizes), dtype=np.bool_)
        found[self.owner[rows]] = True
        return found


def aggregate(function: Function, inside: Sequence[Contribution], rows: IntArray, weighing: Weighing) -> Answer:
    """An aggregate over some rows; `inside` is what each of them contributes under each assignment."""
    same = [each for each in inside if _same(inside[0], each)]
    if len(same) == len(inside):
        return _certain(function, inside[0], rows, weighing)
    if function in ("max", "min"):
        raise Refusal("extreme-of-category")
    if any(each.worth.may_be_missing for each in inside):
        raise Refusal("null-not-public")
    if function == "avg" and any(not np.array_equal(inside[0].mask, each.mask) for each in inside):
        raise Refusal("protected-denominator")
    worths = [_counted(each) if function == "count" else each for each in inside]
    form = _assigned(worths, rows, weighing)
    if function == "avg":
        return _average(form, inside[0], rows, weighing)
    if function == "count":
        return form
    return form.unless_nobody(how_many(inside, rows, weighing), said=says_whether(inside))


def how_many(inside: Sequence[Contribution], rows: IntArray, weighing: Weighing) -> Form | None:
    """How many rows contribute; None where some do whatever the protected values are."""
    if bool(np.logical_and.reduce([each.mask for each in inside]).any()):
        return None
    return _assigned([_counted(each) for each in inside], rows, weighing)


def says_whether(inside: Sequence[Contribution]) -> bool:
    """Whether a sum is 0 only where nobody contributes: whoever does puts in a public number of the same sign."""
    if any(each.worth.parts for each in inside):
        return False
    offsets = [np.broadcast_to(each.worth.offset.numerators, len(each.mask))[each.mask] for each in inside]
    return all(bool((each > 0).all()) for each in offsets) or all(bool((each < 0).all()) for each in offsets)


def _same(one: Contribution, other: Contribution) -> bool:
    if not np.array_equal(one.mask, other.mask) or one.worth.parts.keys() != other.worth.parts.keys():
        return False
    if any(not _same_rows(one, other, name) for name in {*one.worth.unsure, *other.worth.unsure}):
        return False
    pairs = [(one.worth.offset, other.worth.offset)]
    pairs += [(one.worth.parts[quantity], other.worth.parts[quantity]) for quantity in one.worth.parts]
    return all(bool(np.all(left.compared("=", right) | ~one.mask)) for left, right in pairs)


def _same_rows(one: Contribution, other: Contribution, name: str) -> bool:
    """Whether both are missing with a column's values on the same rows."""
    left, right = (each.worth.unsure.get(name, NOWHERE) for each in (one, other))
    return bool(np.all((left == right) | ~one.mask))


def _counted(each: Contribution) -> Contribution:
    return Contribution(each.mask, Affine({}, Exact.constant(1), whole=True))


def _certain(function: Function, each: Contribution, rows: IntArray, weighing: Weighing) -> Answer:
    """An aggregate to which the same rows contribute the same, whatever the protected values are."""
    rows, worth = rows[each.mask], _masked(each)
    if function == "count":
        return _count(worth, rows, weighing)
    if not len(rows):
        return None
    if function in ("max", "min"):
        return _extreme("max" if function == "max" else "min", worth, rows, weighing)
    form = _sum(worth, rows, weighing)
    if function == "sum":
        return form
    if worth.may_be_missing:
        raise Refusal("null-not-public")
    return form.times(Fraction(1, weighing.records(rows, np.ones(len(rows), dtype=np.int64))))


def _masked(each: Contribution) -> Affine:
    return each.worth.at(np.flatnonzero(each.mask))


def _count(worth: Affine, rows: IntArray, weighing: Weighing) -> Form:
    return _records(Exact.constant(1), worth.missing_with(len(rows)), rows, weighing, whole=True)


def _extreme(which: Literal["max", "min"], worth: Affine, rows: IntArray, weighing: Weighing) -> Answer:
    if worth.is_public:
        numerators = worth.offset.numerators
        chosen = numerators.max() if which == "max" else numerators.min()
        return Form(constant=Fraction(int(chosen), worth.offset.denominator), whole=worth.whole)
    (quantity, factor), *others = worth.parts.items()
    filled = not worth.unsure.get(quantity.attribute, EVERYWHERE).all()  # by COALESCE: 0 where it is missing
    if others or filled or not factor.compared("=", Exact.constant(1)).all() or worth.offset.numerators.any():
        raise Refusal("extreme-arithmetic")
    return Extremum(which, quantity, weighing.members(rows))


def _sum(worth: Affine, rows: IntArray, weighing: Weighing) -> Form:
    terms = {}
    for quantity, factor in worth.parts.items():
        if len(factor.numerators) == 1 and weighing.once:
            terms[quantity] = (weighing.members(rows), factor.fraction())
        else:
            numerators = np.broadcast_to(factor.numerators, len(rows))
            terms[quantity] = (weighing.of_profiles(rows, numerators), Fraction(1, factor.denominator))
    kept = {quantity: term for quantity, term in terms.items() if term[0].any() and term[1]}
    missing = worth.missing_with(len(rows))
    form = Form(kept, whole=worth.whole) + _records(worth.offset, missing, rows, weighing, whole=worth.whole)
    if missing is None or not missing[1].all():
        return form
    return form.unless_nobody(_records(Exact.constant(1), missing, rows, weighing, whole=True))


def _records(
    each: Exact, missing: tuple[str, BoolArray] | None, rows: IntArray, weighing: Weighing, *, whole: bool
) -> Form:
    """The sum of a public number of every row, without those on which it is missing with a column's value."""
    numerators, unit = np.broadcast_to(each.numerators, len(rows)), Fraction(1, each.denominator)
    if missing is None:
        return Form(constant=weighing.records(rows, numerators) * unit, whole=whole)
    name, mask = missing
    unsure = weighing.of_profiles(rows[mask], numerators[mask])
    terms = {Quantity(name, presence=True): (unsure, unit)} if unsure.any() else {}
    return Form(terms, weighing.records(rows[~mask], numerators[~mask]) * unit, whole)


def _average(form: Form, each: Contribution, rows: IntArray, weighing: Weighing) -> Answer:
    inside = rows[each.mask]
    count = weighing.records(inside, np.ones(len(inside), dtype=np.int64))
    return form.times(Fraction(1, count)) if count else None


def _assigned(found: Sequence[Contribution], rows: IntArray, weighing: Weighing) -> Form:
    """Σ over assignments of what a row contributes under it, times the one-hot unknown of the assignment."""
    parts = [_zeroed(each, len(rows)) for each in found]
    first = parts[0]
    for each in parts[1:]:
        if any(not _equal(first.parts.get(q), each.parts.get(q)) for q in {*first.parts, *each.parts}):
            raise Refusal("product-of-protected")
    form = _sum(Affine(first.parts), rows, weighing)
    offsets = _aligned([each.offset for each in parts])
    shape = [len(column.values) for column in weighing.assigned]
    grid = offsets[0].reshape(*shape, len(rows))
    varies = [_varies(grid, axis) for axis in range(len(shape))]
    if bool((np.sum(varies, axis=0) > 1).any()):
        raise Refusal("product-of-protected")
    for axis, column in enumerate(weighing.assigned):
        chosen = np.flatnonzero(varies[axis])
        along = np.moveaxis(grid, axis, 0).reshape(shape[axis], -1, len(rows))[:, 0, :]
        form = form + _one_hot(column, along[:, chosen], offsets[1], rows[chosen], weighing)
    fixed = np.flatnonzero(~np.logical_or.reduce(varies))
    constant = weighing.records(rows[fixed], grid.reshape(-1, len(rows))[0, fixed])
    return form + Form(constant=Fraction(constant, offsets[1]), whole=True)


def _one_hot(column: Assigned, values: Integers, denominator: int, rows: IntArray, weighing: Weighing) -> Form:
    """Rows that contribute values[v] where the column has its v-th value."""
    unit = Fraction(1, denominator)
    given = dict(zip(column.values, values, strict=True))
    none = given.pop(None, None)
    constant, terms = 0, {}
    if none is not None:  # nobody knows who lacks it: [missing] = 1 − Σ_v [value is v]
        constant = weighing.records(rows, none)
        given = {value: each - none for value, each in given.items()}
    if column.boolean:
        yes, no = given["1"], given["0"]
        terms[Quantity(column.name)] = yes - no
        if none is not None:
            terms[Quantity(column.name, presence=True)] = no
        else:
            constant += weighing.records(rows, no)
    else:
        terms = {Quantity(column.name, value): each for value, each in given.items()}
    weighed = {quantity: (weighing.of_profiles(rows, each), unit) for quantity, each in terms.items() if each.any()}
    return Form(weighed, constant * unit, whole=denominator == 1)


def _zeroed(each: Contribution, rows: int) -> Affine:
    """What rows contribute, 0 where they do not."""
    nothing = Exact(np.zeros(rows, dtype=np.int64))
    parts = {quantity: factor.where(each.mask, nothing) for quantity, factor in each.worth.parts.items()}
    return Affine(parts, each.worth.offset.where(each.mask, nothing), whole=each.worth.whole)


def _equal(one: Exact | None, other: Exact | None) -> bool:
    if one is None or other is None:
        held = one if other is None else other
        return held is None or not held.numerators.any()
    return bool(one.compared("=", other).all())


def _aligned(numbers: Sequence[Exact]) -> tuple[Integers, int]:
    """Several arrays over one denominator."""
    denominator = int(np.lcm.reduce([each.denominator for each in numbers], dtype=object))
    return np.stack([each.over(denominator) for each in numbers]), denominator


def _varies(grid: Integers, axis: int) -> BoolArray:
    """bool[rows]: whether a row's contribution changes along an axis."""
    first = np.take(grid, [0], axis=axis)
    rows = grid.shape[-1]
    return np.asarray((grid != first).reshape(-1, rows).any(axis=0), dtype=np.bool_)
