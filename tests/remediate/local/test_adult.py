"""On Adult, groups lose less than the best node of the whole lattice, at the same k and with the same hierarchies."""

from collections import Counter

import pytest

from auditor.remediate import remediate
from tests.remediate.test_adult import COLUMNS, policy


@pytest.mark.parametrize("k", [2, 10, 50])
def test_mondrian_loses_less_than_the_best_node(shared_data, tmp_path, k):
    loss = {}
    for search in ("optimal", "mondrian"):
        rules = policy(shared_data, k, "loss", "0", tmp_path, search=search)
        found = remediate(shared_data / "adult" / "adult.csv", rules, output=tmp_path / f"{search}.csv")
        loss[search] = found.solution.loss
    assert loss["mondrian"] < loss["optimal"] / 2
    header, *rows = (tmp_path / "mondrian.csv").read_text(encoding="utf-8").splitlines()
    places = [header.split(";").index(column) for column in COLUMNS]
    sizes = Counter(tuple(row.split(";")[place] for place in places) for row in rows)
    assert len(rows) == 30_162
    assert min(sizes.values()) >= k
