"""What a floor demands of a release: a policy of the organisation, laid over the columns of one release.

A floor says what must hold, and seldom of which columns: those are the release's. Laid over a release it keeps its
requirements, limits and rules, and reads the columns as the release declares them, or as it does itself where it names
them and its role is the stronger one. What the floor does not write of the reading (the unit, missing values) is the
release's to say where the two policies are compared, and is read by the floor's default where the data is judged: a
release that reads its data generously is not the judge of that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import filter as matching
from typing import Any, TypeVar

from auditor.models import (
    ColumnRequirement,
    GroupedRequirement,
    RecordRequirement,
    Requirement,
    SensitiveRequirement,
    Stricter,
)
from auditor.policy.attributes import Attribute
from auditor.policy.binding import bind, is_glob
from auditor.policy.compare import compare
from auditor.policy.compare.roles import FORBIDDEN, OWN, RANK
from auditor.policy.queries import Queries
from auditor.policy.schema import Policy
from auditor.policy.waivers import Waiver
from auditor.result import Strictness
from auditor.result.comparison import Difference

READ = ("unit", "missing", "reading", "reference", "risk", "spill", "not_released")
"""Fields that say how data is read; where a floor does not write one, a release may."""
RELEASES_OWN = ("table", "key", "versions", "public_tables")
"""What the release alone can know of its query logs."""
READ_OF_QUERIES = ("public", "scope", "assume")
"""What says how a log is read; as `READ`."""
NOTHING: dict[str, Any] = {
    "requirements": (),
    "outputs": (),
    "queries": None,
    "protection": (),
    "remediation": None,
    "at_least": (),
    "contract": None,
}
"""A policy of which nothing is asked."""
UNEXCUSED: dict[str, Any] = {"waivers": (), "baseline": ()}
Said = TypeVar("Said")


@dataclass(frozen=True)
class Laid:
    """A floor over a release.

    `readings` are policies that its files must meet, each of them; `below` says in which fields the release's own
    policy is not at least as strict.
    """

    readings: tuple[Policy, ...]
    below: tuple[Difference, ...]


def laid(
    floor: Policy, policy: Policy, columns: Sequence[str], blocks: Collection[str], *, release: str, day: date
) -> Laid:
    """A floor over a release.

    Args:
        floor: the organisation's policy.
        policy: the release's.
        columns: those of the table that is judged, or that outputs and queries are about.
        blocks: what judges the release of `requirements`, `outputs` and `queries`.
        release: its name, to which waivers of the floor may be limited.
        day: the day on which those are in force.

    Raises:
        PolicyError: two globs of a policy match one column.
    """
    roles = _Roles(floor, policy, columns)
    demanded = _demanded(floor, policy, columns, blocks)
    excused = {waiver.requirement for waiver in floor.waivers if _excuses(waiver, release, day)}
    left = _demanded(floor, policy, columns, blocks, excused)
    below = [*_weaker(_asked(left, floor, policy, roles), _own(policy, roles, blocks))]
    below += _without_columns(left, roles)
    if "requirements" in blocks and not demanded.requirements and not excused.intersection(OWN):
        below += _forbidden(roles, columns)
    return Laid(tuple(_readings(demanded, floor, policy, roles)), tuple(below))


class _Roles:
    """The columns, as the release declares them and as the floor does."""

    def __init__(self, floor: Policy, policy: Policy, columns: Sequence[str]) -> None:
        bound = bind(floor, columns)
        self.own = dict(bind(policy, columns).roles)
        self._named = {name: role for name, role in bound.roles.items() if name not in bound.undeclared}
        self._least = None if floor.undeclared == "fail" else floor.undeclared

    def judged(self) -> dict[str, Attribute]:
        """As the floor judges them: no text stands for a missing value that the floor does not name."""
        return {name: self._stronger(name, own, own_missing=False) for name, own in self.own.items()}

    def named(self) -> dict[str, Attribute] | None:
        """As `judged`, with those quasi-identifiers alone that the floor names; None where they are all, or none."""
        judged = self.judged()
        known = {name for name, each in judged.items() if each.role == "quasi-identifier"}
        own = {name for name in known if name in self._named and self._named[name].role == "quasi-identifier"}
        if self._least == "quasi-identifier" or own in (set(), known):
            return None
        return judged | {name: judged[name].model_copy(update={"role": "insensitive"}) for name in known - own}

    def compared(self) -> dict[str, Attribute]:
        """As the release's policy is held to: what the floor does not say of a column is the release's."""
        return {name: self._stronger(name, own, own_missing=True) for name, own in self.own.items()}

    def _stronger(self, name: str, own: Attribute, *, own_missing: bool) -> Attribute:
        named = self._named.get(name)
        least = named.role if named is not None else self._least
        said = {field: value for field in _DETAILS if (value := getattr(named, field, None)) is not None}
        texts = named.missing_values if named is not None else ()
        if not texts and own_missing:
            texts = own.missing_values
        return own.model_copy(update={**said, "role": stronger(least, own.role), "missing_values": texts})


_DETAILS = tuple(name for name in Attribute.model_fields if name not in ("role", "missing_values"))


def stronger(least: str | None, role: str) -> str:
    """The stronger of a floor's role (None: it has none) and a release's; of two that have no order, the floor's."""
    if least is None or role in FORBIDDEN:
        return role
    return role if least not in FORBIDDEN and RANK[role] > RANK[least] else least


