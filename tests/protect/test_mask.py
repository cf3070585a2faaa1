"""`mask` from a table to a release: what is in it, what is not, and what its document says."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet as pq

import auditor
from auditor.errors import DataError, OutOfMemory, UsageError
from auditor.protect import _mask
from auditor.report.redact import redact
from auditor.result import Audience, Verdict
from tests.protect.tables import POLICY, masking, people, read, write

SWAP = {"method": "rank-swapping", "attributes": ["income"], "p": 20}
ROUND = {"method": "rounding", "attributes": ["income"], "base": 500}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path / "data.csv")


def left_behind(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"data.csv"}


def test_a_release_meets_what_the_table_did_not(data, tmp_path):
    done = auditor.mask(data, POLICY, output=tmp_path / "r.csv")
    assert (done.verdict, done.exit_code, done.result.written, done.data) == (Verdict.PASS, 0, True, None)
    assert (done.before.verdict, done.after.verdict) == (Verdict.FAIL, Verdict.PASS)
    assert left_behind(tmp_path) == {"r.csv"}
    rows = read(tmp_path / "r.csv")
    assert list(rows[0]) == ["age", "zip", "income", "ill"]
    assert min(Counter(row["age"] for row in rows).values()) >= 3
    # swapping keeps the values of a column, texts included, and microaggregation their mean
    assert Counter(row["income"] for row in rows) == Counter(row[3] for row in people())
    assert sum(float(row["age"]) for row in rows) == pytest.approx(sum(int(row[1]) for row in people()))
    assert auditor.check(tmp_path / "r.csv", POLICY).verdict is Verdict.PASS
    assert auditor.check(tmp_path / "r.csv", POLICY).data.sha256 == done.result.data.sha256


def test_columns_that_are_not_masked_keep_their_values_record_by_record(data, tmp_path):
    """Ages are all different, so that each record can be found again by another column that stays."""
    rows = [(f"p{i}", str(1000 + i), f"{i:05}", str(i * 7), "flu" if i % 2 else "none") for i in range(50)]
    write(data, rows)
    auditor.mask(data, masking(SWAP), output=tmp_path / "r.csv")
    found = {(row["age"], row["zip"], row["ill"]) for row in read(tmp_path / "r.csv")}
    assert found == {(row[1], row[2], row[4]) for row in rows}
    assert [row["income"] for row in read(tmp_path / "r.csv")] != [row[3] for row in rows]


def test_nothing_is_written_where_the_policy_is_not_met(data, tmp_path):
    (tmp_path / "r.csv").write_text("as it was")
    done = auditor.mask(data, POLICY | {"protection": [ROUND]}, output=tmp_path / "r.csv")
    assert (done.verdict, done.exit_code, done.result.written, done.data) == (Verdict.FAIL, 1, False, None)
    assert left_behind(tmp_path) == {"r.csv"}
    assert (tmp_path / "r.csv").read_text() == "as it was"
    assert done.result.findings[0].message == "The masked table does not meet the policy; nothing was written."
    assert (done.result.reproduce, done.result.data.sha256) == (None, None)


def test_a_column_that_the_policy_does_not_name_fails_the_release(tmp_path):
    table = pa.table({"age": ["1"] * 4, "income": [1, 2, 3, 4], "extra": ["x"] * 4})
    policy = masking(ROUND, attributes={"age": "quasi-identifier", "income": "sensitive"})
    done = auditor.mask(table, policy)
    assert (done.verdict, done.data) == (Verdict.FAIL, None)
    assert [each.id for each in done.after.requirements if each.status == "fail"] == ["undeclared"]


def test_the_position_of_a_record_tells_nothing(tmp_path):
    """Where nothing is random, the same records in another order give the same file."""
    rows, files = people(), []
    for number, order in enumerate((rows, rows[::-1], sorted(rows, key=lambda row: row[2]))):
        folder = tmp_path / str(number)
        folder.mkdir()
        auditor.mask(write(folder / "data.csv", order), masking(ROUND), output=folder / "r.csv")
        files.append((folder / "r.csv").read_bytes())
    assert files[0] == files[1] == files[2]
    assert [row["age"] for row in read(tmp_path / "0" / "r.csv")] == sorted(row[1] for row in rows)


def test_a_seed_repeats_a_release_and_stands_nowhere(data, tmp_path):
    seed, releases = 48151623, []
    for name in ("r.csv", "s.csv"):
        done = auditor.mask(data, masking(SWAP), output=tmp_path / name, seed=seed)
        releases.append((tmp_path / name).read_bytes())
        assert done.result.masking.seeded
        assert any("A seed was given" in each for each in done.result.assumptions)
        for audience in Audience:
            assert str(seed) not in json.dumps(redact(done.result, audience).to_dict())
    assert releases[0] == releases[1]
    assert str(seed).encode() not in releases[0]
    other = auditor.mask(data, masking(SWAP), output=tmp_path / "t.csv", seed=seed + 1)
    assert (tmp_path / "t.csv").read_bytes() != releases[0]
    assert other.passed


def test_without_a_seed_no_two_releases_are_alike(data, tmp_path):
    for name in ("r.csv", "s.csv"):
        done = auditor.mask(data, masking(SWAP), output=tmp_path / name)
        assert not done.result.masking.seeded
    assert (tmp_path / "r.csv").read_bytes() != (tmp_path / "s.csv").read_bytes()


@pytest.mark.parametrize("name", ["r.csv", "r.tsv", "r.csv.gz", "r.parquet", "r.jsonl"])
def test_every_format(data, tmp_path, name):
    auditor.mask(data, masking(ROUND), output=tmp_path / name)
    found = auditor.check(tmp_path / name, masking(ROUND))
    assert (found.verdict, found.data.rows, found.data.columns) == (Verdict.PASS, 60, 4)


def test_missing_values_stay_missing_and_are_written_as_such(tmp_path):
    policy = masking(
        ROUND, attributes={"income": {"role": "sensitive", "missing_values": ["-9"]}, "age": "insensitive"}
    )
    policy["requirements"] = [{"model": "allowed-values", "attribute": "income", "min": 0}]
    table = pa.table({"income": ["1200", "-9", None, "800"], "age": [1, 2, 3, 4]})
    done = auditor.mask(table, policy)
    assert dict(zip(done.data["age"].to_pylist(), done.data["income"].to_pylist(), strict=True)) == {
        1: "1000",
        2: None,
        3: None,
        4: "1000",
    }


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_a_table_comes_out_as_it_came_in(make):
    given = make(
        {"age": [1, 2, 3, 4] * 5, "income": np.arange(20, dtype=np.int32), "name": ["x"] * 20, "zip": ["z"] * 20}
    )
    done = auditor.mask(given, masking(SWAP, {"method": "microaggregation", "attributes": ["age"], "k": 6}))
    assert type(done.data) is type(given)
    frame = pl.DataFrame(done.data)
    assert frame.columns == ["age", "income", "zip"]
    assert sorted(frame["income"].to_list()) == list(range(20))
    assert frame.schema["income"] == pl.Int32
    assert frame.schema["age"] == pl.Float64


def test_pandas_types_that_the_engine_does_not_know_come_back():
    given = pd.DataFrame(
        {
            "age": pd.array([1, None, 3] * 5, dtype="Int64"),
            "income": pd.array([10, 20, None] * 5, dtype="Int16"),
            "ill": pd.Categorical(["a", "b", None] * 5),
        }
    )
    policy = masking(
        {**SWAP, "p": 40},
        {"method": "pram", "attributes": ["ill"], "matrix": "invariant", "theta": 0.5},
        attributes={"age": "quasi-identifier", "income": "sensitive", "ill": "sensitive"},
    )
    done = auditor.mask(given, policy)
    assert done.data.dtypes.to_dict() == given.dtypes.to_dict()
    assert int(done.data["income"].isna().sum()) == 5


def test_columns_may_be_called_anything():
    names = ["self", 'a "b"', "x,y", "place", "ü\n"]
    given = pd.DataFrame({name: [1, 2, 3, 4] * 5 for name in names})
    methods = [{"method": "microaggregation", "attributes": [name], "k": 3 + i} for i, name in enumerate(names)]
    done = auditor.mask(given, masking(*methods, attributes=dict.fromkeys(names, "insensitive"), requirements=ANY))
    assert list(done.data.columns) == names
    assert all(done.data[name].sum() == pytest.approx(50) for name in names)


ANY = [{"model": "allowed-values", "attribute": "self", "min": 0}]


def with_units(role: str, *methods, **changes):
    attributes = {"who": role, "age": "quasi-identifier", "income": "sensitive"}
    demanded = [{"model": "k-anonymity", "k": 2}]
    return masking(*methods, attributes=attributes, unit="who", requirements=demanded, **changes)


def test_units_are_counted_and_their_column_is_not_released(tmp_path):
    table = pa.table({"who": ["a", "a", "b", "c"], "age": [1, 2, 1, 2], "income": [11, 12, 26, 37]})
    policy = with_units("identifier", {**ROUND, "base": 5})
    done = auditor.mask(table, policy, output=tmp_path / "r.parquet", reproduce="again")
    assert (done.verdict, done.result.data.units, done.result.reproduce) == (Verdict.PASS, 3, None)
    assert pq.read_table(tmp_path / "r.parquet").column_names == done.data.column_names == ["age", "income"]
    assert any("their units" in each for each in done.result.assumptions)
    # three records in a class of one person are no two persons
    alone = pa.table({"who": ["a", "a", "b"], "age": [1, 1, 2], "income": [11, 12, 26]})
    assert auditor.mask(alone, policy).verdict is Verdict.FAIL


def test_units_under_pseudonyms_are_released_and_counted_by_a_stranger(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY_OF_THIS_TEST", "0123456789abcdef")
    table = pa.table({"who": ["ann", "ann", "bob", "eve"], "age": [1, 2, 1, 2], "income": [11, 12, 26, 37]})
    key = {"secret": "KEY_OF_THIS_TEST"}
    policy = with_units("pseudonym", {"method": "pseudonyms", "attributes": ["who"], "key": key})
    done = auditor.mask(table, policy, output=tmp_path / "r.csv", reproduce="again")
    assert (done.verdict, done.result.reproduce) == (Verdict.PASS, "again")
    names = Counter(row["who"] for row in read(tmp_path / "r.csv"))
    assert sorted(names.values()) == [1, 1, 2]
    assert not {"ann", "bob", "eve"} & set(names)
    assert auditor.check(tmp_path / "r.csv", policy).data.units == 3
    assert "0123456789abcdef" not in json.dumps(redact(done.result, Audience.INTERNAL).to_dict())
    assert done.result.masking.methods[0].parameters["key"] == "confidential"


def test_a_method_may_read_a_column_that_is_not_released():
    table = pa.table({"who": ["a", "a", "b"], "day": ["2020-01-01", "2020-01-09", "2020-01-01"]})
    shifting = {"method": "date-shifting", "attributes": ["day"], "unit": "who", "days": 3}
    done = auditor.mask(
        table, masking(shifting, attributes={"who": "identifier", "day": "insensitive"}, requirements=DAYS)
    )
    assert done.data.column_names == ["day"]
    assert [each.name for each in done.result.masking.columns] == ["day"]
    assert done.result.masking.methods[0].attributes == ("day",)


DAYS = [{"model": "allowed-values", "attribute": "day", "pattern": "[-0-9]*"}]


def test_a_plan_audits_and_writes_nothing(data, tmp_path):
    done = auditor.mask(data, POLICY)
    assert (done.verdict, done.result.written) == (Verdict.PASS, False)
    assert left_behind(tmp_path) == set()
    assert any("Nothing was written" in each for each in done.result.assumptions)


def test_a_reference_to_the_original_is_answered(data, tmp_path):
    demanded = [{"model": "t-closeness", "sensitive": "ill", "t": 1.0}]
    done = auditor.mask(data, masking(ROUND, reference="original", requirements=demanded), output=tmp_path / "r.csv")
    assert done.verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("methods", "error", "words"),
    [
        ([{**ROUND, "attributes": ["salary"]}], DataError, "no column 'salary'"),
        ([{**ROUND, "attributes": ["inc*", "x*"]}], DataError, r"no column 'x\*'"),
        ([{**ROUND, "attributes": ["ill"]}], DataError, "'ill' holds categories"),
        ([{"method": "microaggregation", "attributes": ["age"], "k": 61}], DataError, "age|record"),
        ([], UsageError, "no protection"),
    ],
)
def test_what_cannot_be_masked_is_refused_and_nothing_is_written(data, tmp_path, methods, error, words):
    with pytest.raises(error, match=words) as refused:
        auditor.mask(data, masking(*methods), output=tmp_path / "r.csv")
    assert left_behind(tmp_path) == set()
    assert not any(value in str(refused.value) for row in people() for value in (row[0], "flu"))


def test_an_empty_table_has_nothing_to_mask(tmp_path):
    with pytest.raises(DataError, match="no records"):
        auditor.mask(write(tmp_path / "data.csv", []), POLICY, output=tmp_path / "r.csv")
    assert left_behind(tmp_path) == set()


def test_the_input_is_not_overwritten(data):
    before = data.read_bytes()
    with pytest.raises(UsageError, match="input"):
        auditor.mask(data, POLICY, output=data)
    assert data.read_bytes() == before


def test_a_table_that_does_not_fit_is_refused(data, tmp_path, monkeypatch):
    def too_large(*_):
        raise OutOfMemory("its rows do not fit the memory limit")

    monkeypatch.setattr(_mask, "microdata_of", too_large)
    with pytest.raises(OutOfMemory):
        auditor.mask(data, POLICY, output=tmp_path / "r.csv")
    assert left_behind(tmp_path) == set()


def test_rows_that_the_memory_does_not_hold_are_refused_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(_mask._MaskingRun, "_snapshot", None)
    frame = pa.table({"age": range(100_000), "ill": ["flu"] * 100_000})
    policy = masking(ROUND | {"attributes": ["age"]}, attributes={"age": "quasi-identifier", "ill": "sensitive"})
    with pytest.raises(OutOfMemory, match=r"masking 1 column of 100,000 records takes .* give --memory \d+MB or more"):
        auditor.mask(frame, policy, output=tmp_path / "r.csv", memory="64MiB")
    assert left_behind(tmp_path) == set()


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(-(10**6), 10**6)), st.sampled_from("xyz")),
        min_size=12,
        max_size=40,
    ),
    st.integers(0, 9),
)
def test_swapping_moves_values_of_one_column_and_nothing_else(rows, seed):
    """Whatever the table: the masked column has its values, all others have their rows, the document its counts."""
    ages, incomes, words = zip(*rows, strict=True)
    table = pa.table(
        {
            "age": pa.array(ages),
            "income": pa.array(incomes, pa.int64()),
            "ill": pa.array(words),
            "zip": ["z"] * len(rows),
        }
    )
    if sum(value is not None for value in incomes) < 10:
        return
    done = auditor.mask(table, masking({**SWAP, "p": 30}), seed=seed)
    assert Counter(done.data["income"].to_pylist()) == Counter(incomes)
    assert done.data.schema.field("income").type == pa.int64()
    kept = zip(done.data["age"].to_pylist(), done.data["ill"].to_pylist(), strict=True)
    assert Counter(kept) == Counter(zip(ages, words, strict=True))
    assert done.result.masking.records == len(rows)
    assert done.result.masking.columns[0].changed <= len(rows)


def test_requirements_on_records_know_which_record_is_which(tmp_path):
    """Rows are sorted by what is released, differently in text and in memory: the audit follows them in both."""
    chance = np.random.default_rng(4)
    given = pa.table({"age": chance.permutation(2000)[:60], "income": chance.permutation(5000)[:60]})
    attributes = {"age": "quasi-identifier", "income": "sensitive"}
    limits = [{"model": "max-linkage-risk", "max": 0.6, "attributes": ["age"]}]
    policy = masking({"method": "noise", "attributes": ["age", "income"], "p": 40}, attributes=attributes)
    for name in ("r.csv", "r.parquet", None):
        output = None if name is None else tmp_path / name
        done = auditor.mask(given, policy | {"requirements": limits}, output=output, seed=3)
        assert done.verdict is Verdict.PASS
        # figures are measured in memory, the requirement from the file: two ways to the same number
        assert done.after.requirements[0].achieved == pytest.approx(done.protection.linkage[0].rates[0] / 100)
        assert 0 < done.after.requirements[0].achieved < 0.6
        assert [(each.achieved, each.status) for each in done.before.requirements] == [(1, "fail")]


def test_weights_that_a_requirement_reads_are_not_masked():
    """Rounded up to the next thousand they would make every record one of a thousand persons."""
    table = pd.DataFrame({"age": [30, 40] * 5, "w": [1.0, 2.0] * 5})
    policy = masking(
        {"method": "rounding", "attributes": ["w"], "base": 1000},
        attributes={"age": "quasi-identifier", "w": {"role": "insensitive", "type": "number"}},
        requirements=[{"model": "max-individual-risk", "max": 0.5, "weights": "w"}],
    )
    with pytest.raises(UsageError, match="column 'w', by which max-individual-risk weighs records"):
        auditor.mask(table, policy)
