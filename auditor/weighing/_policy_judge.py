"""Whether a masked table meets the policy, judged as the release that it would be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from auditor.audit import judged
from auditor.engines import RunLimits, Spill
from auditor.errors import NotEvaluated
from auditor.microdata import LARGEST, Microdata, Numeric, Variable
from auditor.policy import Policy
from auditor.result import Verdict


@dataclass(frozen=True)
class PolicyJudge:
    """Judges tables that were masked; None where the policy cannot be evaluated on them.

    Args:
        policy: the policy.
        original: the table that is masked, for requirements on records.
        memory: as for `Limits.of`.
        as_of: the day on which waivers are judged.
        spill: where temporary data may go.
    """

    policy: Policy
    original: Microdata
    memory: int
    as_of: date | None
    spill: Spill

    def __call__(self, masked: Microdata) -> bool | None:
        """Whether every requirement of severity error is met without a waiver."""
        try:
            found = judged(
                frame(masked),
                self.policy,
                RunLimits.of(self.memory, None, self.spill),
                original=frame(self.original),
                as_of=self.as_of,
                followed=np.arange(masked.records),
            )
        except NotEvaluated:
            return None
        return None if found.verdict is Verdict.NOT_EVALUATED else found.passed


def frame(data: Microdata) -> object:
    """Microdata as a dataframe: whole numbers as such, categories as text, missing values as null."""
    import pandas as pd

    return pd.DataFrame({variable.name: _column(variable) for variable in data.variables})


def _column(variable: Variable) -> Any:
    import pandas as pd

    if isinstance(variable, Numeric):
        known = np.where(variable.missing, 0.0, variable.values)
        if np.all(known == np.rint(known)) and np.all(np.abs(known) < LARGEST):
            return pd.arrays.IntegerArray(known.astype(np.int64), variable.missing)
        return pd.Series(variable.values)
    labels = np.array([*variable.labels, None], dtype=object)  # the code of a missing value is −1
    return pd.Series(labels[variable.codes], dtype="str")
