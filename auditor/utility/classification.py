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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from auditor.distribution import installation
from auditor.errors import DataError, UsageError, nearest
from auditor.microdata import MISSING, Categorical, Microdata
from auditor.utility._categories import Codes, align
from auditor.utility._features import features
from auditor.utility._numbers import Floats

ClassifierName: TypeAlias = Literal["logistic", "tree", "naive-bayes", "nearest-neighbours"]


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


CLASSIFIERS: Mapping[str, Callable[[int, int], Any]] = {
    "logistic": _logistic,
    "tree": _tree,
    "naive-bayes": _naive_bayes,
    "nearest-neighbours": _neighbours,
}
"""By name, what makes one from a seed and the number of records to learn from."""


class ClassifiedOriginal:
    """Classifiers of one column of an original: each masked table is compared with what they are worth there.

    `majority` is the accuracy of always naming the most frequent category.
    """

    def __init__(
        self,
        original: Microdata,
        target: str,
        *,
        classifiers: Sequence[str] = tuple(CLASSIFIERS),
        folds: int = 5,
        seed: int = 0,
    ) -> None:
        """Deal the records into folds; the same seed deals the same.

        Raises:
            DataError, UsageError: as `classification_loss`, of what is wrong with the original or the call.
        """
        _check(classifiers, folds)
        self.target, self._every = target, original
        self._rows = _known(original, target, folds)
        self._original = original.rows(self._rows)
        self._answers = original.categorical(target).codes[self._rows].astype(np.int64)
        self._inputs = [name for name in original.names if name != target]
        self._classifiers, self._seed = tuple(classifiers), seed
        self._dealt = _dealt(self._answers, folds, seed)
        self.majority = float(np.bincount(self._answers).max() / len(self._rows))

    @cached_property
    def qualities(self) -> tuple[Quality, ...]:
        """What each classifier is worth that learned from the original."""
        return self._qualities(self._original, self._answers, MISSING)

    def loss(self, masked: Microdata) -> ClassificationLoss:
        """Compare with one masked table; DataError as `classification_loss`, of what is wrong with it."""
        if masked.records != self._every.records:
            raise DataError(
                f"the masked table has {masked.records} records and the original {self._every.records}; row i must be "
                "the same record"
            )
        labels = align(self._every.categorical(self.target), _target(masked, self.target)).rows(self._rows)
        learned = self._qualities(masked.rows(self._rows), labels.after, labels.missing)
        return ClassificationLoss(
            target=self.target,
            records=self._original.records,
            folds=len(self._dealt),
            majority=self.majority,
            each=tuple(map(ClassifierLoss, self._classifiers, self.qualities, learned)),
        )

    def _qualities(self, records: Microdata, own: Codes, missing: int) -> tuple[Quality, ...]:
        """What each classifier is worth that learned from these records and their targets."""
        asked, taught = self._original.only(self._inputs), records.only(self._inputs)
        found: list[list[Quality]] = [[] for _ in self._classifiers]
        for train, test in self._dealt:
            learned = train[own[train] != missing]
            if not len(learned):
                raise DataError(f"column {self.target!r} of the masked table holds no value to learn from")
            matrices = features(taught.rows(learned), asked.rows(test))
            for name, qualities in zip(self._classifiers, found, strict=True):
                made = CLASSIFIERS[name](self._seed, len(learned))
                qualities.append(_judged(made, matrices, own[learned], self._answers[test]))
        sizes = [len(test) for _, test in self._dealt]
        return tuple(_overall(qualities, sizes) for qualities in found)


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
            fewer than `folds` records have, none left in a training set, or features too many for a matrix.
        UsageError: scikit-learn (the extra ``learn``) is not installed, an unknown classifier or none, folds below 2.
    """
    return ClassifiedOriginal(original, target, classifiers=classifiers, folds=folds, seed=seed).loss(masked)


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


def _known(original: Microdata, target: str, folds: int) -> NDArray[np.intp]:
    """The records whose target the original has; DataError where nothing can be learned of it."""
    answers = _target(original, target)
    if len(original.names) < 2:
        raise DataError(f"the table has no column but {target!r}, so there is nothing to tell it from")
    rows = np.flatnonzero(~answers.missing)
    sizes = np.bincount(answers.codes[rows])
    sizes = sizes[sizes > 0]
    if len(sizes) < 2:
        raise DataError(f"column {target!r} holds {len(sizes)} categories; at least 2 are needed to tell them apart")
    if sizes.min() < folds:
        raise DataError(
            f"column {target!r} has a category of {sizes.min()} records; with {folds} folds each needs at least {folds}"
        )
    return rows


def _target(data: Microdata, name: str) -> Categorical:
    found = data[name]
    if not isinstance(found, Categorical):
        raise DataError(
            f"column {name!r} holds numbers; a target of classification holds categories. If its numbers are codes, "
            "declare type: category"
        )
    return found


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
