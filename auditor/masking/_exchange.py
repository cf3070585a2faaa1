"""Matrices of probabilities that leave the expected frequencies as they are: T P = T."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from auditor.errors import InternalError

Number = TypeVar("Number", float, Fraction)


def invariant(counts: Sequence[int], theta: Number) -> list[list[Number]]:
    """p_ii = 1 − θ T_min/T_i, p_ij = θ T_min/((c − 1) T_i), in the arithmetic of `theta` (floats or fractions).

    Args:
        counts: T, at least two, each above 0.
        theta: in (0, 1].
    """
    change = [theta * min(counts) / count for count in counts]
    others = len(counts) - 1
    return [[1 - leave if i == j else leave / others for j in range(len(counts))] for i, leave in enumerate(change)]


def preferred(counts: NDArray[np.int64], weights: NDArray[np.float64], stay: float) -> NDArray[np.float64] | None:
    """float64[c, c]: the P with least Σ w_ij p_ij, p_ij ≥ 0, rows of sum 1, T P = T, p_ii ≤ stay; None: there is none.

    There is one exactly when T_max (1 − stay) ≤ Σ T − T_max: what has to leave the most frequent category has to come
    back from the others.
    """
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack

    size = len(counts)
    share = counts / counts.sum()
    one = eye_array(size)
    rows = kron(one, np.ones((1, size)))
    columns = kron(share[None, :], one)
    upper = np.where(np.eye(size, dtype=bool), stay, 1.0).ravel()
    bounds = [(0.0, float(most)) for most in upper]
    solve: Any = linprog  # it takes sparse matrices, as its documentation says and its types do not
    answer = solve(
        weights.ravel(),
        A_eq=vstack([rows, columns]).tocsr(),
        b_eq=np.concatenate([np.ones(size), share]),
        bounds=bounds,
        method="highs",
    )
    if answer.status == 2:
        return None
    if answer.status != 0:
        raise InternalError(f"the linear programme of preference PRAM ended with status {answer.status}")
    found = np.clip(answer.x.reshape(size, size), 0, None)
    return np.asarray(found / found.sum(axis=1, keepdims=True))
