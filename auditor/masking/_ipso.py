"""IPSO, information preserving statistical obfuscation: columns drawn anew from their regression on others.

All sums of squares are of columns that are centred and divided by their spread, so that neither the unit of a column
nor its distance from 0 costs digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError

Floats: TypeAlias = NDArray[np.float64]
Ipso: TypeAlias = Literal["ipso-a", "ipso-b", "ipso-c"]
NEGLIGIBLE = 1e-12
"""Residuals below this share of a column's spread are rounding: the regressors determine the column."""
COLLINEAR = 1e-10
"""A combination of standardised regressors is constant where it varies by less than this share of what each varies."""
LAST_DIGITS = 1e-14
"""This share of its largest value may be wrong in a column that was computed from another, or written in decimals."""
EXACT = 1e-8
"""What is kept exactly may miss by this share of a column's spread, and by what rounding must cost (see `_check`)."""
EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Regressors:
    """The columns that vary, each centred and of length 1.

    A combination of them that is shorter than `rounding` is the constant 0, but for rounding.
    """

    columns: Floats
    rounding: float

    def space(self) -> tuple[Floats, float]:
        """Orthonormal columns that span the constant and the regressors, and the length of the shortest combination.

        float64[n, rank], whatever the rank is. The left singular vector of a short combination is the quotient of two
        small numbers, and what rounding left of the constant in it is no longer small: so all are made orthogonal to
        the constant and to each other once more.
        """
        n = len(self.columns)
        constant = np.full((n, min(n, 1)), 1 / np.sqrt(max(n, 1)))
        left, singular, _ = np.linalg.svd(self.columns, full_matrices=False)
        kept = singular > self.rounding
        spanning = np.hstack([constant, left[:, kept]])
        return np.linalg.qr(spanning)[0], float(singular[kept].min(initial=1.0))


def simulated(outcome: Floats, regressors: Floats, kind: Ipso, generator: np.random.Generator) -> Floats:
    """float64[n, q]: fitted values and new residuals.

    Args:
        outcome: float64[n, q], the columns to replace; no value missing.
        regressors: float64[n, r], without the constant, of any rank.
        kind: residuals as drawn (a), without what regressors explain of them (b), and with the covariance of the old
            ones exactly (c).
        generator: what is drawn with.

    Raises:
        DataError: fewer than two degrees of freedom are left, or rounding lost what this kind keeps.
    """
    before, powers = _scaled(outcome)
    given = _standardised(_scaled(regressors)[0])
    space, shortest = given.space()
    freedom = len(before) - space.shape[1]
    if freedom < 2:
        raise DataError(
            f"{len(before)} records with a value in each column, and regressors of rank {space.shape[1]} with the "
            "constant: at least two records more than that are needed, or the original values would come back"
        )
    centred = _centred(before)
    spread = np.linalg.norm(centred, axis=0)
    residuals = _beside(space, centred)
    after = before - residuals + _drawn(residuals, np.where(spread > 0, spread, 1), space, kind, generator)
    if kind != "ipso-a":
        _check(kind, given, shortest, before, after)
    with np.errstate(over="ignore"):  # an infinity is refused by who applies the method, with the column's name
        return np.ldexp(after, powers)


def _drawn(residuals: Floats, spread: Floats, space: Floats, kind: Ipso, generator: np.random.Generator) -> Floats:
    """float64[n, q]: new residuals for the old ones."""
    freedom = len(residuals) - space.shape[1]
    _, sizes, directions = np.linalg.svd(residuals / spread, full_matrices=False)
    kept = sizes > NEGLIGIBLE
    # The rows of `loading` are the residuals' principal components: loadingᵀ loading = residualsᵀ residuals.
    loading = sizes[kept, None] * directions[kept] * spread
    drawn = generator.standard_normal((len(residuals), len(loading)))
    if kind == "ipso-a":
        scores = drawn / np.sqrt(freedom)
    elif kind == "ipso-b":
        scores = _beside(space, drawn) / np.sqrt(freedom)
    else:
        left, _, right = np.linalg.svd(_beside(space, drawn), full_matrices=False)
        scores = left @ right
    return np.asarray(scores @ loading)


def _scaled(values: Floats) -> tuple[Floats, NDArray[np.intc]]:
    """The columns divided by powers of 2, which changes no digit, so that no square leaves float64; and the powers."""
    powers = np.frexp(np.abs(values).max(axis=0, initial=0.0))[1]
    return np.ldexp(values, -powers), powers


def _centred(values: Floats) -> Floats:
    """The columns less their means; twice, so that how far from 0 they lie leaves no mean behind."""
    if not len(values):
        return values
    varies = values.min(axis=0) < values.max(axis=0)
    once = np.where(varies, values - values.mean(axis=0), 0.0)
    return np.asarray(once - once.mean(axis=0))


def _standardised(values: Floats) -> Regressors:
    """The regressors of some columns; one that varies by no more than its last digits is a constant."""
    centred = _centred(values)
    lengths = np.linalg.norm(centred, axis=0)
    last_digits = LAST_DIGITS * np.sqrt(len(values)) * np.abs(values).max(axis=0, initial=0.0)
    varying = lengths > last_digits
    shares = np.maximum(COLLINEAR, last_digits[varying] / lengths[varying])
    return Regressors(centred[:, varying] / lengths[varying], float(np.linalg.norm(shares)))


def _beside(space: Floats, values: Floats) -> Floats:
    """What is left of the columns without their projection on a space; twice, so that rounding is left out, too."""
    once = values - space @ (space.T @ values)
    return np.asarray(once - space @ (space.T @ once))


def _check(kind: Ipso, given: Regressors, shortest: float, before: Floats, after: Floats) -> None:
    """Regress both tables on the regressors by least squares, and compare: means and B, and for ipso-c Σ.

    Fitted values stand for B: they move with it by what the regressors vary. Rounding must cost a share of 2⁻⁵² of a
    value, and, where a combination of regressors is short, so much more in its direction as 1 is longer.
    """
    design = np.hstack([np.full((len(before), 1), 1 / np.sqrt(len(before))), given.columns])
    least = given.rounding / float(np.linalg.norm(design, 2))
    both = np.hstack([_centred(before), after - before])
    fitted = design @ np.linalg.lstsq(design, both, rcond=least)[0]
    old, moved = np.hsplit(both - fitted, 2)
    spread = np.linalg.norm(both[:, : before.shape[1]], axis=0)
    digits = EPSILON * np.sqrt(len(before)) * np.abs(before).max(axis=0)
    allowed = (EXACT + 100 * EPSILON / shortest) * spread + 4 * digits
    wrong = [
        np.abs(both[:, before.shape[1] :].sum(axis=0)) / np.sqrt(len(before)) > allowed,
        np.linalg.norm(fitted[:, before.shape[1] :], axis=0) > allowed,
    ]
    if kind == "ipso-c":
        new = old + moved
        wrong.append((np.abs(new.T @ new - old.T @ old) > np.outer(allowed, spread) + np.outer(spread, allowed)).any(0))
    if np.any(wrong):
        raise DataError(
            "the columns of given depend on each other so nearly that rounding loses the mean, B or Σ, which "
            f"{kind} keeps; leave out one of those that say the same in another unit"
        )
