"""Record linkage by distance: 100,000 original records to 100,000 masked ones on seven variables, exactly."""

from __future__ import annotations

import argparse
import sys
from functools import partial

import numpy as np
from numpy.typing import NDArray

from _measure import MET, MISSED, judge, show, start, timed
from auditor.risk import distance_linkage
from auditor.risk.distance_linkage import METRICS, Metric

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
VARIABLES = 7
LIMIT = 30.0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=100_000)
    records = parser.parse_known_args()[0].records
    start(
        f"linkage: {records:,} records to as many on {VARIABLES} variables, every metric, within {LIMIT:g} CPU s each"
    )
    generator = np.random.default_rng(0)
    distance_linkage(*_noise(generator, 2_000))  # loads scipy
    met = []
    for name, make in TABLES.items():
        original, masked = make(generator, records)
        for metric in METRICS:
            rates: list[float] = []
            cost = timed(partial(_link, original, masked, metric, rates))
            show(f"{name}, {metric}: {100 * rates[0]:.1f} %", cost)
            met.append(judge(f"{name}, {metric}, CPU seconds", cost.cpu, LIMIT))
    return MET if all(met) else MISSED


def _link(original: NDArray[np.float64], masked: NDArray[np.float64], metric: Metric, rates: list[float]) -> None:
    rates.append(distance_linkage(original, masked, metric).rate)


def _noise(generator: np.random.Generator, records: int) -> Pair:
    """Normal variables, with noise of 30 % of their standard deviation."""
    original = generator.normal(size=(records, VARIABLES))
    return original, original + generator.normal(size=original.shape, scale=0.3)


def _skewed(generator: np.random.Generator, records: int) -> Pair:
    """Correlated amounts with long tails, with noise of 10 % of each."""
    mixture = generator.normal(size=(VARIABLES, VARIABLES), scale=0.4)
    original = np.exp(generator.normal(size=(records, VARIABLES)) @ mixture).astype(np.float64)
    return original, original * generator.lognormal(size=original.shape, sigma=0.1)


def _ties(generator: np.random.Generator, records: int) -> Pair:
    """Small whole numbers, each masked record in the middle between those it may be of: distances tie in masses."""
    original = (2 * generator.integers(0, 3, (records, VARIABLES))).astype(np.float64)
    return original, original + 2 * generator.integers(0, 2, original.shape) - 1.0


def _unrelated(generator: np.random.Generator, records: int) -> Pair:
    """Uniform variables that have nothing to do with each other, in two independent tables."""
    return generator.random((records, VARIABLES)), generator.random((records, VARIABLES))


TABLES = {"noise": _noise, "skewed": _skewed, "ties": _ties, "unrelated": _unrelated}

if __name__ == "__main__":
    sys.exit(main())
