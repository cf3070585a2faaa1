"""IPSO, information preserving statistical obfuscation: columns drawn anew from their regression on others."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError

Floats: TypeAlias = NDArray[np.float64]
Ipso: TypeAlias = Literal["ipso-a", "ipso-b", "ipso-c"]
NEGLIGIBLE = 1e-12
"""Residuals below this share of a column's spread are rounding: the regressors determine the column."""


def simulated(outcome: Floats, regressors: Floats, kind: Ipso, generator: np.random.Generator) -> Floats:
    """float64[n, q]: fitted values and new residuals.

    Args:
        outcome: float64[n, q], the columns to replace; no value missing.
        regressors: float64[n, r], without the constant, of any rank.
        kind: residuals as drawn (a), without what regressors explain of them (b), and with the covariance of the old
            ones exactly (c).
        generator: what is drawn with.

    Raises:
        DataError: fewer than two degrees of freedom are left.
    """
    space = _space(regressors)
    freedom = len(outcome) - space.shape[1]
    if freedom < 2:
        raise DataError(
            f"{len(outcome)} records with a value in each column, and regressors of rank {space.shape[1]} with the "
            "constant: at least two records more than that are needed, or the original values would come back"
        )
    scale = np.linalg.norm(outcome - outcome.mean(axis=0), axis=0)
    scale[scale == 0] = 1
    residuals = _beside(space, outcome)
    _, sizes, directions = np.linalg.svd(residuals / scale, full_matrices=False)
    kept = sizes > NEGLIGIBLE
    # The rows of `loading` are the residuals' principal components: loadingᵀ loading = residualsᵀ residuals.
    loading = sizes[kept, None] * directions[kept] * scale
    drawn = generator.standard_normal((len(outcome), len(loading)))
    if kind == "ipso-a":
        scores = drawn / np.sqrt(freedom)
    elif kind == "ipso-b":
        scores = _beside(space, drawn) / np.sqrt(freedom)
    else:
        left, _, right = np.linalg.svd(_beside(space, drawn), full_matrices=False)
        scores = left @ right
    return np.asarray(outcome - residuals + scores @ loading)


def _space(regressors: Floats) -> Floats:
    """float64[n, rank]: orthonormal columns that span the constant and the regressors; whatever their rank is."""
    n = len(regressors)
    constant = np.full((n, min(n, 1)), 1 / np.sqrt(max(n, 1)))
    centred = regressors - regressors.mean(axis=0) if n else regressors
    sizes = np.linalg.norm(centred, axis=0)
    varying = sizes > NEGLIGIBLE * np.linalg.norm(regressors, axis=0)
    left, singular, _ = np.linalg.svd(centred[:, varying] / sizes[varying], full_matrices=False)
    return np.hstack(
        [constant, left[:, singular > max(regressors.shape) * np.finfo(float).eps * np.sqrt(varying.sum())]]
    )


def _beside(space: Floats, values: Floats) -> Floats:
    """What is left of the columns without their projection on a space; twice, so that rounding is left out, too."""
    once = values - space @ (space.T @ values)
    return np.asarray(once - space @ (space.T @ once))
