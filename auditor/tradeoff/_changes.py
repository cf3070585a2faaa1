"""What a method does to each attribute and to the correlations, for the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from auditor.microdata import Microdata
from auditor.result import AttributeChange

BINS = 20


def changes(before: Microdata, after: Microdata, columns: Sequence[str]) -> Iterator[AttributeChange]:
    """Each column's histogram before and after, over bins of equal width that cover both."""
    for name in columns:
        one, other = before.numeric(name).values, after.numeric(name).values
        both = np.concatenate([one, other])
        low, high = float(np.nanmin(both)), float(np.nanmax(both))
        edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
        yield AttributeChange(
            name=name,
            edges=tuple(edges.tolist()),
            before=_shares(one, edges),
            after=_shares(other, edges),
        )


def _shares(values: NDArray[np.float64], edges: NDArray[np.float64]) -> tuple[float, ...]:
    counts, _ = np.histogram(values, edges)
    return tuple((counts / len(values)).tolist())


def correlation_changes(before: Microdata, after: Microdata, columns: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    """After less before, column by column; a correlation with a constant column counts as 0."""
    difference = _correlations(after.numbers(columns)) - _correlations(before.numbers(columns))
    return tuple(tuple(line) for line in difference.tolist())


def _correlations(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = numbers - numbers.mean(axis=0)
    scale = np.sqrt((centred**2).sum(axis=0))
    scale[scale == 0] = np.inf
    return np.asarray((centred / scale).T @ (centred / scale))
