"""Hive partitions: folders named column=value are columns, as text, missing values included."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

from auditor.dialect import CsvDialect
from auditor.engines import ColumnUse, open_data
from auditor.errors import DataError

WRITERS = {
    "csv": lambda path: path.with_suffix(".csv").write_text("a\nx\n"),
    "jsonl": lambda path: path.with_suffix(".jsonl").write_text('{"a": "x"}\n'),
    "parquet": lambda path: pq.write_table(pa.table({"a": ["x"]}), path.with_suffix(".parquet")),
    "feather": lambda path: feather.write_feather(pa.table({"a": ["x"]}), str(path.with_suffix(".feather"))),
}


def write(root, form, *folders):
    for folder in folders:
        (root / folder).mkdir(parents=True)
        WRITERS[form](root / folder / "part")
    return str(root)


@pytest.mark.parametrize("form", WRITERS)
def test_partitions_are_text_as_the_folder_names_have_them(form, tmp_path):
    folders = ["y=01/m=a%20b", "y=1/m=a%20b", "y=__HIVE_DEFAULT_PARTITION__/m=x%3D1"]
    with open_data(write(tmp_path / "d", form, *folders)) as source:
        assert {column.name for column in source.columns} == {"a", "y", "m"}
        assert source.dictionary(ColumnUse("y"))[0] == (None, "01", "1")
        labels, counts = source.dictionary(ColumnUse("m"))
        assert dict(zip(labels, counts.tolist(), strict=True)) == {"a b": 2, "x=1": 1}


@pytest.mark.parametrize("form", WRITERS)
def test_folders_that_do_not_name_the_same_columns_are_refused(form, tmp_path):
    given = write(tmp_path / "d", form, "y=1", "z=2")
    with pytest.raises(DataError, match="do not name the same columns"):
        open_data(given)


@pytest.mark.slow
@pytest.mark.parametrize("above", ["project=x", "a=5", "A=5", "c0=5", "y=9"])
@pytest.mark.parametrize("form", WRITERS)
def test_folders_above_the_named_one_are_no_partitions(form, above, tmp_path):
    """DuckDB alone reads them as columns, and for a column of the same name in place of its values."""
    root = write(tmp_path / above / "d", form, "y=1", "y=2")
    for given, partition in ((root, {"y": ("1", "2")}), (f"{root}/y=*/*", {"y": ("1", "2")}), (f"{root}/y=2", {})):
        with open_data(given) as source:
            found = {column.name: source.dictionary(ColumnUse(column.name))[0] for column in source.columns}
        assert found == {"a": ("x",), **partition}, given


@pytest.mark.parametrize("form", WRITERS)
def test_a_file_by_its_own_name_has_no_partitions(form, tmp_path):
    with open_data(f"{write(tmp_path / 'd', form, 'y=1')}/y=1/part.{form}") as source:
        assert [column.name for column in source.columns] == ["a"]


@pytest.mark.parametrize("folder", ["a=5", "A=5", "y=1/y=2"])
@pytest.mark.parametrize("form", WRITERS)
def test_a_partition_that_is_a_column_too_is_refused(form, folder, tmp_path):
    with pytest.raises(DataError, match="is a column of the files and of the folders named column=value; rename one"):
        open_data(write(tmp_path / "d", form, folder))


@pytest.mark.parametrize("form", WRITERS)
def test_a_partition_may_have_any_name(form, tmp_path):
    with open_data(write(tmp_path / "d", form, "c0=7")) as source:
        assert source.dictionary(ColumnUse("a"))[0] == ("x",)
        assert source.dictionary(ColumnUse("c0"))[0] == ("7",)


def test_partitions_of_files_that_are_read_through_copies(tmp_path):
    for year in "12":
        (tmp_path / f"y={year}").mkdir()
        (tmp_path / f"y={year}" / "part.csv").write_bytes("a\nä\n".encode("cp1252"))
    with open_data(str(tmp_path), csv=CsvDialect(encoding="cp1252")) as source:
        assert source.dictionary(ColumnUse("a"))[0] == ("ä",)
        assert source.dictionary(ColumnUse("y"))[0] == ("1", "2")
