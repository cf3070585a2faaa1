"""What a report says of counts that were taken over from an earlier result."""

from __future__ import annotations

from auditor.report import words
from auditor.result import Result


def assumed(shown: Result) -> list[str]:
    """What a verdict takes for granted, the counts of an earlier result included."""
    since = shown.since
    if since is None:
        return list(shown.assumptions)
    earlier = f"{since.result}, evaluated on {since.evaluated_on}"
    if not since.added:
        said = f"All of the data was counted, and nothing taken over from {earlier}: {since.reason}."
    else:
        before, added = words.number(since.records_before), words.number(since.records_added)
        said = f"Rows counted earlier, by their counts: {before}, from {earlier}; new rows, counted now: {added}."
    return [*shown.assumptions, said]
