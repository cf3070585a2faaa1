"""What an engine can do: open data, and count it once into class tables.

An engine never judges and never sees a policy. It delivers integers: how many records (or units) have which codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from auditor.classes import ClassTable, Domain, IntArray
from auditor.dialect import CsvDialect
from auditor.engines._limits import RunLimits
from auditor.errors import DataError

Kind = Literal["text", "number", "auto"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the data as the engine found it.

    `type` is the engine's own name for it; `usable` is false for nested and binary columns, which have no values that
    a class could share. `number` says whether the type is numeric: texts may be numbers without it.
    """

    name: str
    type: str
    usable: bool = True
    number: bool = False


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """How a column is to be counted.

    `missing_values` are texts that stand for a missing value. `kind` says what its codes are ordered by: text, numbers
    (equal numbers are one value, and a text that is none is an error), or auto, which is number where every value is
    one and no two texts are the same number.
    """

    name: str
    missing_values: tuple[str, ...] = ()
    kind: Kind = "text"


def refuse_nested(what: str, columns: Sequence[Column], uses: Sequence[ColumnUse]) -> None:
    """Refuse uses of nested and binary columns.

    Raises:
        DataError: there is one.
    """
    nested = {column.name for column in columns if not column.usable}
    for use in uses:
        if use.name in nested:
            raise DataError(f"{what}: column {use.name!r} is nested or binary; it has no values to group by")


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a column may hold; every condition that is not None must hold.

    `pattern` is RE2 syntax and must match the whole value, `values` is a list, `least` and `most` bound numbers, and
    `missing` says whether a missing value is allowed.
    """

    pattern: str | None = None
    values: tuple[str, ...] | None = None
    least: float | Decimal | None = None
    most: float | Decimal | None = None
    missing: bool = True


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Where data came from. `sha256` is of the file's bytes (None for data in memory or in a database).

    `guessable` says whether these say so little that the digest would confirm a guess of them.
    """

    name: str
    format: str
    files: int = 1
    sha256: str | None = None
    guessable: bool | None = None
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """What leaves the house with the data, and no reader takes: by its names below the folder of the data, or by those
    of tables and views in the file of a database."""


@dataclass(frozen=True)
class Recoding:
    """How one quasi-identifier is released: for each of its codes the label, and the node that the label stands for.

    `labels` None leaves the column as it is, with its type. `numbers` says that labels are numbers, and released so
    where columns have types.
    """

    column: str
    nodes: IntArray
    labels: tuple[str | None, ...] | None
    numbers: bool = False


@dataclass(frozen=True)
class Regrouping:
    """How quasi-identifiers are released by groups of records (local recoding).

    A record's group is told by its codes in the columns of `told_by`: `codes` is int64[n, t], `groups` int64[n], and
    `records` int64[n] says how many records with these codes go to that group, taken in the order of the source (None:
    all of them, so that no codes stand there twice). Records with the same codes may so go to several groups; which of
    them goes where says nothing, because nothing that is judged tells them apart.

    `recodings` are per column: `Recoding.nodes` is by group instead of by code, and a node's label is at its place.
    """

    told_by: tuple[str, ...]
    codes: IntArray
    groups: IntArray
    records: IntArray | None
    recodings: tuple[Recoding, ...]


@dataclass(frozen=True)
class ReleaseRequest:
    """What is to be written: which columns, recoded how, without which classes.

    `columns` are released, in this order. They are recoded value by value (`recodings`) or by groups (`regrouping`).
    `suppressed` is int64[n, d]: what to leave out, told by the columns of `told_by`; a recoded one tells it by its
    nodes, any other one by its codes. With `starred` it is not left out: its
    recoded columns hold ``*``, and are text. Rows are sorted by their released values, or with `keep_order` stay in
    the order of the source.
    """

    columns: tuple[str, ...]
    recodings: tuple[Recoding, ...]
    told_by: tuple[str, ...]
    suppressed: IntArray
    starred: bool = False
    keep_order: bool = False
    regrouping: Regrouping | None = None

    @property
    def recoded(self) -> tuple[Recoding, ...]:
        """How columns are recoded, value by value or by groups."""
        return self.recodings if self.regrouping is None else (*self.recodings, *self.regrouping.recodings)

    @property
    def with_stars(self) -> bool:
        """Whether some values are ``*`` for suppressed records."""
        return self.starred and len(self.suppressed) > 0


