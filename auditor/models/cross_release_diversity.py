"""Cross-release diversity: all releases that hold a person together leave ℓ values that may be theirs."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from auditor.classes import IntArray
from auditor.direction import Stricter
from auditor.models._base import SensitiveRequirement
from auditor.models._hooks.sequence import ReleaseSequence, SequenceRequirement
from auditor.result import Kind
from auditor.spec import Spec


class CrossReleaseDiversity(SequenceRequirement, SensitiveRequirement):
    """What is left of a person's sensitive value, once all releases are held side by side, is at least ℓ values.

    The number of a person p is |∩ V_j(p)|, where V_j(p) are the distinct sensitive values of p's class in release j,
    and j runs over the releases that hold p: an integer ≥ 0, larger is safer; 1 means that the value is known, 0 that
    the releases contradict each other. For a person in one release it is that of distinct ℓ-diversity. A missing value
    is none of the values.

    With ``changes: allowed`` a person's value may be another one in each release, so nothing is intersected: the number
    is the least |V_j(p)|.
    """

    model: Literal["cross-release-diversity"] = "cross-release-diversity"
    l: Annotated[int, Stricter.HIGHER, Spec(Kind.COUNT, people=False)] = Field(  # noqa: E741
        ge=1, description="The least number of sensitive values that all releases together leave."
    )
    changes: Annotated[Literal["none", "allowed"], Stricter.HIGHER] = Field(
        "none", description="none: a person's sensitive value is the same in all releases; allowed: it may change."
    )

    FINDING = "Releases in sequence leave too few sensitive values that may be those of some people."
    SOURCE = (
        "X. Xiao, Y. Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007; "
        "J.-W. Byun, Y. Sohn, E. Bertino, N. Li, Secure anonymization for incremental datasets, SDM 2006"
    )
    EXAMPLE = "{model: cross-release-diversity, l: 3, sensitive: diagnosis}"
    bound_field: ClassVar[str] = "l"
    of_classes = True

    @property
    def is_permanent(self) -> bool:
        """Unless the policy says that values may change."""
        return self.changes == "none"

    @property
    def assumes(self) -> tuple[str, ...]:
        """See `Requirement`: that values may change, where the policy says so."""
        if self.is_permanent:
            return ()
        said = (
            f"Requirement {self.id} takes each person's sensitive value for another one in each release, as the policy "
            "says (changes: allowed), so no release tells of the value in another one."
        )
        return (said,)

    def measure(self, sequence: ReleaseSequence) -> IntArray:
        """int64[n]: how many values are left."""
        if self.is_permanent:
            return sequence.common_values()
        return sequence.least(tuple(each.distinct for each in sequence.releases))
