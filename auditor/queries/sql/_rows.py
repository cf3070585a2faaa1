"""Where values on different frames meet: on the rows, with SQL's three truth values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.classes import BoolArray, IntArray
from auditor.queries.values.exact import Exact
from auditor.queries.values.values import (
    CONSTANT,
    ROWS,
    TRUE,
    UNKNOWN,
    ColumnValue,
    Levels,
    Null,
    Refusal,
    TextValues,
    Truth,
    Value,
    Word,
    constant,
    read,
    readings,
)


@dataclass(frozen=True)
class Frames:
    """The rows that expressions are worked out on: `codes` of frame k is int[n], its value on every row."""

    length: int
    codes: Callable[[int], IntArray | NDArray[np.int32]]

    def lift(self, array: NDArray[Any], frame: int) -> NDArray[Any]:
        """What stands on a frame, on the rows (a constant keeps its length 1)."""
        return array if frame in (ROWS, CONSTANT) else np.take(array, self.codes(frame))

    def full(self, array: NDArray[Any], frame: int) -> NDArray[Any]:
        """What stands on a frame, once per row."""
        return np.broadcast_to(array, self.length) if frame == CONSTANT else self.lift(array, frame)

    def meet(self, left: Any, right: Any) -> tuple[Any, Any, int]:
        """Two values on a frame that both have."""
        if left.frame == right.frame or CONSTANT in (left.frame, right.frame):
            return left, right, max(left.frame, right.frame)
        return self.lifted(left), self.lifted(right), ROWS

    def lifted(self, value: Any) -> Any:
        """A value on the rows."""
        if value.frame in (ROWS, CONSTANT):
            return value
        codes = self.codes(value.frame)
        if isinstance(value, Truth):
            return Truth(np.take(value.levels, codes), ROWS)
        if isinstance(value, TextValues):
            return TextValues(np.take(value.labels, codes), ROWS)
        null = None if value.null is None else np.take(value.null, codes)
        return replace(value, exact=value.exact.at(codes), null=null, frame=ROWS)

    def both(self, left: Truth, right: Truth) -> Truth:
        """AND."""
        left, right, frame = self.meet(left, right)
        return Truth(np.minimum(left.levels, right.levels), frame)

    def either(self, left: Truth, right: Truth) -> Truth:
        """OR."""
        left, right, frame = self.meet(left, right)
        return Truth(np.maximum(left.levels, right.levels), frame)

    def compare(self, operator: str, left: Value, right: Value) -> Truth:
        """``=``, ``<`` or ``<=`` in every way that both sides can be read; refused where these differ."""
        if isinstance(left, Null) or isinstance(right, Null):
            return Truth(np.array([UNKNOWN], dtype=np.uint8))
        kinds = [kind for kind in readings(left) if kind in readings(right)]
        if "text" in kinds and operator != "=":
            if "date" not in kinds:
                raise Refusal("text-order")
            kinds = [kind for kind in kinds if kind != "text"]  # of dates in ISO 8601, the order is the same
        if not kinds:
            raise Refusal("type-mismatch")
        found = [self._compare_as(operator, read(left, kind), read(right, kind)) for kind in kinds]
        if any(not self._same(found[0], other) for other in found[1:]):
            raise Refusal("ambiguous-type")
        return found[0]

    def _same(self, one: Truth, other: Truth) -> bool:
        one, other, _ = self.meet(one, other)
        return bool(np.all(one.levels == other.levels))

    def _compare_as(self, operator: str, left: Any, right: Any) -> Truth:
        if isinstance(left, TextValues):
            return self._same_text(left, right)
        if isinstance(left, Truth):
            left, right = read(left, "number"), read(right, "number")
        left, right, frame = self.meet(left, right)
        if (left.rounded or right.rounded) and _nearly_tied(left.exact, right.exact):
            raise Refusal("rounded-arithmetic")
        if len(left.exact.numerators) == 1 and len(right.exact.numerators) != 1:
            turned = {"=": "=", "<": "<=", "<=": "<"}[operator]
            holds = right.exact.compared(turned, left.exact)
            return _known(holds if operator == "=" else ~holds, left.null, right.null, frame)
        return _known(left.exact.compared(operator, right.exact), left.null, right.null, frame)

    def _same_text(self, left: TextValues, right: TextValues) -> Truth:
        if right.codes is not None and left.codes is None:
            left, right = right, left
        if left.codes is not None and right.frame == CONSTANT:
            levels = np.zeros(len(left.labels), dtype=np.uint8)
            if None in left.codes:
                levels[left.codes[None]] = UNKNOWN
            place = left.codes.get(right.labels[0])
            if right.labels[0] is None:
                levels[:] = UNKNOWN
            elif place is not None:
                levels[place] = TRUE
            return Truth(levels, left.frame)
        left, right, frame = self.meet(left, right)
        one, other = np.broadcast_arrays(left.labels, right.labels)
        missing = np.logical_or(_is_none(one), _is_none(other))
        return _known(np.asarray(one == other, dtype=np.bool_), missing, None, frame)


ROUNDING = 10**9
"""Sums and products in floating point are right to one part in it, and more."""


def _nearly_tied(left: Exact, right: Exact) -> bool:
    """Whether rounding could turn a comparison somewhere."""
    gap = left + -right
    sizes = Exact(abs(left.numerators), left.denominator) + Exact(abs(right.numerators), right.denominator)
    return bool(Exact(abs(gap.numerators), gap.denominator).scaled(Fraction(ROUNDING)).compared("<=", sizes).any())


def is_null(value: Value) -> Truth:
    """IS NULL: never unknown."""
    if isinstance(value, Null):
        return constant(truth=True)
    if isinstance(value, Word):
        return constant(truth=False)
    if isinstance(value, Truth):
        return _known(value.levels == UNKNOWN, None, None, value.frame)
    if isinstance(value, TextValues):
        return _known(_is_none(value.labels), None, None, value.frame)
    null = value.column.null if isinstance(value, ColumnValue) else value.null
    return constant(truth=False) if null is None else _known(null, None, None, value.frame)


def _is_none(labels: NDArray[Any]) -> BoolArray:
    return np.array([label is None for label in labels], dtype=np.bool_)


def truths(holds: BoolArray) -> Levels:
    """The levels of what is known to hold or not."""
    return holds.astype(np.uint8) * np.uint8(TRUE)


def negated(truth: Truth) -> Truth:
    """NOT."""
    return Truth(np.uint8(TRUE) - truth.levels, truth.frame)


def _known(holds: BoolArray, left: BoolArray | None, right: BoolArray | None, frame: int) -> Truth:
    """True or false, and unknown where either side is missing."""
    levels = truths(holds)
    for null in (left, right):
        if null is not None:
            levels, null = np.broadcast_arrays(levels, null)  # noqa: PLW2901
            levels = np.where(null, np.uint8(UNKNOWN), levels)
    return Truth(levels, frame)
