"""Microaggregation: records become the mean of a group of at least k that are alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from auditor.direction import Stricter
from auditor.masking._base import Method
from auditor.masking._centroids import centroids
from auditor.masking._variants import BY_COLUMN, VARIANTS
from auditor.microdata import Microdata


class Microaggregation(Method):
    """Replace the values of each record by the centre of a group of k to 2k − 1 records that are alike.

    Numbers are standardised for the distances and replaced by the group's mean, so the mean of a column is kept.

    - mdav: the record farthest from the mean of all forms a group with its nearest, then the one farthest from it, and
      so on. Categories are equal (distance 0) or not (1) and become the group's mode (ties: the first label); ordered
      ones are as far apart as their codes, divided by the range of the codes, and become the lower median.
    - principal-component, z-scores, first: the records in the order of their score on the first principal component, of
      the sum of their standardised values, or of the block's first column, cut into the runs that lose least of all
      columns together. Numbers alone.
    - individual-ranking: each column by itself, sorted, in groups of k. Numbers and ordered categories.
    - optimal: each column by itself, in the groups that lose least. Numbers alone.

    Without `group` all columns form groups together, and each combination of their values is then held by at least k
    records. With `group` the columns are cut in the table's order into blocks of that many, each with groups of its
    own; columns left over at the end join the last block (13 columns by 4: 4, 4 and 5). k then holds for each block
    alone, not for the record, as it does for each column alone where columns are aggregated by themselves.

    A missing value has no distance and no place in an order, and is refused. Ties go to the record of the lowest row; a
    column of one value counts for nothing.
    """

    method: Annotated[Literal["microaggregation"], Stricter.REVIEW] = "microaggregation"
    k: Annotated[int, Stricter.HIGHER] = Field(ge=2, description="The least size of a group.")
    group: Annotated[int | None, Stricter.REVIEW] = Field(
        None, ge=1, description="How many columns are aggregated together; all by default."
    )
    variant: Annotated[
        Literal["mdav", "individual-ranking", "optimal", "principal-component", "z-scores", "first"], Stricter.REVIEW
    ] = Field("mdav", description="How the groups are found.")

    SOURCE: ClassVar[str] = (
        "J. Domingo-Ferrer, V. Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation, Data "
        "Mining and Knowledge Discovery 11, 2005; S. L. Hansen, S. Mukherjee, A polynomial algorithm for optimal "
        "univariate microaggregation, IEEE Transactions on Knowledge and Data Engineering 15, 2003; J. Domingo-Ferrer, "
        "J. M. Mateo-Sanz, Practical data-oriented microaggregation for statistical disclosure control, IEEE "
        "Transactions on Knowledge and Data Engineering 14, 2002"
    )
    EXAMPLE: ClassVar[str] = "{attributes: [income, wealth, age], method: microaggregation, k: 5}"

    @model_validator(mode="after")
    def _columns_together(self) -> Self:
        if self.variant in BY_COLUMN and self.group not in (None, 1):
            raise ValueError(f"variant {self.variant} aggregates each column by itself, so it has no group")
        return self

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:  # noqa: ARG002
        """The table with the centres of the groups in place of the values."""
        return data.replaced(
            centroids(data[name], groups) for names, groups in self.groups(data).items() for name in names
        )

    def groups(self, data: Microdata) -> dict[tuple[str, ...], NDArray[np.int32]]:
        """The partitions: of each block of columns the number of each record's group, int32[n], from 0.

        Raises:
            DataError: a column is not there or has missing values, or there are fewer than k records.
        """
        return {names: VARIANTS[self.variant](data.only(names), self.k) for names in self._blocks(data)}

    def _blocks(self, data: Microdata) -> Iterator[tuple[str, ...]]:
        chosen = set(data.only(self.attributes).names)
        names = tuple(name for name in data.names if name in chosen)
        width = 1 if self.variant in BY_COLUMN else self.group or len(names)
        blocks = max(len(names) // width, 1)
        for block in range(blocks):
            yield names[block * width : (block + 1) * width if block + 1 < blocks else None]
