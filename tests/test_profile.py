"""What `init` proposes: roles and ladders by names and shapes, evidence that is true, policies that load, no values."""

import doctest
import re
from collections import Counter

import pandas as pd
import pyarrow as pa
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import auditor
from auditor import looks
from auditor.engines import open_data
from auditor.engines.duckdb import _counted
from auditor.errors import DataError, Unsupported
from auditor.hierarchies import build
from auditor.policy import bind, load_policy
from auditor.policy.file.yaml import FORBIDDEN
from auditor.profile import ColumnProfile, Profile, _measure, _write, init, measure, propose, write
from auditor.profile._measure import Exposure
from auditor.profile._write import scalar
from tests.conftest import ROOT


def proposal(name, values):
    """What is proposed for a column of these values."""
    with open_data(pa.table({name: values})) as source:
        (column,) = measure(source).columns
    return propose(column)


def loaded(text, tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    return load_policy(path)


def many(pattern, count=60):
    return [pattern.format(i, i % 10, i % 7) for i in range(count)]


@pytest.mark.parametrize(
    ("name", "values", "role", "why"),
    [
        ("contact", many("user{0}@example.org"), "identifier", "e-mail"),
        ("site", many("https://example.org/{0}"), "identifier", "web"),
        ("token", many("123e4567-e89b-12d3-a456-4266141740{0:02d}"), "identifier", "UUID"),
        ("col", many("078-05-11{0:02d}"), "identifier", "social security"),
        ("host", many("192.0.2.{0}"), "identifier", "IP"),
        ("host", many("2001:db8:0:0:0:0:0:{0:x}"), "identifier", "IP"),
        ("col", many("+4479460958{0:02d}"), "identifier", "telephone"),
        ("col", many("(020) 7946 09{0:02d}"), "identifier", "telephone"),
        ("col", many("GB29NWBK601613319268{0:02d}"), "identifier", "IBAN"),
        ("Patient First Name", many("A{0}"), "identifier", "name"),
        ("lastName", many("A{1}"), "identifier", "name"),
        ("patient_id", many("{0}"), "identifier", "key"),
        ("code", many("x{0}y"), "identifier", "a unique value"),
        ("remarks", many("the {0} patient came back after a week and was well"), "text", "free text"),
        ("admitted", many("2026-03-{1}1"), "quasi-identifier", "dates"),
        ("admitted", many("{2}/12/2026"), "quasi-identifier", "dates"),
        ("zip", many("1{0:04d}"), "quasi-identifier", "postcode"),
        ("place", many("SW1A {1}AA"), "quasi-identifier", "postcodes"),
        ("age", many("{0}"), "quasi-identifier", "age"),
        ("height", many("1{0}.5"), "quasi-identifier", "numbers"),
        ("sex", many("{2}"), "quasi-identifier", "codes"),
        ("diagnosis", many("E1{1}"), "sensitive", "nobody should learn"),
        ("code", many("E1{1}.{2}"), "sensitive", "ICD-10"),
        ("diagnosis", many("flu"), "sensitive", "nobody should learn"),
        ("annual income", many("{0}000"), "sensitive", "nobody should learn"),
        ("country", many("NA"), "insensitive", "same value"),
    ],
)
def test_roles_are_proposed_from_names_and_shapes(name, values, role, why):
    proposed = proposal(name, values)
    assert (proposed.role, why in proposed.why) == (role, True), proposed


@pytest.mark.parametrize(
    ("name", "values", "ladder"),
    [
        ("admitted", many("2026-03-1{1}"), {"date": ["month", "quarter", "year"]}),
        ("born", many("19{0:02d}-03-1{1}"), {"date": ["month", "quarter", "year", "decade"]}),
        ("month", 20 * ["2026-01", "2026-02", "2025-12"], {"date": ["month", "quarter", "year"]}),
        ("period", 20 * ["2025-Q4", "2026-Q1"], {"date": ["month", "quarter", "year"]}),
        ("admitted", [*many("2026-03-1{1}"), "soon"], "suppress"),
        ("admitted", many("2026-03-{1}1"), "suppress"),
        ("zip", many("1{0:04d}"), {"mask": {"side": "right"}}),
        ("sex", many("{2}"), "suppress"),
        ("born in", many("{1}") + 5 * ["AT", "DE", "FR"], "suppress"),
        ("nationality", many("Austria") + 30 * ["Peru", "KOR"], "country"),
        ("nationality", 10 * many("Austria") + 30 * ["Peru", "KOR", "FR"], {"common": ["Austria"], "keep": [1]}),
        ("place", many("Austria") + 30 * ["Peru", "United-States"], "country"),
        ("words", many("NO") + 30 * ["DE", "IT"], {"common": ["NO"], "keep": [1]}),
        ("diagnosis", many("E1{1}.{2}"), "icd10"),
        ("diagnosis", [*many("E1{1}.{2}"), "flu"], {"prefix": [3, 1]}),
        ("dx1", many("E1{1}{2}"), "icd10"),  # as hospitals store them
        ("drug", many("A0{1}BC01"), None),  # ATC, read as ICD-10 it would be cholera
        ("isco08", many("2{0:03d}"), {"prefix": [3, 2, 1]}),
        ("isco08", 20 * ["2211", "2212", "5223"], {"prefix": [3, 2, 1]}),
        ("occupation code", many("2{0:03d}"), {"prefix": [3, 2, 1]}),
        ("NUTS", many("AT{0:03d}"), {"prefix": [4, 3, 2]}),
        ("county fips", many("06{0:03d}"), {"prefix": [2]}),
        ("nace", 2 * many("{0:02d}.{1}"), {"prefix": [2, 1]}),
        ("x", 2 * many("A{0:02d}BBBB"), {"prefix": [4, 3, 2, 1]}),
        ("branch", 2 * many("0{0:02d}"), {"prefix": [2, 1]}),
    ],
)  # fmt: skip
def test_ladders_are_proposed_with_roles(name, values, ladder):
    assert proposal(name, values).hierarchy == ladder


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["0", "1", "1", "0"], ("integer", (0, 1))),
        ([1, 1, 1, 1], ("integer", (0, 1))),
        ([0.0, None, 1.0, 1.0], ("integer", (0, 1))),
        (["1", "2", "2", "1"], ("integer", None)),
        ([3, None, 7, 7], ("integer", None)),
        ([-3.0, 7.0, 7.0, 7.0], ("integer", None)),
        (["0", "0.5", "1", "1"], ("number", None)),
        (["1e2", "7", "7", "7"], ("number", None)),
        (["01", "02", "02", "02"], (None, None)),
        (["no", "yes", "no", "yes"], (None, None)),
        ([None, None], (None, None)),
    ],
)
def test_a_sensitive_column_of_zeros_and_ones_gets_its_range(values, said, tmp_path):
    table = pa.table({"diagnosis": [*values, *values, *values]})
    attribute = loaded(init(table), tmp_path).attributes["diagnosis"]
    assert (attribute.role, attribute.type, attribute.range) == ("sensitive", *said)
    asked_for = attribute.type is not None and attribute.range is None
    assert ("range: [least, largest]" in init(table)) == asked_for


