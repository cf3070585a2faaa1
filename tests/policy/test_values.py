"""Scalars are read as what the schema wants, never as what YAML 1.1 would make of them."""

from datetime import date

import pytest

from auditor.policy import load_policy
from tests.policy.conftest import Desk

TRAPS = [
    "no",
    "on",
    "yes",
    "off",
    "y",
    "n",
    "true",
    "false",
    "~",
    "null",
    "1:30",
    "0123",
    "1.10",
    "1e5",
    "2027-03-31",
    "0x1F",
    ".5",
    "=",
]


@pytest.mark.parametrize("trap", TRAPS)
def test_text_stays_text(desk: Desk, trap: str) -> None:
    policy = desk.load(f"""\
        attributes:
          {trap}: {{role: sensitive, missing_values: [{trap}], order: [a, {trap}]}}
        requirements:
          - {{model: alpha-k-anonymity, alpha: 0.5, k: 5, values: [{trap}], sensitive: {trap}, because: {trap} x}}
        """)
    (requirement,) = policy.requirements
    attribute = policy.attributes[trap]
    assert attribute.missing_values == (trap,)
    assert attribute.order == ("a", trap)
    assert requirement.values == (trap,)  # type: ignore[attr-defined]
    assert requirement.sensitive == trap  # type: ignore[attr-defined]


def test_nothing_is_text_only_where_something_may_be_left_out(desk: Desk) -> None:
    policy = desk.load("owner:\ndescription: ~\nrequirements: [{model: k-anonymity, k: 5, because: null}]\n")
    assert (policy.owner, policy.description, policy.requirements[0].because) == (None, None, None)


@pytest.mark.parametrize(("written", "number"), [("12", 12), ("+12", 12), ("0012", 12), ("100000", 100000)])
def test_whole_numbers(desk: Desk, written: str, number: int) -> None:
    policy = desk.load(f"requirements: [{{model: k-anonymity, k: {written}}}]\n")
    assert policy.requirements[0].parameters() == {"k": number}


@pytest.mark.parametrize(
    ("written", "number"), [("0.05", 0.05), (".05", 0.05), ("5e-2", 0.05), ("1", 1.0), ("1.", 1.0)]
)
def test_numbers(desk: Desk, written: str, number: float) -> None:
    policy = desk.load(f"requirements: [{{model: max-risk, max: {written}}}]\n")
    assert policy.requirements[0].parameters() == {"max": number}


@pytest.mark.parametrize(
    ("written", "share", "records"),
    [
        ("2%", 0.02, None),
        ("2 %", 0.02, None),
        ("'2%'", 0.02, None),
        ("0.02", 0.02, None),
        ("0", 0.0, None),
        ("0.0", 0.0, None),
        ("29.7%", 0.297, None),
        ("{records: 50}", None, 50),
        ("{share: 2%}", 0.02, None),
    ],
)
def test_suppression_limits(desk: Desk, written: str, share: float | None, records: int | None) -> None:
    policy = desk.load(f"requirements: [{{model: k-anonymity, k: 5}}]\nremediation: {{suppression_limit: {written}}}\n")
    assert policy.remediation is not None
    limit = policy.remediation.suppression_limit
    assert (limit.share, limit.records) == (share, records)


def test_a_severity_off_is_a_word(desk: Desk) -> None:
    policy = desk.load("""\
        requirements:
          - {id: a, model: k-anonymity, k: 5, severity: off}
          - {id: b, model: k-anonymity, k: 6}
        """)
    assert [requirement.id for requirement in policy.requirements] == ["b"]


def test_dates(desk: Desk) -> None:
    policy = desk.load("""\
        requirements: [{model: k-anonymity, k: 5}]
        waivers:
          - {requirement: k-anonymity, reason: r, owner: o, approved_by: a, expires: 2027-03-31}
          - {requirement: k-anonymity, reason: r, owner: o, approved_by: a, expires: "2028-02-29"}
        """)
    assert [waiver.expires for waiver in policy.waivers] == [date(2027, 3, 31), date(2028, 2, 29)]


def test_shorthands(desk: Desk) -> None:
    short = desk.load("""\
        unit: person
        attributes: {person: pseudonym, age: quasi-identifier}
        requirements: [{model: k-anonymity, k: 5}]
        """)
    long = desk.load("""\
        unit: {column: person, rows: many-per-unit}
        attributes:
          age: {role: quasi-identifier}
          person: {role: pseudonym}
        requirements:
          - id: k-anonymity
            model: k-anonymity
            k: 5
        """)
    assert short.sha256 == long.sha256
    assert short.unit is not None
    assert short.unit.column == "person"


def test_an_alias_repeats_a_list(desk: Desk) -> None:
    policy = desk.load("""\
        attributes: {a: quasi-identifier, b: quasi-identifier}
        requirements:
          - {id: x, model: k-anonymity, k: 5, quasi_identifiers: &both [a, b]}
          - {id: y, model: max-risk, max: 0.1, quasi_identifiers: *both}
        """)
    assert [r.quasi_identifiers for r in policy.requirements] == [("a", "b"), ("a", "b")]  # type: ignore[attr-defined]


def test_a_policy_without_a_name_is_called_policy(desk: Desk) -> None:
    assert desk.load("requirements: [{model: k-anonymity, k: 5}]\n").name == "policy"


def test_loading_a_policy_returns_it(desk: Desk) -> None:
    policy = desk.load("requirements: [{model: k-anonymity, k: 5}]\n")
    assert load_policy(policy) is policy


def test_a_mapping_is_read_like_a_file(desk: Desk) -> None:
    text = desk.load("""\
        name: m
        attributes: {age: quasi-identifier, ill: {role: sensitive, range: [0, 5.5]}}
        requirements: [{model: t-closeness, t: 0.2}]
        remediation: {suppression_limit: 2%}
        """)
    mapping = desk.load(
        {
            "name": "m",
            "attributes": {"age": "quasi-identifier", "ill": {"role": "sensitive", "range": (0, 5.5)}},
            "requirements": [{"model": "t-closeness", "t": 0.2}],
            "remediation": {"suppression_limit": "2%"},
        }
    )
    assert mapping.sha256 == text.sha256
    assert mapping.file is None
    assert mapping.origin("requirements/0/t") is None
    assert text.origin("requirements/0/t") is not None
