"""On Adult, groups lose less than the best node of the whole lattice, at the same k and with the same hierarchies."""

from collections import Counter

import pytest

from auditor.remediate import remediate
from tests.remediate.test_adult import COLUMNS, policy


@pytest.mark.slow
@pytest.mark.parametrize(
    ("search", "k"), [("mondrian", 2), ("mondrian", 50), ("kaca", 10), ("mage", 10), ("constrained-local", 10)]
)
def test_groups_lose_less_than_half_of_what_the_best_node_does(shared_data, tmp_path, search, k):
    loss = {}
    for how in ("optimal", search):
        rules = policy(shared_data, k, "loss", "0", tmp_path, search=how)
        found = remediate(shared_data / "adult" / "adult.csv", rules, output=tmp_path / f"{how}.csv")
        loss[how] = found.solution.loss
    assert loss[search] < loss["optimal"] / 2
    header, *rows = (tmp_path / f"{search}.csv").read_text(encoding="utf-8").splitlines()
    places = [header.split(";").index(column) for column in COLUMNS]
    sizes = Counter(tuple(row.split(";")[place] for place in places) for row in rows)
    assert len(rows) == 30_162
    assert min(sizes.values()) >= k