def _demanded(
    floor: Policy, policy: Policy, columns: Sequence[str], blocks: Collection[str], excused: Collection[str] = ()
) -> Policy:
    """The floor's demands, as far as they concern what is released and are not excused."""
    left = {i: r for i, each in enumerate(floor.requirements) if (r := _over(each, columns)) is not None}
    left = {i: r for i, r in left.items() if "requirements" in blocks and r.id not in excused}
    rules = {i: r for i, r in enumerate(floor.outputs) if "outputs" in blocks and r.id not in excused}
    asks = "queries" in blocks and policy.queries is not None
    said = {
        "requirements": tuple(left.values()),
        "outputs": tuple(rules.values()),
        "queries": floor.queries if asks else None,
    }
    demanded = floor.model_copy(update={**NOTHING, **said})
    places = _EntryPlaces(floor, {"requirements": list(left), "outputs": list(rules)})
    ours, theirs = floor._loaded, policy._loaded  # noqa: SLF001  (where what is copied was written)
    demanded._loaded = replace(  # noqa: SLF001
        ours,
        origins=places.merged(ours.origins, theirs.origins),
        secrets=places.merged(ours.secrets, theirs.secrets),
        files=places.merged(ours.files, theirs.files),
    )
    return demanded


@dataclass(frozen=True)
class _EntryPlaces:
    """Where the floor's entries stand that are kept, and what of the release's policy stands beside them."""

    floor: Policy
    kept: dict[str, list[int]]

    def merged(self, ours: dict[str, Said], theirs: dict[str, Said]) -> dict[str, Said]:
        """What is known by its place in the floor and in the release's policy, by its place in what they make."""
        found = {path: said for path, said in theirs.items() if self._is_releases(path)}
        for path, said in ours.items():
            block, _, rest = path.partition("/")
            index, slash, field = rest.partition("/")
            if block not in self.kept or not index:
                found[path] = said
            elif int(index) in self.kept[block]:
                found[f"{block}/{self.kept[block].index(int(index))}{slash}{field}"] = said
        return found

    def _is_releases(self, path: str) -> bool:
        block, _, rest = path.partition("/")
        if block == "queries":
            return rest.partition("/")[0] in (*RELEASES_OWN, *READ_OF_QUERIES) and self.floor.origin(path) is None
        return block in ("attributes", *READ) and self.floor.origin(path) is None


def _over(requirement: Requirement, columns: Sequence[str]) -> Requirement | None:
    """A requirement of the floor on the columns that there are; None where it is about none of them."""
    if isinstance(requirement, ColumnRequirement):
        return requirement if requirement.attribute in columns else None
    if isinstance(requirement, SensitiveRequirement) and not _there(str(requirement.sensitive), columns):
        return None
    if isinstance(requirement, GroupedRequirement) and requirement.quasi_identifiers is not None:
        there = tuple(name for name in requirement.quasi_identifiers if _there(name, columns))
        return requirement.model_copy(update={"quasi_identifiers": there}) if there else None
    return requirement


def _there(name: str, columns: Sequence[str]) -> bool:
    return name in columns or (is_glob(name) and bool(matching(columns, name)))


