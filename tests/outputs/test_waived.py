"""A waiver of a rule on outputs excuses an output that was seen to keep its bound."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.outputs._examination import Examination, Violation
from auditor.outputs._waivers import Waived
from auditor.policy import load_policy
from auditor.policy.demands import relaxed
from auditor.policy.waivers import Waiver

HELD = {"requirement": "cells", "reason": "small unit", "owner": "Ana", "approved_by": "Bo", "expires": "2027-02-28"}
SMALL = Violation(item="a", limit="min_cell", sentence="A cell is too small.")


def waived(at_least: dict[str, Any], checked: Examination) -> Waived:
    rule = {"id": "cells", "type": "frequency-table", "min_cell": 10}
    [rule] = load_policy({"name": "p", "outputs": [rule]}).outputs
    held = Waiver.model_validate({**HELD, "at_least": at_least})
    return Waived(held, None, (relaxed(rule, held), checked))


@pytest.mark.parametrize(
    ("at_least", "checked", "excused"),
    [
        ({"min_cell": 5}, Examination(judged={"min_cell"}), True),
        ({"min_cell": 5}, Examination(judged={"min_cell"}, violations=[SMALL]), False),
        ({"min_cell": 5}, Examination(judged={"min_cell"}, open_limits={"min_cell": "no time was left"}), False),
        ({"min_cell": 5}, Examination(open_limits={"": "no data"}), False),
        ({"min_cell": 5}, Examination(), False),
        ({"min_cell": 0}, Examination(), True),
    ],
    ids=["kept", "broken, too", "not decided", "not judged", "not looked at", "no bound is left"],
)
def test_a_bound_that_was_not_judged_excuses_nothing(at_least: Any, checked: Examination, *, excused: bool) -> None:
    assert waived(at_least, checked).excuses("min_cell") is excused