@pytest.mark.slow
@given(st.lists(st.integers(-5, 6), min_size=4, max_size=12).filter(lambda grades: len(set(grades)) > 1))
@settings(max_examples=30, deadline=None)
def test_a_log_is_judged_from_the_first_run_as_under_the_range_that_users_know(grades):
    """What `init` writes of few whole numbers judges a log as declaring their ends does."""
    data = pa.table({"ward": ["A"] * 3 + ["B"] * (3 * len(grades) - 3), "diagnosis": grades * 3})
    proposed = yaml.safe_load(init(data))
    log = ["SELECT ward, sum(diagnosis), count(*) FROM t GROUP BY ward"]
    said = {**proposed, "queries": {"table": "t"}}
    ends = {"role": "sensitive", "type": "integer", "range": [min(grades), max(grades)]}
    if set(grades) <= {0, 1}:
        ends["range"] = [0, 1]
    told = {**said, "attributes": {"ward": "quasi-identifier", "diagnosis": ends}}
    said = {**said, "attributes": {**proposed["attributes"], "ward": "quasi-identifier"}}
    first, declared = (auditor.audit_queries(log, each, data) for each in (said, told))
    assert first.verdict == declared.verdict
    assert sum("diagnosis" in each for each in first.assumptions) == 1


def test_names_are_taken_apart():
    assert doctest.testmod(looks) == (0, 6)
    assert {"first", "name", "firstname"} <= looks.words("FirstName")
    assert {"first", "name", "firstname"} <= looks.words("first.name")
    assert {"icd10", "code"} <= looks.words("ICD10 code")
    assert "größe" in looks.words("Größe")


