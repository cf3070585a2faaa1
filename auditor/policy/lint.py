"""Doubtful choices: what a policy may say, and probably does not mean.

One rule, one function; `RULES` lists them. A doubt never changes a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from auditor.errors import Problem
from auditor.models import GroupedRequirement, RecordRequirement, SensitiveRequirement, SequenceRequirement
from auditor.policy import demands
from auditor.policy._load import load_policy
from auditor.policy.binding import is_glob
from auditor.policy.file.problems import in_order
from auditor.policy.schema import Policy
from auditor.result import Kind
from auditor.spec import Spec

NEAR = timedelta(days=14)
"""How long before its end a waiver is called near its end."""
SHORTEST_REASON = 10
"""A shorter reason for a waiver is none; the gate refuses it."""
SMALL_K = 3
"""FERPA's technical assistance centre calls 3 "the absolute minimum"; no published rule allows less."""
EVERYTHING = re.compile(r"\^?(?:\.|\[\\s\\S\]|\(\.\))[*+](?:\?)?\$?")
EVERY_NAME = re.compile(r"[*?]*\*[*?]*")
"""A glob that matches every name, or every one of some length."""

Doubts = Iterator[Problem]
Rule = Callable[[Policy, date], Doubts]


def lint(policy: Policy | str | Path | Mapping[str, Any], as_of: date | None = None) -> list[Problem]:
    """What is allowed in a policy, but rarely meant, as `auditor lint` warns of it.

    Args:
        policy: what `auditor.check` takes.
        as_of: the day on which waivers are judged; by default today.

    Raises:
        PolicyError: the policy is wrong; it has every error.
    """
    return doubts(load_policy(policy), as_of or date.today())  # noqa: DTZ011


def doubts(policy: Policy, today: date) -> list[Problem]:
    """Every doubtful choice of a policy, in the order of the file."""
    found = [doubt for rule in RULES for doubt in rule(policy, today)]
    return sorted(found, key=in_order)


def _doubt(policy: Policy, path: str, code: str, what: str, right: str) -> Problem:
    """A doubt about the value at a path, or about the nearest block around it that was written."""
    return Problem(str(policy.nearest(path) or policy.name), what, right, code)


def _bounds(policy: Policy) -> Iterator[tuple[str, Spec, float]]:
    """Every number that a requirement or a limit is compared with: its place, what it bounds, and the number."""
    for path, spec, bound in (each for demand in demands.every(policy) for each in demand.bounds):
        if isinstance(bound, int | float) and not isinstance(bound, bool) and not policy.is_secret(path):
            yield path, spec, bound


def _small_k(policy: Policy, _: date) -> Doubts:
    for path, spec, bound in _bounds(policy):
        least, name = spec.least(bound), path.rpartition("/")[2]
        if isinstance(bound, int) and least is not None and least < SMALL_K:
            nothing = name == "k" and least == 1
            what = f"{name}: {bound} asks for nothing" if nothing else f"{name}: {bound} protects hardly anybody"
            yield _doubt(policy, path, "small-k", what, f"at least {SMALL_K}; 11 is common")


def _trivial_diversity(policy: Policy, _: date) -> Doubts:
    for path, _spec, bound in _bounds(policy):
        name = path.rpartition("/")[2]
        if name in {"l", "p", "m", "min_l"} and bound <= 1:
            yield _doubt(policy, path, "trivial", f"{name}: {bound:g} asks for nothing", "2 or more")


def _trivial_limit(policy: Policy, _: date) -> Doubts:
    """A share or a distance of at most 1 that every output has, and a rule or a block of limits that sets none."""
    for demand in demands.every_limit(policy):
        at_most = demand.comparison == "<=" and demand.limit.kind is Kind.OF_CLASS
        if at_most and not demand.confidential and demand.bound >= 1:
            what = f"{demand.parameter}: {demand.bound:g} asks for nothing: it is never above 1"
            yield _doubt(policy, demand.path, "trivial", what, "a number below 1")
    for index, rule in enumerate(policy.outputs):
        if not any(demands.set_by(rule)):
            yield _doubt(policy, f"outputs/{index}", "trivial", f"{rule.id} sets no limit", "a limit, or no such rule")
    if policy.queries is not None and not any(demands.of_queries(policy)):
        yield _doubt(policy, "queries/limits", "trivial", "queries set no limit", "exact_value: deny")


