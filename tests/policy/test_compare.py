"""Each known way to weaken a policy is seen, and each known way to tighten one is not called a weakening."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditor.policy import load_policy, starter_names
from auditor.policy.compare import compare
from auditor.result import Strictness
from auditor.result.comparison import Difference, PolicyComparison
from tests.policy.conftest import Desk

Text = dict[str, Any]
Change = Callable[[Text], object]

WAIVER = {"requirement": "k", "reason": "r", "owner": "o", "approved_by": "b"}


def policy() -> Text:
    return {
        "attributes": {
            "name": "identifier",
            "age": "quasi-identifier",
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}},
            "ward": "insensitive",
            "lab_*": "insensitive",
            "ill": "sensitive",
            "hiv": "sensitive",
        },
        "requirements": [
            {"id": "k", "model": "k-anonymity", "k": 11},
            {"id": "l", "model": "distinct-l-diversity", "sensitive": "ill", "l": 3},
            {"id": "t", "model": "t-closeness", "sensitive": "hiv", "t": 0.2, "quasi_identifiers": ["age", "zip"]},
            {"id": "w", "model": "allowed-values", "attribute": "ward", "values": ["a", "b"]},
        ],
        "remediation": {"suppression_limit": 0.02},
        "queries": {
            "protects": ["ill"],
            "public": ["ward"],
            "limits": {"min_group": 3, "max_overlap": 2, "query_set_size": 5},
        },
        "spill": "encrypted",
        "outputs": [{"type": "frequency-table", "min_cell": 10, "max_share_of_margin": 0.9}],
        "protection": [
            {"method": "microaggregation", "attributes": ["age"], "k": 5},
            {"method": "rounding", "attributes": ["hiv"], "base": 10},
        ],
        "waivers": [{**WAIVER, "at_least": {"k": 5}, "expires": "2027-01-31"}],
    }


def changed(change: Change) -> PolicyComparison:
    text = policy()
    change(text)
    return compare(load_policy(policy()), load_policy(text))


def requirement(number: int, **fields: object) -> Change:
    return lambda text: text["requirements"][number].update(fields)


def attribute(name: str, value: object) -> Change:
    return lambda text: text["attributes"].update({name: value})


def limit(**fields: object) -> Change:
    return lambda text: text["queries"]["limits"].update(fields)


def method(number: int, **fields: object) -> Change:
    return lambda text: text["protection"][number].update(fields)


def waiver(**fields: object) -> Change:
    return lambda text: text["waivers"][0].update(fields)


WEAKER: dict[str, Change] = {
    "k lowered": requirement(0, k=5),
    "spilled": lambda text: text.pop("spill"),
    "l lowered": requirement(1, l=2),
    "t raised": requirement(2, t=0.3),
    "severity": requirement(0, severity="warning"),
    "dropped": requirement(3, severity="off"),
    "fewer columns": requirement(2, quasi_identifiers=["age"]),
    "only some columns": requirement(0, quasi_identifiers=["age"]),
    "a value more": requirement(3, values=["a", "b", "c"]),
    "removed": lambda text: text["requirements"].pop(1),
    "QI to insensitive": attribute("age", "insensitive"),
    "identifier to insensitive": attribute("name", "insensitive"),
    "identifier to QI": attribute("name", "quasi-identifier"),
    "declared on top": attribute("extra", "insensitive"),
    "undeclared": lambda text: text.update(undeclared="insensitive"),
    "group": limit(min_group=2),
    "no group": lambda text: text["queries"]["limits"].pop("min_group"),
    "overlap": limit(max_overlap=3),
    "one end": limit(query_set_size={"min": 5, "both_ends": False}),
    "exact values": limit(exact_value="allow"),
    "unsupported": lambda text: text["queries"].update(unsupported="warn"),
    "no queries": lambda text: text.pop("queries"),
    "cell": lambda text: text["outputs"][0].update(min_cell=5),
    "margin": lambda text: text["outputs"][0].pop("max_share_of_margin"),
    "no outputs": lambda text: text.pop("outputs"),
    "smaller groups": method(0, k=3),
    "not masked": lambda text: text.pop("protection"),
    "one method less": lambda text: text["protection"].pop(),
    "a waiver more": lambda text: text["waivers"].append({**WAIVER, "requirement": "l", "expires": "2027-01-31"}),
    "later": waiver(expires="2027-06-30"),
    "a lower bound": waiver(at_least={"k": 3}),
    "no bound": waiver(at_least={}),
    "identifiers waived": lambda text: text["waivers"].append(
        {**WAIVER, "requirement": "identifiers", "expires": "2027-01-31"}
    ),
}
NEEDS_REVIEW: dict[str, Change] = {
    "QI to sensitive": attribute("age", "sensitive"),
    "glob": attribute("lab_*", "quasi-identifier"),
    "no glob": lambda text: text["attributes"].pop("lab_*"),
    "hierarchy": attribute("zip", {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "left"}}}),
    "missing values": attribute("age", {"role": "quasi-identifier", "missing_values": ["?"]}),
    "a type": attribute("hiv", {"role": "sensitive", "type": "text"}),
    "unit": lambda text: text.update(unit="ward"),
    "missing": lambda text: text.update(missing="wildcard"),
    "reference": lambda text: text.update(reference="original"),
    "distance": requirement(2, distance="variational"),
    "others": requirement(2, others="quasi-identifiers"),
    "scope": lambda text: text["queries"].update(scope="per-user"),
    "rounding": lambda text: text["outputs"][0].update(rounded_to=5),
    "base": method(1, base=20),
    "other columns masked": method(1, attributes=["ill"]),
    "masked in another order": lambda text: text["protection"].reverse(),
    "one method more": lambda text: text["protection"].append({"method": "noise", "attributes": ["age"], "p": 5}),
    "approver": waiver(approved_by="someone else"),
}
STRICTER: dict[str, Change] = {
    "never spilled": lambda text: text.update(spill="never"),
    "k": requirement(0, k=12),
    "one requirement more": lambda text: text["requirements"].append({"model": "average-risk", "max": 0.01}),
    "a QI more": attribute("ward", "quasi-identifier"),
    "to identifier": attribute("ward", "identifier"),
    "earlier": waiver(expires="2026-12-31"),
    "a higher bound": waiver(at_least={"k": 6}),
    "no waiver": lambda text: text.pop("waivers"),
    "group": limit(min_group=4),
    "interval": limit(interval={"min_width": 5}),
    "one more protected": lambda text: text["queries"].update(protects=["ill", "hiv"]),
    "cell": lambda text: text["outputs"][0].update(min_cell=11),
    "larger groups": method(0, k=6),
    "more columns masked": method(1, attributes=["hiv", "ill"]),
}
EQUAL: dict[str, Change] = {
    "nothing": lambda _: None,
    "words": lambda text: text.update(description="other words", owner="someone"),
    "because": requirement(0, because="of a reason"),
    "order": lambda text: text["requirements"].reverse(),
    "id": lambda text: text["requirements"][1].update(id="diversity"),
    "reason": waiver(reason="another", ticket="T-1"),
    "suppression": lambda text: text["remediation"].update(suppression_limit=0.5, objective="height"),
    "as percentage": lambda text: text["remediation"].update(suppression_limit="2%"),
}


@pytest.mark.parametrize("change", WEAKER.values(), ids=WEAKER)
def test_a_weakening_is_seen(change: Change) -> None:
    found = changed(change)
    assert found.verdict is Strictness.WEAKER
    assert not found.at_least_as_strict
    assert found.differences[0].verdict is Strictness.WEAKER


@pytest.mark.parametrize("change", NEEDS_REVIEW.values(), ids=NEEDS_REVIEW)
def test_what_has_no_order_needs_a_review(change: Change) -> None:
    found = changed(change)
    assert found.verdict is Strictness.INCOMPARABLE
    assert not found.at_least_as_strict


@pytest.mark.parametrize("change", STRICTER.values(), ids=STRICTER)
def test_a_tightening_is_stricter_and_its_undoing_is_not(change: Change) -> None:
    text = policy()
    change(text)
    old, new = load_policy(policy()), load_policy(text)
    assert compare(old, new).verdict is Strictness.STRICTER
    assert compare(new, old).verdict is Strictness.WEAKER


@pytest.mark.parametrize("change", EQUAL.values(), ids=EQUAL)
def test_what_demands_the_same_is_equal(change: Change) -> None:
    assert changed(change).verdict is Strictness.EQUAL


def test_both_ways_is_mixed_and_weaker_stands_first() -> None:
    def change(text: Text) -> None:
        text["requirements"][1]["l"] = 4
        text["requirements"][0]["k"] = 5
        text["remediation"]["suppression_limit"] = 0.1

    found = changed(change)
    assert found.verdict is Strictness.MIXED
    verdicts = [difference.verdict for difference in found.differences]
    assert verdicts == [Strictness.WEAKER, Strictness.STRICTER, Strictness.UTILITY]
    assert (found.differences[0].path, found.differences[0].old, found.differences[0].new) == (
        "requirements/k/k",
        11,
        5,
    )


K = {"id": "k", "model": "k-anonymity", "k": 3}
DISTINCT = {"model": "distinct-l-diversity", "sensitive": "ill", "l": 3}
ENTROPY = {"model": "entropy-l-diversity", "sensitive": "ill"}
IMPLICATIONS = [
    ([{**ENTROPY, "l": 2.5}], {"model": "distinct-l-diversity", "sensitive": "ill", "l": 3}, True),
    ([{**ENTROPY, "l": 2.5}], {"model": "distinct-l-diversity", "sensitive": "ill", "l": 4}, False),
    ([{**ENTROPY, "l": 2.5}], {"model": "distinct-l-diversity", "sensitive": "hiv", "l": 3}, False),
    (
        [{**ENTROPY, "l": 3, "severity": "warning"}],
        {"model": "distinct-l-diversity", "sensitive": "ill", "l": 3},
        False,
    ),
    ([{"model": "recursive-l-diversity", "sensitive": "ill", "c": 2, "l": 3}], K, True),
    (
        [{"model": "recursive-l-diversity", "sensitive": "ill", "c": 2, "l": 3}],
        {"model": "entropy-l-diversity", "sensitive": "ill", "l": 2},
        False,
    ),
    ([{"model": "max-risk", "max": 0.34}], K, True),
    ([{"model": "max-risk", "max": 0.5}], K, False),
    ([{**K, "k": 11}], {"model": "max-risk", "max": 0.09}, False),
    ([{**K, "k": 12}], {"model": "max-risk", "max": 0.09}, True),
    ([{**K, "k": 20}], {"model": "average-risk", "max": 0.05}, True),
    ([{**K, "k": 19}], {"model": "average-risk", "max": 0.05}, False),
    ([{"model": "average-risk", "max": 0.05}], {**K, "k": 2}, False),
    ([{**K, "k": 2}], {"model": "uniqueness", "max": 0}, True),
    ([K, {**ENTROPY, "l": 2}], {"model": "p-sensitive-k-anonymity", "sensitive": "ill", "p": 2, "k": 3}, True),
    ([K], {"model": "p-sensitive-k-anonymity", "sensitive": "ill", "p": 2, "k": 3}, False),
    ([{**K, "quasi_identifiers": ["age"]}], {**K, "k": 2}, False),
    ([K], {**K, "k": 3, "quasi_identifiers": ["age"], "id": "other"}, True),
]


@pytest.mark.parametrize(("new", "old", "follows"), IMPLICATIONS)
def test_a_demand_that_follows_from_another_may_go(new: list[Text], old: Text, follows: bool) -> None:
    attributes = {"age": "quasi-identifier", "zip": "quasi-identifier", "ill": "sensitive", "hiv": "sensitive"}
    first = load_policy({"attributes": attributes, "requirements": [old]})
    found = compare(first, load_policy({"attributes": attributes, "requirements": new}))
    assert found.at_least_as_strict is follows


def test_where_persons_are_counted_values_are_no_members() -> None:
    text = {"unit": "id", "attributes": {"id": "pseudonym", "age": "quasi-identifier", "ill": "sensitive"}}
    old = load_policy({**text, "requirements": [K]})
    new = load_policy({**text, "requirements": [{"model": "distinct-l-diversity", "l": 5}]})
    assert compare(old, new).verdict is Strictness.MIXED


def test_where_shares_of_persons_are_judged_finer_classes_are_not_stricter() -> None:
    def grouped(role: str) -> Text:
        attributes = {"id": "pseudonym", "age": "quasi-identifier", "zip": role, "ill": "sensitive"}
        alpha = {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2}
        return {"attributes": attributes, "requirements": [alpha]}

    by_row = [load_policy(grouped(role)) for role in ("insensitive", "quasi-identifier")]
    by_person = [load_policy({**grouped(role), "unit": "id"}) for role in ("insensitive", "quasi-identifier")]
    assert compare(*by_row).verdict is Strictness.STRICTER
    assert compare(*by_person).verdict is Strictness.INCOMPARABLE


def test_a_waived_requirement_proves_nothing() -> None:
    text = {
        "attributes": {"age": "quasi-identifier"},
        "waivers": [{**WAIVER, "requirement": "b", "expires": "2027-01-31"}],
    }
    a, b = {"id": "a", "model": "k-anonymity"}, {"id": "b", "model": "k-anonymity"}
    old = load_policy({**text, "requirements": [{**a, "k": 5}, {**b, "k": 3}]})
    new = load_policy({**text, "requirements": [{**a, "k": 3}, {**b, "k": 5}]})
    assert compare(old, new).verdict is Strictness.MIXED


def test_removing_the_longer_of_two_waivers_can_bring_back_a_lower_bound() -> None:
    text = {"attributes": {"age": "quasi-identifier"}, "requirements": [{**K, "k": 11}]}
    low = {**WAIVER, "id": "low", "at_least": {"k": 3}, "expires": "2027-01-31"}
    high = {**WAIVER, "id": "high", "at_least": {"k": 9}, "expires": "2027-06-30"}
    old, new = load_policy({**text, "waivers": [low, high]}), load_policy({**text, "waivers": [low]})
    assert compare(old, new).verdict is Strictness.INCOMPARABLE
    assert compare(load_policy({**text, "waivers": [high]}), load_policy(text)).verdict is Strictness.STRICTER


def test_a_secret_is_not_measured(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a guess is stricter than a secret would tell the secret, guess by guess."""
    monkeypatch.setenv("P", "37")
    monkeypatch.setenv("OTHER", "10")

    def rule(parameter: object) -> Any:
        return load_policy({"outputs": [{"type": "magnitude-table", "p_percent": parameter}]})

    secret = rule({"secret": "P"})
    assert compare(secret, rule({"secret": "P"})).verdict is Strictness.EQUAL
    for guess in (5, 37, 50, {"secret": "OTHER"}):
        found = compare(secret, rule(guess))
        assert found.verdict is Strictness.INCOMPARABLE
        assert [difference.old for difference in found.differences] == ["confidential"]
    attributes = {"age": "quasi-identifier"}
    hidden = load_policy({"attributes": attributes, "requirements": [{**K, "k": {"secret": "P"}}]})
    for k in (1, 1000):
        risk = {"attributes": attributes, "requirements": [{"model": "k-anonymity", "id": "other", "k": k}]}
        assert compare(hidden, load_policy(risk)).verdict is Strictness.INCOMPARABLE
        assert not compare(load_policy(risk), hidden).at_least_as_strict
    assert "37" not in str(compare(hidden, load_policy(risk)).differences)