def test_what_is_not_recognised_may_be_known_to_an_attacker():
    assert proposal("x", many("a{1}")).role == "quasi-identifier"
    unsure = proposal("x", 3 * many("a{1}{2}"))
    assert (unsure.role, unsure.unsure) == ("quasi-identifier", True)


def test_nested_and_binary_columns_must_not_be_released_unseen():
    with open_data(pa.table({"a": [[1], [2]], "b": [b"1", b"2"]})) as source:
        proposals = [propose(column) for column in measure(source).columns]
    assert [(p.role, p.unsure) for p in proposals] == [("text", True)] * 2


def test_the_evidence_is_true():
    """Counts of a table that is counted here by hand: 5 records, values a a b c and one missing."""
    with open_data(pa.table({"v": ["a", "a", "b", "c", None], "n": [1.5, 1.5, 4.5, None, None]})) as source:
        v, n = measure(source).columns
    assert v == ColumnProfile("v", records=5, missing=1, distinct=3, unique=2, longest=1)
    assert (n.missing, n.distinct, n.unique, n.numeric, n.whole) == (2, 2, 1, True, False)


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=30))
@settings(max_examples=25)
def test_records_that_stand_alone_together_are_counted(rows):
    columns = dict(zip("xyz", map(list, zip(*rows, strict=True)), strict=True))
    with open_data(pa.table(columns)) as source:
        exposure = measure(source).exposure(source, ["x", "y", "z"])
    names = [name for name, _ in exposure.steps]
    assert sorted(names) == ["x", "y", "z"]
    for count, (_, unique) in enumerate(exposure.steps, start=1):
        classes = Counter(tuple(row["xyz".index(name)] for name in names[:count]) for row in rows)
        assert unique == sum(size == 1 for size in classes.values())
    assert exposure.together == exposure.steps[-1][1]


def test_records_that_stand_alone_are_counted_over_batches(monkeypatch):
    """In 100 records, x = i // 2 is shared by two, x with y = i % 2 by none: however the classes come in batches."""
    table = pa.table({"x": [str(i // 2) for i in range(100)], "y": [str(i % 2) for i in range(100)]})
    with open_data(table) as source:
        profile = measure(source)
        whole = profile.exposure(source, ["x", "y"])
        monkeypatch.setattr(_counted, "BYTES_PER_COMBINATION", source._connection.limits.batch_memory // 30)
        batched = profile.exposure(source, ["x", "y"])
    assert (whole.together, whole.steps) == (100, (("y", 0), ("x", 100)))
    assert (batched.together, batched.steps) == (100, ())


@pytest.mark.slow
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=13, max_size=20, unique=True))
@settings(max_examples=40)
def test_intervals_of_any_numbers_make_a_ladder(numbers):
    ladder = proposal("x", [repr(number) for number in numbers]).hierarchy
    if ladder is not None:
        assert 1 <= len(set(build(ladder, [repr(number) for number in numbers]).levels[1])) <= 21


def test_a_large_column_is_judged_by_the_engine_alone(monkeypatch):
    """The shapes are found the same way when there are too many values to look at."""
    columns = {
        "mail": many("user{0}@example.org"), "day": many("2026-03-{1}1"), "text": many("a {0} b c d e f g"),
        "n": many("{0}"), "w": many("a{0}"),
    }  # fmt: skip
    with open_data(pa.table(columns)) as source:
        small = measure(source).columns
        monkeypatch.setattr(_measure, "MOST_LABELS", 5)
        large = measure(source).columns
    assert [column.look for column in large] == [column.look for column in small]
    assert [propose(column).role for column in large] == [propose(column).role for column in small]


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda name: not FORBIDDEN.search(name)
)
cells = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8))


@st.composite
def tables(draw):
    """A table with any column names and any texts."""
    columns = draw(st.lists(names, min_size=1, max_size=4, unique_by=lambda name: name.casefold()))
    rows = draw(st.integers(0, 6))
    return pa.table(
        {name: pa.array(draw(st.lists(cells, min_size=rows, max_size=rows)), pa.string()) for name in columns}
    )


@pytest.mark.slow
@given(tables())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_table_gets_a_policy_that_loads_and_names_exactly_its_columns(tmp_path, table):
    try:
        text = init(table, name="any name: #1\n")
    except DataError:
        return
    policy = loaded(text, tmp_path)
    binding = bind(policy, table.column_names)
    assert set(policy.attributes) == set(table.column_names)
    assert (binding.undeclared, dict(binding.absent)) == ((), {})
    assert [bound.reason for bound in binding.requirements if bound.reason] == []


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_a_scalar_means_its_text_to_other_readers_too(text):
    line = f"{scalar(text)}: x"
    assert list(yaml.safe_load(line)) == [text]
    assert line.isprintable()


