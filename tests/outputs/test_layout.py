"""Bits of records: what is put into them has to be about the same records."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.errors import DataError
from auditor.outputs.published._layout import Layout


@pytest.mark.parametrize("units", [None, np.array([0, 1, 0, 2], dtype=np.int32)])
@pytest.mark.parametrize("records", [3, 5])
def test_records_that_came_or_went_meanwhile_are_noticed(units, records):
    layout = Layout(4, units)
    assert layout.units_in(layout.everybody()) == (4 if units is None else 3)
    with pytest.raises(DataError, match="changed while it was read"):
        layout.packed(np.ones(records, dtype=np.bool_))
