"""A release in an encoding that writes one text in several ways: whoever gets the file tells the ways apart."""

from __future__ import annotations

import pytest

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, UsageError
from tests.gate.repository import MANIFEST, Repository


def release_in(repository: Repository, encoding: str, data: bytes) -> None:
    """A change brings a release whose file is in an encoding, under the policy that is there."""
    other = f"  other: {{policy: policies/clinic.yaml, data: out/other.csv, csv: {{encoding: {encoding}}}}}\n"
    repository.write("auditor.yaml", MANIFEST.replace("trusted:", f"{other}trusted:"))
    (repository.top / "out/other.csv").write_bytes(data)
    repository.commit("a release in another encoding")


@pytest.mark.parametrize(
    ("encoding", "thirty"),
    [
        ("utf-7", b"+ADMAMA-"),
        ("unicode_escape", b"\\x330"),
        ("raw_unicode_escape", b"\\u00330"),
        ("iso2022_jp", b"\x1b(B30"),
        ("hz", b"~\n30"),
    ],
)
def test_an_encoding_that_writes_a_text_in_several_ways(repository: Repository, encoding: str, thirty: bytes) -> None:
    release_in(repository, encoding, b"age,zip,diagnosis\n30,1,flu\n%b,1,asthma\n" % thirty)
    with pytest.raises(UsageError, match="writes one text in several ways"):
        repository.gate()


@pytest.mark.parametrize(
    ("encoding", "one", "other"), [("cp932", b"\x81\xe0", b"\x87\x90"), ("big5", b"\xa2\x41", b"\xa1\xfe")]
)
def test_a_character_that_an_encoding_has_twice(
    repository: Repository, encoding: str, one: bytes, other: bytes
) -> None:
    rows = b"age,zip,diagnosis\n%b,1,flu\n%b,1,asthma\n"
    release_in(repository, encoding, rows % (one, one))
    assert repository.gate().exit_code == EXIT_MET
    release_in(repository, encoding, rows % (one, other))
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED
