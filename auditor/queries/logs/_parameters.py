"""Bind values as PostgreSQL logs them, and the statement behind an SQL-level ``EXECUTE``."""

from __future__ import annotations

import re

from auditor.queries.logs._split import pieces_of

Parameters = tuple[str | None, ...] | None
"""Values in order, None for NULL; None where the log does not hold them."""

_START = re.compile(r"parameters: ", re.IGNORECASE)
_ONE = re.compile(r"\$(\d+) = (?:(NULL)|'((?:[^']|'')*)')(?:, |\Z)", re.IGNORECASE)
_CUT = "..."
"""How ``log_parameter_max_length`` ends a value that it has cut; a value that ends so may have been."""
_PREPARED = re.compile(
    r"prepare:\s+prepare\s+(?:\"(?:[^\"]|\"\")+\"|\w+)\s*(?:\([^)]*\))?\s*as\s+(.*)", re.IGNORECASE | re.DOTALL
)
_EXECUTE = re.compile(r"execute\s+(?:\"(?:[^\"]|\"\")+\"|\w+)\s*(?:\((.*)\))?\s*;?\s*", re.IGNORECASE | re.DOTALL)
_LITERAL = re.compile(r"\s*(?:(null)|'((?:[^'\\]|'')*)'|([+-]?\d+(?:\.\d+)?|true|false))\s*(?:,|\Z)", re.IGNORECASE)


def bound(detail: str) -> Parameters:
    """The values that a detail names; none where it is empty; None where it is anything else, or a value was cut.

    >>> bound("parameters: $1 = 'O''Hara', $2 = NULL")
    ("O'Hara", None)
    """
    if not detail:
        return ()
    start = _START.match(detail)
    if start is None:
        return None
    return _listed(detail, start.end())


def _listed(detail: str, position: int) -> Parameters:
    values: list[str | None] = []
    while position < len(detail):
        match = _ONE.match(detail, position)
        if match is None or int(match[1]) != len(values) + 1:
            return None
        value = None if match[2] else match[3].replace("''", "'")
        if value is not None and value.endswith(_CUT):
            return None
        values.append(value)
        position = match.end()
    return tuple(values)


def executed(sql: str, detail: str) -> tuple[str, Parameters]:
    """A simple statement; an ``EXECUTE`` with plain literals becomes what was prepared, and its values."""
    prepared, call = _PREPARED.fullmatch(detail), _EXECUTE.fullmatch(sql)
    if prepared is None or call is None or len(pieces_of(prepared[1])) != 1:
        return sql, ()
    arguments, values, position = call[1] or "", [], 0
    while position < len(arguments):
        match = _LITERAL.match(arguments, position)
        if match is None:
            return sql, ()
        values.append(None if match[1] else match[3] or match[2].replace("''", "'"))
        position = match.end()
    return pieces_of(prepared[1])[0].text, tuple(values)
