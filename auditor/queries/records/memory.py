"""What auditing a log takes in arrays, so that one that would take more than the memory limit is refused before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auditor.engines import RunLimits
from auditor.errors import OutOfMemory
from auditor.queries._query import Linear, Query, Weights
from auditor.queries.records.records import RecordProfiles

RECORD_BYTES = 430
"""What a record takes once it is read: codes, profile, key, and its share of the texts; measured at the peak."""
ENTRY_BYTES = 14
"""What a coefficient of a sum takes while the sums are solved."""
PROFILE_BYTES = 200
"""What an unknown takes then: hashes, its place, residues."""
PAIR_BYTES = 16
"""What each pair of sums takes then, in the factors."""


def check_memory(profiles: RecordProfiles, queries: Sequence[Query], limits: RunLimits, what: str) -> None:
    """Refuse to solve sums that the memory does not hold.

    Raises:
        OutOfMemory: they would take more; told before they are put together.
    """
    asked = [query.asked for query in queries if isinstance(query.asked, Linear)]
    weights = {id(each): each for linear in asked for each in linear.weights.values()}
    quantities = {quantity for linear in asked for quantity in linear.weights}
    sums = len({tuple(sorted((q, id(each)) for q, each in linear.weights.items())) for linear in asked})
    need = RECORD_BYTES * profiles.records + PROFILE_BYTES * len(profiles) * len(quantities)
    need += ENTRY_BYTES * sum(map(_entries, weights.values())) + PAIR_BYTES * sums**2
    if not limits.solves(need):
        raise OutOfMemory(
            f"{what}: what {len(asked):,} sums tell about {profiles.records:,} records takes about "
            f"{need / 1e6:,.0f} MB to be solved, more than the memory limit leaves; give a larger --memory"
        )


def _entries(weights: Weights) -> int:
    """How many coefficients are not 0."""
    if weights.stored.dtype == np.uint8:
        return int(np.bitwise_count(weights.stored).sum())
    return len(weights.stored) if weights.stored.dtype == np.int32 else int(np.count_nonzero(weights.stored))
