"""What an attacker knows of a person, where that is less, or more, than every quasi-identifier of one record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Annotated, Self, TypeVar

from pydantic import Field, model_validator

from auditor.block import Block
from auditor.direction import Stricter

Column = TypeVar("Column")


class Knowledge(Block):
    """The most that an attacker knows of one person: some columns of a record, or some records of a unit.

    A *pattern* is what such an attacker may know, and of a requirement on classes each pattern is a class: the persons
    who have it.

    With ``columns: L`` it is a combination of at most L of the d columns that are quasi-identifiers, with the values
    that some person has in them. Whoever knows fewer columns knows a union of patterns of more, so the patterns of
    exactly min(L, d) columns decide every model that merging classes keeps; any other is asked of all sizes, from the
    whole table on.

    With ``events: m`` it is a set of one to m events that some person has. The events of a person are the distinct
    records of the unit, told by all quasi-identifiers: E(p). T(X) = {p: X ⊆ E(p)}.
    """

    columns: Annotated[int | None, Stricter.HIGHER] = Field(
        None, ge=1, description="How many of the quasi-identifiers the attacker knows at most, whichever they are."
    )
    events: Annotated[int | None, Stricter.HIGHER] = Field(
        None, ge=1, description="How many of a person's records the attacker knows at most, whichever they are."
    )

    @model_validator(mode="after")
    def _knows_one_thing(self) -> Self:
        if (self.columns is None) == (self.events is None):
            raise ValueError("says columns or events, one of them; as in knows: {columns: 3}")
        return self

    def combinations(self, columns: Sequence[Column], *, every: bool = False) -> Iterator[tuple[Column, ...]]:
        """Each combination of columns that the attacker may know of a record: the largest, or of `every` size."""
        for size in self._sizes(len(columns), every=every):
            yield from combinations(columns, size)

    def many(self, columns: int, *, every: bool = False) -> int:
        """How many combinations of so many columns there are."""
        return sum(comb(columns, size) for size in self._sizes(columns, every=every))

    def _sizes(self, columns: int, *, every: bool) -> range:
        most = columns if self.columns is None else min(self.columns, columns)
        return range(0 if every else most, most + 1)

    def __str__(self) -> str:
        """As a sentence says it."""
        if self.events is not None:
            return "at most one record" if self.events == 1 else f"at most {self.events} of the records"
        return f"at most {self.columns} of the quasi-identifiers"


Knows = Annotated[
    Knowledge | None,
    Stricter.REVIEW,
    Field(description="What the attacker knows of a person at most; by default every quasi-identifier of a record."),
]
