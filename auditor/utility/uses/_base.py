"""What every use of a release is: an entry of a policy, and the loss that it measures."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, ClassVar, Protocol

from pydantic import Field

from auditor.block import Block
from auditor.direction import Stricter
from auditor.microdata import Microdata

MOST_SEED = 2**31
"""scikit-learn takes no seed from 2**32 on."""


class UseBaseline(Protocol):
    """A use made of the original, with which the same use of masked tables is compared."""

    @property
    def chance(self) -> float:
        """The loss, in percent, that the original has when only the seed differs: a loss below it says nothing."""

    def loss(self, masked: Microdata) -> float:
        """The loss of a masked table in percent, 0 to 100; 0 where masking changed nothing.

        Raises:
            DataError: the use has no meaning for this table, such as intervals where numbers are needed.
        """


class Use(Block):
    """A use of a release; the first field of its own, named as its file, is the key that a policy writes."""

    attributes: Annotated[tuple[str, ...] | None, Stricter.NEUTRAL] = Field(
        None, min_length=1, description="The columns that it reads, names or globs; by default all that it can read."
    )

    SAYS: ClassVar[str] = ""
    """What the loss says and does not say, in one sentence."""

    @classmethod
    def key(cls) -> str:
        """The key that a policy writes: the name of the file."""
        return cls.__module__.rpartition(".")[2]

    @property
    def title(self) -> str:
        """The use in words: ``classify 'class'``, ``cluster 4, seed 7``; what is left at its default is not said."""
        said = self.model_dump(exclude_defaults=True)
        first = said.pop(self.key())
        options = [f"{name} {_worded(value)}" for name, value in said.items()]
        return ", ".join([f"{self.key()} {_worded(first, name=True)}", *options])

    @property
    def target(self) -> str | None:
        """The column that it is about, if there is one; it is read whatever `attributes` says."""
        return None

    def usual(self, data: Microdata) -> tuple[str, ...]:
        """The columns of the table that it reads where the policy names none."""
        return data.names

    @abstractmethod
    def baseline(self, original: Microdata) -> UseBaseline:
        """The use made of the original, which has the columns that it reads, and the target.

        Raises:
            DataError: the use has no meaning for this table; the message holds no value of the data.
            UsageError: an extra is not installed.
        """


def _worded(value: Any, *, name: bool = False) -> str:
    """A value of an entry; names of columns in quotation marks, as in messages."""
    if isinstance(value, tuple):
        return " ".join(map(repr, value))
    return repr(value) if name and isinstance(value, str) else str(value)
