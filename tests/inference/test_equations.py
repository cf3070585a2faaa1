"""Collapsing columns into atoms, against comparing the columns themselves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditor.inference.linear.equations import collapse
from tests.inference.systems import equations, matrices

WEIGHTS = (0, 0, 1, 2, -1, 2**40, 2**63 - 1, -(2**62))


@given(st.one_of(matrices(columns=12), matrices(WEIGHTS, columns=12)))
def test_atoms_are_the_distinct_columns(rows: list[list[int]]) -> None:
    matrix = np.array([[max(-(2**63), min(2**63 - 1, entry)) for entry in row] for row in rows], dtype=np.int64)
    sizes = np.arange(1, matrix.shape[1] + 1)
    found = collapse([lambda row=row: row for row in matrix], sizes)
    columns = list(map(tuple, matrix.T.tolist()))
    distinct = [column for column in dict.fromkeys(columns) if any(column)]
    assert list(map(tuple, found.equations.rows.toarray().T.tolist())) == distinct
    assert found.atom_of.tolist() == [distinct.index(column) if any(column) else -1 for column in columns]
    assert found.equations.sizes.tolist() == [
        sum(size for size, other in zip(sizes.tolist(), columns, strict=True) if other == column) for column in distinct
    ]


@given(matrices(columns=6), st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_columns_of_several_kinds_stay_apart_as_if_a_row_told_them_apart(
    rows: list[list[int]], kinds: list[int]
) -> None:
    matrix = np.array(rows, dtype=np.int64)
    own = np.array(kinds[: matrix.shape[1]], dtype=np.int64)
    asked = [lambda row=row: row for row in matrix]
    found = collapse(asked, np.ones(len(own), dtype=np.int64), kinds=own)
    told = np.where(matrix.any(axis=0), own, 0)
    apart = collapse([*asked, lambda: told], np.ones(len(own), dtype=np.int64))
    assert found.atom_of.tolist() == apart.atom_of.tolist()
    assert found.equations.sizes.tolist() == apart.equations.sizes.tolist()
    assert found.equations.rows.toarray().tolist() == apart.equations.rows.toarray()[: len(matrix)].tolist()


@given(matrices((0, 1)))
def test_sets_and_coefficients_of_one_are_the_same(rows: list[list[int]]) -> None:
    matrix = np.array(rows, dtype=np.int64)
    matrix[matrix < 0] = 0
    sizes = np.ones(matrix.shape[1], dtype=np.int64)
    as_sets = collapse([lambda row=row: row.astype(bool) for row in matrix], sizes)
    as_numbers = collapse([lambda row=row: row for row in matrix], sizes)
    assert as_sets.atom_of.tolist() == as_numbers.atom_of.tolist()
    assert as_sets.equations.rows.toarray().tolist() == as_numbers.equations.rows.toarray().tolist()


def test_nothing_asked() -> None:
    found = collapse([], np.ones(3, dtype=np.int64))
    assert (found.equations.answers, found.equations.atoms) == (0, 0)
    assert found.atom_of.tolist() == [-1, -1, -1]


def test_without_what_is_known() -> None:
    left = equations([[1, 1, 0], [0, 2, 1]], [1, 3, 2]).without(np.array([1, 1, 0]))
    assert left.sizes.tolist() == [0, 2, 2]
    assert left.rows.toarray().tolist() == [[0, 1, 0], [0, 2, 1]]
