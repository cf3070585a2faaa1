"""The words of an audit of mining outputs: what was published, what in it violates and why, from a redacted document.

Below the internal audience no item is named: a violation then says which file, why, and by how much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from auditor.report import words
from auditor.report.words import HIDDEN

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


def is_one(document: Mapping[str, Any]) -> bool:
    """Whether a document tells of an audit of outputs."""
    return document.get("outputs") is not None


def violations(document: Mapping[str, Any], most: int | None = None) -> list[str]:
    """The violations as sentences, as many as asked for."""
    return _sentences(_all(document), most)


def of_requirement(document: Mapping[str, Any], requirement: Mapping[str, Any], most: int) -> list[str]:
    """The violations that break a limit, each as a sentence."""
    if not is_one(document):
        return []
    found = [(output, each) for output, each in _all(document) if each["requirement"] == requirement["id"]]
    return _sentences(found, most)


def _all(document: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    return [(output, each) for output in document["outputs"] for each in output["violations"]]


def _sentences(found: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], most: int | None) -> list[str]:
    return [_sentence(output, each) for output, each in found[:most]]


def _sentence(output: Mapping[str, Any], violation: Mapping[str, Any]) -> str:
    item = f"{violation['item']}: " if violation["item"] is not None else ""
    numbers = differing(violation) or ", ".join(filter(None, (needed(violation), reached(violation))))
    return f"{output['file']}: {item}{violation['sentence']}{f' ({numbers})' if numbers else ''}"


def needed(violation: Mapping[str, Any]) -> str:
    """The number that is needed, where there is one."""
    return "" if violation["needed"] is None else f"needed {words.number(violation['needed'])}"


def reached(violation: Mapping[str, Any]) -> str:
    """The number that was reached, where it may be told."""
    value = violation["reached"]
    return "" if value is None or value is HIDDEN else f"reached {words.number(value, violation['needed'])}"


def differing(violation: Mapping[str, Any]) -> str:
    """What is written and what the data gives, where they differ and may be told."""
    if violation["written"] is None:
        return ""
    counted = violation["counted"]
    return f"written {words.number(violation['written'])}" + (
        "" if counted is None else f", not {words.number(counted)}"
    )


def named(output: Mapping[str, Any]) -> str:
    """``120 association rules``."""
    one, many = KINDS.get(output["type"], ("item", "items"))
    return words.counted(output["items"], one, many)


def facts(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was looked at and found, as pairs of a short name and a text."""
    return [("outputs", published(document)), ("found", found(document)), ("counts", counted(document))]


def published(document: Mapping[str, Any], width: int = 40) -> str:
    """The files and what is in them, and what was released before."""
    listed = [f"{words.shortened(each['file'], width)} ({named(each)})" for each in document["outputs"]]
    before = document["released_before"]
    more = f"; {words.counted(before, 'output')} released before" if before else ""
    return words.listed(listed, 4) + more


def found(document: Mapping[str, Any]) -> str:
    """How many items violate, by what."""
    counts = Counter(each["reason"] for _, each in _all(document))
    total = sum(each["violations_count"] for each in document["outputs"])
    if not total:
        return "nothing that violates the policy"
    if total > counts.total():
        return words.counted(total, "violation")
    kinds = ", ".join(f"{reason} {words.number(count)}" for reason, count in counts.most_common())
    return f"{words.counted(total, 'violation')}: {kinds}"


def counted(document: Mapping[str, Any]) -> str:
    """Where the counts are from."""
    sources = {each["counted"] for each in document["outputs"]}
    return "recomputed from the data" if sources == {"data"} else "as the files state them"


def attacker(document: Mapping[str, Any]) -> str:
    """Against whom the outputs are judged."""
    before = " and of what was released before" if document["ledger"] else ""
    return (
        f"A reader of all the outputs{before}, who knows the attributes of people in the data and combines the numbers."
    )


def unread(document: Mapping[str, Any]) -> list[str]:
    """What could not be judged, and why."""
    return [_of_file(each["file"], reason) for each in document["outputs"] for reason in each["not_evaluated"]]


def _of_file(file: str, reason: str) -> str:
    """A reason with its file's name, which those of a reader begin with."""
    return reason if reason.startswith(file) else f"{file}: {reason}"
