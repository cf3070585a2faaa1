"""Counting so that counts can be kept and added to.

The distinct combinations of the columns that are read, with their values as the data has them, and how many records
have each, are a table of counts. Written as a Parquet file it says in its metadata what was counted (`Kept`). Where the
data is later that and an append, the new part alone is counted, and both tables together are the data: `DuckDBSource`
reads rows that stand for several records.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from auditor.dialect import CsvDialect
from auditor.engines._append import (
    KEPT_VERSION,
    CannotAdd,
    CountOrigin,
    KeptColumn,
    Reader,
    SourcePart,
    appended,
    prove,
)
from auditor.engines._limits import RunLimits
from auditor.engines._locate import Files, locate
from auditor.engines._protocol import ColumnUse
from auditor.engines.duckdb import sql
from auditor.engines.duckdb._files import open_files
from auditor.engines.duckdb._new import ReadScope
from auditor.engines.duckdb._source import DuckDBSource, Inside
from auditor.engines.duckdb.connection import Connection
from auditor.errors import DataError, DeliveryError
from auditor.stages import Stage, stage

KEY = "auditor.counts"
"""Where the metadata of a Parquet file of counts says what was counted."""
NEW, BOTH, KEPT = "new_counts", "both_counts", "kept_counts"
"""New combinations and all of them, by values as they are kept; all of them by values as the data has them."""
STORED = ("VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TINYINT", "SMALLINT",
          "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")  # fmt: skip
"""Types whose values Parquet gives back as they were, and which are the same only where their texts are. DECIMAL is one
too; a value of another type is kept as its text: floats so that 0.0 and -0.0 stay two."""
MOST_RECORDS = 1 << 62


@dataclass(frozen=True)
class Earlier:
    """Counts that were kept: their file, and what it says was counted."""

    path: Path
    kept: CountOrigin


def is_counts(path: Path, limits: RunLimits) -> bool:
    """Whether a file is one of counts, of whatever version."""
    return _said(path, limits) is not None


def kept_in(path: Path, limits: RunLimits) -> CountOrigin:
    """What a file of counts says was counted.

    Raises:
        CannotAdd: it is none, or one of another version.
    """
    from pydantic import TypeAdapter, ValidationError

    said = _said(path, limits)
    if said is None:
        raise CannotAdd(f"{path.name} is not a file of counts")
    try:
        kept = TypeAdapter(CountOrigin).validate_json(said)
    except ValidationError:
        kept = None
    if kept is None or not _makes_sense(kept):
        raise CannotAdd(f"{path.name} is of another version of counts")
    return kept


def _said(path: Path, limits: RunLimits) -> bytes | None:
    connection = Connection(limits, threads=1)
    try:
        connection.lock([path])
        statement = f"SELECT key, value FROM parquet_kv_metadata({sql.files([path], text=False)})"
        return {bytes(key): bytes(value) for key, value in connection.rows(path.name, statement)}.get(KEY.encode())
    except DataError:
        return None
    finally:
        connection.close()


def _makes_sense(kept: CountOrigin) -> bool:
    """What no type says: that something was counted, and that no column stands there twice."""
    names = [column.name for column in kept.columns]
    twice = len(set(kept.counted)) < len(kept.counted) or len(set(names)) < len(names)
    return kept.records > 0 and bool(kept.files) and not twice and all(each.size > 0 for each in kept.files)


@dataclass
class Keeping:
    """DuckDB, by counts that can be kept.

    `reads` says which of a table's columns are read; it raises `CannotAdd` where counts of them do not do. `earlier`
    are counts to add to (None: all of the data is counted), `keep` is the file that all counts are kept in, on the
    disk of the source's workspace (None: they are not kept).

    It opens one source, and then has it.
    """

    name: ClassVar[str] = "duckdb"
    reads: Callable[[Sequence[str]], Sequence[str]]
    earlier: Earlier | None = None
    keep: Path | None = None
    source: KeptSource | None = None
    folders: ClassVar[bool] = False

    def open(self, data: Any, dialect: CsvDialect, limits: RunLimits, workspace: Path | None) -> KeptSource:
        """Open files; `CannotAdd` where the data is none, or not what was counted and an append."""
        files = locate(os.fspath(data)) if isinstance(data, str | os.PathLike) else data
        if not isinstance(files, Files):
            raise CannotAdd("only for files can it be shown that nothing but an append has changed")
        try:
            scope, before = self._scope(files), _states(files)
            rows = open_files(files, dialect, limits, workspace, scope)
            with ExitStack() as opened:
                opened.enter_context(rows)
                self.source = self._counted(rows, scope.part, lambda: open_files(files, dialect, limits))
                if _states(files) != before:
                    raise DataError(f"{files.name}: was changed while it was counted")
                opened.pop_all()
        except OSError as error:
            raise DataError(f"{files.name}: cannot be read ({error.strerror})") from None
        return self.source

    def _scope(self, files: Files) -> ReadScope:
        """What is to be read: all, or what is new and the file of the earlier counts."""
        if self.earlier is None:
            return ReadScope()
        return ReadScope(appended(self.earlier.kept, files), (self.earlier.path,))

    def _counted(self, rows: DuckDBSource, part: SourcePart | None, whole: Callable[[], DuckDBSource]) -> KeptSource:
        """Count what is new, hold everything else against what was counted, and keep what was asked for."""
        origin = rows.origin
        if origin is None:
            raise CannotAdd("only for files can it be shown that nothing but an append has changed")
        counting = KeptCounts(rows.inside, self._columns(rows))
        if self.earlier is not None:
            _same_reader(self.earlier.kept.reader, origin.reader)
        with stage(Stage.COUNTING):
            counting.new()
        if self.earlier is not None and part is not None:
            with stage(Stage.HASHING):
                prove(self.earlier.kept, origin.files, part, origin.digests.result())
        before = counting.join(self.earlier)
        source = KeptSource(rows, counting, before, whole if self.earlier is not None else None)
        if self.keep is not None:
            columns = tuple(KeptColumn(column.name, column.type) for column in rows.columns)
            with stage(Stage.HASHING):
                files = origin.kept()
            kept = CountOrigin(KEPT_VERSION, origin.reader, columns, counting.columns, source.records(), files)
            with stage(Stage.WRITING):
                counting.write(self.keep, kept, distinct=self.earlier is None)
        return source

    def _columns(self, rows: DuckDBSource) -> tuple[str, ...]:
        """The columns to count: those of the earlier counts, which have to be enough, or else those that are read."""
        usable = {column.name: column.usable for column in rows.columns}
        read = tuple(self.reads(list(usable)))
        if self.earlier is not None:
            kept = self.earlier.kept
            _same_columns(kept.columns, tuple(KeptColumn(column.name, column.type) for column in rows.columns))
            absent = [name for name in read if name not in kept.counted]
            if absent:
                raise CannotAdd(f"the policy reads column {absent[0]!r}, which the counts were made without")
            read = kept.counted
        nested = [name for name in read if not usable.get(name)]
        if nested:
            raise CannotAdd(f"column {nested[0]!r} is nested or binary")
        return read


def _same_columns(then: Sequence[KeptColumn], now: Sequence[KeptColumn]) -> None:
    """Refuse columns that are not those of the earlier data."""
    old, new = {column.name: column.type for column in then}, {column.name: column.type for column in now}
    gone, came = [name for name in old if name not in new], [name for name in new if name not in old]
    other = [name for name in old if name in new and old[name] != new[name]]
    if gone:
        raise CannotAdd(f"column {gone[0]!r} is no longer there")
    if came:
        raise CannotAdd(f"column {came[0]!r} was added")
    if other:
        raise CannotAdd(f"column {other[0]!r} has a different type than before")
    if tuple(then) != tuple(now):
        raise CannotAdd("the columns are in a different order")


def _same_reader(then: Reader, now: Reader) -> None:
    """Refuse files that are read otherwise than the earlier ones were."""
    if then.program != now.program:
        raise CannotAdd(f"the counts were made with another version of the reader, which is now {now.program}")
    if then != now:
        raise CannotAdd("the files are written differently (delimiter, quote or encoding)")


def _states(files: Files) -> list[tuple[int, int]]:
    found = [path.stat() for path in files.paths]
    return [(each.st_size, each.st_mtime_ns) for each in found]


class KeptCounts:
    """A source's combinations in some columns, the new ones and with them those that were kept, as c0, c1, … and n."""

    def __init__(self, inside: Inside, columns: Sequence[str]) -> None:
        """Count `columns` of what is read."""
        self._inside = inside
        self.columns = tuple(columns)
        self.own = tuple(f"c{i}" for i in range(len(self.columns)))
        self.kinds = tuple(inside.expressions[name][1] for name in self.columns)

    def new(self) -> None:
        """Count the rows that are to be read."""
        values = [
            _kept(self._inside.expressions[name][0], kind) for name, kind in zip(self.columns, self.kinds, strict=True)
        ]
        found = sql.combinations(self._inside.relation, dict(zip(self.own, values, strict=True)) or {"c0": "0"})
        self._run(sql.store(NEW, found))

    def join(self, earlier: Earlier | None) -> int:
        """Put what was kept and what is new together; returns how many records were kept.

        Raises:
            CannotAdd: the file of counts is not what it should be.
        """
        listed, before = ", ".join([*self.own, "n"]), 0
        both = f"SELECT {listed} FROM {NEW}"
        if earlier is not None:
            before = self._proven(earlier)
            both += f" UNION ALL SELECT {listed} FROM {_reader(earlier.path)}"
        self._run(f"CREATE OR REPLACE TEMP VIEW {BOTH} AS {both}")
        values = [
            name if _stored(kind) == kind else f"CAST({name} AS {kind}) AS {name}"
            for name, kind in zip(self.own, self.kinds, strict=True)
        ]
        self._run(f"CREATE OR REPLACE TEMP VIEW {KEPT} AS SELECT {', '.join([*values, 'n'])} FROM {BOTH}")
        return before

    def _proven(self, earlier: Earlier) -> int:
        """How many records a file of counts has; it has the columns that it should, and counts."""
        name, reader = earlier.path.name, _reader(earlier.path)
        wanted = [(own, _stored(kind)) for own, kind in zip(self.own, self.kinds, strict=True)] + [("n", "BIGINT")]
        rows = self._inside.connection.rows
        try:
            found = [(str(row[0]), str(row[1])) for row in rows(name, f"DESCRIBE SELECT * FROM {reader}")]
            if found != wanted:
                raise CannotAdd(f"{name} does not have the columns that it says it has")
            counts = "count(*) FILTER (n IS NULL OR n < 1), coalesce(sum(CAST(n AS HUGEINT)), 0)"
            wrong, total = map(int, rows(name, f"SELECT {counts} FROM {reader}")[0])
        except DataError:
            raise CannotAdd(f"{name} cannot be read") from None
        if wrong or total != earlier.kept.records or total > MOST_RECORDS:
            raise CannotAdd(f"{name} holds values that are not counts")
        return total

    def write(self, target: Path, kept: CountOrigin, *, distinct: bool) -> None:
        """Write all counts, and what was counted, as a Parquet file; `distinct`: no combination appears twice.

        Raises:
            DeliveryError: the disk is full, or takes no writing.
        """
        group = f" GROUP BY {', '.join(self.own)}" if self.own else ""
        counted = "n" if distinct else sql.total("n") + " AS n"
        counts = f"SELECT {', '.join([*self.own, counted])} FROM {BOTH}{'' if distinct else group}"
        said = f"{{{sql.literal(KEY)}: {sql.literal(json.dumps(asdict(kept)))}}}"
        options = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {said}"
        written = self._inside.connection.folder / "counts.parquet"
        try:
            self._run(f"COPY ({counts}) TO {sql.literal(str(written))} ({options})")
            written.replace(target)
        except DataError as error:
            raise DeliveryError(f"{error}; nothing was written") from None
        except OSError as error:
            raise DeliveryError(f"{target.name}: could not be written ({error.strerror})") from None

    def _run(self, statement: str) -> None:
        self._inside.connection.run(self._inside.facts.name, statement)


