"""Classify: predict a column of people whom the classifier has not seen, from the other columns.

With the accuracy a of a classifier that learned from the original, a′ of one that learned from the masked records of
the same people, and m of always naming the most frequent category, all of the original records that were held out::

    loss = 100 (a − a′) / (a − m), at least 0, at most 100

0: as good as the original; 100: no better than without any other column. It is the share of what there was to learn.

Source: as `auditor.utility.classification`; V. S. Iyengar, KDD 2002, measures the classification errors themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

from pydantic import Field

from auditor.direction import Stricter
from auditor.errors import DataError
from auditor.microdata import Microdata
from auditor.utility.classification import ClassifiedOriginal, ClassifierName
from auditor.utility.uses._base import MOST_SEED, Use


class Classify(Use):
    """Predict a column from the others: how much of what a classifier learns from the original is lost."""

    classify: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="The column of categories to predict.")
    classifier: Annotated[ClassifierName, Stricter.NEUTRAL] = Field("logistic", description="What learns.")
    folds: Annotated[int, Stricter.NEUTRAL] = Field(
        5, ge=2, le=100, description="Into how many parts records are dealt; each part is held out once."
    )
    seed: Annotated[int, Stricter.NEUTRAL] = Field(
        0, ge=0, le=MOST_SEED, description="Seed of the parts and of the classifier."
    )

    SAYS: ClassVar[str] = (
        "The share that is lost of what a classifier which learned from the original knows beyond the most frequent "
        "category, asked about original records that it has not seen; it says nothing of other classifiers and columns."
    )

    @property
    def target(self) -> str:
        """The column to predict."""
        return self.classify

    def baseline(self, original: Microdata) -> _Classified:
        """See `Use`. DataError also where the classifier is no better than naming the most frequent category."""
        found = _Classified(self, original)
        if found.learned <= 0:
            raise DataError(
                f"from the original itself, {self.classifier} tells {self.classify!r} no better than by always naming "
                "the most frequent category, so there is nothing to lose; name other attributes or another classifier"
            )
        return found


@dataclass(frozen=True)
class _Classified:
    use: Classify
    original: Microdata

    @cached_property
    def _first(self) -> ClassifiedOriginal:
        return self._dealt(self.use.seed)

    @property
    def learned(self) -> float:
        """The accuracy of the original beyond that of the most frequent category."""
        return self._first.qualities[0].accuracy - self._first.majority

    @property
    def chance(self) -> float:
        """See `UseBaseline`: the original, dealt into other folds."""
        other = self._dealt(self.use.seed + 1).qualities[0].accuracy
        return self._share(abs(self._first.qualities[0].accuracy - other))

    def loss(self, masked: Microdata) -> float:
        """See `UseBaseline`."""
        return self._share(self._first.loss(masked).accuracy_drop)

    def _share(self, drop: float) -> float:
        return min(max(100 * drop / self.learned, 0.0), 100.0)

    def _dealt(self, seed: int) -> ClassifiedOriginal:
        use = self.use
        return ClassifiedOriginal(self.original, use.classify, classifiers=[use.classifier], folds=use.folds, seed=seed)
