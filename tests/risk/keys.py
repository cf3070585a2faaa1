"""What the tests of risk on keys share: small random tables, a file of categories, and counting by definition."""

import csv

import numpy as np
from hypothesis import strategies as st

from auditor.microdata import MISSING


def read(path, names):
    """The codes of some columns of a CSV file of integers, as they stand, and the whole as a dictionary of lists."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    codes = [np.unique(np.array(columns[name], dtype=int), return_inverse=True)[1] for name in names]
    return np.stack(codes, axis=1).astype(np.int32), columns


def coded(rows):
    """Rows of values as int32 codes, column by column; None is missing."""
    columns = []
    for column in zip(*rows, strict=True):
        order = sorted({value for value in column if value is not None})
        columns.append([MISSING if value is None else order.index(value) for value in column])
    return np.array(columns, dtype=np.int32).T


@st.composite
def tables(draw, *, most_records=12, most_keys=4, categories=3, missing=True):
    """int32[n, d]: a small table in which records agree often."""
    n = draw(st.integers(1, most_records))
    d = draw(st.integers(1, most_keys))
    cells = st.integers(MISSING if missing else 0, categories - 1)
    return np.array(draw(st.lists(st.lists(cells, min_size=d, max_size=d), min_size=n, max_size=n)), dtype=np.int32)


def agree(left, right):
    """Whether two records are equal wherever neither is missing."""
    return all(a == b or MISSING in (a, b) for a, b in zip(left, right, strict=True))
