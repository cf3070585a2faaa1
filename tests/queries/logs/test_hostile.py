"""Logs that nobody meant to be read: whatever the bytes, statements or an error with its place, in bounded memory."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.queries.logs import FORMATS, _records, _split, _text, read_log, stderr
from tests.queries.logs.test_server import FORMS, SUM, row

PIECES = ["$$", "$a$", "/*", "*/", "--", "\r\n", "E'", '{"sql": "', "sql,user\n", "SELECT a FROM t", "-- user: ", "[1]"]
MESSAGES = ["LOG:  statement: ", "ERROR:  ", "STATEMENT:  ", "AUDIT: SESSION,1", "execute a: ", "duration: 1 ms  "]
SCRAPS = st.sampled_from([*"'\";\n\t\\,{}\x00\ufeff\ud800\u2028", *PIECES, *MESSAGES])
TEXTS = st.lists(SCRAPS, max_size=30).map("".join)


def read_all(path: Path, format_: str | None) -> None:
    """Either statements, or an error that names the file."""
    try:
        statements = list(read_log(path, format_))
    except DataError as error:
        statements = []
        if path.name not in str(error):
            raise
    for statement in statements:
        statement.sql.encode()
        assert statement.sql.strip()


@given(st.one_of(TEXTS.map(lambda text: text.encode(errors="surrogatepass")), st.binary(max_size=200)), st.booleans())
@pytest.mark.parametrize("format_", [None, *FORMATS])
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, format_: str | None, content: bytes, packed: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.log"
    path.write_bytes(gzip.compress(content) if packed else content)
    read_all(path, format_)


@given(st.data())
@pytest.mark.parametrize("name", FORMS)
def test_a_damaged_server_log_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    whole = FORMS[name]([row(f"statement: {SUM}"), row("no", "ERROR", state_code="42703", statement=SUM)] * 2)
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 40)))
    path = tmp_path_factory.getbasetemp() / name
    path.write_text(whole[:start] + data.draw(TEXTS) + whole[end:], encoding="utf-8", errors="replace")
    read_all(path, None)
    read_all(path, {"log.csv": "csvlog", "log.json": "jsonlog"}.get(name, "stderr"))


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=12)
QUERIES = st.lists(WORDS.map(lambda w: "'" + w.replace("'", "''") + "'"), max_size=4).map(
    lambda parts: "SELECT sum(x) FROM t WHERE y IN (" + ", ".join(parts) + ")"
)


@given(st.lists(QUERIES, min_size=1, max_size=4))
@pytest.mark.parametrize("name", FORMS)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, name: str, statements: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_text(FORMS[name]([row(f"statement: {sql}") for sql in statements]), encoding="utf-8", newline="\n")
    assert [statement.sql for statement in read_log(path)] == statements


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("long.sql", "SELECT " + "a" * 3000),
        ("lines.sql", "SELECT\n" + "a,\n" * 2000),
        ("quote.sql", "SELECT '" + "\n" * 3000),
        ("long.jsonl", '{"sql": "' + "a" * 3000),
        ("record.csv", 'user,sql\nana,"' + "a\n" * 2000),
        ("entry.log", "2026-11-21 09:00:00 UTC [1] ana@hr LOG:  statement: SELECT\n" + "\ta\n" * 2000),
    ],
)
def test_nothing_is_kept_without_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str
) -> None:
    for room in (_text, _split, _records, stderr):
        monkeypatch.setattr(room, "LONGEST", 2000)
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(DataError, match=rf"{name}:\d+: "):
        list(read_log(path))


def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    """Ten times the log, the same peak: nothing is kept of what was read."""
    peaks = []
    for repeats in (500, 5000):
        path = tmp_path / "log.csv"
        rows = [row(f"statement: {SUM} WHERE x = {i % 10}", session=f"65a1.{i % 7:x}") for i in range(50)]
        path.write_text(FORMS["log.csv"](rows) * (repeats // 50))
        tracemalloc.start()
        assert sum(1 for _ in read_log(path)) == repeats
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5 + 2**20
