"""Classification loss: how much worse a classifier becomes that learned from the masked records.

The original's records are dealt into stratified folds. For each, a classifier learns from the masked versions of the
other folds' records and is asked about the fold's original ones; its baseline learned from the originals of the same
records. Nobody is judged by a record that it has seen, masked or not.

A category that masking made coarser is a label that the original records do not have, so a classifier cannot use it:
the loss is that of a recipient who meets people as they are.

Source: V. Torra, Privacy in Data Mining, 2010, on measures for a specific use; V. S. Iyengar, Transforming data to
satisfy privacy constraints, KDD 2002, doi:10.1145/775047.775089.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.distribution import installation
from auditor.errors import DataError, UsageError, nearest
from auditor.microdata import Categorical, Microdata
from auditor.utility._categories import Aligned, Codes, align
from auditor.utility._features import features
from auditor.utility._numbers import Floats


@dataclass(frozen=True)
class Quality:
    """What a classifier is worth on records that it has not seen.

    `accuracy` is the share of records whose category it names. `auc` is the mean over the categories of the area under
    the curve of one against the rest, and over the folds: 0.5 guesses, 1 ranks perfectly.
    """

    accuracy: float
    auc: float


@dataclass(frozen=True)
class ClassifierLoss:
    """One classifier, learned from the original and from the masked records; a drop below 0 is luck or smoothing."""

    classifier: str
    original: Quality
    masked: Quality

    @property
    def accuracy_drop(self) -> float:
        """The accuracy that is lost, −1 to 1."""
        return self.original.accuracy - self.masked.accuracy

    @property
    def auc_drop(self) -> float:
        """The area under the curve that is lost, −1 to 1."""
        return self.original.auc - self.masked.auc


@dataclass(frozen=True)
class ClassificationLoss:
    """The losses of several classifiers. `majority` is the accuracy of always naming the most frequent category."""

    target: str
    records: int
    folds: int
    majority: float
    each: tuple[ClassifierLoss, ...]

    @property
    def accuracy_drop(self) -> float:
        """The mean of the classifiers' lost accuracies."""
        return float(np.mean([loss.accuracy_drop for loss in self.each]))

    @property
    def auc_drop(self) -> float:
        """The mean of the classifiers' lost areas under the curve."""
        return float(np.mean([loss.auc_drop for loss in self.each]))


def _logistic(seed: int, _: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000, random_state=seed)


