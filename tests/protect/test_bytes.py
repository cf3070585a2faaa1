"""No file that is written holds a byte of what was suppressed: as a value, a statistic, a dictionary or a name."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import auditor

PLANTED = "ZZPLANTED"
FORMATS = ["csv", "jsonl.gz", "parquet"]
ATTRIBUTES = {"zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}}, "dx": "sensitive"}
POLICY = {
    "version": 1,
    "name": "bytes",
    "attributes": ATTRIBUTES,
    "requirements": [{"model": "k-anonymity", "k": 3}],
    "remediation": {"search": "optimal", "suppression_limit": {"records": 3}, "levels": {"zip": {"max": 1}}},
    "protection": [{"method": "local-suppression", "attributes": ["zip"], "k": 3}],
}


def original(path: Path, kind: str) -> Path:
    """Fifteen records of which three are alone; a Parquet file lists them wherever it may."""
    frame = pd.DataFrame(
        {
            "zip": pd.Categorical(["0211"] * 6 + ["0212"] * 6 + [f"9{PLANTED}", f"0{PLANTED}", f"5{PLANTED}"]),
            "dx": pd.Categorical(
                [*["flu", "none", "cold"] * 4, *["flu", "cold", "none"]], [PLANTED, "flu", "none", "cold"]
            ),
        }
    )
    if kind == "csv":
        frame.to_csv(path, index=False)
        return path
    frame.attrs = {"seen": PLANTED}
    read = pa.Table.from_pandas(frame, preserve_index=False)
    fields = [field.with_metadata({"seen": PLANTED}) for field in read.schema]
    schema = pa.schema(fields, {**(read.schema.metadata or {}), b"seen": PLANTED.encode()})
    pq.write_table(read.cast(schema), path, write_page_index=True)
    return path


def written(path: Path) -> bytes:
    """All that a file holds, and of a Parquet file all that its footer and its dictionaries tell."""
    held = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if path.suffix != ".parquet":
        return held
    read = pq.ParquetFile(path, read_dictionary=["zip", "dx"])
    groups = [read.metadata.row_group(n).to_dict() for n in range(read.num_row_groups)]
    dictionaries = [chunk.dictionary.to_pylist() for column in read.read().columns for chunk in column.chunks]
    return held + repr((groups, read.metadata.metadata, read.schema_arrow, dictionaries)).encode()


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("how", [auditor.remediate, auditor.mask])
def test_what_was_suppressed_is_in_no_byte(how, kind: str, ending: str, tmp_path: Path) -> None:
    data = original(tmp_path / f"d.{kind}", kind)
    target = tmp_path / f"release.{ending}"
    assert PLANTED.encode() in data.read_bytes()
    assert how(data, POLICY, output=target).passed
    assert PLANTED.encode() not in written(target)
    assert b"0211" in written(target) or b"021*" in written(target)
