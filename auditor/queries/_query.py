"""What a log asks, once its SQL is read.

Every number that a statement answers with is either linear in unknowns (`Linear`), the extreme of some (`Extreme`), or
says nothing about a protected value (`Public`). What cannot be read exactly is `Refused`, and never counts as safe.

Records that agree on every public column, and on which of their protected values are missing, are in the same query
sets; they form a *profile*, and everything here is said of profiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from auditor.classes import IntArray
from auditor.errors import UsageError
from auditor.values import is_unicode

BoolArray = NDArray[np.bool_]
_BITS = 32
"""A place is kept in so many bits."""


@dataclass(frozen=True, order=True)
class Quantity:
    """An unknown number of every record, 0 where its value is missing.

    Its value of a protected column (a boolean is 0 or 1); with `value`, 1 where it has that one and 0 elsewhere; with
    `presence`, 1 where it has any, for a column of which nobody knows what is missing.
    """

    attribute: str
    value: str | None = None
    presence: bool = False


@dataclass(frozen=True)
class Weights:
    """Coefficients of p profiles.

    `stored` is int64[p]; or where all are 0 or 1 their bits in uint8, or in int32 the places of the few that are 1.
    """

    stored: IntArray | NDArray[np.uint8] | NDArray[np.int32]
    length: int

    @classmethod
    def of(cls, coefficients: BoolArray | IntArray) -> Weights:
        """Keep bool[p] or int64[p]."""
        if coefficients.dtype == np.bool_:
            if np.count_nonzero(coefficients) * _BITS < len(coefficients):
                return cls(np.flatnonzero(coefficients).astype(np.int32), len(coefficients))
            return cls(np.packbits(coefficients.view(np.uint8)), len(coefficients))
        return cls(coefficients.astype(np.int64), len(coefficients))

    def dense(self) -> BoolArray | IntArray:
        """bool[p] or int64[p], as given."""
        if self.stored.dtype == np.int32:
            found = np.zeros(self.length, dtype=np.bool_)
            found[self.stored] = True
            return found
        if self.stored.dtype == np.uint8:
            return np.unpackbits(self.stored.view(np.uint8), count=self.length).view(np.bool_)
        return self.stored.view(np.int64)

    def places(self) -> NDArray[np.integer]:
        """Where they are not 0, ascending."""
        return self.stored if self.stored.dtype == np.int32 else np.flatnonzero(self.dense())


@dataclass(frozen=True)
class Linear:
    """constant + scale · Σ over quantities q and records i of weights[q][profile of i] · q(i).

    An average over n contributing records has the scale 1/n. Each of `counts` is how many rows put something into one
    of the sums, which nobody knows beforehand: the answer is NULL where one of them comes to 0. So an answer tells
    something of whoever could contribute, with whatever weight, 0 included.
    """

    weights: Mapping[Quantity, Weights]
    scale: Fraction = Fraction(1)
    constant: Fraction = Fraction(0)
    counts: tuple[Linear, ...] = ()


@dataclass(frozen=True)
class Extreme:
    """The largest or smallest value of a quantity in the query set."""

    which: Literal["max", "min"]
    quantity: Quantity
    members: Weights


@dataclass(frozen=True)
class Public:
    """A number that everybody can compute who knows the public columns."""


@dataclass(frozen=True)
class Refused:
    """A construct that cannot be audited exactly: its stable name, and where it stands in the statement."""

    construct: str
    where: str | None = None


Aggregate = Linear | Extreme | Public | Refused
"""What a query asks for, once its SQL is read."""


@dataclass(frozen=True)
class Statement:
    """One entry of a log. `answer` is the answer that the log states, if any; a `failed` statement returned nothing."""

    number: int
    sql: str
    user: str | None = None
    time: str | None = None
    parameters: tuple[str | None, ...] = ()
    answer: str | None = None
    failed: bool = False


def check_texts(statement: Statement) -> None:
    """Refuse what is no text, or none that can be written down.

    Raises:
        UsageError: the statement, its user, its time or a parameter is no text in Unicode.
    """
    texts = (statement.sql, statement.user or "", statement.time or "", *(each or "" for each in statement.parameters))
    if not all(isinstance(text, str) and is_unicode(text) for text in texts):
        raise UsageError("a statement, its user, its time and its parameters are texts; write numbers as texts, too")


@dataclass(frozen=True)
class Query:
    """One number that was asked for.

    `index` names it: the statement's number, ``.g`` for the g-th group of a GROUP BY in key order, ``:c`` for the c-th
    column that aggregates where a statement has several. `members` are the profiles of the records that contribute, and
    `query_set` how many records that are; both are empty for what was refused. `averages` says that the statement takes
    an average: by its words, because of one person the sum is the average.
    """

    index: str
    statement: Statement
    asked: Aggregate
    members: Weights | None = None
    query_set: int | None = None
    averages: bool = False