def test_both_lines_are_named(desk: Desk) -> None:
    old = desk.write(
        "attributes: {age: quasi-identifier}\nrequirements:\n  - {id: k, model: k-anonymity, k: 11}\n", "a.yaml"
    )
    new = desk.write(
        "requirements:\n  - {id: k, model: k-anonymity, k: 5}\nattributes: {age: quasi-identifier}\n", "b.yaml"
    )
    (difference,) = compare(load_policy(old), load_policy(new)).differences
    assert _lines(difference) == (("a.yaml", 3), ("b.yaml", 2))


def _lines(difference: Difference) -> tuple[tuple[str, int] | None, ...]:
    origins = (difference.old_origin, difference.new_origin)
    return tuple(None if origin is None else (origin.file, origin.line) for origin in origins)


def test_a_file_with_other_contents_needs_a_review(desk: Desk) -> None:
    text = """
    attributes: {zip: {role: quasi-identifier, hierarchy: {file: zip.csv}}}
    requirements: [{model: k-anonymity, k: 5}]
    """
    places = []
    for folder, ladder in (("a", "1;*\n"), ("b", "1;*\n"), ("c", "1;x;*\n")):
        desk.write(ladder, f"{folder}/zip.csv")
        places.append(load_policy(desk.write(text, f"{folder}/p.yaml")))
    assert compare(places[0], places[1]).verdict is Strictness.EQUAL
    found = compare(places[0], places[2])
    assert found.verdict is Strictness.INCOMPARABLE
    assert [difference.path for difference in found.differences] == ["attributes/zip/hierarchy/file"]