def _excuses(waiver: Waiver, release: str, day: date) -> bool:
    """Whether a waiver of the floor may excuse a release; the data that it covers is looked at where that is judged."""
    releases = waiver.scope.releases if waiver.scope else ()
    return waiver.expires >= day and not waiver.is_self_approved and (not releases or release in releases)


def _asked(demanded: Policy, floor: Policy, policy: Policy, roles: _Roles) -> Policy:
    """What the release's own policy has to say."""
    strict = "fail" in (floor.undeclared, policy.undeclared)
    return demanded.model_copy(
        update={
            **UNEXCUSED,
            **{name: getattr(floor if _written(floor, name) else policy, name) for name in READ},
            "attributes": roles.compared(),
            "undeclared": "fail" if strict else stronger(floor.undeclared, policy.undeclared),
            "queries": _queries(demanded, policy, floor),
        }
    )


def _own(policy: Policy, roles: _Roles, blocks: Collection[str]) -> Policy:
    """The release's policy, without what it excuses: that counts for nothing beside a floor, whose data is judged."""
    kept = {name: getattr(policy, name) for name in blocks}
    return policy.model_copy(update={**NOTHING, **UNEXCUSED, **kept, "attributes": roles.own})


def _queries(demanded: Policy, policy: Policy, floor: Policy | None = None) -> Queries | None:
    """The floor's limits on the release's table; `floor` where the release may say what it does not write."""
    if demanded.queries is None or policy.queries is None:
        return None
    open_ = () if floor is None else (n for n in READ_OF_QUERIES if not _written(floor, f"queries/{n}"))
    own = {name: getattr(policy.queries, name) for name in (*RELEASES_OWN, *open_)}
    return demanded.queries.model_copy(update=own)


def _written(policy: Policy, path: str) -> bool:
    return any(each == path or each.startswith(f"{path}/") for each in policy.origin_paths)


def _readings(demanded: Policy, floor: Policy, policy: Policy, roles: _Roles) -> Iterator[Policy]:
    """The policies that the files must meet: as the floor reads them, and in units, where the release alone has some.

    Of whom the numbers speak is for the floor to say. Where it does not, rows and the release's persons must both do:
    for some models fewer persons are worse, for others rows are. Where a number may be smaller with a quasi-identifier
    more, the release is judged without its own ones, too.
    """
    read = demanded.model_copy(
        update={
            "attributes": roles.judged(),
            "undeclared": "fail",
            "not_released": (floor if _written(floor, "not_released") else policy).not_released,
            "queries": _queries(demanded, policy),
        }
    )
    yield read
    falling = any(isinstance(each, RecordRequirement) and not each.grows for each in demanded.requirements)
    named = roles.named() if falling else None
    if named is not None:
        yield read.model_copy(update={"attributes": named})
    if floor.unit is None and policy.unit is not None:
        yield read.model_copy(update={"unit": policy.unit})


def _weaker(asked: Policy, own: Policy) -> Iterator[Difference]:
    for each in compare(asked, own).differences:
        if each.verdict in (Strictness.WEAKER, Strictness.INCOMPARABLE):
            yield each


def _without_columns(demanded: Policy, roles: _Roles) -> Iterator[Difference]:
    """The demands on quasi-identifiers of a release that has none: they say nothing."""
    if any(attribute.role == "quasi-identifier" for attribute in roles.judged().values()):
        return
    for each in demanded.requirements:
        if isinstance(each, GroupedRequirement) and each.quasi_identifiers is None:
            path = f"requirements/{each.id}/quasi_identifiers"
            yield _difference(path, None, [], "the release has no quasi-identifier, so this demands nothing of it")


def _forbidden(roles: _Roles, columns: Sequence[str]) -> Iterator[Difference]:
    """The forbidden columns that are there, where no requirement of the floor has the data judged."""
    judged = roles.judged()
    for name in columns:
        role = judged[name].role if name in judged else "undeclared"
        if role in FORBIDDEN or name not in judged:
            yield _difference(f"attributes/{name}/role", role, role, "a column that must not be released")


def _difference(path: str, old: Any, new: Any, note: str) -> Difference:
    return Difference(
        path=path,
        old=old,
        new=new,
        old_origin=None,
        new_origin=None,
        direction=Stricter.SUPERSET,
        verdict=Strictness.WEAKER,
        note=note,
    )
