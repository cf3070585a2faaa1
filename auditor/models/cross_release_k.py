"""Cross-release k-anonymity: nobody is singled out by being in the same classes of several releases."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from auditor.classes import IntArray, numbered
from auditor.direction import Stricter
from auditor.models._hooks.sequence import ReleaseSequence, SequenceRequirement
from auditor.result import Kind
from auditor.spec import Spec


class CrossReleaseK(SequenceRequirement):
    """At least k people share a person's class in every release that holds the person.

    The number of a person p is how many people, p among them, are held by every release that holds p, and are in p's
    class in each: an integer ≥ 1, larger is safer. For a person in one release it is how many of that release are in
    p's class. Counterfeits are nobody, and are not counted.

    With ``absence: known`` the attacker also knows which releases do not hold p, so only people are counted whom
    exactly the same releases hold.
    """

    model: Literal["cross-release-k"] = "cross-release-k"
    k: Annotated[int, Stricter.HIGHER, Spec(Kind.COUNT, people=True)] = Field(
        ge=1, description="The least number of people who share all classes."
    )
    absence: Annotated[Literal["known", "unknown"], Stricter.HIGHER] = Field(
        "unknown", description="known: an attacker also knows which releases do not hold a person."
    )

    FINDING = "Some people are in the same classes of several releases with fewer others than the policy demands."
    SOURCE = (
        "B. C. M. Fung, K. Wang, A. W.-C. Fu, J. Pei, Anonymity for continuous data publishing, EDBT 2008; "
        "S. R. Ganta, S. P. Kasiviswanathan, A. Smith, Composition attacks and auxiliary information in data privacy, "
        "KDD 2008"
    )
    EXAMPLE = "{model: cross-release-k, k: 11}"
    bound_field: ClassVar[str] = "k"

    def measure(self, sequence: ReleaseSequence) -> IntArray:
        """int64[n]: how many people share all classes of each path."""
        held = sequence.held
        numbers = np.zeros(len(held), dtype=np.int64)
        kinds, kind = np.unique(held, axis=0, return_inverse=True)
        for place, presence in enumerate(kinds):
            known: NDArray[np.bool_] = (held >= presence).all(axis=1)
            exactly = kind.ravel() == place
            others = np.flatnonzero(exactly if self.absence == "known" else known)
            groups = numbered(sequence.paths[others][:, np.flatnonzero(presence)].T, len(others))
            sums = np.zeros(len(others), dtype=np.int64)
            np.add.at(sums, groups, sequence.people[others])
            own = exactly[others]
            numbers[others[own]] = sums[groups[own]]
        return numbers
