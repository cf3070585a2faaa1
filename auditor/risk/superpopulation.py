"""Population uniqueness: how many persons of the population are alone by their keys, estimated from a sample.

No estimator is good everywhere. Dankar et al. 2012 propose a rule, found on clinical data: Pitman's where at most a
tenth of the population is sampled; else the smaller of the slide negative binomial and Zayatz's. Where the chosen model
has no estimate, Zayatz's takes its place, as in ARX.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from auditor.errors import UsageError
from auditor.microdata import Microdata
from auditor.risk._keys import Counts, classes_of, key_codes
from auditor.risk._pitman import pitman
from auditor.risk._slide_negative_binomial import slide_negative_binomial
from auditor.risk._uniques import SampleClasses, UniquesEstimate
from auditor.risk._zayatz import zayatz

Model: TypeAlias = Literal["pitman", "zayatz", "snb"]

SMALL_FRACTION = 0.1
"""Up to this sampling fraction the rule takes Pitman's estimator."""


@dataclass(frozen=True)
class EstimatedUniques:
    """The persons who are alone in the population, by each model and by the rule.

    Attributes:
        records: n, the records of the sample.
        population: N, the persons of the population: n over the sampling fraction, rounded.
        sample_uniques: how many records are alone in the sample.
        pitman: the estimate of Pitman's model, or why it has none; so for the two others.
        zayatz: Zayatz's; there always is one.
        snb: that of the slide negative binomial.
        chosen: the model whose estimate the rule takes.
        uniques: its estimate, from 0 to N.
    """

    records: int
    population: int
    sample_uniques: int
    pitman: UniquesEstimate
    zayatz: UniquesEstimate
    snb: UniquesEstimate
    chosen: Model
    uniques: float

    @property
    def share(self) -> float:
        """The estimated share of the population that is alone, from 0 to 1."""
        return self.uniques / self.population


def estimate_uniques(keys: NDArray[np.integer] | Microdata, *, sampling_fraction: float) -> EstimatedUniques:
    """Estimate how many persons are alone in the population by their keys (F. Dankar, K. El Emam et al. 2012).

    Args:
        keys: those of the sample, int[n, d] codes (−1 is missing) or a table of categories; missing equals missing.
        sampling_fraction: which share of the population the sample is, above 0 and at most 1; drawn at random.

    Raises:
        DataError: there is no record.
        UsageError: the sampling fraction is out of its range.
    """
    _, where = classes_of(key_codes(keys))
    sample = _sample(np.bincount(where).astype(np.int64), sampling_fraction)
    by_pitman, by_zayatz, by_snb = pitman(sample), zayatz(sample), slide_negative_binomial(sample)
    chosen, uniques = _by_rule(sample.fraction, by_pitman, by_zayatz, by_snb)
    return EstimatedUniques(
        records=sample.records,
        population=sample.population,
        sample_uniques=sample.of_size(1),
        pitman=by_pitman,
        zayatz=UniquesEstimate(by_zayatz),
        snb=by_snb,
        chosen=chosen,
        uniques=uniques,
    )


def unique_share(members: Counts, *, sampling_fraction: float, estimator: Model | Literal["dankar"]) -> float | str:
    """One estimate of the share of the population that is alone, from int64[c], the sizes of the sample's classes.

    ``dankar`` takes the model that the rule chooses. Why there is none, where the model has no estimate.
    """
    sample = _sample(members, sampling_fraction)
    if estimator == "dankar":
        small = sample.fraction <= SMALL_FRACTION
        by_pitman = pitman(sample) if small else UniquesEstimate(None)
        by_snb = UniquesEstimate(None) if small else slide_negative_binomial(sample)
        return _by_rule(sample.fraction, by_pitman, zayatz(sample), by_snb)[1] / sample.population
    if estimator == "zayatz":
        return zayatz(sample) / sample.population
    found = pitman(sample) if estimator == "pitman" else slide_negative_binomial(sample)
    return str(found.reason) if found.uniques is None else float(found.uniques) / sample.population


def _sample(members: Counts, sampling_fraction: float) -> SampleClasses:
    if not 0 < sampling_fraction <= 1:
        raise UsageError("the sampling fraction is above 0 and at most 1")
    sizes, counts = np.unique(members, return_counts=True)
    return SampleClasses(sizes, counts.astype(np.int64), round(int(members.sum()) / sampling_fraction))


def _by_rule(fraction: float, pitman: UniquesEstimate, zayatz: float, snb: UniquesEstimate) -> tuple[Model, float]:
    """The model that the rule of Dankar et al. takes, and its estimate."""
    if fraction <= SMALL_FRACTION:
        return ("zayatz", zayatz) if pitman.uniques is None else ("pitman", pitman.uniques)
    return ("zayatz", zayatz) if snb.uniques is None or zayatz < snb.uniques else ("snb", snb.uniques)
