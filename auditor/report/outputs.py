"""The words of an audit of mining outputs: what was published, what in it violates and why, from a redacted document.

Below the internal audience no item is named: a violation then says which file, why, and by how much.
"""

from __future__ import annotations

import re
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


MOST_NAMED = 3
"""Of many items that violate alike, so many are named, the most severe first."""
_UNNAMED = re.compile(r"\(unnamed [0-9a-f]+(?: \d+)?\)=")
"""The name of a column that a file does not tell; its values stand alone."""
NAMES_HIDDEN = "`--audience internal` names the items that violate."


def violations(document: OutputsResult, most: int | None = None) -> list[str]:
    """The violations as sentences: one for all items of a file that violate alike; as many as asked for."""
    return _told(_all(document), most)


def of_requirement(document: Result, requirement: RequirementResult, most: int) -> list[str]:
    """The violations that break a limit, as sentences likewise."""
    if not is_of_outputs(document):
        return []
    return _told([(output, each) for output, each in _all(document) if each.requirement == requirement.id], most)


def unnamed(document: OutputsResult) -> list[str]:
    """How to see which items violate, where the audience does not."""
    found = _all(document)
    public = any(is_hidden(output.violations_count) for output, _ in found)
    return [NAMES_HIDDEN] if found and not public and all(each.item is None for _, each in found) else []


def _all(document: OutputsResult) -> list[tuple[OutputResult, OutputViolation]]:
    return [(output, each) for output in document.outputs for each in output.violations]


def _told(found: Sequence[tuple[OutputResult, OutputViolation]], most: int | None) -> list[str]:
    alike: dict[tuple[object, ...], list[tuple[OutputResult, OutputViolation]]] = {}
    for output, each in found:
        key = (output.file, output.sha256, each.requirement, each.sentence, each.needed)
        alike.setdefault(key, []).append((output, each))
    sentences = [text for group in alike.values() for text in _of_group(group[0][0], [each for _, each in group])]
    return sentences[:most]


def _of_group(output: OutputResult, alike: Sequence[OutputViolation]) -> list[str]:
    """What is said of items that violate alike: how many they are, how far the worst is off, and the most severe."""
    if len(alike) == 1:
        return [_sentence(output, alike[0])]
    worst = sorted(alike, key=severity, reverse=True)
    cut = not is_hidden(output.violations_count) and output.violations_count > len(output.violations)
    said = alike[0].sentence[0].lower() + alike[0].sentence[1:].rstrip(".")
    numbers = ", ".join(filter(None, (needed(worst[0]), _extreme(worst[0]))))
    count = f"{'at least ' if cut else ''}{words.number(len(alike))}"
    # one group of statistics may hold several numbers that violate
    of = f"{count} of {named(output)}" if len(alike) <= output.items else f"{count} numbers in {named(output)}"
    head = f"{output.file}: {of}: {said}"
    shown = [each for each in worst if each.item is not None][:MOST_NAMED]
    return [f"{head}{f' ({numbers})' if numbers else ''}", *(_sentence(output, each) for each in shown)]


def severity(violation: OutputViolation) -> float:
    """How far what was reached is from what is needed; nothing known comes last."""
    reached = violation.reached
    if reached is None or violation.needed is None or is_hidden(reached):
        return -1.0
    return abs(reached - violation.needed)


def _extreme(violation: OutputViolation) -> str:
    """What the worst item reached."""
    if not reached(violation) or violation.needed is None or violation.reached is None:
        return ""
    which = "smallest" if violation.reached < violation.needed else "largest"
    return f"{which} {words.number(violation.reached, violation.needed)}"


def _sentence(output: OutputResult, violation: OutputViolation) -> str:
    item = f"{_UNNAMED.sub('', violation.item)}: " if violation.item is not None else ""
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
