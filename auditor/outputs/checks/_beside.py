"""Regressions and clusterings beside tables: 100 people of a model, and 99 of a table, are one person."""

from __future__ import annotations

from auditor.errors import NotEvaluated
from auditor.outputs._examination import DIFFERENCING, Context, Examination
from auditor.outputs._published import Clusters, Published, Regression
from auditor.outputs.checks._readings import once
from auditor.outputs.checks._together import joints, judge_differences, least_count
from auditor.outputs.linked import Contradiction
from auditor.policy.outputs import Statistics as StatisticsRule
from auditor.policy.outputs import Table


def judge_beside(output: Published, context: Context) -> Examination:
    """What the counts of a model give away beside tables and statistics, where rules on these ask for differences."""
    checked, rules = (
        Examination(),
        [each for each in context.policy.outputs if isinstance(each, Table | StatisticsRule)],
    )
    beside = {each.type for each in (*context.before, *context.together)}
    asked = (least_count(rule) for rule in rules if rule.differencing and rule.type in beside)
    least = max((each for each in asked if each is not None), default=None)
    if not isinstance(output, Regression | Clusters) or least is None:
        return checked
    try:
        for found in joints(output, context):
            judge_differences(found, least, checked, context)
        checked.violations = once(checked.violations)
    except (Contradiction, NotEvaluated) as reason:
        checked.open_limits[DIFFERENCING] = str(reason) or "the numbers of the output contradict each other"
    return checked
