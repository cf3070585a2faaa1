"""A log whose sums the memory does not hold is refused before they are put together."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import auditor
from auditor.errors import OutOfMemory
from auditor.queries._query import Weights
from auditor.queries.attack import disclosures
from auditor.queries.records import memory

ROWS = 20_000
TABLE = pa.table({"id": range(ROWS), "zip": range(ROWS), "salary": [number % 90 for number in range(ROWS)]})
POLICY = {
    "name": "staff",
    "attributes": {"id": "identifier", "zip": "quasi-identifier", "salary": {"role": "sensitive", "type": "number"}},
    "queries": {"table": "staff", "key": "id", "limits": {"exact_value": "deny"}},
}
LOG = [f"SELECT SUM(salary) FROM staff WHERE zip < {ROWS - place}" for place in range(200)]


def test_sums_that_do_not_fit_are_refused_before_they_are_solved(monkeypatch):
    """200 sums of nearly 20,000 records have 4 million coefficients, of 14 bytes each."""
    monkeypatch.setattr(memory, "RECORD_BYTES", 0)
    monkeypatch.setattr(disclosures.Auditor, "disclosed", None)
    with pytest.raises(OutOfMemory, match=r"what 200 sums tell about 20,000 records takes about 60 MB .*--memory"):
        auditor.audit_queries(LOG, POLICY, TABLE, memory="160MB")


def test_records_that_do_not_fit_are_refused_as_they_are_read():
    with pytest.raises(OutOfMemory, match="rows take about 9 MB in arrays"):
        auditor.audit_queries(LOG, POLICY, TABLE, memory="64MiB")


@pytest.mark.parametrize("members", [[3], [*range(50), 70]])
def test_coefficients_are_counted_however_they_are_kept(members):
    held = np.zeros(100, dtype=np.bool_)
    held[members] = True
    assert {memory._entries(Weights.of(each)) for each in (held, held.astype(np.int64) * 7)} == {len(members)}
