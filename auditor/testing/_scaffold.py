"""Tests to start from: for each number of a policy, tables just within it, at it and just beyond.

The tables are found, not computed by each model's formula: along a family of tables the program looks for the place
where a requirement turns from met to not met, and keeps the tables around it. What they are expected to achieve is what
this version measures, so it is to be read before it is trusted; from then on the tests hold the policy to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count as counting
from math import isfinite

from auditor.errors import AuditorError
from auditor.models import ColumnRequirement, RecordRequirement, SequenceRequirement
from auditor.policy import Policy
from auditor.policy.file.yaml_text import yaml_text
from auditor.result import RequirementResult, Status
from auditor.testing._file import Case, Expected
from auditor.testing._judge import judged
from auditor.testing._mutants import Loosening, weakenings
from auditor.testing._tables import MOST_ROWS, Family, TableWriter, families

Ask = Callable[[int], RequirementResult | None]


@dataclass(frozen=True)
class Fixture:
    """One table beside a number: what it is called, the table, and what it must give."""

    name: str
    csv: str
    result: RequirementResult


@dataclass(frozen=True)
class Scaffold:
    """The text of a test file, and the numbers for which no table was found."""

    text: str
    tests: int
    left_out: tuple[str, ...]


def scaffold(policy: Policy, reference: str) -> Scaffold:
    """A test file for a policy.

    Args:
        policy: the policy.
        reference: how the test file names it.
    """
    fixtures: dict[str, Fixture] = {}
    left_out = []
    for loosened in weakenings(policy):
        found = _around(policy, loosened)
        if not found:
            left_out.append(f"{loosened.requirement} {loosened.field or ''}".strip())
        for fixture in found:
            fixtures.setdefault(f"{loosened.requirement} {fixture.csv}", fixture)
    return Scaffold(_text(policy, reference, list(fixtures.values())), len(fixtures), tuple(left_out))


def _around(policy: Policy, loosened: Loosening) -> list[Fixture]:
    """The tables on both sides of one number; none where no family shows the difference that loosening it makes."""
    requirement = next((r for r in policy.requirements if r.id == loosened.requirement), None)
    if loosened.block != "requirements" or loosened.field is None or requirement is None:
        return []
    if isinstance(requirement, ColumnRequirement | RecordRequirement | SequenceRequirement):
        return []
    writer = TableWriter(policy, requirement)
    for told, family in families(requirement):
        ask = _asking(policy, loosened.requirement, writer, family)
        turn = _turn(ask)
        places = [] if turn is None else [n for n in (turn - 1, turn, turn + 1) if n >= 1 and ask(n)]
        ask_loosened = _asking(loosened.policy, loosened.requirement, writer, family)
        if any(_fails(ask(n)) and not _fails(ask_loosened(n)) for n in places):
            asked = [(n, ask(n), writer.text(family(n))) for n in places]
            named = f"{loosened.requirement}, {told}"
            return [Fixture(named.format(n=n), csv, result) for n, result, csv in asked if result and csv]
    return []


def _asking(policy: Policy, name: str, writer: TableWriter, family: Family) -> Ask:
    """The family's n-th table, judged by one requirement; None where there is no such table or no answer."""
    # What else the policy demands says nothing here, and takes time.
    alone = policy.model_copy(update={"requirements": tuple(r for r in policy.requirements if r.id == name)})

    @cache
    def ask(n: int) -> RequirementResult | None:
        text = writer.text(family(n))
        if text is None:
            return None
        case = Case(name=name, csv=text, only=(name,), expect=Expected(verdict="pass"))
        try:
            found = judged(case, alone, {}, None)
        except AuditorError:
            return None
        result = next(iter(found.requirements), None)
        return result if result is not None and result.status is not Status.NOT_EVALUATED else None

    return ask


def _fails(result: RequirementResult | None) -> bool:
    """Whether the table does not meet the requirement, whatever its severity and its waivers."""
    return result is not None and result.status is not Status.PASS


def _turn(ask: Ask) -> int | None:
    """The first n at which the answer is another than before it, found by doubling and halving."""
    first = next((n for n in (1, 2) if ask(n) is not None), None)
    if first is None:
        return None
    start, low = _fails(ask(first)), first
    for step in counting():
        high = first + (1 << step)
        if high > MOST_ROWS or ask(high) is None:
            high = _last(ask, low, min(high, MOST_ROWS))
            if _fails(ask(high)) is start:
                return None
        if _fails(ask(high)) is not start:
            break
        low = high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _fails(ask(middle)) is start else (low, middle)
    return high


def _last(ask: Ask, low: int, high: int) -> int:
    """The last n from `low` on that still has an answer."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if ask(middle) is not None else (low, middle)
    return low


def _text(policy: Policy, reference: str, fixtures: list[Fixture]) -> str:
    head = [
        f"# Tables on both sides of each number of the policy {policy.name}.",
        "# The numbers are what this version measures: read them before you trust them.",
        yaml_text({"version": 1, "policy": reference}).rstrip("\n"),
        "tests:",
    ]
    lines = [line for fixture in fixtures for line in _case(policy, fixture)]
    return "\n".join([*head, *lines]) + "\n"


def _case(policy: Policy, fixture: Fixture) -> Iterator[str]:
    result = fixture.result
    verdict = {Status.PASS: "pass", Status.FAIL: "fail", Status.WAIVED: "waived"}.get(result.status, "pass")
    expect: dict[str, object] = {"verdict": verdict, "fails": [result.id] if result.status is Status.FAIL else []}
    if result.achieved is not None and isfinite(result.achieved) and not policy.confidential(result.id):
        expect["achieved"] = {result.id: result.achieved}
    text = yaml_text({"name": fixture.name, "only": [result.id], "expect": expect})
    for number, line in enumerate(text.splitlines()):
        yield f"  - {line}" if number == 0 else f"    {line}"
    yield "    csv: |"
    yield from (f"      {line}" for line in fixture.csv.splitlines())
