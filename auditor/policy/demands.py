"""What a policy demands, in one view: its requirements, its limits of query logs, and those of its rules on outputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pydantic import BaseModel

from auditor.direction import Stricter
from auditor.policy.fields import directions
from auditor.policy.file.annotations import alternatives
from auditor.policy.file.secrets import CONFIDENTIAL
from auditor.policy.schema import Policy
from auditor.policy.terms import Terms
from auditor.policy.waivers import Waiver
from auditor.result import Location
from auditor.spec import Limit, Spec, limits, specs

if TYPE_CHECKING:
    from auditor.models import Requirement
    from auditor.policy.outputs import Output, OutputLimit
    from auditor.policy.queries import Limits, QueryLimit

UNSUPPORTED = "queries-unsupported"
"""The id of what a log has beside its limits: that all of it can be audited."""
OF_EVERY_RELEASE = frozenset({"identifiers", "undeclared"})
"""Requirements that every policy has without saying so; they can be waived by these ids."""
Says = TypeVar("Says", bound=Limit | None)
AnyBlock = TypeVar("AnyBlock", bound=BaseModel)


@dataclass(frozen=True)
class Demand(Generic[Says]):
    """A requirement of a policy, or a limit that it sets.

    Args:
        policy: the policy.
        id: what results, waivers and baselines call it.
        path: where it stands in the policy: ``requirements/0``; a limit where its parameter does,
            ``queries/limits/query_set_size/min``.
        block: the requirement; the block that the parameter of a limit stands in.
        parameter: the parameter that bounds its number, ``k`` or ``min``; empty where a requirement bounds none.
        limit: what the parameter of a limit says of itself; None for a requirement, whose model says it.
    """

    policy: Policy
    id: str
    path: str
    block: BaseModel
    parameter: str
    limit: Says

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that belong to it: all of a requirement's, and of a limit's block its own."""
        return tuple(type(self.block).model_fields) if self.limit is None else (self.parameter,)

    @property
    def place(self) -> str:
        """Where its block stands in the policy."""
        return self.path if self.limit is None else self.path.rpartition("/")[0]

    @property
    def bound(self) -> Any:
        """The bound as the policy has it: a number, a word, a block of numbers; None where it has none."""
        return getattr(self.block, self.parameter) if self.parameter else None

    @property
    def bounds(self) -> Iterator[tuple[str, Spec, Any]]:
        """Everything of it that is compared with a number: its place, what it bounds, and the bound."""
        if self.limit is not None:
            yield self.path, self.limit, self.bound
        else:
            for name, spec in specs(type(self.block)).items():
                yield f"{self.path}/{name}", spec, getattr(self.block, name)

    @property
    def shown(self) -> Any:
        """The bound as a result shows it."""
        return CONFIDENTIAL if self.confidential else _plain(self.bound)

    @property
    def comparison(self) -> str | None:
        """How a number must stand to the bound; None where the bound is no number, or has no order."""
        numeric = isinstance(self.bound, int | float) and not isinstance(self.bound, bool)
        return directions(type(self.block))[self.parameter].comparison if numeric else None

    @property
    def confidential(self) -> bool:
        """Whether the bound, or a part of it, came from the environment, so that it must not be shown."""
        return self.policy.is_secret(self.path)

    @property
    def terms(self) -> Terms | Requirement:
        """On what terms it holds: a requirement says so itself, and of a limit the policy does by its id."""
        return cast("Requirement", self.block) if self.limit is None else self.policy.terms.get(self.id, Terms())

    @property
    def location(self) -> Location | None:
        """Where it stands in a file; that of the block around it where it holds by default."""
        return self.policy.location(self.path)

    def with_beside(self, *beside: str) -> dict[str, Any]:
        """The parameter of a limit, and others of its block, as a result shows them."""
        return {self.parameter: self.shown, **{name: _plain(getattr(self.block, name)) for name in beside}}


def of_requirements(policy: Policy) -> Iterator[Demand[None]]:
    """The requirements of a policy, in its order."""
    for index, each in enumerate(policy.requirements):
        yield Demand(policy, str(each.id), f"requirements/{index}", each, getattr(each, "bound_field", ""), None)


def of_queries(policy: Policy) -> Iterator[Demand[QueryLimit]]:
    """The limits of query logs that a policy sets, in the order of its fields."""
    if policy.queries is not None:
        for path, block, limit in set_in(policy.queries.limits):
            yield Demand(policy, f"queries-{limit.name}", f"queries/limits/{path}", block, path.split("/")[-1], limit)


