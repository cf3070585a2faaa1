"""k-map and δ-presence: a release held against a table of the population that it was taken from.

k-map (Sweeney 2001): every released record agrees with at least k persons of the population on its keys, generalized in
the same way. Who does not know whether a person is in the release can do no better than to pick one of them.

δ-presence (Nergiz, Atzori, Clifton 2007): for every person of the population, the probability to be in the release, the
released records of the person's class over its persons, lies between δ_min and δ_max.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError, UsageError
from auditor.microdata import MISSING
from auditor.risk._compatible import agreeing
from auditor.risk._keys import Codes, Counts, Reals, classes_of
from auditor.risk._two_tables import Keys, persons, same_codes


@dataclass(frozen=True, eq=False)
class PopulationMatches:
    """How many persons of the population each released record may be.

    Attributes:
        matches: int64[n]: the persons of the population that agree with each released record; 0 where it has none.
        k: the least of them: the release is k-map for this k and for none larger.
        risks: float64[n]: 1/matches; ∞ where there is none.
        absent: how many released records agree with nobody of the population.
    """

    matches: Counts
    k: int
    risks: Reals
    absent: int


@dataclass(frozen=True, eq=False)
class Presence:
    """How surely each person of the population is in the release.

    Attributes:
        released: int64[N]: the released records of each population row's class; 0 where the class was not released.
        population: int64[N]: the persons of its class.
    """

    released: Counts
    population: Counts

    @property
    def shares(self) -> Reals:
        """float64[N]: the probability that a person of each row is in the release, from 0 to 1."""
        return self.released / self.population

    @property
    def low(self) -> float:
        """δ_min: the least share of all classes of the population; 0 where one of them was not released."""
        return float(self.shares.min())

    @property
    def high(self) -> float:
        """δ_max: the largest share of all classes of the population; 1 tells of a whole class that it is released."""
        return float(self.shares.max())


def match_population(
    release: Keys,
    population: Keys,
    *,
    counts: NDArray[np.integer] | None = None,
    absent: Literal["refuse", "report"] = "refuse",
) -> PopulationMatches:
    """The persons of the population that each released record may be, and k.

    Args:
        release: the released keys, int[n, d] codes (−1 is missing) or a table of categories.
        population: those of the population, generalized to the same values; a table may have more columns.
        counts: int[N], how many persons each row of the population is about; None: one each.
        absent: what to do where a released record agrees with nobody: refuse, since the population is not one that the
            release was taken from, or report it with k = 0 and a risk of ∞.

    A missing key, of a released record or of the population, agrees with every value.

    Raises:
        DataError: a table has no record, or a released record agrees with nobody and that is refused.
        UsageError: the tables do not go together, or an argument is of another length or kind.
    """
    if absent not in ("refuse", "report"):
        raise UsageError("absent is 'refuse' or 'report'")
    released, everybody = same_codes(release, population)
    amounts = persons(counts, len(everybody))
    # Exact: sums of integers below 2⁵³.
    matches = np.rint(agreeing(released, everybody, amounts.astype(np.float64)[:, None])[:, 0]).astype(np.int64)
    missing = int(np.count_nonzero(matches == 0))
    if missing and absent == "refuse":
        raise _not_of_the_population()
    risks = np.full(len(matches), np.inf)
    np.divide(1.0, matches, out=risks, where=matches > 0)
    return PopulationMatches(matches, int(matches.min()), risks, missing)


def presence(release: Keys, population: Keys, *, counts: NDArray[np.integer] | None = None) -> Presence:
    """The share of every class of the population that is in the release.

    Args:
        release: the released keys, int[n, d] codes or a table of categories.
        population: those of the population, generalized to the same values; a table may have more columns.
        counts: int[N], how many persons each row of the population is about, at least 1; None: one each.

    Raises:
        DataError: a table has no record or a missing key (classes would overlap), a row of the population is about
            nobody, a released record agrees with nobody, or more records of a class are released than it has persons.
        UsageError: the tables do not go together, or an argument is of another length or kind.
    """
    released, everybody = same_codes(release, population)
    if min(released.min(), everybody.min()) == MISSING:
        raise DataError("a key is missing; δ-presence needs classes that do not overlap: give missing keys a category")
    amounts = persons(counts, len(everybody))
    if not amounts.all():
        raise DataError("counts: one is 0; for δ-presence each row of the population is about somebody")
    records, people, where = _per_class(released, everybody, amounts)
    if np.any(people == 0):
        raise _not_of_the_population()
    if np.any(records > people):
        raise DataError(
            "more records of a class are released than the population has persons in it: the release was not taken "
            "from this population, or a person stands in it more than once"
        )
    return Presence(records[where], people[where])


def _per_class(released: Codes, everybody: Codes, amounts: Counts) -> tuple[Counts, Counts, NDArray[np.intp]]:
    """The released records and the persons of each class of either table, and the class of each population row."""
    _, where = classes_of(np.concatenate((released, everybody)))
    ours, theirs = where[: len(released)], where[len(released) :]
    classes = int(where.max()) + 1
    people = np.bincount(theirs, amounts.astype(np.float64), minlength=classes)
    records = np.bincount(ours, minlength=classes)
    return records.astype(np.int64), np.rint(people).astype(np.int64), theirs


def _not_of_the_population() -> DataError:
    return DataError(
        "a released record has keys that nobody in the population has; the population has to hold everybody in the "
        "release, with the same generalization"
    )
