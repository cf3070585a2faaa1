"""δ-disclosure privacy: every sensitive value's log-probability changes little from the table to a class."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from auditor.classes import ClassTable, FloatArray
from auditor.direction import Stricter
from auditor.models._base import TOLERANCE, SensitiveModel
from auditor.models._cells import cells_of
from auditor.result import Kind
from auditor.spec import Spec


class DeltaDisclosure(SensitiveModel):
    """Seeing the class changes the log-probability of every sensitive value by less than δ, up or down.

    The number of a class is max over the values i of |ln(p_i/q_i)|, +∞ when a value of the reference table is absent
    from the class (or the class has one that the table lacks): in [0, +∞], smaller is safer; 0 means p = q. A class
    satisfies the model when the number is below delta, strictly. Absent values count: skipping them, as some tools
    do, gives a model that merging breaks. Within a relative tolerance of 1e-9 of delta a number counts as equal to it.

    It bounds p_i/q_i from both sides, which convex combinations keep, so merging keeps the model; suppression is not
    monotone with it.
    """

    model: Literal["delta-disclosure"] = "delta-disclosure"
    delta: Annotated[float, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        gt=0, description="The bound of the absolute log-ratio."
    )

    SOURCE = "J. Brickell, V. Shmatikov, The cost of privacy: destruction of data-mining utility, KDD 2008"
    EXAMPLE = "{model: delta-disclosure, delta: 1.5, sensitive: diagnosis}"
    comparison = "<"
    bound_field = "delta"
    reads_reference = True
    tolerance = TOLERANCE

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: the largest absolute log-ratio of each class."""
        cells = cells_of(classes)
        with np.errstate(divide="ignore"):
            ratios = np.abs(np.log(cells.share) - np.log(cells.reference))
        present = cells.sum((cells.reference > 0).astype(np.int64))
        complete = present == np.count_nonzero(cells.domain.reference)
        return np.where(complete, cells.max(ratios), np.inf)