def _contradicted(policy: Policy, _: date) -> Doubts:
    """`exact_value: allow` beside a limit that a value which follows breaks."""
    broken = [demand for demand in demands.of_queries(policy) if "exact-value" in demand.limit.broken_by]
    if policy.queries is None or policy.queries.limits.exact_value == "deny":
        return
    for demand in broken:
        if demand.limit.least(demand.bound) != 1:
            what = f"exact_value: allow lets values follow, but each value that follows breaks {demand.parameter}"
            yield _doubt(policy, "queries/limits/exact_value", "contradictory", what, "keep one of the two")


def _idle(policy: Policy, _: date) -> Doubts:
    """What a rule on outputs says for a limit that it does not set."""
    for index, rule in enumerate(policy.outputs):
        set_by = {name for name, _ in demands.set_by(rule)}
        for name, readers in rule.read_by.items():
            said = getattr(rule, name) != type(rule).model_fields[name].default
            if said and set_by.isdisjoint(readers):
                what = f"{name} is read for {' and '.join(readers)}, which {rule.id} does not set"
                yield _doubt(policy, f"outputs/{index}/{name}", "idle", what, f"{readers[0]} beside it")


def _nothing_grouped(policy: Policy, _: date) -> Doubts:
    """A starter pack leaves the columns to whoever extends it."""
    roles = {attribute.role for attribute in policy.attributes.values()} | {policy.undeclared}
    if "quasi-identifier" in roles or policy.pack is not None:
        return
    for index, requirement in enumerate(policy.requirements):
        if isinstance(requirement, GroupedRequirement) and requirement.quasi_identifiers is None:
            what = f"{requirement.id} groups by all quasi-identifiers, but the policy has none"
            yield _doubt(
                policy, f"requirements/{index}", "no-quasi-identifiers", what, "role: quasi-identifier on an attribute"
            )


def _unprotected(policy: Policy, _: date) -> Doubts:
    """A sensitive attribute that the list of protected columns of a log leaves out."""
    protected = None if policy.queries is None else policy.queries.protects
    for name, attribute in policy.attributes.items() if protected is not None else ():
        if attribute.role == "sensitive" and name not in (protected or ()):
            what = f"protects under queries does not name the sensitive attribute {name!r}"
            yield _doubt(policy, "queries/protects", "unguarded", what, f"add {name}, or leave the list out")


def _unguarded_sensitive(policy: Policy, _: date) -> Doubts:
    guarded = {str(r.sensitive) for r in policy.requirements if isinstance(r, SensitiveRequirement)}
    if not policy.requirements or any(is_glob(name) for name in guarded):
        return
    for name, attribute in policy.attributes.items():
        if attribute.role == "sensitive" and name not in guarded:
            what = f"no requirement limits what a class tells about the sensitive attribute {name!r}"
            yield _doubt(policy, f"attributes/{name}", "unguarded", what, "l-diversity, t-closeness or a like model")


def _unit_is_identifier(policy: Policy, _: date) -> Doubts:
    unit = policy.unit
    attribute = policy.attributes.get(unit.column) if unit else None
    if unit and attribute and attribute.role == "identifier" and unit.rows != "one-per-unit":
        what = f"the unit {unit.column!r} is an identifier, so a release that may be published cannot be counted by it"
        yield _doubt(
            policy, "unit", "unit-identifier", what, "a pseudonym, or {rows: one-per-unit} for one row a person"
        )


def _unexplained_warning(policy: Policy, _: date) -> Doubts:
    said = {demand.path: (demand.id, demand.terms) for demand in demands.of_requirements(policy)}
    said |= {f"limits/{name}": (name, terms) for name, terms in policy.terms.items()}
    for path, (name, terms) in said.items():
        if terms.severity == "warning" and not terms.because:
            what = f"{name} only warns, but does not say why"
            yield _doubt(policy, f"{path}/severity", "unexplained", what, "because: …")


