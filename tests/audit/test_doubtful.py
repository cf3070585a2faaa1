"""Columns that look like identifiers and are called something else: told, without a value, and without a verdict."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor

K = [{"model": "k-anonymity", "k": 2}]
MAILS = [f"p{i}@example.org" for i in range(40)]


def told(columns, policy):
    table = pa.table({"age": [str(i % 4) for i in range(40)], **columns})
    requirements = {"requirements": K, **policy}
    requirements["attributes"] = {"age": "quasi-identifier", **policy.get("attributes", {})}
    result = auditor.check(table, requirements)
    assert result.verdict == "pass"
    return [finding.message for finding in result.findings if finding.level == "warning"]


@pytest.mark.parametrize(
    "policy",
    [{"attributes": {"*": "insensitive"}}, {"attributes": {"c?": "insensitive"}}, {"undeclared": "insensitive"},
     {"attributes": {"c1": "insensitive"}}],
)  # fmt: skip
@pytest.mark.parametrize(
    ("values", "look"),
    [
        (MAILS, "e-mail addresses"),
        ([*MAILS[:39], None], "e-mail addresses"),
        ([f"{100 + i}-10-1000" for i in range(40)], "social security numbers"),
        ([f"AT61{i:016}" for i in range(40)], "bank accounts (IBAN)"),
        ([f"+43{i:09}" for i in range(40)], "telephone numbers"),
    ],
)
def test_an_insensitive_column_that_looks_like_identifiers_is_told(policy, values, look):
    (message,) = told({"c1": values}, policy)
    assert message.startswith(f"Column 'c1' is insensitive, and its values look like {look}.")
    assert not any(value in message for value in values if value)


@pytest.mark.parametrize(
    ("role", "values", "number"),
    [
        ("sensitive", MAILS, 1),
        ("sensitive", [f"https://example.org/{i}" for i in range(40)], 0),
        ("insensitive", [f"https://example.org/{i}" for i in range(40)], 1),
        ("insensitive", [f"2024-01-{1 + i % 28:02}" for i in range(40)], 0),
        ("insensitive", [f"{1 + i % 28:02}.01.2024" for i in range(40)], 0),
        ("insensitive", [*MAILS[:30], *["none"] * 10], 0),
        ("insensitive", [None] * 40, 0),
        ("pseudonym", [f"00000000-0000-0000-0000-{i:012}" for i in range(40)], 0),
    ],
)
def test_what_is_told_depends_on_the_role_and_on_most_values(role, values, number):
    assert len(told({"c1": pa.array(values, pa.string())}, {"attributes": {"c1": role}})) == number


def test_a_name_is_told_where_nobody_has_named_the_column():
    numbers = {"ssn": list(range(40)), "email": [bool(i % 2) for i in range(40)]}
    (message,) = told(numbers, {"attributes": {"*": "insensitive"}})
    assert message.startswith("Column 'ssn' is insensitive, and its name says that it names a person.")
    assert told(numbers, {"attributes": {"ssn": "insensitive", "email": "insensitive"}}) == []


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("c1", pa.array(range(9000, 9040)), True),
        ("c1", pa.array([f"K{i}" for i in range(40)]), True),
        ("patient_no", pa.array([*range(38), 1, 2]), True),
        ("c1", pa.array([*range(39), 1]), False),
        ("c1", pa.array([i + 0.5 for i in range(40)]), False),
        ("c1", pa.array([*range(19), *[None] * 21]), False),
        ("patient_no", pa.array([i % 30 for i in range(40)]), False),
    ],
    ids=["numbers", "codes", "key", "twice", "measures", "few", "shared"],
)
def test_a_wildcard_that_calls_a_key_insensitive_is_told(name, values, expected):
    messages = told({name: values}, {"attributes": {"*": "insensitive"}})
    said = f"Column {name!r} is insensitive, and nearly every record has a unique value."
    assert [message.startswith(said) for message in messages] == [True] * expected
    assert told({name: values}, {"attributes": {name: "insensitive"}}) == []


def test_a_header_that_is_a_value_is_told_by_its_place():
    (message,) = told({"huber@example.org": MAILS}, {"undeclared": "insensitive"})
    assert message.startswith("Column 2 is insensitive")


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="@\0"), max_size=8), min_size=1, max_size=8))
def test_texts_without_an_at_sign_are_no_addresses(texts):
    values = [texts[i % len(texts)] for i in range(40)]
    assert not any("e-mail" in message for message in told({"c1": values}, {"undeclared": "insensitive"}))


def test_counts_that_are_added_to_are_told_as_all_rows_are(tmp_path: Path):
    rows = [f"{i % 4},{mail}\n" for i, mail in enumerate(MAILS)]
    policy = {"attributes": {"age": "quasi-identifier", "*": "insensitive"}, "requirements": K}
    data, earlier = tmp_path / "d.csv", tmp_path / "earlier.json"
    data.write_text("age,mail\n" + "".join(rows[:20]))
    before = auditor.check(data, policy, counts=tmp_path / "a.counts")
    earlier.write_text(json.dumps(before.to_dict()))
    data.write_text("age,mail\n" + "".join(rows))
    after = auditor.check(data, policy, since=earlier)
    assert after.since is not None
    assert after.since.added
    assert after.findings == before.findings == auditor.check(data, policy).findings
    assert len(after.findings) == 1


def test_a_column_of_numbers_without_a_role_is_not_looked_at() -> None:
    data = pa.table({"age": [1, 1], "patient_number": [7, 8]})
    policy = {"version": 1, "name": "p", "attributes": {"age": "quasi-identifier"}}
    result = auditor.check(data, {**policy, "requirements": [{"model": "k-anonymity", "k": 2}]})
    assert [each.id for each in result.requirements if each.status == "fail"] == ["undeclared"]
