"""Fields of which neither way is stricter: every change of them needs somebody who looks."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from auditor.audit import check
from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.queries import Statement, audit_queries
from auditor.result import Strictness, Verdict

Text = dict[str, Any]
ROLES = {
    "id": "pseudonym",
    "zip": "quasi-identifier",
    "pay": {"role": "sensitive", "type": "number"},
    "hiv": "sensitive",
}
WAIVER = {"requirement": "mine", "reason": "a reason", "owner": "o", "approved_by": "b", "expires": "2027-01-31"}


def both_ways(old: Text, new: Text, path: str) -> None:
    for one, other in ((old, new), (new, old)):
        found = compare(*(load_policy({"attributes": ROLES, **deepcopy(text)}) for text in (one, other)))
        assert [(each.path, each.verdict) for each in found.differences] == [(path, Strictness.INCOMPARABLE)]


@pytest.mark.parametrize("model", ["max-linkage-risk", "max-interval-disclosure", "max-individual-risk", "min-utility"])
@pytest.mark.parametrize("more", [["pay", "zip"], ["zip"], None])
def test_columns_of_a_requirement_on_records(model: str, more: list[str] | None) -> None:
    """A share of records that are linked, and a mean over columns, may fall when a column joins."""
    bound: Text = {"min": 50} if model == "min-utility" else {"max": 0.1}
    bound |= {"match": "id"} if model in ("max-linkage-risk", "max-interval-disclosure") else {}
    entry: Text = {"id": "r", "model": model, **bound, "attributes": ["pay"]}
    other = {**entry, "attributes": more} if more else {k: v for k, v in entry.items() if k != "attributes"}
    both_ways({"requirements": [entry]}, {"requirements": [other]}, "requirements/r/attributes")


SUDA = {"id": "r", "model": "max-suda2", "max": 0.3, "fraction": 0.1}
UNIQUES = {"id": "r", "model": "population-uniqueness", "max": 0.3, "fraction": 0.1}
RISK = {"id": "r", "model": "expected-reidentifications", "attacker": "prosecutor", "max": 0.5}
KEYS = ("attributes", "undeclared", "requirements")
HIDDEN = {"a": [1, 1, 1, 1, 0], "b": [0, 0, 0, 0, 1], "c": [1, 1, 0, 0, 0]}
"""Who is alone by a and b is alone by c, too, beside others: the score is spread, from 1 to 0.03."""


@pytest.mark.parametrize(("entry", "falls"), [(SUDA, True), (UNIQUES, True), (RISK, False)])
def test_a_number_that_may_be_smaller_with_one_more_quasi_identifier(entry: Text, falls: bool) -> None:
    known = {"a": "quasi-identifier", "b": "quasi-identifier"}
    more, listed = known | {"c": "quasi-identifier"}, {**entry, "attributes": ["a", "b"]}
    sides = {
        "named": ((known | {"c": "insensitive"}, "fail", entry), (more, "fail", entry)),
        "undeclared": ((known, "insensitive", entry), (known, "quasi-identifier", entry)),
        "as before": ((known, "quasi-identifier", entry), (more, "quasi-identifier", entry)),
        "listed": ((known | {"c": "insensitive"}, "fail", listed), (more, "fail", listed)),
    }
    found = {
        case: compare(*(load_policy(dict(zip(KEYS, (*side[:2], [side[2]]), strict=True))) for side in both)).verdict
        for case, both in sides.items()
    }
    weak, strict = Strictness.INCOMPARABLE if falls else Strictness.STRICTER, Strictness.STRICTER
    assert found == {"named": weak, "undeclared": weak, "as before": Strictness.EQUAL, "listed": strict}


def test_a_record_that_one_more_quasi_identifier_hides() -> None:
    known = {"a": "quasi-identifier", "b": "quasi-identifier", "c": "insensitive"}
    table = pa.table({name: pa.array(map(str, values)) for name, values in HIDDEN.items()})
    policies = ({"attributes": each, "requirements": [SUDA]} for each in (known, known | {"c": "quasi-identifier"}))
    assert [check(table, load_policy(each)).verdict for each in policies] == [Verdict.FAIL, Verdict.PASS]


@pytest.mark.parametrize("more", [{"hiv": ["yes", "no"]}, {"hiv": ["yes"], "zip": ["1"]}])
def test_values_that_rules_must_not_lead_to(more: Text) -> None:
    rule = {"type": "association-rules", "max_confidence": 0.5, "sensitive": {"hiv": ["yes"]}}
    both_ways({"outputs": [rule]}, {"outputs": [{**rule, "sensitive": more}]}, "outputs/association-rules/sensitive")


def test_what_insiders_know_and_the_column_that_names_it() -> None:
    """Who knows a value learns it from no answer; another key makes them know others."""
    queries: Text = {"key": "id", "assume": {"insiders": {"ana": ["1"]}}}
    more = {"key": "id", "assume": {"insiders": {"ana": ["1", "2"]}}}
    both_ways({"queries": queries}, {"queries": more}, "queries/assume/insiders")
    both_ways({"queries": queries}, {"queries": {**queries, "key": "zip"}}, "queries/key")
    plain = [load_policy({"attributes": ROLES, "queries": queries}) for queries in ({}, {"key": "id"})]
    assert compare(*plain).differences == compare(*plain[::-1]).differences == ()


@pytest.mark.parametrize("other", [{"key": "zip"}, {}])
def test_the_column_that_says_whose_versions_rows_are(other: Text) -> None:
    """Two rows of one person are two people's by another key, or by none, and their sum discloses nobody."""
    versions = {"versions": {"since": "pay", "until": "hiv"}}
    both_ways({"queries": {"key": "id", **versions}}, {"queries": {**other, **versions}}, "queries/key")


