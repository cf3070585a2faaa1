"""The words of an audit of mining outputs: what was published, what in it violates and why, from a redacted document.

Below the internal audience no item is named: a violation then says which file, why, and by how much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from auditor.report import words
from auditor.result import RequirementResult, Result, is_hidden, is_of_outputs

if TYPE_CHECKING:
    from auditor.result.outputs import OutputResult, OutputsResult, OutputViolation

KINDS = {
    "association-rules": ("association rule", "association rules"),
    "frequent-itemsets": ("itemset", "itemsets"),
    "decision-tree": ("leaf", "leaves"),
    "frequency-table": ("cell", "cells"),
    "magnitude-table": ("cell", "cells"),
    "statistics": ("group", "groups"),
    "regression": ("coefficient", "coefficients"),
    "clusters": ("cluster", "clusters"),
}
"""What the items of each type are called, one and many."""


def violations(document: OutputsResult, most: int | None = None) -> list[str]:
    """The violations as sentences, as many as asked for."""
    return _sentences(_all(document), most)


def of_requirement(document: Result, requirement: RequirementResult, most: int) -> list[str]:
    """The violations that break a limit, each as a sentence."""
    if not is_of_outputs(document):
        return []
    found = [(output, each) for output, each in _all(document) if each.requirement == requirement.id]
    return _sentences(found, most)


def _all(document: OutputsResult) -> list[tuple[OutputResult, OutputViolation]]:
    return [(output, each) for output in document.outputs for each in output.violations]


def _sentences(found: Sequence[tuple[OutputResult, OutputViolation]], most: int | None) -> list[str]:
    return [_sentence(output, each) for output, each in found[:most]]


def _sentence(output: OutputResult, violation: OutputViolation) -> str:
    item = f"{violation.item}: " if violation.item is not None else ""
    numbers = differing(violation) or ", ".join(filter(None, (needed(violation), reached(violation))))
    return f"{output.file}: {item}{violation.sentence}{f' ({numbers})' if numbers else ''}"


def needed(violation: OutputViolation) -> str:
    """The number that is needed, where there is one."""
    return "" if violation.needed is None else f"needed {words.number(violation.needed)}"


def reached(violation: OutputViolation) -> str:
    """The number that was reached, where it may be told."""
    value = violation.reached
    return "" if value is None or is_hidden(value) else f"reached {words.number(value, violation.needed)}"


def differing(violation: OutputViolation) -> str:
    """What is written and what the data gives, where they differ and may be told."""
    if violation.written is None:
        return ""
    counted = violation.counted
    return f"written {words.number(violation.written)}" + ("" if counted is None else f", not {words.number(counted)}")


def named(output: OutputResult) -> str:
    """``120 association rules``."""
    one, many = KINDS.get(output.type, ("item", "items"))
    return words.counted(output.items, one, many)


def facts(document: OutputsResult) -> list[tuple[str, str]]:
    """What was looked at and found, as pairs of a short name and a text."""
    return [("outputs", published(document)), ("found", found(document)), ("counts", counted(document))]


def published(document: OutputsResult, width: int = 40) -> str:
    """The files and what is in them, and what was released before."""
    listed = [f"{words.shortened(each.file, width)} ({named(each)})" for each in document.outputs]
    before = document.released_before
    more = f"; {words.counted(before, 'output')} released before" if before else ""
    return words.listed(listed, 4) + more


def left(document: OutputsResult, told: int) -> int:
    """How many violations there are besides those that are told; 0 where that is hidden."""
    counts = [each.violations_count for each in document.outputs]
    return 0 if any(map(is_hidden, counts)) else sum(counts) - told


def found(document: OutputsResult) -> str:
    """How many items violate, by what."""
    counts = Counter(each.reason for _, each in _all(document))
    if any(is_hidden(each.violations_count) for each in document.outputs):
        return f"violations: {words.listed(list(counts))}"
    total = sum(each.violations_count for each in document.outputs)
    if not total:
        return "nothing that violates the policy"
    if total > counts.total():
        return words.counted(total, "violation")
    kinds = ", ".join(f"{reason} {words.number(count)}" for reason, count in counts.most_common())
    return f"{words.counted(total, 'violation')}: {kinds}"


def counted(document: OutputsResult) -> str:
    """Where the counts are from."""
    sources = {each.counted for each in document.outputs}
    return "recomputed from the data" if sources == {"data"} else "as the files state them"


def attacker(document: OutputsResult) -> str:
    """Against whom the outputs are judged."""
    before = " and of what was released before" if document.ledger else ""
    return (
        f"A reader of all the outputs{before}, who knows the attributes of people in the data and combines the numbers."
    )


def unread(document: OutputsResult) -> list[str]:
    """What could not be judged, and why."""
    return [_of_file(each.file, reason) for each in document.outputs for reason in each.not_evaluated]


def _of_file(file: str, reason: str) -> str:
    """A reason with its file's name, which those of a reader begin with."""
    return reason if reason.startswith(file) else f"{file}: {reason}"
