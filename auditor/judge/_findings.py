"""What the reader should act on, from the results of demands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from auditor.judge import _baseline
from auditor.judge._waivers import Granted
from auditor.result import Finding, RequirementResult, Status


def findings(results: Iterable[RequirementResult], sentence: Callable[[RequirementResult], str]) -> Iterator[Finding]:
    """A finding for each demand that does not hold or was not judged, and for each note on one that holds.

    Args:
        results: what was found.
        sentence: what is said of a demand that is broken: no number and no value of the data.
    """
    for result in results:
        if result.status is Status.PASS:
            for note in result.notes:
                yield Finding(requirement=result.id, message=note, level="warning", location=result.location)
            continue
        yield Finding(
            requirement=result.id,
            message=sentence(result) if result.reason is None else f"Not evaluated: {result.reason}.",
            records_count=result.records_violating,
            level="error" if result.status in (Status.FAIL, Status.NOT_EVALUATED) else "warning",
            location=result.location,
        )


def doubts(
    granted: Granted, results: Sequence[RequirementResult], excusable: Mapping[str, Collection[str]]
) -> Iterator[Finding]:
    """What is to be said of what excuses: of waivers, and of known failures.

    Args:
        granted: the waivers and known failures of the policy.
        results: what was found.
        excusable: what a waiver may name here, each with the ids of the results that it may excuse.
    """
    yield from granted.doubts(results, excusable)
    yield from _baseline.doubts(granted.policy, results, granted.as_of)
