"""Is one policy at least as strict as another?

The order of policies is the product of the orders of their fields, and the fields' orders stand where the fields are
declared (`Stricter`). It is sound: where the answer is stricter or equal, no table that meets the new policy breaks the
old one. It is not complete: what it cannot order it calls incomparable, and leaves to a person.

Secrets are compared by the name of their variable. A parameter that comes from the environment is equal to itself
alone: an answer such as "stricter" would tell, guess by guess, what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from auditor.distribution import version
from auditor.models import Stricter
from auditor.policy._groupings import named, with_role
from auditor.policy.compare._baseline import known_failures
from auditor.policy.compare._requirements import requirements
from auditor.policy.compare._waivers import waivers
from auditor.policy.compare.roles import roles
from auditor.policy.demands import every_limit, waivable
from auditor.policy.fields import (
    EQUAL,
    INCOMPARABLE,
    STRICTER,
    TOP,
    UTILITY,
    WEAKER,
    FieldPlace,
    Sides,
    order,
)
from auditor.policy.outputs import OutputRule
from auditor.policy.queries import Queries
from auditor.policy.remediation import Remediation
from auditor.policy.schema import Policy
from auditor.policy.terms import Terms
from auditor.result import Strictness, Tool
from auditor.result.comparison import ComparedPolicy, Difference, PolicyComparison

APART = frozenset(
    {
        "attributes",
        "undeclared",
        "requirements",
        "queries",
        "outputs",
        "waivers",
        "baseline",
        "limits",
        "remediation",
        "protection",
    }
)
"""Parts of a policy that are more than a block of fields."""
URGENCY = (WEAKER, INCOMPARABLE, STRICTER, EQUAL, UTILITY)


def compare(old: Policy, new: Policy, old_source: str | None = None, new_source: str | None = None) -> PolicyComparison:
    """Two effective policies, field by field.

    Args:
        old: the policy that held.
        new: the policy that is to hold.
        old_source: how the old policy's place is called in the answer; its file by default.
        new_source: as `old_source`, of the new one.

    Returns:
        The verdict, and one entry per field that differs: weaker ones first, then what needs a review, what is
        stricter, what changes nothing, and utility.
    """
    sides = Sides(old, new)
    found = [
        *roles(sides),
        *requirements(sides),
        *sides.block(TOP, old, new, skip=APART),
        *_remediation(sides),
        *_protection(sides),
        *_queries(sides),
        *_outputs(sides),
        *_limits(sides),
        *waivers(sides),
        *known_failures(sides),
        *_renamed(sides),
    ]
    return PolicyComparison(
        tool=Tool(version=version()),
        verdict=overall(difference.verdict for difference in found),
        old=ComparedPolicy(name=old.name, source=old_source or old.file, file=old.file, sha256=old.sha256),
        new=ComparedPolicy(name=new.name, source=new_source or new.file, file=new.file, sha256=new.sha256),
        differences=tuple(sorted(found, key=lambda difference: URGENCY.index(difference.verdict))),
    )


def overall(verdicts: Iterable[Strictness]) -> Strictness:
    """The verdict of a policy from those of its fields; utility has no say."""
    found = set(verdicts) - {UTILITY, EQUAL}
    if INCOMPARABLE in found:
        return INCOMPARABLE
    if found == {STRICTER, WEAKER}:
        return Strictness.MIXED
    return found.pop() if found else EQUAL


def needing_approval(found: PolicyComparison) -> list[str]:
    """The fields that are weaker, or need a review, by their paths."""
    return [difference.path for difference in found.differences if difference.verdict in (WEAKER, INCOMPARABLE)]


def _remediation(sides: Sides) -> list[Difference]:
    """A policy that says nothing of remediation is searched for by the defaults."""
    places = [None if policy.remediation is None else "remediation" for policy in (sides.old, sides.new)]
    old, new = sides.old.remediation or Remediation(), sides.new.remediation or Remediation()
    return sides.block(FieldPlace(places[0], places[1], "remediation"), old, new)


def _protection(sides: Sides) -> Iterator[Difference]:
    """Masking methods by their places: what was masked already matters to what masks it next.

    Where the methods at one place differ, in kind or in columns, nothing says which one protects more.
    """
    old, new = sides.old.protection, sides.new.protection
    for index in range(max(len(old), len(new))):
        before, after = (each[index] if index < len(each) else None for each in (old, new))
        path = f"protection/{index}"
        place = FieldPlace(path if before else None, path if after else None, path)
        if before is None:
            yield sides.difference(place, (None, after), Stricter.REVIEW, INCOMPARABLE, "added")
        elif after is None:
            yield sides.difference(place, (before, None), Stricter.SUPERSET, WEAKER, "removed")
        elif type(before) is type(after):
            yield from sides.block(place, before, after)
        else:
            yield sides.difference(place, (before, after), Stricter.REVIEW, INCOMPARABLE)


def _queries(sides: Sides) -> Iterator[Difference]:
    old, new = sides.old.queries, sides.new.queries
    place = FieldPlace("queries", "queries", "queries")
    if old is None or new is None:
        if old is not new:
            yield sides.difference(place, (old, new), Stricter.NESTED, order(Stricter.NESTED, old, new))
        return
    yield from sides.block(place, old, new, skip={"protects", "public"})
    if old.key != new.key and (note := _known_by_key(old, new)):
        yield sides.difference(place.at("key"), (old.key, new.key), Stricter.REVIEW, INCOMPARABLE, note)
    before, after = _protected(sides.old, old), _protected(sides.new, new)
    if before != after:
        verdict = order(Stricter.SUPERSET, before, after)
        yield sides.difference(place.at("protects"), (before, after), Stricter.SUPERSET, verdict)
    before, after = _public(sides.old, old), _public(sides.new, new)
    if before != after:
        yield sides.difference(place.at("public"), (before, after), Stricter.REVIEW, INCOMPARABLE)


def _known_by_key(old: Queries, new: Queries) -> str | None:
    """What the key says besides how findings call a record; None where it says nothing."""
    if old.assume.insiders or new.assume.insiders:
        return "the records that insiders know are named by it"
    if old.versions or new.versions or (old.key and new.key):
        return "it says which rows are one person's: versions, or rows of several snapshots"
    return None


def _protected(policy: Policy, queries: Queries) -> frozenset[str]:
    return with_role(policy, "sensitive") if queries.protects is None else named(queries.protects)


def _public(policy: Policy, queries: Queries) -> frozenset[str]:
    if queries.public is None:
        return with_role(policy, "quasi-identifier", "insensitive")
    return named(queries.public)


def _outputs(sides: Sides) -> Iterator[Difference]:
    """Rules on mining outputs, matched by id, then by type."""
    left = dict(enumerate(sides.new.outputs))
    for index, old in enumerate(sides.old.outputs):
        alike = [i for i, new in left.items() if type(new) is type(old)]
        match = max(alike, key=lambda i: left[i].id == old.id, default=None)
        place = FieldPlace(f"outputs/{index}", None if match is None else f"outputs/{match}", f"outputs/{old.id}")
        if match is None:
            yield sides.difference(place, (old, None), Stricter.SUPERSET, WEAKER, "removed")
        else:
            new = left.pop(match)
            yield from sides.block(place, old, new)
            if old.id != new.id and (_hung_on(sides.new, str(new.id)) or _is_hard(sides.old, str(old.id))):
                note = "waivers, known failures and terms of limits refer to whatever has this id"
                yield sides.difference(place.at("id"), (old.id, new.id), Stricter.REVIEW, INCOMPARABLE, note)
    for index, new in left.items():
        yield from _added(sides, index, new)


def _limits(sides: Sides) -> Iterator[Difference]:
    """On what terms limits hold that both policies set; one that is new is stricter on any.

    A limit whose id was a requirement's, too, held as an error: nothing could be said of its terms.
    """
    before = {demand.id for demand in every_limit(sides.old)}
    for name in dict.fromkeys((*sides.old.terms, *sides.new.terms)):
        if name in before:
            old, new = (policy.terms.get(name, Terms()) for policy in (sides.old, sides.new))
            path = f"limits/{name}"
            yield from sides.block(FieldPlace(path, path, path), old, new)


def _renamed(sides: Sides) -> Iterator[Difference]:
    """Excuses of a requirement or a rule that went away, and left its id to a limit."""
    gone = {str(each.id) for each in (*sides.old.requirements, *sides.old.outputs)} & set(waivable(sides.new))
    for block in ("waivers", "baseline"):
        for index, each in enumerate(getattr(sides.new, block)):
            if each.requirement in gone:
                place = FieldPlace(None, f"{block}/{index}", f"{block}/{each.requirement}")
                note = "it now excuses the limit with this id, not what had the id before"
                yield sides.difference(place, (None, each), Stricter.REVIEW, INCOMPARABLE, note)


def _hung_on(policy: Policy, name: str) -> bool:
    """Whether a waiver or a known failure excuses a rule of this id, or one of its limits."""
    excused = {each.requirement for each in policy.waivers} | {each.requirement for each in policy.baseline}
    excused |= {limit for limit, terms in policy.terms.items() if terms.severity == "warning"}
    return any(each == name or each.startswith(f"{name}-") for each in excused)


def _is_hard(policy: Policy, name: str) -> bool:
    """Whether a limit of the rule of this id is one that no baseline may excuse."""
    return any(terms.hard and limit.startswith(f"{name}-") for limit, terms in policy.terms.items())


def _added(sides: Sides, index: int, new: OutputRule) -> Iterator[Difference]:
    place = FieldPlace(None, f"outputs/{index}", f"outputs/{new.id}")
    yield sides.difference(place, (None, new), Stricter.SUPERSET, STRICTER, "added")
