"""Classification loss against a loop with scikit-learn's own folds and scores, and what it must and must not see."""

import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from auditor.errors import DataError, UsageError
from auditor.microdata import MISSING, Categorical, Microdata, Numeric
from auditor.utility import classification_loss
from auditor.utility._features import features
from auditor.utility.classification import CLASSIFIERS
from tests.utility.columns import column, table

QUICK = ("tree", "naive-bayes")


def people(n=240, seed=0, categories=2):
    """A target that two numbers and a category tell well."""
    generator = np.random.default_rng(seed)
    answer = generator.integers(0, categories, n).astype(np.int32)
    numbers = [answer + generator.normal(scale=0.6, size=n) for _ in range(2)]
    area = np.where(generator.random(n) < 0.7, answer, generator.integers(0, categories, n)).astype(np.int32)
    labels = tuple("abcd"[:categories])
    return Microdata(
        (
            Numeric("x", numbers[0]),
            Numeric("y", 100 * numbers[1]),
            Categorical("area", area, labels),
            Categorical("ill", answer, labels),
        )
    )


def noisy(data, amount, seed=9):
    generator = np.random.default_rng(seed)
    numbers = [data.numeric(name) for name in ("x", "y")]
    return data.replaced(
        Numeric(each.name, each.values + generator.normal(scale=amount * each.values.std(), size=data.records))
        for each in numbers
    )


