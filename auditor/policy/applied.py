"""The masking methods of a policy, bound to the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import filter as matching
from typing import Any

from pydantic import ValidationError

from auditor.errors import DataError, nearest
from auditor.masking import Method
from auditor.policy.binding import is_glob
from auditor.policy.facts import method_parameters
from auditor.policy.schema import Policy


@dataclass(frozen=True)
class Applied:
    """A method on the columns of one table, and what may be shown of its parameters."""

    method: Method
    name: str
    parameters: dict[str, Any]
    confidential: frozenset[str] = frozenset()
    """The parameters whose values, or some of whose values, the policy takes from the environment."""


def bound(policy: Policy, columns: Sequence[str]) -> tuple[Applied, ...]:
    """The methods of a policy in their order, their globs replaced by the columns that they match.

    Raises:
        DataError: a method names a column that the table does not have, or a glob that matches none; or it cannot be
            applied to the columns that a glob stands for.
    """
    return tuple(_bound(policy, place, method, columns) for place, method in enumerate(policy.protection))


def _bound(policy: Policy, place: int, method: Method, columns: Sequence[str]) -> Applied:
    named = dict.fromkeys(column for each in method.attributes for column in matched(method.name, each, columns))
    if tuple(named) != method.attributes:
        own = {field: getattr(method, field) for field in type(method).model_fields}
        try:
            method = type(method)(**{**own, "attributes": tuple(named)})
        except ValidationError as wrong:
            raise DataError(
                f"{method.name}: cannot be applied to the matching columns: {wrong.errors()[0]['msg']}"
            ) from None
    return Applied(method, method.name, method_parameters(policy, place), _confidential(policy, place))


def matched(who: str, name: str, columns: Sequence[str]) -> list[str]:
    """The columns that a name or a glob stands for; the exact name wins.

    Raises:
        DataError: there is none; `who` names it.
    """
    if name in columns:
        return [name]
    found = [column for column in columns if is_glob(name) and column in matching([column], name)]
    if not found:
        raise DataError(f"{who}: the data has no column {name!r}{nearest(name, columns)}")
    return found


def _confidential(policy: Policy, place: int) -> frozenset[str]:
    """The parameters that hold a secret, also where it is a value that a sweep tries."""
    paths = [path.split("/") for path in policy.secret_names if path.startswith(f"protection/{place}/")]
    return frozenset(path[3] if path[2] == "sweep" else path[2] for path in paths)
