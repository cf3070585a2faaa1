"""Releases of one run, held against each other: two outputs that may go out alone can differ by one person.

Each release was judged with what the ledger held before the run. Those that pass so are judged again beside the outputs
of all others that do, as a later run would judge them with all of these in the ledger. Every release is beside every
other, so neither the order of the manifest nor the number of processes changes what is found; and what a release does
not pass alone, it does not pass beside others.

With a ledger, all outputs of the run are looked at together, as the ledger looks at all that it holds. Without one,
those that were counted in the same table, as its bytes tell; where one of two releases names no table, those under the
same policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from auditor.errors import DataError
from auditor.gate._judge import GateCase, Material, audited_outputs, noting, spoken_of
from auditor.gate._judgement import ORDER, Held, JudgedCase, Judgement
from auditor.gate._parallel import spread
from auditor.outputs import Published, form_of, released
from auditor.policy import Policy
from auditor.result import Result, Verdict

PASSING = (Verdict.PASS, Verdict.WAIVED)
SAID = {
    Verdict.FAIL: "Its outputs meet the policy on their own, but not together with those of {}.",
    Verdict.NOT_EVALUATED: (
        "Its outputs meet the policy on their own; it is not known whether they do together with those of {}."
    ),
    Verdict.WAIVED: "Together with the outputs of {} it meets the policy only with waivers.",
}
MOST_NAMED = 5


@dataclass(frozen=True)
class Neighbours:
    """What stands beside a release that passed alone: what it was judged as, the other releases, and their outputs."""

    judged: JudgedCase
    others: tuple[str, ...]
    outputs: tuple[Published, ...]


def judge_together(
    cases: Sequence[GateCase], judged: Mapping[str, JudgedCase], asked: int | None = None
) -> dict[str, JudgedCase]:
    """What was judged, with what follows where the releases are released together.

    Args:
        cases: the releases of the run.
        judged: what was found of each alone, by its name.
        asked: how many processes judge; None for as many as pay.
    """
    beside = list(_beside(cases, judged))
    asked_again = [case for case, _ in beside]
    answers = spread(judge_beside, asked_again, [each for _, each in beside], asked)
    return {**judged, **{case.name: each for case, each in zip(asked_again, answers, strict=True)}}


def _beside(cases: Sequence[GateCase], judged: Mapping[str, JudgedCase]) -> Iterator[tuple[GateCase, Neighbours]]:
    """The releases that have outputs beside others of which the ledger did not tell them."""
    passing = [case for case in cases if judged[case.name].head.published and _passes(judged[case.name])]
    if len(passing) < 2:
        return
    forms = {case.name: {form_of(o): o for o in judged[case.name].head.published} for case in passing}
    kept = next((case.kept for case in passing if case.kept is not None), None)
    known = set() if kept is None else {form_of(output) for output in released(kept.known())}
    for case in passing:
        new: dict[str, Published] = {}
        names = []
        for other in passing:
            if other is not case and _related(case, judged[case.name], other, judged[other.name]):
                unseen = {form: each for form, each in forms[other.name].items() if form not in known}
                unseen = {form: each for form, each in unseen.items() if form not in forms[case.name]}
                new |= unseen
                names += [other.name] if unseen else []
        if new:
            outputs = tuple(new[form] for form in sorted(new))
            yield case, Neighbours(judged[case.name], tuple(sorted(names)), outputs)


def _passes(judged: JudgedCase) -> bool:
    """Whether a release meets its policy; one that does not is not released, and is beside nothing."""
    return judged.head.verdict in PASSING


def _related(case: GateCase, judged: JudgedCase, other: GateCase, found: JudgedCase) -> bool:
    """Whether outputs of two releases may be of the same records."""
    if case.kept is not None:
        return True
    if judged.table is not None and found.table is not None:
        return judged.table == found.table
    return case.policy.sha256 == other.policy.sha256


def judge_beside(case: GateCase, beside: Neighbours) -> JudgedCase:
    """What a release is beside others, under both of its policies."""
    judged = beside.judged
    head = _copied(judged.head)
    with noting(head):
        material = Material(case)
        _again(case, head, material, beside, case.policy)
        base = None if judged.base is None or case.base is None else _copied(judged.base)
        if base is not None and case.base is not None and base.verdict in PASSING:
            with noting(base):
                _again(case, base, material, beside, case.base)
        if (material.files(), material.table) != (judged.files, judged.table):
            raise DataError("a file changed while it was judged, so it is not known what was judged")
        material.check(head)
        floors = tuple(_held_again(case, held, material, beside) for held in judged.floors)
        judged = replace(judged, base=base, floors=floors)
    _say(head, judged.head.verdict, beside.others)
    return replace(judged, head=head)


def _held_again(case: GateCase, held: Held, material: Material, beside: Neighbours) -> Held:
    """The release beside a floor, and beside others."""
    readings = []
    for policy, found in held.readings:
        again = _copied(found)
        with noting(again):
            _again(case, again, material, beside, policy)
        readings.append((policy, spoken_of(policy, again)))
    return replace(held, readings=tuple(readings))


def _copied(judgement: Judgement) -> Judgement:
    """A judgement that can be added to."""
    return replace(
        judgement,
        documents=list(judgement.documents),
        missing=list(judgement.missing),
        notes=list(judgement.notes),
    )


def _again(case: GateCase, judgement: Judgement, material: Material, beside: Neighbours, policy: Policy) -> None:
    """Put the result of the outputs beside others in place of that of the outputs alone, unless it is the better."""
    if not judgement.published:
        return
    found = audited_outputs(policy, case, material, judgement.published, beside.outputs).result
    judgement.documents = [
        found if each.command == found.command and _no_better(found, each) else each for each in judgement.documents
    ]


def _no_better(one: Result, other: Result) -> bool:
    return ORDER.index(one.verdict) <= ORDER.index(other.verdict)


def _say(head: Judgement, alone: Verdict, others: Sequence[str]) -> None:
    """Note why a release that passes alone does not pass, or passes with waivers."""
    if head.verdict is not alone:
        more = len(others) - MOST_NAMED
        listed = ", ".join(others[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        head.notes.append(SAID[head.verdict].format(listed))
