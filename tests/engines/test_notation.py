"""Numbers and days as a country writes them: read exactly, refused where two would be one, written back alike."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import auditor
from auditor.cli import invoke
from auditor.dialect import DateForm, DecimalMark, ThousandsMark
from auditor.engines import ColumnUse, open_data
from auditor.engines.spark import Spark
from auditor.errors import DataError, Unsupported, UsageError

GERMAN = auditor.CsvDialect(decimal=",", thousands=".", dates="DD.MM.YYYY")
MARKS = [
    (decimal, thousands)
    for decimal in get_args(DecimalMark)
    for thousands in (None, *get_args(ThousandsMark))
    if decimal != thousands
]
numbers = st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False)
days = st.dates(min_value=date(1000, 1, 1), max_value=date(9999, 12, 31))


def file_of(folder: Path, rows: list[tuple[str, ...]], names: tuple[str, ...] = ("a", "b")) -> Path:
    path, text = folder / "data.csv", io.StringIO()
    csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL).writerows([names, *rows])
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


def read(path: Path, dialect: auditor.CsvDialect) -> list[tuple[str | None, ...]]:
    with open_data(path, csv=dialect) as source:
        coded = source.coded([ColumnUse(column.name) for column in source.columns])
        return [
            tuple(texts[code] for texts, code in zip(coded.dictionaries, row, strict=True))
            for row in coded.codes.tolist()
        ]


def shown(number: Decimal, decimal: str, thousands: str | None) -> str:
    """A number with two decimals, by Python's own formatting."""
    return f"{number:,.2f}".translate({ord(","): thousands or "", ord("."): decimal})


def day_shown(day: date, form: str, *, padded: bool) -> str:
    parts = {"YYYY": f"{day.year:04}", "MM": f"{day.month:02}" if padded else f"{day.month}"}
    parts["DD"] = f"{day.day:02}" if padded else f"{day.day}"
    return re.sub("YYYY|MM|DD", lambda found: parts[found[0]], form)


@given(values=st.lists(numbers, min_size=1, max_size=12), marks=st.sampled_from(MARKS))
def test_numbers_are_those_that_were_written(values, marks, tmp_path_factory):
    decimal, thousands = marks
    path = file_of(tmp_path_factory.mktemp("n"), [(shown(value, *marks), "x") for value in values])
    found = read(path, auditor.CsvDialect(decimal=decimal, thousands=thousands))
    assert [Decimal(a) for a, _ in found] == values


@given(
    values=st.lists(days, min_size=1, max_size=12),
    form=st.sampled_from(get_args(DateForm)),
    padded=st.booleans(),
    time=st.sampled_from(["", " 14:05", "T14:05:59"]),
)
def test_days_are_those_that_were_written(values, form, padded, time, tmp_path_factory):
    padded = padded or form == "YYYYMMDD"
    if not padded:  # 10.10.2026 is written alike in both ways
        assume(all(day.day < 10 or day.month < 10 for day in values))
    path = file_of(tmp_path_factory.mktemp("d"), [(day_shown(day, form, padded=padded) + time, "x") for day in values])
    assert [a for a, _ in read(path, auditor.CsvDialect(dates=form))] == [f"{day}{time}" for day in values]


