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
        ("Maria Huber,4 Mar 1961", ["Josef Maier,9 Jan 1971", "Anna Bauer,1 Feb 1980"]),
        ("Huber,04-MAR-61", ["Maier,09-JAN-71"]),
    ],
)
def test_a_header_that_looks_like_a_record_is_refused_by_its_place(tmp_path, header, rows):
    path = written(tmp_path, header, *rows)
    with pytest.raises(DataError, match="its header looks like a record: column 2 is named by one of the") as error:
        auditor.check(path, GLOB)
    assert not any(name in str(error.value).replace(str(path), "") for name in header.split(","))
    named = {**GLOB, "attributes": {header.split(",")[1]: "quasi-identifier", "*": "quasi-identifier"}}
    assert auditor.check(path, named).verdict == "pass"


@pytest.mark.parametrize(
    ("header", "rows", "said"),
    [
        ("F,8010,C50.9", ["M,8020,E11.9", "F,8010,J45.0", "M,8020,I10"], "columns 1, 2, 3 are"),
        ("34,flu", ["35,hiv", "36,cold"], "column 1 is"),
        ("Maria Huber,C50.9", ["Josef Maier,J45.0"], "columns 1, 2 are"),
        ("8010", ["8020", "8010", "8030"], "column 1 is"),
        ("34.5,180", ["60.1,170"], "columns 1, 2 are"),
        ("unknown,8010,C50.9", ["34,8020,J45"], "columns 2, 3 are"),
        ("refused,8010,C50.9", ["34,8020,J45"], "columns 2, 3 are"),
        ("male,Vienna", ["female,Graz", "male,Graz", "female,Vienna"], "columns 1, 2 are"),
        ("Graz", ["Linz", "Graz", "Wien"], "column 1 is"),
    ],
)
def test_few_rows_tell_a_record_too(tmp_path, header, rows, said):
    path = written(tmp_path, header, *rows)
    with pytest.raises(DataError, match=f"its header looks like a record: {said} named by"):
        auditor.check(path, GLOB)
    named = {**GLOB, "attributes": {header.split(",")[-1]: "quasi-identifier", "*": "quasi-identifier"}}
    assert auditor.check(path, named).verdict == "pass"


CELLS = {
    "birth date": st.dates().map(str),
    "code": st.from_regex(r"[A-TV-Z][0-9]{2}\.[0-9]", fullmatch=True),
    "patient": st.builds("{} {}".format, st.sampled_from(["Anna", "Josef"]), st.sampled_from(["Kern", "Wolf"])),
    "no": st.from_regex(r"P[0-9]{6}", fullmatch=True),
    "plz": st.integers(5000, 9999).map(str),
    "income": st.integers(20_000, 39_999).map(str),
}


@given(st.data())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_record_of_numbers_codes_dates_and_names_is_no_header_of_any_number_of_rows(tmp_path, data):
    """Whatever stands first and however few follow it; with a line of names before it the file is judged whole."""
    kinds = data.draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=5, unique=True))
    told = set(kinds) & {"birth date", "code", "patient", "no"}
    assume(told or len(kinds) > 1)
    first, second, *others = data.draw(
        st.lists(st.tuples(*(CELLS[kind] for kind in kinds)), min_size=2, max_size=5, unique=True)
    )
    # a column in which all are the same as its name is a box that was ticked
    assume(all(a != b for a, b in zip(first, second, strict=True)))
    lines = [",".join(row) for row in (first, second, *others)]
    with pytest.raises(DataError, match="its header looks like a record"):
        auditor.check(written(tmp_path, *lines), GLOB)
    for names in (kinds, [f"x{place}" for place in range(len(kinds))]):
        found = auditor.check(written(tmp_path, ",".join(names), *lines), GLOB)
        assert (found.verdict, found.data.rows) == ("pass", len(lines))


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
    assert not any(name in str(error.value).replace(str(path), "") for name in header.split(",") if len(name) > 1)
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
        ("age,zip,1990,2000", ["34,8010,3,4", "35,8010,5,6"]),
        ("age,5,200", ["34,7,190", "35,4,210"]),
        ("Q1,Q2", ["3,4", "5,4"]),
        ("S1,S2,S3", ["S2,S3,S9", "S4,S8,S7"]),
        ("country,2020", ["AT,1800", "DE,1700", "IT,2100"]),
        ("Marital Status,Full Name", ["Never Married,Maria Huber", "Legally Divorced,Josef Maier"]),
        ("diagnosis,stage", ["C50.9,T2", "J45.0,T1"]),
        ("0", ["3", "0", "1"]),
        ("milk,bread", ["milk,no", "no,bread", "milk,bread"]),
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


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("F,HIV", ["F,HIV", "F,HIV", "M,flu", "M,flu", "M,flu"]),
        ("F,30-39,HIV", ["F,30-39,HIV", "M,40-49,flu", "M,40-49,flu"]),
        ("Bonn,HIV,34", ["Ulm,flu,40"]),
        ("yes,34,no", ["no,40,yes"]),
        ("34 years,F", ["40 years,M"]),
        ("34,1200", ["40,900", "51,1000"]),
        ("*,flu", ["*,flu", "*,flu"]),
        ("*,30-39,Bonn", ["*,40-49,Ulm", "*,30-39,Graz", "*,50-59,Bonn"]),
        ("flu,43000,0,Bonn", ["hiv,51000,0,Ulm", "flu,38000,0,Graz", "cold,47000,0,Bonn"]),
        ("34,90210,0", ["35,90211,0", "61,90013,0"]),
        ("34,90210,1", ["35,90211,0", "61,90013,0"]),
    ],
)
def test_a_record_that_stands_again_or_beside_few_others_is_no_header(tmp_path, header, rows):
    """In a k-anonymous table each record stands k times: lines like the first are no headers for that.

    The policy's glob `*` names no column, not even one that is called like a suppressed value.
    """
    with pytest.raises(DataError, match="its header looks like a record"):
        auditor.check(written(tmp_path, header, *rows), GLOB)


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("foo,bar", ["1,2", "foo,bar", "3,4"]),
        ("diagnosis,town", ["flu,Bonn", "diagnosis,town", "cold,Ulm"]),
        ("0,1", ["0.5,0.7", "0.1,0.2"]),
        ("yes,no", ["1,0", "0,1"]),
        ("hiv,ward", ["pos,a", "neg,b"]),
    ],
)
def test_headers_that_stand_again_or_count_are_headers(tmp_path, header, rows):
    assert auditor.check(written(tmp_path, header, *rows), GLOB).verdict == "pass"
