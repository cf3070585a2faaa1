"""Information loss of masked microdata: what an analyst no longer finds in it.

One measure per file; each compares an original with a masked table and gives a frozen value::

    probabilistic    numbers: means, variances, covariances, correlations, quantiles, each from 0 to 100
    unbounded        numbers: mean squared and absolute errors, mean variation, IL1s
    sse              numbers: the share of the variance that is lost
    category_distance, contingency, entropy
                     categories: how far they moved, how tables changed, how uncertain the original ones are
    distortion, certainty
                     hierarchies: how far up values went, how many values a label leaves possible
    mixed            numbers and categories in one figure
    classification   how much worse classifiers become (extra `learn`)
    clustering       whether the same records are found together, by k_means and fuzzy_c_means; partitions and
                     fuzzy_partitions compare any two groupings
    describe         no loss: what a report draws of both tables
"""

from auditor.utility.category_distance import CategoryDistance, category_distance
from auditor.utility.certainty import category_penalty, interval_penalty
from auditor.utility.classification import ClassificationLoss, ClassifierLoss, Quality, classification_loss
from auditor.utility.clustering import ClusteringLoss, clustering_loss
from auditor.utility.contingency import TableLoss, table_loss
from auditor.utility.describe import (
    CategoricalChange,
    CorrelationChange,
    Description,
    NumericChange,
    NumericSide,
    describe,
)
from auditor.utility.distortion import distortion
from auditor.utility.entropy import EntropyLoss, entropy_loss
from auditor.utility.fuzzy_partitions import FuzzyAgreement, fuzzy_agreement
from auditor.utility.mixed import MixedLoss, mixed_loss
from auditor.utility.partitions import Agreement, agreement
from auditor.utility.probabilistic import Original, ProbabilisticLoss, probabilistic_loss
from auditor.utility.sse import SquaredLoss, squared_loss
from auditor.utility.unbounded import Moved, UnboundedLoss, unbounded_loss

__all__ = [
    "Agreement",
    "CategoricalChange",
    "CategoryDistance",
    "ClassificationLoss",
    "ClassifierLoss",
    "ClusteringLoss",
    "CorrelationChange",
    "Description",
    "EntropyLoss",
    "FuzzyAgreement",
    "MixedLoss",
    "Moved",
    "NumericChange",
    "NumericSide",
    "Original",
    "ProbabilisticLoss",
    "Quality",
    "SquaredLoss",
    "TableLoss",
    "UnboundedLoss",
    "agreement",
    "category_distance",
    "category_penalty",
    "classification_loss",
    "clustering_loss",
    "describe",
    "distortion",
    "entropy_loss",
    "fuzzy_agreement",
    "interval_penalty",
    "mixed_loss",
    "probabilistic_loss",
    "squared_loss",
    "table_loss",
    "unbounded_loss",
]
