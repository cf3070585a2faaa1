"""Adding to the counts of an earlier audit gives the document of an audit of the whole; else it says why not."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow import feather
from pyarrow import parquet as pq

import auditor
from auditor.dialect import CsvDialect
from auditor.engines import DuckDB
from auditor.engines.duckdb import _files
from auditor.errors import DataError, UsageError
from tests.audit.test_by_hand import audits
from tests.audit.test_by_hand import table as table_of
from tests.engines import data

POLICY = {
    "version": 1,
    "name": "p",
    "attributes": {"zip": "quasi-identifier", "sick": "sensitive", "note": "insensitive"},
    "requirements": [
        {"model": "k-anonymity", "k": 2},
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "sick"},
    ],
}
ROWS = [("01", "flu", "x"), ("01", "flu", "y"), ("02", "hiv", "x"), ("02", "flu", "z"), ("1", "flu", "x")]
MORE = [("01", "hiv", "x"), ("03", "flu", "x")]


@contextmanager
def folder() -> Iterator[Path]:
    """A fresh folder, also within one example of many."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def lines(rows: list[tuple[Any, ...]], names: tuple[str, ...] | None = ("zip", "sick", "note")) -> str:
    return "".join(",".join(row) + "\n" for row in ([names] if names else []) + rows)


def audited(given: Any, policy: Any, place: Path, name: str, since: str | None = None, **more: Any) -> auditor.Result:
    """Audit, keep the counts and the result as NAME.parquet and NAME.json in a folder."""
    found = auditor.check(
        given, policy, counts=place / f"{name}.counts", since=place / f"{since}.json" if since else None, **more
    )
    (place / f"{name}.json").write_text(json.dumps(found.to_dict()))
    return found


def document(result: auditor.Result) -> dict[str, Any]:
    """All but what is said of counts."""
    return {key: value for key, value in result.to_dict().items() if key not in ("since", "counts", "work")}


def same(result: auditor.Result, given: Any, policy: Any, **more: Any) -> None:
    assert document(result) == document(auditor.check(given, policy, **more))


# What adds


def appended_csv(place: Path, parts: list[pa.Table]) -> Iterator[str]:
    file = place / "t.csv"
    for number, part in enumerate(parts):
        text = data.csv_text([tuple(row.values()) for row in part.to_pylist()], names=tuple(part.column_names))
        with file.open("a", newline="", encoding="utf-8") as opened:
            opened.write(text if number == 0 else text.partition("\n")[2])
        yield str(file)


def appended_json(place: Path, parts: list[pa.Table]) -> Iterator[str]:
    file = place / "t.jsonl"
    for part in parts:
        with file.open("a", encoding="utf-8") as opened:
            opened.write("".join(json.dumps(row) + "\n" for row in part.to_pylist()))
        yield str(file)


def parts_of(write: Callable[[pa.Table, Path], None], ending: str) -> Callable[..., Iterator[str]]:
    """New files; each comes before the earlier ones in the order of names."""

    def grow(place: Path, parts: list[pa.Table]) -> Iterator[str]:
        (place / "parts").mkdir()
        for number, part in enumerate(parts):
            if len(part) or number == 0:
                write(part, place / "parts" / f"{9 - number}{ending}")
            yield str(place / "parts")

    return grow


def _csv_file(part: pa.Table, target: Path) -> None:
    rows = [tuple(row.values()) for row in part.to_pylist()]
    target.write_text(data.csv_text(rows, names=tuple(part.column_names)), newline="", encoding="utf-8")


def _gzip_file(part: pa.Table, target: Path) -> None:
    rows = [tuple(row.values()) for row in part.to_pylist()]
    target.write_bytes(gzip.compress(data.csv_text(rows, names=tuple(part.column_names)).encode()))


def _json_file(part: pa.Table, target: Path) -> None:
    target.write_text("".join(json.dumps(row) + "\n" for row in part.to_pylist()), encoding="utf-8")


def hive(place: Path, parts: list[pa.Table]) -> Iterator[str]:
    for number, part in enumerate(parts):
        pq.write_to_dataset(part, place / "hive", partition_cols=["site"], basename_template=f"{number}-{{i}}.parquet")
        yield str(place / "hive")


