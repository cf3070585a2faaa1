"""Models beside tables: how many people a regression or a clustering is of is a published count like any other."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.ledger import read_ledger
from auditor.outputs._assumptions import MODELS_ALONE
from auditor.result import Verdict

LEAST = 5
POLICY = {
    "version": 1,
    "name": "p",
    "attributes": {"ward": "insensitive"},
    "outputs": [
        {"type": "frequency-table", "min_cell": LEAST, "differencing": True},
        {"type": "regression", "min_dof": 2},
        {"type": "clusters", "min_size": LEAST, "centres": "allow"},
    ],
}
WARDS = {"type": "frequency-table", "by": ["ward"], "cells": [{"key": ["a"], "count": 40}, {"key": ["b"], "count": 59}]}
ICU = {"name": "ward[T.b]", "condition": {"ward": "b"}}


def regression(records, *terms):
    return {"type": "regression", "outcome": "cost", "records": records, "terms": [{"name": "Intercept"}, *terms]}


def clusters(*sizes, **counts):
    return {"type": "clusters", "clusters": [{"size": size} | counts for size in sizes]}


def reached(*outputs, data=None):
    result = check_outputs(list(outputs), POLICY, data)
    return [{v.reached for v in each.violations if v.reason == "differencing"} for each in result.outputs]


@pytest.mark.parametrize("model", [regression(100), clusters(40, 60), clusters(100) | {"records": 100}])
def test_one_person_more_than_a_table_counts(model) -> None:
    """100 people and a table of 99: of one nobody says the ward."""
    assert reached(WARDS, model) == [{1}, {1}]


def test_an_indicator_stands_for_a_group_of_a_table() -> None:
    """59 in ward b, of whom 56 are in the regression: the cost of three is not known."""
    assert reached(WARDS, regression(96, ICU | {"ones": 56})) == [{3}, {3}]
    assert reached(WARDS, regression(90, ICU | {"ones": 50})) == [set(), set()]


def test_what_clusters_count_of_a_value() -> None:
    of_two = clusters(40, 59, counts={"ward": {"a": 20}})
    assert reached(WARDS, of_two) == [set(), set()]
    assert 2 in reached(WARDS, clusters(40, 59, counts={"ward": {"a": 21}}))[0]


def test_models_beside_the_data() -> None:
    """One of 100 records has no ward; the model is of all."""
    data = pd.DataFrame({"ward": ["a"] * 40 + ["b"] * 59 + [None], "cost": range(100)})
    assert reached(WARDS, regression(100, ICU), data=data) == [{1}, {1}]
    assert reached(WARDS, regression(100, {"name": "C(x)[T.y]", "condition": {"x": "y"}}), data=data)[0] == {1}
    assert reached(regression(100), clusters(40, 60), data=data) == [set(), set()]


@given(
    st.lists(st.integers(LEAST, 30), min_size=1, max_size=4), st.integers(0, 2 * LEAST), st.booleans(), st.booleans()
)
def test_a_model_of_some_more_people_tells_how_many(wards, more, earlier, clustered) -> None:
    """The tables count N; a model of N + m tells m people, and m is small from 1 to the least count less 1."""
    cells = [{"key": [str(at)], "count": count} for at, count in enumerate(wards)]
    table, people = {"type": "frequency-table", "by": ["ward"], "cells": cells}, sum(wards) + more
    model = clusters(people) if clustered else regression(people)
    first, second = (table, model) if earlier else (model, table)
    with TemporaryDirectory() as folder:
        ledger = Path(folder, "released.jsonl")
        assert check_outputs(first, POLICY, ledger=ledger, record=True).verdict is Verdict.PASS
        assert len(read_ledger(ledger).entries) == 1
        found = check_outputs(second, POLICY, ledger=ledger)
    assert found.verdict is (Verdict.FAIL if 0 < more < LEAST else Verdict.PASS)


AGE = {"name": "age"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (regression(200, AGE), regression(199, AGE)),
        (regression(None, AGE) | {"dof": 198}, regression(199, AGE)),
        (clusters(40, 60), clusters(41, 60)),
        (clusters(40, 60), clusters(50, 46)),
    ],
)
def test_two_models_of_one_form_differ_by_what_few_contributed(one, other) -> None:
    """No table is beside them: the rule of tables says all the same that differences are looked at."""
    one, other = ({name: each for name, each in model.items() if each is not None} for model in (one, other))
    assert all(reached(one, other))
    assert not any(reached(one, one | {"terms": [*one["terms"], {"name": "bmi"}]} if "terms" in one else one))
    with TemporaryDirectory() as folder:
        ledger = Path(folder, "released.jsonl")
        assert check_outputs(one, POLICY, ledger=ledger, record=True).verdict is Verdict.PASS
        assert check_outputs(one, POLICY, ledger=ledger).verdict is Verdict.PASS
        assert check_outputs(other, POLICY, ledger=ledger).verdict is Verdict.FAIL


@given(st.integers(50, 60), st.integers(50, 60))
def test_models_of_one_form_are_held_to_the_least_count(one, other) -> None:
    told = 0 < abs(one - other) < LEAST
    assert reached(regression(one, AGE), regression(other, AGE)) == [{abs(one - other)} if told else set()] * 2


def test_what_is_taken_of_models_without_differencing_is_told() -> None:
    alone = POLICY | {"outputs": POLICY["outputs"][1:]}
    result = check_outputs([regression(200, AGE), regression(199, AGE)], alone)
    assert result.verdict is Verdict.PASS
    assert MODELS_ALONE in result.assumptions
    assert MODELS_ALONE not in check_outputs(regression(200, AGE), POLICY).assumptions


def test_models_of_one_form_whose_sizes_are_not_written_are_not_evaluated() -> None:
    policy = POLICY | {"outputs": [POLICY["outputs"][0], {"type": "regression", "min_indicator": 3}]}
    one, other = ({"type": "regression", "terms": [{"name": "1", "coefficient": each}]} for each in (1.5, 1.6))
    assert check_outputs([one, other], policy).verdict is Verdict.NOT_EVALUATED
    assert check_outputs([one, one], policy).verdict is Verdict.PASS
