"""Local suppression: single key values become missing until every combination of keys has at least k records."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from auditor.direction import Stricter
from auditor.errors import DataError, InternalError
from auditor.masking import _suppress_by_value, _suppress_by_wildcard
from auditor.masking._base import Method
from auditor.masking._key_groups import keys_of, sizes_by_value, sizes_by_wildcard
from auditor.microdata import MISSING, Categorical, Microdata, Numeric, Variable

MOST = 12
"""Key columns: all 2^12 sets of them are looked at."""


class LocalSuppression(Method):
    """Suppress few cells of the keys (the attributes) so that every record's group has at least k records.

    The group of a record is, with `missing` as in a policy:

    - value: the records with the same keys, a missing one being equal to a missing one and to nothing else;
    - wildcard: the records with the same keys wherever neither record's is missing.

    A group by value lies within the group by wildcard, so `value` is the safe choice; it suppresses more. What a cell
    costs is 1, or what `importance` says of its column. Finding the least cost is NP-hard; this looks for little of it,
    never for more than suppressing all keys of every record whose group is too small, and counts the groups again when
    done. Nothing is random: the generator is not used.

    Missing keys stay missing and cost nothing. Numbers are equal when they are exactly equal. Constant columns and ties
    are no special cases.

    Raises:
        DataError: fewer than k records; more than 12 key columns; importance of a column that is not masked.
    """

    method: Annotated[Literal["local-suppression"], Stricter.REVIEW] = "local-suppression"
    k: Annotated[int, Stricter.HIGHER] = Field(ge=2, description="The least size of a group.")
    missing: Annotated[Literal["value", "wildcard"], Stricter.HIGHER] = Field(
        "value", description="What a missing key agrees with: a missing one, or every value."
    )
    importance: Annotated[dict[str, float], Stricter.UTILITY] = Field(
        default_factory=dict, description="The cost of suppressing one value of a column; 1 by default."
    )

    SOURCE: ClassVar[str] = (
        "M. Templ, A. Kowarik, B. Meindl, Statistical Disclosure Control for Micro-Data Using the R Package sdcMicro, "
        "Journal of Statistical Software 67(4), 2015, section 4.1"
    )
    EXAMPLE: ClassVar[str] = "{attributes: [zip, age, sex], method: local-suppression, k: 3, importance: {sex: 5}}"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not all(cost > 0 for cost in self.importance.values()):
            raise ValueError("importance is above 0")
        return self

    def suppressible(self, data: Microdata) -> NDArray[np.bool_]:
        """Every record."""
        return np.ones(data.records, np.bool_)

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:  # noqa: ARG002
        """The table with suppressed keys."""
        names = tuple(dict.fromkeys(self.attributes))
        self._check(names, data.records)
        keys = keys_of(data, names)
        costs = np.array([self.importance.get(name, 1.0) for name in names])
        way, sizes = (
            (_suppress_by_value.suppressed, sizes_by_value)
            if self.missing == "value"
            else (_suppress_by_wildcard.suppressed, sizes_by_wildcard)
        )
        cells = way(keys, self.k, costs)
        if sizes(np.where(cells, 0, keys)).min(initial=self.k) < self.k:
            raise InternalError("local suppression left a group of fewer than k records")
        return data.replaced(
            [_without(data[name], gone) for name, gone in zip(names, cells.T, strict=True)],
        )

    def _check(self, names: tuple[str, ...], records: int) -> None:
        if 0 < records < self.k:
            raise DataError(f"fewer than k = {self.k} records, so no suppression makes groups of k; use a smaller k")
        if len(names) > MOST:
            raise DataError(f"{len(names)} key columns; local suppression takes at most {MOST}")
        unknown = sorted(self.importance.keys() - set(names))
        if unknown:
            raise DataError(f"importance names column {unknown[0]!r}, which is not among the masked ones")


def _without(column: Variable, gone: NDArray[np.bool_]) -> Variable:
    """The column with some of its values missing."""
    if isinstance(column, Numeric):
        return Numeric(column.name, np.where(gone, np.nan, column.values))
    codes = np.where(gone, np.int32(MISSING), column.codes)
    return Categorical(column.name, codes, column.labels, column.ordered)