def _reader(path: Path) -> str:
    return f"read_parquet({sql.files([path], text=False)}, hive_partitioning=false)"


def _kept(expression: str, kind: str) -> str:
    """A value as it is kept."""
    return expression if _stored(kind) == kind else f"CAST({expression} AS VARCHAR)"


def _stored(kind: str) -> str:
    """The type by which a value is kept."""
    return kind if kind in STORED or kind.startswith("DECIMAL(") else "VARCHAR"


class KeptSource(DuckDBSource):
    """Data that is known by its counts in some columns; of the others it has the names alone."""

    def __init__(
        self, rows: DuckDBSource, counting: KeptCounts, before: int, whole: Callable[[], DuckDBSource] | None = None
    ) -> None:
        """`before` says how many of the records were counted earlier; `whole` opens all rows where `rows` are new."""
        inside = rows.inside
        columns = list(zip(counting.columns, counting.own, counting.kinds, strict=True))
        super().__init__(inside.connection, KEPT, columns, inside.facts, rows.origin, cheap_rescan=True, weight="n")
        self._held = rows
        self._new_rows, self._whole = rows, whole
        self.columns = rows.columns
        self.counted = counting.columns
        self.before = before

    def some(self, uses: Sequence[ColumnUse], rows: int, longest: int) -> tuple[tuple[str | None, ...], ...]:
        """Of the rows themselves, as if none had been counted earlier."""
        if self._whole is None:
            return self._new_rows.some(uses, rows, longest)
        with self._whole() as source:
            return source.some(uses, rows, longest)
