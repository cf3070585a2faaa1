"""Cluster: find groups of records by k-means.

The loss is 100 (1 − adjusted Rand), at least 0, at most 100, of the clusters of the original and of the masked table:
0 the same groups, 100 no more alike than by chance. What clusters are called does not matter.

Source: as `auditor.utility.clustering`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from auditor.direction import Stricter
from auditor.microdata import Microdata, Numeric
from auditor.utility.clustering import ClusteredOriginal, lost
from auditor.utility.uses._base import MOST_SEED, Use


class ClusterUse(Use):
    """Find groups of records: whether those who are together in the original are together in the masked table."""

    cluster: Annotated[int, Stricter.NEUTRAL] = Field(ge=2, le=100, description="The number of clusters.")
    seed: Annotated[int, Stricter.NEUTRAL] = Field(0, ge=0, le=MOST_SEED, description="Seed of the first centres.")

    SAYS: ClassVar[str] = (
        "How far the groups that k-means finds in the masked records are from those in the original, beyond chance; it "
        "says nothing of other numbers of groups, nor whether the groups mean anything."
    )

    def usual(self, data: Microdata) -> tuple[str, ...]:
        """The columns of numbers."""
        return tuple(each.name for each in data.variables if isinstance(each, Numeric))

    def baseline(self, original: Microdata) -> _Clustered:
        """See `Use`."""
        for name in original.names:
            original.numeric(name)
        return _Clustered(ClusteredOriginal(original, self.cluster, self.seed))


@dataclass(frozen=True)
class _Clustered:
    original: ClusteredOriginal

    @property
    def chance(self) -> float:
        """See `UseBaseline`: the original, clustered from other starts."""
        return lost(self.original.repeated)

    def loss(self, masked: Microdata) -> float:
        """See `UseBaseline`."""
        return lost(self.original.agreement(masked))
