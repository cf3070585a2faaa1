"""What a verdict of "pass" must not overlook: insiders, missing values, several columns, limits that stand alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from auditor.errors import DataError, PolicyError, UsageError
from auditor.queries import QueryAudit, QueryAuditor, Statement, _document, audit_queries

NUMBER = {"role": "sensitive", "type": "number"}
WHOLE = {"role": "sensitive", "type": "integer", "range": [0, 100]}


def _rules(x: dict[str, Any] | None = None, **queries: Any) -> dict[str, Any]:
    attributes = {"id": "insensitive", "x": x or NUMBER, "y": NUMBER}
    return {"version": 1, "name": "sound", "attributes": attributes, "queries": {"table": "t", "key": "id", **queries}}


def _table(x: list[Any], y: list[Any] | None = None) -> pd.DataFrame:
    return pd.DataFrame({"id": range(len(x)), "x": x, "y": y or list(range(len(x)))})


def _audit(log: list[Any], x: list[Any], attribute: dict[str, Any] | None = None, **queries: Any) -> QueryAudit:
    return audit_queries(log, _rules(attribute, **queries), _table(x))


def _records(found: QueryAudit, kind: str) -> set[tuple[int, ...]]:
    return {each.records for each in found.disclosures if each.kind == kind}


def _agrees_online(log: list[str], x: list[Any], attribute: dict[str, Any] | None = None, **queries: Any) -> list[str]:
    """The decisions; what is answered must pass when it is audited as a log."""
    with QueryAuditor(_table(x), _rules(attribute, **queries)) as auditor:
        decisions = [auditor.decide(sql).decision for sql in log]
    answered = [sql for sql, decision in zip(log, decisions, strict=True) if decision == "answer"]
    assert not answered or audit_queries(answered, _rules(attribute, **queries), _table(x)).verdict == "pass"
    return decisions


# Insiders


def test_an_insider_who_asked_nothing_may_join_a_coalition() -> None:
    log = [Statement(1, "SELECT SUM(x) FROM t WHERE id < 2", "ana")]
    options: dict[str, Any] = {"assume": {"insiders": {"zoe": ["0"]}}}
    found = _audit(log, [1, 2, 3], scope={"coalition": 2}, **options)
    assert _records(found, "exact-value") == {(1,)}
    assert _audit(log, [1, 2, 3], scope="per-user", **options).verdict == "pass"
    with QueryAuditor(_table([1, 2, 3]), _rules(scope={"coalition": 2}, **options)) as auditor:
        assert auditor.decide("SELECT SUM(x) FROM t WHERE id < 2", user="ana").decision == "deny"


@pytest.mark.parametrize("scope", ["pooled", "per-user", {"coalition": 2}])
def test_what_one_insider_knows_is_disclosed_to_another(scope: Any) -> None:
    """Ana knows record 0 and Ben record 1: the sum of both tells each of them the other's."""
    insiders = {"ana": ["0"], "ben": ["1"]}
    log = [Statement(1, "SELECT SUM(x) FROM t WHERE id < 2", "ana")]
    found = _audit(log, [1, 2, 3], scope=scope, assume={"insiders": insiders})
    assert (1,) in _records(found, "exact-value")
    with QueryAuditor(_table([1, 2, 3]), _rules(scope=scope, assume={"insiders": insiders})) as auditor:
        assert auditor.decide("SELECT SUM(x) FROM t WHERE id < 2", user="ana").decision == "deny"


def test_a_record_that_an_ally_knows_is_not_given_to_who_does_without_him() -> None:
    rules = _rules(scope={"coalition": 2}, assume={"insiders": {"zoe": ["2"]}})
    with QueryAuditor(_table([1, 2, 3]), rules) as auditor:
        assert auditor.decide("SELECT SUM(x) FROM t WHERE id = 2", user="ana").decision == "deny"


def test_who_is_known_to_have_no_value_is_no_maximum() -> None:
    assume = {"null_is_public": False, "insiders": {"zoe": ["0"]}, "equal_values": "allowed"}
    found = _audit(["SELECT MAX(x) FROM t WHERE id < 2"], [None, 2, 3], assume=assume)
    assert _records(found, "exact-value") == {(1,)}


# Groups


