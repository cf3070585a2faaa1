"""Systems of equations to try: generated ones, and ones built against a way to go wrong."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csr_array

from auditor.inference import Equations


def equations(rows: list[list[int]], sizes: list[int] | None = None) -> Equations:
    """Equations from rows written out."""
    matrix = csr_array(np.array(rows, dtype=np.int64).reshape(len(rows), -1))
    return Equations(matrix, np.array(sizes or [1] * matrix.shape[1], dtype=np.int64))


@st.composite
def matrices(
    draw: st.DrawFn, entries: tuple[int, ...] = (0, 0, 1, 1, 1), rows: int = 8, columns: int = 8
) -> list[list[int]]:
    """Small matrices, with rows derived from others among them."""
    width = draw(st.integers(1, columns))
    made = draw(st.lists(st.lists(st.sampled_from(entries), min_size=width, max_size=width), min_size=1, max_size=rows))
    if draw(st.booleans()) and len(made) > 1:
        first, second = draw(st.permutations(range(len(made))))[:2]
        made.append([a - b for a, b in zip(made[first], made[second], strict=True)])
    return made


def chain(length: int) -> list[list[int]]:
    """`length` sums over length + 1 unknowns: {0, 1}, {1, 2}, then {t, t + 2, t + 3}.

    The only null vector, 1, −1, 1, −2, 3, −4, 6, −9, 13, …, is Narayana's sequence with alternating signs and grows by
    1.4656 a step, so a floating-point null vector of 100 sums holds entries that vanish beside its largest.
    """
    sets = [{0, 1}, {1, 2}, *({t, t + 2, t + 3} for t in range(length - 2))]
    return [[int(at in members) for at in range(length + 1)] for members in sets]
