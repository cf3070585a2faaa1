"""The verdict of a folder is that of its files' records in one table, whatever the files are called."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather
from pyarrow import parquet as pq

import auditor
from auditor.engines import ColumnUse, RunLimits, look_at, open_data
from auditor.errors import DataError, NotEvaluated
from tests.documents import without_work

POLICY: dict[str, Any] = {
    "name": "p",
    "attributes": {"name": "identifier", "age": "quasi-identifier", "zip": "quasi-identifier", "dx": "sensitive"},
    "undeclared": "insensitive",
    "requirements": [{"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "l": 2}],
}


def _text(table: pa.Table, delimiter: str) -> str:
    rows = [table.schema.names, *(row.values() for row in table.to_pylist())]
    return "".join(delimiter.join("" if value is None else str(value) for value in row) + "\n" for row in rows)


def _json(table: pa.Table) -> str:
    return "".join(json.dumps(row) + "\n" for row in table.to_pylist())


WRITERS: dict[str, Callable[[pa.Table, Path], object]] = {
    "csv": lambda table, path: path.write_text(_text(table, ",")),
    "tsv": lambda table, path: path.write_text(_text(table, "\t")),
    "jsonl": lambda table, path: path.write_text(_json(table)),
    "parquet": pq.write_table,
    "arrow": lambda table, path: feather.write_feather(table, str(path), compression="uncompressed"),
}
TYPED = ("parquet", "arrow")


def written(folder: Path, form: str, tables: Sequence[pa.Table], names: Sequence[str]) -> str:
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, table in zip(names, tables, strict=True):
        WRITERS[form](table, folder / f"{name}.{form}")
    return str(folder)


def document(given: str) -> dict[str, Any]:
    """The result without the facts of the files, and without what is told of them."""
    found = without_work(auditor.check(given, POLICY).to_dict())
    facts = found.pop("data")
    said = [each for each in found.pop("assumptions") if "files lack columns" not in each]
    # Columns stand in the order in which they are met first, which is that of the files' names.
    for each in (found["classes"], *found["requirements"]):
        each["quasi_identifiers"] = sorted(each["quasi_identifiers"])
    return {**found, "rows": facts["rows"], "names": {each["name"] for each in facts["column_roles"]}, "said": said}


AGES = [None, 30, 31, 300, 70_000, 2**40]
PLACES = [None, 30.0, 31.0, 29.6, 0.5]
ROWS = st.fixed_dictionaries(
    {"age": st.sampled_from(AGES), "zip": st.sampled_from(PLACES), "dx": st.sampled_from([None, "flu", "cold"])}
)
WHOLE = {"age": pa.int64(), "zip": pa.float64(), "dx": pa.string(), "name": pa.string()}
NARROWER = {"age": [pa.int8(), pa.uint16(), pa.int32()], "zip": [pa.int8(), pa.int32(), pa.int64(), pa.float32()]}


def table_of(rows: list[dict[str, Any]], names: Sequence[str], kinds: dict[str, pa.DataType] = WHOLE) -> pa.Table:
    return pa.table({name: pa.array([row.get(name) for row in rows], kinds[name]) for name in names})


@st.composite
def a_part(draw: st.DrawFn, rows: list[dict[str, Any]], names: list[str]) -> pa.Table:
    """Some rows as a typed file may hold them: columns in any order, empty ones left out, narrow types that do."""
    kept = [n for n in draw(st.permutations(names)) if any(r.get(n) is not None for r in rows) or draw(st.booleans())]
    kinds = dict(WHOLE)
    for name in kept:
        try:
            kind = draw(st.sampled_from([WHOLE[name], *NARROWER.get(name, []), pa.null()]))
            found = pa.array([row.get(name) for row in rows], kind)
            kinds[name] = kind if found.to_pylist() == [row.get(name) for row in rows] else kinds[name]
        except (pa.ArrowException, TypeError, OverflowError):
            pass
    return table_of(rows, kept or names, kinds)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
@pytest.mark.parametrize("form", WRITERS)
def test_a_folder_is_judged_as_all_its_records_in_one_file(form, tmp_path, data):
    parts = data.draw(st.lists(st.lists(ROWS, min_size=1, max_size=4), min_size=1, max_size=4))
    named = data.draw(st.integers(-1, len(parts) - 1))  # the part in which somebody's name stands
    if named >= 0:
        parts[named][0] = {**parts[named][0], "name": "Ann"}
    rows = [row for part in parts for row in part]
    names = ["age", "zip", "dx"] + (["name"] if named >= 0 else [])
    # One part has every column with its type: a table is no more than what its parts say.
    whole = data.draw(st.sampled_from(range(len(parts))))
    tables = [
        data.draw(a_part(part, names)) if form in TYPED and place != whole else table_of(part, names)
        for place, part in enumerate(parts)
    ]
    order = data.draw(st.permutations([f"{place}" for place in range(len(parts))]))
    expected = document(written(tmp_path / "whole", form, [table_of(rows, names)], ["all"]))
    assert document(written(tmp_path / "parts", form, tables, order)) == expected
    assert (named >= 0) == any(each["id"] == "identifiers" for each in expected["requirements"])


DAY, CLOCK = dt.date(2026, 1, 2), dt.datetime(2026, 1, 2)  # noqa: DTZ001  (a clock has no zone)
FAR = dt.datetime(1500, 1, 1)  # noqa: DTZ001
AS_THEY_ARE: dict[str, tuple[pa.Array, pa.Array, list[str]]] = {
    "whole numbers beside others": (pa.array([30, 31]), pa.array([29.6, 30.0]), ["29.6", "30.0", "31.0"]),
    "bytes and long words": (pa.array([1], pa.uint64()), pa.array([-1], pa.int8()), ["-1", "1"]),
    "single and double": (pa.array([0.5], pa.float32()), pa.array([0.1]), ["0.1", "0.5"]),
    "decimals": (
        pa.array([Decimal("1.10")], pa.decimal128(5, 2)),
        pa.array([Decimal("123456789.1")], pa.decimal128(20, 1)),
        ["1.10", "123456789.10"],
    ),
    "decimals and whole numbers": (pa.array([Decimal("1.5")], pa.decimal128(9, 1)), pa.array([7]), ["1.5", "7.0"]),
    "nothing and text": (pa.nulls(1), pa.array(["x"]), ["x"]),
    "nothing that is a number and text": (pa.array([None], pa.float64()), pa.array(["x"]), ["x"]),
    "milliseconds and nanoseconds": (
        pa.array([CLOCK], pa.timestamp("ms")),
        pa.array([CLOCK], pa.timestamp("ns")),
        ["2026-01-02T00:00:00"],
    ),
}
NOT_AS_THEY_ARE: dict[str, tuple[pa.Array, pa.Array]] = {
    "a number and its text": (pa.array([30]), pa.array(["30"])),
    "too large for a double": (pa.array([2**53 + 1]), pa.array([0.5])),
    "a decimal and a double": (pa.array([Decimal("0.1")], pa.decimal128(5, 1)), pa.array([0.1])),
    "truth and number": (pa.array([True]), pa.array([1])),
    "a day and a time": (pa.array([DAY]), pa.array([CLOCK], pa.timestamp("us"))),
    "a clock and a moment": (pa.array([CLOCK], pa.timestamp("us")), pa.array([CLOCK], pa.timestamp("us", "UTC"))),
    "a time that nanoseconds do not reach": (pa.array([FAR], pa.timestamp("us")), pa.array([0], pa.timestamp("ns"))),
    "text and bytes": (pa.array(["x"]), pa.array([b"x"])),
    "decimals that are too wide together": (
        pa.array([Decimal(10) ** 36], pa.decimal128(38, 0)),
        pa.array([Decimal("0.01")], pa.decimal128(38, 30)),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("case", AS_THEY_ARE)
@pytest.mark.parametrize("form", TYPED)
def test_a_type_that_holds_the_values_of_all_files_is_that_of_the_table(form, case, turned, tmp_path):
    *arrays, expected = AS_THEY_ARE[case]
    if form == "arrow" and case == "decimals and whole numbers":
        pytest.skip("Arrow finds no type for both; the files are refused")
    tables = [pa.table({"a": each}) for each in (reversed(arrays) if turned else arrays)]
    with open_data(written(tmp_path / "d", form, tables, ["0", "1"])) as source:
        assert sorted(each for each in source.dictionary(ColumnUse("a"))[0] if each is not None) == expected


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("case", NOT_AS_THEY_ARE)
@pytest.mark.parametrize("form", TYPED)
def test_no_value_is_changed_to_fit_the_type_of_another_file(form, case, turned, tmp_path):
    arrays = NOT_AS_THEY_ARE[case]
    tables = [pa.table({"a": each}) for each in (reversed(arrays) if turned else arrays)]
    given = written(tmp_path / "d", form, tables, ["0", "1"])
    with pytest.raises(DataError) as error, open_data(given) as source:
        source.dictionary(ColumnUse("a"))
    assert "30" not in str(error.value).replace("DECIMAL(38,30)", "").rpartition("/")[2]


@pytest.mark.parametrize(("large", "refused"), [(2**24, False), (2**24 + 1, True)])
def test_whole_numbers_beside_single_precision(large, refused, tmp_path):
    """DuckDB has both as single precision, in which 2^24 + 1 is 2^24."""
    tables = [pa.table({"a": pa.array([large], pa.int32())}), pa.table({"a": pa.array([0.5], pa.float32())})]
    given = written(tmp_path / "d", "parquet", tables, ["0", "1"])
    if refused:
        with pytest.raises(DataError, match="holds the values of both exactly"):
            open_data(given)
        return
    with open_data(given) as source:
        assert set(source.dictionary(ColumnUse("a"))[0]) == {"0.5", "16777216.0"}


@pytest.mark.parametrize("form", TYPED)
def test_a_release_holds_the_values_of_all_files(form, tmp_path):
    """29.6 was cast to the first file's type, and written so."""
    tables = [pa.table({"age": [30, 30]}), pa.table({"age": [29.6, 29.6], "dx": ["a", "b"]})]
    given = written(tmp_path / "d", form, tables, ["2025", "2026"])
    policy = {"attributes": {"age": "quasi-identifier", "dx": "insensitive"}, "name": "p"}
    policy["requirements"] = [{"model": "k-anonymity", "k": 2}]
    found = auditor.remediate(given, policy, output=tmp_path / "r.parquet")
    assert found.result.verdict == "pass"
    released = pq.read_table(tmp_path / "r.parquet").to_pylist()
    assert sorted(released, key=str) == sorted(
        [{"age": 30.0, "dx": None}] * 2 + [{"age": 29.6, "dx": each} for each in "ab"], key=str
    )


