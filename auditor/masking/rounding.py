"""Rounding: numbers become multiples of a base."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from auditor.direction import Stricter
from auditor.masking._base import Method
from auditor.microdata import Microdata, Numeric


class Rounding(Method):
    """Round numbers to multiples of a base: x' = b · round(x/b), halves to the even multiple.

    A missing value stays missing.
    """

    method: Annotated[Literal["rounding"], Stricter.REVIEW] = "rounding"
    base: Annotated[float, Stricter.REVIEW] = Field(gt=0, description="Values become multiples of it.")

    SOURCE: ClassVar[str] = "L. Willenborg, T. de Waal, Elements of Statistical Disclosure Control, 2001, section 1.6"
    EXAMPLE: ClassVar[str] = "{attributes: [income], method: rounding, base: 100}"

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:  # noqa: ARG002
        """The table with rounded numbers."""
        with np.errstate(over="ignore"):  # an infinity is refused by who applies the method, with the column's name
            return data.replaced(
                Numeric(name, self.base * np.rint(data.numeric(name).values / self.base)) for name in self.attributes
            )
