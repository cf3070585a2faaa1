"""PRAM, the post-randomisation method: every category is exchanged at random, by a matrix of probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.masking._base import Method
from auditor.masking._exchange import invariant, preferred
from auditor.microdata import MISSING, Categorical, Microdata

Rows = dict[str, dict[str, float]]
"""A number for pairs of labels: row label → column label → number."""

TOLERANCE = 1e-9
"""By how much a row that a person wrote in decimals may miss the sum 1."""


class Pram(Method):
    """Exchange categories at random: category i becomes j with probability p_ij.

    Every column is masked independently of the others, every record independently of the other records. With T_i the
    frequency of category i and c how many categories occur, the matrix is

    - invariant: p_ii = 1 − θ T_min/T_i and p_ij = θ T_min/((c − 1) T_i), T_min the least frequency that is not 0.
      T P = T: the expected frequencies after masking are those before. Printed sources have the largest T in the place
      of T_min, which gives negative probabilities.
    - preference: the P that minimises Σ w_ij p_ij under p_ij ≥ 0, rows of sum 1, T P = T and p_ii ≤ stay. The weight
      w_ij is |i − j| in the order of an ordered column's labels, 1 in other columns, and what `weights` says of a pair;
      w_ii is 0 unless it says otherwise.
    - a mapping label → label → probability: that matrix; what is not listed has probability 0.

    Whoever knows P can estimate the frequencies before masking from those after it, so P may be published.

    A missing value stays missing, and no category becomes missing. Labels that do not occur before do not occur after,
    except where the own matrix says so. Where one category alone occurs, the first two have nothing to exchange it
    with: the column comes back as it is.

    Raises:
        DataError: a column holds numbers; the own matrix names a label that the column does not know or lacks a row for
            a category that occurs; or one category is so frequent that the others cannot take in what has to leave it
            at most `stay`.
    """

    method: Annotated[Literal["pram"], Stricter.REVIEW] = "pram"
    matrix: Annotated[Literal["invariant", "preference"] | Rows, Stricter.REVIEW] = Field(
        "invariant", description="invariant, preference, or own probabilities: label → label → probability."
    )
    theta: Annotated[float | None, Stricter.HIGHER] = Field(
        None, gt=0, le=1, description="invariant: the probability that the rarest category is exchanged."
    )
    stay: Annotated[float | None, Stricter.LOWER] = Field(
        None, ge=0, lt=1, description="preference: the largest probability that a category stays what it is."
    )
    weights: Annotated[Rows | None, Stricter.REVIEW] = Field(
        None, description="preference: what exchanging costs, label → label → weight."
    )

    SOURCE: ClassVar[str] = (
        "J. Gouweleeuw, P. Kooiman, L. Willenborg, P.-P. de Wolf, Post Randomisation for Statistical Disclosure "
        "Control: Theory and Implementation, Journal of Official Statistics 14, 1998"
    )
    EXAMPLE: ClassVar[str] = "{attributes: [occupation], method: pram, matrix: invariant, theta: 0.8}"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        wanted = {"invariant": {"theta"}, "preference": {"stay"}}.get(str(self.matrix), set())
        given = {name for name in ("theta", "stay", "weights") if getattr(self, name) is not None}
        allowed = wanted | ({"weights"} if "stay" in wanted else set())
        if not wanted <= given <= allowed:
            raise ValueError(
                "matrix: invariant needs theta (such as theta: 0.8); preference needs stay and may have weights; "
                "your own probabilities take none of them"
            )
        if self.weights is not None and any(w < 0 for row in self.weights.values() for w in row.values()):
            raise ValueError("a weight is at least 0")
        if not isinstance(self.matrix, str):
            for label, row in self.matrix.items():
                if any(p < 0 for p in row.values()) or abs(sum(row.values()) - 1) > TOLERANCE:
                    raise ValueError(f"the row of {label} has to be probabilities with the sum 1")
        return self

    def masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:
        """The table with exchanged categories."""
        return data.replaced([self._exchanged(data.categorical(name), generator) for name in self.attributes])

    def _exchanged(self, column: Categorical, generator: np.random.Generator) -> Categorical:
        chances = self._chances(column)
        draws = generator.random(len(column.codes))
        codes = column.codes.copy()
        for code in np.unique(column.codes[column.codes != MISSING]):
            those = column.codes == code
            steps = np.cumsum(chances[code])
            codes[those] = np.searchsorted(steps / steps[-1], draws[those], side="right")
        return Categorical(column.name, codes, column.labels, column.ordered)

    def _chances(self, column: Categorical) -> NDArray[np.float64]:
        """float64[labels, labels]: the probabilities; rows of labels that do not occur mean nothing."""
        counts = np.bincount(column.codes[column.codes != MISSING], minlength=len(column.labels))
        if isinstance(self.matrix, dict):
            return _own(column, counts, self.matrix)
        chances = np.eye(len(counts))
        occurring = np.flatnonzero(counts)
        if len(occurring) > 1:
            chances[np.ix_(occurring, occurring)] = self._computed(column, counts[occurring], occurring)
        return chances

    def _computed(
        self, column: Categorical, counts: NDArray[np.int64], occurring: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        if self.theta is not None:
            return np.array(invariant(counts.tolist(), self.theta))
        cap = 1.0 if self.stay is None else self.stay
        places = np.arange(len(column.labels), dtype=np.float64)
        weights = np.abs(places[:, None] - places) if column.ordered else 1.0 - np.eye(len(places))
        for i, j, weight in _pairs(column, self.weights or {}, "weights"):
            weights[i, j] = weight
        found = preferred(counts, weights[np.ix_(occurring, occurring)], cap)
        if found is None:
            raise DataError(
                f"column {column.name!r}: one category is so frequent that the others cannot take in what has to leave "
                "it; a larger stay is needed, or matrix: invariant"
            )
        return found


def _own(column: Categorical, counts: NDArray[np.int64], matrix: Rows) -> NDArray[np.float64]:
    chances = np.zeros((len(counts), len(counts)))
    for i, j, chance in _pairs(column, matrix, "matrix"):
        chances[i, j] = chance
    if not np.all(chances[counts > 0].any(axis=1)):
        raise DataError(f"column {column.name!r} holds categories that the matrix has no row for; one for each")
    return chances


def _pairs(column: Categorical, rows: Mapping[str, Mapping[str, float]], field: str) -> list[tuple[int, int, float]]:
    """What the policy says of pairs of labels, by their codes."""
    codes = {label: code for code, label in enumerate(column.labels)}
    unknown = sorted({label for i, row in rows.items() for label in (i, *row)} - codes.keys())
    if unknown:
        raise DataError(f"column {column.name!r} has no category {unknown[0]!r}, which {field} names; use its labels")
    return [(codes[i], codes[j], number) for i, row in rows.items() for j, number in row.items()]
