"""The weighted hierarchical distance: by hand, and as a metric on random balanced trees."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.hierarchies import hierarchy
from auditor.remediate._rungs import Rungs
from auditor.remediate.local._distance import RecordClasses
from auditor.remediate.local._scales import LadderScale

LEAVES = [f"{a}{b}{c}" for a in "xy" for b in "pqr" for c in "12"]
HEIGHT = 3


def scale() -> LadderScale:
    """Codes of three letters, masked from the right: a balanced tree of height 3."""
    ladder = hierarchy({"mask": {"side": "right", "character": "*"}}).ladder(LEAVES, "code")
    return LadderScale(Rungs.of("code", ladder, len(LEAVES)), LEAVES, np.ones(len(LEAVES), np.int64), 0, HEIGHT)


def plain(one: str, other: str, weights: str) -> Fraction:
    """What climbing to the longest common prefix costs both, over the cost of the whole path."""
    common = next((i for i in range(3) if one[i] != other[i]), 3)
    weight = [Fraction(1) if weights == "uniform" else Fraction(1, HEIGHT - level) for level in range(HEIGHT)]
    return 2 * sum(weight[: 3 - common], Fraction(0)) / sum(weight)


def distances(tuples: list[tuple[str, ...]], weights: str, sizes: list[int] | None = None) -> np.ndarray:
    column = scale()
    codes = np.array([[int(column.code[LEAVES.index(value)]) for value in row] for row in tuples]).T
    counts = np.array(sizes or [1] * len(tuples))
    classes = RecordClasses([column] * len(codes), codes.copy(), codes.copy(), counts, weights)
    found = np.stack([classes.distances(place) for place in range(len(tuples))])
    np.fill_diagonal(found, 0.0)
    return found


tuples = st.lists(st.tuples(st.sampled_from(LEAVES), st.sampled_from(LEAVES)), min_size=3, max_size=8)


@given(tuples, st.sampled_from(["uniform", "height"]))
def test_it_is_what_the_definition_gives_by_hand(given_tuples, weights):
    expected = [[float(sum(map(plain, a, b, [weights] * 2))) for b in given_tuples] for a in given_tuples]
    assert distances(given_tuples, weights) == pytest.approx(np.array(expected), abs=1e-12)


@given(tuples, st.sampled_from(["uniform", "height"]))
def test_it_is_a_metric_on_a_balanced_tree(given_tuples, weights):
    found = distances(given_tuples, weights)
    assert (found == found.T).all()
    different = [[a != b for b in given_tuples] for a in given_tuples]
    assert ((found > 0) == different).all()
    through = (found[:, :, None] + found[None, :, :]).min(axis=1)
    assert (found <= through + 1e-12).all()


def test_classes_weigh_as_many_times_as_they_have_records():
    found = distances([("xp1", "xp1"), ("xp2", "xp1")], "uniform", [3, 5])
    assert found[0, 1] == pytest.approx(3 / 3 + 5 / 3)


def test_a_class_that_stands_higher_costs_only_what_is_ahead_of_it():
    column = scale()
    low = np.array([[int(column.code[LEAVES.index(value)]) for value in ("xp1", "xq1")]])
    high = np.array([[int(column.code[LEAVES.index(value)]) for value in ("xp2", "xq1")]])
    classes = RecordClasses([column], low, high, np.array([2, 1]), "uniform")
    assert classes.distances(0)[1] == pytest.approx(2 * Fraction(1, 3) + 1 * Fraction(2, 3))


def test_steps_that_change_nothing_cost_nothing():
    """A short branch is padded by repeating its value; the way up is then one step, not two."""
    values = ["a", "b", "c"]
    ladder = hierarchy({"tree": {"all": {"left": ["a", "b"], "c": ["c"]}}}).ladder(values, "tree")
    column = LadderScale(Rungs.of("tree", ladder, 3), values, np.ones(3, np.int64), 0, 2)
    codes = column.code[[0, 2]][None, :]
    classes = RecordClasses([column], codes.copy(), codes.copy(), np.array([1, 1]), "uniform")
    assert classes.costs[:, 1].tolist() == [0.0, 1.0]
    assert classes.distances(0)[1] == pytest.approx(2.0)
