"""A run that is stopped while a masked table is judged ends; it does not go on with the next one."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from auditor.engines import Spill
from auditor.errors import Interrupted, NotEvaluated, OutOfMemory
from auditor.microdata import Microdata, Numeric
from auditor.policy import load_policy
from auditor.weighing import _policy_judge

POLICY = {
    "version": 1,
    "name": "small",
    "attributes": {"pay": "quasi-identifier"},
    "requirements": [{"model": "k-anonymity", "k": 2}],
}


@pytest.mark.parametrize(("error", "ends"), [(Interrupted, True), (NotEvaluated, False), (OutOfMemory, False)])
def test_only_a_stop_ends_the_comparison(error, ends, monkeypatch):
    def stopped(*_: object, **__: object) -> None:
        raise error("said so")

    monkeypatch.setattr(_policy_judge, "judged", stopped)
    data = Microdata((Numeric("pay", np.array([1.0, 1.0])),))
    judge = _policy_judge.PolicyJudge(load_policy(POLICY), data, 1 << 30, dt.date(2026, 11, 23), Spill())
    if ends:
        with pytest.raises(Interrupted):
            judge(data)
    else:
        assert judge(data) is None
