"""Ladders for ``missing: wildcard``: a missing value stays missing at every level, and is one leaf there."""

import pytest

from auditor.hierarchies import build, ladder_spec
from auditor.policy import load_policy

KINDS = {
    "suppress": "suppress",
    "mask": {"mask": {"side": "right"}},
    "tree": {"tree": {"Any": {"A": ["AA", "AB"], "B": ["BA", "BB"]}}},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_value_stays_missing_and_the_others_are_as_without_it(kind: str) -> None:
    attribute = {"role": "quasi-identifier", "hierarchy": KINDS[kind]}
    policy = load_policy({"attributes": {"v": attribute}, "requirements": [{"model": "k-anonymity", "k": 2}]})
    spec = ladder_spec(policy.attributes["v"].hierarchy)
    values = [None, "AA", "AB", "BA"]
    apart, whole = build(spec, values, "v").missing_apart(), build(spec, values[1:], "v")
    assert apart.height == whole.height
    assert apart.leaf_count == whole.leaf_count + 1
    for level in range(apart.height + 1):
        assert apart.levels[level] == (None, *whole.levels[level])
        assert apart.leaves[level].tolist() == [1, *whole.leaves[level].tolist()]
    assert whole.missing_apart() is whole