GROWING = {
    "csv": appended_csv,
    "json lines": appended_json,
    "parts of csv": parts_of(_csv_file, ".csv"),
    "parts of csv.gz": parts_of(_gzip_file, ".csv.gz"),
    "parts of json": parts_of(_json_file, ".jsonl"),
    "parts of parquet": parts_of(pq.write_table, ".parquet"),
    "parts of feather": parts_of(feather.write_feather, ".feather"),
    "hive": hive,
}


@pytest.mark.slow
@pytest.mark.parametrize("form", GROWING)
@settings(max_examples=8)
@given(given_audit=audits(), cuts=st.lists(st.integers(1, 12), max_size=2))
def test_adding_gives_the_document_of_the_whole(form, given_audit, cuts):
    setting, policy, original = given_audit
    policy = {key: value for key, value in policy.items() if key != "unit"}
    whole = table_of(setting.rows)
    ends = sorted({min(cut, len(whole)) for cut in cuts} | {len(whole)})
    parts = [whole.slice(start, end - start) for start, end in zip([0, *ends], ends, strict=False)]
    more = {"original": None if original is None else table_of(original), "expose": True}
    with folder() as place:
        for number, path in enumerate(GROWING[form](place, parts)):
            found = audited(path, policy, place, str(number), str(number - 1) if number else None, **more)
            same(found, path, policy, **more)
            if number:
                added = found.since.records_added, found.since.reason
                assert (found.since.added, *added) == (True, len(parts[number]), None)


@pytest.mark.slow
@settings(max_examples=8)
@given(audits(), st.integers(1, 11))
def test_units_are_counted_anew(given_audit, cut):
    setting, policy, original = given_audit
    rows_only = {key: value for key, value in policy.items() if key != "unit"}
    more = {"original": None if original is None else table_of(original)}
    whole = table_of(setting.rows)
    with folder() as place:
        grow = appended_csv(place, [whole.slice(0, cut), whole.slice(cut)])
        audited(next(grow), rows_only, place, "a", **more)
        path = next(grow)
        found = auditor.check(path, {**policy, "unit": "person"}, since=place / "a.json", **more)
        same(found, path, {**policy, "unit": "person"}, **more)
    assert not found.since.added
    assert "counts by 'person'" in found.since.reason


FIELDS = st.sampled_from(["a", "b", "", " ", "01", '"q\nq"', '"q\r\nq"', '"x""y"', '"a,b"', '""', "é"])


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.integers(1, 2),
    st.lists(FIELDS, min_size=2, max_size=16),
    st.integers(1, 7),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "", "end"]),
    st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "latin-1", "utf-16", "cp1252"]),
    st.booleans(),
)
def test_a_text_that_grew_is_read_as_the_whole(columns, fields, cut, end, last, encoding, blank):
    records = [",".join(fields[i : i + columns]) for i in range(0, len(fields) - columns + 1, columns)]
    names = ",".join(("u", '"v\nw"')[:columns])
    policy = {
        "name": "p",
        "attributes": {"u": "quasi-identifier", **({"v\nw": "quasi-identifier"} if columns == 2 else {})},
        "requirements": [{"model": "k-anonymity", "k": 2}],
    }
    before = end.join([names, *records[:cut]]) + ("" if last else end)
    after = (end if last else "") + (end if blank else "") + end.join(records[cut:])
    options = {} if encoding.startswith("utf") else {"csv": CsvDialect(encoding=encoding)}
    with folder() as place:
        file = place / "t.csv"
        file.write_bytes(before.encode(encoding))
        try:
            audited(file, policy, place, "a", **options)
        except DataError:
            assume(False)
        appendix = after.encode({"utf-16": "utf-16-le", "utf-8-sig": "utf-8"}.get(encoding, encoding))
        with file.open("ab") as opened:
            opened.write(appendix)
        try:
            whole = auditor.check(file, policy, **options)
        except DataError as error:
            with pytest.raises(DataError, match=f"^{re.escape(str(error))}$"):
                auditor.check(file, policy, since=place / "a.json", **options)
            return
        found = auditor.check(file, policy, since=place / "a.json", **options)
    assert document(found) == document(whole)
    assert found.since.added == (encoding not in ("utf-16", "cp1252") or not after), found.since.reason


