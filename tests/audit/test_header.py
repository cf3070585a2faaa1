"""A header that is the first record of a file without one."""

from pathlib import Path

import pytest

import auditor
from auditor.errors import DataError

K = [{"model": "k-anonymity", "k": 1}]
GLOB = {"attributes": {"*": "quasi-identifier"}, "requirements": K}


def written(folder: Path, header: str, *rows: str) -> Path:
    path = folder / "d.csv"
    path.write_text("".join(f"{line}\n" for line in (header, *rows)))
    return path


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("104523,1961-03-04", ["104524,1971-01-09", "104525,1980-12-31"]),
        ("Huber,maria@example.org", ["Maier,josef@example.org", "Gruber,"]),
        ("8010,100-10-1000", ["8020,100-10-1001"]),
        ("Huber,04.03.1961", ["Maier,09.01.1971", "Gruber,31.12.1980"]),
        ("Huber,+43 316 380 11", ["Maier,+43 316 380 12"]),
        ("Huber,10.0.0.1", ["Maier,10.0.0.2"]),
    ],
)
def test_a_header_that_looks_like_a_record_is_refused_by_its_place(tmp_path, header, rows):
    path = written(tmp_path, header, *rows)
    with pytest.raises(DataError, match="its header looks like a record: column 2 is named by one of the") as error:
        auditor.check(path, GLOB)
    assert not any(name in str(error.value) for name in header.split(","))
    named = {**GLOB, "attributes": {header.split(",")[1]: "quasi-identifier", "*": "quasi-identifier"}}
    assert auditor.check(path, named).verdict == "pass"


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("2019,2020", ["2019,2020", "2020,2019"]),
        ("2019-01-01,2020-01-01", ["4,5", "5,4"]),
        ("a,b", ["a,b", "b,a"]),
        ("born,mail", ["1961-03-04,maria@example.org"]),
        ("C50,J45", ["C50,J45"]),
        ("2019-01-01,x", [",1", ",2"]),
    ],
)
def test_ordinary_headers_are_read(tmp_path, header, rows):
    assert auditor.check(written(tmp_path, header, *rows), GLOB).verdict == "pass"