def test_every_starter_pack_is_equal_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("P_PERCENT", "10")
    starters = [load_policy(name) for name in starter_names()]
    assert starters
    for each in starters:
        assert compare(each, each).differences == ()


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ({}, {"sha256": "a" * 64}, "stricter"),
        ({"sha256": "a" * 64}, {}, "incomparable"),
        ({}, {"scope": {"data": ["a.csv"]}}, "stricter"),
        ({"scope": {"data": ["a.csv"]}}, {"scope": {"data": ["a.csv", "b.csv"]}}, "incomparable"),
        ({"scope": {"releases": ["a"]}}, {"scope": {"releases": ["a"]}}, "equal"),
        ({"owner": "b"}, {"owner": "o"}, "weaker"),
        ({"owner": "o"}, {"owner": "B "}, "stricter"),
    ],
    ids=[
        "to some data",
        "to any data",
        "to a file",
        "a file more",
        "as it was",
        "no longer its owner's",
        "its owner's",
    ],
)
def test_what_a_waiver_is_limited_to(old: dict[str, object], new: dict[str, object], verdict: str) -> None:
    base = {
        "name": "p",
        "attributes": {"a": "quasi-identifier"},
        "requirements": [{"id": "k", "model": "k-anonymity", "k": 5}],
    }
    held = {**WAIVER, "expires": "2027-01-31"}
    sides = [load_policy({**base, "waivers": [{**held, **change}]}) for change in (old, new)]
    assert compare(*sides).verdict == verdict


def test_a_second_waiver_for_other_data_needs_a_review() -> None:
    base = {
        "name": "p",
        "attributes": {"a": "quasi-identifier"},
        "requirements": [{"id": "k", "model": "k-anonymity", "k": 5}],
    }
    held = {**WAIVER, "expires": "2027-01-31"}
    two = [held, {**held, "id": "other", "scope": {"data": ["b.csv"]}}]
    assert (
        compare(load_policy({**base, "waivers": [held]}), load_policy({**base, "waivers": two})).verdict
        == "incomparable"
    )
