"""A policy matched with the columns of a table."""

import pytest

from auditor.errors import PolicyError
from auditor.policy import bind
from tests.policy.conftest import Desk

TEXT = """\
attributes:
  id: identifier
  notes: text
  age: quasi-identifier
  zip: quasi-identifier
  ill: sensitive
  pay: sensitive
  "lab_*": insensitive
  lab_hiv: sensitive
requirements:
  - {id: all, model: k-anonymity, k: 5}
  - {id: some, model: k-anonymity, k: 9, quasi_identifiers: [zip]}
  - {id: close, model: t-closeness, t: 0.2, sensitive: pay}
  - {id: joined, model: distinct-l-diversity, l: 2, sensitive: ill, others: quasi-identifiers}
  - {id: codes, model: allowed-values, attribute: zip, values: [a]}
"""
COLUMNS = ["pay", "lab_1", "zip", "lab_hiv", "ill", "age"]


def test_roles_in_the_order_of_the_data(desk: Desk) -> None:
    binding = bind(desk.load(TEXT), COLUMNS)
    assert binding.quasi_identifiers == ("zip", "age")
    assert binding.sensitive == ("pay", "lab_hiv", "ill")
    assert binding.identifiers == ()
    assert binding.roles["lab_1"].role == "insensitive"
    assert list(binding.absent) == ["id", "notes"]
    assert binding.undeclared == ()
    assert all(bound.reason is None for bound in binding.requirements)


def test_what_each_requirement_reads(desk: Desk) -> None:
    bound = {b.requirement.id: b for b in bind(desk.load(TEXT), COLUMNS).requirements}
    assert bound["all"].quasi_identifiers == ("zip", "age")
    assert bound["some"].quasi_identifiers == ("zip",)
    assert (bound["close"].quasi_identifiers, bound["close"].sensitive) == (("zip", "age"), "pay")
    assert bound["joined"].quasi_identifiers == ("pay", "zip", "lab_hiv", "age")
    assert (bound["codes"].attribute, bound["codes"].quasi_identifiers) == ("zip", ())
    assert str(bound["some"].origin) == "p.yaml:12:5"


def test_an_absent_quasi_identifier_is_never_a_pass(desk: Desk) -> None:
    bound = {b.requirement.id: b for b in bind(desk.load(TEXT), ["pay", "zip", "ill", "Age", "lab_hiv"]).requirements}
    assert bound["all"].reason == "the data has no column 'age' (did you mean 'Age'?)"
    assert bound["some"].reason is None
    assert bound["codes"].reason is None


def test_what_requirements_on_records_lack(desk: Desk) -> None:
    """A column that the data calls otherwise would be passed over, and so would who has several records."""
    models = {
        "max-individual-risk, max: 0.1": ("age", "person"),
        "expected-reidentifications, max: 0.1, attributes: [zip], weights: zip": ("person",),
        "max-suda2, max: 0.1, fraction: 1%": ("age", "person"),
        "max-blank-columns, max: 0": ("age",),
        "max-linkage-risk, max: 0.1, match: position": ("age", "pay"),
        "max-linkage-risk, max: 0.1, match: position, attributes: [zip]": (),
    }
    listed = "".join(f"  - {{id: r{place}, model: {model}}}\n" for place, model in enumerate(models))
    attributes = "attributes: {person: pseudonym, age: quasi-identifier, zip: quasi-identifier, pay: sensitive}\n"
    said = f"unit: person\nundeclared: insensitive\n{attributes}requirements:\n{listed}"
    reasons = [bound.reason for bound in bind(desk.load(said), ["Person", "Age", "zip", "Pay"]).requirements]
    for reason, lacking in zip(reasons, models.values(), strict=True):
        assert [name for name in ("age", "pay", "person") if f"{name!r}" in (reason or "")] == list(lacking)
    once = bind(desk.load(said.replace("unit: person", "unit: {column: person, rows: one-per-unit}")), ["age", "zip"])
    assert once.requirements[0].reason is None


def test_an_absent_sensitive_attribute(desk: Desk) -> None:
    bound = {b.requirement.id: b for b in bind(desk.load(TEXT), ["zip", "age", "ill", "lab_hiv"]).requirements}
    assert bound["close"].reason == "the data has no column 'pay'"
    assert bound["joined"].reason == "the data has no column 'pay'"
    assert bound["all"].reason is None


def test_identifiers_in_the_data_are_named(desk: Desk) -> None:
    binding = bind(desk.load(TEXT), ["notes", *COLUMNS, "id"])
    assert binding.identifiers == ("notes", "id")


