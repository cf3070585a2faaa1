"""The policy file as a model, and what is known about a policy once it is loaded."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, PrivateAttr, SerializerFunctionWrapHandler, model_serializer, model_validator

from auditor.dialect import CsvDialect, DateForm, DecimalMark, ThousandsMark
from auditor.policy._canonical import canonical_json, effective, masked
from auditor.policy._section import Section, Tagged
from auditor.policy.attributes import Attribute, Role
from auditor.policy.base import Block, FileReference, Stricter
from auditor.policy.baseline import KnownFailure
from auditor.policy.file.nodes import Origin
from auditor.policy.file.secrets import CONFIDENTIAL
from auditor.policy.file.yaml_text import yaml_text
from auditor.policy.packs import Pack
from auditor.policy.terms import Terms
from auditor.policy.waivers import Waiver
from auditor.result import Citation, Location
from auditor.spec import Portion

if TYPE_CHECKING:
    from auditor.masking import Method as Protection
    from auditor.models import Requirement as AnyRequirement
    from auditor.policy.outputs import Output
    from auditor.policy.queries import Queries
    from auditor.policy.remediation import Remediation
    from auditor.policy.tradeoff import TradeoffBlock
else:
    AnyRequirement = Annotated[Any, Tagged("auditor.models", tag="model")]
    Output = Annotated[Any, Section("auditor.policy.outputs", "Output")]
    Protection = Annotated[Any, Tagged("auditor.masking", tag="method")]
    Queries = Annotated[Any, Section("auditor.policy.queries", "Queries")]
    Remediation = Annotated[Any, Section("auditor.policy.remediation", "Remediation")]
    TradeoffBlock = Annotated[Any, Section("auditor.policy.tradeoff", "TradeoffBlock")]


PATTERNS = "patterns"
"""The limit, among those on what is judged, of how much is counted."""
MOST_PATTERNS = 100_000_000
"""By default; a million take about a second and ten megabytes."""
WorkLimit = Annotated[int, Field(ge=1, strict=True)]


class Unit(Block):
    """Whom the numbers count: distinct values of a column. A plain string is the column."""

    SHORTHAND: ClassVar[str | None] = "column"

    column: Annotated[str, Stricter.REVIEW] = Field(min_length=1, description="The column that names a person.")
    rows: Annotated[Literal["many-per-unit", "one-per-unit"], Stricter.REVIEW] = Field(
        "many-per-unit", description="one-per-unit: each row is a person, the column need not be in the data."
    )


class ReadingBlock(Block):
    """How numbers and days are written in CSV files, where not as 1234.5 and 2026-02-10.

    In a policy, and in whatever is said of the data, they are written as usual.
    """

    decimal: Annotated[DecimalMark | None, Stricter.REVIEW] = Field(
        None, description="The mark before the decimals, a point if not given."
    )
    thousands: Annotated[ThousandsMark | None, Stricter.REVIEW] = Field(
        None, description="The mark between groups of three digits, none if not given."
    )
    dates: Annotated[DateForm | None, Stricter.REVIEW] = Field(None, description="How days are written.")

    @model_validator(mode="after")
    def _two_marks(self) -> ReadingBlock:
        if self.thousands is not None and self.thousands == (self.decimal or "."):
            raise ValueError(
                f"thousands: {self.thousands!r} is the decimal mark, too; as in {{decimal: ',', thousands: .}}"
            )
        return self


class PopulationBlock(Block):
    """A table of the population that the data is a sample of. A plain string is its file."""

    SHORTHAND: ClassVar[str | None] = "data"

    data: Annotated[str, FileReference(), Stricter.REVIEW] = Field(
        min_length=1, description="The file, relative to this one: quasi-identifiers as they are before a release."
    )
    counts: Annotated[str | None, Stricter.REVIEW] = Field(
        None, min_length=1, description="The column that says how many persons a row is about; by default one."
    )


class SampleBlock(Block):
    """How the data was drawn from the population: what is said once for every requirement that reads it."""

    weights: Annotated[str | None, Stricter.REVIEW] = Field(
        None, min_length=1, description="The column of sampling weights: how many persons a record stands for."
    )
    households: Annotated[str | None, Stricter.REVIEW] = Field(
        None, min_length=1, description="The column that names the household of a record."
    )
    fraction: Annotated[Portion | None, Stricter.REVIEW] = Field(
        None, gt=0, le=1, description="Which share of the population the sample is, drawn at random."
    )
    population: Annotated[PopulationBlock | None, Stricter.NESTED] = Field(
        None, description="A table of the population, for the requirements that hold classes against it."
    )


class RiskBlock(Block):
    """How risk is reported."""

    threshold: Annotated[float, Stricter.LOWER] = Field(
        0.2, gt=0, le=1, description='Records whose risk 1/|E| is above it are "at risk".'
    )


class UtilityFloor(Block):
    """What a release must keep: the short spelling of the requirement on blank columns, which loading makes of it."""

    KEY: ClassVar[str] = "min_utility"
    MODEL: ClassVar[str] = "max-blank-columns"

    blank_columns: Annotated[int, Stricter.LOWER] = Field(
        ge=0, description="How many quasi-identifiers may hold the same value in every record."
    )


class ContractPlace(Block):
    """Where a data contract says what the columns are. A plain string is the file."""

    SHORTHAND: ClassVar[str | None] = "file"

    file: Annotated[str, Stricter.REVIEW] = Field(
        min_length=1, description="The contract's file, relative to this one."
    )
    table: Annotated[str | None, Stricter.REVIEW] = Field(
        None, min_length=1, description="The table's name in it; not needed where it has only one."
    )


@dataclass(frozen=True)
class LoadFacts:
    """What loading found out about a policy and its file does not say."""

    file: str | None = None
    path: Path | None = None
    origins: dict[str, Origin] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    extends_chain: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    sources: tuple[Path, ...] = ()


class Policy(Block):
    """What a release must satisfy: a policy file with everything that it extends."""

    version: Annotated[Literal[1], Stricter.NEUTRAL] = Field(1, description="Version of the policy language.")
    name: Annotated[str, Stricter.NEUTRAL] = Field(
        "policy", pattern=r"^[A-Za-z0-9-]+$", max_length=200, description="Letters, digits, hyphens."
    )
    description: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="What the release is for.")
    pack: Annotated[Pack | None, Stricter.NEUTRAL] = Field(
        None, description="Where a starter pack has its figures from."
    )
    extends: Annotated[tuple[str, ...], Stricter.NEUTRAL] = Field(
        (), description="Starter packs by name, or policy files relative to this one; later wins, lists merge by id."
    )
    at_least: Annotated[tuple[str, ...], Stricter.SUPERSET] = Field(
        (), description="Policies, as in extends, that this one must be at least as strict as, or it does not load."
    )
    contract: Annotated[ContractPlace | None, Stricter.NESTED] = Field(
        None, description="A data contract, or a file of dbt; no column that it calls personal may be insensitive here."
    )
    owner: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="Who answers for the policy.")
    unit: Annotated[Unit | None, Stricter.REVIEW] = Field(
        None, description="What k counts if one person has several rows; by default rows."
    )
    attributes: Annotated[dict[str, Attribute], Stricter.NESTED] = Field(
        {}, description="The columns by name or glob, with their roles; the exact name wins."
    )
    undeclared: Annotated[Literal["fail"] | Role, Stricter.REVIEW] = Field(
        "fail", description="fail, or the role of a column that the policy does not name."
    )
    not_released: Annotated[tuple[str, ...], Stricter.SUBSET] = Field(
        (),
        description="Files in the data's folder that no reader can read, or tables and views of its database "
        "file, that "
        "are not part of the release; globs.",
    )
    missing: Annotated[Literal["value", "wildcard", "reject"], Stricter.REVIEW] = Field(
        "value", description="What a missing value is: a value like others, a wildcard, or an error."
    )
    reference: Annotated[
        Literal["released", "original"] | Annotated[str, FileReference(), Field(min_length=1)], Stricter.REVIEW
    ] = Field("released", description="Where the reference distribution comes from: released, original, or a file.")
    reading: Annotated[ReadingBlock | None, Stricter.REVIEW] = Field(
        None, description="How numbers and days are written in CSV files."
    )
    sample: Annotated[SampleBlock | None, Stricter.NESTED] = Field(
        None, description="How the data was drawn from the population, for the requirements that read it."
    )
    risk: Annotated[RiskBlock, Stricter.NESTED] = Field(RiskBlock(), description="How risk is reported.")
    spill: Annotated[Literal["never", "encrypted"] | None, Stricter.HIGHER] = Field(
        None,
        description="Data that does not fit into memory goes to a disk: never, encrypted, or (default) in the clear.",
    )
    requirements: Annotated[tuple[AnyRequirement, ...], Stricter.SUPERSET] = Field((), description="What must hold.")
    min_utility: Annotated[UtilityFloor | None, Stricter.NESTED] = Field(
        None, description="What a release must keep; read as a max-blank-columns requirement."
    )
    remediation: Annotated[Remediation | None, Stricter.NESTED] = Field(
        None, description="How remediation searches for a release."
    )
    protection: Annotated[tuple[Protection, ...], Stricter.NESTED] = Field(
        (), description="Masking methods, applied in order."
    )
    tradeoff: Annotated[TradeoffBlock | None, Stricter.NEUTRAL] = Field(
        None, description="What masking methods are also weighed by; no verdict depends on it."
    )
    queries: Annotated[Queries | None, Stricter.NESTED] = Field(None, description="What a query log may tell.")
    outputs: Annotated[tuple[Output, ...], Stricter.SUPERSET] = Field((), description="What mining outputs may tell.")
    limits: Annotated[dict[str, Terms | WorkLimit], Stricter.NESTED] = Field(
        {},
        description="On what terms limits of queries and outputs hold, by the ids that results print; and with "
        "`patterns` how many patterns of an attacker with bounded knowledge may be counted.",
    )
    waivers: Annotated[tuple[Waiver, ...], Stricter.SUBSET] = Field(
        (), description="Accepted, time-limited exceptions, or a file that holds them."
    )
    baseline: Annotated[tuple[KnownFailure, ...], Stricter.SUBSET] = Field(
        (), description="What already failed when the policy was adopted, or a file that holds it."
    )

    _loaded: LoadFacts = PrivateAttr(default_factory=LoadFacts)

    @model_serializer(mode="wrap")
    def _without_secrets(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped: dict[str, Any] = masked(handler(self), self._loaded.secrets, lambda _: CONFIDENTIAL)
        return dumped

    @property
    def terms(self) -> dict[str, Terms]:
        """On what terms limits hold, by their ids."""
        return {name: terms for name, terms in self.limits.items() if isinstance(terms, Terms)}

    @property
    def most_patterns(self) -> int:
        """How many patterns of an attacker with bounded knowledge may be counted."""
        said = self.limits.get(PATTERNS)
        return said if isinstance(said, int) else MOST_PATTERNS

    def dialect(self, csv: CsvDialect | None = None) -> CsvDialect:
        """How CSV files are read under this policy, whatever `csv` leaves open."""
        own = self.reading or ReadingBlock()
        return (csv or CsvDialect()).filled(own.decimal, own.thousands, own.dates)

    def __repr__(self) -> str:
        return f"Policy({self.name!r}, sha256={self.sha256[:12]!r})"

    __str__ = __repr__

    @property
    def file(self) -> str | None:
        """The file the policy was read from, relative to the current directory or the repository."""
        return self._loaded.file

    @property
    def path(self) -> Path | None:
        """The resolved file that the policy was read from: two files may be shown alike in `file`."""
        return self._loaded.path

    @property
    def extends_chain(self) -> tuple[str, ...]:
        """The files that the policy inherits from, nearest first."""
        return self._loaded.extends_chain

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The sources of the figures in its starter packs."""
        return self._loaded.citations

    @property
    def sha256(self) -> str:
        """The digest of the effective policy as canonical JSON: sorted keys, defaults filled in, waivers excluded."""
        return hashlib.sha256(self.canonical_json().encode()).hexdigest()

    def effective(self) -> dict[str, Any]:
        """The effective policy as plain values that load again, as in the file: secrets by their variables."""
        named: dict[str, Any] = masked(
            effective(self, self.secret_names), self.secret_names, lambda name: {"secret": name}
        )
        return named

    def canonical_json(self) -> str:
        """The effective policy as one line of JSON that depends on no path and no formatting; secrets by name."""
        return canonical_json(self, self.secret_names)

    def to_yaml(self) -> str:
        """The effective policy as YAML that loads again; secrets are shown as "confidential"."""
        return yaml_text(effective(self, self.secret_names))

    def origin(self, path: str) -> Origin | None:
        """Where a value was written: ``origin("requirements/0/k")``; None for a default."""
        return self._loaded.origins.get(path)

    def nearest(self, path: str) -> Origin | None:
        """Where a value, or the nearest block around it, was written; None if all of it is a default."""
        while path and path not in self._loaded.origins:
            path = path.rpartition("/")[0]
        return self.origin(path)

    def location(self, path: str) -> Location | None:
        """The line that `nearest` finds."""
        origin = self.nearest(path)
        return None if origin is None else Location(file=origin.file, line=origin.line)

    def is_secret(self, path: str) -> bool:
        """Whether a value, or part of it, came from the environment and must therefore not be shown."""
        return any(each == path or each.startswith(f"{path}/") for each in self._loaded.secrets)

    @property
    def origin_paths(self) -> tuple[str, ...]:
        """The paths of all values that were written somewhere."""
        return tuple(self._loaded.origins)

    def confidential(self, requirement_id: str) -> frozenset[str]:
        """The names of the fields of a requirement, or of a rule on outputs, that must not be shown.

        They came from the environment. A rule without an id is named by its type.
        """
        places = [f"requirements/{i}/" for i, r in enumerate(self.requirements) if r.id == requirement_id]
        places += [f"outputs/{i}/" for i, rule in enumerate(self.outputs) if (rule.id or rule.type) == requirement_id]
        return frozenset(
            path.removeprefix(place).split("/")[0]
            for place in places
            for path in self._loaded.secrets
            if path.startswith(place)
        )

    @property
    def secret_names(self) -> dict[str, str]:
        """The environment variable behind each secret value, by the place of the value."""
        return dict(self._loaded.secrets)

    def file_at(self, path: str) -> Path | None:
        """The resolved file behind a file name of the policy: ``file_at("requirements/0/matrix")``."""
        return self._loaded.files.get(path)

    @property
    def referenced_files(self) -> tuple[Path, ...]:
        """The resolved files that values of the policy name."""
        return tuple(self._loaded.files.values())

    @property
    def sources(self) -> tuple[Path, ...]:
        """Every resolved file that was read for the policy: itself, its bases and floors, what these name."""
        return tuple(dict.fromkeys((*self._loaded.sources, *self.referenced_files)))

    @property
    def reference_file(self) -> Path | None:
        """The resolved file of the reference table, if `reference` names one."""
        return self.file_at("reference")

    @property
    def population_file(self) -> Path | None:
        """The resolved file of the population, if `sample` names one."""
        return self.file_at("sample/population/data")

    @property
    def reads_population(self) -> bool:
        """Whether a requirement holds the data against the population."""
        return any(each.reads_population for each in self.requirements)

    def blocks(self) -> tuple[str, ...]:
        """The blocks other than requirements that are present, to report what a command does not judge."""
        return tuple(name for name in ("queries", "outputs", "protection", "remediation") if getattr(self, name))
