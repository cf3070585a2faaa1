"""The audited table as statements see it: its name, its public columns, its protected ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditor.dialect import CsvDialect
from auditor.engines import RunLimits, Source
from auditor.errors import DataError, UsageError, nearest
from auditor.policy.attributes import Attribute
from auditor.policy.binding import bind
from auditor.policy.schema import Policy
from auditor.queries.records.tables import JoinedTable, read_public_tables
from auditor.queries.values.values import Reading, is_floating, source_readings

_DECLARED: Mapping[str, tuple[Reading, ...]] = {
    "number": ("number",),
    "integer": ("number",),
    "boolean": ("boolean", "number"),
    "date": ("date",),
    "text": ("text",),
    "category": ("text", "number", "boolean"),
}


@dataclass(frozen=True)
class Schema:
    """Which columns the audited table has, and what each is to a statement.

    `types` are what a column's values can be read as, where the policy or the source says, and `floating` the columns
    whose numbers may be in floating point; `attributes` is what the policy says of the protected columns. `tables` are
    the public tables that may be joined.
    """

    table: str
    columns: tuple[str, ...]
    public: tuple[str, ...]
    protected: tuple[str, ...]
    types: Mapping[str, tuple[Reading, ...]] = field(default_factory=dict)
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    missing_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    floating: frozenset[str] = frozenset()
    key: str | None = None
    unit: str | None = None
    null_is_public: bool = True
    tables: Mapping[str, JoinedTable] = field(default_factory=dict)
    csv: CsvDialect | None = None
    """How the table's file writes numbers and days."""
    versions: tuple[str, str] | None = None
    """The columns that say since when and until when a row was valid."""


def schema_of(
    policy: Policy,
    source: Source,
    limits: RunLimits | None = None,
    versions: tuple[str, str] | None = None,
    csv: CsvDialect | None = None,
) -> Schema:
    """The schema that a policy gives to data; `versions` are columns of a history that was made of snapshots.

    `csv` is how the data was read.

    Raises:
        UsageError: the policy has no `queries`.
        DataError: the data lacks a column that `queries` names, nothing is protected, or a public table cannot be read.
    """
    queries = policy.queries
    if queries is None:
        raise UsageError("the policy has no block `queries`; say in it which columns are protected")
    types = {column.name: column.type for column in source.columns if column.usable}
    binding = bind(policy, list(types))
    protected = queries.protects if queries.protects is not None else binding.sensitive
    public = queries.public if queries.public is not None else binding.with_role("quasi-identifier", "insensitive")
    keys = [name for name in (queries.key, binding.unit) if name is not None]
    if versions is None and queries.versions is not None:
        versions = queries.versions.since, queries.versions.until
    for name in (*protected, *public, *keys, *(versions or ())):
        if name not in types:
            raise DataError(
                f"{source.facts.name}: has no column {name!r}{nearest(name, list(types))}; queries names it"
            )
    if not protected:
        declared = [name for name, attribute in policy.attributes.items() if attribute.role == "sensitive"]
        if declared:
            near = nearest(declared[0], list(types))
            raise DataError(f"{source.facts.name}: has no column {declared[0]!r}{near}, which the policy protects")
        raise DataError(
            "queries protects nothing; name columns under `protects`, or give attributes the role sensitive"
        )
    both = [name for name in queries.public or () if name in protected]
    if both:  # the policy's own check knows no patterns of names
        raise DataError(f"{source.facts.name}: column {both[0]!r} is listed under public, and the policy protects it")
    return Schema(
        table=queries.table,
        columns=tuple(types),
        public=tuple(name for name in public if name not in (*protected, *(versions or ()))),
        protected=tuple(protected),
        types={name: known for name in types if (known := _readings(binding.roles.get(name), types[name])) is not None},
        attributes={name: binding.roles[name] for name in protected if name in binding.roles},
        missing_values={name: attribute.missing_values for name, attribute in binding.roles.items()},
        floating=frozenset(name for name in types if is_floating(types[name])),
        key=queries.key,
        unit=binding.unit or (queries.key if versions is not None else None),
        null_is_public=queries.assume.null_is_public,
        tables=read_public_tables(policy, limits),
        csv=policy.dialect(csv),
        versions=versions,
    )


def _readings(attribute: Attribute | None, source_type: str) -> tuple[Reading, ...] | None:
    """What the policy says that values are, else what the source does; None where neither says."""
    if attribute is not None and attribute.type is not None:
        return _DECLARED[attribute.type]
    return source_readings(source_type)


def listed_values(attribute: Attribute | None) -> Sequence[str]:
    """The values that a policy declares of an attribute."""
    return attribute.order or () if attribute is not None else ()
