"""A policy, and the data that it is bound to, as a result names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from auditor.engines import Column, Source
from auditor.files import shown_name
from auditor.policy._canonical import said
from auditor.policy.binding import Binding
from auditor.policy.schema import Policy
from auditor.result import ColumnFacts, DataFacts, PolicyFacts
from auditor.spec import least_people

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
    return _largest(policy, {**_of_releases(policy), **_of_queries(policy)})


def least_class_size(policy: Policy) -> int | None:
    """The largest class size, or least count of an output, that is openly demanded of releases; None where none is."""
    return _largest(policy, _of_releases(policy))


def _of_releases(policy: Policy) -> dict[str, BaseModel]:
    """The demands on tables and outputs, by their place."""
    lists: dict[str, Sequence[BaseModel]] = {"requirements": policy.requirements, "outputs": policy.outputs}
    return {f"{name}/{i}": demand for name, demands in lists.items() for i, demand in enumerate(demands)}


def _of_queries(policy: Policy) -> dict[str, BaseModel]:
    return {} if policy.queries is None else {"queries/limits": policy.queries.limits}


def _largest(policy: Policy, demands: Mapping[str, BaseModel]) -> int | None:
    """A bound that came from the environment is kept secret, so what is hidden may not tell it."""
    found = (least for path, demand in demands.items() for least in least_people(demand, path))
    return max((people for path, people in found if path not in policy.secret_names), default=None)
