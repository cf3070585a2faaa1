"""Microdata of opened data: its rows in memory, as masking, risk and information loss work on them.

What a column is follows the same rule as everywhere: numbers where the policy says so, where the engine's type is
numeric, or, where the policy says neither a type nor an order, where every text is a number and no two texts are the
same one. All else are categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from auditor.audit._domains import kind_of
from auditor.dialect import OTHER_MARKS
from auditor.engines import Coded, Column, ColumnUse, RunLimits, Source
from auditor.errors import DataError, OutOfMemory
from auditor.microdata import LARGEST, Categorical, Microdata, Numeric, Variable
from auditor.policy import Attribute, Binding
from auditor.values import Values

BYTES_PER_VALUE = 8 + 4
"""What one value takes while its column is read: its number, beside its code."""
RECORD_BYTES = 120
VALUE_BYTES = 60
"""What a record, and each of its values, takes at the peak of masking and of measuring what was lost: codes, numbers
before and after, labels, and what the hungriest methods work with (correlated noise, MDAV, rank swapping), measured."""
_UNKNOWN = Attribute(role="insensitive")


def masking_bytes(records: int, columns: int) -> int:
    """About how many bytes masking takes in arrays at its peak: all records of the columns that its methods read."""
    return records * (RECORD_BYTES + VALUE_BYTES * columns)


def microdata(source: Source, binding: Binding, names: Sequence[str], limits: RunLimits) -> Microdata:
    """Some columns of opened data, row i the i-th row of the source.

    Args:
        source: the data.
        binding: the policy, bound to its columns; one that it does not name is read by what it holds.
        names: the columns, each once.
        limits: the memory that the rows have to fit in.

    Raises:
        DataError: there is no such column; or it is declared to be of numbers and is not, holds an infinity or an
            integer that float64 cannot tell from its neighbours, or a value that its ``order`` does not list.
        OutOfMemory: the rows do not fit the memory limit.
    """
    known = [column.name for column in source.columns]
    for name in names:
        if name not in known:
            raise DataError(f"{source.facts.name}: has no column {name!r}; it has {', '.join(map(repr, known))}")
    uses = [ColumnUse(name, binding.roles.get(name, _UNKNOWN).missing) for name in names]
    return microdata_of(source, binding, names, source.coded(uses), limits)


def microdata_of(source: Source, binding: Binding, names: Sequence[str], coded: Coded, limits: RunLimits) -> Microdata:
    """As `microdata`, of rows that were read and coded already, column by column as `names` are."""
    found = {column.name: column for column in source.columns}
    if len(coded.codes) * len(names) * BYTES_PER_VALUE > limits.memory:
        raise OutOfMemory(f"{source.facts.name}: its rows do not fit the memory limit; give a larger --memory")
    return Microdata(
        tuple(
            variable_of(
                found[name], binding.roles.get(name, _UNKNOWN), coded.codes[:, place], coded.dictionaries[place]
            )
            for place, name in enumerate(names)
        )
    )


def variable_of(
    column: Column, attribute: Attribute, codes: NDArray[np.int32], dictionary: Sequence[str | None]
) -> Variable:
    """One column, from the codes of its rows and the texts behind them (None, if any, stands first)."""
    absent = int(bool(dictionary) and dictionary[0] is None)
    texts = [str(text) for text in dictionary[absent:]]
    numbers = _numbers(column, attribute, texts)
    if numbers is None:
        return _categorical(column.name, attribute, codes - np.int32(absent), texts)
    return Numeric(column.name, np.concatenate(([np.nan] * absent, numbers))[codes])


def _numbers(column: Column, attribute: Attribute, texts: list[str]) -> NDArray[np.float64] | None:
    """The numbers that texts are; None where they are categories."""
    kind = kind_of(attribute)
    if kind == "text":
        return None
    declared = kind == "number" or column.number
    numbers = _parsed(texts)
    if numbers is None or np.isnan(numbers).any():
        if not declared:
            return None
        raise DataError(
            f"column {column.name!r} is declared type: number and holds values that are not numbers; declare the "
            f"texts that mean missing under missing_values, or type: category; {OTHER_MARKS}"
        )
    if not declared and (not texts or not np.isfinite(numbers).all() or not _all_differ(texts, numbers)):
        return None
    if not np.isfinite(numbers).all():
        raise DataError(f"column {column.name!r} holds an infinity, which a masked column of numbers cannot hold")
    if any(text.strip().lstrip("+-").isdigit() for text in np.array(texts)[np.abs(numbers) >= LARGEST].tolist()):
        raise DataError(
            f"column {column.name!r} holds integers of more than 15 digits, which masking cannot tell apart as "
            "numbers; declare type: category"
        )
    return numbers


def _parsed(texts: list[str]) -> NDArray[np.float64] | None:
    """float64[m]: the texts as the engine reads numbers; None where one is none."""
    if not all(map(str.isascii, texts)):
        return None
    try:
        return np.array([float(text) for text in texts], dtype=np.float64)
    except ValueError:
        return None


def _all_differ(texts: list[str], numbers: NDArray[np.float64]) -> bool:
    """Whether no two texts are the same number: a code such as 01234 is then a text."""
    return len(np.unique(numbers)) == len(texts) or len({Decimal(text.strip()) for text in texts}) == len(texts)


def _categorical(name: str, attribute: Attribute, codes: NDArray[np.int32], texts: list[str]) -> Categorical:
    if not attribute.order:
        return Categorical(name, codes, tuple(texts))
    order = Values(attribute.order)
    places = [place for text in texts if (place := order.place(text)) is not None]
    if len(places) < len(texts):
        raise DataError(f"column {name!r} holds values that its order: does not list")
    listed = np.array([*places, -1], dtype=np.int32)
    return Categorical(name, listed[codes], attribute.order, ordered=True)
