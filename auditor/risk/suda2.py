"""SUDA2: special uniques, records that are alone in the sample by few of their keys, and by many sets of them.

A minimal sample unique (MSU) of a record is a set of keys on which it is alone, while on no smaller part of the set it
is. The fewer keys it has, the more it weighs; a record's score is the sum over its MSUs. With M keys, one of size k
weighs (M−k)! = Π_{i=k}^{M−1}(M−i), or normalised (2^(M−k)−1)/C(M,k).

DIS-SUDA spreads the probability that a unique match is correct over the records by their scores: with U records alone
on all keys, D records in classes of two and sampling fraction φ, it is P = Uφ/(Uφ + D(1−φ)) for the file (Skinner and
Elliot 2002), and for a record with score s

    1 / (1 + (U/P − U)/(s^q A)),    q = 1 + (8−M)/20,  A = Σ s^−q over the records with a score.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, factorial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from auditor.errors import UsageError
from auditor.microdata import MISSING, Microdata
from auditor.risk._keys import Codes, Counts, Reals, classes_of, key_codes, key_names
from auditor.risk._minimal_uniques import members, minimal_uniques


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """The scores of every record, and what each key contributes.

    Attributes:
        names: the M keys.
        sizes: int64[n, m]: how many MSUs of 1, 2, … m keys a record has.
        scores: float64[n], 0 for a record without an MSU; larger is riskier.
        dis: float64[n], from 0 to 1: the probability that a match with the record is correct; 0 without a score.
        shares: float64[n, M]: the share of a record's score that comes from MSUs with each key, from 0 to 1; 0 without
            a score. An MSU of several keys counts for each of them, so a record's shares can add up to more than 1.
        contributions: float64[M], percent: the same for the sum of all scores; 0 where there are none.
        value_contributions: per key float64[categories], percent: how the key's contribution splits over its values, by
            code; sums to 100, or 0 where the key contributes nothing.
        uniques: U, the records that are alone on all keys.
    """

    names: tuple[str, ...]
    sizes: Counts
    scores: Reals
    dis: Reals
    shares: Reals
    contributions: Reals
    value_contributions: tuple[Reals, ...]
    uniques: int

    @property
    def special(self) -> NDArray[np.bool_]:
        """bool[n]: which records have an MSU of fewer keys than all."""
        return np.asarray(self.sizes[:, : len(self.names) - 1].any(axis=1))


def special_uniques(
    keys: NDArray[np.integer] | Microdata,
    *,
    max_size: int | None = None,
    weighting: Literal["original", "normalised"] = "original",
    fraction: float = 0.01,
) -> SpecialUniques:
    """All minimal sample uniques of up to `max_size` keys, and the scores of the records (M. Elliot et al. 2005).

    Args:
        keys: int[n, M] codes (−1 is missing), or a table of categories. A missing value is in no MSU and agrees with no
            other record's value, which is the cautious reading; for U and D missing equals missing.
        max_size: the largest number of keys of an MSU that is looked for, from 1 to M; None: M. The weights do not
            depend on it, so that a smaller one gives a lower bound of the scores.
        weighting: how MSUs are weighed, see the top of this file. Normalised, an MSU of all M keys weighs 0.
        fraction: φ, the share of the population that the table samples, above 0 and at most 1.

    Raises:
        DataError: there is no record.
        UsageError: an argument is out of its range, or there are too many sets of keys to look at.
    """
    codes = key_codes(keys)
    count = codes.shape[1]
    largest = count if max_size is None else max_size
    if not 1 <= largest <= count:
        raise UsageError(f"max_size is a number of keys from 1 to {count}")
    if not 0 < fraction <= 1:
        raise UsageError("fraction is a sampling fraction, above 0 and at most 1")
    first, where, multiplicity = _alone_first(codes)
    uniques = int(np.count_nonzero(multiplicity == 1))
    sizes, raw = _weighed(codes[first], uniques, largest, _weights(count, weighting))
    scores = sizes @ _weights(count, weighting)[:largest]
    shares = raw / np.where(scores > 0, scores, 1.0)[:, None]
    pairs = 2 * int(np.count_nonzero(multiplicity == 2))
    totals = raw.sum(axis=0)
    return SpecialUniques(
        names=key_names(keys),
        sizes=sizes[where],
        scores=scores[where],
        dis=_dis(scores, count, pairs, fraction)[where],
        shares=shares[where],
        contributions=100 * totals / max(float(scores.sum()), np.finfo(float).tiny),
        value_contributions=tuple(
            _by_value(codes[first, i], raw[:, i], int(codes[:, i].max(initial=MISSING)) + 1) for i in range(count)
        ),
        uniques=uniques,
    )


def _alone_first(codes: Codes) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """A record of each class, the class of each record, the sizes of the classes; those of one record come first."""
    first, where = classes_of(codes)
    multiplicity = np.bincount(where)
    order = np.argsort(multiplicity > 1, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[where], multiplicity[order]


def _weights(keys: int, weighting: str) -> Reals:
    """float64[M]: the weight of an MSU of 1, 2, … M keys."""
    if weighting == "original":
        return np.array([float(factorial(keys - k)) for k in range(1, keys + 1)])
    if weighting == "normalised":
        return np.array([(2 ** (keys - k) - 1) / comb(keys, k) for k in range(1, keys + 1)])
    raise UsageError("weighting is 'original' or 'normalised'")


def _weighed(codes: Codes, alone: int, largest: int, weights: Reals) -> tuple[Counts, Reals]:
    """The MSUs of each record by size (int64[m, largest]), and the weights of those with each key (float64[m, M])."""
    sizes = np.zeros((largest, len(codes)), dtype=np.int64)
    by_key = np.zeros((codes.shape[1], len(codes)))
    for mask, found in minimal_uniques(codes, alone, largest):
        if not len(found):
            continue
        used = members(mask)
        sizes[len(used) - 1][found] += 1
        for key in used:
            by_key[key][found] += weights[len(used) - 1]
    return sizes.T, by_key.T


def _dis(scores: Reals, keys: int, pairs: int, fraction: float) -> Reals:
    """float64[m]: DIS-SUDA of each score. U/P − U is D(1−φ)/φ; without pairs every match is correct."""
    dis = np.zeros(len(scores))
    scored = scores > 0
    if not scored.any():
        return dis
    odds = pairs * (1 - fraction) / fraction
    if odds == 0:
        dis[scored] = 1.0
        return dis
    powers = (1 + (8 - keys) / 20) * np.log(scores[scored])
    dis[scored] = 1 / (1 + np.exp(np.log(odds) - powers - np.logaddexp.reduce(-powers)))
    return dis


def _by_value(column: NDArray[np.int32], weights: Reals, categories: int) -> Reals:
    """float64[categories]: the percentage of a key's weight that each of its values has. A missing one has none."""
    present = column != MISSING
    split = np.bincount(column[present], weights[present], minlength=categories)
    return 100 * split / max(float(split.sum()), np.finfo(float).tiny)