@pytest.mark.parametrize("form", TYPED)
def test_columns_that_some_files_lack_are_told(form, tmp_path):
    tables = [pa.table({"age": [1, 1]}), pa.table({"age": [1, 1], "zip": [2, 2]})]
    found = auditor.check(written(tmp_path / "d", form, tables, ["0", "1"]), POLICY)
    assert sum("files lack columns" in each for each in found.assumptions) == 1
    assert found.classes is not None
    assert found.classes.count == 2
    alike = auditor.check(written(tmp_path / "d", form, tables[1:] * 2, ["0", "1"]), POLICY)
    assert not any("files lack columns" in each for each in alike.assumptions)


@pytest.mark.parametrize("form", TYPED)
def test_a_partition_is_none_of_the_columns_of_any_file(form, tmp_path):
    for name, table in (("1", pa.table({"a": [1]})), ("2", pa.table({"a": [1], "Y": [5]}))):
        (tmp_path / f"y={name}").mkdir()
        WRITERS[form](table, tmp_path / f"y={name}" / f"part.{form}")
    with pytest.raises(DataError, match="is a column of the files and of the folders"):
        open_data(str(tmp_path))


def test_names_that_differ_in_case_from_file_to_file_are_refused(tmp_path):
    """DuckDB takes them for one column."""
    tables = [pa.table({"age": [1]}), pa.table({"Age": [2]})]
    with pytest.raises(DataError, match="differ only in case"):
        open_data(written(tmp_path / "d", "parquet", tables, ["0", "1"]))


