"""Information loss of masked microdata: what an analyst no longer finds in it.

One measure per file; each compares an original with a masked table and gives a frozen value::

    probabilistic    numbers: means, variances, covariances, correlations, quantiles, each from 0 to 100
    unbounded        numbers: mean squared and absolute errors, mean variation, IL1s
    sse              numbers: the share of the variance that is lost
"""

from auditor.utility.probabilistic import Original, ProbabilisticLoss, probabilistic_loss
from auditor.utility.sse import SquaredLoss, squared_loss
from auditor.utility.unbounded import Moved, UnboundedLoss, unbounded_loss

__all__ = [
    "Moved",
    "Original",
    "ProbabilisticLoss",
    "SquaredLoss",
    "UnboundedLoss",
    "probabilistic_loss",
    "squared_loss",
    "unbounded_loss",
]
