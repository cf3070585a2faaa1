"""Means: the columns keep theirs, groups have k to 2k − 1 records, and what has no mean is refused."""

from collections import Counter

import numpy as np
import pytest

from auditor.errors import Unsupported
from auditor.remediate import remediate


def policy(search, k=3, **attributes):
    columns = {"x": "quasi-identifier", "y": "quasi-identifier"}
    return {
        "name": "means",
        "attributes": {**columns, **attributes},
        "requirements": [{"model": "k-anonymity", "k": k}],
        "remediation": {"search": search},
    }


def frame(records=41, seed=3):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(seed)
    return pandas.DataFrame({"x": random.integers(0, 9, records), "y": random.normal(50, 20, records).round(1)})


def test_columns_keep_their_means_and_their_kind():
    data = frame()
    released = remediate(data, policy("mdav")).data
    assert released["x"].dtype == released["y"].dtype == np.float64
    assert released["x"].mean() == pytest.approx(data["x"].mean(), abs=1e-12)
    assert released["y"].mean() == pytest.approx(data["y"].mean(), abs=1e-12)
    sizes = Counter(released.itertuples(index=False, name=None))
    assert min(sizes.values()) >= 3
    assert released["y"].std() < data["y"].std()


def test_categories_are_generalized_and_numbers_averaged_inside_them():
    data = frame(60)
    data["job"] = ["cook", "smith", "baker"] * 20
    released = remediate(data, policy("mage", job="quasi-identifier")).data
    assert set(released["job"]) == {"cook", "smith", "baker"}
    for job, part in data.groupby("job"):
        mine = released[released["job"] == job]
        assert len(mine) == len(part)
        assert mine["y"].mean() == pytest.approx(part["y"].mean(), abs=1e-12)
    assert max(Counter(released.itertuples(index=False, name=None)).values()) < 6


def test_means_of_missing_values_and_of_texts_are_refused():
    data = frame(9)
    data["job"] = "cook"
    with pytest.raises(Unsupported, match="'job' has others"):
        remediate(data, policy("mdav", job="quasi-identifier"))
    data.loc[0, "y"] = np.nan
    with pytest.raises(Unsupported, match="'y' has missing values"):
        remediate(data, policy("mage", job="quasi-identifier"))


def test_fewer_records_than_k_are_told_as_infeasible():
    found = remediate(frame(2), policy("mdav"))
    assert found.solution is None
    assert found.shortfall.obstacles[0].enough == 2