def test_names_with_signs_of_globs(tmp_path):
    folder = tmp_path / "a[1]*?"
    tables = [pa.table({"age": [1]}), pa.table({"age": [2.5], "zip": [1]})]
    with open_data(written(folder, "parquet", tables, ["[0]", "*"])) as source:
        assert source.dictionary(ColumnUse("age"))[0] == ("1.0", "2.5")
    assert [column.name for column in look_at(str(folder)).columns] == ["age", "zip"]


def test_keys_of_every_file_of_many_are_found(tmp_path):
    """DuckDB looks into 32 files for keys if nobody asks for more."""
    tables = [*([pa.table({"age": [1], "dx": ["flu"]})] * 40), pa.table({"age": [1], "dx": ["a"], "name": ["Ann"]})]
    given = written(tmp_path / "d", "jsonl", tables, [f"{place:02}" for place in range(len(tables))])
    assert "identifiers" in [each.id for each in auditor.check(given, POLICY).requirements]


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("form", [None, "never"])
def test_utf_16_with_any_character_in_either_order(form, order, tmp_path):
    """Where no copy may be written, what DuckDB does not read is refused: big-endian files, and emoji before 2.0.1."""
    mark = {"le": b"\xff\xfe", "be": b"\xfe\xff"}[order]
    (tmp_path / "emoji.csv").write_bytes(mark + "a\nx😀\nhöhe\n".encode(f"utf-16-{order}"))
    (tmp_path / "plain.csv").write_bytes(mark + "a\nhöhe\n".encode(f"utf-16-{order}"))
    limits = RunLimits.of().spilling(form)
    expected = {"emoji.csv": ("höhe", "x😀"), "plain.csv": ("höhe",)}
    for name, labels in expected.items():
        if form is None or (order, name) == ("le", "plain.csv"):
            with open_data(str(tmp_path / name), limits=limits) as source:
                assert source.dictionary(ColumnUse("a"))[0] == labels
        else:
            found = None
            with suppress(NotEvaluated), open_data(str(tmp_path / name), limits=limits) as source:
                found = source.dictionary(ColumnUse("a"))[0]
            assert found is None or (order, found) == ("le", labels)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (b"age;dx\n1;2,flu\n", "1.csv: has another delimiter than 0.csv"),
        ("age,dx\n1,flu\n".encode("utf-16"), "1.csv: has another encoding than 0.csv"),
        (b"dx,age\nflu,1\n", "1.csv: its header differs from that of 0.csv"),
    ],
)
def test_text_files_are_written_alike(second, message, tmp_path):
    """The second file read with the delimiter of the first has other values."""
    (tmp_path / "0.csv").write_bytes(b"age,dx\n1,flu\n")
    (tmp_path / "1.csv").write_bytes(second)
    with pytest.raises(DataError, match=message):
        open_data(str(tmp_path))
