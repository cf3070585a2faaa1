"""Entropy ℓ-diversity: the sensitive values of every class are as uncertain as ℓ equally frequent ones."""

from math import ceil
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from auditor.classes import ClassTable, FloatArray
from auditor.direction import Stricter
from auditor.models._base import TOLERANCE, SensitiveModel
from auditor.models._cells import cells_of
from auditor.result import Kind
from auditor.spec import Spec


class EntropyLDiversity(SensitiveModel):
    """The entropy of the sensitive values of every class is at least ln ℓ.

    The number of a class is exp(−Σ p_i ln p_i), the effective number of values, computed as n·exp(−Σ r_i ln r_i / n)
    for counts r_i with sum n: a real number in [1, m], larger is safer; 1 means one value, m that all m values are
    equally frequent. A class satisfies the model when that number ≥ l. The number is irrational in general; within a
    relative tolerance of 1e-9 of l it counts as equal, so three equally frequent values pass l: 3.

    Entropy is concave, so merging keeps the model; suppression is not monotone with it. Counting rows it implies
    |E| ≥ l.
    """

    model: Literal["entropy-l-diversity"] = "entropy-l-diversity"
    l: Annotated[float, Stricter.HIGHER, Spec(Kind.OF_CLASS, people=False)] = Field(  # noqa: E741
        ge=1, description="The least effective number of values, a real."
    )

    SOURCE = (
        "A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam, ℓ-diversity: privacy beyond k-anonymity, "
        "ICDE 2006; C. C. Aggarwal, Data Mining: The Textbook, Springer, 2015, eq. 20.10"
    )
    EXAMPLE = "{model: entropy-l-diversity, l: 2.5, sensitive: diagnosis}"
    bound_field = "l"
    tolerance = TOLERANCE

    @property
    def least_size(self) -> int:
        """An effective number of ℓ values takes ℓ values, so ⌈ℓ⌉ records (less the tolerance)."""
        return ceil(self.l * (1 - TOLERANCE))

    @property
    def least_distinct(self) -> int:
        """The entropy of m values is at most ln m (Jensen), so m ≥ ℓ less the tolerance; twice, for its rounding."""
        return ceil(self.l * (1 - 2 * TOLERANCE))

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: exp of the entropy of each class."""
        cells = cells_of(classes)
        totals = cells.totals
        weighted = cells.sum(cells.counts * np.log(cells.counts)) / totals
        numbers: FloatArray = np.maximum(totals * np.exp(-weighted), 1.0)
        return numbers
