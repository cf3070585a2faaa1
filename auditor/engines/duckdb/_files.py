"""Opening files with DuckDB: CSV, Parquet, JSON lines and Arrow, all of them or a part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from auditor.dialect import CsvDialect
from auditor.engines._append import CannotAdd, Reader, SourceOrigin
from auditor.engines._digest import digest_later
from auditor.engines._layout import LineLayout, layout_of
from auditor.engines._limits import RunLimits
from auditor.engines._locate import Files
from auditor.engines._protocol import SourceFacts
from auditor.engines._wrapper import refuse_hidden
from auditor.engines.duckdb import (
    _footers,
    _json,
    _new,
    _partitions,
    _quotes,
    arrow_tables,
    csv_files,
    fixed_width,
    sql,
)
from auditor.engines.duckdb._names import names_of_object
from auditor.engines.duckdb._source import DuckDBSource, described, register
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.copies import CsvForm
from auditor.engines.duckdb.errors import translated
from auditor.engines.duckdb.notation import notation_of
from auditor.engines.foreign._read import read as read_foreign
from auditor.errors import DataError, Unsupported

SMALL_BYTES = 16 << 20
"""Below it, sharing the work among threads would cost more than it saves."""
READER = f"duckdb {duckdb.__version__}"
"""What reads files: another version may read a text otherwise."""
EVERYTHING = _new.ReadScope()


def open_files(
    files: Files,
    dialect: CsvDialect,
    limits: RunLimits,
    workspace: Path | None = None,
    scope: _new.ReadScope = EVERYTHING,
) -> DuckDBSource:
    """Open files of one format, and read all of them or a part."""
    connection = Connection(limits, workspace, threads=1 if _is_small(files) else None)
    opening = _Opening(connection, files, dialect, scope)
    try:
        if files.store is not None:
            connection.raw.register_filesystem(files.store)
        for path in files.paths if files.compressed else ():
            refuse_hidden(path)
        match files.format:
            case "csv" | "fixed":
                layout = layout_of(files, dialect)
                return opening.csv() if layout is None else opening.fixed_width(layout)
            case "parquet":
                return opening.parquet()
            case "json":
                return opening.json()
            case "arrow":
                return opening.arrow()
            case _:
                return opening.foreign()
    except BaseException as error:
        connection.close()
        if isinstance(error, OSError):
            raise DataError(f"{files.name}: cannot be read ({error.strerror})") from None
        raise


def _is_small(files: Files) -> bool:
    """Whether sharing the work among threads would cost more than it saves."""
    text = files.format in ("csv", "json") and not files.compressed
    return text and _bytes_of(files) < SMALL_BYTES


def _bytes_of(files: Files) -> int:
    return sum(path.stat().st_size for path in files.paths)


@dataclass(frozen=True)
class _Opening:
    """Files that are being opened, and how much of them is to be read."""

    connection: Connection
    files: Files
    dialect: CsvDialect
    scope: _new.ReadScope

    def csv(self) -> DuckDBSource:
        """CSV as texts, whatever they look like; every file has the same header."""
        files, dialect, connection = self.files, self.dialect, self.connection
        with translated(files.name, connection.limits):
            head = csv_files.shared_head(files.paths, dialect, connection.raw)
        told = [*([dialect.line_ends] if dialect.line_ends else []), *dialect.notation]
        written = (head.delimiter, head.quote, head.encoding, *told)
        if dialect.line_ends and self.scope.part is not None:
            raise CannotAdd("where the records of a file end whose lines end in several ways is not known")
        if dialect.notation and self.scope.part is not None:
            raise CannotAdd("whether all of a column is written alike, the new rows do not show by themselves")
        self._may_read_the_rest()
        rest = _new.rest_of_csv(self.scope.part, head, connection.folder) if self.scope.part else None
        native = csv_files.is_native(head.encoding, files.paths, spared=connection.limits.spill.form is not None)
        if native and dialect.line_ends is None:
            paths = _partitions.readable(connection, files)
        else:
            self._may_copy("has lines that end in several ways" if native else f"is in {head.encoding}")
            paths = csv_files.transcoded(files, head, connection.folder, any_line_end=dialect.line_ends is not None)
            head = csv_files.CsvHead(head.names, head.delimiter, head.quote, "utf-8")
        own = [f"{_partitions.own_name(files)}{i}" for i in range(len(head.names))]
        chosen = self.scope.of(files, paths, rest)
        _quotes.refuse_spaces(connection, chosen or paths, head)
        reader = csv_files.relation(chosen or paths, head, own, _partitions.option(files))
        relation, texts = self.scope.relation(chosen, reader), dict(zip(head.names, own, strict=True))
        notation = notation_of(connection, files.name, relation, texts, dialect)
        columns = [(name, notation.read(name, text), "VARCHAR") for name, text in texts.items()]
        columns += _partitions.columns(files, head.names)
        delimiter = "," if ".tsv" in files.paths[0].suffixes else head.delimiter
        origin = self._origin(*written)
        self._lock([*paths, *chosen])
        return DuckDBSource(
            connection,
            relation,
            columns,
            replace(self._facts(), notes=notation.notes),
            origin,
            rows=self._lines_about(),
            csv=CsvForm(delimiter, notation),
        )

    def fixed_width(self, layout: LineLayout) -> DuckDBSource:
        """Lines in which a column is some characters; there is no header."""
        files, connection = self.files, self.connection
        if self.scope.part is not None:
            raise CannotAdd("fixed-width files are counted whole")
        csv_files.check_names("the column file", [column.name for column in layout.columns])
        with translated(files.name, connection.limits):
            encoding = csv_files.encoding_of(files.paths[0], self.dialect, connection.raw)
        paths = _partitions.readable(connection, files)
        if not csv_files.is_native(encoding, files.paths, spared=connection.limits.spill.form is not None):
            self._may_copy(f"is in {encoding}")
            head = csv_files.CsvHead((), "", self.dialect.quote, encoding)
            paths, encoding = csv_files.transcoded(files, head, connection.folder, any_line_end=False), "utf-8"
        line, hive = f"{_partitions.own_name(files)}0", _partitions.option(files)
        lines = fixed_width.relation(paths, line, csv_files.NATIVE_ENCODINGS[encoding], hive)
        fixed_width.refuse_what_is_lost(connection, files.name, lines, line, layout)
        texts = {column.name: fixed_width.text(line, column) for column in layout.columns}
        notation = notation_of(connection, files.name, lines, texts, self.dialect)
        columns = [(name, notation.read(name, text), "VARCHAR") for name, text in texts.items()]
        columns += _partitions.columns(files, list(texts))
        self._lock(paths)
        facts = replace(self._facts(), notes=notation.notes)
        csv = CsvForm(self.dialect.released, notation)
        origin = self._origin(repr(layout), encoding, *self.dialect.notation)
        return DuckDBSource(connection, lines, columns, facts, origin, rows=self._lines_about(), csv=csv)

    def _may_copy(self, why: str) -> None:
        """Refuse what needs a copy of the data on the disk where the policy allows none that can be read."""
        form = self.connection.limits.spill.form
        if form is not None:
            raise Unsupported(
                f"{self.files.name}: {why}, and would be read through a copy on the disk, but the policy says "
                f"spill: {form}; convert it first"
            )

    def _may_read_the_rest(self) -> None:
        """Refuse to read what was written to the end of a file where the policy allows no copy of it on the disk."""
        form, part = self.connection.limits.spill.form, self.scope.part
        if form is not None and part is not None and part.grown is not None:
            raise CannotAdd(f"{part.grown.name} grew, and spill: {form} forbids copying its end to the disk")

    def parquet(self) -> DuckDBSource:
        """Parquet with its types."""
        files = self.files
        with translated(files.name, self.connection.limits):
            if self._beyond_duckdb():
                return self.arrow()
            footers = _footers.footers(self.connection, files)
        if self.scope.part is not None and not footers.alike:
            raise CannotAdd("the files differ in their columns or column types")
        _partitions.columns(files, footers.names)
        paths = _partitions.readable(self.connection, files)
        chosen = self.scope.of(files, paths)
        reader = footers.reader(chosen or paths, _partitions.option(files))
        return self._described(self.scope.relation(chosen, reader), footers.names, paths, notes=footers.notes)

    def _beyond_duckdb(self) -> bool:
        """Whether DuckDB would round or cut off values of Parquet files."""
        wide, times = _footers.unread_exactly(self.connection, self.files.paths)
        found = wide or (bool(times) and arrow_tables.have_nanoseconds(self.files, times))
        if found and self.scope.part is not None:
            raise CannotAdd("the files have values that are read file by file")
        return found

    def json(self) -> DuckDBSource:
        """JSON lines as text, as the file holds it; keys are collected over the whole, so none is overlooked."""
        files, connection = self.files, self.connection
        paths = _partitions.readable(connection, files)
        with translated(files.name, connection.limits):
            keys = _json.keys(connection, files.name, paths)
        self._may_read_the_rest()
        rest = _new.rest_of_json(self.scope.part, connection.folder) if self.scope.part else None
        chosen = self.scope.of(files, paths, rest)
        lines = ", format='newline_delimited'" if rest else ""
        reader = keys.reader(chosen or paths, f"{_partitions.option(files)}{lines}")
        columns = [(name, sql.identifier(name), "VARCHAR") for name in keys.names]
        columns += _partitions.columns(files, keys.names)
        relation, origin = self.scope.relation(chosen, reader), self._origin()
        self._lock([*paths, *chosen])
        return DuckDBSource(
            connection,
            relation,
            columns,
            replace(self._facts(), notes=keys.notes),
            origin,
            rows=self._lines_about(),
            csv=CsvForm.of(self.dialect, columns),
            json=None if files.partitions else keys.values(paths),
        )

    def arrow(self) -> DuckDBSource:
        """Arrow files, mapped into memory; and Parquet files that DuckDB would not read exactly, in it."""
        table, notes = arrow_tables.arrow_files(self.files)
        names = names_of_object(table)
        if self.scope.part is not None:
            chosen = self.scope.of(self.files, self.files.paths)
            part = arrow_tables.arrow_files(replace(self.files, paths=chosen))[0] if chosen else table.slice(0, 0)
            if part.schema != table.schema:
                raise CannotAdd("the files differ in their columns or column types")
            table = part
        self.connection.raw.register("arrow_input", table)
        return self._described("arrow_input", names, (), held=table, notes=notes)

    def foreign(self) -> DuckDBSource:
        """Files of other programs, read into memory."""
        if self.scope.part is not None:
            raise CannotAdd(f".{self.files.format} files are read whole")
        table = read_foreign(self.files, self.dialect, self.connection.limits.own_memory)
        names = names_of_object(table.frame)
        csv_files.check_names(self.files.name, names)
        register(self.connection, table.frame)
        return self._described("object_input", names, (), held=table.frame, notes=table.notes, unread=table.unread)

    def _described(
        self,
        relation: str,
        names: Sequence[str],
        paths: Sequence[Path],
        *,
        held: Any = None,
        notes: tuple[str, ...] = (),
        unread: tuple[str, ...] = (),
    ) -> DuckDBSource:
        columns = described(self.connection, self.files.name, relation, names)
        self._lock(paths)
        return DuckDBSource(
            self.connection,
            relation,
            columns,
            replace(self._facts(), notes=notes, unread=(*self.files.unread, *unread)),
            self._origin(),
            cheap_rescan=self.files.store is None or held is not None,
            csv=CsvForm.of(self.dialect, columns),
            held=held,
        )

    def _lock(self, paths: Sequence[Path]) -> None:
        self.connection.lock([*paths, *self.scope.beside])

    def _facts(self) -> SourceFacts:
        return SourceFacts(self.files.name, self.files.format, len(self.files.paths), unread=self.files.unread)

    def _origin(self, *written: str) -> SourceOrigin:
        """Where the files come from; `written` is how text is."""
        digests = digest_later(self.files.paths, self.scope.part.starts if self.scope.part else None)
        return SourceOrigin(self.files, Reader(self.files.format, READER, written), digests)

    def _lines_about(self) -> int | None:
        """About how many lines small text files have, by the length of those that the first one begins with."""
        if self.scope.part is not None or not _is_small(self.files):
            return None
        with self.files.paths[0].open("rb") as file:
            head = file.read(csv_files.HEAD_BYTES)
        return _bytes_of(self.files) * head.count(b"\n") // len(head) if head.count(b"\n") > 1 else None
