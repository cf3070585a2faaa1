"""What statements mean differently in different databases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from auditor.errors import UsageError, nearest


@dataclass(frozen=True)
class SqlDialect:
    """A database's reading of SQL, as far as the exact subset depends on it.

    `schema` is where an unqualified table stands. `backslash_escapes`: a backslash escapes in LIKE without ESCAPE.
    `like_folds`: LIKE takes no notice of the case of ASCII letters. `whole_division`: an integer divided by an integer
    is cut to one. `nulls`: where the missing value stands in ascending order.
    """

    name: str
    schema: str
    backslash_escapes: bool
    like_folds: bool
    whole_division: bool
    nulls: Literal["first", "last"]


_KNOWN = (
    SqlDialect("postgres", "public", backslash_escapes=True, like_folds=False, whole_division=True, nulls="last"),
    SqlDialect("duckdb", "main", backslash_escapes=False, like_folds=False, whole_division=False, nulls="last"),
    SqlDialect("sqlite", "main", backslash_escapes=False, like_folds=True, whole_division=True, nulls="first"),
)
DIALECTS = {dialect.name: dialect for dialect in _KNOWN}


def dialect_of(name: str) -> SqlDialect:
    """The dialect of a name.

    Raises:
        UsageError: it is not one whose meaning is known here.
    """
    if name not in DIALECTS:
        raise UsageError(
            f"the dialect {name!r} is not known{nearest(name, list(DIALECTS))}; known: {', '.join(DIALECTS)}"
        )
    return DIALECTS[name]