@dataclass(frozen=True)
class Coded:
    """The rows of some columns, in the order of the source.

    `codes` is int32[n, d], column by column in memory; `dictionaries` has the distinct values of each column as exact
    texts, ascending as text, the missing value (None) first where there is one.
    """

    codes: NDArray[np.int32]
    dictionaries: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, eq=False)
class RowKeys:
    """What tells the values of a column apart, row by row, across files and without their texts.

    `values` is uint64[n, 2], equal for equal texts alone; `spellings` is uint64[n], equal for texts that differ in
    case, white space, Unicode form or the writing of a number alone. `missing` is bool[n].
    """

    values: NDArray[np.uint64]
    spellings: NDArray[np.uint64]
    missing: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rewritten:
    """A column that is released with other values: for each row of the data, in its order, a label or none.

    `codes` is int32[n] into `labels`, −1 where the value is missing. The column keeps its type where every label is a
    value of it without loss; else numbers become integers or floats, and everything else text.
    """

    column: str
    codes: NDArray[np.int32]
    labels: tuple[str, ...]


class RowSnapshot(Protocol):
    """The rows of some columns, read once, so that rows which are written are the rows that were read."""

    coded: Coded

    def write(self, columns: Sequence[str], rewritten: Sequence[Rewritten], target: Path) -> None:
        """Write columns into the source's workspace, some with other values, rows sorted by what is written."""

    def frame(self, columns: Sequence[str], rewritten: Sequence[Rewritten], kind: str) -> Any:
        """The same as a table in memory: ``pandas``, ``polars`` or ``arrow``."""

    def places(self, columns: Sequence[str], rewritten: Sequence[Rewritten], target: Path | None) -> NDArray[np.intp]:
        """intp[n]: of each row that is written to a target (None: of a frame) its place among the rows of the data.

        Rows that are written alike may stand for each other.
        """


class ClassReading(Protocol):
    """What is read off class tables, batch by batch, wherever the batches are.

    An empty reading can be pickled and sent there. What readings of different batches found can be put together in any
    order, with the same outcome as if one had read them all.
    """

    def read(self, table: ClassTable) -> None:
        """Take in one batch of whole classes."""

    def found(self) -> Any:
        """What was read off so far, to be merged: small, and picklable."""

    def merge(self, found: Any) -> None:
        """Take in what another reading of the same kind found in other batches."""