def test_it_is_what_scikit_learns_own_pipeline_finds():
    original = people().only(["x", "y", "ill"])
    masked = noisy(original, 0.8)
    loss = classification_loss(original, masked, "ill", classifiers=["logistic"], folds=4, seed=3)
    answers = original["ill"].codes
    held_out = original.numbers(["x", "y"])
    for side, found in ((original, loss.each[0].original), (masked, loss.each[0].masked)):
        learned, accuracies, areas = side.numbers(["x", "y"]), [], []
        for train, test in StratifiedKFold(4, shuffle=True, random_state=3).split(answers, answers):
            scaler = StandardScaler().fit(learned[train])
            model = LogisticRegression().fit(scaler.transform(learned[train]), answers[train])
            asked = scaler.transform(held_out[test])
            accuracies.append(accuracy_score(answers[test], model.predict(asked)))
            areas.append(roc_auc_score(answers[test], model.predict_proba(asked)[:, 1]))
        assert found.accuracy == pytest.approx(np.mean(accuracies))
        assert found.auc == pytest.approx(np.mean(areas), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("categories", [2, 4])
def test_nothing_is_lost_by_nothing_and_all_by_shuffling(categories):
    original = people(categories=categories)
    same = classification_loss(original, original, "ill")
    assert [loss.classifier for loss in same.each] == list(CLASSIFIERS)
    assert same.accuracy_drop == 0 == same.auc_drop
    assert all(loss.original.accuracy > same.majority + 0.15 for loss in same.each)
    order = np.random.default_rng(5).permutation(original.records)
    shuffled = original.replaced([Categorical("ill", original["ill"].codes[order], original["ill"].labels)])
    lost = classification_loss(original, shuffled, "ill")
    assert lost.accuracy_drop > 0.2
    assert lost.auc_drop > 0.2
    assert lost.each[0].masked.auc == pytest.approx(0.5, abs=0.15)


def test_held_out_records_are_never_learned_from():
    """Answers by lot, the same for all records that are alike: who had seen a record would know its answer."""
    generator = np.random.default_rng(2)
    original = Microdata(
        (
            Numeric("id", np.arange(400.0)),
            Categorical("ill", generator.integers(0, 2, 400).astype(np.int32), ("no", "yes")),
        )
    )
    loss = classification_loss(original, original, "ill", classifiers=["nearest-neighbours", "tree"])
    assert all(each.original.accuracy < 0.6 for each in loss.each)


def test_the_same_seed_gives_the_same_and_another_another():
    original = people()
    runs = [
        classification_loss(original, noisy(original, 1), "ill", classifiers=QUICK, seed=seed) for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]


def test_coarser_categories_do_not_help_with_records_as_they_are():
    """The category alone tells; the masked table knows only that everybody is somewhere."""
    original = people().only(["area", "ill"])
    masked = original.replaced([column("area", ["somewhere"] * original.records)])
    loss = classification_loss(original, masked, "ill", classifiers=["logistic"])
    assert loss.each[0].masked == type(loss.each[0].masked)(loss.majority, 0.5)
    assert loss.accuracy_drop > 0.2


def test_missing_and_unseen_values_are_prepared_by_the_training_records():
    train = Microdata((Numeric("a", np.array([1.0, 3, np.nan])), column("b", ["u", None, "v"])))
    test = Microdata((Numeric("a", np.array([5.0, np.nan])), column("b", ["w", "v"])))
    first, second = features(train, test)
    np.testing.assert_array_equal(first, [[-1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]])
    np.testing.assert_array_equal(second, [[3, 0, 0, 1], [0, 0, 1, 0]])
    constant, _ = features(table(b=["u"]), table(b=["u"]))
    assert constant.tolist() == [[1]]
    flat = Microdata((Numeric("a", np.array([np.nan, 7])),))
    assert features(flat, flat)[0].tolist() == [[0], [0]]


@pytest.mark.slow
def test_records_without_an_answer():
    original = people()
    codes = original["ill"].codes.copy()
    codes[:40] = MISSING
    partly = original.replaced([Categorical("ill", codes, original["ill"].labels)])
    assert classification_loss(partly, original, "ill", classifiers=QUICK).records == 200
    kept = original.rows(np.arange(40, 240))
    assert classification_loss(partly, partly, "ill", classifiers=QUICK) == classification_loss(
        kept, kept, "ill", classifiers=QUICK
    )
    fewer = classification_loss(original, partly, "ill", classifiers=QUICK)
    assert fewer.records == 240
    one = original.replaced([Categorical("ill", np.zeros(240, np.int32), ("b",))])
    guessed = classification_loss(original, one, "ill", classifiers=["logistic"]).each[0].masked
    assert guessed.auc == 0.5
    assert guessed.accuracy == pytest.approx((original["ill"].codes == 1).mean())
    with pytest.raises(DataError, match="no value to learn from"):
        classification_loss(original, one.replaced([Categorical("ill", np.full(240, -1, np.int32), ())]), "ill")


def test_what_cannot_be_learned_says_why(monkeypatch):
    data = people(40)
    for call, error, message in (
        (lambda: classification_loss(data, data, "x"), DataError, "column 'x' holds numbers"),
        (lambda: classification_loss(data, data.rows(np.arange(3)), "ill"), DataError, "3 records and the original 40"),
        (lambda: classification_loss(data.only(["ill"]), data, "ill"), DataError, "nothing to tell it from"),
        (lambda: classification_loss(data, data.only(["x", "ill"]), "ill"), DataError, "no column 'y'"),
        (lambda: classification_loss(table(a=[*"uv"] * 20, b=["v"] * 40), data, "a"), DataError, "no column 'a'"),
        (lambda: classification_loss(*[table(a=["u"] * 9, b=["v"] * 9)] * 2, "a"), DataError, "holds 1 categories"),
        (lambda: classification_loss(*[table(a=[*"uuv"], b=[*"vvv"])] * 2, "a"), DataError, "category of 1 records"),
        (lambda: classification_loss(data, data, "ill", folds=1), UsageError, "at least 2"),
        (lambda: classification_loss(data, data, "ill", classifiers=[]), UsageError, "no classifier was named"),
        (lambda: classification_loss(data, data, "ill", classifiers=["three"]), UsageError, "did you mean 'tree'"),
    ):
        with pytest.raises(error, match=message):
            call()
    turned = data.replaced([column("x", ["u"] * 40)])
    with pytest.raises(DataError, match="column 'x' holds numbers in one table and categories in the other"):
        classification_loss(data, turned, "ill")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(UsageError, match="needs the extra"):
        classification_loss(data, data, "ill")
