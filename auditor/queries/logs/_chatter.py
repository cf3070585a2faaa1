"""Statements that answer with nothing of the data, whatever it holds: the only ones that an audit passes over.

The list is explicit. What is not on it reaches the reader of SQL, which refuses what it cannot audit.
"""

from __future__ import annotations

import re

from auditor.queries.logs._catalog import HARMLESS_SETTINGS, asks_for_names

_COMMENTS = re.compile(r"(?:\s|--[^\n\r]*(?:[\n\r]|\Z)|/\*(?!!)(?:(?!/\*).)*?\*/)*", re.DOTALL)
"""What may stand before a statement; not comments in comments, which only some dialects know."""
_SILENT = re.compile(
    r"""(?:
        begin | start\s+transaction | commit | end | rollback | abort | savepoint | release
      | reset | show | discard | deallocate | listen | unlisten | close | vacuum | analyze | checkpoint
      | set\s+(?:(?:session|local)\s+)?(?:
            (?:transaction | characteristics | role | authorization | constraints | names | schema)\b
          | (?P<setting>\w+)\s*(?:=|\bto\b)
        )
    )(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
_PREPARE = re.compile(r"prepare\s", re.IGNORECASE)
_READS = re.compile(
    r"\b(?:select|with|table|values|execute|call|fetch|copy|do|explain|returning|verbose)\b", re.IGNORECASE
)
_COPY = re.compile(r"\s*copy\s*\((.*)\)\s*to\s+stdout\b[^;]*", re.IGNORECASE | re.DOTALL)
_CLIENT = re.compile(r"\\(?:timing|pset|x|a|t|q|echo|qecho|set|unset|encoding|conninfo|c|connect)\b")


def answers_nothing(sql: str) -> bool:
    """Whether a single statement (or client command) answers with nothing of the data.

    >>> answers_nothing("BEGIN"), answers_nothing("/* x */ set search_path = hr"), answers_nothing("SELECT x FROM t")
    (True, True, False)
    >>> answers_nothing("SET @x = (SELECT sum(salary) FROM staff)")
    False
    """
    text = sql[_leading(sql) :]
    if _PREPARE.match(text) or _CLIENT.match(text):
        return True
    if silent := _SILENT.match(text):
        known = silent["setting"] is None or silent["setting"].lower() in HARMLESS_SETTINGS
        return known and _READS.search(text) is None
    return asks_for_names(text)


def copied(sql: str) -> str:
    """The query whose rows a ``COPY (…) TO STDOUT`` sends, which is how some drivers ask; else the statement itself.

    >>> copied("COPY (SELECT sum(salary) FROM staff) TO STDOUT (FORMAT binary)")
    'SELECT sum(salary) FROM staff'
    """
    found = _COPY.fullmatch(sql)
    return sql if found is None else found[1].strip()


def _leading(sql: str) -> int:
    found = _COMMENTS.match(sql)
    return found.end() if found else 0
