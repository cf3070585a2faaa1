"""Regressions and clusterings beside other outputs: 100 people of a model, and 99 of a table, are one person.

So are two models of one form: what their coefficients or centres come to differs by what one person contributed.
"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.errors import NotEvaluated
from auditor.outputs._complete_cases import size_of
from auditor.outputs._examination import DIFFERENCING, Context, Examination, Violation
from auditor.outputs.checks._readings import once
from auditor.outputs.checks._together import joints, judge_differences, least_count
from auditor.outputs.linked import Contradiction
from auditor.outputs.published.outputs import Clustering, Published, Regression
from auditor.policy.outputs import StatisticsLimits as StatisticsRule
from auditor.policy.outputs import TableLimits

NO_SIZE = "another model of the same form is published with it, and one of the two states no number of records"


def judge_beside(output: Published, context: Context) -> Examination:
    """What the counts of a model give away beside others, where rules on tables and statistics ask for differences."""
    checked = Examination()
    if not isinstance(output, Regression | Clustering):
        return checked
    rules = [
        each for each in context.policy.outputs if isinstance(each, TableLimits | StatisticsRule) and each.differencing
    ]
    others = [each for each in (*context.before, *context.together) if each is not output and each.form != output.form]
    beside = {each.type for each in others}
    least = max((n for each in rules if each.type in beside and (n := least_count(each)) is not None), default=None)
    if least is not None:
        try:
            for found in joints(output, context):
                judge_differences(found, least, checked, context)
        except (Contradiction, NotEvaluated) as reason:
            checked.open_limits[DIFFERENCING] = str(reason) or "the numbers of the output contradict each other"
    least = max((n for each in rules if (n := least_count(each)) is not None), default=None)
    for other in others if least is not None else ():
        if isinstance(other, Regression | Clustering) and _form(other) == _form(output):
            checked.violations += _apart(output, other, least or 0, checked)
    checked.violations = once(checked.violations)
    return checked


def _apart(
    output: Regression | Clustering, other: Regression | Clustering, least: int, checked: Examination
) -> Iterator[Violation]:
    """That two models of one form are of nearly as many records, of which one set is taken to hold the other."""
    sizes = size_of(output), size_of(other)
    if None in sizes:
        checked.open_limits.setdefault(DIFFERENCING, NO_SIZE)
        return
    checked.judged.add(DIFFERENCING)
    apart = abs((sizes[0] or 0) - (sizes[1] or 0))
    if 0 < apart < least:
        checked.reach(DIFFERENCING, apart, least=True)
        yield Violation(
            item=output.type,
            limit=DIFFERENCING,
            sentence="A model of the same form has a few records more or fewer: together they describe only these.",
            reached=apart,
            needed=least,
            records_count=apart,
        )


def _form(model: Regression | Clustering) -> tuple[object, ...]:
    """What two models have in common whose difference is that of their records: outcome and terms, or the columns."""
    if isinstance(model, Regression):
        return model.type, model.outcome, frozenset(term.name for term in model.terms)
    return model.type, len(model.clusters), frozenset(column for each in model.clusters for column, _ in each.centre)
