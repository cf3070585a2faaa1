"""Expressions that are affine in protected numbers: an offset plus public coefficients times unknowns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from auditor.classes import BoolArray, IntArray
from auditor.queries._query import Quantity
from auditor.queries.values.exact import Exact
from auditor.queries.values.values import Numbers, Refusal

ZERO = Exact.constant(0)
NOWHERE = np.array([False])


@dataclass(frozen=True)
class Affine:
    """offset + Σ parts[q] · q on every row; each array has the rows' length, or 1 for a constant.

    `null` marks the rows where the expression is missing. `unsure` names protected columns of which nobody knows what
    is missing, each with the rows (of their length, or 1) on which the expression is missing where that column is: also
    where its coefficient is 0. `whole` says that its values are integers.
    """

    parts: Mapping[Quantity, Exact]
    offset: Exact = ZERO
    null: BoolArray | None = None
    unsure: Mapping[str, BoolArray] = field(default_factory=dict)
    whole: bool = False

    def __add__(self, other: Affine) -> Affine:
        parts = dict(self.parts)
        for quantity, factor in other.parts.items():
            parts[quantity] = parts[quantity] + factor if quantity in parts else factor
        null = _either(self.null, other.null)
        unsure = {
            name: np.logical_or(self.unsure.get(name, NOWHERE), other.unsure.get(name, NOWHERE))
            for name in dict.fromkeys((*self.unsure, *other.unsure))
        }
        return Affine(parts, self.offset + other.offset, null, unsure, self.whole and other.whole)

    def times(self, factor: Exact, null: BoolArray | None = None, *, whole: bool = False) -> Affine:
        """Each row times a public number, missing where that is."""
        parts = {quantity: each * factor for quantity, each in self.parts.items()}
        return Affine(parts, self.offset * factor, _either(self.null, null), self.unsure, self.whole and whole)

    def at(self, rows: IntArray) -> Affine:
        """The expression on some rows, on which it is not missing."""

        def taken(exact: Exact) -> Exact:
            return exact if len(exact.numerators) == 1 else exact.at(rows)

        parts = {quantity: taken(each) for quantity, each in self.parts.items()}
        unsure = {name: mask if len(mask) == 1 else mask[rows] for name, mask in self.unsure.items()}
        return Affine(parts, taken(self.offset), None, unsure, self.whole)

    @property
    def is_public(self) -> bool:
        """Whether no unknown is left."""
        return not self.parts

    @property
    def may_be_missing(self) -> bool:
        """Whether it is missing on some row where a value is of which nobody knows that."""
        return any(bool(mask.any()) for mask in self.unsure.values())

    def missing_with(self, length: int) -> tuple[str, BoolArray] | None:
        """The one protected column with whose values it is missing, and bool[length]: on which of its rows.

        Raises:
            Refusal: it is missing with values of several columns, or holds other values: no longer linear.
        """
        held = {name: np.broadcast_to(mask, length) for name, mask in self.unsure.items() if mask.any()}
        if not held:
            return None
        (name, mask), *others = held.items()
        strange = (factor.numerators for quantity, factor in self.parts.items() if quantity.attribute != name)
        if others or any(bool(((numerators != 0) & mask).any()) for numerators in strange):
            raise Refusal("null-not-public")
        return name, mask


def affine(numbers: Numbers) -> Affine:
    """Public numbers (of the rows, or a constant) as an expression without unknowns."""
    return Affine({}, numbers.exact, numbers.null, whole=numbers.integer)


def unknown(quantity: Quantity, null: BoolArray | None, *, unsure: bool, whole: bool) -> Affine:
    """A protected column itself."""
    held = {quantity.attribute: np.array([True])} if unsure else {}
    return Affine({quantity: Exact.constant(1)}, ZERO, null, held, whole)


def chosen(condition: BoolArray, one: Affine, other: Affine) -> Affine:
    """One expression where the condition holds, the other elsewhere."""
    parts = {
        quantity: one.parts.get(quantity, ZERO).where(condition, other.parts.get(quantity, ZERO))
        for quantity in dict.fromkeys((*one.parts, *other.parts))
    }
    null = None
    if one.null is not None or other.null is not None:
        null = np.where(condition, _mask(one.null), _mask(other.null))
    unsure = {
        name: np.where(condition, one.unsure.get(name, NOWHERE), other.unsure.get(name, NOWHERE))
        for name in dict.fromkeys((*one.unsure, *other.unsure))
    }
    return Affine(parts, one.offset.where(condition, other.offset), null, unsure, one.whole and other.whole)


def _mask(null: BoolArray | None) -> BoolArray:
    return NOWHERE if null is None else null


def _either(one: BoolArray | None, other: BoolArray | None) -> BoolArray | None:
    if one is None or other is None:
        return other if one is None else one
    return np.logical_or(one, other)
