"""Bins of a distribution whose counts are hidden: that a class lies in one of them may tell its count.

Only empty bins are left out, so that each bin says that a class is there. Of classes of fewer than 5, which the verdict
on k may tell, only those of 3 have a share from 0.3 to 0.4. Where some class breaks the bound, on which side of it
another one lies may tell as much: of a class of one record everybody has the value, of one of two perhaps half.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace

from auditor.result import NumberBin, RequirementResult, Status


def widened(requirements: tuple[RequirementResult, ...], hidden: AbstractSet[str]) -> tuple[RequirementResult, ...]:
    """The requirements with one bin, of no ends, for all hidden bins on each side of a bound."""
    return tuple(
        replace(each, distribution=_widened(each, f"requirements/{i}/distribution", hidden))
        for i, each in enumerate(requirements)
    )


def _widened(requirement: RequirementResult, path: str, hidden: AbstractSet[str]) -> tuple[NumberBin, ...]:
    """The bins by their sides, the least numbers first; each wide one stands next to the bound, wherever it is from."""
    bins = requirement.distribution
    unseen = [not hidden.isdisjoint({f"{path}/{i}/classes", f"{path}/{i}/records"}) for i in range(len(bins))]
    if not any(unseen):
        return bins
    least = (requirement.comparison or "").startswith(">")
    found: list[NumberBin] = []
    for violates in (least, not least):
        sides = [(part, dark) for part, dark in zip(bins, unseen, strict=True) if part.violates == violates]
        shown, dark = [part for part, dark in sides if not dark], [part for part, dark in sides if dark]
        classes, records = sum(part.classes for part in dark), sum(part.records for part in dark)
        wide = [NumberBin(low=None, high=None, violates=violates, classes=classes, records=records)] if dark else []
        found += [*shown, *wide] if violates == least else [*wide, *shown]
    return tuple(found)


def told(
    requirements: tuple[RequirementResult, ...], hidden: AbstractSet[str], path: str = ""
) -> tuple[tuple[RequirementResult, ...], frozenset[str]]:
    """The requirements, those that are not met without their hidden bins; and the places of these, below `path`."""
    found, gone = [], set[str]()
    for i, each in enumerate(requirements):
        place = f"{path}requirements/{i}/distribution/"
        within = {name for name in hidden if name.startswith(place)}
        dark = {int(name.removeprefix(place).split("/")[0]) for name in within}
        if not dark or each.status is Status.PASS:
            found.append(each)
            continue
        gone |= within
        kept = tuple(part for number, part in enumerate(each.distribution) if number not in dark)
        found.append(replace(each, distribution=kept))
    return tuple(found), frozenset(gone)
