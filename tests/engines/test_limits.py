"""What a run may use: sizes as people write them, what is too little, and what cannot be held in it."""

import duckdb
import pytest

from auditor.engines import ColumnUse, RunLimits, open_data
from auditor.engines._limits import BATCH_BYTES, parse_size
from auditor.errors import OutOfMemory, OutOfTime, UsageError


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1GB", 10**9),
        ("512MiB", 512 * 2**20),
        ("1.5 gb", 1_500_000_000),
        ("2e9", 2 * 10**9),
        ("100000000", 10**8),
        ("1g", 10**9),
    ],
)
def test_a_size_is_read_as_people_write_it(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lots", "write for example 1GB"),
        ("-1GB", "write for example 1GB"),
        ("1 QB", "1GB"),
        ("0", "too little"),
        ("1MB", "64MiB"),
    ],
)
def test_what_is_no_size_or_too_little_is_told(text, said):
    with pytest.raises(UsageError, match=said):
        RunLimits.of(text)


def test_a_batch_never_takes_more_than_its_cap_however_large_the_machine():
    assert RunLimits.of("1TB").batch_memory == BATCH_BYTES
    assert RunLimits.of("1GB").batch_memory == 240_000_000


def test_a_limit_of_time_ends():
    limits = RunLimits(10**9, seconds=0.0)
    with pytest.raises(OutOfTime, match="the time limit of 0 s"):
        limits.check()


@pytest.fixture
def texts(tmp_path):
    """A table of 400,000 different texts of a hundred characters: 60 MB as texts of Python."""
    path = tmp_path / "texts.parquet"
    with duckdb.connect() as database:
        database.execute(f"COPY (SELECT lpad(range::VARCHAR, 100, '0') AS a FROM range(400_000)) TO '{path}'")
    return path


@pytest.mark.slow
def test_texts_that_the_memory_does_not_hold_are_told_of_before_they_are_fetched(texts):
    asked = (
        lambda source: source.dictionary(ColumnUse("a")),
        lambda source: source.count([ColumnUse("a")]).labels("a"),
        lambda source: source.coded([ColumnUse("a")]),
    )
    for ask in asked:
        with open_data(texts, limits=RunLimits.of("128MB")) as source, pytest.raises(OutOfMemory, match="--memory"):
            ask(source)
        with open_data(texts, limits=RunLimits.of("1GB")) as source:
            ask(source)


@pytest.mark.slow
def test_rows_that_the_memory_does_not_hold_are_told_of_before_they_are_fetched(tmp_path):
    path = tmp_path / "rows.parquet"
    columns = ", ".join(f"(range % {i + 2})::VARCHAR AS c{i}" for i in range(10))
    with duckdb.connect() as database:
        database.execute(f"COPY (SELECT {columns} FROM range(600_000)) TO '{path}'")
    uses = [ColumnUse(f"c{i}") for i in range(10)]
    with open_data(path, limits=RunLimits.of("64MiB")) as source, pytest.raises(OutOfMemory, match=r"about 34 MB"):
        source.coded(uses)
    with open_data(path, limits=RunLimits.of("512MiB")) as source:
        assert source.coded(uses).codes.shape == (600_000, 10)
