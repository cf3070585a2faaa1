"""The document of a dry run: a small one of its own, of facts and estimates, without a verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from auditor.engines import Known

SCHEMA_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class TableRead:
    """Data that would be read.

    `rows_known` says how well the rows are known: exact, estimated or unknown. `bytes` are all of its files,
    `bytes_read` those of the columns that are needed, once, where the format keeps them apart. `passes` names what goes
    through the data, in that order; each goes through all of it.
    """

    role: str
    source: str
    format: str
    files: int
    bytes: int | None
    rows: int | None
    rows_known: Known
    columns: int
    columns_read: tuple[str, ...]
    bytes_read: int | None
    passes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """A GROUP BY that would be asked: for which requirements, and how many classes it can have at most.

    Where an attacker knows `known` of the columns, one would be asked for each of so many `combinations` of them, and
    `classes_at_most` is how many patterns these can have together. Where the attacker knows so many `events` of a
    person, how many patterns there are follows from how many records a person has, which no metadata says.
    """

    by: tuple[str, ...]
    sensitive: str | None
    unit: str | None
    requirements: tuple[str, ...]
    classes_at_most: int | None
    known: int | None = None
    combinations: int = 1
    events: int | None = None


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Against `limit`, in bytes: what counting needs in the engine at most, what then goes to the disk, and batches.

    `engine` is the engine's share of the limit. `rows` is what rows in memory take, where a command needs them there.
    `spill` is what goes to the disk at most, and `spill_form` how the policy limits that (never, encrypted).
    """

    limit: int
    engine: int
    counting: int | None
    spill: int | None
    spill_form: str | None
    batches: int | None
    rows: int | None


@dataclass(frozen=True, kw_only=True)
class Move:
    """What would cross a network, or leave a server: rows and bytes at most, as far as they are known."""

    what: str
    rows: int | None
    bytes: int | None


@dataclass(frozen=True, kw_only=True)
class ReleaseEstimate:
    """A release that would be written, if it met the policy: at most so many rows, about so many bytes."""

    file: str | None
    rows_at_most: int | None
    bytes_about: int | None


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """What a command would do. `not_evaluated` names requirements that it could not judge, and why."""

    schema_version: int = SCHEMA_VERSION
    tool: str
    command: str
    dry_run: bool = True
    policy: str
    policy_sha256: str
    engine: str
    tables: tuple[TableRead, ...]
    groupings: tuple[Grouping, ...]
    memory: Memory
    moved: tuple[Move, ...]
    written: ReleaseEstimate | None
    not_evaluated: dict[str, str]
    assumptions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The document as plain values."""
        return asdict(self)