TYPED = {
    "decimal": [Decimal("1.10"), Decimal("-2.00"), None],
    "float": [0.1, float("nan"), 0.0, -0.0, 0.0, -0.0, 1e30, None],
    "day": [date(2020, 1, 1), date(1, 1, 1)],
    "moment": [datetime.fromisoformat("2020-01-01T12:00:00.000001"), None],
    "zoned": [datetime(2020, 1, 1, tzinfo=UTC)],
    "flag": [True, False, None],
    "small": [1, -3, 200],
}
ARROW = {"decimal": pa.decimal128(9, 2), "float": pa.float32(), "small": pa.int16(), "zoned": pa.timestamp("ns", "UTC")}


@pytest.mark.slow
@settings(max_examples=10)
@given(st.lists(st.fixed_dictionaries({k: st.sampled_from(v) for k, v in TYPED.items()}), min_size=2), st.data())
def test_types_are_kept(rows, chosen):
    cut = chosen.draw(st.integers(1, len(rows) - 1))
    fields = {name: pa.array([row[name] for row in rows], ARROW.get(name)) for name in TYPED}
    fields["time"] = pa.array([12345, None] * len(rows), pa.time64("us"))[: len(rows)]
    table = pa.table(fields)
    policy = {
        "name": "p",
        "attributes": {**dict.fromkeys(fields, "quasi-identifier"), "float": {"role": "sensitive"}},
        "requirements": [
            {"model": "t-closeness", "t": 0.3, "sensitive": "float"},
            {"model": "allowed-values", "attribute": "moment", "pattern": ".*T.*"},
            {"model": "allowed-values", "attribute": "float", "values": ["0.1", "0.0"], "id": "zero"},
        ],
    }
    with folder() as place:
        grow = parts_of(pq.write_table, ".parquet")(place, [table.slice(0, cut), table.slice(cut)])
        audited(next(grow), policy, place, "a")
        path = next(grow)
        found = auditor.check(path, policy, since=place / "a.json", expose=True)
        same(found, path, policy, expose=True)
    assert found.since.added, found.since.reason


def test_values_of_types_that_parquet_lacks_are_kept_as_texts(tmp_path):
    """HUGEINT would come back as a double, and so as another number."""
    numbers = [2**100, 2**100 + 1, -5]
    (tmp_path / "parts").mkdir()
    with duckdb.connect() as database:
        for name, these in (("a", numbers[:2]), ("b", numbers[1:])):
            listed = ", ".join(f"(uuid(), '{n}'::HUGEINT)" for n in these)
            database.execute(
                f"CREATE TABLE {name} AS SELECT i::UUID AS i, h::VARCHAR AS h FROM (VALUES {listed}) t(i, h)"
            )
            database.execute(f"COPY {name} TO '{tmp_path}/parts/{name}.parquet'")
            if name == "a":
                policy = {
                    "name": "p",
                    "attributes": {"i": "sensitive", "h": {"role": "sensitive", "type": "number"}},
                    "undeclared": "insensitive",
                    "requirements": [{"model": "allowed-values", "attribute": "i", "pattern": "[0-9a-f-]{36}"}],
                }
                audited(tmp_path / "parts", policy, tmp_path, "a")
    found = auditor.check(tmp_path / "parts", policy, since=tmp_path / "a.json")
    assert found.since.added
    same(found, tmp_path / "parts", policy)
    assert [c.type for c in found.data.column_roles] == ["uuid", "varchar"]


# What does not, and why


def grown(place: Path) -> Path:
    """A CSV file that was audited and grew."""
    file = place / "t.csv"
    file.write_text(lines(ROWS))
    audited(file, POLICY, place, "a")
    with file.open("a") as opened:
        opened.write(lines(MORE, None))
    return file


def _policy(**changed: Any) -> dict[str, Any]:
    return {**POLICY, **changed}


def _with(requirement: dict[str, Any]) -> dict[str, Any]:
    return _policy(requirements=[*POLICY["requirements"], requirement])


