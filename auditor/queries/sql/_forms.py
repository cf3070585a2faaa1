"""Answers as linear forms over the profiles, while a statement adds, subtracts and divides them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.queries._query import Linear, Public, Quantity, Weights
from auditor.queries.values.exact import Integers, largest
from auditor.queries.values.values import Refusal

MAX_WEIGHT = 2**62
"""Weights are kept in machine words."""


@dataclass(frozen=True)
class Form:
    """constant + Σ over terms of factor · Σ weights[p] · q: an answer to one group.

    `terms` maps a quantity to its weights (bool or integers, one per profile) and their factor. `whole` says that the
    answer is an integer to the database, which then divides it as one. `counts`: see `Linear`. `said` is one that the
    number says itself, as long as nothing else comes to it: without the constant it is 0 only where nobody contributes.
    """

    terms: Mapping[Quantity, tuple[NDArray[Any], Fraction]] = field(default_factory=dict)
    constant: Fraction = Fraction(0)
    whole: bool = False
    counts: tuple[Form, ...] = ()
    said: Form | None = None

    @property
    def is_public(self) -> bool:
        """Whether it says nothing about an unknown."""
        return not self.terms and not self.counts

    def __add__(self, other: Form) -> Form:
        terms = dict(self.terms)
        for quantity, (weights, factor) in other.terms.items():
            terms[quantity] = _added(terms[quantity], (weights, factor)) if quantity in terms else (weights, factor)
        kept = {quantity: term for quantity, term in terms.items() if term[0].any()}
        both = bool(self.terms and other.terms)
        counts = _once((*self.counts, *other.counts, *((self.said, other.said) if both else ())))
        said = None if both else self.said or other.said
        return Form(kept, self.constant + other.constant, self.whole and other.whole, counts, said)

    def times(self, number: Fraction, *, whole: bool = False) -> Form:
        """The form times a number."""
        terms = {quantity: (weights, factor * number) for quantity, (weights, factor) in self.terms.items()}
        whole = self.whole and whole
        if not number:
            return Form({}, Fraction(0), whole, _once((*self.counts, self.said)))
        return Form(terms, self.constant * number, whole, self.counts, self.said)

    def unless_nobody(self, count: Form | None, *, said: bool = False) -> Form:
        """The same, but NULL where the rows that contribute come to none; which the number may have `said`."""
        if said and self.terms:
            return replace(self, said=count)
        return replace(self, counts=_once((*self.counts, count)))

    def asked(self) -> Linear | Public:
        """What it asks, with one scale for all its weights."""
        if self.is_public:
            return Public()
        counts = tuple(each for count in self.counts if isinstance(each := count.asked(), Linear))
        if not self.terms:
            return Linear({}, Fraction(1), self.constant, counts)
        factors = [factor for _, factor in self.terms.values()]
        scale = Fraction(
            math.gcd(*(factor.numerator for factor in factors)), math.lcm(*(factor.denominator for factor in factors))
        )
        if all(factor < 0 for factor in factors):
            scale = -scale
        weights = {
            quantity: Weights.of(_whole_weights(held, factor / scale))
            for quantity, (held, factor) in self.terms.items()
        }
        return Linear(weights, scale, self.constant, counts)


def _once(counts: Sequence[Form | None]) -> tuple[Form, ...]:
    """Counts without those that say what an earlier one does."""
    found: list[Form] = []
    for count in counts:
        if count is not None and not any(_equal(count, other) for other in found):
            found.append(count)
    return tuple(found)


def _equal(one: Form, other: Form) -> bool:
    if one.constant != other.constant or one.terms.keys() != other.terms.keys():
        return False
    pairs = [(one.terms[quantity], other.terms[quantity]) for quantity in one.terms]
    return all(left[1] == right[1] and np.array_equal(left[0], right[0]) for left, right in pairs)


def _added(one: tuple[Integers, Fraction], other: tuple[Integers, Fraction]) -> tuple[Integers, Fraction]:
    denominator = math.lcm(one[1].denominator, other[1].denominator)
    left, right = (_whole_weights(weights, factor * denominator) for weights, factor in (one, other))
    return left.astype(np.int64) + right.astype(np.int64), Fraction(1, denominator)


def _whole_weights(weights: NDArray[Any], factor: Fraction) -> NDArray[Any]:
    """Weights times an integer, in machine words."""
    if factor == 1 and weights.dtype == np.bool_:
        return weights
    integers = weights.astype(np.int64) if weights.dtype == np.bool_ else weights
    if largest(integers) * abs(factor.numerator) >= MAX_WEIGHT:
        raise Refusal("number-too-large")
    found: NDArray[Any] = integers.astype(np.int64) * factor.numerator
    return found
