"""Requirements on columns: what must not be in a release, and what a column may hold."""

from __future__ import annotations

from auditor.engines import DELETED, FOREIGN, Allowed, ColumnUse, Source, is_named
from auditor.errors import NotEvaluated
from auditor.hierarchies import hierarchy, ladder_spec
from auditor.judge import Evidence, decided, of_columns
from auditor.models import ColumnRequirement
from auditor.policy import Attribute, Binding
from auditor.result import RequirementResult, Status

UNREAD = (
    "the data's folder holds {} that no reader can read (hidden files, other formats, links), so it is not known what "
    "would be released; remove them, or name those that are not part of the release under not_released"
)
UNREAD_TABLES = (
    "the database file also holds {} that nobody judges, so it is not known what would be released; release a file "
    "with one table, or name those that are not part of the release under not_released"
)
UNREAD_ROWS = (
    "the database file still holds deleted rows, which anyone who gets it can read; VACUUM it (DuckDB: COPY FROM "
    "DATABASE into a new file), or release the table in a file of its own"
)
UNREAD_PARTS = (
    "the file holds {} that nobody judges (sheets, comments, links); save the table alone, or name the rest under "
    "not_released"
)
DATABASES = ("duckdb", "sqlite")
MOST_NAMED = 20
"""So many files are named to the internal audience."""


def forbidden_columns(binding: Binding, *, before_release: bool, dropped: str | None = None) -> list[RequirementResult]:
    """What is said of identifiers and free text in a release, and of columns that the policy does not name."""
    found = []
    identifiers = tuple(column for column in binding.identifiers if column != dropped)
    if identifiers and not before_release:
        found.append(of_columns("identifiers", "identifiers", identifiers))
    if binding.undeclared and binding.policy.undeclared == "fail":
        found.append(of_columns("undeclared", "undeclared", binding.undeclared))
    return found


def unread(source: Source, not_released: tuple[str, ...]) -> list[RequirementResult]:
    """What is said where files lie beside the data that no reader can read, and that nobody names."""
    left = [name for name in source.facts.unread if not is_named(name, not_released)]
    if not left:
        return []
    more = [f"and {len(left) - MOST_NAMED} more"] if len(left) > MOST_NAMED else []
    result = RequirementResult(
        id="unread",
        model="unread",
        parameters={},
        severity="error",
        status=Status.NOT_EVALUATED,
        demand="all can be read",
        details=(*map(repr, left[:MOST_NAMED]), *more),
    )
    return [decided(result, [Evidence(broken=False, open=_reason(source, left))])]


def _reason(source: Source, left: list[str]) -> str:
    tables = source.facts.format in DATABASES
    number = len(left) - (tables and DELETED in left)
    if not number:
        return UNREAD_ROWS
    if source.facts.format in FOREIGN:
        return UNREAD_PARTS.format(f"{number} parts" if number > 1 else "a part")
    one, several = ("a table or view", "tables and views") if tables else ("a file", "files")
    return (UNREAD_TABLES if tables else UNREAD).format(f"{number} {several}" if number > 1 else one)


def not_complying(source: Source, requirement: ColumnRequirement, attribute: Attribute) -> int:
    """How many records hold a value that the requirement does not allow."""
    use = ColumnUse(requirement.attribute, attribute.missing)
    if requirement.least_level is not None:
        return _too_fine(source, use, requirement, requirement.least_level, attribute)
    return source.outside(use, Allowed(**requirement.conditions, missing=not requirement.forbids_missing))


def _too_fine(source: Source, use: ColumnUse, requirement: ColumnRequirement, least: int, attribute: Attribute) -> int:
    """Records whose value stands below the level; a missing value says nothing, so it complies."""
    if attribute.hierarchy is None:
        raise NotEvaluated(f"{requirement.attribute!r} has no hierarchy, so it has no levels")
    ladder = hierarchy(ladder_spec(attribute.hierarchy))
    labels, counts = source.dictionary(use)
    levels = [least if label is None else ladder.level_of(label) for label in labels]
    return sum(int(count) for level, count in zip(levels, counts, strict=True) if level is None or level < least)