def relaxed(block: AnyBlock, waiver: Waiver) -> AnyBlock:
    """A requirement, a rule or a block of limits with the bounds that a waiver leaves standing."""
    return type(block).model_validate({**block.model_dump(), **waiver.at_least})


def with_limit(demand: Demand[QueryLimit], waiver: Waiver) -> Policy:
    """The policy with the bound of one limit of query logs that a waiver leaves standing."""
    changed: Policy = replaced(demand.policy, demand.place, relaxed(demand.block, waiver))
    return changed


def replaced(within: Any, path: str, value: Any) -> Any:
    """A block or a list with another value at a path: ``replaced(policy, "requirements/0/k", 10)``."""
    name, _, rest = path.partition("/")
    if isinstance(within, tuple):
        items = list(within)
        items[int(name)] = replaced(items[int(name)], rest, value) if rest else value
        return tuple(items)
    return within.model_copy(update={name: replaced(getattr(within, name), rest, value) if rest else value})


def declared() -> Iterator[tuple[type[BaseModel], str, Limit]]:
    """Every limit that a policy can set: the block, the path of the parameter in it, and what it says of itself."""
    from auditor.policy.outputs import Output
    from auditor.policy.queries import Limits

    for block in (Limits, *(kind for kind, _ in alternatives(Output))):
        for path, limit in limits(block).items():
            yield block, path, limit


def every(policy: Policy) -> Iterator[Demand[Any]]:
    """All that a policy demands: its requirements, then its limits."""
    yield from of_requirements(policy)
    yield from every_limit(policy)


def every_limit(policy: Policy) -> Iterator[Demand[Any]]:
    """The limits that a policy sets: those of query logs, then those of each rule on outputs."""
    yield from of_queries(policy)
    yield from of_rules(policy)


def of_rules(policy: Policy) -> Iterator[Demand[OutputLimit]]:
    """The limits that the rules on outputs set, rule by rule."""
    for index in range(len(policy.outputs)):
        yield from of_rule(policy, index)


def waivable(policy: Policy) -> dict[str, Demand[Any]]:
    """The limits that a policy sets, by their ids; a name that a requirement or a rule has is theirs."""
    taken = {str(each.id) for each in (*policy.requirements, *policy.outputs)}
    return {demand.id: demand for demand in every_limit(policy) if demand.id not in taken}


def named(policy: Policy) -> dict[str, Demand[Any]]:
    """What a policy demands, by the ids that baselines and waivers mean: requirements, and the limits with own ids."""
    return {**{demand.id: demand for demand in of_requirements(policy)}, **waivable(policy)}


def set_in(block: Limits) -> Iterator[tuple[str, BaseModel, QueryLimit]]:
    """Each limit of query logs that is set: the path of its parameter, the block that it stands in, what it says."""
    from auditor.policy.queries import QueryLimit

    for path, limit in limits(type(block)).items():
        *outer, parameter = path.split("/")
        inner: Any = block
        for name in outer:
            inner = getattr(inner, name)
        if inner is not None and isinstance(limit, QueryLimit) and is_set(inner, parameter):
            yield path, inner, limit


def of_rule(policy: Policy, index: int) -> Iterator[Demand[OutputLimit]]:
    """The limits that a rule on outputs sets, by its place, in the order of its fields; and those that always hold."""
    rule = policy.outputs[index]
    for name, limit in set_by(rule):
        yield Demand(policy, limit_id(rule, name), f"outputs/{index}/{name}", rule, name, limit)


def set_by(rule: Output) -> Iterator[tuple[str, OutputLimit]]:
    """The limits that a rule on outputs sets, by their parameter, and those that always hold."""
    from auditor.policy.outputs import OutputLimit

    for name, limit in limits(type(rule)).items():
        if isinstance(limit, OutputLimit) and (limit.always or is_set(rule, name)):
            yield name, limit


def limit_id(rule: Output, limit: str) -> str:
    """``association-rules-min-support-count``."""
    return f"{rule.id}-{limit.replace('_', '-')}"


def is_set(block: BaseModel, parameter: str) -> bool:
    """Whether a limit is set: a share of at most 0 is the strictest one, a least number of 0 is none."""
    value = getattr(block, parameter)
    if type(value) in (int, float) and not value:
        return directions(type(block))[parameter] is Stricter.LOWER
    return value not in (None, False, (), {}, "allow")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.model_dump() if isinstance(value, BaseModel) else value
