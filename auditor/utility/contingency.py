r"""How much contingency tables have changed: the sum of absolute differences of their counts.

For all tables of one up to `dimensions` variables of categories, with counts f and f'::

    loss = Σ_tables Σ_cells |f − f'|

A record that changes its cell counts twice, unless another takes its place: the order of records does not matter.

Source: J. Domingo-Ferrer, V. Torra, Disclosure control methods and information loss for microdata, in:
Confidentiality, Disclosure and Data Access, 2001, 91-110.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from auditor.errors import UsageError
from auditor.microdata import Microdata
from auditor.utility._categories import Aligned, Codes, categories


@dataclass(frozen=True)
class TableLoss:
    """The difference of the tables of up to `dimensions` variables.

    `absolute` is the sum, an integer; `per_cell` it per cell of all tables, where cells that no record has count, too.
    `share` is the sum as a share of the largest there could be, 0 to 1: the sum over both files' records in all tables;
    `each` is that of each table. Missing is a category where it occurs.
    """

    dimensions: int
    absolute: int
    cells: int
    per_cell: float
    share: float
    each: dict[tuple[str, ...], float]


def table_loss(original: Microdata, masked: Microdata, dimensions: int = 2) -> TableLoss:
    """The difference of all contingency tables of one up to `dimensions` variables.

    The masked table may have fewer records; those that are gone are missing in every table.

    Raises:
        DataError: no records, no variable of categories, or the masked table lacks one.
        UsageError: `dimensions` is below 1.
    """
    if dimensions < 1:
        raise UsageError(f"tables of {dimensions} dimensions were asked for; a table has at least 1")
    variables = categories(original, masked, same_records=False)
    chosen = [chosen for size in range(1, dimensions + 1) for chosen in combinations(variables, size)]
    differences = {tuple(pair.name for pair in table): _difference(table) for table in chosen}
    absolute = sum(differences.values())
    cells = sum(math.prod(pair.categories for pair in table) for table in chosen)
    both = original.records + masked.records
    return TableLoss(
        dimensions=dimensions,
        absolute=absolute,
        cells=cells,
        per_cell=absolute / cells,
        share=absolute / (both * len(chosen)),
        each={names: difference / both for names, difference in differences.items()},
    )


def _difference(table: Sequence[Aligned]) -> int:
    """Σ|f − f'| over the cells that either file has records in."""
    n = len(table[0].before)
    cell: Codes = np.zeros(n + len(table[0].after), np.int64)
    for pair in table:
        joined = cell * (pair.missing + 1) + np.concatenate([pair.before, pair.after])
        # Numbered again after every variable, so that the numbers of cells stay as small as the records are few.
        cell = np.unique(joined, return_inverse=True)[1].astype(np.int64)
    size = int(cell.max()) + 1
    return int(np.abs(np.bincount(cell[:n], minlength=size) - np.bincount(cell[n:], minlength=size)).sum())
