"""m-invariance: a person's class has the same sensitive values in every release, each of them once."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from auditor.classes import IntArray
from auditor.direction import Stricter
from auditor.models._base import SensitiveRequirement
from auditor.models._hooks.sequence import ReleaseSequence, SequenceRequirement
from auditor.result import Kind
from auditor.spec import Spec


class MInvariance(SequenceRequirement, SensitiveRequirement):
    """Every class has at least m records, all with different sensitive values, and nobody's class ever has others.

    A class is m-unique when it has at least m records and no two have the same sensitive value; its signature are
    these values. Releases are m-invariant when all classes are m-unique and each person's classes have one signature.
    The number of a person is the least number of records of their classes; it is 0 where a value stands twice in one of
    them (or is missing), or where their signatures differ: an integer ≥ 0, larger is safer. Counterfeits count as
    records, and the release must say how many each class has.
    """

    model: Literal["m-invariance"] = "m-invariance"
    m: Annotated[int, Stricter.HIGHER, Spec(Kind.COUNT, people=False)] = Field(
        ge=1, description="The least number of records of a class, each with another value."
    )

    FINDING = "In some people's classes a sensitive value stands twice, or other ones than in another release."
    SOURCE = "X. Xiao, Y. Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007"
    EXAMPLE = "{model: m-invariance, m: 3, sensitive: diagnosis}"
    bound_field: ClassVar[str] = "m"
    of_classes = True

    @property
    def is_permanent(self) -> bool:
        """A signature says what a person's value may be."""
        return True

    def measure(self, sequence: ReleaseSequence) -> IntArray:
        """int64[n]: the largest m that the classes of each path allow."""
        distinct = tuple(each.distinct for each in sequence.releases)
        unique = tuple(
            np.where(values == each.records, each.records, 0)
            for values, each in zip(distinct, sequence.releases, strict=True)
        )
        # What all signatures have in common is as large as the largest only where they are the same.
        common = sequence.common_values()
        largest = np.max([np.append(each, 0)[sequence.paths[:, place]] for place, each in enumerate(distinct)], axis=0)
        return np.where(common == largest, sequence.least(unique), 0).astype(np.int64)
