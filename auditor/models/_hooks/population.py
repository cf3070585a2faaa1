"""The hook for models that hold a class against the persons of the population who have its values."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from auditor.classes import BoolArray, ClassTable, IntArray
from auditor.errors import InternalError
from auditor.models._base import ClassModel


class PopulationModel(ClassModel):
    """A class model that reads the population: how many of its persons have the values of each class."""

    reads_population = True
    overlapping: ClassVar[bool] = True
    """Whether the number means something where a person has the values of several classes."""

    @property
    def assumes(self) -> tuple[str, ...]:
        """See `Requirement`."""
        return (f"{self.name}: the population holds everybody who may be in the data, and nobody twice.",)

    def undefined(self, classes: ClassTable) -> BoolArray:
        """bool[n]: the classes for which there is no number: nobody of the population has their values."""
        return np.asarray(people_of(classes) == 0)

    def misses(self, released: int, everybody: int) -> bool:  # noqa: ARG002
        """Whether it matters that of `everybody` only so many persons have the values of a class that is released."""
        return False


def people_of(classes: ClassTable) -> IntArray:
    """int64[n]: the persons of the population who have the values of each class."""
    if classes.people is None:
        raise InternalError("a model that reads the population was given classes without it")
    return classes.people
