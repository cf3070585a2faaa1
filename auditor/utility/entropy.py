r"""Entropy-based loss: how uncertain the original category is to whoever sees the masked one.

A masked category v' leaves the original category V with the distribution P(V = i | V' = v'), and so with the entropy::

    H(V | V' = v') = −Σ_i P(i | v') log2 P(i | v'),     loss = Σ_records H(V | V' = v'_record)    bits

It measures what PRAM, global recoding and local suppression do by one rule: a suppressed category leaves whatever the
suppressed records had; a recoded one leaves what was recoded to it. An exchange of names loses nothing.

Source: J. Domingo-Ferrer, V. Torra, Disclosure control methods and information loss for microdata, in:
Confidentiality, Disclosure and Data Access, 2001, 91-110.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError, UsageError
from auditor.microdata import Categorical
from auditor.utility._numbers import Floats


@dataclass(frozen=True)
class EntropyLoss:
    """Bits lost in all and per record, and the share of the most there could be.

    `share` is `per_record`/log2(categories), from 0 to 1; `categories` are those that occur in the original, and the
    share is 0 where that is one.
    """

    bits: float
    per_record: float
    share: float
    categories: int


def entropy_loss(original: Categorical, masked: Categorical, transition: Floats | None = None) -> EntropyLoss:
    """The entropy-based loss of one column, row i the record of row i.

    Args:
        original: the column as it was; missing is a category here.
        masked: the column as it is published.
        transition: float64[c, d], the probability that the original's label i becomes the masked column's label j,
            which the analysts of a file masked by PRAM are told; P(i | j) follows by Bayes from the original's shares.
            Without it, it is counted in the two columns, which is what recoding and suppression did.

    Raises:
        DataError: no records, another number of records; with `transition`, missing values or a masked category that
            it gives no chance.
        UsageError: `transition` has another shape, or a row that is no distribution.
    """
    n = len(original.codes)
    if not n or len(masked.codes) != n:
        raise DataError(
            f"the masked column has {len(masked.codes)} records and the original {n}; both need the same, ≥ 1"
        )
    occurring = int((np.bincount(_codes(original)) > 0).sum())
    bits = _counted(original, masked) if transition is None else _told(original, masked, transition)
    return EntropyLoss(bits, bits / n, bits / (n * math.log2(occurring)) if occurring > 1 else 0.0, occurring)


def _counted(original: Categorical, masked: Categorical) -> float:
    """Σ n_ij log2(n_j/n_ij) over the pairs of categories (i, j) that n_ij records have, n_j of them masked as j."""
    size = len(masked.labels) + 1
    pairs, counts = np.unique(_codes(original) * size + _codes(masked), return_counts=True)
    records = np.bincount(_codes(masked))
    return float((counts * np.log2(records[pairs % size] / counts)).sum())


def _codes(column: Categorical) -> NDArray[np.int64]:
    """The column's codes; missing is the one after the last label."""
    return np.where(column.missing, len(column.labels), column.codes).astype(np.int64)


def _told(original: Categorical, masked: Categorical, transition: Floats) -> float:
    """Σ_j m_j H(V | V' = j): m_j records are masked as j; P(i | j) is as the original's n_i p_ij."""
    _check(original, masked, transition)
    joint = np.bincount(original.codes, minlength=len(original.labels))[:, None] * transition
    seen, total = np.bincount(masked.codes, minlength=len(masked.labels)), joint.sum(0)
    if (seen[total == 0] > 0).any():
        raise DataError(f"column {original.name!r} holds a masked category that the transition matrix gives no chance")
    conditional = joint[:, total > 0] / total[total > 0]
    logarithm = np.log2(conditional, out=np.zeros_like(conditional), where=conditional > 0)
    return abs(float((conditional * logarithm).sum(0) @ seen[total > 0]))


def _check(original: Categorical, masked: Categorical, transition: Floats) -> None:
    shape = (len(original.labels), len(masked.labels))
    if transition.shape != shape:
        raise UsageError(f"the transition matrix has the shape {transition.shape}; the columns' labels ask for {shape}")
    if not ((transition >= 0).all() and np.allclose(transition.sum(1), 1, rtol=0, atol=1e-9)):
        raise UsageError("every row of a transition matrix must hold probabilities ≥ 0 of sum 1")
    if original.missing.any() or masked.missing.any():
        raise DataError(f"column {original.name!r} has missing values, which the transition matrix does not cover")
