"""Where comparing says stricter or equal, no table meets the new policy and breaks the old one."""

from __future__ import annotations

from copy import deepcopy
from datetime import date
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from auditor.audit import check
from auditor.errors import PolicyError, UsageError
from auditor.policy import Policy, load_policy
from auditor.policy.compare import _requirements as _compare_requirements
from auditor.policy.compare import compare
from auditor.result import Verdict

Text = dict[str, Any]
TODAY = date(2026, 6, 1)
COLUMNS = ("age", "zip", "ward", "ill", "name", "extra")
ROLES = {
    "age": ["quasi-identifier", "quasi-identifier", "insensitive"],
    "zip": ["quasi-identifier", "insensitive", "identifier", "sensitive", "pseudonym", None],
    "ward": ["insensitive", "quasi-identifier", "text", None],
    "ill": ["sensitive"],
    "name": ["identifier", "insensitive", "text", None],
    "extra": [None, None, "insensitive", "quasi-identifier", "identifier"],
}


def numbers(model: str) -> st.SearchStrategy[Text]:
    """The parameters of a requirement, from few values, so that two policies often share or nearly share them."""
    small, share = st.integers(1, 3), st.sampled_from([0.25, 1 / 3, 0.34, 0.5, 0.67, 1.0])
    parameters: dict[str, Text] = {
        "k-anonymity": {"k": small},
        "max-risk": {"max": share},
        "average-risk": {"max": share},
        "uniqueness": {"max": st.sampled_from([0, 0.25, 0.5])},
        "distinct-l-diversity": {"l": small},
        "entropy-l-diversity": {"l": st.sampled_from([1, 1.5, 2, 2.5, 3])},
        "recursive-l-diversity": {"c": st.sampled_from([1, 1.5, 2, 3]), "l": small},
        "p-sensitive-k-anonymity": {"p": small, "k": small},
        "alpha-k-anonymity": {
            "alpha": share,
            "k": small,
            "values": st.sampled_from([["flu"], ["flu", "HIV"], ["HIV"]]),
        },
        "t-closeness": {"t": st.sampled_from([0, 0.2, 0.4, 0.6]), "distance": st.sampled_from(["emd", "variational"])},
        "basic-beta-likeness": {"beta": st.sampled_from([0.5, 1, 2])},
        "delta-disclosure": {"delta": st.sampled_from([0.5, 1, 2])},
        "allowed-values": {"attribute": st.just("ward"), "values": st.sampled_from([["a"], ["a", "b"], ["b"]])},
    }
    return st.fixed_dictionaries(parameters[model])


MODELS = [
    "k-anonymity",
    "max-risk",
    "average-risk",
    "uniqueness",
    "distinct-l-diversity",
    "entropy-l-diversity",
    "recursive-l-diversity",
    "p-sensitive-k-anonymity",
    "alpha-k-anonymity",
    "t-closeness",
    "basic-beta-likeness",
    "delta-disclosure",
    "allowed-values",
]


@st.composite
def requirement(draw: st.DrawFn) -> Text:
    model = draw(st.sampled_from(MODELS))
    entry: Text = {"model": model, "id": draw(st.sampled_from(["one", "two", "three"])), **draw(numbers(model))}
    if model != "allowed-values" and draw(st.integers(0, 3)) == 0:
        entry["quasi_identifiers"] = draw(
            st.sampled_from([["age"], ["age", "zip"], ["zip"], ["age", "ward"], ["age", "z*"]])
        )
    if draw(st.integers(0, 5)) == 0:
        entry["severity"] = "warning"
    if model.endswith(("diversity", "closeness")) and draw(st.integers(0, 4)) == 0:
        entry["others"] = "quasi-identifiers"
    return entry


WAIVER = st.fixed_dictionaries(
    {
        "requirement": st.sampled_from(["one", "two", "identifiers", "undeclared"]),
        "expires": st.sampled_from(["2026-01-01", "2026-07-01", "2026-12-01"]),
        "reason": st.just("r"),
        "owner": st.just("o"),
        "approved_by": st.just("a"),
    },
    optional={"at_least": st.sampled_from([{"k": 1}, {"k": 2}])},
)


CHANGES = ["role", "requirement", "parameters", "parameters", "add", "drop", "key", "waivers"]


def unique(entries: list[Text]) -> list[Text]:
    return list({entry["id"]: entry for entry in entries}.values())


@st.composite
def policies(draw: st.DrawFn) -> Text:
    roles = {name: draw(st.sampled_from(choices)) for name, choices in ROLES.items()}
    pattern = {"z*": draw(st.sampled_from(ROLES["age"]))} if draw(st.integers(0, 3)) == 0 else {}
    waivers = draw(st.lists(WAIVER, max_size=2)) if draw(st.integers(0, 3)) == 0 else []
    return {
        "attributes": {"person": "pseudonym", **pattern, **{name: role for name, role in roles.items() if role}},
        "undeclared": draw(st.sampled_from(["fail", "fail", "insensitive", "quasi-identifier"])),
        "missing": draw(st.sampled_from(["value", "value", "wildcard", "reject"])),
        "requirements": unique(draw(st.lists(requirement(), min_size=1, max_size=3))),
        "waivers": [{**waiver, "id": f"w{i}"} for i, waiver in enumerate(waivers)],
        **({"unit": "person"} if draw(st.integers(0, 3)) == 0 else {}),
    }


