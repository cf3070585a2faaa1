"""Information loss of masked microdata: what an analyst no longer finds in it.

One measure per file; each compares an original with a masked table and gives a frozen value. Where to start:
`probabilistic` for numbers.
"""

from auditor.utility.probabilistic import Original, ProbabilisticLoss, probabilistic_loss

__all__ = ["Original", "ProbabilisticLoss", "probabilistic_loss"]
