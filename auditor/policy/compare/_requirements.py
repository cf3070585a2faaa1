"""Requirements of two policies: which belongs to which, what differs between them, what is missing.

Requirements are matched by id, then by what they judge. A demand that is weaker, gone, or not comparable counts as
equal where it follows from the new policy's requirements: from one of the same model that is as strict in every
parameter, or as `_implied` proves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import inf

from auditor.models import GroupedRequirement, Knowledge, RecordRequirement, Requirement, SensitiveModel, Stricter
from auditor.policy._groupings import finer_is_stricter, with_role
from auditor.policy.attributes import Attribute
from auditor.policy.binding import is_glob
from auditor.policy.compare._implied import MOST_TRIED, implied_by, severe_enough, waived
from auditor.policy.compare.roles import effective
from auditor.policy.fields import (
    EQUAL,
    INCOMPARABLE,
    STRICTER,
    WEAKER,
    FieldPlace,
    Sides,
    choices_of,
    directions,
    order,
)
from auditor.policy.schema import Policy
from auditor.result.comparison import Difference

Numbered = tuple[int, Requirement]
HARMLESS = frozenset({STRICTER, EQUAL})


def requirements(sides: Sides) -> Iterator[Difference]:
    """Every requirement that changed, was added or removed."""
    pairs = matched(sides)
    for old, new in pairs:
        found = list(_pair(sides, old, new))
        if any(difference.verdict not in HARMLESS for difference in found):
            followed = _follows_from(sides, old)
            found = [_excused(difference, followed) for difference in found] if followed else found
        yield from found
    kept_old, kept_new = {old for (old, _), _ in pairs}, {new for _, (new, _) in pairs}
    for index, requirement in enumerate(sides.old.requirements):
        if index not in kept_old:
            place = FieldPlace(f"requirements/{index}", None, f"requirements/{requirement.id}")
            removed = sides.difference(place, (requirement, None), Stricter.SUPERSET, WEAKER, "removed")
            followed = _follows_from(sides, (index, requirement))
            yield _excused(removed, followed) if followed else removed
    for index, requirement in enumerate(sides.new.requirements):
        if index not in kept_new:
            place = FieldPlace(None, f"requirements/{index}", f"requirements/{requirement.id}")
            yield sides.difference(place, (None, requirement), Stricter.SUPERSET, STRICTER, "added")


def matched(sides: Sides) -> list[tuple[Numbered, Numbered]]:
    """Pairs of requirements that judge the same: of one id, else of one grouping, the nearest parameters first.

    One that a waiver of the new policy may excuse is matched by its id alone: under another id it is another demand.
    """
    left = dict(enumerate(sides.new.requirements))
    pairs: list[tuple[Numbered, Numbered]] = []
    rest: list[Numbered] = []
    for index, old in enumerate(sides.old.requirements):
        same = next((i for i, new in left.items() if new.id == old.id and _subject(new) == _subject(old)), None)
        if same is None:
            rest.append((index, old))
        else:
            pairs.append(((index, old), (same, left.pop(same))))
    for index, old in rest:
        judging = (i for i, new in left.items() if _subject(new) == _subject(old) and not waived(sides, new))
        alike = list(islice(judging, MOST_TRIED))
        if alike:
            nearest = max(alike, key=lambda i: _likeness(left[i], old))
            pairs.append(((index, old), (nearest, left.pop(nearest))))
    return sorted(pairs, key=lambda pair: pair[0][0])


def _subject(requirement: Requirement) -> tuple[object, ...]:
    return requirement.name, getattr(requirement, "sensitive", None), getattr(requirement, "attribute", None)


def _likeness(one: Requirement, other: Requirement) -> tuple[bool, bool]:
    columns = (getattr(requirement, "quasi_identifiers", None) for requirement in (one, other))
    return len(set(columns)) == 1, one.parameters() == other.parameters()


def _pair(sides: Sides, old: Numbered, new: Numbered) -> Iterator[Difference]:
    """What differs between two requirements that belong together."""
    (before, demand), (after, kept) = old, new
    place = FieldPlace(f"requirements/{before}", f"requirements/{after}", f"requirements/{kept.id}")
    yield from sides.block(place, demand, kept, skip={"id", "sensitive", "attribute", "quasi_identifiers", "knows"})
    if isinstance(demand, GroupedRequirement) and isinstance(kept, GroupedRequirement):
        yield from _groupings(sides, place, demand, kept)
        yield from _attackers(sides, place, demand, kept)
    if isinstance(kept, RecordRequirement) and not kept.grows and kept.attributes is None:
        yield from _more_columns(sides, place)
    if _may_be_confused(sides, kept):
        note = "which columns its waivers excuse depends on the ids of the other requirements"
        yield sides.difference(place, (None, None), Stricter.REVIEW, INCOMPARABLE, note)


def _more_columns(sides: Sides, place: FieldPlace) -> Iterator[Difference]:
    """The quasi-identifiers, where a requirement reads them all, and one more may hide what the others tell."""
    before, after = (with_role(policy, "quasi-identifier") for policy in (sides.old, sides.new))
    if any(not _was_read(sides.old, name) for name in after - before):
        note = "with more quasi-identifiers its number may be smaller"
        yield sides.difference(place.at("attributes"), (before, after), Stricter.REVIEW, INCOMPARABLE, note)


def _was_read(policy: Policy, name: str) -> bool:
    """Whether a column is a quasi-identifier of a policy that does not name it as one."""
    known = effective(policy, name)
    return isinstance(known, Attribute) and known.role == "quasi-identifier"


def _groupings(
    sides: Sides, place: FieldPlace, old: GroupedRequirement, new: GroupedRequirement
) -> Iterator[Difference]:
    before, after = sides.groupings[0][id(old)], sides.groupings[1][id(new)]
    verdict = order(Stricter.SUPERSET, before, after)
    inherent = old.quasi_identifiers is None and new.quasi_identifiers is None
    if verdict is STRICTER and not finer_is_stricter(sides.new, new):
        note = "with units or wildcards, finer classes are not stricter for this model"
        yield sides.difference(place.at("quasi_identifiers"), (before, after), Stricter.SUPERSET, INCOMPARABLE, note)
    elif verdict is not EQUAL and not inherent:
        yield sides.difference(place.at("quasi_identifiers"), (before, after), Stricter.SUPERSET, verdict)


def _attackers(
    sides: Sides, place: FieldPlace, old: GroupedRequirement, new: GroupedRequirement
) -> Iterator[Difference]:
    """To know more is stricter: fewer columns of a record, all of them, several records.

    What is asked of all columns says nothing of fewer where finer classes are not stricter. A person who is known by
    records has the sensitive values of all records, and in a class those of the records that stand in it.
    """
    if old.attacker == new.attacker:
        return
    before, after = (_known(each.attacker) for each in (old, new))
    verdict = STRICTER if after > before else WEAKER
    alike = None not in (old.attacker, new.attacker) and (inf not in (before[0], after[0]) or before[0] == after[0])
    other_values = isinstance(new, SensitiveModel) and bool(before[1]) != bool(after[1])
    if other_values or (not alike and not finer_is_stricter(sides.new, new)):
        verdict = INCOMPARABLE
    yield sides.difference(place.at("knows"), (old.attacker, new.attacker), Stricter.REVIEW, verdict)


def _known(attacker: Knowledge | None) -> tuple[float, int]:
    """Columns of a record (all: infinitely many), and records: 0 where one is known because nothing else is said."""
    if attacker is None:
        return inf, 0
    return (inf if attacker.columns is None else attacker.columns), attacker.events or 0


def _may_be_confused(sides: Sides, kept: Requirement) -> bool:
    """Whether a waiver names a column of a pattern by an id that another requirement has in one policy alone."""
    if not is_glob(str(getattr(kept, "sensitive", None))) or not waived(sides, kept):
        return False
    return {r.id for r in sides.old.requirements} != {r.id for r in sides.new.requirements}


def _follows_from(sides: Sides, old: Numbered) -> tuple[str, ...] | None:
    """The ids of the new requirements that together demand what an old one did; None where they do not."""
    alike = (pair for pair in enumerate(sides.new.requirements) if _subject(pair[1]) == _subject(old[1]))
    for index, new in islice(alike, MOST_TRIED):
        if _may_follow(old[1], new) and not waived(sides, new) and _no_coarser(sides, old[1], new):
            found = _pair(sides, old, (index, new))
            if all(difference.verdict in HARMLESS for difference in found):
                return (str(new.id),)
    return implied_by(sides, old[1])


def _may_follow(old: Requirement, new: Requirement) -> bool:
    """Whether no parameter is weaker: a quick look before the long one."""
    bounds = (name for name, way in directions(type(new)).items() if way in {Stricter.HIGHER, Stricter.LOWER})
    return severe_enough(old, new) and all(
        order(directions(type(new))[name], getattr(old, name), getattr(new, name), choices_of(type(new), name))
        in HARMLESS
        for name in bounds
    )


def _no_coarser(sides: Sides, old: Requirement, new: Requirement) -> bool:
    if not isinstance(old, GroupedRequirement) or not isinstance(new, GroupedRequirement):
        return True
    return sides.groupings[0][id(old)] <= sides.groupings[1][id(new)]


def _excused(difference: Difference, followed: tuple[str, ...]) -> Difference:
    if difference.verdict in HARMLESS:
        return difference
    note = f"{difference.note}, but " if difference.note else ""
    return replace(difference, verdict=EQUAL, note=f"{note}implied by {' and '.join(followed)}")