@pytest.mark.parametrize(("where", "records"), [("id = 1", (1,)), ("id < 2", (0, 1))])
def test_two_columns_of_a_record_are_one_record_of_a_group(where: str, records: tuple[int, ...]) -> None:
    log = [f"SELECT SUM(x + y) FROM t WHERE {where}"]
    found = _audit(log, [1, 2, 3, 4], limits={"min_group": 3})
    assert _records(found, "group") == {records}
    assert {(d.attribute, d.low) for d in found.disclosures} == {("x + y", sum(2 * r + 1 for r in records))}
    assert _agrees_online(log, [1, 2, 3, 4], limits={"min_group": 3}) == ["deny"]
    assert _audit(["SELECT SUM(x + y) FROM t WHERE id < 3"], [1, 2, 3, 4], limits={"min_group": 3}).verdict == "pass"


def test_two_versions_of_a_record_are_one_record_of_a_group() -> None:
    before, after = _table([1, 2, 3, 4]), _table([1, 2, 3, 9])
    log = [Statement(i, "SELECT SUM(x) FROM t", "ana", time) for i, time in ((1, "2026-01-05"), (2, "2026-02-05"))]
    found = audit_queries(log, _rules(limits={"min_group": 2}), {"2026-01-01": before, "2026-02-01": after})
    assert {each.kind for each in found.disclosures} >= {"group"}


@pytest.mark.parametrize("limits", [{"min_group": 3}, {"interval": {"min_width": 5}}])
@pytest.mark.parametrize("function", ["SUM", "MAX"])
def test_a_value_that_may_be_known_still_breaks_the_other_limits(limits: dict[str, Any], function: str) -> None:
    log = [f"SELECT {function}(x) FROM t WHERE id = 1"]
    assert _audit(log, [1, 2, 3], limits={"exact_value": "allow", **limits}).verdict == "fail"
    assert _agrees_online(log, [1, 2, 3], limits={"exact_value": "allow", **limits}) == ["deny"]


# Values that contradict the policy


@pytest.mark.parametrize(
    ("attribute", "values", "said"),
    [
        ({**NUMBER, "range": [0, 25]}, [10, 2741, 3], "outside the range"),
        ({**NUMBER, "range": [100, None]}, [2741, 300, None, 99.5], "outside the range"),
        (WHOLE, [1, 27.41], "declared as an integer and holds fractions"),
    ],
)
def test_data_outside_what_the_policy_declares_is_an_error(
    attribute: dict[str, Any], values: list[Any], said: str
) -> None:
    with pytest.raises(DataError, match=said) as caught:
        _audit(["SELECT SUM(x) FROM t"], values, attribute)
    assert "27" not in str(caught.value)
    with pytest.raises(DataError, match=said):
        QueryAuditor(_table(values), _rules(attribute))


def test_ends_of_the_range_and_missing_values_are_inside() -> None:
    assert _audit(["SELECT SUM(x) FROM t"], [5, None, 7.5, 6], {**NUMBER, "range": [5, 7.5]}).verdict == "pass"


# What is missing, where nobody knows it

HIDDEN = {"null_is_public": False, "equal_values": "allowed"}


@pytest.mark.parametrize("function", ["SUM", "MAX", "MIN"])
def test_an_answer_of_null_says_that_nobody_has_a_value(function: str) -> None:
    log = [f"SELECT {function}(x) FROM t WHERE id > 0"]
    found = _audit(log, [5, None, None], assume=HIDDEN)
    assert (found.verdict, _records(found, "finite-domain")) == ("fail", {(1, 2)})
    assert _audit(log, [5, None, 7], assume=HIDDEN).verdict == "pass"
    assert _agrees_online(log, [5, None, None], assume=HIDDEN) == ["deny"]
    assert _agrees_online(log, [5, None, 7], assume=HIDDEN) == ["deny"], "the decision reads no value"


def test_values_and_their_presence_together_are_not_taken_for_safe() -> None:
    """One of the first two has a value, and one of 0 and 2: 10 or 7 cannot both be that of record 0, so it has none."""
    log = [f"SELECT {what} FROM t WHERE id IN (0, {other})" for what in ("SUM(x)", "COUNT(x)") for other in (1, 2)]
    assert _audit(log, [None, 10, 7], assume=HIDDEN).verdict == "not-evaluated", "no bounds, no programme"
    found = _audit(log, [None, 10, 7], {**NUMBER, "range": [5, 60]}, assume=HIDDEN)
    assert _records(found, "finite-domain") == {(0,), (1,), (2,)}
    assert _records(found, "exact-value") == {(1,), (2,)}
    assert (
        _audit(["SELECT SUM(x) FROM t"], [60, 50, None], {**NUMBER, "range": [5, 60]}, assume=HIDDEN).verdict == "pass"
    )
    assert _agrees_online(log, [None, 10, 7], {**NUMBER, "range": [5, 60]}, assume=HIDDEN) == ["deny"] * 4


