"""Second computations for the room of inference: slow, short, and by other means than the room's own."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from scipy.sparse import csr_array

from auditor.inference import Equations

Bound = tuple[Fraction | None, Fraction | None]


def equations_of(rows: Sequence[Sequence[int]], sizes: Sequence[int]) -> Equations:
    """Rows given as lists."""
    matrix = np.array(rows, dtype=np.int64).reshape(len(rows), len(sizes))
    return Equations(csr_array(matrix), np.array(sizes, dtype=np.int64))


def members_of(rows: Sequence[Sequence[int]], sizes: Sequence[int]) -> list[list[int]]:
    """The rows over single unknowns, an atom's members side by side."""
    return [[value for value, size in zip(row, sizes, strict=True) for _ in range(size)] for row in rows]


def solve(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """The only solution of a linear system, by elimination with fractions; None where there is not just one."""
    table = [[*map(Fraction, row), Fraction(value)] for row, value in zip(matrix, right, strict=True)]
    if not table:
        return None
    columns = len(table[0]) - 1
    done = 0
    for column in range(columns):
        pivot = next((row for row in range(done, len(table)) if table[row][column]), None)
        if pivot is None:
            return None
        table[done], table[pivot] = table[pivot], table[done]
        table[done] = [value / table[done][column] for value in table[done]]
        for row in range(len(table)):
            if row != done and table[row][column]:
                factor = table[row][column]
                table[row] = [a - factor * b for a, b in zip(table[row], table[done], strict=True)]
        done += 1
    if any(row[-1] for row in table[done:]):
        return None
    return [table[row][-1] for row in range(columns)]


def corners(
    rows: Sequence[Sequence[int]], right: Sequence[Fraction], bounds: Sequence[Bound]
) -> Iterator[list[Fraction]]:
    """Every corner of {x : rows·x = right, within bounds}: some unknowns at an end of their bounds fix the others."""
    count = len(bounds)
    for fixed in range(count + 1):
        for chosen in combinations(range(count), fixed):
            ends = [[end for end in set(bounds[i]) if end is not None] for i in chosen]
            for values in product(*ends):
                extra = [[int(i == j) for j in range(count)] for i in chosen]
                x = solve([*rows, *extra], [*right, *values])
                if x is not None and all(
                    (low is None or low <= value) and (high is None or value <= high)
                    for value, (low, high) in zip(x, bounds, strict=True)
                ):
                    yield x
