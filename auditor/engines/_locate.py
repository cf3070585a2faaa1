"""From what a user names to what is to be opened: files of one format, or a database table."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from auditor import registry
from auditor.engines._beside import entries, says_nothing
from auditor.errors import DataError, Unsupported, UsageError
from auditor.values import is_unicode

FOREIGN = registry.names("auditor.engines.foreign")
"""The formats of other programs, of which each is the ending of its files."""
FORMATS = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow",
    ".feather": "arrow", ".ipc": "arrow", ".jsonl": "json", ".ndjson": "json", ".json": "json",
    ".fwf": "fixed", ".dat": "fixed", ".asc": "fixed", **{f".{name}": name for name in FOREIGN},
}  # fmt: skip
COMPRESSED = (".gz", ".zst")
NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""The folder name that stands for a missing value."""
STORES = {"s3": "s3", "gs": "gs", "gcs": "gs", "az": "az", "abfs": "az", "abfss": "az"}
"""The object stores that are read (`auditor.engines._stores`): the extra that reads each scheme of addresses."""
NOT_LOCAL = (*STORES, "azure", "http", "https", "hf", "r2", "ftp")
_PROOF = re.compile(r"[^/]*[:@]|.*[?&][\w.-]+=", re.DOTALL)
"""An address of a store in which something may say who asks; else an @ or a ? is part of an object's name."""

SECRET_OPTIONS = ("user", "password", "passfile", "sslpassword", "sslcert", "sslkey")
"""The options of a PostgreSQL URL that say who asks, not where."""


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one format.

    `name` is what the user wrote, `root` the folder in it that all paths lie below, `partitions` the columns that the
    folders below it are named for (column=value). `unread` are what else lies there, by their names below the root, and
    no reader takes: hidden files, unknown formats, links to folders (`auditor.engines._beside`). `store` is the file
    system (fsspec) that has them, where they are read where they are.
    """

    name: str
    format: str
    paths: tuple[Path, ...]
    root: Path
    partitions: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    store: Any = None

    def __post_init__(self) -> None:
        """`DataError` where a name is no text, which no reader can be told."""
        strange = [path.name for path in self.paths if not is_unicode(str(path))]
        if strange:
            shown = strange[0].encode("utf-8", "backslashreplace").decode()
            raise DataError(f"{shown}: the name of the file, or of a folder around it, is not UTF-8; rename it")

    @property
    def compressed(self) -> bool:
        """Whether the files are compressed."""
        return self.paths[0].suffix.lower() in COMPRESSED

    def values(self, path: Path) -> list[str]:
        """The value that each partition has for one of the paths, as its folder has it."""
        return [value for _, value in _partitions(path, self.root)]


@dataclass(frozen=True, slots=True)
class DatabaseTable:
    """A table or query of a database. `name` is what the user wrote, without credentials.

    `released` says that the file of the database leaves the house with it, and so does whatever else it holds.
    """

    name: str
    format: str
    address: str
    table: str | None
    query: str | None
    released: bool = False

    @property
    def place(self) -> str:
        """The address without user, password and what else proves who asks."""
        if self.format != "postgresql":
            return self.address
        options = parse_qs(urlsplit(self.address).query, keep_blank_values=True)
        kept = {name: values for name, values in options.items() if name not in SECRET_OPTIONS}
        return f"{without_credentials(self.address)}?{urlencode(sorted(kept.items()), doseq=True)}"


def locate(data: str) -> Files | DatabaseTable:
    """Find what `data` names; see "Data" in the contract."""
    scheme = re.match(r"([a-z][a-z0-9+]*):", data)
    if scheme and scheme[1] in ("duckdb", "sqlite", "postgresql", "postgres"):
        return _table(data, scheme[1])
    if scheme and scheme[1] in NOT_LOCAL and "://" in data:
        raise Unsupported(
            f"{without_credentials(data)}: this needs files of its own, which object stores do not have; copy the "
            "files to a local folder first and give its path"
        )
    return _files(data)


def _files(data: str) -> Files:
    path = Path(data)
    if path.is_file():
        return Files(data, format_of(path), (path,), path.parent)
    if path.is_dir():
        return below(data, path, entries(path))
    if glob.has_magic(data):
        found = [Path(p) for p in sorted(glob.glob(data, recursive=True))]  # noqa: PTH207  (Path.glob refuses absolute patterns)
        everything = [p for p in found if not p.is_dir()] + [f for p in found if p.is_dir() for f in entries(p)]
        if found:
            return _folder(data, _fixed(path), [p for p in everything if p.is_file()], everything)
    if path.exists():
        raise DataError(
            f"{without_credentials(data)}: is neither a file nor a folder (a device or a pipe cannot be audited)"
        )
    raise DataError(f"{without_credentials(data)}: there is no such file, folder or glob")


def below(name: str, root: Path, everything: Sequence[Path]) -> Files:
    """The files of a folder by all that lies below it, of which no reader takes what is hidden.

    Raises:
        DataError: their names tell no format, or several.
    """
    return _folder(name, root, [path for path in everything if path.is_file() and not _hidden(path, root)], everything)


def located(name: str, paths: Sequence[Path], root: Path, beside: Sequence[Path] = ()) -> Files:
    """Files that a caller has found by itself, below `root`; `name` is what messages and results call them.

    `beside` is all that lies there, whoever reads it.

    Raises:
        DataError: their names tell no format, or several.
    """
    if len(paths) == 1 and paths[0].parent == root and not beside:
        return Files(name, format_of(paths[0]), (paths[0],), root)
    return _folder(name, root, sorted(paths), beside or paths)


def _fixed(pattern: Path) -> Path:
    """The folders of a glob before its first wildcard."""
    return Path(*takewhile(lambda part: not glob.has_magic(part), pattern.parts))


def _folder(data: str, root: Path, paths: list[Path], everything: Sequence[Path]) -> Files:
    # A glob finds a folder and what is in it: a file that is found twice would have its records counted twice.
    known = [p for p in dict.fromkeys(paths) if _format(p)]
    if not known:
        raise DataError(
            f"{data}: holds no file that can be read; known formats are {', '.join(FORMATS)} (and .gz, .zst)"
        )
    # Beside tables in a format of data, a workbook or a codebook is another file, which only `not_released` excuses.
    known = [p for p in known if _format(p) not in (*FOREIGN, "fixed")] or known
    formats = {_format(p) for p in known}
    if len(formats) > 1:
        raise DataError(
            f"{data}: holds files of several formats ({', '.join(sorted(map(str, formats)))}); name one with a glob"
        )
    if len({p.suffix.lower() in COMPRESSED for p in known}) > 1:
        raise DataError(f"{data}: holds compressed and uncompressed files; name one kind with a glob")
    partitions = {tuple(name for name, _ in _partitions(p, root)) for p in known}
    if len(partitions) > 1:
        raise DataError(f"{data}: its folders named column=value do not name the same columns everywhere")
    read = set(known)
    unread = [path for path in dict.fromkeys(everything) if path not in read and not says_nothing(path)]
    names = tuple(sorted(path.relative_to(root).as_posix() for path in unread))
    return Files(data, format_of(known[0]), tuple(known), root, partitions.pop(), names)


def _partitions(path: Path, root: Path) -> list[tuple[str, str]]:
    """The folders named column=value between the root and a file."""
    folders = [part.partition("=") for part in path.relative_to(root).parent.parts]
    return [(name, value) for name, equals, value in folders if equals]


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(root).parts)


def format_of(path: Path) -> str:
    """The format that a file's name tells."""
    known = _format(path)
    if known is None:
        raise DataError(
            f"{path.name}: its name tells no known format; known formats are {', '.join(FORMATS)} (and .gz, .zst)"
        )
    return known