def test_a_sum_and_maxima_are_put_together_by_an_insider() -> None:
    """15 + 40 + 5, the largest 40, the larger of 0 and 2 is 15: who has the 15 is known to who knows record 0 alone."""
    log = [
        "SELECT SUM(x) FROM t WHERE id < 3",
        "SELECT MAX(x) FROM t WHERE id < 3",
        "SELECT MAX(x) FROM t WHERE id IN (0, 2)",
    ]
    ranged, options = {**NUMBER, "range": [0, 100]}, {"equal_values": "allowed"}
    for null_is_public in (True, False):
        for insiders, told in (({}, {(1,)}), ({"zoe": ["0"]}, {(1,), (2,)}), ({"ann": ["1"]}, {(1,)})):
            assume = {**options, "insiders": insiders, "null_is_public": null_is_public}
            found = _audit(log, [15, 40, 5, 7], ranged, assume=assume)
            assert _records(found, "exact-value") == told
        found = _audit(log[:2], [15, 40, 5, 7], ranged, assume={**assume, "insiders": {"zoe": ["0"]}})
        assert not _records(found, "exact-value")


# Sublattice


def test_a_sum_of_values_within_a_range_is_denied_where_an_end_is_possible() -> None:
    log = ["SELECT SUM(x) FROM t"]
    ranged = {**NUMBER, "range": [0, 100]}
    assert _audit(log, [0, 0, 0], ranged).verdict == "fail"
    assert _agrees_online(log, [0, 0, 0], ranged) == ["deny"]
    assert _agrees_online(log, [7, 8, 9], ranged) == ["deny"], "the decision reads no value"
    assert _agrees_online(log, [7, 8, 9], ranged, limits={"exact_value": "allow", "max_queries": 3}) == ["answer"]


def test_an_interval_may_follow_from_a_maximum_and_a_minimum() -> None:
    log = ["SELECT MAX(x) FROM t", "SELECT MIN(x) FROM t"]
    limits = {"interval": {"min_width": 5}}
    for equal in ("allowed", "distinct"):
        assume = {"equal_values": equal}
        assert _audit(log, [1, 2, 4], assume=assume, limits=limits).verdict == "fail"
        assert _agrees_online(log, [1, 2, 4], assume=assume, limits=limits) == ["answer", "deny"]
        assert _agrees_online(log, [1, 20, 44], assume=assume, limits=limits) == ["answer", "deny"]


def test_whole_numbers_that_are_distinct_run_out() -> None:
    """0, 1 and 2 are the only three with that maximum; with the minimum of the last two, all of them are known."""
    log = ["SELECT MAX(x) FROM t WHERE id < 3", "SELECT MIN(x) FROM t WHERE id IN (1, 2)"]
    for assume in ({"equal_values": "distinct"}, {}):
        assert _audit(log[:1], [0, 1, 2, 40], WHOLE, assume=assume).verdict == "pass"
        found = _audit(log, [0, 1, 2, 40], WHOLE, assume=assume)
        assert _records(found, "exact-value") == {(0,)}
        assert _agrees_online(log, [0, 1, 2, 40], WHOLE, assume=assume) == ["deny", "deny"]
    assert _audit(log, [0, 1, 2, 40], WHOLE, assume={"equal_values": "allowed"}).verdict == "pass"
    assert _audit(log, [0, 1, 2, 40], assume={}).verdict == "pass"


def test_sums_of_whole_numbers_that_are_distinct() -> None:
    """x₀ + x₁ = 1 and x₀ + x₂ = 2: with x₀ = 1 the third were 1, too."""
    log = ["SELECT SUM(x) FROM t WHERE id < 2", "SELECT SUM(x) FROM t WHERE id IN (0, 2)"]
    distinct, allowed = {"equal_values": "distinct"}, {"equal_values": "allowed"}
    assert _records(_audit(log, [0, 1, 2, 40], WHOLE, assume=distinct), "exact-value") == {(0,), (1,), (2,)}
    assert _audit(log, [0, 1, 2, 40], WHOLE, assume=allowed).verdict == "pass"
    assert _audit(log, [0, 1, 2, 40], WHOLE, assume={}).verdict == "pass", "of sums it is used where it is declared"
    assert _audit(log[:1], [0, 1, 2, 40], WHOLE, assume=distinct).verdict == "pass"
    assert _agrees_online(log, [0, 1, 2, 40], WHOLE, assume=distinct) == ["deny", "deny"]
    many = _audit(["SELECT SUM(x) FROM t"], list(range(60)), WHOLE, assume=distinct)
    assert many.verdict == "not-evaluated", "a small system is searched, a large one is not"


