"""Lines of a CSV file that end in several ways, where whoever asks says that they do."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import auditor
from auditor.cli import invoke
from auditor.engines import ColumnUse, RunLimits, open_data
from auditor.engines.duckdb import csv_files
from auditor.errors import DataError, Unsupported, UsageError

ANY = auditor.CsvDialect(line_ends="any")
ENDS = ("\n", "\r\n", "\r")
FIELDS = st.text(st.sampled_from('ab"\n\r,'), max_size=5)


@pytest.mark.parametrize("size", [1, 2, 5, 1 << 16])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=6), data=st.data())
def test_records_are_those_that_were_written(size, encoding, rows, data, tmp_path, monkeypatch):
    """Whatever ends each line, and wherever the pieces end in which the file is read."""
    text = ""
    for row in (("a", "b"), *rows):
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="", quoting=csv.QUOTE_ALL).writerow(row)
        text += line.getvalue() + data.draw(st.sampled_from(ENDS))
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    dialect = auditor.CsvDialect(line_ends="any", encoding=encoding)
    with monkeypatch.context() as patched:
        patched.setattr(csv_files, "HEAD_BYTES", size)
        with open_data(tmp_path / "t.csv", csv=dialect) as source:
            counted = source.count([ColumnUse("a"), ColumnUse("b")])
            assert counted.records == len(rows)
            for place, name in enumerate("ab"):
                found = dict(zip(counted.labels(name), counted.frequencies(name), strict=True))
                assert found == Counter(row[place] or None for row in rows)


POLICY: dict[str, Any] = {"undeclared": "quasi-identifier", "requirements": [{"model": "k-anonymity", "k": 1}]}


def test_only_who_asks_for_it_gets_it(tmp_path, capfd):
    data = tmp_path / "t.csv"
    data.write_bytes(b"a,b\r\nx,1\nx,2\ry,3")
    with pytest.raises(DataError, match="which --line-ends any reads"):
        auditor.check(data, POLICY)
    assert auditor.check(data, POLICY, csv=ANY).data.rows == 3
    (tmp_path / "p.yaml").write_text(
        "version: 1\nundeclared: quasi-identifier\nrequirements: [{model: k-anonymity, k: 1}]"
    )
    assert invoke(["check", str(data), "-p", str(tmp_path / "p.yaml"), "--line-ends", "any"]) == 0
    assert "3 rows" in capfd.readouterr().out
    with pytest.raises(UsageError, match="--line-ends 'all' is unknown; write --line-ends any"):
        auditor.CsvDialect(line_ends="all")


def test_no_copy_is_written_where_the_policy_allows_none(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\r\nx,1\nx,2\n")
    with pytest.raises(Unsupported, match="has lines that end in several ways, and would be read through a copy"):
        open_data(tmp_path / "t.csv", csv=ANY, limits=RunLimits.of(form="never"))


def test_a_table_whose_lines_end_in_several_ways_is_counted_anew(tmp_path):
    data, before = tmp_path / "t.csv", tmp_path / "before.json"
    data.write_bytes(b"a,b\r\nx,1\nx,2\n")
    before.write_text(json.dumps(auditor.check(data, POLICY, csv=ANY, counts=tmp_path / "t.counts").to_dict()))
    data.write_bytes(data.read_bytes() + b"x,3\r\n")
    found = auditor.check(data, POLICY, csv=ANY, since=before)
    assert found.data.rows == 3