def _lapsing_waiver(policy: Policy, today: date) -> Doubts:
    for index, waiver in enumerate(policy.waivers):
        path = f"waivers/{index}/expires"
        if waiver.expires < today:
            yield _doubt(
                policy, path, "expired", f"the waiver of {waiver.requirement} has expired", "remove or renew it"
            )
        elif waiver.expires - today <= NEAR:
            days = (waiver.expires - today).days
            yield _doubt(policy, path, "expiring", f"the waiver of {waiver.requirement} ends in {days} days", "")


def _self_approved(policy: Policy, _: date) -> Doubts:
    for index, waiver in enumerate(policy.waivers):
        if waiver.is_self_approved:
            path = f"waivers/{index}/approved_by"
            yield _doubt(policy, path, "self-approved", "a waiver approved by its owner", "somebody else approves")


def _short_reason(policy: Policy, _: date) -> Doubts:
    for index, waiver in enumerate(policy.waivers):
        if len(waiver.reason.strip()) < SHORTEST_REASON:
            what = f"the waiver of {waiver.requirement} gives hardly any reason"
            right = f"a reason of at least {SHORTEST_REASON} characters"
            yield _doubt(policy, f"waivers/{index}/reason", "short-reason", what, right)


def _unordered_numbers(policy: Policy, _: date) -> Doubts:
    for index, requirement in enumerate(policy.requirements):
        attribute = policy.attributes.get(str(getattr(requirement, "sensitive", None)))
        if attribute and attribute.is_numeric and getattr(requirement, "ground", None) == "equal":
            what = "ground: equal treats all numbers as equally far apart"
            yield _doubt(policy, f"requirements/{index}/ground", "unordered", what, "ground: ordered")


def _loose_closeness(policy: Policy, _: date) -> Doubts:
    for index, requirement in enumerate(policy.requirements):
        t = getattr(requirement, "t", None)
        bounded = getattr(requirement, "distance", None) in {"emd", "variational", "js"}
        if t is not None and bounded and t >= 1 and "t" not in policy.confidential(str(requirement.id)):
            what = f"t: {t:g} asks for nothing: the distance is at most 1"
            yield _doubt(policy, f"requirements/{index}/t", "trivial", what, "0.2 is common")


def _pattern_for_everything(policy: Policy, _: date) -> Doubts:
    for index, requirement in enumerate(policy.requirements):
        pattern = getattr(requirement, "pattern", None)
        hidden = "pattern" in policy.confidential(str(requirement.id))
        if pattern is not None and not hidden and EVERYTHING.fullmatch(pattern):
            yield _doubt(
                policy,
                f"requirements/{index}/pattern",
                "trivial",
                "the pattern allows every value",
                "name the characters",
            )


def _open_door(policy: Policy, _: date) -> Doubts:
    if policy.undeclared in {"insensitive", "pseudonym"}:
        what = f"undeclared: {policy.undeclared} lets columns pass that nobody has examined"
        yield _doubt(policy, "undeclared", "open-door", what, "undeclared: fail")


def _open_wildcard(policy: Policy, _: date) -> Doubts:
    for name, attribute in policy.attributes.items():
        if attribute.role in {"insensitive", "pseudonym"} and is_glob(name) and EVERY_NAME.fullmatch(name):
            what = f"{name!r} lets a column that nobody has examined pass as {attribute.role}"
            right = "each column by its name, and undeclared: fail"
            yield _doubt(policy, f"attributes/{name}", "open-door", what, right)


def _ungeneralizable(policy: Policy, _: date) -> Doubts:
    asked = [name for name, attribute in policy.attributes.items() if attribute.role == "quasi-identifier"]
    bare = [name for name in asked if policy.attributes[name].hierarchy is None]
    if bare == asked and policy.remediation is None:
        if bare and any(isinstance(each, GroupedRequirement) for each in policy.requirements):
            what = "no quasi-identifier has a hierarchy, so remediation could make nothing coarser"
            yield _doubt(policy, "attributes", "no-hierarchy", what, "hierarchy: … for each, or suppress")
        return
    for name in bare:
        what = f"the quasi-identifier {name!r} has no hierarchy, so remediation cannot generalize it"
        yield _doubt(policy, f"attributes/{name}", "no-hierarchy", what, "hierarchy: …, or suppress")


