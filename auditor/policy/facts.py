"""A policy, and the data that it is bound to, as a result names them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

from auditor.engines import Column, Source
from auditor.files import shown_name
from auditor.policy import demands
from auditor.policy._canonical import said
from auditor.policy.binding import Binding
from auditor.policy.demands import Demand
from auditor.policy.schema import Policy
from auditor.result import ColumnFacts, DataFacts, PolicyFacts

_LISTING = re.compile(r"(ENUM|STRUCT|UNION|MAP)\(.*\)", re.DOTALL)
"""A type that lists values or names of fields, which may be values: a report says that it does, and not which."""


def policy_facts(policy: Policy) -> PolicyFacts:
    """The policy, as a result names it."""
    return PolicyFacts(
        name=policy.name,
        sha256=policy.sha256,
        file=policy.file,
        description=policy.description,
        owner=policy.owner,
        extends=policy.extends_chain,
        citations=policy.citations,
        text=policy.to_yaml(),
        protection_threshold=protection_threshold(policy),
    )


def _column_facts(binding: Binding, columns: Iterable[Column]) -> tuple[ColumnFacts, ...]:
    """The columns of a table and their roles, as a result names them."""
    return tuple(
        ColumnFacts(
            name=column.name,
            role=binding.roles[column.name].role if column.name in binding.roles else "undeclared",
            type=_LISTING.sub(r"\1", column.type).lower(),
            named=column.name in binding.policy.attributes,
        )
        for column in columns
    )


def data_facts(data: Source, binding: Binding, *, dropped: str | None = None, **counted: Any) -> DataFacts:
    """The data that was judged, as a result names it.

    Args:
        data: what was judged.
        binding: the policy's, to its columns.
        dropped: a column that is not released, of which nothing is said.
        counted: the fields that the judge knows: `rows`, `unit`, `units`; `source` where it has another name.
    """
    facts = data.facts
    columns = [column for column in data.columns if column.name != dropped]
    told = {"source": shown_name(facts.name), **counted}
    return DataFacts(
        columns=len(columns),
        sha256=facts.sha256,
        guessable=facts.guessable,
        format=facts.format,
        files=facts.files,
        column_roles=_column_facts(binding, columns),
        **told,
    )


def method_parameters(policy: Policy, place: int) -> dict[str, Any]:
    """The parameters of a masking method, by its place in ``protection``; secret ones as "confidential"."""
    shown = said(policy.protection[place], policy.secret_names, f"protection/{place}")
    return {name: value for name, value in shown.items() if name not in {"method", "attributes", "sweep"}}


def protection_threshold(policy: Policy) -> int | None:
    """The largest number of people that any demand of the policy openly asks for; None where none does.

    A public document hides counts below it.
    """
    return _largest(demands.every(policy))


def least_class_size(policy: Policy) -> int | None:
    """The largest class size, or least count of an output, that is openly demanded of releases; None where none is."""
    return _largest(chain(demands.of_requirements(policy), demands.of_rules(policy)))


def _largest(demanded: Iterable[Demand[Any]]) -> int | None:
    """A bound that came from the environment is kept secret, so what is hidden may not tell it."""
    found = (
        spec.least(bound)
        for demand in demanded
        for path, spec, bound in demand.bounds
        if path not in demand.policy.secret_names
    )
    return max((people for people in found if people is not None), default=None)
