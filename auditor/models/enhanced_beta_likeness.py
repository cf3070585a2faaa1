"""Enhanced β-likeness: relative gains are bounded by β, and by −ln q for values that are frequent anyway."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from auditor.classes import ClassTable, FloatArray
from auditor.direction import Stricter
from auditor.models._base import TOLERANCE, SensitiveModel
from auditor.models._cells import cells_of, gains
from auditor.result import Kind
from auditor.spec import Spec


class EnhancedBetaLikeness(SensitiveModel):
    """Every relative gain is at most min(β, −ln q_i).

    The number of a class is the smallest β with (p_i − q_i)/q_i ≤ min(β, −ln q_i) for every value with p_i > q_i:
    the largest relative gain, or +∞ where some gain exceeds −ln q_i and no β helps: in [0, +∞], smaller is safer. A
    class satisfies the model when the number ≤ beta. Logarithms are irrational: within a relative tolerance of 1e-9
    a number counts as equal to its bound.

    It bounds p_i/q_i, which convex combinations keep, so merging keeps the model; suppression is not monotone with it.
    """

    model: Literal["enhanced-beta-likeness"] = "enhanced-beta-likeness"
    beta: Annotated[float, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        gt=0, description="The largest relative gain."
    )

    SOURCE = "J. Cao, P. Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012"
    EXAMPLE = "{model: enhanced-beta-likeness, beta: 2, sensitive: diagnosis}"
    comparison = "<="
    bound_field = "beta"
    reads_reference = True
    tolerance = TOLERANCE

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: the smallest β that each class satisfies."""
        cells = cells_of(classes)
        gain = gains(cells)
        with np.errstate(divide="ignore"):
            ceiling = -np.log(cells.reference)
        hopeless = gain > ceiling * (1 + TOLERANCE) + TOLERANCE
        return cells.max(np.where(hopeless & (gain > 0), np.inf, gain))
