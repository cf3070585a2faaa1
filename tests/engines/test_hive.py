"""Hive partitions: folders named column=value are columns, as text, missing values included."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

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