def _format(path: Path) -> str | None:
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return FORMATS.get(suffixes[-1]) if suffixes else None


def _table(data: str, scheme: str) -> DatabaseTable:
    asked = data.partition("?")[2]
    is_file = scheme in ("duckdb", "sqlite")
    if "#" in (asked if is_file else data):  # what stands behind it is not part of a URL's query, and would be dropped
        raise UsageError(f"{without_credentials(data.partition('#')[0])}#…: write %23 for #")
    options = parse_qs(asked, keep_blank_values=True)
    unknown = set(options) - {"table", "query"} if is_file else set()
    chosen = [key for key in ("table", "query") if options.get(key, [""])[0]]
    if unknown or len(chosen) != 1:
        raise UsageError(f"{without_credentials(data)}: name what to read with ?table=NAME or ?query=SELECT…")
    table, query = (options.get(key, [None])[0] for key in ("table", "query"))
    if scheme.startswith("postgres"):
        rest = "&".join(p for p in asked.split("&") if not p.startswith(("table=", "query=")))
        address = data.split("?", 1)[0] + (f"?{rest}" if rest else "")
        return DatabaseTable(without_credentials(data), "postgresql", address, table, query)
    file = data[len(scheme) + 1 :].split("?", 1)[0]
    file = file.removeprefix("//")
    if not Path(file).is_file():
        raise DataError(f"{file}: there is no such database file")
    return DatabaseTable(f"{scheme}:{file}?{chosen[0]}={table or '…'}", scheme, file, table, query)


def parts_of(name: str) -> list[str]:
    """The parts of a table's name, which dots divide.

    A part in quotation marks is a name as SQL has it, in which a dot is a dot and a doubled mark is one; any other is
    taken as it stands.

    >>> parts_of('clinic.stays'), parts_of('"a.b"."My ""big"" Table"')
    (['clinic', 'stays'], ['a.b', 'My "big" Table'])
    """
    if not _PARTS.fullmatch(name):
        return name.split(".")
    return [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in re.findall(_PART, name)]


_PART = r'"(?:[^"]|"")+"|[^".]+'
_PARTS = re.compile(rf"(?:{_PART})(?:[.](?:{_PART}))*", re.DOTALL)


def without_credentials(data: str) -> str:
    """What `data` may be called where others read it: of a database's URL no user, no password and no option.

    A password may hold any character that should have been escaped: nothing before the last ``@`` is kept. The name of
    an object may hold an ``@`` or a ``?``, too: it stays where its bucket has neither user nor password.

    >>> without_credentials("postgresql://ann:p@ss/w?rd@db.example:5432/clinic?table=stays&sslmode=require")
    'postgresql://db.example:5432/clinic'
    >>> without_credentials("data/stays@home.csv")
    'data/stays@home.csv'
    >>> without_credentials("s3://key:se/cret@bucket/stays.csv"), without_credentials("s3://bucket/stays@home?.csv")
    ('s3://bucket/stays.csv', 's3://bucket/stays@home?.csv')
    """
    if not re.match(r"[a-z][a-z0-9+.-]*://", data, re.IGNORECASE):
        return data
    address = re.split(r"[?&](?:table|query)=", data, maxsplit=1)[0]
    scheme, _, rest = address.partition("//")
    if scheme.rstrip(":").lower() in STORES and not _PROOF.match(data.partition("//")[2]):
        return data
    return f"{scheme}//{rest.rpartition('@')[2]}".split("?", 1)[0]
