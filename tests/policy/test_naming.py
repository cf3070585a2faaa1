"""A policy that names a table's own columns, printed where a pack speaks of others."""

from __future__ import annotations

import pytest

import auditor
from auditor.cli import invoke
from auditor.looks import meaning
from auditor.policy.naming import naming

HEADER = "Name,DOB,Postcode,Admission Date,Diagnosis,Phone No."
ROWS = [f"Ann {i},19{50 + i}-01-01,0213{i},2024-03-0{i},flu,555 000{i}" for i in range(1, 7)]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.csv").write_text("\n".join([HEADER, *ROWS]) + "\n")
    return "visits.csv"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("DOB", "birth_date"), ("DateOfBirth", "birth_date"), ("Postal Code", "zip"), ("PLZ", "zip"),
        ("Admission Date", "admission_date"), ("date admitted", "admission_date"), ("Date of death", "death_date"),
        ("Patient Age", "age"), ("zip5", "zip"),
    ],
)  # fmt: skip
def test_names_that_mean_the_same(one, other):
    assert meaning(one) == meaning(other)


@pytest.mark.parametrize(("one", "other"), [("admission_date", "discharge_date"), ("stage", "age"), ("city", "zip")])
def test_names_that_mean_something_else(one, other):
    assert meaning(one) != meaning(other)


def printed(capsys) -> tuple[str, str]:
    told = capsys.readouterr()
    return told.out, told.err.partition(":\n\n")[2]


def test_the_printed_policy_judges_the_columns_of_the_table(data, tmp_path, capsys):
    assert invoke(["check", data, "-p", "hipaa-safe-harbor"]) == 1
    page, text = printed(capsys)
    assert (
        "zip3, birth-year, admission-year and 3 more: the data has none of their columns (zip, birth_date, "
        in " ".join(page.split())
    )
    assert "the data has no column" not in page
    assert "birth-year (birth_date)" not in page
    assert "DOB" not in page
    own = tmp_path / "own.yaml"
    own.write_text(text)
    assert invoke(["check", data, "-p", "own.yaml", "-q"]) == 2  # somebody has to decide what Diagnosis is
    own.write_text(text.replace("review", "sensitive"))
    result = auditor.check(data, own)
    assert {each.id: str(each.status) for each in result.requirements} == {
        "identifiers": "fail", "zip3": "fail", "birth-year": "fail", "admission-year": "fail",
    }  # fmt: skip
    assert next(each.columns for each in result.requirements if each.id == "identifiers") == ("Name", "Phone No.")


@pytest.mark.parametrize(
    "options", [["--audience", "public"], ["--audience", "reviewer"], ["--format", "github"], ["-q"]]
)
def test_names_of_columns_are_not_printed_for_those_who_may_not_see_them(data, capsys, options):
    assert invoke(["check", data, "-p", "hipaa-safe-harbor", *options]) == 1
    told = capsys.readouterr()
    assert not any(name in told.out + told.err for name in ("DOB", "Postcode", "Diagnosis"))


def test_a_sensitive_column_of_another_name_is_meant(tmp_path):
    policy = auditor.load_policy(
        {
            "attributes": {"zip*": "quasi-identifier", "diagnos*": "sensitive"},
            "requirements": [{"model": "distinct-l-diversity", "id": "l", "sensitive": "diagnosis", "l": 2}],
        }
    )
    text = naming(policy, ["ICD10", "Zip Code"], "base.yaml")
    assert text is not None
    assert "  - id: l\n    sensitive: ICD10\n" in text
    assert "  Zip Code: quasi-identifier\n" in text


def test_nothing_is_proposed_where_two_columns_may_be_meant_or_none_is_lacking():
    required = [{"model": "allowed-values", "id": "z", "attribute": "zip", "pattern": "[0-9]{3}"}]
    policy = auditor.load_policy({"attributes": {"zip*": "quasi-identifier"}, "requirements": required})
    assert naming(policy, ["Postcode"], "p") is not None
    assert naming(policy, ["Postcode", "PLZ"], "p") is None
    assert naming(policy, [], "p") is None
    exact = auditor.load_policy({"attributes": {"zip": "quasi-identifier"}, "requirements": required})
    assert naming(exact, ["Postcode"], "p") is None


def test_no_requirement_on_a_column_of_the_table_is_proposed_to_be_dropped():
    required = [
        {"model": "allowed-values", "id": "born", "attribute": "birth_date", "pattern": "[0-9]{4}"},
        {"model": "allowed-values", "id": "zip", "attribute": "zip", "pattern": "[0-9]{3}"},
        {"model": "distinct-l-diversity", "id": "l", "sensitive": "diagnosis", "l": 2},
        {"model": "allowed-values", "id": "sex", "attribute": "sex", "pattern": "[FM]"},
    ]
    attributes = {"birth*": "quasi-identifier", "sex*": "quasi-identifier", "zip*": "quasi-identifier"}
    policy = auditor.load_policy({"attributes": {**attributes, "diag*": "sensitive"}, "requirements": required})
    text = naming(policy, ["DOB", "Postcode", "PLZ"], "p", ["diagnosis"])  # either of two postcodes may be meant
    assert text is not None
    assert text.partition("requirements:\n")[2].split("#")[0].split() == [
        "-", "id:", "born", "attribute:", "DOB", "-", "id:", "sex", "severity:", '"off"',
    ]  # fmt: skip
    other = naming(policy, ["DOB"], "p", ["diagnosis_code"])
    assert other is not None
    assert "sensitive: diagnosis_code\n" in other


def test_a_column_named_as_a_pattern_gives_its_role_to_no_other():
    required = [{"model": "allowed-values", "id": "z", "attribute": "zip", "pattern": "[0-9]{3}"}]
    policy = auditor.load_policy({"attributes": {"zip*": "quasi-identifier"}, "requirements": required})
    text = naming(policy, ["Postcode", "*", "age?"], "p")
    assert text is not None
    assert '  "[*]": review' in text
    assert '  "age[?]": review' in text
