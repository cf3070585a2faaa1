"""Policies that no generator writes: columns in two parts at once, nothing to group by, values without a place."""

from __future__ import annotations

import pyarrow as pa
import pytest

import auditor
from auditor.errors import DataError

TABLE = pa.table({"a": ["x", "x", "y"], "b": ["1", "2", "2"]})
DIVERSE = {"model": "distinct-l-diversity", "l": 1}


def judged(policy, table=TABLE):
    return auditor.check(table, {"attributes": {"a": "quasi-identifier", "b": "sensitive"}, **policy})


def test_the_unit_can_be_the_sensitive_attribute():
    found = judged({"unit": "b", "requirements": [{"model": "k-anonymity", "k": 1}, DIVERSE]})
    assert [r.achieved for r in found.requirements] == [1, 1]
    assert (found.classes.largest, found.data.units) == (2, 2)


def test_grouping_by_the_sensitive_attribute_leaves_one_value_in_each_class():
    found = judged({"requirements": [{**DIVERSE, "l": 2, "quasi_identifiers": ["a", "b"]}]})
    assert (found.requirements[0].achieved, found.requirements[0].classes_violating) == (1, 3)


def test_without_quasi_identifiers_there_is_nothing_to_judge():
    found = judged({"attributes": {"a": "insensitive", "b": "sensitive"}, "requirements": [DIVERSE]})
    assert found.verdict == "not-evaluated"
    assert (found.classes, found.risk) == (None, None)


def test_columns_are_judged_without_quasi_identifiers():
    allowed = {"model": "allowed-values", "attribute": "a", "values": ["x"]}
    found = judged({"attributes": {"a": "insensitive", "b": "insensitive"}, "requirements": [allowed]})
    assert (found.verdict, found.requirements[0].records_violating) == ("fail", 1)


@pytest.mark.parametrize(
    ("hierarchy", "message"),
    [
        ({"tree": {"any": ["1"]}}, "holds values that are not in the tree"),
        ({"date": ["year"]}, "holds values that are not"),
    ],
)
def test_values_that_a_hierarchy_does_not_cover(hierarchy, message):
    close = {"model": "t-closeness", "t": 0.5, "ground": "hierarchical"}
    attributes = {"a": "quasi-identifier", "b": {"role": "sensitive", "hierarchy": hierarchy}}
    with pytest.raises(DataError, match=message):
        judged({"attributes": attributes, "requirements": [close]})


def test_numbers_that_are_none():
    attributes = {"a": "quasi-identifier", "b": {"role": "sensitive", "type": "number"}}
    table = pa.table({"a": ["x"], "b": ["Zebulon"]})
    with pytest.raises(
        DataError, match="declared type: number and holds values that are not numbers, or are too large"
    ) as error:
        judged({"attributes": attributes, "requirements": [DIVERSE]}, table)
    assert "Zebulon" not in str(error.value)


def test_infinities_have_ranks():
    attributes = {"a": "quasi-identifier", "b": {"role": "sensitive", "type": "number"}}
    table = pa.table({"a": ["x", "y", "z"], "b": ["inf", "-inf", "3"]})
    close = {"model": "t-closeness", "t": 0.5}
    assert judged({"attributes": attributes, "requirements": [close]}, table).requirements[0].achieved == 0.5
