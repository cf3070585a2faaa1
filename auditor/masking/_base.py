"""What every masking method is: an entry of a policy's ``protection`` and the function that it names."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from auditor.direction import Stricter
from auditor.microdata import Microdata


class Method(BaseModel):
    """A masking method with its parameters; ``method`` is its name in policy files."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    attributes: Annotated[tuple[str, ...], Stricter.SUPERSET] = Field(min_length=1, description="The masked columns.")

    SOURCE: ClassVar[str] = ""
    """Where the method is defined, as cited in documents and by ``auditor explain``."""
    EXAMPLE: ClassVar[str] = ""
    """A policy entry that applies it."""

    @abstractmethod
    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:
        """The table with the method's attributes masked, row i still the record of row i.

        A pure function: of the table, the parameters and the generator's state. Other variables come back as they are.

        Raises:
            DataError: the method has no meaning for this data (categories where numbers are needed, fewer than k
                records, …); the message says which column and what would be right, and holds no value of the data.
        """
