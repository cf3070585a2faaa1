r"""Loss of numbers and categories in one figure: variance lost and distortion, weighted by how many variables each has.

    numbers       SSE/SST of each variable, standardised (`sse`); 1 where every number became the mean
    categories    mean distortion of each variable (`distortion`); 1 where all is at the top of its hierarchy
    total         the mean over all variables

The definition is ours, made of the two that are used for either kind alone; it compares methods on one table and means
nothing between tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from auditor.errors import DataError
from auditor.hierarchies import Ladder
from auditor.microdata import Categorical, Microdata, Numeric
from auditor.utility._categories import categories
from auditor.utility.distortion import distortion
from auditor.utility.sse import squared_loss


@dataclass(frozen=True)
class MixedLoss:
    """The mean loss of the variables of numbers, of those of categories, and of all; None where there are none.

    0 nothing changed; 1 everything gone. Noise on numbers can lose more than 1. `each` has the loss of each variable;
    None is one of numbers that does not vary in the original, which is left out.
    """

    total: float | None
    numeric: float | None
    categorical: float | None
    each: dict[str, float | None]


def mixed_loss(original: Microdata, masked: Microdata, ladders: Mapping[str, Ladder], beta: float = 0.0) -> MixedLoss:
    """The loss of a masked table, row i the record of row i, with a ladder for each variable of categories.

    Raises:
        DataError: no records, other records or variables, a variable of categories without a ladder, or as
            `distortion` and `squared_loss`.
        UsageError: beta is below 0.
    """
    if not original.variables:
        raise DataError("the table has no columns, so there is no loss to measure")
    numbers = [variable.name for variable in original.variables if isinstance(variable, Numeric)]
    of_numbers = squared_loss(original.only(numbers), masked.only(numbers)).each if numbers else {}
    losses = {name: None if percent is None else percent / 100 for name, percent in of_numbers.items()}
    named = [variable for variable in original.variables if isinstance(variable, Categorical)]
    if named:
        categories(original, masked, same_records=True)
    distortions = {each.name: _distorted(each, masked, ladders, beta) for each in named}
    each: dict[str, float | None] = {name: {**losses, **distortions}[name] for name in original.names}
    return MixedLoss(
        total=_mean(each.values()), numeric=_mean(losses.values()), categorical=_mean(distortions.values()), each=each
    )


def _distorted(original: Categorical, masked: Microdata, ladders: Mapping[str, Ladder], beta: float) -> float:
    name, after = original.name, masked[original.name]
    if name not in ladders:
        raise DataError(f"column {name!r} has no hierarchy, so it is not known how far its values were generalized")
    if not isinstance(after, Categorical):
        raise DataError(f"column {name!r} of the masked table holds numbers, where the original's holds categories")
    return float(distortion(original, after, ladders[name], beta).mean())


def _mean(losses: Iterable[float | None]) -> float | None:
    known = [loss for loss in losses if loss is not None]
    return float(np.mean(known)) if known else None
