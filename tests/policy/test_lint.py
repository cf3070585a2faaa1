"""Each rule for doubtful choices: a policy that it doubts, and the same policy mended."""

from datetime import date

import pytest

from auditor.policy.lint import RULES, doubts
from tests.limits import EVERY, Declared
from tests.policy.conftest import Desk, place, unmarked

TODAY = date(2026, 11, 21)
AGE = "age: {role: quasi-identifier, hierarchy: suppress}"
COLUMNS = f"attributes: {{{AGE}, ill: {{role: sensitive, type: number}}}}\n"
GUARD = "  - {model: distinct-l-diversity, l: 2}\n"
K = "requirements:\n  - {model: k-anonymity, k: 5}\n"
PAY = "attributes: {pay: {role: sensitive, type: number}}\n"
WAIVER = (
    "waivers: [{{requirement: k-anonymity, reason: a rare disease, owner: o, approved_by: {by}, expires: {day}}}]\n"
)

CASES = {
    "small-k": (
        COLUMNS + "requirements:\n" + GUARD + "  - {model: k-anonymity, k: »2}\n",
        COLUMNS + "requirements:\n" + GUARD + "  - {model: k-anonymity, k: 3}\n",
    ),
    "no-unit of events": (
        COLUMNS + "requirements:\n" + GUARD + "  - {model: k-anonymity, k: 5, knows: {events: »2}}\n",
        "unit: pid\n"
        + COLUMNS.replace("{age", "{pid: pseudonym, age")
        + "requirements:\n"
        + GUARD
        + "  - {model: k-anonymity, k: 5, knows: {events: 2}}\n",
    ),
    "trivial": (
        COLUMNS + "requirements:\n  - {model: distinct-l-diversity, l: »1}\n",
        COLUMNS + "requirements:\n  - {model: distinct-l-diversity, l: 2}\n",
    ),
    "trivial t": (
        COLUMNS + "requirements:\n  - {model: t-closeness, t: »1}\n",
        COLUMNS + "requirements:\n  - {model: t-closeness, t: 0.9}\n",
    ),
    "trivial pattern": (
        COLUMNS + "requirements:\n" + GUARD + "  - {model: allowed-values, attribute: age, pattern: ».*}\n",
        COLUMNS + "requirements:\n" + GUARD + "  - {model: allowed-values, attribute: age, pattern: '[0-9]*'}\n",
    ),
    "no-quasi-identifiers": (
        "attributes: {age: insensitive}\nrequirements:\n  - »{model: k-anonymity, k: 5}\n",
        f"attributes: {{{AGE}}}\nrequirements:\n  - {{model: k-anonymity, k: 5}}\n",
    ),
    "no-unit": (
        COLUMNS + "requirements:\n" + GUARD + "  - {model: »cross-release-k, k: 5}\n",
        "unit: {column: id, rows: one-per-unit}\n"
        + COLUMNS.replace("{", "{id: identifier, ", 1)
        + "requirements:\n"
        + GUARD
        + "  - {model: cross-release-k, k: 5}\n",
    ),
    "unguarded": (
        f"attributes: {{{AGE}, ill: »sensitive}}\nrequirements:\n  - {{model: k-anonymity, k: 5}}\n",
        f"attributes: {{{AGE}, ill: sensitive}}\nrequirements:\n  - {{model: k-anonymity, k: 5}}\n" + GUARD,
    ),
    "unit-identifier": (
        f"unit: »id\nattributes: {{id: identifier, {AGE}}}\n" + K,
        f"unit: id\nattributes: {{id: pseudonym, {AGE}}}\n" + K,
    ),
    "unexplained": (
        COLUMNS + "requirements:\n  - {model: distinct-l-diversity, l: 2, severity: »warning}\n",
        COLUMNS + "requirements:\n  - {model: distinct-l-diversity, l: 2, severity: warning, because: a trial}\n",
    ),
    "expired": (
        f"attributes: {{{AGE}}}\nrequirements: [{{model: k-anonymity, k: 5}}]\n"
        + WAIVER.format(by="a", day="»2026-11-20"),
        f"attributes: {{{AGE}}}\nrequirements: [{{model: k-anonymity, k: 5}}]\n"
        + WAIVER.format(by="a", day="2027-11-20"),
    ),
    "expiring": (
        f"attributes: {{{AGE}}}\nrequirements: [{{model: k-anonymity, k: 5}}]\n"
        + WAIVER.format(by="a", day="»2026-11-21"),
        f"attributes: {{{AGE}}}\nrequirements: [{{model: k-anonymity, k: 5}}]\n"
        + WAIVER.format(by="a", day="2026-12-06"),
    ),
    "self-approved": (
        f"attributes: {{{AGE}}}\nrequirements: [{{model: k-anonymity, k: 5}}]\n"
        + WAIVER.format(by="»O", day="2027-11-20"),
        f"attributes: {{{AGE}}}\nrequirements: [{{model: k-anonymity, k: 5}}]\n"
        + WAIVER.format(by="P", day="2027-11-20"),
    ),
    "short-reason": (
        f"attributes: {{{AGE}}}\nrequirements: [{{model: k-anonymity, k: 5}}]\n"
        + WAIVER.format(by="a", day="2027-11-20").replace("a rare disease", "»rare"),
        f"attributes: {{{AGE}}}\nrequirements: [{{model: k-anonymity, k: 5}}]\n"
        + WAIVER.format(by="a", day="2027-11-20"),
    ),
    "unordered": (
        COLUMNS + "requirements:\n  - {model: t-closeness, t: 0.2, ground: »equal}\n",
        COLUMNS + "requirements:\n  - {model: t-closeness, t: 0.2, ground: ordered}\n",
    ),
    "open-door": (
        COLUMNS + "undeclared: »insensitive\nrequirements:\n" + GUARD,
        COLUMNS + "undeclared: quasi-identifier\nrequirements:\n" + GUARD,
    ),
    "open-door by a wildcard": (
        f"attributes: {{{AGE}, '*': »insensitive}}\n" + K,
        f"attributes: {{{AGE}, 'lab_*': insensitive, '*': identifier}}\n" + K,
    ),
    "no-hierarchy": (
        "attributes: {age: »quasi-identifier}\nrequirements: [{model: k-anonymity, k: 5}]\nremediation: {}\n",
        f"attributes: {{{AGE}}}\nremediation: {{}}\n" + K,
    ),
    "no-hierarchy of any": (
        "attributes: »{age: quasi-identifier, sex: quasi-identifier}\nrequirements: [{model: k-anonymity, k: 5}]\n",
        "attributes: {age: quasi-identifier, ill: sensitive}\nqueries: {limits: {min_group: 5}}\n",
    ),
    "no-hierarchy of one": (
        f"attributes: {{{AGE}, sex: »quasi-identifier}}\n" + K,
        f"attributes: {{{AGE}}}\n" + K,
    ),
    "alone": (
        "attributes: {pay: insensitive}\nrequirements:\n  - {model: »max-linkage-risk, max: 0.1, match: id}\n",
        (
            "attributes: {pay: insensitive}\nrequirements:\n  - {model: max-linkage-risk, max: 0.1, match: id}\n"
            "  - {model: max-interval-disclosure, max: 0.5, match: id}\n"
        ),
    ),
    "alone by its columns": (
        (
            "attributes: {pay: insensitive, age: insensitive}\nrequirements:\n"
            "  - {model: »max-linkage-risk, max: 0.1, match: id, attributes: [pay, age]}\n"
            "  - {model: max-interval-disclosure, max: 0.5, match: id, attributes: [age]}\n"
        ),
        (
            "attributes: {pay: insensitive, age: insensitive}\nrequirements:\n"
            "  - {model: max-linkage-risk, max: 0.1, match: id, attributes: [age]}\n"
            "  - {model: max-interval-disclosure, max: 0.5, match: id, attributes: [age]}\n"
        ),
    ),
    "wide-interval": (
        "attributes: {pay: {role: sensitive, range: [0, 100]}}\nqueries: {limits: {interval: {min_width: »100.5}}}\n",
        "attributes: {pay: {role: sensitive, range: [0, 100]}}\nqueries: {limits: {interval: {min_width: 100}}}\n",
    ),
    "wide-interval of a column that is protected by name": (
        (
            "attributes: {age: {role: insensitive, range: [0, 9]}, pay: {role: insensitive, range: [-5, 5]}}\n"
            "queries: {protects: [pay], limits: {interval: {min_width: »11}}}\n"
        ),
        (
            "attributes: {age: {role: insensitive, range: [0, 9]}, pay: {role: insensitive, range: [-5, null]}}\n"
            "queries: {protects: [pay], limits: {interval: {min_width: 11}}}\n"
        ),
    ),
    "small-k of a log": (
        f"{PAY}queries: {{limits: {{min_group: »2}}}}\n",
        f"{PAY}queries: {{limits: {{min_group: 3}}}}\n",
    ),
    "small-k of a query set": (
        f"{PAY}queries: {{limits: {{query_set_size: {{min: »1, both_ends: true}}}}}}\n",
        f"{PAY}queries: {{limits: {{query_set_size: {{min: 3, both_ends: true}}}}}}\n",
    ),
    "small-k of outputs": ("outputs: [{type: clusters, min_size: »2}]\n", "outputs: [{type: clusters, min_size: 3}]\n"),
    "trivial l of a tree": (
        "outputs: [{type: decision-tree, min_leaf: 9, min_l: »1}]\n",
        "outputs: [{type: decision-tree, min_leaf: 9, min_l: 2}]\n",
    ),
    "trivial share": (
        "outputs: [{type: frequency-table, max_share_of_margin: »100%}]\n",
        "outputs: [{type: frequency-table, max_share_of_margin: 99%}]\n",
    ),
    "trivial rule": ("outputs: [»{type: regression, min_dof: 0}]\n", "outputs: [{type: regression, min_dof: 10}]\n"),
    "trivial limits": (
        f"{PAY}queries: {{limits: »{{exact_value: allow}}}}\n",
        f"{PAY}queries: {{limits: {{exact_value: allow, max_queries: 9}}}}\n",
    ),
    "contradictory": (
        f"{PAY}queries: {{limits: {{min_group: 3, exact_value: »allow}}}}\n",
        f"{PAY}queries: {{limits: {{min_group: 3}}}}\n",
    ),
    "unexplained of a limit": (
        f"{PAY}queries: {{}}\nlimits: {{queries-exact-value: {{severity: »warning}}}}\n",
        f"{PAY}queries: {{}}\nlimits: {{queries-exact-value: {{severity: warning, because: a trial}}}}\n",
    ),
    "idle uses": (
        COLUMNS + K + GUARD + "tradeoff: {uses: »[{cluster: 3}]}\n",
        COLUMNS
        + K
        + GUARD
        + "tradeoff: {uses: [{cluster: 3}]}\nprotection: [{method: noise, attributes: [ill], p: 5}]\n",
    ),
    "idle list": (
        "outputs: [{type: clusters, min_size: 9, sensitive: »{ill: [HIV]}}]\n",
        "outputs: [{type: clusters, min_size: 9, max_confidence: 0.8, sensitive: {ill: [HIV]}}]\n",
    ),
    "idle channels": (
        "outputs: [{type: frequent-itemsets, min_support_count: 9, possible_channels: »deny}]\n",
        "outputs: [{type: frequent-itemsets, min_support_count: 9, channels: true, possible_channels: deny}]\n",
    ),
    "unguarded in a log": (
        "attributes: {ill: sensitive, pay: {role: sensitive, type: number}}\nqueries: {protects: »[pay]}\n",
        "attributes: {ill: sensitive, pay: {role: sensitive, type: number}}\nqueries: {protects: [pay, ill]}\n",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_doubtful_choice_is_named_at_its_place(desk: Desk, case: str) -> None:
    text, places = unmarked(CASES[case][0])
    (doubt,) = doubts(desk.load(text), TODAY)
    assert doubt.code == case.split(maxsplit=1)[0]
    assert place(doubt) == places[0]
    assert doubt.what


@pytest.mark.parametrize("case", CASES)
def test_the_mended_policy_is_not_doubted(desk: Desk, case: str) -> None:
    assert doubts(desk.load(CASES[case][1]), TODAY) == []


def test_every_rule_has_a_case(desk: Desk) -> None:
    for rule in RULES:
        assert any(any(rule(desk.load(unmarked(text)[0]), TODAY)) for text, _ in CASES.values()), rule.__name__


@pytest.mark.parametrize("declared", EVERY, ids=str)
def test_the_example_of_a_limit_is_not_doubted(declared: Declared) -> None:
    assert doubts(declared.policy, TODAY) == []


def test_a_secret_bound_of_a_limit_is_not_doubted(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_BOUND", "1")
    limits = (
        "{type: clusters, min_size: {secret: SECRET_BOUND}}",
        "{type: clusters, max_confidence: {secret: SECRET_BOUND}}",
    )
    for rule in limits:
        assert doubts(desk.load(f"outputs: [{rule}]\n"), TODAY) == []


def test_a_starter_pack_need_not_name_columns(desk: Desk) -> None:
    policy = desk.load("pack: {title: t, source: s}\nrequirements: [{model: k-anonymity, k: 5}]\n")
    assert doubts(policy, TODAY) == []


def test_doubts_stand_in_the_order_of_the_file(desk: Desk) -> None:
    found = doubts(
        desk.load("requirements:\n  - {id: a, model: max-risk, max: 1}\n  - {id: b, model: k-anonymity, k: 1}\n"), TODAY
    )
    assert [place(doubt) for doubt in found] == sorted(place(doubt) for doubt in found)
