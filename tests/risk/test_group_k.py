"""The k of a table aggregated in groups, against counting records one by one."""

import numpy as np
import pytest
from hypothesis import given

from auditor.errors import UsageError
from auditor.masking import mdav_groups
from auditor.risk import group_k
from tests.risk.samples import census, microaggregated, numbers, tables


@given(tables(missing=True))
def test_it_is_the_least_count_of_equal_records(both):
    rows = both[0]
    groups = [range(column, len(rows[0])) for column in range(len(rows[0]))]
    found = group_k(numbers(rows), groups)
    assert found.sizes.tolist() == [rows.count(row) for row in rows]
    assert found.k == min(rows.count(row) for row in rows)
    for group, k in zip(groups, found.by_group, strict=True):
        part = [tuple(row[column] for column in group) for row in rows]
        assert k == min(part.count(row) for row in part)


def test_groups_that_each_hold_k_do_not_hold_it_together(shared_data):
    table = census(shared_data)
    groups = [range(4), range(4, 8), range(8, 13)]
    found = group_k(microaggregated(table, 5, groups, mdav_groups), groups)
    assert min(found.by_group) >= 5
    assert found.k == 1
    assert np.mean(found.sizes == 1) > 0.9
    together = group_k(microaggregated(table, 5, [range(13)], mdav_groups), [range(13)])
    assert together.k >= 5


@pytest.mark.parametrize("wrong", [[], [[]], [[0], []], [[0, 2]]])
def test_what_cannot_be_meant_is_refused(wrong):
    with pytest.raises(UsageError):
        group_k(np.ones((2, 2)), wrong)
