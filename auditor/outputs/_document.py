"""What was found, written as the result document has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from auditor.outputs._examination import MISMATCH, Examination, Violation
from auditor.outputs._verdicts import Judged, number
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Published
from auditor.policy import Policy, demands
from auditor.policy.demands import limit_id
from auditor.result.outputs import OutputResult, OutputViolation, Picture

MOST_VIOLATIONS = 10_000
MOST_RECORDS = 1_000
"""Of each violation so many records are named; `records_count` is always exact."""


def output(
    published: Published, checked: Sequence[tuple[Judged, Examination]], policy: Policy, counts: Counts | None
) -> OutputResult:
    """One output, with what each rule of its type says of it."""
    found = [(judged, violation) for judged, each in checked for violation in each.violations]
    listed = tuple(_violation(judged, each, policy, counts) for judged, each in found[:MOST_VIOLATIONS])
    pictures = [each.picture for _, each in checked if each.picture is not None]
    return OutputResult(
        file=published.source,
        type=published.type,
        items=max((each.items for _, each in checked), default=0),
        format=published.format,
        sha256=published.sha256 or None,
        counted="file" if counts is None else "data",
        records=published.records,
        violations=listed,
        violations_count=len(found),
        not_evaluated=tuple(dict.fromkeys((*_open(checked), *published.unread))),
        notes=tuple(dict.fromkeys((*published.notes, *(note for _, each in checked for note in each.notes)))),
        picture=_without_secrets(pictures[0], [judged for judged, _ in checked], policy) if pictures else None,
    )


def unread(file: str, reason: str) -> OutputResult:
    """A file whose outputs could not be read."""
    return OutputResult(file=file, type="unknown", items=0, format="unknown", not_evaluated=(reason,))


def _open(checked: Iterable[tuple[Judged, Examination]]) -> Iterable[str]:
    for judged, each in checked:
        for limit, reason in each.open_limits.items():
            yield f"{limit_id(judged.rule, limit) if limit else judged.rule.id}: {reason}"


def _violation(judged: Judged, violation: Violation, policy: Policy, counts: Counts | None) -> OutputViolation:
    rows = violation.rows
    if rows is None and violation.about is not None and counts is not None:
        rows = tuple(counts.members(violation.about)[:MOST_RECORDS].tolist())
    secret = violation.limit in _secret(policy, judged)
    differs = violation.limit == MISMATCH
    reached = _apart(violation) if differs else violation.reached
    needed = violation.needed if not differs else None if reached is None else 0
    measures = {name: number(value) or 0 for name, value in violation.measures.items()}
    support = measures.get("support")
    return OutputViolation(
        item=violation.item,
        reason=violation.reason_in(type(judged.rule)),
        requirement=limit_id(judged.rule, violation.limit),
        sentence=violation.sentence,
        reached=None if secret else number(reached),
        needed=None if secret else number(needed),
        support=int(support) if support is not None else None,
        confidence=measures.get("confidence"),
        records_count=violation.records_count,
        records=None if rows is None else rows[:MOST_RECORDS],
        measures=measures or None,
        written=number(violation.reached) if differs else None,
        counted=number(violation.needed) if differs else None,
    )


def _apart(violation: Violation) -> int | Fraction | None:
    """How far what is written is from what the data gives; None where one of them is no number."""
    if violation.reached is None or violation.needed is None:
        return None
    return abs(Fraction(violation.reached) - violation.needed)


def _without_secrets(picture: Picture, judged: Sequence[Judged], policy: Policy) -> Picture:
    """A picture without the bounds that must not be shown."""
    secret = any(_secret(policy, each) for each in judged)
    return replace(picture, least=None, most=None) if secret else picture


def _secret(policy: Policy, judged: Judged) -> frozenset[str]:
    """The limits of a rule whose bounds must not be shown."""
    return frozenset(each.parameter for each in demands.of_rule(policy, judged.index) if each.confidential)
