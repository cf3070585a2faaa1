"""Uses: the laws that hold for each, and both losses against scikit-learn's own figures."""

from typing import get_args

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, adjusted_rand_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from auditor.errors import DataError
from auditor.microdata import MISSING, Categorical, Microdata, Numeric
from auditor.utility.classification import CLASSIFIERS, ClassifierName
from auditor.utility.uses import registry
from auditor.utility.uses.classify import Classify
from auditor.utility.uses.cluster import ClusterUse

USES = (Classify(classify="ill", classifier="naive-bayes"), ClusterUse(cluster=3))


def people(n=120):
    """Three groups far apart in two numbers; a category that the first number mostly tells."""
    generator = np.random.default_rng(4)
    group = np.arange(n) % 3
    x, y = 10 * group + generator.normal(size=n), -5 * group + generator.normal(size=n)
    ill = (x + generator.normal(scale=4, size=n) > 10).astype(np.int32)
    return Microdata((Numeric("x", x), Numeric("y", y), Categorical("ill", ill, ("no", "yes"))))


def shuffled(data, seed):
    """Each column of numbers in an order of its own."""
    generator = np.random.default_rng(seed)
    return data.replaced(Numeric(n, generator.permutation(data.numeric(n).values)) for n in ("x", "y"))


def read(use, data):
    """The columns that a use reads."""
    return data.only(tuple(dict.fromkeys((*use.usual(data), *([use.target] if use.target else ())))))


def test_every_use_is_tested():
    assert {use.key() for use in USES} == set(registry())
    assert tuple(CLASSIFIERS) == get_args(ClassifierName)


@pytest.mark.parametrize("use", USES, ids=lambda use: use.title)
def test_the_laws(use):
    original = read(use, people())
    baseline = use.baseline(original)
    destroyed = [baseline.loss(shuffled(original, seed)) for seed in range(6)]
    assert baseline.loss(original) == 0
    assert 0 <= baseline.chance < 20
    assert all(0 <= loss <= 100 for loss in destroyed)
    assert np.mean(destroyed) > 40
    assert use.baseline(original).loss(shuffled(original, 0)) == destroyed[0]
    assert use.SAYS


def test_classify_is_the_share_lost_of_what_scikit_learn_learns():
    original = people()
    masked = shuffled(original, 1)
    answers, accuracies = original["ill"].codes, []
    for side in (original, masked):
        learned, right = side.numbers(["x", "y"]), 0
        for train, test in StratifiedKFold(4, shuffle=True, random_state=2).split(answers, answers):
            scaler = StandardScaler().fit(learned[train])
            model = LogisticRegression().fit(scaler.transform(learned[train]), answers[train])
            asked = scaler.transform(original.numbers(["x", "y"])[test])
            right += accuracy_score(answers[test], model.predict(asked), normalize=False)
        accuracies.append(right / len(answers))
    majority = np.bincount(answers).max() / len(answers)
    found = Classify(classify="ill", folds=4, seed=2).baseline(original).loss(masked)
    assert found == pytest.approx(100 * (accuracies[0] - accuracies[1]) / (accuracies[0] - majority))
    assert 5 < found < 95


def test_cluster_is_scikit_learns_adjusted_rand_index_whatever_the_labels():
    """The groups lie apart, so who is in which is known: records that masking moves into another group, too."""
    original = people().only(["x", "y"])
    group, moved = np.arange(120) % 3, np.arange(120) < 24
    after = np.where(moved, (group + 1) % 3, group)
    shift = after - group
    masked = original.replaced(
        [
            Numeric("x", original.numeric("x").values + 10 * shift),
            Numeric("y", original.numeric("y").values - 5 * shift),
        ]
    )
    wanted = 100 * (1 - adjusted_rand_score(group, after))
    for seed in (0, 1, 2):  # other first centres, and so other labels
        assert ClusterUse(cluster=3, seed=seed).baseline(original).loss(masked) == pytest.approx(wanted)


def test_what_has_no_meaning_says_why():
    data = people()
    lot = np.random.default_rng(9).integers(0, 2, 120).astype(np.int32)
    codes = data.replaced([Numeric("ill", data["ill"].codes.astype(float))])
    guessed = data.replaced([Categorical("ill", lot, ("no", "yes"))])
    one = data.replaced([Categorical("ill", np.zeros(120, np.int32), ("no",))])
    tree, three = Classify(classify="ill", classifier="tree"), ClusterUse(cluster=3)
    every = np.arange(9000, dtype=np.int32)
    many = Microdata((Categorical("id", every, tuple(map(str, every))), Categorical("ill", every % 2, ("no", "yes"))))
    for call, said in (
        (lambda: tree.baseline(codes), "'ill' holds numbers.*declare type: category"),
        (lambda: tree.baseline(one), "'ill' holds 1 categories"),
        (lambda: tree.baseline(guessed), "tells 'ill' no better than by always naming the most frequent"),
        (lambda: tree.baseline(data.only(["ill"])), "nothing to tell it from"),
        (lambda: tree.baseline(many), "too many to learn from; leave columns out, such as 'id'"),
        (lambda: three.baseline(data), "'ill' holds categories, where numbers are needed"),
        (lambda: three.baseline(data.only(["x"]).rows(np.arange(2))), "2 records, of which no 3 clusters"),
        (
            lambda: tree.baseline(data).loss(
                data.replaced([Categorical("ill", np.full(120, MISSING, np.int32), ("no", "yes"))])
            ),
            "'ill' of the masked table holds no value to learn from",
        ),
    ):
        with pytest.raises(DataError, match=said):
            call()
