"""Why requirements were not evaluated."""

from __future__ import annotations

from auditor.report.words import listed
from auditor.result import LACKING, RequirementResult, Result, Status

FEW = 3
"""From so many requirements on, what all of them have in common is said once."""


def reason(requirement: RequirementResult) -> str:
    """Why a requirement was not evaluated, with what only the internal audience is told."""
    return "; ".join((requirement.reason or "", *(requirement.details or ())))


def without_columns(document: Result) -> list[RequirementResult]:
    """The requirements on columns that the data does not have, where there are several; else none."""
    unread = [each for each in document.requirements if each.status == Status.NOT_EVALUATED and not each.details]
    found = [each for each in unread if each.reason and each.reason.startswith(LACKING)]
    return found if len(found) >= FEW else []


def reasons(document: Result) -> list[str]:
    """Why requirements were not evaluated; several whose columns the data lacks in one line."""
    together = without_columns(document)
    alone = [f"{each.id}: {reason(each)}" for each in document.requirements if each.reason and each not in together]
    if not together:
        return alone
    names = listed([each.id for each in together], FEW)
    columns = listed(list(dict.fromkeys(name for each in together for name in each.columns)), FEW)
    return [f"{names}: the data has none of their columns ({columns})", *alone]