class Counted(Protocol):
    """Data that has been counted: the distinct combinations of the columns asked for, as codes.

    Codes ascend with the value (the missing value first), so code order is rank order.
    """

    records: int

    @property
    def combinations(self) -> int:
        """How many distinct combinations there are."""

    def cardinality(self, column: str) -> int:
        """How many distinct values (the missing value included) a column has."""

    def has_missing(self, column: str) -> bool:
        """Whether a column has missing values; their code is 0."""

    def is_number(self, column: str) -> bool:
        """Whether a column's values are numbers."""

    def frequencies(self, column: str, unit: str | None = None) -> IntArray:
        """int64[m]: for each code how many records (or distinct units) have it."""

    def labels(self, column: str) -> tuple[str | None, ...]:
        """The value behind each code, as text."""

    def units(self, unit: str) -> int:
        """How many distinct units there are."""

    def tables(
        self,
        grouping: Sequence[str],
        sensitive: tuple[str, Domain] | None = None,
        unit: str | None = None,
        *,
        recoded: Mapping[str, IntArray] | None = None,
    ) -> Iterator[ClassTable]:
        """The class table of a grouping, in batches of whole classes that fit the memory budget.

        Columns of the grouping that are `recoded` are grouped by nodes of their ladders: int64[m] gives for each code
        the node that stands for it, 0 … g−1, and the keys of the table hold nodes. Only these classes are fetched.
        The sensitive attribute and the unit are not recoded.
        """

    def cells(self, columns: Sequence[str], recoded: Mapping[str, IntArray] | None = None) -> int:
        """How many distinct combinations some columns have, `recoded` as in `tables`; nothing is fetched."""

    def fold(
        self,
        reading: ClassReading,
        grouping: Sequence[str],
        sensitive: tuple[str, Domain] | None = None,
        unit: str | None = None,
    ) -> None:
        """Let an empty reading read the class table of a grouping where it is: no class has to come back."""

    def class_sizes(self, grouping: Sequence[str]) -> dict[int, int]:
        """How many classes of a grouping have each size, in records."""

    def write(self, release: ReleaseRequest, target: Any) -> None:
        """Write a release into the source's workspace, in the format that the name tells, sorted by its values.

        The target is a path, or of an engine that writes to such an `Address`.
        """

    def frame(self, release: ReleaseRequest, kind: str) -> Any:
        """A release as a table in memory: ``pandas``, ``polars`` or ``arrow``."""


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What counted: the engine's name, and its version."""

    name: str
    version: str


class Source(Protocol):
    """Opened data."""

    columns: tuple[Column, ...]
    engine: EngineFacts

    @property
    def facts(self) -> SourceFacts:
        """Where the data came from."""

    @property
    def workspace(self) -> Path:
        """A folder of its own that the source may write to; it is gone when the source is closed."""

    def records(self) -> int:
        """How many records the data has."""

    def dictionary(self, use: ColumnUse) -> tuple[tuple[str | None, ...], IntArray]:
        """The distinct values of one column, ascending, and how many records have each."""

    def some(self, uses: Sequence[ColumnUse], rows: int, longest: int) -> tuple[tuple[str | None, ...], ...]:
        """The values of each column in up to so many rows, as texts of up to so many characters.

        The engine chooses the rows that are cheapest to read: all of them where there are no more.

        Raises:
            Unsupported: rows may not be fetched.
        """

    def fingerprint(self, columns: Sequence[str]) -> tuple[int, int]:
        """How many records the data has, and a sum over their hashes in some columns: equal for the same records."""

    def outside(self, use: ColumnUse, allowed: Allowed) -> int:
        """How many records hold a value that breaks any of the conditions."""

    def coded(self, uses: Sequence[ColumnUse]) -> Coded:
        """Every row, as codes of its values in some columns; values stay texts, whatever `kind` says."""

    def row_keys(self, use: ColumnUse) -> RowKeys:
        """What tells the values of a column apart, row by row, in the order of `coded`; no text is fetched."""

    def snapshot(self, columns: Sequence[str], uses: Sequence[ColumnUse]) -> RowSnapshot:
        """Keep the rows of some columns, coded in those of `uses`; what was kept before is let go of."""

    def count(self, uses: Sequence[ColumnUse]) -> Counted:
        """Count the distinct combinations of the columns; what was counted before is let go of."""

    def close(self) -> None:
        """Let go of files, memory and temporary storage."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Engine(Protocol):
    """Where data is counted: in this process, in a server, on a cluster."""

    @property
    def name(self) -> str:
        """What documents call it and, where its module has `chosen`, ``--engine``."""

    @property
    def folders(self) -> bool:
        """Whether a release is written as a folder of files, each by whoever holds its rows."""

    def open(self, data: Any, dialect: CsvDialect, limits: RunLimits, workspace: Path | None) -> Source:
        """Open data for counting; the arguments are those of `open_data`."""