@given(
    rows=st.lists(
        st.tuples(
            st.one_of(
                st.sampled_from(["", "n/a", "1", "1.5", "1,5", "1.234", "1234", "1.234,5", "0.123", "-1,0", "1e3"])
            ),
            st.sampled_from(["", "?", "1.2.2026", "01.02.2026", "2026-02-01", "31.02.2026", "10.10.2026 9:30"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_no_two_texts_are_read_as_one(rows, tmp_path_factory):
    path = file_of(tmp_path_factory.mktemp("t"), rows)
    try:
        found = read(path, GERMAN)
    except DataError:
        return
    for place in range(2):
        pairs = {(row[place] or None, got[place]) for row, got in zip(rows, found, strict=True)}
        assert len(pairs) == len({raw for raw, _ in pairs}) == len({got for _, got in pairs})


POLICY = """
version: 1
name: salaries
reading: {decimal: ",", thousands: ".", dates: DD.MM.YYYY}
attributes:
  age: {role: quasi-identifier, hierarchy: {intervals: {widths: [10, 50], start: 0}}}
  day: {role: quasi-identifier, hierarchy: {date: [month, year]}}
  salary: {role: sensitive, type: number}
  left: insensitive
requirements: [{model: k-anonymity, k: 2}, {model: t-closeness, sensitive: salary, t: 0.9}]
"""
PLAIN = """
attributes: {a: quasi-identifier, b: insensitive}
requirements: [{model: k-anonymity, k: 2}]
"""
NAMES = ("age", "day", "salary", "left")
ROWS = [
    ("31,5", "03.02.2026", "1.234,50", "12.03.2026"),
    ("33,5", "17.02.2026", "2.000", "n/a"),
    ("38", "11.02.2026", "999,95", "01.01.2025"),
    ("42", "01.03.2026", "12.345.678,00", ""),
    ("44,25", "02.03.2026", "7", "02.01.2025"),
]


@pytest.fixture
def policy(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(POLICY)
    return path


def test_a_release_is_written_as_its_source_is(tmp_path, policy):
    data, release = file_of(tmp_path, ROWS, NAMES), tmp_path / "release.csv"
    assert invoke(["remediate", str(data), "-p", str(policy), "-o", str(release), "-q"]) == 0
    with release.open(newline="") as file:
        header, *rows = csv.reader(file, delimiter=";")
    assert tuple(header) == NAMES
    assert sorted(row[2:] for row in rows) == sorted([salary, left] for *_, salary, left in ROWS)
    assert {row[1] for row in rows} == {"2026-02", "2026-03"}
    assert invoke(["check", str(release), "-p", str(policy), "-q"]) == 0
    assert invoke(["check", str(release), "-p", str(policy), "-q", "--decimal", "."]) == 2  # as the mark of thousands


def test_a_workbook_gets_numbers_and_a_file_of_another_format_is_written_back(tmp_path, policy):
    data, table, again = file_of(tmp_path, ROWS, NAMES), tmp_path / "r.parquet", tmp_path / "r.csv"
    assert invoke(["remediate", str(data), "-p", str(policy), "-o", str(table), "-q"]) == 0
    with open_data(table) as source:
        assert "1234.50" in source.dictionary(ColumnUse("salary"))[0]
    typed = {"age": [31.5, 33.5], "day": [date(2026, 2, 3), date(2026, 2, 17)], "salary": [1234.5, 2.25], "left": "ab"}
    pq.write_table(pa.table({name: list(values) for name, values in typed.items()}), table)
    assert invoke(["remediate", str(table), "-p", str(policy), "-o", str(again), "-q"]) == 0
    assert again.read_text().splitlines()[1:] == ['"[30, 40)",2026-02,"1234,5",a', '"[30, 40)",2026-02,"2,25",b']
    assert invoke(["check", str(again), "-p", str(policy), "-q"]) == 0


def test_texts_of_another_format_that_would_be_one_number_are_not_made_one(tmp_path, policy):
    data = tmp_path / "d.jsonl"
    data.write_text(
        "".join(f'{{"age": "30", "day": "2026-02-03", "salary": 1, "left": "{x}"}}\n' for x in ("1,5", "1.5"))
    )
    assert invoke(["remediate", str(data), "-p", str(policy), "-o", str(tmp_path / "r.csv"), "-q"]) == 3
    assert not (tmp_path / "r.csv").exists()


def test_options_say_what_the_policy_does_not(tmp_path, policy):
    data = file_of(tmp_path, ROWS, NAMES)
    policy.write_text(POLICY.replace("reading:", "# "))
    command = ["check", str(data), "-p", str(policy), "-q", "--source"]
    assert invoke(command) == 3
    assert invoke([*command, "--decimal", ",", "--thousands", ".", "--dates", "DD.MM.YYYY"]) == 1
    with pytest.raises(UsageError, match="--thousands ',' is the decimal mark, too"):
        auditor.CsvDialect(decimal=",", thousands=",")
    with pytest.raises(UsageError, match=r"--decimal ';' is unknown; write one of '.', ','"):
        auditor.CsvDialect(decimal=";")


def test_to_read_numbers_otherwise_is_for_somebody_to_decide(tmp_path, policy):
    plain, other = tmp_path / "plain.yaml", tmp_path / "other.yaml"
    plain.write_text(POLICY.replace("reading:", "# "))
    other.write_text(POLICY.replace('thousands: ".", ', ""))
    assert {auditor.diff(a, b).verdict for a in (plain, policy) for b in (policy, other) if a != b} == {"incomparable"}
    assert auditor.diff(policy, plain).verdict == "incomparable"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            ["1.234,5", "1234,5"],
            "has numbers with the mark of thousands '.' and others of four digits or more without it",
        ),
        (["1,5", "1.5"], "has numbers with the decimal mark ',' and others with a point, which is not declared"),
        (["3.2.2026", "03.12.2026"], "has days with and without leading zeros"),
        (["03.02.2026", "2026-02-03"], "has days written DD.MM.YYYY and others written YYYY-MM-DD"),
    ],
)
def test_two_texts_that_would_be_one_value_are_refused(tmp_path, texts, message):
    with pytest.raises(DataError, match=re.escape(message)):
        read(file_of(tmp_path, [(text, "x") for text in texts]), GERMAN)


def test_a_point_that_may_mean_thousands_is_asked_for_and_one_that_may_not_is_noted(tmp_path):
    comma = auditor.CsvDialect(decimal=",")
    with pytest.raises(DataError, match=r"column 'a' has numbers such as 1.234, but the decimal mark is ','"):
        read(file_of(tmp_path, [("1.234", "1,5"), ("17", "2")]), comma)
    path = file_of(tmp_path, [("52.52", "1,5"), ("48.137", "2")])
    assert read(path, comma) == [("52.52", "1.5"), ("48.137", "2")]
    with open_data(path, csv=comma) as source:
        assert source.facts.notes == ("column 'a' has numbers with a decimal point; they are read as they are",)


def test_digits_are_days_only_where_all_of_them_are(tmp_path):
    digits = auditor.CsvDialect(dates="YYYYMMDD")
    assert read(file_of(tmp_path, [("20260203", "20260203"), ("20261231", "99999999")]), digits) == [
        ("2026-02-03", "20260203"),
        ("2026-12-31", "99999999"),
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("1.234,5", "x"), ("17,25", "y")], 'reading: {decimal: ",", thousands: "."}\n'),
        ([("1,5", "x"), ("17,25", "y")], 'reading: {decimal: ","}\n'),
        ([("1,234.5", "x"), ("17", "y")], 'reading: {decimal: ".", thousands: ","}\n'),
        ([("1,234", "x"), ("17", "y")], "# How numbers are written is unsure"),
        ([("1,5", "1.234"), ("17,25", "2")], "# How numbers are written is unsure"),
    ],
)
def test_a_first_policy_proposes_how_numbers_are_written(tmp_path, rows, expected):
    text = auditor.init(file_of(tmp_path, rows))
    assert expected in text
    proposed = tmp_path / "proposed.yaml"
    proposed.write_text(text)
    assert auditor.load_policy(proposed).dialect().decimal == (None if expected.startswith("#") else expected[20])


def test_usual_numbers_propose_nothing(tmp_path):
    text = auditor.init(file_of(tmp_path, [("1.5", "1,a"), ("1234.25", "02,3,4")]))
    assert "reading" not in text


def test_a_cluster_refuses_what_it_does_not_read(tmp_path, policy):
    with pytest.raises(Unsupported, match="reads only numbers with a decimal point"):
        auditor.check(file_of(tmp_path, ROWS, NAMES), policy, engine=Spark())


@pytest.mark.parametrize(("before", "after"), [("1.234", "1234"), ("1,5", "1.5"), ("1.2.2026", "01.02.2026")])
def test_what_is_appended_is_held_against_what_was_counted(tmp_path, policy, before, after):
    policy.write_text(PLAIN)
    data = file_of(tmp_path, [(before, "x")] * 2)
    kept = auditor.check(data, policy, counts=tmp_path / "counts", csv=GERMAN)
    (tmp_path / "kept.json").write_text(json.dumps(kept.to_dict()))
    data.write_text(data.read_text() + f'"{after}";"x"\n')
    with pytest.raises(DataError, match="column 'a' has"):
        auditor.check(data, policy, since=tmp_path / "kept.json", csv=GERMAN)
