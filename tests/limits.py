"""Every limit that a policy can set, and a policy that sets it as its example does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from auditor.direction import Stricter
from auditor.policy import Policy, demands, load_policy
from auditor.policy.fields import directions
from auditor.policy.queries import Limits
from auditor.spec import Limit

COLUMNS = {"age": "quasi-identifier", "pay": {"role": "sensitive", "type": "number"}}


@dataclass(frozen=True)
class Declared:
    """A limit where it is declared: the block, the path of its parameter there, what it says of itself."""

    block: type[BaseModel]
    path: str
    limit: Limit

    def __str__(self) -> str:
        return f"{'queries' if self.block is Limits else self.type} {self.path}"

    @property
    def type(self) -> str:
        """The type of output that its rule is on."""
        return str(self.block.model_fields["type"].default)

    @property
    def field(self) -> str:
        """The parameter of the block that holds it."""
        return self.path.partition("/")[0]

    @property
    def place(self) -> str:
        """Where a policy sets it."""
        return f"queries.limits.{self.path.replace('/', '.')}" if self.block is Limits else f"{self.type}: {self.field}"

    @property
    def parameter(self) -> FieldInfo:
        """What the block says of the parameter."""
        return self.block.model_fields[self.field]

    @property
    def direction(self) -> Stricter:
        """Which way the bound is stricter."""
        demand = self.demand
        return directions(type(demand.block))[demand.parameter]

    @property
    def policy(self) -> Policy:
        """The policy that its example makes, as a rule of its own type where the example is of another."""
        return self.policy_with(yaml.safe_load(self.limit.example))

    def policy_with(self, example: dict[str, Any]) -> Policy:
        """A policy with one block of limits, or one rule on outputs."""
        if self.block is Limits:
            return load_policy({"name": "p", "attributes": COLUMNS, "queries": example})
        known = {name: value for name, value in example.items() if name in self.block.model_fields}
        return load_policy({"name": "p", "outputs": [{**known, "type": self.type}]})

    @property
    def demand(self) -> demands.Demand[Any]:
        """The limit in the view of that policy."""
        (found,) = (each for each in demands.every(self.policy) if each.limit is self.limit)
        return found


EVERY = [Declared(*each) for each in demands.declared()]
