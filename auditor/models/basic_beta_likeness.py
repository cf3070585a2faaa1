"""Basic β-likeness: no sensitive value gains too much in a class, relative to its share of the table."""

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from auditor.classes import ClassTable, FloatArray
from auditor.direction import Stricter
from auditor.models._base import SensitiveModel
from auditor.models._cells import cells_of, gains
from auditor.result import Kind
from auditor.spec import Spec


class BasicBetaLikeness(SensitiveModel):
    """Seeing the class raises the attacker's belief in any sensitive value by at most a factor 1 + β.

    The number of a class is max over the values with p_i > q_i of (p_i − q_i)/q_i, the largest relative gain: in
    [0, +∞], smaller is safer; 0 means that nothing is gained, +∞ that the class has a value which the reference table
    lacks. A class satisfies the model when the number ≤ beta, decided on integers.

    It bounds p_i/q_i, which convex combinations keep, so merging keeps the model; suppression is not monotone with it.
    """

    model: Literal["basic-beta-likeness"] = "basic-beta-likeness"
    beta: Annotated[float, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        gt=0, description="The largest relative gain."
    )

    SOURCE = "J. Cao, P. Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012"
    EXAMPLE = "{model: basic-beta-likeness, beta: 2, sensitive: diagnosis}"
    comparison = "<="
    bound_field = "beta"
    reads_reference = True

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: the largest relative gain of each class."""
        cells = cells_of(classes)
        return cells.max(gains(cells))

    def exact(self, classes: ClassTable, index: int) -> Fraction:
        """The largest relative gain as a ratio of counts; only asked where it is finite."""
        cells = cells_of(classes)
        size = int(cells.totals[index])
        shares = [
            Fraction(count * cells.domain.total, size * int(cells.domain.reference[value])) - 1
            for value, count in cells.class_counts(index)
        ]
        return max(Fraction(0), *shares)