def _interval_beyond_range(policy: Policy, _: date) -> Doubts:
    """A width that a declared range does not have; no number is told, since the width may be confidential."""
    interval = policy.queries.limits.interval if policy.queries else None
    if policy.queries is None or interval is None:
        return
    protected = policy.queries.protects
    for name, attribute in policy.attributes.items():
        low, high = attribute.range or (None, None)
        if (
            low is None
            or high is None
            or not (attribute.role == "sensitive" if protected is None else name in protected)
        ):
            continue
        if interval.width > Fraction(high) - Fraction(low):
            what = f"min_width is wider than the declared range of {name!r}: everybody knows its values more closely"
            path = "queries/limits/interval/min_width"
            yield _doubt(policy, path, "wide-interval", what, "less than the width of the range")


def _lone_linkage(policy: Policy, _: date) -> Doubts:
    """Linkage does not see values that changed places with their neighbours', nor intervals that records are found."""
    beside = [each for each in policy.requirements if isinstance(each, RecordRequirement)]
    for index, requirement in enumerate(policy.requirements):
        if not isinstance(requirement, RecordRequirement) or requirement.companion is None:
            continue
        wanted = None if requirement.attributes is None else set(requirement.attributes)
        others = [each.attributes for each in beside if each.name == requirement.companion]
        if any(each is None or (wanted is not None and wanted <= set(each)) for each in others):
            continue
        what = f"{requirement.id} is on its own: it does not see what {requirement.companion} sees"
        right = f"{requirement.companion} of the same columns beside it"
        yield _doubt(policy, f"requirements/{index}/model", "alone", what, right)


def _nothing_weighed(policy: Policy, _: date) -> Doubts:
    """A starter pack leaves the methods to whoever extends it, as it does the columns."""
    if policy.tradeoff is not None and not policy.protection and policy.pack is None:
        what = "tradeoff lists uses, but protection lists no method that would be weighed by them"
        yield _doubt(
            policy, "tradeoff/uses", "idle", what, "protection: [...], or auditor tradeoff --preset table-35.1"
        )


def _nobody_followed(policy: Policy, _: date) -> Doubts:
    for index, requirement in enumerate(policy.requirements):
        if isinstance(requirement, SequenceRequirement) and policy.unit is None:
            what = f"{requirement.id} is about people in several releases, and no column names a person"
            right = "unit: {column: …, rows: one-per-unit}, which the originals have"
            yield _doubt(policy, f"requirements/{index}/model", "no-unit", what, right)


def _events_of_nobody(policy: Policy, _: date) -> Doubts:
    """Records of a person, where no unit says who has which; a starter pack leaves the unit to whoever extends it."""
    for index, requirement in enumerate(policy.requirements):
        attacker = requirement.attacker if isinstance(requirement, GroupedRequirement) else None
        if attacker is not None and attacker.events and policy.unit is None and policy.pack is None:
            what = f"{requirement.id} asks for records of a person, and is never evaluated: no unit says whose they are"
            right = "unit: pid, or knows: {columns: …}"
            yield _doubt(policy, f"requirements/{index}/knows/events", "no-unit", what, right)


RULES: tuple[Rule, ...] = (
    _small_k,
    _trivial_diversity,
    _trivial_limit,
    _contradicted,
    _idle,
    _nothing_grouped,
    _unprotected,
    _unguarded_sensitive,
    _unit_is_identifier,
    _unexplained_warning,
    _lapsing_waiver,
    _self_approved,
    _short_reason,
    _unordered_numbers,
    _loose_closeness,
    _pattern_for_everything,
    _open_door,
    _open_wildcard,
    _ungeneralizable,
    _interval_beyond_range,
    _lone_linkage,
    _nothing_weighed,
    _nobody_followed,
    _events_of_nobody,
)