@pytest.mark.parametrize(
    "policy",
    [
        _policy(requirements=[{"model": "k-anonymity", "k": 7}]),
        _policy(missing="wildcard", attributes={**POLICY["attributes"], "zip": {
            "role": "quasi-identifier", "missing_values": ["01"]}}),
        _policy(attributes={**POLICY["attributes"], "zip": {"role": "sensitive", "type": "number"}},
                requirements=[{"model": "k-anonymity", "k": 1, "quasi_identifiers": ["sick"]}]),
        _with({"model": "allowed-values", "attribute": "zip", "pattern": "0.*"}),
        _with({"model": "max-blank-columns", "max": 0}),
        _with({"model": "max-blank-columns", "max": 0, "attributes": ["zip", "sick"]}),
    ],
)  # fmt: skip
def test_another_policy_on_the_same_columns_adds(policy, tmp_path):
    """Values are kept as the data has them: what is missing, what is a number and what is demanded may change."""
    file = grown(tmp_path)
    found = auditor.check(file, policy, since=tmp_path / "a.json")
    assert (found.since.added, found.since.records_before, found.since.records_added) == (True, 5, 2)
    same(found, file, policy)


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (_policy(unit="note"), "the policy counts by 'note'"),
        (_with({"model": "allowed-values", "attribute": "note", "pattern": ".*"}),
         "the policy reads column 'note', which the counts were made without"),
        (_policy(attributes={**POLICY["attributes"], "note": "quasi-identifier"}), "the policy reads column 'note'"),
        (_with({"model": "max-linkage-risk", "max": 0.9, "attributes": ["zip"], "match": "position"}),
         "requirement 'max-linkage-risk' looks at single records"),
        (_with({"model": "max-blank-columns", "max": 0, "attributes": ["zip", "note"]}),
         "requirement 'max-blank-columns' looks at single records"),
    ],
)  # fmt: skip
def test_a_policy_that_counts_cannot_answer_is_counted_anew(policy, reason, tmp_path):
    file = grown(tmp_path)
    found = auditor.check(file, policy, since=tmp_path / "a.json")
    assert (found.since.added, found.since.records_before) == (False, None)
    assert reason in found.since.reason
    same(found, file, policy)


def _changed(file: Path) -> None:
    file.write_text(file.read_text().replace("01,flu,x", "09,flu,x", 1))


def _continued(file: Path) -> None:
    """What was the last record goes on in what was appended."""
    text = lines(ROWS).removesuffix("\n")
    file.write_text(text)
    audited(file, POLICY, file.parent, "a")
    file.write_text(text + "x\n03,flu,x\n")


def _quoted(file: Path) -> None:
    file.write_text(lines(ROWS, ("zip", "sick", "note")).replace(",", ";"))


def _counts(change: Callable[[Path], None]) -> Callable[[Path], None]:
    return lambda file: change(file.parent / "a.counts")


def _result(**changed: Any) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        stored = file.parent / "a.json"
        stored.write_text(json.dumps({**json.loads(stored.read_text()), **changed}))

    return change


def _flipped(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    file.write_bytes(raw)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_changed, "t.csv has changed since it was counted"),
        (lambda file: file.write_text(lines(ROWS[:-1])), "t.csv is shorter than what was counted: removed records"),
        (lambda file: file.write_text(lines(ROWS[::-1])), "t.csv has changed since it was counted"),
        (_continued, "had no line break, and the appended data continues it"),
        (_counts(Path.unlink), "a.counts is not beside a.json"),
        (_counts(_flipped), "a.counts is not the file of counts that a.json was made with"),
        (_result(counts=None), "a.json kept no counts"),
    ],
)  # fmt: skip
def test_data_or_counts_that_changed_are_counted_anew(change, reason, tmp_path):
    file = grown(tmp_path)
    change(file)
    found = auditor.check(file, POLICY, since=tmp_path / "a.json")
    assert not found.since.added
    assert reason in found.since.reason
    same(found, file, POLICY)


def parquet(place: Path, name: str, rows: list[tuple[Any, ...]], names: tuple[str, ...] = ("zip", "sick", "note")):
    place.mkdir(exist_ok=True)
    table = pa.table(dict(zip(names, (pa.array(column) for column in zip(*rows, strict=True)), strict=True)))
    pq.write_table(table, place / name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda parts: (parts / "1.parquet").unlink(), "1.parquet was counted earlier and is gone"),
        (lambda parts: parquet(parts, "1.parquet", MORE), "1.parquet has changed since it was counted"),
        (lambda parts: (parts / "1.parquet").rename(parts / "2.parquet"), "1.parquet was counted earlier and is gone"),
        (lambda parts: parquet(parts, "0.parquet", [(*row, "q") for row in MORE], ("zip", "sick", "note", "new")),
         "the files differ in their columns"),
        (lambda parts: parquet(parts, "0.parquet", [row[:2] for row in MORE], ("zip", "sick")),
         "the files differ in their columns"),
        (lambda parts: parquet(parts, "0.parquet", [(1, "flu", "x")]), "column 'zip' has a different type than before"),
        (lambda parts: parquet(parts, "2.parquet", [(1, "flu", "x")]), "column 'zip' has a different type than before"),
        (lambda parts: parquet(parts, "0.parquet", MORE, ("sick", "zip", "note")),
         "the files differ in their columns"),
    ],
)  # fmt: skip
def test_files_that_are_no_append_are_counted_anew(change, reason, tmp_path):
    parts = tmp_path / "parts"
    parquet(parts, "1.parquet", ROWS)
    audited(parts, POLICY, tmp_path, "a")
    parquet(parts, "3.parquet", MORE)
    change(parts)
    try:
        whole = auditor.check(parts, POLICY)
    except DataError as error:
        with pytest.raises(DataError, match=re.escape(str(error))):
            auditor.check(parts, POLICY, since=tmp_path / "a.json")
        return
    found = auditor.check(parts, POLICY, since=tmp_path / "a.json")
    assert not found.since.added
    assert reason in found.since.reason
    assert document(found) == document(whole)