def test_undeclared_columns(desk: Desk) -> None:
    strict = bind(desk.load(TEXT), [*COLUMNS, "x", "y"])
    assert strict.undeclared == ("x", "y")
    assert "x" not in strict.roles
    lax = bind(desk.load("undeclared: quasi-identifier\n" + TEXT), [*COLUMNS, "x"])
    assert lax.undeclared == ("x",)
    assert lax.quasi_identifiers == ("zip", "age", "x")
    assert lax.requirements[0].quasi_identifiers == ("zip", "age", "x")


def test_two_globs_for_one_column_name_both_lines(desk: Desk) -> None:
    policy = desk.load(
        "attributes:\n  'lab_*': insensitive\n  '*_1': sensitive\nrequirements: [{model: k-anonymity, k: 5}]\n"
    )
    assert bind(policy, ["lab_2", "x_1"]).sensitive == ("x_1",)
    with pytest.raises(PolicyError) as wrong:
        bind(policy, ["lab_1"])
    (problem,) = wrong.value.problems
    assert "p.yaml:2" in problem.what
    assert "p.yaml:3" in problem.what
    assert "'lab_1'" in problem.what


def test_an_exact_name_wins_over_globs(desk: Desk) -> None:
    policy = desk.load(
        "attributes:\n  'lab_*': insensitive\n  '*_1': sensitive\n  lab_1: quasi-identifier\n"
        "requirements: [{model: k-anonymity, k: 5}]\n"
    )
    assert bind(policy, ["lab_1"]).quasi_identifiers == ("lab_1",)


def test_a_column_named_like_a_glob(desk: Desk) -> None:
    policy = desk.load("attributes: {'a*': quasi-identifier}\nrequirements: [{model: k-anonymity, k: 5}]\n")
    assert bind(policy, ["a*", "ab"]).quasi_identifiers == ("a*", "ab")


def test_globs_match_case_and_may_match_nothing(desk: Desk) -> None:
    policy = desk.load("attributes: {'Lab_[0-9]': quasi-identifier}\nrequirements: [{model: k-anonymity, k: 5}]\n")
    assert bind(policy, ["Lab_1", "lab_1", "Lab_x"]).quasi_identifiers == ("Lab_1",)
    assert bind(policy, ["x"]).requirements[0].reason is None


def test_globs_in_requirements(desk: Desk) -> None:
    policy = desk.load("""\
        attributes: {"q_*": quasi-identifier, "s_*": sensitive, other: quasi-identifier}
        requirements:
          - {id: g, model: k-anonymity, k: 5, quasi_identifiers: ["q_*"]}
          - {id: s, model: distinct-l-diversity, l: 2, sensitive: "s_*"}
        """)
    group, first, second = bind(policy, ["q_b", "s_2", "other", "q_a", "s_1"]).requirements
    assert group.quasi_identifiers == ("q_b", "q_a")
    assert [(b.requirement.id, b.sensitive) for b in (first, second)] == [("s-s_2", "s_2"), ("s-s_1", "s_1")]
    nothing, unread = bind(policy, ["other"]).requirements
    assert nothing.reason == "the data has no column 'q_*'"
    assert unread.reason is not None


def test_a_unit_must_be_in_the_data(desk: Desk) -> None:
    text = "unit: {unit}\nattributes: {{person: pseudonym, age: quasi-identifier}}\n"
    text += "requirements: [{{model: k-anonymity, k: 5}}]\n"
    policy = desk.load(text.format(unit="person"))
    assert bind(policy, ["age", "person"]).unit == "person"
    lacking = bind(policy, ["age"])
    assert lacking.unit is None
    assert lacking.requirements[0].reason == "the data has no column 'person'"
    rows = bind(desk.load(text.format(unit="{column: person, rows: one-per-unit}")), ["age"])
    assert (rows.unit, rows.requirements[0].reason) == (None, None)


def test_secret_parameters_are_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMIT", "7")
    policy = desk.load("requirements: [{model: k-anonymity, k: {secret: LIMIT}}]\n")
    assert bind(policy, []).requirements[0].confidential == {"k"}


def test_five_thousand_columns(desk: Desk) -> None:
    columns = [f"c{i}" for i in range(5000)]
    policy = desk.load(
        {
            "attributes": {**dict.fromkeys(columns, "quasi-identifier"), "x*": "insensitive"},
            "requirements": [{"model": "k-anonymity", "k": 5}],
        }
    )
    assert len(bind(policy, columns).requirements[0].quasi_identifiers) == 5000


def test_ids_of_globs_never_meet(desk: Desk) -> None:
    policy = desk.load("""\
        attributes: {"s*": sensitive}
        requirements:
          - {id: a, model: distinct-l-diversity, l: 2, sensitive: "s*"}
          - {id: a-s1, model: k-anonymity, k: 2}
        """)
    ids = [bound.requirement.id for bound in bind(policy, ["s1", "s/1", "s 1"]).requirements]
    assert ids == ["a-s1-2", "a-s-1", "a-s-1-2", "a-s1"]