@st.composite
def mutated(draw: st.DrawFn, policy: Text) -> Text:
    """The policy with one to three parts changed, most of them to parts of another policy."""
    other, new = draw(policies()), deepcopy(policy)
    for _ in range(draw(st.integers(1, 3))):
        match draw(st.sampled_from(CHANGES)):
            case "role":
                name = draw(st.sampled_from(sorted(ROLES)))
                new["attributes"].pop(name, None)
                if name in other["attributes"]:
                    new["attributes"][name] = other["attributes"][name]
            case "requirement":
                new["requirements"] = unique([*new["requirements"], *other["requirements"]])
            case "parameters":
                entry = draw(st.sampled_from(new["requirements"]))
                entry |= draw(numbers(entry["model"]))
            case "add":
                new["requirements"] = unique([{**draw(requirement()), "id": "four"}, *new["requirements"]])
            case "drop":
                new["requirements"] = new["requirements"][1:] or new["requirements"]
            case "key":
                key = draw(st.sampled_from(["undeclared", "missing"]))
                new[key] = other[key]
            case _:
                new["waivers"] = other["waivers"]
    return new


def tables() -> st.SearchStrategy[pa.Table]:
    values = {
        "age": st.sampled_from(["30", "40"]),
        "zip": st.sampled_from(["1", "2", "1.0"]),
        "ward": st.sampled_from(["a", "b", None]),
        "ill": st.sampled_from(["flu", "HIV", "cold"]),
        "name": st.sampled_from(["ann", "bob"]),
        "extra": st.sampled_from(["x", "y"]),
        "person": st.sampled_from(["p", "q", "r", "s"]),
    }
    columns = st.sampled_from(
        [COLUMNS[:4], COLUMNS[:4], COLUMNS, ("age", "ward", "ill"), ("age", "zip", "ill"), COLUMNS[:5]]
    )

    def of(names: tuple[str, ...]) -> st.SearchStrategy[pa.Table]:
        names = (*names, "person")
        rows = st.lists(st.tuples(*(values[name] for name in names)), min_size=1, max_size=6)
        return st.builds(
            lambda drawn, times: pa.table(
                {name: pa.array([row[i] for row in drawn] * times, pa.string()) for i, name in enumerate(names)}
            ),
            rows,
            st.integers(1, 3),
        )

    return columns.flatmap(of)


def loaded(text: Text) -> Policy | None:
    try:
        return load_policy(text)
    except PolicyError:
        return None


def verdict(table: pa.Table, policy: Policy) -> Verdict | None:
    """None where a waiver bounds what its requirement does not have, which nothing can be judged by."""
    try:
        return check(table, policy, as_of=TODAY).verdict
    except UsageError:
        return None


def law(data: st.DataObject) -> None:
    text = data.draw(policies())
    one, other = loaded(text), loaded(data.draw(mutated(text)))
    if one is None or other is None:
        return
    judge(data, one, other)
    judge(data, other, one)


def judge(data: st.DataObject, old: Policy, new: Policy) -> None:
    """Where the new policy is said to be at least as strict, look for a table that meets it and breaks the old one."""
    found = compare(old, new)
    event(found.verdict.value)
    if not found.at_least_as_strict:
        return
    for table in data.draw(st.lists(tables(), min_size=1, max_size=3)):
        if verdict(table, new) in {Verdict.PASS, Verdict.WAIVED}:
            event("met")
            assert verdict(table, old) is not Verdict.FAIL, (old.to_yaml(), found.differences)


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_no_table_meets_the_new_policy_and_breaks_the_old_one(data: st.DataObject) -> None:
    law(data)


def test_a_comparison_that_forgets_removed_requirements_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law bites: it finds the table that a careless comparison lets through."""
    monkeypatch.setattr(_compare_requirements, "WEAKER", _compare_requirements.EQUAL)
    roles = dict.fromkeys(COLUMNS, "insensitive") | {"person": "pseudonym", "age": "quasi-identifier"}
    kept, dropped = {"id": "two", "model": "uniqueness", "max": 0}, {"id": "one", "model": "k-anonymity", "k": 3}
    old = load_policy({"attributes": roles, "requirements": [kept, dropped]})
    new = load_policy({"attributes": roles, "requirements": [kept]})

    @settings(
        max_examples=500,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def hold(data: st.DataObject) -> None:
        judge(data, old, new)

    with pytest.raises(AssertionError):
        hold()
