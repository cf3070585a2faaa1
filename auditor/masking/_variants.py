"""The variants of microaggregation by their names: how the columns of a block become groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError
from auditor.masking._mdav import mdav_of
from auditor.masking._projections import first_column, principal_component, sum_of_scores
from auditor.masking._space import refuse_missing, space_of, standardised
from auditor.masking._univariate import best_in_order, fixed_size
from auditor.microdata import Microdata, Numeric

Grouping = Callable[[Microdata, int], NDArray[np.int32]]
"""The number of each record's group, int32[n], for a table of the columns of one block, and k."""


def _mdav(block: Microdata, k: int) -> NDArray[np.int32]:
    return mdav_of(space_of(block.variables), k)


def _individual_ranking(block: Microdata, k: int) -> NDArray[np.int32]:
    (variable,) = block.variables
    refuse_missing(variable)
    if isinstance(variable, Numeric):
        return fixed_size(variable.values, k)
    if not variable.ordered:
        raise DataError(f"column {variable.name!r} holds categories without an order, so they cannot be ranked")
    return fixed_size(variable.codes, k)


def _optimal(block: Microdata, k: int) -> NDArray[np.int32]:
    (values,) = _scores(block)
    return best_in_order(values[:, None], values, k)


def _projected(projection: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Grouping:
    def grouped(block: Microdata, k: int) -> NDArray[np.int32]:
        points = np.column_stack(_scores(block))
        return best_in_order(points, projection(points), k)

    return grouped


def _scores(block: Microdata) -> Sequence[NDArray[np.float64]]:
    return [standardised(block.numeric(name)) for name in block.names]


BY_COLUMN = frozenset({"individual-ranking", "optimal"})
"""The variants that group the values of each column by themselves."""

VARIANTS: Mapping[str, Grouping] = MappingProxyType(
    {
        "mdav": _mdav,
        "individual-ranking": _individual_ranking,
        "optimal": _optimal,
        "principal-component": _projected(principal_component),
        "z-scores": _projected(sum_of_scores),
        "first": _projected(first_column),
    }
)