def test_the_column_that_names_records_of_snapshots() -> None:
    both_ways({"queries": {"key": "id"}}, {"queries": {"key": "zip"}}, "queries/key")


def test_a_log_that_another_key_lets_through(tmp_path: Path) -> None:
    """The review is not for nothing: a sum of two rows of one person, by the key that tells them apart."""
    data = tmp_path / "staff.csv"
    data.write_text("id,row,pay,since,until\n1,a,10,2020-01-01,\n1,b,20,2020-01-01,\n2,c,30,2021-01-01,\n")
    log = [Statement(1, "SELECT sum(pay) FROM data", time="2020-06-01T00:00:00Z")]
    roles: Text = dict.fromkeys(("id", "row", "since", "until"), "insensitive")
    roles["pay"] = {"role": "sensitive", "type": "number"}
    queries = {"versions": {"since": "since", "until": "until"}, "limits": {"exact_value": "deny"}}
    for key, verdict in (("id", Verdict.FAIL), ("row", Verdict.PASS)):
        policy = load_policy({"attributes": roles, "queries": {"key": key, **queries}})
        assert audit_queries(log, policy, data).verdict is verdict


def test_an_id_that_a_waiver_hangs_on() -> None:
    """The waiver stays as it is; another rule takes the id that it excuses."""
    one, other = {"type": "clusters", "min_size": 5}, {"type": "frequency-table", "min_cell": 5}
    old = {"outputs": [{**one, "id": "mine"}, {**other, "id": "his"}], "waivers": [WAIVER]}
    new = {"outputs": [{**one, "id": "his"}, {**other, "id": "mine"}], "waivers": [WAIVER]}
    both_ways(old, new, "outputs/his/id")
    for text in (old, new):
        text.pop("waivers")
    found = compare(*(load_policy({"attributes": ROLES, **text}) for text in (old, new)))
    assert found.differences == ()


def _dominance(*rules: Text) -> Text:
    return {"outputs": [{"type": "magnitude-table", "dominance": list(rules)}]}


LOOSE, TIGHT = {"n": 1, "k": 0.8}, {"n": 2, "k": 0.7}
DOMINANCES = [
    # two who hold at most 70 % are none who holds more than 80 %
    ([LOOSE], [TIGHT], Strictness.STRICTER),
    ([LOOSE], [LOOSE, TIGHT], Strictness.STRICTER),
    ([LOOSE], [{**LOOSE, "inclusive": True}], Strictness.STRICTER),
    ([LOOSE, TIGHT], [TIGHT], Strictness.EQUAL),
    ([LOOSE, TIGHT], [TIGHT, LOOSE], Strictness.EQUAL),
    ([LOOSE], [], Strictness.WEAKER),
    ([{"n": 2, "k": 0.8}], [{"n": 1, "k": 0.7}], Strictness.INCOMPARABLE),
]


@pytest.mark.parametrize(("old", "new", "verdict"), DOMINANCES)
def test_dominance_rules_that_follow_from_others(old: list[Text], new: list[Text], verdict: Strictness) -> None:
    one, other = (load_policy({"attributes": ROLES, **_dominance(*rules)}) for rules in (old, new))
    assert compare(one, other).verdict is verdict
    back = {Strictness.STRICTER: Strictness.WEAKER, Strictness.WEAKER: Strictness.STRICTER}
    assert compare(other, one).verdict is back.get(verdict, verdict)
