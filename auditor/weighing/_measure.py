"""What one masked table loses and discloses: the figures of one line of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError
from auditor.microdata import Microdata
from auditor.risk import disclosure_risk, dr, same_rows, score
from auditor.utility import Original
from auditor.weighing._uses import Lost, PreparedUse

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class MethodFigures:
    """Information loss and disclosure risk of one masked table, in percent.

    Args:
        apil: the average probabilistic information loss.
        id: interval disclosure, by ranks.
        rd: the share of records that are linked by an attacker who knows the first h variables, averaged over h.
        linkage: that share for h = 1, 2, …, by the best linkage.
        same_rows: the share of rows that equal a row of the original, wherever that stands.
        met: whether the policy is met; None where it could not be judged.
        uses: the loss of each use of the policy, or why it could not be measured.
    """

    apil: float
    id: float
    rd: float
    linkage: tuple[float, ...]
    same_rows: float
    met: bool | None = None
    uses: tuple[Lost, ...] = ()

    @property
    def dr(self) -> float:
        """Disclosure risk: (ID + RD) / 2."""
        return dr(self.id, self.rd)

    @property
    def score(self) -> float:
        """(aPIL + DR) / 2."""
        return score(self.apil, self.dr)

    def plain(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return asdict(self)

    @classmethod
    def of(cls, values: Any) -> MethodFigures | None:
        """What `plain` wrote; None where it is anything else."""
        try:
            found = cls(**{**values, "linkage": tuple(values["linkage"]), "uses": tuple(values["uses"])})
        except (TypeError, KeyError):
            return None
        losses = (loss for loss in found.uses if not isinstance(loss, str))
        numbers = (found.apil, found.id, found.rd, found.same_rows, *found.linkage, *losses)
        real = all(isinstance(n, int | float) and not isinstance(n, bool) and isfinite(n) for n in numbers)
        return found if real and found.met in (True, False, None) else None


class Yardstick:
    """The original, against which every masked table is measured.

    Raises:
        DataError: a column holds categories, has missing values, or there are fewer than two records.
    """

    def __init__(self, original: Microdata, columns: Sequence[str], uses: Sequence[PreparedUse] = ()) -> None:
        self.columns, self._uses = tuple(columns), tuple(uses)
        self._original = self._numbers(original)
        if len(self._original) < 2:
            raise DataError("the table has fewer than two records, so there is nothing that could be weighed")

    def _numbers(self, data: Microdata) -> FloatArray:
        numbers = data.numbers(self.columns)
        for place, name in enumerate(self.columns):
            if np.isnan(numbers[:, place]).any():
                raise DataError(
                    f"column {name!r} has missing values, for which the Score is not defined; "
                    "leave the column out of the methods, or the records out of the table"
                )
        return numbers

    @cached_property
    def _prepared(self) -> Original:
        return Original(self._original)

    def measured(self, masked: Microdata, *, met: bool | None = None) -> MethodFigures:
        """The figures of one masked table, row i the record of row i of the original."""
        numbers = self._numbers(masked)
        risk = disclosure_risk(self._original, numbers)
        return MethodFigures(
            apil=float(self._prepared.loss(numbers).average),
            id=risk.interval.percent,
            rd=risk.linkage.percent,
            linkage=tuple((100 * risk.linkage.worst.rates).tolist()),
            same_rows=same_rows(self._original, numbers).percent,
            met=met,
            uses=tuple(use.lost(masked) for use in self._uses),
        )
