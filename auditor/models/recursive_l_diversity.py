"""Recursive (c, ℓ)-diversity: the most frequent sensitive value is not too frequent against the tail."""

from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from auditor.classes import Cells, ClassTable, FloatArray, IntArray
from auditor.direction import Stricter
from auditor.models._base import SensitiveModel
from auditor.models._cells import cells_of
from auditor.result import Kind
from auditor.spec import Spec


class RecursiveLDiversity(SensitiveModel):
    """In every class r₁ < c·(r_ℓ + r_{ℓ+1} + … + r_m), counts sorted so that r₁ is the largest.

    The number of a class is r₁ / (r_ℓ + … + r_m), +∞ when it has fewer than ℓ distinct values: in (0, +∞], smaller
    is safer. A class satisfies the model when the number is below c, strictly, decided on integers. Counts 10, 1, 1
    give 10 for ℓ = 3 and 5 for ℓ = 2.

    Merging keeps the model; suppression is not monotone with it. Counting rows it implies |E| ≥ l.
    """

    model: Literal["recursive-l-diversity"] = "recursive-l-diversity"
    c: Annotated[float, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        gt=0, description="How much the most frequent value may outweigh the tail."
    )
    l: Annotated[int, Stricter.HIGHER] = Field(ge=1, description="Where the tail begins, counted from 1.")  # noqa: E741

    SOURCE = (
        "A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam, ℓ-diversity: privacy beyond k-anonymity, "
        "ICDE 2006; C. C. Aggarwal, Data Mining: The Textbook, Springer, 2015, def. 20.3.4"
    )
    EXAMPLE = "{model: recursive-l-diversity, c: 4, l: 3, sensitive: diagnosis}"
    comparison = "<"
    bound_field = "c"
    counts_over_counts = True

    @property
    def least_size(self) -> int:
        """ℓ distinct values take ℓ records."""
        return self.l

    @property
    def least_distinct(self) -> int:
        """With fewer than ℓ distinct values the tail r_ℓ + … is empty and the number +∞, which is below no c."""
        return self.l

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: r₁ over the tail of each class."""
        cells = cells_of(classes)
        tail = self._tail(cells)
        numbers = np.full(len(classes), np.inf)
        np.divide(cells.max(cells.counts), tail, out=numbers, where=tail > 0)
        return numbers

    def exact(self, classes: ClassTable, index: int) -> Fraction:
        """r₁ over the tail as a ratio of counts; only asked where the tail is not empty."""
        counts = sorted((count for _, count in cells_of(classes).class_counts(index)), reverse=True)
        return Fraction(counts[0], sum(counts[self.l - 1 :]))

    def _tail(self, cells: Cells) -> IntArray:
        """int64[n]: r_ℓ + … + r_m of each class."""
        above = int(cells.counts.max(initial=0)) + 1
        descending = cells.owner * above + (above - cells.counts)  # one sort: by class, then by falling count
        descending.sort()
        position = np.arange(len(descending)) - cells.starts[cells.owner]
        return cells.sum(np.where(position >= self.l - 1, above - descending % above, 0))
