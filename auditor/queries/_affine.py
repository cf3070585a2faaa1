"""Expressions that are affine in protected numbers: an offset plus public coefficients times unknowns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from auditor.classes import BoolArray, IntArray
from auditor.queries._asked import Quantity
from auditor.queries._exact import Exact
from auditor.queries._values import Numbers, Refusal

ZERO = Exact.constant(0)


@dataclass(frozen=True)
class Affine:
    """offset + Σ parts[q] · q on every row; each array has the rows' length, or 1 for a constant.

    `null` marks the rows where the expression is missing. `unsure` are the protected columns of which nobody knows
    what is missing: the expression is missing where they are. `whole` says that its values are integers.
    """

    parts: Mapping[Quantity, Exact]
    offset: Exact = ZERO
    null: BoolArray | None = None
    unsure: frozenset[str] = field(default_factory=frozenset)
    whole: bool = False

    def __add__(self, other: Affine) -> Affine:
        parts = dict(self.parts)
        for quantity, factor in other.parts.items():
            parts[quantity] = parts[quantity] + factor if quantity in parts else factor
        if self.unsure != other.unsure and (self.unsure or other.unsure):
            raise Refusal("null-not-public")  # a sum is missing where either is: no longer linear
        null = _either(self.null, other.null)
        return Affine(parts, self.offset + other.offset, null, self.unsure, self.whole and other.whole)

    def times(self, factor: Exact, null: BoolArray | None = None, *, whole: bool = False) -> Affine:
        """Each row times a public number, missing where that is."""
        parts = {quantity: each * factor for quantity, each in self.parts.items()}
        return Affine(parts, self.offset * factor, _either(self.null, null), self.unsure, self.whole and whole)

    def at(self, rows: IntArray) -> Affine:
        """The expression on some rows, on which it is not missing."""

        def taken(exact: Exact) -> Exact:
            return exact if len(exact.numerators) == 1 else exact.at(rows)

        parts = {quantity: taken(each) for quantity, each in self.parts.items()}
        return Affine(parts, taken(self.offset), None, self.unsure, self.whole)

    @property
    def is_public(self) -> bool:
        """Whether no unknown is left."""
        return not self.parts


def affine(numbers: Numbers) -> Affine:
    """Public numbers (of the rows, or a constant) as an expression without unknowns."""
    return Affine({}, numbers.exact, numbers.null, whole=numbers.integer)


def unknown(quantity: Quantity, null: BoolArray | None, *, unsure: bool, whole: bool) -> Affine:
    """A protected column itself."""
    held = frozenset((quantity.attribute,)) if unsure else frozenset()
    return Affine({quantity: Exact.constant(1)}, ZERO, null, held, whole)


def chosen(condition: BoolArray, one: Affine, other: Affine) -> Affine:
    """One expression where the condition holds, the other elsewhere."""
    if one.unsure != other.unsure and not (_never_null(one) or _never_null(other)):
        raise Refusal("null-not-public")
    parts = {
        quantity: one.parts.get(quantity, ZERO).where(condition, other.parts.get(quantity, ZERO))
        for quantity in dict.fromkeys((*one.parts, *other.parts))
    }
    null = None
    if one.null is not None or other.null is not None:
        null = np.where(condition, _mask(one.null), _mask(other.null))
    unsure = one.unsure | other.unsure
    return Affine(parts, one.offset.where(condition, other.offset), null, unsure, one.whole and other.whole)


def _never_null(expression: Affine) -> bool:
    """Whether an expression is missing everywhere or nowhere, so that nobody's missing values hide in it."""
    return not expression.unsure


def _mask(null: BoolArray | None) -> BoolArray:
    return np.array([False]) if null is None else null


def _either(one: BoolArray | None, other: BoolArray | None) -> BoolArray | None:
    if one is None or other is None:
        return other if one is None else one
    return np.logical_or(one, other)
