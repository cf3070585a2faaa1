"""The narrowest waivers that would excuse what a release fails by.

They show nothing that a reviewer's page does not: a column, or a digest, that is not for reviewers is in none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import Any

from auditor.judge import reached
from auditor.policy import Policy
from auditor.report.redact import redact
from auditor.result import Audience, DataFacts, RequirementResult, Result, Status

DECIMALS = 4
"""Of a bound that is offered: as many as pages show."""


def waivers_offered(policy: Policy, release: str, documents: Iterable[Result]) -> list[dict[str, Any]]:
    """What waives the requirements that fail, as far as a waiver can be limited to what was found.

    Args:
        policy: the release's.
        release: its name in the manifest.
        documents: what was found of it.

    Returns:
        Waivers as plain values: what each is of, and what it is limited to.
    """
    found: dict[tuple[str, object], dict[str, Any]] = {}
    for result, limits in (each for document in documents for each in _limited(policy, document)):
        place = (result.id, limits.get("sha256"))
        all_of_it = _both(found[place], limits, result.comparison) if place in found else limits
        found[place] = {**all_of_it, "scope": {"releases": [release], **all_of_it.get("scope", {})}}
    return [{"requirement": name, **limits} for (name, _), limits in found.items()]


def _both(one: Mapping[str, Any], other: Mapping[str, Any], comparison: str | None) -> dict[str, Any]:
    """What limits a waiver of two results: the weaker of their bounds, the columns of both."""
    weaker = min if comparison == ">=" else max
    if "at_least" in one and "at_least" in other:
        both = {name: weaker(number, one["at_least"].get(name, number)) for name, number in other["at_least"].items()}
        return {"at_least": {**one["at_least"], **both}}
    columns = [*one.get("scope", {}).get("columns", ()), *other.get("scope", {}).get("columns", ())]
    return {"scope": {"columns": list(dict.fromkeys(columns))}} if columns else dict(one)


def _limited(policy: Policy, document: Result) -> Iterator[tuple[RequirementResult, dict[str, Any]]]:
    """What fails in a document, each with what limits its waiver to that."""
    shown = redact(document, Audience.REVIEWER).result
    for result, seen in zip(document.requirements, shown.requirements, strict=True):
        if result.status is Status.FAIL:
            limits = _limits(policy, result, seen.columns, shown.data)
            if limits:
                yield result, limits


def _limits(policy: Policy, result: RequirementResult, seen: Sequence[str], data: DataFacts | None) -> dict[str, Any]:
    """The bound that was reached; else the columns; else the digest of the data, where that tells nothing of them."""
    bounds = reached(policy, result)
    if bounds and all(isfinite(number) for number, _ in bounds.values()):
        return {"at_least": {name: _rounded(*found) for name, found in bounds.items()}}
    if result.columns:
        return {"scope": {"columns": list(seen)}} if list(result.columns) == list(seen) else {}
    digest = None if data is None else data.sha256
    return {} if digest is None else {"sha256": digest}


def _rounded(number: float, comparison: str) -> float:
    """The nearest bound of `DECIMALS` decimals that a number keeps."""
    step = Fraction(1, 10**DECIMALS)
    exact = Fraction(repr(number)) / step
    if comparison == ">=":
        found = floor(exact) * step
    else:
        found = (floor(exact) + 1 if comparison == "<" else ceil(exact)) * step
    return int(found) if found.denominator == 1 else float(found)