def test_distinct_values_that_the_data_has_not_are_not_taken_for_safe() -> None:
    log = ["SELECT MAX(x) FROM t WHERE id < 2", "SELECT MAX(x) FROM t WHERE id > 1"]
    assert _audit(log, [1, 5, 5, 2], assume={"equal_values": "distinct"}).verdict == "not-evaluated"
    assert _audit(log, [1, 5, 5, 2]).verdict == "pass"


# Calls that are wrong


@pytest.mark.parametrize("sql", [None, 5, "SELECT SUM(x) FROM t -- \ud800"])
def test_what_is_no_text_is_refused(sql: Any) -> None:
    with QueryAuditor(_table([1, 2, 3]), _rules()) as auditor, pytest.raises(UsageError, match="are texts"):
        auditor.decide(sql)
    with pytest.raises(UsageError):
        audit_queries([sql], _rules(), _table([1, 2, 3]))


@pytest.mark.parametrize(
    "damage",
    ["DROP TABLE entry", "DROP TRIGGER never_changed; UPDATE entry SET parameters = '{'"],
    ids=["no table", "no JSON"],
)
def test_a_ledger_that_is_damaged_while_in_use_is_said(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.ledger"
    with QueryAuditor(_table([1, 2, 3]), _rules(), ledger=path) as auditor:
        assert auditor.decide("SELECT SUM(x) FROM t").answered
    with sqlite3.connect(path) as database:
        database.executescript(damage)
    database.close()
    with (
        QueryAuditor(_table([1, 2, 3]), _rules(), ledger=path) as auditor,
        pytest.raises(DataError, match=r"answers\.ledger"),
    ):
        auditor.decide("SELECT SUM(x) FROM t")


def test_an_auditor_that_is_closed_says_so(tmp_path: Path) -> None:
    with QueryAuditor(_table([1, 2, 3]), _rules(), ledger=tmp_path / "answers.ledger") as auditor:
        assert auditor.decide("SELECT SUM(x) FROM t").answered
    auditor.close()
    for ask in (auditor.decide, auditor.answer):
        with pytest.raises(UsageError, match="is closed"):
            ask("SELECT SUM(x) FROM t")


@pytest.mark.parametrize("protects", [None, ["x"]])
def test_a_column_that_is_public_and_protected_is_an_error(protects: list[str] | None) -> None:
    rules = _rules(public=["id", "x"], protects=protects)
    with pytest.raises(PolicyError, match="column 'x' is both public and protected"):
        audit_queries(["SELECT SUM(x) FROM t"], rules, _table([1, 2, 3]))
    patterns = {**_rules(public=["id", "x"]), "attributes": {"id": "insensitive", "[xy]": NUMBER}}
    with pytest.raises(DataError, match="listed under public, and the policy protects it"):
        audit_queries(["SELECT SUM(x) FROM t"], patterns, _table([1, 2, 3]))


@pytest.mark.slow
def test_a_proof_with_numbers_of_many_digits_is_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights beyond 2⁶⁰ in a chain: the combination of 40 answers has numbers of thousands of digits."""
    monkeypatch.setattr(_document, "PROOF_BITS", 30_000)
    count, large = 40, 2**60 + 1
    chain = [
        f"SELECT SUM(CASE id WHEN {i} THEN {large} * x ELSE x END) FROM t WHERE id IN ({i}, {i + 1})"
        for i in range(count)
    ]
    found = _audit(chain, list(range(count + 1)), limits={"exact_value": "allow", "min_group": 3})
    assert found.verdict == "fail"
    long = [each for each in found.disclosures if not each.certificate]
    assert long
    assert all(len(each.follows_from) > 20 for each in long)
    assert found.to_html(audience="internal")


def test_two_snapshots_of_one_time_are_refused() -> None:
    table = _table([1, 2, 3])
    with pytest.raises(UsageError, match="same time"):
        audit_queries(["SELECT SUM(x) FROM t"], _rules(), {"2026-01-01": table, "2026-01-01T00:00": table})


def test_a_protected_column_that_the_data_lacks_is_named() -> None:
    with pytest.raises(DataError, match="no column 'x'"):
        audit_queries(
            ["SELECT SUM(x) FROM t"],
            {**_rules(), "attributes": {"id": "insensitive", "x": NUMBER}},
            _table([1]).drop(columns="x"),
        )