@pytest.mark.parametrize(
    "name",
    ["a: b", "# x", "*", "&a", "!!python/object", "{", "- a", "yes", "null", "~", "1e3", "a\nb", "'", '"', "\\", " a ",
     "é", "a\u2028b", "a\x85b", "a\tb", "😀", "lab_*", "x[1]", "a/b", "2026-01-01", "<<", "?", "=", "@at",
     "`tick", "%"],
)  # fmt: skip
def test_hostile_column_names_are_names(name, tmp_path):
    table = pa.table({name: ["1", "2"], "other": ["a", "a"]})
    policy = loaded(init(table), tmp_path)
    assert bind(policy, table.column_names).undeclared == ()
    assert set(policy.attributes) == {name, "other"}


odd = st.integers(10**11, 10**12).filter(lambda number: number % 1000)


@pytest.mark.slow
@given(st.lists(odd, min_size=1, max_size=30, unique=True), st.sampled_from(["{}", "q{}", "{}@x.org"]))
@settings(max_examples=40)
def test_no_value_stands_in_the_policy(numbers, shape):
    values = [shape.format(number) for number in numbers]
    text = init(pa.table({"zip": values, "name": values, "x": values, "diagnosis": values}))
    assert [value for value in values if value in text] == []


def test_csv_and_frames_give_the_same_policy(tmp_path):
    frame = pd.DataFrame({"zip": many("0{0:04d}"), "sex": many("{2}"), "age": many("{0}")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert init(str(tmp_path / "t.csv")) == init(frame)


def test_a_wide_table(tmp_path, monkeypatch):
    """Ladders are left out, so that the policy stays within what a policy file may hold."""
    monkeypatch.setattr(_write, "WIDE", 50)
    policy = loaded(init(pa.table({f"c{i}": ["1", "2"] for i in range(60)})), tmp_path)
    assert len(policy.attributes) == 60
    assert {(attribute.role, attribute.hierarchy) for attribute in policy.attributes.values()} == {
        ("quasi-identifier", None)
    }


@pytest.mark.parametrize(("count", "length"), [(6001, 1), (100, 20_000)])
def test_more_columns_than_a_policy_can_name(count, length):
    columns = [ColumnProfile(f"{i}" + "x" * length, records=1, distinct=1) for i in range(count)]
    with pytest.raises(Unsupported, match="more than a policy file can name"):
        write("p", Profile(1, tuple(columns)), [propose(column) for column in columns], Exposure())


def test_the_widest_table_gets_a_policy_that_loads(tmp_path):
    columns = [ColumnProfile(f"income{i}", records=9, distinct=2, missing=1, unique=1) for i in range(6000)]
    text = write("p", Profile(9, tuple(columns)), [propose(column) for column in columns], Exposure())
    assert len(loaded(text, tmp_path).attributes) == 6000


def test_a_header_without_records(tmp_path):
    (tmp_path / "t.csv").write_text("email,sex\n")
    policy = loaded(init(str(tmp_path / "t.csv")), tmp_path)
    assert [policy.attributes[name].role for name in ("email", "sex")] == ["identifier", "quasi-identifier"]


def test_a_column_that_a_policy_cannot_name_stays_undeclared(tmp_path):
    table = pa.table({"a\x1bb": ["1", "2"], "c": ["1", "1"]})
    text = init(table)
    assert "# Column 1 is left out" in text
    assert bind(loaded(text, tmp_path), table.column_names).undeclared == ("a\x1bb",)


def test_comments_never_break_out_of_their_line(tmp_path):
    text = init(pa.table({"a\nrequirements: []\n#": ["x", "y"]}))
    assert re.findall(r"(?m)^requirements:.*$", text) == ["requirements:"]


def test_the_page_shows_what_is_proposed(tmp_path):
    page = (ROOT / "docs" / "init.md").read_text("utf-8")
    table, policy = (re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL)[1] for kind in ("csv patients.csv", "yaml"))
    (tmp_path / "patients.csv").write_text(table, "utf-8")
    assert init(str(tmp_path / "patients.csv"), name="patients").endswith(policy)
