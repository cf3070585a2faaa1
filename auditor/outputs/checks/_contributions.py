"""What each record, or unit, contributes to a sum: exact numbers over one common denominator."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.classes import IntArray
from auditor.errors import NotEvaluated
from auditor.outputs.published.conditions import Group
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.values import sum_slack

Numerators = NDArray[Any]
_FITS = 2**62


class Contributions:
    """The values of a column of the data, added up for each unit where the policy counts these.

    A record without a value contributes nothing and is no contributor.

    Raises:
        NotEvaluated: the column has values that are not numbers.
    """

    def __init__(self, counts: Counts, column: str) -> None:
        self._counts = counts
        labels, self._codes = counts.column(column)
        self._roundoff = counts.roundoff(column)
        numbers = counts.amounts(column)
        if any(number is None and label is not None for number, label in zip(numbers, labels, strict=True)):
            raise NotEvaluated(f"column {column!r} is added up and holds values that are not numbers")
        self.denominator = lcm(*(number.denominator for number in numbers if number is not None))
        scaled = [0 if number is None else int(number * self.denominator) for number in numbers]
        small = max(map(abs, scaled), default=0) * max(counts.records, 1) < _FITS
        self._numerators: Numerators = np.array(scaled, dtype=np.int64 if small else object)
        self._given = np.array([label is not None for label in labels], dtype=np.bool_)
        self._units = None if counts.unit is None else counts.column(counts.unit)[1]

    @property
    def negative(self) -> bool:
        """Whether any value is below 0."""
        return bool((self._numerators < 0).any())

    def by_record(self, group: Group) -> Numerators:
        """The values of a group's records, as numerators."""
        values: Numerators = self._numerators[self._codes[self._rows(group)]]
        return values

    def of(self, group: Group) -> Numerators:
        """The contributions to the sum of a group, one for each unit, as numerators."""
        return self.of_rows(self._counts.members(group))

    def of_rows(self, members: IntArray) -> Numerators:
        """The contributions of some rows to their sum, one for each unit, as numerators."""
        return self.by_unit(members)[1]

    def by_unit(self, members: IntArray) -> tuple[IntArray, Numerators]:
        """Who contributes to the sum of some rows, by number, and the contributions as numerators."""
        rows = members[self._given[self._codes[members]]]
        values: Numerators = self._numerators[self._codes[rows]]
        if self._units is None:
            return rows, values
        units, place = np.unique(self._units[rows], return_inverse=True)
        sums = np.zeros(len(units), dtype=values.dtype)
        np.add.at(sums, place, values)
        return units.astype(np.int64), sums

    def slack(self, group: Group) -> Fraction:
        """How far a sum over a group may be from the exact one where floats were added up (`sum_slack`)."""
        values = self.by_record(group)
        return sum_slack(len(values), Fraction(int(np.abs(values).sum()), self.denominator), self._roundoff)

    def _rows(self, group: Group) -> IntArray:
        rows = self._counts.members(group)
        return rows[self._given[self._codes[rows]]]

    def number(self, numerator: Any) -> Fraction:
        """The number that a numerator stands for."""
        return Fraction(int(numerator), self.denominator)
