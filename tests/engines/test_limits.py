"""What a run may use: sizes as people write them, and what is too little."""

import pytest

from auditor.engines import Limits
from auditor.engines._limits import BATCH_BYTES, parse_size
from auditor.errors import OutOfTime, UsageError


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
        Limits.of(text)


def test_a_batch_never_takes_more_than_its_cap_however_large_the_machine():
    assert Limits.of("1TB").batch_memory == BATCH_BYTES
    assert Limits.of("1GB").batch_memory == 240_000_000


def test_a_limit_of_time_ends():
    limits = Limits(10**9, seconds=0.0)
    with pytest.raises(OutOfTime, match="the time limit of 0 s"):
        limits.check()
