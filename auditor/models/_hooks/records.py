"""The hook for requirements on the records of a release, beside those of the table that it was made from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Container, Iterator, Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from auditor.direction import Stricter
from auditor.microdata import Microdata
from auditor.models._base import Comparison, Requirement


class RecordRequirement(Requirement):
    """A requirement with one number for the whole release, computed from its records and those of its original.

    The two tables have the same records; `follows_records` models also need to know which is which.
    """

    # A share over all records, or a mean over all columns, may fall with a column more: neither way is stricter.
    attributes: Annotated[tuple[str, ...] | None, Stricter.REVIEW] = Field(
        None,
        min_length=1,
        description="The columns to examine; by default every column of numbers, or every quasi-identifier.",
    )

    comparison: ClassVar[Comparison] = "<="
    bound_field: ClassVar[str]
    follows_records: ClassVar[bool] = True
    """Whether the number depends on which record of the release is which of the original."""
    needs_original: ClassVar[bool] = True
    """Whether the number depends on the original at all."""
    wildcards: ClassVar[bool] = True
    """Whether the number is defined where a missing value may be any value."""
    of_people: ClassVar[bool] = False
    """Whether the number takes each record for another person."""
    grows: ClassVar[bool] = True
    """Whether the number, where it reads the quasi-identifiers, is never smaller with one more of them."""
    companion: ClassVar[str | None] = None
    """The requirement that sees what this one does not, and is to be demanded of the same columns."""

    @property
    def bound(self) -> float:
        """The bound of the number."""
        return float(getattr(self, self.bound_field))

    @property
    def besides(self) -> tuple[str, ...]:
        """Columns that are needed besides those looked at."""
        return ()

    @property
    def key(self) -> str | None:
        """The column that tells which record is which; None where the order does, or where none is needed."""
        return None

    @property
    def by_position(self) -> bool:
        """Whether the policy says that row i of the release is row i of the original."""
        return False

    @abstractmethod
    def measure(self, original: Microdata, released: Microdata) -> float:
        """The number, from tables of the columns looked at; row i of both is one record where records are followed.

        Raises:
            DataError: it has no meaning for this data.
        """

    def from_distinct(self, distinct: Sequence[int]) -> float | None:  # noqa: ARG002
        """The number from how many values each column looked at has (a missing value is one); None: it takes records.

        Asked only where `needs_original` is false, and before records are read.
        """
        return None

    def counted(self, columns: Sequence[str], known: Container[str]) -> bool:
        """Whether the number follows from how many values `columns` have, all of which are among those counted."""
        distinct = self.from_distinct([1] * len(columns))
        return (
            not self.needs_original
            and distinct is not None
            and bool(columns)
            and all(name in known for name in columns)
        )

    def varied(self, columns: Sequence[str]) -> Sequence[str]:  # noqa: ARG002
        """Of the columns looked at, those that must hold several values: a search takes no level with one label."""
        return ()

    def measure_as_released(self, original: Microdata, released: Microdata) -> float:
        """The number of an attacker who takes released values as they stand; asked where `measure` meets its bound.

        It is that of `measure`, unless that one reads the release in units of its own.
        """
        return self.measure(original, released)

    def unseen(self, original: Microdata, released: Microdata) -> Iterator[str]:  # noqa: ARG002
        """What gives records away and does not change the number; asked where the number meets its bound."""
        yield from ()


class FollowingRequirement(RecordRequirement):
    """A record requirement that has to know which record of the release is which of the original.

    `auditor mask` knows it by itself; for a file, the policy says how to tell.
    """

    match: Annotated[str | None, Stricter.REVIEW] = Field(
        None,
        description="The column of release and original that names a record; `position` where both are in one order.",
    )

    @property
    def key(self) -> str | None:
        """The column that tells which record is which."""
        return None if self.by_position else self.match

    @property
    def by_position(self) -> bool:
        """Whether the order tells."""
        return self.match == "position"
