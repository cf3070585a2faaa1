"""Coefficients are kept in little space and come back as they were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.queries._query import Weights


@pytest.mark.parametrize("kind", [np.bool_, np.int64])
@given(places=st.sets(st.integers(0, 199)), length=st.integers(200, 300))
def test_what_is_kept_comes_back(kind: type, places: set[int], length: int) -> None:
    given_ = np.zeros(length, dtype=kind)
    given_[list(places)] = 1
    kept = Weights.of(given_)
    assert kept.dense().dtype == kind
    assert kept.dense().tolist() == given_.tolist()
    assert kept.places().tolist() == sorted(places)


def test_few_of_many_take_less_than_a_bit_each() -> None:
    few = np.arange(100_000) == 7
    assert Weights.of(few).stored.nbytes == 4
    assert Weights.of(~few).stored.nbytes == 12_500
