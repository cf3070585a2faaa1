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
from auditor.engines._wrapper import refuse_hidden
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


def blocked(text: str) -> bytes:
    """A member as bgzip writes it: its extra field says how long it is, less one."""
    length = len(member(text)) + 8
    return member(text, 4, b"\x06\0BC\2\0" + (length - 1).to_bytes(2, "little"))


@pytest.mark.parametrize(
    "content",
    [
        member(TABLE),
        member(TABLE, 8, b"t.csv\0"),
        blocked(TABLE),
        blocked(TABLE[:12]) + blocked(TABLE[12:]) + blocked(""),
        member(TABLE[:12], 8, b"t1.csv\0") + member(TABLE[12:], 8, b"t2.csv\0"),
        member(TABLE) + member(""),
    ],
)
def test_a_gzip_header_as_programs_write_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.csv.gz").write_bytes(content)
    with open_data(tmp_path / "t.csv.gz") as source:
        assert source.records() == 9


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (member(TABLE, 4, b"\x06\0BC\2\0AB"), "an extra field in its header"),
        (member(TABLE, 4, b"\x06\0ANAMOR"), "an extra field in its header"),
        (member(TABLE) + member("y,2\n", 4, b"\x0a\0RA\x06\0secret"), "an extra field in its header"),
        (member(TABLE) + member("y,2\n", 16, b"ana moreno\0"), "a comment in its header"),
        (member(TABLE, 8, b"ana,1900;" * 30 + b"\0"), "a name in its header that no file has"),
        (member(TABLE) + member("y,2\n", 8, b"ana,1900;" * 30 + b"\0"), "a name in its header that no file has"),
        (member(TABLE) + member("", 8, b"ana,1900\0"), "a part without contents"),
        (member(TABLE) + 2 * member(""), "a part without contents"),
    ],
)
def test_what_members_of_gzip_hold_more(tmp_path: Path, content: bytes, what: str) -> None:
    """Of every member: readers take the contents of each, and pass over the rest."""
    (tmp_path / "t.csv.gz").write_bytes(content)
    with pytest.raises(DataError, match=f"has {what} beside its contents"):
        open_data(tmp_path / "t.csv.gz")


@pytest.mark.parametrize("rows", [1, 90_000])
def test_a_skipped_frame_that_says_how_long_the_next_one_is(tmp_path: Path, rows: int) -> None:
    """As pzstd writes it; four other bytes are as good a place as any for a name."""
    file = tmp_path / "t.csv.zst"
    whole = zipped(file, rows)
    stated = skipped(len(whole).to_bytes(4, "little"))
    empty = bytes.fromhex("28b52ffd0058010000")
    for content in (stated + whole, stated + whole + stated + whole, whole + empty, empty):
        file.write_bytes(content)
        refuse_hidden(file)
    for content, what in (
        (skipped(b"anam") + whole, "a frame that is skipped"),
        (stated + whole + skipped(b"anam"), "a frame that is skipped"),
        (stated + whole + stated, "a frame that is skipped"),
        (stated + stated + whole, "a frame that is skipped"),
        (skipped(len(whole).to_bytes(4, "little"), 1) + whole, "a frame that is skipped"),
        (skipped(b"") + whole, "a frame that is skipped"),
        (empty + whole, "a frame without contents"),
    ):
        file.write_bytes(content)
        with pytest.raises(DataError, match=what):
            refuse_hidden(file)


@given(st.lists(st.sampled_from([b"frame", b"stated", b"other", b"none"]), min_size=1, max_size=6))
def test_law_of_frames(tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]) -> None:
    """A file is taken if, and only if, each skipped frame is the length of a frame right behind it."""
    frame = bytes.fromhex("28b52ffd0058410000612c620a312c320a")
    written = {
        b"frame": frame,
        b"stated": skipped(b"\x11\0\0\0"),
        b"other": skipped(b"\x12\0\0\0"),
        b"none": skipped(b""),
    }
    file = tmp_path_factory.mktemp("frames") / "t.csv.zst"
    file.write_bytes(b"".join(written[part] for part in parts))
    right = all(
        part == b"frame" or (part == b"stated" and following == b"frame")
        for part, following in zip(parts, [*parts[1:], b""], strict=True)
    )
    try:
        refuse_hidden(file)
    except DataError:
        assert not right
    else:
        assert right


@pytest.mark.parametrize("rows", [1, 90_000])
def test_frames_that_zstd_skips(tmp_path: Path, rows: int) -> None:
    file = tmp_path / "t.csv.zst"
    whole = zipped(file, rows)
    for content in (whole, whole + whole):
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