def test_another_format_dialect_reader_or_kind_of_data_is_counted_anew(tmp_path, monkeypatch):
    file = tmp_path / "t.csv"
    file.write_text(lines(ROWS))
    audited(file, POLICY, tmp_path, "a")
    parquet(tmp_path, "t.parquet", ROWS)
    reasons = {
        "the data is parquet, and what was counted is csv": tmp_path / "t.parquet",
        "only for files can it be shown": pq.read_table(tmp_path / "t.parquet"),
    }
    for reason, given_data in reasons.items():
        found = auditor.check(given_data, POLICY, since=tmp_path / "a.json")
        assert not found.since.added
        assert found.since.reason.startswith(reason)
    with pytest.raises(UsageError, match="counts cannot be kept: only for files"):
        auditor.check(pq.read_table(tmp_path / "t.parquet"), POLICY, counts=tmp_path / "b.counts")
    found = auditor.check(file, POLICY, since=tmp_path / "a.json", csv=CsvDialect(quote="'"))
    assert found.since.reason == "the files are written differently (delimiter, quote or encoding)"
    monkeypatch.setattr(_files, "READER", "duckdb 0")
    found = auditor.check(file, POLICY, since=tmp_path / "a.json")
    assert "another version of the reader, which is now duckdb 0" in found.since.reason


class Other:
    """An engine that is not DuckDB in this process, by name."""

    open = DuckDB.open


def test_counts_of_another_engine_are_not_kept(tmp_path):
    file = grown(tmp_path)
    found = auditor.check(file, POLICY, since=tmp_path / "a.json", engine=Other())
    assert "DuckDB made in this process" in found.since.reason
    with pytest.raises(UsageError, match="DuckDB made in this process"):
        auditor.check(file, POLICY, counts=tmp_path / "b.counts", engine=Other())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("SELECT c0, c1, -n AS n FROM counts", "holds values that are not counts"),
        (
            "SELECT c0, c1, CASE WHEN c0 = '01' THEN NULL ELSE n END AS n FROM counts",
            "holds values that are not counts",
        ),
        ("SELECT c0, c1, 9223372036854775807 AS n FROM counts", "holds values that are not counts"),
        ("SELECT c0, c1, CAST(n AS DOUBLE) AS n FROM counts", "does not have the columns that it says it has"),
        ("SELECT c0, 1 AS c1, n FROM counts", "does not have the columns that it says it has"),
        ("SELECT c0, n FROM counts", "does not have the columns that it says it has"),
        ("SELECT c0, c1, n FROM counts WHERE false", "holds values that are not counts"),
    ],
)  # fmt: skip
def test_hostile_counts_are_not_added_to(statement, reason, tmp_path):
    """Even where the result was made to name them."""
    file = grown(tmp_path)
    said = _said(tmp_path / "a.counts")
    _rewritten(tmp_path, statement, said)
    found = auditor.check(file, POLICY, since=tmp_path / "a.json")
    assert not found.since.added
    assert reason in found.since.reason
    same(found, file, POLICY)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda said: {**said, "version": 2},
        lambda said: {**said, "files": []},
        lambda said: {**said, "files": [{**said["files"][0], "size": -3}]},
        lambda said: {**said, "counted": ["zip", "zip"]},
        lambda said: {**said, "records": 0},
        lambda said: {**said, "columns": [{"name": "zip", "type": "VARCHAR); DROP"}, *said["columns"][1:]]},
        lambda said: {**said, "counted": ["zip", "nowhere"]},
        lambda said: "counts",
        lambda said: None,
    ],
)
def test_hostile_metadata_is_not_believed(change, tmp_path):
    file = grown(tmp_path)
    _rewritten(tmp_path, "FROM counts", change(_said(tmp_path / "a.counts")))
    found = auditor.check(file, POLICY, since=tmp_path / "a.json")
    assert not found.since.added
    same(found, file, POLICY)


