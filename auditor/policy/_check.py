"""What the schema alone cannot say: whether the parts of a policy fit each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from auditor.errors import HierarchyError
from auditor.hierarchies import hierarchy, ladder_spec
from auditor.models import (
    ColumnRequirement,
    GroupedRequirement,
    PopulationModel,
    RecordRequirement,
    Requirement,
    SensitiveModel,
    SensitiveRequirement,
    SequenceRequirement,
)
from auditor.policy import demands
from auditor.policy.attributes import Attribute
from auditor.policy.baseline import KnownFailure
from auditor.policy.binding import is_glob
from auditor.policy.demands import OF_EVERY_RELEASE, waivable
from auditor.policy.file.nodes import Mark
from auditor.policy.file.problems import Problems, did_you_mean, one_of, quoted
from auditor.policy.schema import PATTERNS, Policy
from auditor.policy.terms import Terms
from auditor.policy.waivers import Waiver

if TYPE_CHECKING:
    from auditor.policy.hierarchies import Hierarchy

GROUPABLE = frozenset({"quasi-identifier", "sensitive", "insensitive"})
MAX_GLOBS = 200
MASKABLE = GROUPABLE | {"pseudonym"}
"""What identifiers and texts are masked to is of no use: they are not released."""
COUNTABLE = frozenset({"pseudonym", "identifier", "insensitive", "sensitive"})


def check(policy: Policy, marks: Mapping[str, Mark], problems: Problems) -> None:
    """Note every misfit of an effective policy; `marks` are the places of its values."""
    if not (problems.found or policy.requirements or policy.queries or policy.outputs):
        problems.add(marks[""], "nothing to judge", "say requirements, queries or outputs", "empty")
    _Checker(policy, marks, problems).check()


def _fits(requirement: BaseModel, name: str, value: float) -> bool:
    try:
        type(requirement).model_validate({**requirement.model_dump(), name: value})
    except ValidationError:
        return False
    return True


class _Checker:
    def __init__(self, policy: Policy, marks: Mapping[str, Mark], problems: Problems) -> None:
        self.policy = policy
        self.globs = {name: re.compile(translate(name)) for name in policy.attributes if is_glob(name)}
        self.marks = marks
        self.problems = problems
        self.built: set[str] = set()

    def check(self) -> None:
        """Note every misfit."""
        if len(self.globs) > MAX_GLOBS:
            what = f"more than {MAX_GLOBS} attributes with * or ?"
            self.problems.add(self._mark("attributes"), what, "name columns, or use fewer globs", "limit")
            return
        for name, attribute in self.policy.attributes.items():
            self._hierarchy(attribute.hierarchy, f"attributes/{name}/hierarchy")
        for index, requirement in enumerate(self.policy.requirements):
            self._requirement(requirement, f"requirements/{index}")
        if self.policy.unit is not None:
            self._column("unit/column", self.policy.unit.column, COUNTABLE)
        self._remediation()
        self._protection()
        self._uses()
        self._queries()
        for name, said in self.policy.limits.items():
            self._limit(name, said, list(waivable(self.policy)))
        for index, waiver in enumerate(self.policy.waivers):
            self._waiver(waiver, f"waivers/{index}")
        for index, entry in enumerate(self.policy.baseline):
            self._known_failure(entry, f"baseline/{index}")

    def _hierarchy(self, given: Hierarchy | None, path: str) -> None:
        """Build the hierarchy, once, which shows what the schema cannot: levels that do not nest, a wrong file."""
        if given is None or isinstance(given, str) or not given.is_found:
            return
        spec = ladder_spec(given)
        if repr(spec) in self.built:
            return
        self.built.add(repr(spec))
        try:
            hierarchy(spec)
        except HierarchyError as wrong:
            self.problems.add(self._mark(path), wrong.what, wrong.right, "hierarchy")

    def _requirement(self, requirement: Requirement, path: str) -> None:
        if isinstance(requirement, GroupedRequirement):
            self._grouped(requirement, path)
        if isinstance(requirement, SensitiveRequirement) and requirement.sensitive is not None:
            name = str(requirement.sensitive)
            self._column(f"{path}/sensitive", name, frozenset({"sensitive"}))
            if isinstance(requirement, SensitiveModel):
                self._ground(requirement, name, path)
        if isinstance(requirement, SequenceRequirement):
            self._sequence(requirement, path)
        if isinstance(requirement, RecordRequirement):
            self._records(requirement, path)
        if isinstance(requirement, PopulationModel):
            self._population(requirement, path)
        if isinstance(requirement, ColumnRequirement):
            self._column(f"{path}/attribute", requirement.attribute)
            if requirement.least_level is not None:
                self._needs_hierarchy(requirement.attribute, requirement.name, f"{path}/attribute")

    def _grouped(self, requirement: GroupedRequirement, path: str) -> None:
        for place, name in enumerate(requirement.quasi_identifiers or ()):
            self._column(f"{path}/quasi_identifiers/{place}", name, GROUPABLE)
        if requirement.attacker is not None:
            self._attacker(requirement, path)

    def _records(self, requirement: RecordRequirement, path: str) -> None:
        for place, name in enumerate(requirement.attributes or ()):
            self._column(f"{path}/attributes/{place}", name)
        if self.policy.missing == "wildcard" and not requirement.wildcards:
            self._no_wildcards(requirement, path)

    def _sequence(self, requirement: SequenceRequirement, path: str) -> None:
        if requirement.counterfeits is not None:
            self._column(f"{path}/counterfeits", requirement.counterfeits, frozenset({"insensitive"}))
        if self.policy.missing == "wildcard":
            self._no_wildcards(requirement, path)

    def _no_wildcards(self, requirement: Requirement, path: str) -> None:
        what = f"{requirement.name} is not defined where a missing value may be any value (missing: wildcard)"
        self.problems.add(self._mark(path), what, "missing: value, or another model", "value")

    def _attacker(self, requirement: GroupedRequirement, path: str) -> None:
        """Refuse what patterns do not have: groups that overlap, and columns that join each of them."""
        if self.policy.missing == "wildcard":
            what = "knows is not defined where a missing value may be any value (missing: wildcard)"
            self.problems.add(self._mark(f"{path}/knows"), what, "missing: value", "value")
        if requirement.reads_population or requirement.fixed_scheme:
            what = f"{requirement.name} is about an attacker who knows every quasi-identifier"
            self.problems.add(self._mark(f"{path}/knows"), what, "no knows beside it", "value")
        if getattr(requirement, "others", "ignore") != "ignore":
            what = "others: quasi-identifiers is not defined for an attacker with bounded knowledge"
            self.problems.add(self._mark(f"{path}/others"), what, "quasi_identifiers: […] beside knows", "value")

    def _population(self, requirement: Requirement, path: str) -> None:
        if self.policy.sample is None or self.policy.sample.population is None:
            what = f"{requirement.name} needs the population of the sample, which nothing says"
            self.problems.add(self._mark(path), what, "as in sample: {population: register.csv}", "missing")
        if self.policy.missing == "wildcard":
            self._no_wildcards(requirement, path)

    def _ground(self, requirement: SensitiveModel, name: str, path: str) -> None:
        ground = getattr(requirement, "ground", None)
        if ground == "hierarchical":
            self._needs_hierarchy(name, "ground: hierarchical", f"{path}/ground")
        for key, attribute in self._declared(name):
            if (
                ground == "ordered"
                and attribute.is_numeric is False
                and attribute.type != "date"
                and not attribute.order
            ):
                what = f"ground: ordered needs the order of {quoted(key)}, which is {attribute.type}"
                self.problems.add(self._mark(f"{path}/ground"), what, f"order: [...] on attribute {key}", "order")

    def _needs_hierarchy(self, name: str, who: str, path: str) -> None:
        for key, attribute in self._declared(name):
            if attribute.hierarchy is None:
                what = f"{who} needs a hierarchy, and attribute {quoted(key)} has none"
                self.problems.add(self._mark(path), what, f"hierarchy: on attribute {key}", "hierarchy")

    def _remediation(self) -> None:
        if self.policy.remediation is None:
            return
        for name in self.policy.remediation.levels:
            self._column(f"remediation/levels/{name}", name, frozenset({"quasi-identifier"}))

    def _protection(self) -> None:
        """A column that is masked and not declared is not released, or fails the release: its audit says so."""
        for index, method in enumerate(self.policy.protection):
            for field, info in type(method).model_fields.items():
                path = f"protection/{index}/{field}"
                if not info.repr and path not in self.policy.secret_names:
                    what = f"{field} is written in the policy, where everybody can read it"
                    self.problems.add(
                        self._mark(path), what, f"{field}: {{secret: NAME}}, from the environment", "secret"
                    )
            for place, name in enumerate(method.attributes):
                self._roles(f"protection/{index}/attributes/{place}", name, MASKABLE)

    def _uses(self) -> None:
        """What is not released, nobody uses."""
        for index, use in enumerate(self.policy.tradeoff.uses if self.policy.tradeoff else ()):
            path = f"tradeoff/uses/{index}"
            if use.target is not None:
                self._column(f"{path}/{use.key()}", use.target, GROUPABLE)
            for place, name in enumerate(use.attributes or ()):
                self._column(f"{path}/attributes/{place}", name, GROUPABLE)

    def _queries(self) -> None:
        """A queried table may be another than the one that is released, so its columns need no declaration."""
        queries = self.policy.queries
        if queries is None:
            return
        if queries.protects is None and not any(a.role == "sensitive" for a in self.policy.attributes.values()):
            right = "protects: [...], or an attribute with role: sensitive"
            self.problems.add(self._mark("queries"), "queries protect nothing", right, "missing")
        sensitive = [name for name, attribute in self.policy.attributes.items() if attribute.role == "sensitive"]
        protected = sensitive if queries.protects is None else queries.protects
        for place, name in enumerate(queries.public or ()):
            if name in protected:
                what = f"column {quoted(name)} is both public and protected; users must not learn a protected column"
                self.problems.add(
                    self._mark(f"queries/public/{place}"), what, "public columns that are not protected", "role"
                )

    def _waiver(self, waiver: Waiver, path: str) -> None:
        rules = {str(rule.id): rule for rule in self.policy.outputs}
        demanded = demands.named(self.policy)
        waived, known = waiver.requirement, [*rules, *demanded, *sorted(OF_EVERY_RELEASE)]
        if waived not in known:
            what = f"no requirement is called {quoted(waived)}"
            self.problems.add(self._mark(f"{path}/requirement"), what, one_of(waived, known), "unknown-id")
            return
        if waiver.columns and waived in demanded and isinstance(demanded[waived].block, GroupedRequirement):
            what = f"{quoted(waived)} is not a requirement on columns, so a waiver of it is not limited to some"
            self.problems.add(self._mark(f"{path}/scope/columns"), what, "at_least: {…} bounds it", "waiver")
        if waived in demanded:
            self._bounds(waiver, demanded[waived].block, demanded[waived].parameters, path)
        else:
            rule = rules.get(waived)
            self._bounds(waiver, rule, () if rule is None else tuple(type(rule).model_fields), path)

    def _limit(self, name: str, said: Terms | int, known: list[str]) -> None:
        if isinstance(said, int) != (name == PATTERNS):
            right = f"{name}: 1000000" if name == PATTERNS else f"{name}: {{severity: warning}}"
            self.problems.add(self._mark(f"limits/{name}"), f"{quoted(name)} is said otherwise", right, "value")
        elif name != PATTERNS and name not in known:
            right = one_of(name, known) if known else ""
            self.problems.add(self._mark(f"limits/{name}"), f"no limit is called {quoted(name)}", right, "unknown-id")

    def _known_failure(self, entry: KnownFailure, path: str) -> None:
        known = demands.named(self.policy)
        mark, name = self._mark(f"{path}/requirement"), entry.requirement
        if name in OF_EVERY_RELEASE or (name in known and known[name].terms.hard):
            right = "" if name in OF_EVERY_RELEASE else "correct the data, or ask for a waiver"
            self.problems.add(mark, f"{quoted(name)} is hard, so no baseline excuses it", right, "hard")
        elif name not in known:
            what = f"no requirement is called {quoted(name)}"
            self.problems.add(mark, what, one_of(name, list(known)) if known else "", "unknown-id")
        else:
            for bound in entry.achieved:
                self._parameter(known[name].parameters, name, bound, f"{path}/achieved/{bound}")

    def _parameter(self, parameters: Sequence[str], name: str, bound: str, path: str) -> bool:
        if bound not in parameters:
            what = f"{quoted(name)} has no parameter {quoted(bound)}"
            self.problems.add(self._mark(path), what, one_of(bound, parameters) if parameters else "", "unknown-key")
        return bound in parameters

    def _bounds(self, waiver: Waiver, block: BaseModel | None, parameters: Sequence[str], path: str) -> None:
        """The bounds that a waiver leaves are values of the parameters of what it names."""
        for bound, value in waiver.at_least.items():
            place = f"{path}/at_least/{bound}"
            known = self._parameter(parameters, waiver.requirement, bound, place)
            if known and block is not None and not _fits(block, bound, value):
                what = f"{bound}: {value:g} is not a value of that parameter"
                self.problems.add(self._mark(place), what, "", "value")

    def _column(self, path: str, name: str, roles: frozenset[str] | None = None) -> None:
        """Check that a name is an attribute of the policy, with one of the roles."""
        if self.policy.undeclared == "fail" and not any(True for _ in self._declared(name)):
            known = list(self.policy.attributes)
            right = f"declare it under attributes{did_you_mean(name, known)}"
            self.problems.add(self._mark(path), f"unknown attribute {quoted(name)}", right, "unknown-attribute")
        if roles is not None:
            self._roles(path, name, roles)

    def _roles(self, path: str, name: str, roles: frozenset[str]) -> None:
        """Check that the attributes which a name stands for have one of the roles."""
        for key, attribute in self._declared(name):
            if attribute.role not in roles:
                what = f"attribute {quoted(key)} has the role {attribute.role}"
                self.problems.add(self._mark(path), what, f"wanted here: {' or '.join(sorted(roles))}", "role")

    def _declared(self, name: str) -> Iterator[tuple[str, Attribute]]:
        """The declared attributes that a name or glob stands for: the exact name, or every glob that may match."""
        attributes = self.policy.attributes
        if name in attributes:
            yield name, attributes[name]
            return
        matching = re.compile(translate(name)) if is_glob(name) else None
        for key in attributes if matching else self.globs:
            if (matching and matching.match(key)) or (key in self.globs and self.globs[key].match(name)):
                yield key, attributes[key]

    def _mark(self, path: str) -> Mark:
        """The place of a value, or of the nearest block around it that was written."""
        while path not in self.marks:
            path = path.rpartition("/")[0]
        return self.marks[path]
