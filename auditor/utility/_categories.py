"""Two tables' variables of categories, in codes that mean the same in both."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError
from auditor.microdata import Categorical, Microdata

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Aligned:
    """One variable of both tables: int64 codes into `labels`, the original's first; len(labels) is missing."""

    name: str
    before: Codes
    after: Codes
    labels: tuple[str, ...]
    ordered: bool
    original: int
    """How many of the labels are the original's; they are in the attribute's order where `ordered`."""

    @property
    def missing(self) -> int:
        """The code of a missing category."""
        return len(self.labels)

    @property
    def categories(self) -> int:
        """How many categories the variable has in either table; missing is one where it occurs."""
        return len(self.labels) + int((self.before == self.missing).any() or (self.after == self.missing).any())

    def rows(self, rows: NDArray[np.intp]) -> Aligned:
        """The same of some records."""
        return replace(self, before=self.before[rows], after=self.after[rows])


def align(before: Categorical, after: Categorical) -> Aligned:
    """The two columns in common codes; labels that only the masked column has come last."""
    place = {label: code for code, label in enumerate(before.labels)}
    for label in after.labels:
        place.setdefault(label, len(place))
    own = np.array([place[label] for label in after.labels] + [len(place)], np.int64)
    codes = np.where(before.missing, len(place), before.codes).astype(np.int64)
    # The code of what is missing, −1, is the last place of `own`.
    return Aligned(before.name, codes, own[after.codes], tuple(place), before.ordered, len(before.labels))


def categories(original: Microdata, masked: Microdata, *, same_records: bool) -> tuple[Aligned, ...]:
    """The original's variables of categories beside the masked ones.

    Raises:
        DataError: no records or no such variable in the original; one that the masked table lacks or holds as numbers;
            where `same_records`, other records.
    """
    known = [variable for variable in original.variables if isinstance(variable, Categorical)]
    if not known:
        raise DataError("the table has no column of categories, so there is no loss of categories to measure")
    if not original.records:
        raise DataError("the table has no records, so there is no loss to measure")
    if same_records and masked.records != original.records:
        raise DataError(
            f"the masked table has {masked.records} records and the original {original.records}; row i must be the "
            "same record"
        )
    return tuple(align(variable, _categorical(masked, variable.name)) for variable in known)


def _categorical(masked: Microdata, name: str) -> Categorical:
    variable = masked[name]
    if not isinstance(variable, Categorical):
        raise DataError(f"column {name!r} of the masked table holds numbers, where the original's holds categories")
    return variable
