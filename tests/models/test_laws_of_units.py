"""Where persons are counted instead of rows: what stays monotone, and what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.classes import ClassTable, Domain, KeyLayout, count_classes
from auditor.models import ClassModel, monotone_under, registry
from auditor.result import Monotone
from tests.strategies import typical

LAYOUT = KeyLayout.of({"class": 6, "value": 3, "person": 5})
ONLY_GROW = ["k-anonymity", "max-risk", "distinct-l-diversity", "p-sensitive-k-anonymity"]
SHARES = [
    "alpha-k-anonymity",
    "entropy-l-diversity",
    "recursive-l-diversity",
    "t-closeness",
    "average-risk",
    "uniqueness",
]

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=40)


def counted(records: list[tuple[int, int, int]]) -> ClassTable:
    keys = LAYOUT.pack([np.array(column) for column in zip(*records, strict=True)])
    return count_classes(keys, LAYOUT, 1, domain=Domain(tuple("abc"), np.array([1, 1, 1])), unit=True)


def violating(model: ClassModel, table: ClassTable) -> Any:
    return model.violates(table, model.measure(table))


@pytest.mark.parametrize("name", ONLY_GROW)
@given(records=rows, groups=st.lists(st.integers(0, 5), min_size=6, max_size=6))
def test_what_only_grows_stays_monotone_with_suppression_too(
    name: str, records: list[tuple[int, int, int]], groups: list[int]
) -> None:
    model, fine = typical(name), counted(records)
    coarse = counted([(groups[where], value, person) for where, value, person in records])
    assert fine.keys is not None
    assert coarse.keys is not None
    bad = set(coarse.keys[violating(model, coarse), 0].tolist())
    good_before = set(fine.keys[~violating(model, fine), 0].tolist())
    place = LAYOUT.place("class")[1]
    assert not bad & {groups[key >> place] << place for key in good_before}
    assert coarse.rows[violating(model, coarse)].sum() <= fine.rows[violating(model, fine)].sum()


def test_shares_of_persons_do_not_mix() -> None:
    """Person 0 has a in one class and b in the other: in the union two of three persons have a, and two have b."""
    fine = counted([(0, 0, 0), (0, 1, 1), (1, 1, 0), (1, 0, 2)])
    coarse = counted([(0, 0, 0), (0, 1, 1), (0, 1, 0), (0, 0, 2)])
    model = registry()["alpha-k-anonymity"](alpha=0.5, k=1)
    assert isinstance(model, ClassModel)
    assert model.measure(fine).tolist() == [0.5, 0.5]
    assert model.measure(coarse).tolist() == [2 / 3]
    assert not violating(model, fine).any()
    assert violating(model, coarse).all()


@pytest.mark.parametrize("name", [*ONLY_GROW, *SHARES])
def test_what_is_granted_under_each_setting(name: str) -> None:
    model, grows = typical(name), name in ONLY_GROW
    assert monotone_under(model, units=False, wildcards=False) == model.monotone
    assert monotone_under(model, units=True, wildcards=False) == Monotone(generalization=grows, suppression=grows)
    assert monotone_under(model, units=False, wildcards=True) == Monotone(generalization=grows, suppression=False)
    assert monotone_under(model, units=True, wildcards=True) == Monotone(generalization=grows, suppression=False)


def test_a_requirement_on_a_column_is_granted_nothing() -> None:
    requirement = registry()["minimum-level"](attribute="zip", level=1)
    assert monotone_under(requirement, units=False, wildcards=False) is None
