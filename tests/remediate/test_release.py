"""The release as it is written: columns, order, formats, and values that reach it unchanged."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import auditor
from auditor.dialect import CsvDialect
from auditor.errors import PolicyNotMet
from auditor.remediate import remediate
from tests.remediate.tables import POLICY, left_behind, read, rows, write


def test_what_tells_who_is_who_is_left_out_and_pseudonyms_stay(tmp_path: Path) -> None:
    data, target = write(tmp_path / "data.csv"), tmp_path / "release.csv"
    assert remediate(data, POLICY, output=target).passed
    released = read(target)
    assert list(released[0]) == ["key", "age", "sex", "note"]
    assert sorted(row["key"] for row in released) == sorted(row[1] for row in rows(60))
    assert left_behind(tmp_path) == []


def test_rows_are_sorted_by_what_is_released_unless_their_order_is_kept(tmp_path: Path) -> None:
    data = write(tmp_path / "data.csv")
    remediate(data, POLICY, output=tmp_path / "sorted.csv")
    remediate(data, POLICY, output=tmp_path / "kept.csv", keep_order=True)
    shuffled, kept = read(tmp_path / "sorted.csv"), read(tmp_path / "kept.csv")
    assert [row["key"] for row in kept] == [row[1] for row in rows(60)]
    assert [tuple(row.values()) for row in shuffled] == sorted(tuple(row.values()) for row in kept)
    assert shuffled != kept


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "#"])
def test_csv_keeps_the_delimiter_of_its_input(tmp_path: Path, delimiter: str) -> None:
    data = write(tmp_path / "data.csv", delimiter=delimiter)
    told = {"csv": CsvDialect(delimiter)} if delimiter == "#" else {}
    assert remediate(data, POLICY, output=tmp_path / "release.csv", **told).passed
    assert len(read(tmp_path / "release.csv", delimiter)[0]) == 4
    assert auditor.check(tmp_path / "release.csv", POLICY, **told).passed


@pytest.mark.parametrize("given", ["dataframe", "parquet", "jsonl", "arrow", "duckdb"])
def test_a_delimiter_that_is_told_for_data_without_one_is_that_of_the_release(tmp_path: Path, given: str) -> None:
    frame = pd.read_csv(write(tmp_path / "data.csv"), dtype=str)
    data: Any = frame if given == "dataframe" else tmp_path / f"data.{given}"
    match given:
        case "parquet":
            frame.to_parquet(data)
        case "jsonl":
            frame.to_json(data, orient="records", lines=True)
        case "arrow":
            frame.to_feather(data)
        case "duckdb":
            with duckdb.connect(str(data)) as database:
                database.execute("CREATE TABLE people AS SELECT * FROM frame")
            data = f"duckdb://{data}?table=people"
    assert remediate(data, POLICY, output=tmp_path / "release.csv", csv=CsvDialect("#")).passed
    assert len(read(tmp_path / "release.csv", "#")[0]) == 4


def test_whatever_the_input_is_written_in_the_release_is_what_everybody_reads(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_bytes("age;note\n".encode("latin-1") + "21;'Größe; 1'\n".encode("latin-1") * 6)
    policy = POLICY | {"attributes": {"age": POLICY["attributes"]["age"], "note": "insensitive"}}
    done = remediate(
        tmp_path / "data.csv", policy, output=tmp_path / "r.csv", csv=CsvDialect(quote="'", encoding="latin-1")
    )
    assert done.passed
    assert (tmp_path / "r.csv").read_text("utf-8") == "age;note\n" + '21;"Größe; 1"\n' * 6
    assert auditor.check(tmp_path / "r.csv", policy).passed


@pytest.mark.parametrize(
    "name",
    ["r.csv", "r.CSV", "r.tsv", "r.csv.gz", "r.tsv.zst", "r.parquet", "r.pq", "r.jsonl", "r.jsonl.gz", "r.json.zst"],
)
def test_the_name_of_the_target_tells_its_format(tmp_path: Path, name: str) -> None:
    result = remediate(write(tmp_path / "data.csv"), POLICY, output=tmp_path / name)
    assert result.passed
    assert result.after is not None
    again = auditor.check(tmp_path / name, POLICY)
    assert again.passed
    assert again.data is not None
    assert (again.data.rows, again.data.columns) == (60, 4)


def test_a_compressed_csv_is_one_for_everybody(tmp_path: Path) -> None:
    remediate(write(tmp_path / "data.csv"), POLICY, output=tmp_path / "plain.csv")
    remediate(write(tmp_path / "data.csv"), POLICY, output=tmp_path / "packed.csv.gz")
    assert gzip.decompress((tmp_path / "packed.csv.gz").read_bytes()) == (tmp_path / "plain.csv").read_bytes()


ODD = [
    "=HYPERLINK(1)",
    "+1",
    "-1",
    "@x",
    "a,b",
    'a "b"',
    '"',
    "a\nb",
    "a\r\nb",
    " a ",
    "a\0b",
    "東京 é",
    "\u202e",
    "'",
    "NULL",
]


@pytest.mark.parametrize("name", ["r.csv", "r.tsv", "r.jsonl", "r.parquet"])
def test_values_and_names_come_through_unchanged(tmp_path: Path, name: str) -> None:
    names = {"age": "age, in\nyears", "note": 'the "note"', "code": "code", "label": "label", "Label2": "LABEL 2"}
    table = pd.DataFrame(
        {
            names["age"]: [str(20 + i % 2) for i in range(len(ODD) + 1)],
            names["note"]: [*ODD, None],
            "code": [None, *ODD],
            "label": [*reversed(ODD), None],
        }
    )
    policy = POLICY | {
        "attributes": {
            names["age"]: {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [5], "start": 0}}},
            names["note"]: "insensitive",
            "code": "insensitive",
            "label": "insensitive",
        }
    }
    data = tmp_path / "data.parquet"
    pq.write_table(pa.Table.from_pandas(table, preserve_index=False), data)
    assert remediate(data, policy, output=tmp_path / name, keep_order=True).passed
    kept = [names["note"], "code", "label"]
    found = auditor.remediate(as_others_read(tmp_path / name), policy).data
    assert list(found.columns) == list(table.columns)
    assert records(found[kept]) == records(table[kept])


def records(table: pd.DataFrame) -> list[str]:
    """The records in an order of their own, missing values all alike."""
    return sorted(map(repr, table.where(table.notna(), None).itertuples(index=False, name=None)))


def as_others_read(path: Path) -> pd.DataFrame:
    """A written file as readers other than the engine see it, where Python has one."""
    if ".csv" in path.suffixes or ".tsv" in path.suffixes:
        separator = "\t" if path.suffix == ".tsv" else ","
        return pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False, na_values=[""], engine="python")
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pandas()
    return pd.DataFrame([json.loads(line) for line in path.read_text("utf-8").splitlines()])


def test_names_that_differ_only_in_case_stay_two_columns(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("age,Note,note\n" + "21,x,y\n" * 6)
    policy = POLICY | {"attributes": {"age": POLICY["attributes"]["age"], "Note": "insensitive", "note": "insensitive"}}
    assert remediate(tmp_path / "data.csv", policy, output=tmp_path / "r.csv").passed
    assert (tmp_path / "r.csv").read_text() == "age,Note,note\n" + "21,x,y\n" * 6


def test_a_missing_value_in_a_table_of_one_column_stays_a_record(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": ["21", None] * 6}), tmp_path / "data.parquet")
    policy = POLICY | {"attributes": {"age": POLICY["attributes"]["age"]}}
    after = remediate(tmp_path / "data.parquet", policy, output=tmp_path / "r.csv").after
    assert after is not None
    assert after.data is not None
    assert after.data.rows == 12


def test_parquet_columns_that_are_not_generalized_keep_their_types(tmp_path: Path) -> None:
    data = tmp_path / "data.parquet"
    duckdb.sql(
        "SELECT (i % 2 + 20)::UTINYINT AS age, i::DECIMAL(9, 2) AS cost, DATE '2020-02-29' AS day, i % 2 = 0 AS yes, "
        "TIMESTAMP '2020-02-29 12:00:00' AS at, [i, NULL] AS list, {'a': i} AS nested, i / 3 AS share, "
        "'x'::BLOB AS raw FROM range(12) t(i)"
    ).write_parquet(str(data))
    kept = ("cost", "day", "yes", "at", "list", "nested", "share", "raw")
    policy = POLICY | {
        "attributes": {"age": POLICY["attributes"]["age"], **dict.fromkeys(kept, "insensitive")},
        "remediation": {"levels": {"age": {"min": 1}}},
    }
    assert remediate(data, policy, output=tmp_path / "r.parquet").passed
    before, after = pq.read_schema(data), pq.read_schema(tmp_path / "r.parquet")
    assert [after.field(name).type for name in kept] == [before.field(name).type for name in kept]
    assert after.field("age").type == pa.string()


FRAMES = {
    "pandas": lambda rows, columns: pd.DataFrame(rows, columns=list(columns)),
    "polars": lambda rows, columns: pl.DataFrame(rows, schema=list(columns), orient="row"),
    "arrow": lambda rows, columns: pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows]),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_a_table_comes_back_in_the_kind_that_came_in(kind: str) -> None:
    columns = ("id", "key", "age", "sex", "note")
    table = FRAMES[kind](rows(60), columns)
    done = auditor.remediate(table, POLICY)
    assert type(done.data) is type(table)
    assert done.passed
    assert done.solution is not None
    names = done.data.column_names if kind == "arrow" else list(done.data.columns)
    assert names == ["key", "age", "sex", "note"]
    assert auditor.check(done.data, POLICY).passed
    assert "<iframe" in done._repr_html_()
    assert done.to_dict()["solution"]["levels"] == dict(done.solution.levels)


def test_pandas_types_and_index_are_not_lost_to_the_engine() -> None:
    table = pd.DataFrame(
        {
            "age": ["21", "22"] * 6,
            "n": pd.array([1, None] * 6, dtype="Int64"),
            "c": pd.Categorical(["a", "b"] * 6),
            "t": pd.date_range("2020-01-01", periods=12, tz="Europe/Berlin"),
        },
        index=range(100, 112),
    )
    attributes: dict[str, Any] = {"age": POLICY["attributes"]["age"], **dict.fromkeys("nct", "insensitive")}
    found = auditor.remediate(table, POLICY | {"attributes": attributes}).data
    assert list(found.columns) == ["age", "n", "c", "t"]
    assert [found[name].dtype for name in "nct"] == [table[name].dtype for name in "nct"]
    assert list(found.index) == list(range(12))


def test_nothing_is_released_where_no_generalization_meets_the_policy(tmp_path: Path) -> None:
    policy = POLICY | {"requirements": [{"model": "k-anonymity", "k": 61}]}
    done = remediate(write(tmp_path / "data.csv"), policy, output=tmp_path / "r.csv")
    assert (done.exit_code, done.solution, done.after, done.data) == (1, None, None, None)
    assert done.shortfall is not None
    (obstacle,) = done.shortfall.obstacles
    assert (obstacle.requirement, obstacle.achieved, obstacle.enough) == ("k-anonymity", 60, 60)
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]
    with pytest.raises(PolicyNotMet):
        done.raise_unless_passed()


def test_the_suppression_that_would_be_enough_is_told(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("age,sex\n" + "21,F\n" * 9 + "22,F\n" * 4 + "33,M\n" * 2 + "34,M\n")
    attributes = {name: POLICY["attributes"][name] for name in ("age", "sex")}
    policy = POLICY | {"attributes": attributes, "remediation": {"levels": {"sex": {"max": 0}}}}
    shortfall = remediate(tmp_path / "data.csv", policy).shortfall
    assert shortfall is not None
    assert shortfall.suppression_needed == 3  # the men, who are three at every level of age
    enough = policy | {"remediation": {**policy["remediation"], "suppression_limit": {"records": 3}}}
    assert remediate(tmp_path / "data.csv", enough).passed
    (obstacle,) = shortfall.obstacles
    assert (obstacle.enough, obstacle.to_suppress) == (3, 3)
    assert remediate(tmp_path / "data.csv", policy | {"requirements": [{"model": "k-anonymity", "k": 3}]}).passed


def test_a_release_that_fails_its_audit_is_not_kept(tmp_path: Path) -> None:
    rules = [*POLICY["requirements"], {"model": "allowed-values", "attribute": "note", "pattern": "[a-z]+"}]
    done = remediate(write(tmp_path / "data.csv"), POLICY | {"requirements": rules}, output=tmp_path / "r.csv")
    assert done.exit_code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.parametrize(
    ("requirement", "least"),
    [
        ({"model": "minimum-level", "attribute": "age", "level": 2}, 2),
        ({"model": "allowed-values", "attribute": "age", "pattern": "[*]|.[0-9]+, [0-9]+.|[<>].*"}, 1),
        ({"model": "allowed-values", "attribute": "age", "values": ["*"]}, 3),
    ],
)
def test_levels_whose_labels_are_not_allowed_are_not_searched(
    tmp_path: Path, requirement: dict[str, Any], least: int
) -> None:
    policy = POLICY | {"requirements": [{"model": "k-anonymity", "k": 1}, requirement]}
    done = remediate(write(tmp_path / "data.csv"), policy, output=tmp_path / "r.csv")
    assert done.passed
    assert done.solution is not None
    assert done.solution.levels == {"age": least, "sex": 0}


def test_json_values_that_stay_as_they_are_stay_json_values(tmp_path: Path) -> None:
    lines = [
        {"age": 21 + i % 2, "sex": i % 2, "n": i / 4, "big": 2**70, "yes": i % 3 == 0, "none": None, "text": "12",
         "list": [i, "x"], "record": {"k": 1.5}}
        for i in range(12)
    ]  # fmt: skip
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    kept = dict.fromkeys(("n", "big", "yes", "none", "text", "list", "record"), "insensitive")
    attributes = {name: POLICY["attributes"][name] for name in ("age", "sex")} | kept
    policy = POLICY | {"attributes": attributes, "remediation": {"levels": {"age": {"min": 1}}}}
    assert remediate(data, policy, output=tmp_path / "r.jsonl.gz", keep_order=True).passed
    written = gzip.decompress((tmp_path / "r.jsonl.gz").read_bytes()).decode()
    found = [json.loads(line) for line in written.splitlines()]
    assert found == [{**line, "age": "[20, 30)"} for line in lines]
    starred = policy | {
        "requirements": [{"model": "k-anonymity", "k": 6}],
        "remediation": {"suppress": "star", "suppression_limit": 1.0, "levels": {"age": {"max": 0}, "sex": {"max": 0}}},
    }
    assert remediate(data, starred, output=tmp_path / "as-is.jsonl", keep_order=True).passed
    assert [json.loads(line) for line in (tmp_path / "as-is.jsonl").read_text().splitlines()] == lines
    more = starred | {"requirements": [{"model": "k-anonymity", "k": 7}]}
    assert remediate(data, more, output=tmp_path / "stars.jsonl", keep_order=True).passed
    stars = [json.loads(line) for line in (tmp_path / "stars.jsonl").read_text().splitlines()]
    assert stars == [{**line, "age": "*", "sex": "*"} for line in lines]
