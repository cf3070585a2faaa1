"""Distance-based record linkage: every original record is linked to the nearest masked one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from auditor.errors import UsageError, nearest
from auditor.risk._input import Floats, pair, standardised
from auditor.risk._nearest import DENSE, credits_by_tree, credits_of_prefixes
from auditor.risk._whitened import whitened

Metric: TypeAlias = Literal["euclidean", "mahalanobis", "polynomial-kernel", "gaussian-kernel"]
METRICS: tuple[Metric, ...] = get_args(Metric)


@dataclass(frozen=True, eq=False)
class Linkage:
    """`credit` is float64[n], for each original record the chance that its link is the right one.

    1/t where the record's own masked record is among the t nearest (or best), which tie; else 0.
    """

    credit: Floats

    @property
    def rate(self) -> float:
        """The share of records linked rightly, 0 to 1: the mean credit."""
        return float(self.credit.mean())


def distance_linkage(
    original: Floats, masked: Floats, metric: Metric = "euclidean", *, as_released: bool = False
) -> Linkage:
    """Link every original record to the masked record at the least distance.

    `original` and `masked` are float64[n, p], row i of both the same record. Each table is standardised by its own
    means and standard deviations, or, `as_released`, both by those of the original: then a value that was not changed
    is at distance 0 whatever became of others. A constant variable tells nothing, and a missing value counts as the
    mean. The squared distance of a and b is

    - euclidean: |a − b|²;
    - mahalanobis: (a − b)' (V(a) + V(b))⁺ (a − b), with the covariances of both standardised tables, the pseudo-inverse
      where their sum is singular (`auditor.risk._whitened.SINGULAR`), and none between the tables, which an attacker
      who does not know the true links cannot compute;
    - polynomial-kernel: k(a,a) − 2 k(a,b) + k(b,b) with k(a,b) = (1 + a·b)²;
    - gaussian-kernel: the same with k(a,b) = exp(−|a − b|²/2), that is σ = 1 standard deviation. It grows with |a − b|,
      whatever σ is, so that its links are those of the Euclidean distance and computed as these.

    Distances that differ by less than rounding are tied (`auditor.risk._nearest.TIED`), those of equal masked records
    always. The result is exact: up to `DENSE` records all distances are computed, above that a k-d tree of the distinct
    masked records is searched. That takes about n log n for few variables; in the worst case, many variables without
    any structure or very many records at exactly the same distance, n².

    Source: V. Torra, J. Domingo-Ferrer, "Record linkage methods for multidatabase data mining", 2003; the kernels: V.
    Torra, J. M. Abowd, J. Domingo-Ferrer, "Using Mahalanobis distance-based record linkage for disclosure risk
    assessment", 2006.

    Raises:
        DataError: the tables do not fit each other.
        UsageError: there is no such metric.
    """
    original, masked = pair(original, masked)
    *_, credit = prefix_credits(original, masked, metric, only_last=True, as_released=as_released)
    return Linkage(credit)


def prefix_credits(
    original: Floats, masked: Floats, metric: str, *, only_last: bool = False, as_released: bool = False
) -> Iterator[Floats]:
    """float64[n] each: the credits of an attacker who knows the first 1, 2, …, p variables, or all p of them."""
    if metric not in METRICS:
        raise UsageError(f"there is no metric {metric!r}{nearest(metric, METRICS)}; there are {', '.join(METRICS)}")
    a, b = standardised(original), standardised(masked, original if as_released else None)
    if metric == "mahalanobis":
        a, b = whitened(a, b)
    polynomial = metric == "polynomial-kernel"
    if len(a) <= DENSE:
        yield from credits_of_prefixes(a, b, polynomial=polynomial, only_last=only_last)
        return
    variables = a.shape[1]
    for known in range(variables if only_last else 1, variables + 1):
        yield credits_by_tree(a[:, :known], b[:, :known], polynomial=polynomial)
