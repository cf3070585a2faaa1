"""A log that gives everything away: all of it is found, soon, though not every proof is written out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from auditor import audit_queries

POLICY = {
    "version": 1,
    "name": "staff",
    "attributes": {"id": "identifier", "room": "quasi-identifier", "salary": {"role": "sensitive", "type": "number"}},
    "queries": {"table": "staff", "key": "id", "limits": {"exact_value": "deny"}},
}


@pytest.mark.slow
def test_every_value_is_listed_and_the_proofs_that_are_written_hold() -> None:
    generator, n = np.random.default_rng(2), 300
    asked = generator.integers(0, 2, (n, n)).astype(bool)
    assert np.linalg.matrix_rank(asked.astype(float)) == n
    table = pd.DataFrame({"id": range(n), "room": range(n), "salary": generator.integers(1_000, 9_000, n)})
    log = [f"SELECT SUM(salary) FROM staff WHERE room IN ({', '.join(map(str, np.flatnonzero(s)))})" for s in asked]
    result = audit_queries(log, POLICY, table)
    assert result.disclosures_count == result.exposed_count == n
    assert {each.records[0]: each.low for each in result.disclosures if each.records} == dict(
        enumerate(table["salary"])
    )
    assert all(each.certificate or each.follows_from for each in result.disclosures)
    written = [each for each in result.disclosures if each.certificate]
    assert 0 < len(written) < n
