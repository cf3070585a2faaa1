"""Global recoding: numbers become intervals, categories are merged, alike for all records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.hierarchies import STAR
from auditor.masking._base import Method
from auditor.microdata import MISSING, Categorical, Microdata, Numeric
from auditor.values import ALIKE, misspelled


class GlobalRecoding(Method):
    """Recode a column by one rule for all records: intervals of numbers, or groups of categories.

    - breaks b_1 < … < b_m: the m + 1 intervals x < b_1, b_i ≤ x < b_(i+1), x ≥ b_m.
    - bins: the same with breaks taken from each column's values: by width, min + (max − min) i/bins; by quantile, its
      i/bins quantiles (linear interpolation), i = 1 … bins − 1. Equal breaks are one break, so ties can leave fewer
      intervals. The outer intervals are open, so that neither minimum nor maximum is told.
    - groups: new label → labels that become it. Other labels stay.

    A recoded number is an ordered category. Its labels are those of interval ladders, ``<10``, ``[10, 20)``, ``>=20``,
    or as given; without any break it is ``*``. A label is there whether or not it occurs. A missing value stays
    missing.

    Raises:
        DataError: a column holds categories where numbers are recoded or the other way round; a group names a label
            that the column does not know, has gaps in the order of an ordered column, or is named like a label that
            stays; `labels` are not as many as the intervals.
    """

    method: Annotated[Literal["global-recoding"], Stricter.REVIEW] = "global-recoding"
    breaks: Annotated[tuple[float, ...] | None, Stricter.SUBSET] = Field(
        None, min_length=1, description="Where intervals of numbers begin, in ascending order."
    )
    bins: Annotated[int | None, Stricter.LOWER] = Field(
        None, ge=1, description="How many intervals, from each column's own values."
    )
    by: Annotated[Literal["width", "quantile"], Stricter.REVIEW] = Field(
        "width", description="bins: intervals of equal width, or of about as many records."
    )
    labels: Annotated[tuple[str, ...] | None, Stricter.REVIEW] = Field(
        None, min_length=1, description="The names of the intervals, in ascending order."
    )
    groups: Annotated[dict[str, tuple[str, ...]] | None, Stricter.REVIEW] = Field(
        None, min_length=1, description="New label → the labels that become it."
    )

    SOURCE: ClassVar[str] = "L. Willenborg, T. de Waal, Elements of Statistical Disclosure Control, 2001, section 1.4"
    EXAMPLE: ClassVar[str] = "{attributes: [age], method: global-recoding, breaks: [18, 40, 65]}"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if sum(each is not None for each in (self.breaks, self.bins, self.groups)) != 1:
            raise ValueError("one of breaks, bins and groups is needed")
        if any(high <= low for low, high in pairwise(self.breaks or ())):
            raise ValueError("breaks have to ascend")
        if self.by == "quantile" and self.bins is None:
            raise ValueError("by is for bins; give bins")
        labels = self.labels or ()
        if labels and self.groups is not None:
            raise ValueError("labels name intervals; groups have their own names")
        if len(set(labels)) < len(labels):
            raise ValueError("labels have to differ")
        merged = [label for group in (self.groups or {}).values() for label in group]
        if len(set(merged)) < len(merged) or not all((self.groups or {"": ("",)}).values()):
            raise ValueError("each label is in one group, and each group has labels")
        return self

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:  # noqa: ARG002
        """The table with recoded columns."""
        if self.groups is not None:
            groups = self.groups
            return data.replaced([_merged(data.categorical(name), groups) for name in self.attributes])
        return data.replaced([self._cut(data.numeric(name)) for name in self.attributes])

    def _cut(self, column: Numeric) -> Categorical:
        present = column.values[~column.missing]
        breaks = np.array(self.breaks) if self.breaks is not None else self._from(present)
        labels = self.labels or _interval_labels(breaks.tolist())
        if len(labels) != len(breaks) + 1:
            raise DataError(
                f"column {column.name!r} is cut into {len(breaks) + 1} intervals, and labels has {len(labels)} names; "
                "equal quantiles are one break"
            )
        codes = np.full(len(column.values), MISSING, np.int32)
        codes[~column.missing] = np.searchsorted(breaks, present, side="right")
        return Categorical(column.name, codes, tuple(labels), ordered=True)

    def _from(self, present: NDArray[np.float64]) -> NDArray[np.float64]:
        """The breaks between `bins` intervals of the values."""
        shares = np.arange(1, self.bins or 1) / (self.bins or 1)
        if not len(present) or present.min() == present.max():
            return np.empty(0)
        if self.by == "quantile":
            return np.unique(np.quantile(present, shares))
        return np.unique(present.min() * (1 - shares) + present.max() * shares)


def _interval_labels(breaks: Sequence[float]) -> list[str]:
    if not breaks:
        return [STAR]
    texts = [_text(number) for number in breaks]
    return [f"<{texts[0]}", *(f"[{low}, {high})" for low, high in pairwise(texts)), f">={texts[-1]}"]


def _text(number: float) -> str:
    """The shortest text that is this number: 18, not 18.0."""
    return repr(number).removesuffix(".0")


def _merged(column: Categorical, groups: Mapping[str, Sequence[str]]) -> Categorical:
    """The column with the labels of each group under the group's name, at the place of the first of them."""
    unknown = sorted({label for group in groups.values() for label in group} - set(column.labels))
    if unknown:
        raise DataError(f"column {column.name!r} has no category {unknown[0]!r}, which groups names; use its labels")
    named = {label: name for name, group in groups.items() for label in group}
    present = column.codes[column.codes != MISSING]
    _, other = misspelled(list(named), [column.labels[code] for code in np.unique(present)], named)
    if other:
        raise DataError(
            f"column {column.name!r} holds no {other[0][0]!r}, which groups names, and holds a value that differs from "
            f"it {ALIKE}; name that"
        )
    taken = sorted(groups.keys() & (set(column.labels) - named.keys()))
    if taken:
        raise DataError(f"column {column.name!r}: a group is called {taken[0]!r}, as a category that is in no group")
    new = [named.get(label, label) for label in column.labels]
    labels = tuple(dict.fromkeys(new))
    places = [labels.index(label) for label in new]
    if column.ordered and places != sorted(places):
        raise DataError(f"column {column.name!r} is ordered, and groups merge categories that are not neighbours")
    codes = np.append(np.array(places, np.int32), np.int32(MISSING))[column.codes]
    return Categorical(column.name, codes, labels, column.ordered)
