"""The methods of a policy, bound to the columns of a table and applied one after the other."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import numpy as np

from auditor.errors import DataError, InternalError, OutOfMemory, UsageError
from auditor.microdata import Microdata, Numeric
from auditor.policy.applied import Applied, bound
from auditor.stages import tell

__all__ = ["Applied", "bound", "masked", "seed_of"]

SEED_BITS = 256
"""What a seed of fresh randomness has: nobody finds it by trying."""


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
    for done, (applied, stream) in enumerate(zip(methods, streams, strict=True)):
        tell(done, len(methods), "methods")
        try:
            after = applied.method.masked(data, np.random.default_rng(stream))
        except MemoryError:
            raise OutOfMemory(f"{applied.name}: the table is too large to be masked in memory") from None
        _check(applied, data, after)
        data = after
    return data


def _check(applied: Applied, before: Microdata, after: Microdata) -> None:
    """A method must give back the same columns of the same records, and a value for each that it does not suppress."""
    if after.names != before.names or after.records != before.records:
        raise InternalError(f"{applied.name}: the masked table has other columns or records")
    for variable in after.variables:
        if isinstance(variable, Numeric) and np.isinf(variable.values).any():
            raise DataError(
                f"{applied.name}: masked values of column {variable.name!r} are beyond the largest number that can be "
                "written; other parameters are needed"
            )
    kept = ~applied.method.suppressible(before)
    for name in applied.method.attributes:
        if (kept & after[name].missing & ~before[name].missing).any():
            raise DataError(
                f"{applied.name}: values of column {name!r} were lost, although the method suppresses nothing; "
                "other parameters are needed"
            )
