"""The methods of a policy, bound to the columns of a table and applied one after the other."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import filter as matching
from typing import Any

import numpy as np
from pydantic import ValidationError

from auditor.errors import DataError, InternalError, OutOfMemory, UsageError, nearest
from auditor.masking import Method
from auditor.microdata import Microdata, Numeric
from auditor.policy import Policy
from auditor.policy.binding import is_glob
from auditor.policy.facts import method_parameters

SEED_BITS = 256
"""What a seed of fresh randomness has: nobody finds it by trying."""


@dataclass(frozen=True)
class Applied:
    """A method on the columns of one table, and what may be shown of its parameters."""

    method: Method
    name: str
    parameters: dict[str, Any]


def bound(policy: Policy, columns: Sequence[str]) -> tuple[Applied, ...]:
    """The methods of a policy in their order, their globs replaced by the columns that they match.

    Raises:
        DataError: a method names a column that the table does not have, or a glob that matches none; or it cannot be
            applied to the columns that a glob stands for.
    """
    return tuple(_bound(policy, place, method, columns) for place, method in enumerate(policy.protection))


def _bound(policy: Policy, place: int, method: Method, columns: Sequence[str]) -> Applied:
    named = dict.fromkeys(column for each in method.attributes for column in _named(method.name, each, columns))
    if tuple(named) != method.attributes:
        own = {field: getattr(method, field) for field in type(method).model_fields}
        try:
            method = type(method)(**{**own, "attributes": tuple(named)})
        except ValidationError as wrong:
            raise DataError(
                f"{method.name}: cannot be applied to the columns that match: {wrong.errors()[0]['msg']}"
            ) from None
    return Applied(method, method.name, method_parameters(policy, place))


def _named(method: str, name: str, columns: Sequence[str]) -> list[str]:
    """The columns that a name or a glob stands for; the exact name wins."""
    if name in columns:
        return [name]
    found = [column for column in columns if is_glob(name) and column in matching([column], name)]
    if not found:
        raise DataError(f"{method}: the data has no column {name!r}{nearest(name, columns)}")
    return found


def seed_of(seed: int | None) -> int:
    """The seed that was given, or fresh randomness that nobody else has.

    Raises:
        UsageError: it is negative.
    """
    if seed is None:
        return secrets.randbits(SEED_BITS)
    if seed < 0:
        raise UsageError("--seed: a seed is a whole number from 0")
    return seed


def masked(methods: Sequence[Applied], data: Microdata, seed: int) -> Microdata:
    """The table after every method, each with random numbers of its own.

    Raises:
        DataError: a method has no meaning for this data.
        OutOfMemory: there is not enough memory for it.
    """
    streams = np.random.SeedSequence(seed).spawn(len(methods))
    for applied, stream in zip(methods, streams, strict=True):
        try:
            after = applied.method.masked(data, np.random.default_rng(stream))
        except MemoryError:
            raise OutOfMemory(f"{applied.name}: the table is too large to be masked in memory") from None
        _check(applied, data, after)
        data = after
    return data


def _check(applied: Applied, before: Microdata, after: Microdata) -> None:
    """A method must give back the same columns of the same records."""
    infinite = any(np.isinf(v.values).any() for v in after.variables if isinstance(v, Numeric))
    if after.names != before.names or after.records != before.records or infinite:
        raise InternalError(f"{applied.name}: the masked table has other columns or records, or an infinity")