def _tree(seed: int, _: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(min_samples_leaf=5, random_state=seed)


def _naive_bayes(_: int, __: int) -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _neighbours(_: int, records: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(min(5, records))


CLASSIFIERS: dict[str, Callable[[int, int], Any]] = {
    "logistic": _logistic,
    "tree": _tree,
    "naive-bayes": _naive_bayes,
    "nearest-neighbours": _neighbours,
}
"""By name, what makes one from a seed and the number of records to learn from."""


def classification_loss(
    original: Microdata,
    masked: Microdata,
    target: str,
    *,
    classifiers: Sequence[str] = tuple(CLASSIFIERS),
    folds: int = 5,
    seed: int = 0,
) -> ClassificationLoss:
    """How much worse classifiers of `target` become by masking, row i the same record; the same seed, the same figures.

    Every other variable of the original is a feature. The masked target is learned from as it is. Records without a
    target in the original are left out, those without one in the masked table are not learned from.

    Raises:
        DataError: other records or variables, no feature, a target that holds numbers, one category alone, one that
            fewer than `folds` records have, or none left in a training set.
        UsageError: scikit-learn (the extra ``learn``) is not installed, an unknown classifier or none, folds below 2.
    """
    _check(classifiers, folds)
    original, masked, labels = _known(original, masked, target, folds)
    inputs = [name for name in original.names if name != target]
    sides = ((original.only(inputs), labels.before), (masked.only(inputs), labels.after))
    found: dict[tuple[str, int], list[Quality]] = {(name, side): [] for name in classifiers for side in (0, 1)}
    dealt = _dealt(labels.before, folds, seed)
    for train, test in dealt:
        held_out, answers = original.only(inputs).rows(test), labels.before[test]
        for side, (records, own) in enumerate(sides):
            learned = train[own[train] != labels.missing]
            if not len(learned):
                raise DataError(f"column {target!r} of the masked table holds no value to learn from")
            matrices = features(records.rows(learned), held_out)
            for name in classifiers:
                made = CLASSIFIERS[name](seed, len(learned))
                found[name, side].append(_judged(made, matrices, own[learned], answers))
    sizes = [len(test) for _, test in dealt]
    return ClassificationLoss(
        target=target,
        records=original.records,
        folds=folds,
        majority=float(np.bincount(labels.before).max() / original.records),
        each=tuple(
            ClassifierLoss(name, _overall(found[name, 0], sizes), _overall(found[name, 1], sizes))
            for name in classifiers
        ),
    )


def _check(classifiers: Sequence[str], folds: int) -> None:
    try:
        import sklearn  # noqa: F401  (asked for here, so that its absence is told before anything is computed)
    except ImportError:
        raise UsageError(f'classification loss needs the extra "learn": {installation("learn")}') from None
    if folds < 2:
        raise UsageError(f"{folds} folds were asked for; at least 2 are needed to hold records out")
    if not classifiers:
        raise UsageError(f"no classifier was named; there are {', '.join(CLASSIFIERS)}")
    for name in classifiers:
        if name not in CLASSIFIERS:
            known = ", ".join(CLASSIFIERS)
            raise UsageError(f"there is no classifier {name!r}{nearest(name, [*CLASSIFIERS])}; there are {known}")


def _known(original: Microdata, masked: Microdata, target: str, folds: int) -> tuple[Microdata, Microdata, Aligned]:
    """The records whose target the original has, and their targets; DataError where nothing can be learned of it."""
    before, after = original[target], masked[target]
    if not isinstance(before, Categorical) or not isinstance(after, Categorical):
        raise DataError(f"column {target!r} holds numbers; a target of classification holds categories")
    if masked.records != original.records:
        raise DataError(
            f"the masked table has {masked.records} records and the original {original.records}; row i must be the "
            "same record"
        )
    if len(original.names) < 2:
        raise DataError(f"the table has no column but {target!r}, so there is nothing to tell it from")
    rows = np.flatnonzero(~before.missing)
    original, masked = original.rows(rows), masked.rows(rows)
    sizes = np.bincount(before.codes[rows])
    sizes = sizes[sizes > 0]
    if len(sizes) < 2:
        raise DataError(f"column {target!r} holds {len(sizes)} categories; at least 2 are needed to tell them apart")
    if sizes.min() < folds:
        raise DataError(
            f"column {target!r} has a category of {sizes.min()} records; with {folds} folds each needs at least {folds}"
        )
    return original, masked, align(before, after).rows(rows)


def _dealt(answers: Codes, folds: int, seed: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Per fold, the records to learn from and those to be asked about; every category is dealt evenly."""
    from sklearn.model_selection import StratifiedKFold

    return list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(answers, answers))


def _judged(made: Any, matrices: tuple[Floats, Floats], taught: Codes, answers: Codes) -> Quality:
    """The quality of a classifier taught by the first matrix, asked about the second."""
    from sklearn.metrics import roc_auc_score
    from threadpoolctl import threadpool_limits

    learned, asked = matrices
    if taught.min() == taught.max():
        # Most classifiers refuse to learn a single category; naming it always is what there is to learn.
        return Quality(float((answers == taught[0]).mean()), 0.5)
    # Sums of several threads differ in the last digits from run to run; these tables are small enough for one.
    with threadpool_limits(1):
        made.fit(learned, taught)
        chances = made.predict_proba(asked)
    accuracy = float((made.classes_[chances.argmax(1)] == answers).mean())
    column = {label: chances[:, place] for place, label in enumerate(made.classes_)}
    never = np.zeros(len(answers))
    areas = [roc_auc_score(answers == label, column.get(label, never)) for label in np.unique(answers)]
    return Quality(accuracy, float(np.mean(areas)))


def _overall(folds: Sequence[Quality], sizes: Sequence[int]) -> Quality:
    """The accuracy of all held-out records, and the mean of the folds' areas: ranks of two models do not compare."""
    accuracy = np.average([fold.accuracy for fold in folds], weights=sizes)
    return Quality(float(accuracy), float(np.mean([fold.auc for fold in folds])))
