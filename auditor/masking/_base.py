"""What every masking method is: an entry of a policy's ``protection`` and the function that it names."""

from __future__ import annotations

from abc import abstractmethod
from itertools import product
from math import prod
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from auditor.direction import Stricter
from auditor.microdata import Microdata

_NOT_SWEPT = frozenset({"method", "attributes", "sweep"})
MOST_SWEPT = 1_000
"""A sweep of more combinations is refused before they are made: a policy of a few lines could ask for any number."""


class Method(BaseModel):
    """A masking method with its parameters; ``method`` is its name in policy files."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    attributes: Annotated[tuple[str, ...], Stricter.SUPERSET] = Field(min_length=1, description="The masked columns.")
    sweep: Annotated[dict[str, tuple[int | float | str, ...]], Stricter.NEUTRAL] = Field(
        {}, description="Values of parameters that `auditor tradeoff` also tries; masking ignores them."
    )

    SOURCE: ClassVar[str] = ""
    """Where the method is defined, as cited in documents and by ``auditor explain``."""
    EXAMPLE: ClassVar[str] = ""
    """A policy entry that applies it."""

    @model_validator(mode="after")
    def _sweeps_what_it_has(self) -> Method:
        for name, values in self.sweep.items():
            if name not in self.parameters() and name not in type(self).model_fields:
                raise ValueError(f"sweep: {name!r} is not a parameter of {self.name}")
            if name in _NOT_SWEPT | self.confidential() or not values:
                raise ValueError(f"sweep: {name!r} needs values of a parameter, as k: [3, 5, 10]")
        combinations = prod(len(values) for values in self.sweep.values())
        if combinations > MOST_SWEPT:
            raise ValueError(f"sweep: {combinations:,} combinations; at most {MOST_SWEPT:,}")
        if self.sweep:
            self.swept()
        return self

    @property
    def name(self) -> str:
        """The method's name in policy files."""
        return str(getattr(self, "method"))  # noqa: B009  (every concrete method declares it as a literal)

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that masking looks at: the masked ones, and those that it needs beside them."""
        return self.attributes

    def suppressible(self, data: Microdata) -> NDArray[np.bool_]:
        """bool[n]: the records that may lose a value of the attributes; none, unless the method suppresses.

        A value that gets lost in any other record is a fault, and nothing is released.
        """
        return np.zeros(data.records, np.bool_)

    @classmethod
    def confidential(cls) -> frozenset[str]:
        """The fields that are not shown (``repr=False``): a policy takes them from the environment and nowhere else."""
        return frozenset(name for name, field in cls.model_fields.items() if not field.repr)

    def parameters(self) -> dict[str, Any]:
        """The parameters as the policy has them, without what every method has and without what is confidential."""
        return {
            name: value
            for name, value in self.model_dump(mode="json", exclude_none=True).items()
            if name not in _NOT_SWEPT | self.confidential()
        }

    def swept(self) -> tuple[Method, ...]:
        """This method, and one for every combination of the values that its sweep lists; each once, without a sweep."""
        own = {name: getattr(self, name) for name in type(self).model_fields if name != "sweep"}
        found = [type(self)(**own)]
        for values in product(*self.sweep.values()):
            try:
                found.append(type(self)(**{**own, **dict(zip(self.sweep, values, strict=True))}))
            except ValidationError as error:
                raise ValueError(f"sweep: {error.errors()[0]['msg']}") from None
        first: dict[str, Method] = {}
        for each in found:
            first.setdefault(each.model_dump_json(), each)
        return tuple(first.values())

    @abstractmethod
    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:
        """The table with the method's attributes masked, row i still the record of row i.

        A pure function: of the table, the parameters and the generator's state. Other variables come back as they are.

        Raises:
            DataError: the method has no meaning for this data (categories where numbers are needed, fewer than k
                records, …); the message says which column and what would be right, and holds no value of the data.
        """
