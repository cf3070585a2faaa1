"""The thresholds as people say them: a number of transactions, or a share as 0.1% or 0.001."""

from __future__ import annotations

import re
from fractions import Fraction

from auditor.errors import UsageError
from auditor.outputs.hiding._problem import Threshold

_COUNT = re.compile(r"\d{1,15}")
_SHARE = re.compile(r"(\d{0,15}\.?\d{1,15})\s*(%?)")

ThresholdText = str | int | float | Fraction


def support(said: ThresholdText) -> Threshold:
    """The least support. A whole number counts transactions; with a decimal point or a % it is a share.

    >>> support("60"), support("0.1%"), support(0.5)
    (Threshold(asked=60), Threshold(asked=Fraction(1, 1000)), Threshold(asked=Fraction(1, 2)))
    """
    right = "a number of transactions from 1 (60), or a share of them as 0.1% or 0.001"
    if isinstance(said, bool):
        raise UsageError(f"--min-support {said!r} is not a threshold; write {right}")
    if isinstance(said, int) or (isinstance(said, str) and _COUNT.fullmatch(said.strip())):
        if int(said) < 1:
            raise UsageError(f"--min-support {said} is not a threshold; write {right}")
        return Threshold(int(said))
    share = _share(said)
    if share is None:
        raise UsageError(f"--min-support {said!r} is not a threshold; write {right}")
    return Threshold(share)


def confidence(said: ThresholdText) -> Fraction:
    """The least confidence: a share above 0 and up to 1.

    >>> confidence("20%"), confidence("0.2"), confidence(1)
    (Fraction(1, 5), Fraction(1, 5), Fraction(1, 1))
    """
    share = _share(str(said) if isinstance(said, int) and not isinstance(said, bool) else said)
    if share is None:
        raise UsageError(f"--min-confidence {said!r} is not a confidence; write a share above 0, as 20% or 0.2")
    return share


def _share(said: ThresholdText) -> Fraction | None:
    """A share above 0 and up to 1, exactly as it is written; None for anything else."""
    read = _SHARE.fullmatch(str(said).strip()) if isinstance(said, str | float) else None
    if isinstance(said, Fraction):
        share = said
    elif read:
        share = Fraction(read[1]) / (100 if read[2] else 1)
    else:
        return None
    return share if 0 < share <= 1 else None
