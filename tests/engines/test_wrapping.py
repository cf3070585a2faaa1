"""Containers that carry more than the table that is read from them: told, where telling is cheap."""

from __future__ import annotations

import gzip
import io
import struct
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.engines import open_data
from auditor.engines._wrapping import refuse_hidden
from auditor.errors import DataError

TABLE = "a,b\n" + "x,1\n" * 9


def zipped(path: Path, rows: int = 1) -> bytes:
    """A zstd file as DuckDB writes one."""
    duckdb.execute(
        f"COPY (SELECT i AS a, hash(i) AS b FROM range({rows}) t(i)) TO '{path}' (FORMAT csv, COMPRESSION zstd)"
    )
    return path.read_bytes()


def skipped(content: bytes, kind: int = 0) -> bytes:
    return struct.pack("<II", 0x184D2A50 + kind, len(content)) + content


def member(text: str, flags: int = 0, more: bytes = b"") -> bytes:
    """A gzip file whose header has these flags and fields."""
    plain = gzip.compress(text.encode(), mtime=0)
    return plain[:3] + bytes([flags]) + plain[4:10] + more + plain[10:]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (member(TABLE, 4, b"\x0a\0RA\x06\0secret"), "an extra field"),
        (member(TABLE, 16, b"ana moreno\0"), "a comment"),
        (member(TABLE, 24, b"t.csv\0ana moreno\0"), "a comment"),
    ],
)
def test_a_gzip_header_that_holds_more(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "t.csv.gz").write_bytes(content)
    with pytest.raises(DataError, match=f"has {what} in its header beside its contents"):
        open_data(tmp_path / "t.csv.gz")


@pytest.mark.parametrize(
    "content", [member(TABLE), member(TABLE, 8, b"t.csv\0"), member(TABLE, 4, b"\x06\0BC\2\0\1\0")]
)
def test_a_gzip_header_as_programs_write_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.csv.gz").write_bytes(content)
    with open_data(tmp_path / "t.csv.gz") as source:
        assert source.records() == 9


@pytest.mark.parametrize("rows", [1, 90_000])
def test_frames_that_zstd_skips(tmp_path: Path, rows: int) -> None:
    file = tmp_path / "t.csv.zst"
    whole = zipped(file, rows)
    for content in (whole, whole + whole, skipped(b"size") + whole):
        file.write_bytes(content)
        refuse_hidden(file)
    for content in (
        skipped(b"ana,1900\n") + whole,
        whole + skipped(b"ana,1900\n", 15),
        whole + whole + skipped(TABLE.encode()),
    ):
        file.write_bytes(content)
        with pytest.raises(DataError, match="a frame that is skipped"):
            open_data(file)


@given(st.binary(max_size=40), st.sampled_from([".gz", ".zst"]))
def test_whatever_the_bytes_are_it_ends(tmp_path_factory: pytest.TempPathFactory, content: bytes, ending: str) -> None:
    file = tmp_path_factory.mktemp("bytes") / f"t{ending}"
    for start in (b"", b"\x28\xb5\x2f\xfd", b"\x1f\x8b\x08", struct.pack("<I", 0x184D2A55)):
        file.write_bytes(start + content)
        try:
            refuse_hidden(file)
        except DataError as found:
            assert "beside its contents" in str(found)  # noqa: PT017  (either answer is right)


@pytest.mark.parametrize("behind", ["a stream", b"ana moreno", b"\0"])
def test_a_stream_of_arrow_that_something_follows(tmp_path: Path, behind: str | bytes) -> None:
    written = io.BytesIO()
    table = pa.table({"a": ["x"] * 3})
    with pa.ipc.new_stream(written, table.schema) as stream:
        stream.write_table(table)
    file = tmp_path / "t.arrow"
    file.write_bytes(written.getvalue())
    with open_data(file) as source:
        assert source.records() == 3
    file.write_bytes(written.getvalue() + (written.getvalue() if isinstance(behind, str) else behind))
    with pytest.raises(DataError, match="goes on after the end of its stream"):
        open_data(file)
