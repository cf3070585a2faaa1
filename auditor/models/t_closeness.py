"""t-closeness: the sensitive distribution of every class is close to that of the whole table."""

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field, model_validator

from auditor.block import FileReference
from auditor.classes import BoolArray, ClassTable, FloatArray, IntArray
from auditor.direction import Stricter
from auditor.models._base import TOLERANCE, SensitiveModel, beyond
from auditor.models._cells import cells_of
from auditor.models._distances import divergences, emd, transport
from auditor.result import Kind
from auditor.spec import Spec


class TCloseness(SensitiveModel):
    """The distance between every class's distribution p of the sensitive attribute and the table's q is at most t.

    The number of a class is Dist(p, q) ≥ 0, smaller is safer; 0 means that the class tells nothing. A class satisfies
    the model when the number ≤ t. `distance`:

    * ``variational``: ½ Σ |p_i − q_i|, in [0, 1];
    * ``kl``: Σ p_i (ln p_i − ln q_i) in nats, in [0, +∞];
    * ``js``: the Jensen-Shannon divergence in nats, in [0, ln 2];
    * ``emd``: the earth mover's distance. Its `ground` is ``equal`` (½ Σ |p_i − q_i|), ``ordered`` (ranks, normalized
      by m − 1), ``hierarchical`` (over the attribute's own hierarchy, normalized by its height) or ``matrix`` (an
      expert's costs, by linear programme). It defaults to ordered for numbers, else equal.

    Variational and the closed forms of EMD are ratios of counts, and decided as such at the bound; KL, JS and the
    matrix ground use a relative tolerance of 1e-9.

    Every distance is convex in p (Aggarwal, lemmas 20.3.3 and 20.3.4), so merging keeps the model while q is fixed;
    suppression is not monotone with it.
    """

    model: Literal["t-closeness"] = "t-closeness"
    t: Annotated[float, Stricter.LOWER, Spec(Kind.OF_CLASS, people=False)] = Field(
        ge=0, description="The largest distance."
    )
    distance: Annotated[Literal["variational", "kl", "js", "emd"], Stricter.REVIEW] = Field(
        "emd", description="How far two distributions are apart."
    )
    ground: Annotated[Literal["equal", "ordered", "hierarchical", "matrix"] | None, Stricter.REVIEW] = Field(
        None, description="The ground distance of emd; ordered for numbers and equal otherwise, by default."
    )
    matrix: Annotated[str | None, FileReference(), Stricter.REVIEW] = Field(
        None, description="CSV file with the expert's costs, for ground: matrix; rows and columns are named by value."
    )

    SOURCE = (
        "N. Li, T. Li, S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and ℓ-diversity, ICDE 2007; "
        "C. C. Aggarwal, Data Mining: The Textbook, Springer, 2015, section 20.3.3"
    )
    EXAMPLE = "{model: t-closeness, sensitive: diagnosis, t: 0.2, distance: emd, ground: hierarchical}"
    comparison = "<="
    bound_field = "t"
    reads_reference = True

    @model_validator(mode="after")
    def _ground_belongs_to_emd(self) -> "TCloseness":
        if self.ground is not None and self.distance != "emd":
            raise ValueError(f"ground belongs to distance: emd, not to distance: {self.distance}")
        if (self.ground == "matrix") != (self.matrix is not None):
            raise ValueError("ground: matrix and matrix: FILE go together")
        return self

    def ground_for(self, *, numeric: bool) -> str | None:
        """The ground distance that holds for an attribute, once it is known whether it is numeric."""
        if self.distance != "emd":
            return None
        return self.ground or ("ordered" if numeric else "equal")

    def measure(self, classes: ClassTable) -> FloatArray:
        """float64[n]: the distance of each class to the reference."""
        cells = cells_of(classes)
        ground = self.ground_for(numeric=cells.domain.numeric)
        measures = {
            "kl": divergences.kullback_leibler,
            "js": divergences.jensen_shannon,
            "ordered": emd.ordered,
            "hierarchical": emd.hierarchical,
            "matrix": transport.matrix,
        }
        return measures.get(ground or self.distance, divergences.variational)(cells)

    def exact(self, classes: ClassTable, index: int) -> Fraction | None:
        """The distance as a ratio of counts, where it is one."""
        cells = cells_of(classes)
        counts, domain = cells.class_counts(index), cells.domain
        ground = self.ground_for(numeric=domain.numeric)
        if ground == "ordered":
            return emd.exact_ordered(counts, domain)
        if ground == "hierarchical":
            return emd.exact_hierarchical(counts, domain)
        return emd.exact_variational(counts, domain.reference) if self._rational(domain.numeric) else None

    def violates(self, classes: ClassTable, numbers: FloatArray | IntArray) -> BoolArray:
        """bool[n]: which classes are too far from the reference."""
        if self._rational(cells_of(classes).domain.numeric):
            return super().violates(classes, numbers)
        return beyond(numbers, self.bound, self.comparison, TOLERANCE)

    def tolerance_for(self, *, numeric: bool) -> float | None:
        """The tolerance in force for an attribute."""
        return None if self._rational(numeric) else TOLERANCE

    def _rational(self, numeric: bool) -> bool:
        return self.distance == "variational" or self.ground_for(numeric=numeric) in {
            "equal",
            "ordered",
            "hierarchical",
        }
