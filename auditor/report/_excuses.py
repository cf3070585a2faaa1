"""What the public may not see of what excuses a failure: a waiver's bound, and a recorded number, say what was reached.

A waiver is as narrow as what was found (`Waiver.wider` says where it is not), and a baseline records what was measured.
So the bound that still holds is hidden as the requirement's own number is, here and in the policy's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from auditor.report._parts import Part, changed, is_part
from auditor.result import HIDDEN, Kind, PolicyFacts, RequirementResult, Result, is_hidden

if TYPE_CHECKING:
    from auditor.result.comparison import Difference, PolicyComparison

Record = TypeVar("Record", bound=Part)
Audit = TypeVar("Audit", bound=Result)
_BLOCKS = ("waivers", "baseline")
_REACHED = ("at_least", "achieved", "records")
"""What an entry of these blocks says of what was reached."""
_BLOCK = re.compile(rf"^(?:{'|'.join(_BLOCKS)}):.*\n(?:[ \n-].*\n?|\n)*", re.MULTILINE)
"""A block of the policy's text, with the lines that are indented below it."""


def without_texts(owner: Record) -> Record:
    """The document with the policy's text without its waivers and its baseline."""

    def seen(_: object, value: object) -> object:
        if isinstance(value, PolicyFacts):
            return value if value.text is None else replace(value, text=_BLOCK.sub("", value.text))
        return without_texts(value) if isinstance(value, Result) and is_part(value) else value

    return changed(owner, seen)


def without_width(result: Audit, hidden: AbstractSet[str]) -> Audit:
    """The document that does not say which bounds, at the paths `hidden`, are wider than what was found."""
    told = {
        each.id: each.waiver.wider
        for i, each in enumerate(result.requirements)
        if f"requirements/{i}/waiver/at_least" in hidden and each.waiver is not None and each.waiver.wider is not None
    }
    if not told:
        return result
    requirements = tuple(
        replace(each, waiver=replace(each.waiver, wider=None)) if each.id in told and each.waiver else each
        for each in result.requirements
    )
    findings = tuple(
        each
        for each in result.findings
        if (wider := told.get(each.requirement or "")) is None or wider not in each.message
    )
    return replace(result, requirements=requirements, findings=findings)


def without_reached(compared: PolicyComparison) -> PolicyComparison:
    """The comparison of two policies without what entries of these blocks say of what was reached."""
    return replace(compared, differences=tuple(map(_without_reached, compared.differences)))


def _without_reached(change: Difference) -> Difference:
    if change.path.partition("/")[0] not in _BLOCKS:
        return change
    return replace(change, old=_hidden_in(change.old), new=_hidden_in(change.new))


def _hidden_in(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_hidden_in(each) for each in value]
    if isinstance(value, Mapping):
        return {name: str(HIDDEN) if name in _REACHED else of for name, of in value.items()}
    return value


def derivable(result: Result, tells: Callable[[Kind | None, float, RequirementResult], bool]) -> Iterator[str]:
    """The paths of bounds that tell a small number, where `tells` says whether a number of a requirement does."""
    for i, each in enumerate(result.requirements):
        kinds = {also.parameter: Kind.COUNT for also in each.also}
        own = Kind(each.kind) if each.kind in set(Kind) else None
        bounds = None if each.waiver is None else each.waiver.at_least
        if bounds is None or is_hidden(bounds):
            continue
        if any(tells(kinds.get(name, own), n, each) for name, n in bounds.items() if not isinstance(n, str)):
            yield f"requirements/{i}/waiver/at_least"
