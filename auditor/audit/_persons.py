"""Columns that look as if they named a person, and have a role that says they do not.

A doubt, never a verdict: some rows are looked at, and a wildcard such as ``"*": insensitive`` may have meant the
column. It is told by its name and by what it looks like; a name that is itself such a value is told by its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from auditor.audit._run import AuditRun
from auditor.engines import Column, ColumnUse
from auditor.errors import DataError, Unsupported
from auditor.looks import IDENTIFYING, KEYS, NAMES, NEARLY_UNIQUE, look_of, words
from auditor.result import Finding

ROWS = 1000
"""So many rows are looked at."""
CELLS = 200_000
"""And of very wide tables so many values at a time."""
LONGEST = 200
"""And so many characters of each: what names a person is short."""
YES_OR_NO = 2
"""A column with no more values says whether there is an e-mail address, and not which."""
TEXTS = ("VARCHAR", "ENUM", "UUID")
WHOLE = ("INT", "BIGINT", "SMALLINT", "TINYINT", "HUGEINT", "UINT", "UBIGINT", "USMALLINT", "UTINYINT", "UHUGEINT")
FEWEST = 20
"""Values that differ in so many records and more are hardly so by chance."""
REACHED = ("insensitive", "quasi-identifier", "sensitive")
NOT_LOOKED_AT = (
    "Columns were not checked for values that name a person, because rows cannot be fetched: only the policy says what "
    "each column is."
)


def names_of_persons(run: AuditRun) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """What is to be told of columns that look like identifiers and are not called so, and what that takes for granted.

    A column that is called insensitive is told whatever identifier it looks like; where no attribute names it exactly,
    by its name, or as a key, which has another value in each record, too. One that is a quasi-identifier or sensitive
    is told where its values name one person wherever they stand.
    """
    wanted = [
        column
        for column in run.source.columns
        if column.usable
        and column.name != run.dropped
        and column.name in run.binding.roles
        and run.binding.roles[column.name].role in REACHED
        and (_is_text(column) or _is_swept(run, column.name))
    ]
    try:
        told = tuple(_told(run, wanted))
    except (DataError, Unsupported) as error:
        # What could be judged without looking stays judged; a limit that was reached is still one.
        if type(error) not in (DataError, Unsupported):
            raise
        return (), (NOT_LOOKED_AT,)
    return told, ()


def _is_text(column: Column) -> bool:
    return column.type.upper().startswith(TEXTS)


def _is_swept(run: AuditRun, name: str) -> bool:
    """Whether a column is called insensitive, and nobody has said so by its name."""
    return name not in run.policy.attributes and run.binding.roles[name].role == "insensitive"


def _told(run: AuditRun, columns: Sequence[Column]) -> Iterator[Finding]:
    step = CELLS // ROWS
    for start in range(0, len(columns), step):
        part = columns[start : start + step]
        uses = [ColumnUse(column.name, run.binding.roles[column.name].missing) for column in part]
        for column, values in zip(part, run.source.some(uses, ROWS, LONGEST), strict=True):
            what = _what(run, column, Counter(value for value in values if value is not None))
            if what is not None:
                role = run.binding.roles[column.name].role
                yield Finding(
                    message=f"{_shown(run, column.name)} is {_article(role)}, and {what}. A column that names a "
                    "person is an identifier, and no release may hold one; declare the column under attributes "
                    "with its role.",
                    level="warning",
                )


def _what(run: AuditRun, column: Column, counts: Counter[str]) -> str | None:
    """What a column looks like; None where that is no reason to doubt its role."""
    look = look_of(list(counts), list(counts.values())) if _is_text(column) else None
    insensitive = run.binding.roles[column.name].role == "insensitive"
    if look is not None and (look.person or (insensitive and look in IDENTIFYING)):
        return f"its values look like {look.name}"
    if not _is_swept(run, column.name):
        return None
    if words(column.name) & NAMES and len(counts) > YES_OR_NO:
        return "its name says that it names a person"
    if (_is_text(column) or column.type.upper().startswith(WHOLE)) and _is_key(column.name, counts):
        return "nearly every record has a unique value"
    return None


def _is_key(name: str, counts: Counter[str]) -> bool:
    """Whether the values differ, as those of a key do: most of them where the name says so, else all of many."""
    records = counts.total()
    if words(name) & KEYS:
        return len(counts) > 1 and len(counts) >= NEARLY_UNIQUE * records
    return len(counts) == records >= FEWEST


def _shown(run: AuditRun, name: str) -> str:
    """A column by its name, or by its place where the name may be the first value of a file without a header."""
    if look_of([name], [1]) is None:
        return f"Column {name!r}"
    return f"Column {run.columns.index(name) + 1}"


def _article(role: str) -> str:
    return "a quasi-identifier" if role == "quasi-identifier" else role
