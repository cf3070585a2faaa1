"""A header that is the first record of a file without one."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

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


PEOPLE = [("Graz", "single"), ("Linz", "married"), ("Wien", "widowed"), ("Graz", "married")]


@pytest.mark.parametrize(
    ("header", "rows", "said"),
    [
        ("34,90210,q", ["35,90211,m", "61,90013,q", "28,90001,m"], "columns 1, 2, 3 are"),
        ("34,90210", ["35,10211", "61,90013", "28,50001"], "columns 1, 2 are"),
        ("Huber,34,8010,1990.5", ["Maier,35,8020,2100", "Bauer,71,8042,1950.25"], "columns 2, 3, 4 are"),
        ("34,m", ["35,m", "61,f"], "columns 1, 2 are"),
        ("Huber,Graz,single", [f"N{i},{PEOPLE[i % 4][0]},{PEOPLE[i % 4][1]}" for i in range(12)], "columns 2, 3 are"),
    ],
)
@pytest.mark.parametrize("policy", [GLOB, {"undeclared": "quasi-identifier", "requirements": K}])
def test_a_header_of_plain_values_is_refused_by_its_places(tmp_path, header, rows, said, policy):
    path = written(tmp_path, header, *rows)
    with pytest.raises(DataError, match=f"its header looks like a record: {said} named by") as error:
        auditor.check(path, policy)
    assert not any(name in str(error.value) for name in header.split(",") if len(name) > 1)
    named = {**GLOB, "attributes": {header.split(",")[1]: "quasi-identifier", "*": "quasi-identifier"}}
    assert auditor.check(path, named).verdict == "pass"


@given(
    st.lists(st.tuples(st.integers(18, 90), st.integers(1000, 9999), st.sampled_from("qm")), min_size=20, max_size=40)
)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_record_stands_first_it_is_no_header(tmp_path, people):
    assume({sex for _, _, sex in people[1:]} == {"q", "m"})
    lines = [f"{age},{postcode},{sex}" for age, postcode, sex in people]
    assume(len({number for _, number, _ in people[1:]}) > 15)
    assume(len({age for age, _, _ in people[1:]}) > 10)
    with pytest.raises(DataError, match="its header looks like a record"):
        auditor.check(written(tmp_path, *lines), GLOB)
    assert auditor.check(written(tmp_path, "age,postcode,sex", *lines), GLOB).verdict == "pass"


@given(
    st.integers(1900, 2030), st.integers(1, 10), st.integers(2, 8), st.integers(0, 99), st.sampled_from([1, 30, 900])
)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_years_and_numbers_of_columns_are_a_header(tmp_path, first, step, columns, seed, scale):
    """Wide tables: counts and years below years, and below 0, 1, 2, … as a program numbers columns without names."""
    chance = random.Random(seed)
    rows = [",".join(str(chance.randrange(3 * scale)) for _ in range(columns)) for _ in range(30)]
    years = [first + step * n for n in range(columns)]
    for names in (years, range(columns), range(1, columns + 1)):
        assert auditor.check(written(tmp_path, ",".join(map(str, names)), *rows), GLOB).verdict == "pass"
    rows = [",".join(str(chance.choice(years)) for _ in years) for _ in range(30)]
    assert auditor.check(written(tmp_path, ",".join(map(str, years)), *rows), GLOB).verdict == "pass"


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("country,1990,2000,2005", ["AT,1800,1900,2050", "DE,1700,2100,2200", "IT,1500,2500,2900"]),
        ("milk,bread", ["milk,", ",bread", "milk,bread", ",bread"] * 5),
        ("milk,bread", ["milk,no", "no,bread"] * 10),
        ("site,5,200", ["A,7.5,4.1", "B,6.2,3.9", "C,9.9,4.4"]),
        ("name,town,age", ["Huber,Graz,34", "name,town,age", "Maier,Linz,35", *["Bauer,Graz,36"] * 9]),
        ("Huber,Graz", ["Maier,Linz", "Bauer,Graz"]),
        ("2019,town", ["4,Graz", "5,Linz"]),
        ("7,30", ["7,30", "7,30"]),
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
