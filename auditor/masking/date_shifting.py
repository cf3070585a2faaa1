"""Date shifting: all dates of one person move by the same random number of days."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.masking._base import Method
from auditor.microdata import MISSING, Categorical, Microdata, Numeric, Variable

ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
LAST = date.max.toordinal()
"""The days that can be written as YYYY-MM-DD are 1 … LAST: 0001-01-01 to 9999-12-31."""


class DateShifting(Method):
    """Shift dates: d' = d + s_u days, s_u one random whole number for each unit u (person), from −days to days.

    All shifts have the same probability; 0 is left out where `nonzero` is true. Every date of a unit, in every record
    and every column that is named, moves by the same s_u, so the order of its dates and the intervals between them are
    kept exactly; nothing is kept between units.

    A column of dates is either categories whose labels are ISO dates (2026-03-31), or numbers that count days from any
    day; a number's fraction (the time of day) stays. The new categories are the dates that occur, in the order of time.

    A missing date stays missing. A record whose unit is missing is a unit of its own. One record, constant columns and
    ties are no special cases.

    Raises:
        DataError: a column holds categories that are no ISO dates; a shifted date would lie before the year 1 or after
            9999; there is no column `unit`.
    """

    method: Annotated[Literal["date-shifting"], Stricter.REVIEW] = "date-shifting"
    unit: Annotated[str, Stricter.REVIEW] = Field(description="The column that says whose dates they are.")
    days: Annotated[int, Stricter.HIGHER] = Field(ge=1, le=LAST, description="The largest shift, in days.")
    nonzero: Annotated[bool, Stricter.TRUE] = Field(True, description="Whether nobody keeps the true dates.")

    SOURCE: ClassVar[str] = (
        "G. Hripcsak, P. Mirhaji, A. Low, B. Malin, Preserving Temporal Relations in Clinical Data while Maintaining "
        "Privacy, Journal of the American Medical Informatics Association 23, 2016"
    )
    EXAMPLE: ClassVar[str] = "{attributes: [admitted, discharged], method: date-shifting, unit: patient, days: 180}"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.unit in self.attributes:
            raise ValueError("the unit tells whose dates they are; it cannot be one of the dates")
        return self

    @property
    def reads(self) -> tuple[str, ...]:
        """The dates, and whose they are."""
        return (*self.attributes, self.unit)

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:
        """The table with shifted dates."""
        units = _units(data[self.unit])
        count = int(units.max()) + 1 if len(units) else 0
        if self.nonzero:
            shifts = generator.integers(-self.days, self.days, size=count)
            shifts += shifts >= 0
        else:
            shifts = generator.integers(-self.days, self.days, size=count, endpoint=True)
        return data.replaced([_shifted(data[name], shifts[units]) for name in self.attributes])


def _units(column: Variable) -> NDArray[np.intp]:
    """intp[n]: the number of each record's unit; a missing one is a number of its own."""
    values = column.values if isinstance(column, Numeric) else column.codes
    units = np.unique(values, return_inverse=True)[1]
    units[column.missing] = np.arange(np.count_nonzero(column.missing)) + len(values)
    return np.unique(units, return_inverse=True)[1]


def _shifted(column: Variable, shifts: NDArray[np.int64]) -> Variable:
    if isinstance(column, Numeric):
        return Numeric(column.name, column.values + shifts)
    present = column.codes != MISSING
    days = _days(column)[column.codes[present]] + shifts[present]
    if len(days) and (days.min() < 1 or days.max() > LAST):
        raise DataError(f"column {column.name!r}: a shifted date lies before the year 1 or after 9999; use fewer days")
    occurring, places = np.unique(days, return_inverse=True)
    codes = np.full(len(column.codes), MISSING, np.int32)
    codes[present] = places
    labels = tuple(date.fromordinal(day).isoformat() for day in occurring.tolist())
    return Categorical(column.name, codes, labels, column.ordered)


def _days(column: Categorical) -> NDArray[np.int64]:
    """int64[labels]: the day that each label is, from 0001-01-01 = 1; 0 where a label does not occur."""
    days = np.zeros(len(column.labels), np.int64)
    for code in np.unique(column.codes[column.codes != MISSING]).tolist():
        label = column.labels[code]
        try:
            days[code] = date.fromisoformat(label).toordinal() if ISO.fullmatch(label) else 0
        except ValueError:
            days[code] = 0
        if not days[code]:
            raise DataError(
                f"column {column.name!r} holds text that is not a date; write YYYY-MM-DD, for example 2026-03-31"
            )
    return days
