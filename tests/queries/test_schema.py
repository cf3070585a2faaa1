"""From a policy and data to what statements see: roles, types, public tables; and what is wrong with them."""

from __future__ import annotations

import pytest

import auditor
from auditor.engines import open_data
from auditor.errors import DataError
from auditor.queries._answers import answer_of
from auditor.queries.records.records import read_profiles
from auditor.queries.records.schema import schema_of
from tests.queries.tables import asked

POLICY = """\
version: 1
name: staff
attributes:
  id: {role: quasi-identifier, type: integer}
  dept: quasi-identifier
  salary: {role: sensitive, type: number}
queries:
  table: staff
  key: id
  public_tables:
    departments: {data: departments.csv, key: [KEY]}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "staff.csv").write_text("id,dept,salary\n1,a,0.1\n2,a,0.2\n3,b,0.3\n")
    (tmp_path / "departments.csv").write_text("name,site\na,north\nb,south\n")
    return tmp_path


def opened(folder, key="name", policy=POLICY):
    (folder / "p.yaml").write_text(policy.replace("KEY", key))
    loaded = auditor.load_policy(folder / "p.yaml")
    with open_data(str(folder / "staff.csv")) as source:
        schema = schema_of(loaded, source)
        return read_profiles(source, schema, schema.public)


def test_a_public_table_of_the_policy_is_joined(folder):
    profiles = opened(folder)
    sql = "SELECT SUM(salary) FROM staff JOIN departments d ON dept = d.name WHERE d.site = 'north'"
    (query,) = asked(profiles, sql)
    assert str(answer_of(query.asked, profiles)) == "3/10", "decimal texts are exact"
    assert list(profiles.keys) == ["1", "2", "3"]


def test_a_key_that_the_public_table_lacks_is_an_error(folder):
    with pytest.raises(DataError, match=r"public table 'departments' has no column 'nam' .did you mean 'name'"):
        opened(folder, key="nam")


def test_a_protected_number_that_is_none_is_an_error_that_does_not_show_it(folder):
    (folder / "staff.csv").write_text("id,dept,salary\n1,a,hidden\n")
    with pytest.raises(DataError, match="'salary' is protected as a number") as found:
        opened(folder)
    assert "hidden" not in str(found.value)


def test_a_key_that_does_not_name_each_record_is_an_error(folder):
    (folder / "staff.csv").write_text("id,dept,salary\n1,a,1\n1,b,2\n")
    with pytest.raises(DataError, match="key column 'id' does not name each record once"):
        opened(folder)


def test_a_column_that_the_data_lacks_is_an_error(folder):
    with pytest.raises(DataError, match="no column 'idd'"):
        opened(folder, policy=POLICY.replace("key: id", "key: idd"))


NOTATION = """
version: 1
name: p
reading: {decimal: ",", dates: DD.MM.YYYY}
attributes: {day: quasi-identifier, dose: insensitive, stage: sensitive, cost: {role: sensitive, type: number}}
queries: {table: d, protects: [cost, stage]}
"""


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("day = '10.02.2026'", "not-evaluated"),
        ("day LIKE '10.02.%'", "not-evaluated"),
        ("day IN ('10.02.2026', 'x')", "not-evaluated"),
        ("day <> '10.02.2026'", "not-evaluated"),
        ("dose = '1,5'", "not-evaluated"),
        ("stage = '1,5'", "not-evaluated"),
        ("day = '2026-02-10'", "fail"),
        ("dose = 1.5", "fail"),
    ],
)
def test_a_text_of_the_file_that_was_read_as_another_is_compared_with_none(condition, verdict, tmp_path):
    """It selected nobody, so that an answer about one person passed."""
    (tmp_path / "p.yaml").write_text(NOTATION)
    rows = [
        f'{day}.02.2026;"{dose}";"{dose}";{cost}'
        for day, dose, cost in ((10, "1,5", 1), (11, "2,5", 2), (11, "2,5", 4))
    ]
    (tmp_path / "d.csv").write_text("\n".join(["day;dose;stage;cost", *rows]) + "\n")
    sql = f"SELECT sum(cost) FROM d WHERE {condition}"
    assert auditor.audit_queries([sql], tmp_path / "p.yaml", tmp_path / "d.csv").verdict == verdict