@pytest.mark.parametrize("raw", [b"", b"PAR1", b"a,b\n1,2\n", b"PAR1" + b"\0" * 50 + b"PAR1"])
def test_a_file_that_is_no_parquet_is_no_counts(raw, tmp_path):
    file = grown(tmp_path)
    (tmp_path / "a.counts").write_bytes(raw)
    _named(tmp_path)
    found = auditor.check(file, POLICY, since=tmp_path / "a.json")
    assert found.since.reason == "a.counts is not a file of counts"


def _said(counts: Path) -> Any:
    with duckdb.connect() as database:
        found = database.execute(f"SELECT value FROM parquet_kv_metadata('{counts}')").fetchall()
    return json.loads(found[0][0])


def _rewritten(place: Path, statement: str, said: Any) -> None:
    """Write the counts anew, and name them in the result."""
    target = place / "a.counts"
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE counts AS FROM read_parquet('{target}')")
        about = f", KV_METADATA {{'auditor.counts': '{json.dumps(said)}'}}" if said is not None else ""
        database.execute(f"COPY ({statement}) TO '{target}' (FORMAT parquet{about})")
    _named(place)


def _named(place: Path) -> None:
    stored = json.loads((place / "a.json").read_text())
    stored["counts"]["sha256"] = hashlib.sha256((place / "a.counts").read_bytes()).hexdigest()
    (place / "a.json").write_text(json.dumps(stored))


def test_a_file_that_changes_while_it_is_counted_is_an_error(tmp_path, monkeypatch):
    file = grown(tmp_path)
    opened = _files._Opening.csv

    def changing(opening: Any) -> Any:
        found = opened(opening)
        with file.open("a") as more:
            more.write("04,flu,x\n")
        return found

    monkeypatch.setattr(_files._Opening, "csv", changing)
    with pytest.raises(DataError, match="was changed while it was counted"):
        auditor.check(file, POLICY, counts=tmp_path / "b.counts")
    assert not (tmp_path / "b.counts").exists()


def test_an_earlier_result_that_is_none_is_an_error(tmp_path):
    file = grown(tmp_path)
    for text, reason in (("{}", "no schema_version"), ("[", "not a JSON document"), (None, "No such file")):
        (tmp_path / "b.json").unlink(missing_ok=True)
        if text is not None:
            (tmp_path / "b.json").write_text(text)
        with pytest.raises(DataError, match=reason):
            auditor.check(file, POLICY, since=tmp_path / "b.json")


def test_counts_may_be_added_to_again_and_moved(tmp_path):
    file = grown(tmp_path)
    audited(file, POLICY, tmp_path, "b", "a")
    (tmp_path / "there").mkdir()
    for name in ("b.json", "b.counts"):
        shutil.move(tmp_path / name, tmp_path / "there" / name)
    file.rename(tmp_path / "renamed.csv")
    found = auditor.check(tmp_path / "renamed.csv", POLICY, since=tmp_path / "there" / "b.json")
    assert (found.since.added, found.since.records_before, found.since.records_added) == (True, 7, 0)
    same(found, tmp_path / "renamed.csv", POLICY)


def test_names_that_look_like_patterns_are_names(tmp_path):
    place = tmp_path / "x=[1]*"
    place.mkdir()
    file = place / "t[1]'?.csv"
    file.write_text(lines(ROWS))
    audited(file, POLICY, place, "a[1]'*?")
    with file.open("a") as opened:
        opened.write(lines(MORE, None))
    found = audited(file, POLICY, place, "b[1]'*?", "a[1]'*?")
    assert found.since.added, found.since.reason
    same(found, file, POLICY)


def test_pandas_reads_the_counts(tmp_path):
    grown(tmp_path)
    found = pd.read_parquet(tmp_path / "a.counts")
    assert sorted(map(tuple, found.to_numpy().tolist())) == [
        ("01", "flu", 2), ("02", "flu", 1), ("02", "hiv", 1), ("1", "flu", 1),
    ]  # fmt: skip
