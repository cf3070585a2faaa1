r"""How alike two fuzzy partitions of the same records are; on crisp ones, the Rand and the Jaccard index.

Record i belongs to cluster c of a partition U with the degree u_ic ≥ 0, Σ_c u_ic = 1. How much two records are together
is 1 minus the distance of their memberships, and two partitions disagree on a pair by how much that differs::

    E_U(i, j) = 1 − ½ Σ_c |u_ic − u_jc|
    fuzzy Rand      1 − Σ_{i<j} |E_U − E_V| / (n(n−1)/2)
    fuzzy Jaccard   Σ_{i<j} min(E_U, E_V) / Σ_{i<j} max(E_U, E_V)

Both are 1 for equal partitions (other fuzzy extensions are not, for instance Campello's of 2007), whatever the numbers
and names of clusters; 1 − fuzzy Rand is a pseudometric.

Source: E. Hüllermeier, M. Rifqi, S. Henzgen, R. Senge, Comparing fuzzy partitions: a generalization of the Rand index
and related measures, IEEE Transactions on Fuzzy Systems 20 (2012) 546-556, doi:10.1109/TFUZZ.2011.2179303. Theirs are E
and the Rand index; the Jaccard index here is that of E_U and E_V as fuzzy sets of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auditor.errors import UsageError
from auditor.utility._numbers import Floats

BLOCK = 512
"""Records whose pairs are computed at once: memory grows with n, not with n²."""


@dataclass(frozen=True)
class FuzzyAgreement:
    """Fuzzy Rand and Jaccard, each from 0 to 1; 1 where there is no pair of records."""

    rand: float
    jaccard: float


def fuzzy_agreement(first: Floats, second: Floats) -> FuzzyAgreement:
    """Compare two fuzzy partitions, memberships float64[n, c] and float64[n, d] with rows of sum 1; takes O(n²) steps.

    Raises:
        UsageError: they are not of the same records, or a row is no membership.
    """
    from scipy.spatial.distance import cdist

    for memberships in (first, second):
        if memberships.ndim != 2 or not np.allclose(memberships.sum(1), 1) or (memberships < 0).any():
            raise UsageError("memberships must be a matrix ≥ 0 with one row of sum 1 per record")
    n = len(first)
    if len(second) != n:
        raise UsageError(f"partitions of {n} and of {len(second)} records were given; they must be of the same")
    low = high = 0.0
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        one, other = (1 - cdist(u[rows], u[start:], "cityblock") / 2 for u in (first, second))
        later = np.triu(np.ones(one.shape, np.bool_), 1)
        low += float(np.minimum(one, other)[later].sum())
        high += float(np.maximum(one, other)[later].sum())
    pairs = n * (n - 1) / 2
    return FuzzyAgreement(rand=1 - (high - low) / pairs if pairs else 1.0, jaccard=low / high if high > 0 else 1.0)
