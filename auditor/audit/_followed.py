"""People through a sequence of releases: who is in which class of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auditor.audit._release_table import MISSING, HeldPeople, ReleaseTable
from auditor.classes import IntArray, numbered
from auditor.errors import NotEvaluated

NOT_HELD = -1


@dataclass(frozen=True)
class Followed:
    """The paths that people take through the classes of releases, each once, and how many people take it.

    `changed` are the sensitive attributes whose value is another one for somebody in a later release.
    """

    paths: IntArray
    people: IntArray
    changed: frozenset[str]


def followed(tables: Sequence[ReleaseTable], unit: str) -> Followed:
    """The paths through some releases, whose people are told.

    Raises:
        NotEvaluated: somebody has several records in one release, or none that names them; people of one release are
            called otherwise in another; or a release has nobody in common with the others.
    """
    held = [(table.name, table.people) for table in tables if table.people is not None]
    persons = _numbered_people(held, unit)
    count = max((int(each.max(initial=-1)) for each in persons), default=-1) + 1
    classes = np.full((count, len(held)), NOT_HELD, dtype=np.int64)
    spellings = np.zeros(count, dtype=np.uint64)
    for place, ((name, people), numbers) in enumerate(zip(held, persons, strict=True)):
        if np.bincount(numbers, minlength=1).max() > 1:
            raise NotEvaluated(
                f"{name}: holds several records of one person (column {unit!r}); people are followed through releases "
                "with one record each"
            )
        classes[numbers, place] = people.classes
        spellings[numbers] = people.keys.spellings
    _refuse_strangers(held, classes, spellings, unit)
    path = numbered(classes.T - NOT_HELD, count)
    _, first, people_of = np.unique(path, return_index=True, return_counts=True)
    return Followed(
        classes[first], people_of.astype(np.int64), _changed([people for _, people in held], persons, count)
    )


def _numbered_people(held: Sequence[tuple[str, HeldPeople]], unit: str) -> list[IntArray]:
    """For each release the number of each person, from 0, alike in all."""
    for name, people in held:
        if people.keys.missing.any():
            raise NotEvaluated(f"{name}: holds records whose person is not named (column {unit!r} has missing values)")
    every = np.concatenate([people.keys.values for _, people in held])
    order = np.lexsort((every[:, 1], every[:, 0]))
    ordered = every[order]
    new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(order)]
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.cumsum(new) - 1
    ends = np.cumsum([len(people.classes) for _, people in held])
    return np.split(numbers, ends[:-1])


def _refuse_strangers(
    held: Sequence[tuple[str, HeldPeople]], classes: IntArray, spellings: np.ndarray, unit: str
) -> None:
    """Refuse releases whose people would be taken for others, because they are called otherwise.

    Raises:
        NotEvaluated: names the column, and a release where one is alone.
    """
    there = classes != NOT_HELD
    _, alike = np.unique(spellings, return_inverse=True)
    together = np.bincount(alike)[alike] > 1
    if together.any():
        groups = alike[together]
        most = np.max([np.bincount(groups, each) for each in there[together].T], axis=0)
        if (most[groups] <= 1).any():
            raise NotEvaluated(
                f"the column {unit!r} names people in several ways: some values of one file differ from those of "
                "another in case, white space, Unicode form or number format alone; write each person alike in all"
            )
    if len(held) > 1:
        shared = there & (there.sum(axis=1) > 1)[:, None]
        for (name, _), any_shared in zip(held, shared.any(axis=0).tolist(), strict=True):
            if not any_shared:
                raise NotEvaluated(
                    f"{name}: nobody in it is in another release, by the column {unit!r}; write each person alike in "
                    "all files, or leave out releases of other people"
                )


def _changed(held: Sequence[HeldPeople], persons: Sequence[IntArray], count: int) -> frozenset[str]:
    """The sensitive attributes of which somebody has another value in another release."""
    found = set()
    for name in dict.fromkeys(name for people in held for name in people.values):
        last = np.full(count, MISSING - 1, dtype=np.int64)
        for people, numbers in zip(held, persons, strict=True):
            if name not in people.values:
                continue
            known = last[numbers] >= MISSING
            if (known & (last[numbers] != people.values[name])).any():
                found.add(name)
            last[numbers] = people.values[name]
    return frozenset(found)
