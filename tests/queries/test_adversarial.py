"""Logs made to deceive: random ones against exact elimination and exhaustive enumeration, and the known traps."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.queries import QueryAudit, Statement, audit_queries

EXACT = ("exact-value", "finite-domain")


def _table(values: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"id": range(len(values)), "x": values})


def _rules(attribute: dict[str, Any] | None = None, **queries: Any) -> dict[str, Any]:
    attributes = {"id": "insensitive", "x": {"role": "sensitive", **(attribute or {})}}
    return {"version": 1, "name": "traps", "attributes": attributes, "queries": {"table": "t", "key": "id", **queries}}


def _select(function: str, records: Any) -> str:
    return f"SELECT {function}(x) FROM t WHERE id IN ({', '.join(str(record) for record in sorted(records))})"


def _sums(*sets: Any) -> list[str]:
    return [_select("SUM", records) for records in sets]


def _disclosed(found: QueryAudit, kinds: tuple[str, ...] = EXACT) -> dict[Any, Any]:
    return {record: d.low for d in found.disclosures if d.kind in kinds for record in d.records or ()}


# Random logs


def _in_row_space(rows: list[list[int]], target: int) -> bool:
    """Whether a unit vector is in the row space, by Gauss-Jordan in fractions."""
    matrix = [[Fraction(value) for value in row] for row in rows]
    wanted = [Fraction(i == target) for i in range(len(rows[0]))] if rows else []
    for column in range(len(wanted)):
        pivot = next((row for row in matrix if row[column] and not any(row[:column])), None)
        if pivot is None:
            continue
        matrix.remove(pivot)
        matrix = [[a - b * row[column] / pivot[column] for a, b in zip(row, pivot, strict=True)] for row in matrix]
        wanted = [a - b * wanted[column] / pivot[column] for a, b in zip(wanted, pivot, strict=True)]
        matrix = [*matrix, pivot]
        matrix.sort(key=lambda row: next((i for i, value in enumerate(row) if value), len(row)))
    return bool(rows) and not any(wanted)


subsets = st.sets(st.integers(0, 6), min_size=1)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["SUM", "AVG", "COUNT"]), subsets), min_size=1, max_size=9))
@settings(deadline=None)
def test_sums_over_reals_agree_with_elimination_prefix_by_prefix(asked: list[tuple[str, set[int]]]) -> None:
    values = [10.5, 20, 30, 41, 55, 67.25, 80]
    log = [_select(function, records) for function, records in asked]
    found = {
        d.records[0]: d for d in audit_queries(log, _rules(), _table(values)).disclosures if d.kind == "exact-value"
    }
    rows = [[int(function != "COUNT" and i in records) for i in range(7)] for function, records in asked]
    for record in range(7):
        first = next((t for t in range(1, len(rows) + 1) if _in_row_space(rows[:t], record)), None)
        assert (record in found) == (first is not None)
        if first is not None:
            assert (found[record].first_query, found[record].low) == (str(first), values[record])
            answers = {
                i: _answer(function, [values[r] for r in records]) for i, (function, records) in enumerate(asked, 1)
            }
            proof = found[record].certificate.items()
            assert sum(Fraction(y) * answers[int(index)] for index, y in proof) == Fraction(values[record])


def _answer(function: str, values: list[float]) -> Fraction:
    total = sum(Fraction(value) for value in values)
    return {"SUM": total, "AVG": total / len(values), "COUNT": Fraction(len(values))}[function]


small = st.sets(st.integers(0, 4), min_size=1)


@given(
    st.lists(st.integers(0, 2), min_size=5, max_size=5),
    st.lists(st.tuples(st.sampled_from(["SUM", "SUM", "MAX", "MIN"]), small), min_size=1, max_size=5),
)
@settings(deadline=None)
def test_nobody_is_missed_among_whole_numbers(values: list[int], asked: list[tuple[str, set[int]]]) -> None:
    """Against every database with values 0, 1, 2: who has one value in all that give the answers is disclosed."""
    rules = _rules({"type": "integer", "range": [0, 2]}, assume={"equal_values": "allowed"})
    found = audit_queries([_select(function, records) for function, records in asked], rules, _table(values))
    functions = {"SUM": sum, "MAX": max, "MIN": min}

    def answers(database: Any) -> list[int]:
        return [functions[function]([database[record] for record in records]) for function, records in asked]

    given_ = answers(values)
    consistent = np.array([each for each in product(range(3), repeat=5) if answers(each) == given_])
    fixed = {record: values[record] for record in range(5) if len(set(consistent[:, record])) == 1}
    disclosed = _disclosed(found)
    assert disclosed.items() <= fixed.items()
    assert disclosed == fixed or found.verdict == "not-evaluated"
    assert bool(fixed) <= (found.verdict != "pass")
    if all(function == "SUM" for function, _ in asked):
        assert disclosed == fixed


@given(
    st.lists(st.booleans(), min_size=6, max_size=6),
    st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=1, max_size=6),
)
@settings(deadline=None)
def test_nobody_is_missed_among_booleans(values: list[bool], asked: list[set[int]]) -> None:
    rules = _rules({"type": "boolean"})
    log = [f"SELECT COUNT(*) FROM t WHERE x AND id IN ({', '.join(map(str, sorted(records)))})" for records in asked]
    found = audit_queries(log, rules, _table(values))

    def answers(database: Any) -> list[int]:
        return [sum(database[record] for record in records) for records in asked]

    given_ = answers(values)
    consistent = np.array([each for each in product((0, 1), repeat=6) if answers(each) == given_])
    fixed = {record: int(values[record]) for record in range(6) if len(set(consistent[:, record])) == 1}
    assert _disclosed(found) == fixed
    assert found.verdict == ("fail" if fixed else "pass")


_counts = st.lists(st.tuples(st.sampled_from("abc"), small), min_size=1, max_size=5)


@given(st.lists(st.sampled_from("abc"), min_size=5, max_size=5), _counts)
@settings(deadline=None)
def test_whoever_has_a_category_for_certain_is_found(values: list[str], asked: list[tuple[str, set[int]]]) -> None:
    rules = _rules({"type": "category", "order": ["a", "b", "c"]})
    log = [
        f"SELECT COUNT(*) FROM t WHERE x = '{value}' AND id IN ({', '.join(map(str, sorted(records)))})"
        for value, records in asked
    ]
    found = audit_queries(log, rules, _table(values))

    def answers(database: Any) -> list[int]:
        return [sum(database[record] == value for record in records) for value, records in asked]

    given_ = answers(values)
    consistent = np.array([each for each in product("abc", repeat=5) if answers(each) == given_])
    fixed = {record for record in range(5) if len(set(consistent[:, record])) == 1}
    certain = {r for d in found.disclosures if d.kind in EXACT and d.low == 1 for r in d.records or ()}
    assert certain == fixed
    assert bool(fixed) <= (found.verdict == "fail")


# Traps


def test_a_system_that_breaks_modulo_2_discloses_nothing_over_the_integers() -> None:
    # x0 + x1, x1 + x2, x2 + x0: modulo 2 their sum is 0, over the rationals they determine everybody.
    found = audit_queries(_sums({0, 1}, {1, 2}, {2, 0}), _rules(), _table([3, 5, 9]))
    assert _disclosed(found) == {0: 3, 1: 5, 2: 9}
    assert found.disclosures[0].certificate == {"1": "1/2", "2": "-1/2", "3": "1/2"}
    # With a fourth record in each the same rows are independent modulo every prime and determine nobody.
    assert audit_queries(_sums({0, 1, 3}, {1, 2, 3}, {2, 0, 3}), _rules(), _table([3, 5, 9, 1])).verdict == "pass"


def test_a_system_that_breaks_modulo_3() -> None:
    # Every three of four: the sum of all four is a third of the sum of the answers.
    sets = [{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}]
    found = audit_queries(_sums(*sets), _rules(), _table([3, 5, 9, 1]))
    assert _disclosed(found) == {0: 3, 1: 5, 2: 9, 3: 1}
    assert set(found.disclosures[0].certificate.values()) == {"1/3", "-2/3"}


def test_a_null_vector_of_sixteen_orders_of_magnitude_is_no_disclosure() -> None:
    """Weights chain each value to three times the next one: a tolerance would take the smallest entries for zero."""
    n = 36
    chain = [f"SELECT SUM(x * w{i % 3}) FROM t WHERE id IN ({i}, {i + 1})" for i in range(n - 1)]
    table = _table(list(range(10, 10 + n)))
    for shift in range(3):
        # In query i the record i has the weight 1 and the next one 3.
        table[f"w{shift}"] = [1 if record % 3 == shift else 3 for record in range(n)]
    rules = _rules()
    rules["undeclared"] = "insensitive"
    assert audit_queries(chain, rules, table).verdict == "pass"
    found = audit_queries([*chain, "SELECT SUM(x) FROM t WHERE id IN (0, 35)"], rules, table)
    assert len(_disclosed(found)) == n
    assert {d.first_query for d in found.disclosures} == {"36"}


def test_a_fractional_combination_gives_a_pair_away() -> None:
    # (q1 + q2 - q3) / 2 = x0 + x1
    found = audit_queries(
        _sums({0, 1, 2, 3}, {0, 1, 4, 5}, {2, 3, 4, 5}), _rules(limits={"min_group": 3}), _table([1, 2, 4, 8, 16, 32])
    )
    groups = {tuple(d.records): (d.low, d.functional, d.certificate) for d in found.disclosures}
    assert groups[0, 1] == (3, "total", {"1": "1/2", "2": "1/2", "3": "-1/2"})
    assert set(groups) == {(0, 1), (2, 3), (4, 5)}


@pytest.mark.parametrize(
    ("log", "disclosed", "name"),
    [
        (["g = 'a'", "g = 'a' AND NOT id = 0"], {0: 7}, "individual"),
        (["true", "id = 0 OR s = 1", "id = 0 OR NOT s = 1"], {0: 7}, "general"),
        # With T and its complement asked one by one, half of a general tracker is an individual one.
        (["id = 0 OR s = 1", "id = 0 OR NOT s = 1", "s = 1", "NOT s = 1"], {0: 7}, "individual"),
        # A double tracker, T = (s = 1) within U = (g = 'a' OR s = 1); it isolates the rest of U besides.
        (
            ["g = 'a' OR s = 1", "id = 0 OR s = 1", "s = 1", "(g = 'a' OR s = 1) AND NOT (id = 0 AND s = 1)"],
            {0: 7, 2: 2},
            "individual",
        ),
    ],
    ids=["individual", "general", "general in full", "double"],
)
def test_trackers_are_found_and_named(log: list[str], disclosed: dict[int, int], name: str) -> None:
    table = _table([7, 1, 2, 3, 4, 5, 6, 8]).assign(g=list("aaaabbbb"), s=[0, 1, 0, 1, 0, 1, 0, 1])
    rules = _rules()
    rules["undeclared"] = "insensitive"
    found = audit_queries([f"SELECT SUM(x) FROM t WHERE {where}" for where in log], rules, table)
    assert _disclosed(found) == disclosed
    assert next(d for d in found.disclosures if d.records == (0,)).tracker == name


def test_a_predicate_and_its_negation_leave_out_who_is_null() -> None:
    table = _table([10, 20, 40, 80]).assign(dept=["a", "a", "b", None])
    rules = _rules()
    rules["undeclared"] = "insensitive"
    halves = ["SELECT SUM(x) FROM t WHERE dept = 'a'", "SELECT SUM(x) FROM t WHERE NOT dept = 'a'"]
    assert _disclosed(audit_queries(halves[:1], rules, table)) == {}
    assert _disclosed(audit_queries(halves, rules, table)) == {2: 40}
    found = audit_queries(["SELECT SUM(x) FROM t", *halves], rules, table)
    assert _disclosed(found) == {2: 40, 3: 80}


def test_an_average_counts_only_who_has_a_value() -> None:
    table = _table([10, 20, None, 70])
    found = audit_queries(["SELECT AVG(x) FROM t", "SELECT SUM(x) FROM t WHERE id <= 2"], _rules(), table)
    assert _disclosed(found) == {3: 70}
    assert found.disclosures[0].certificate == {"1": "3", "2": "-1"}


def test_whole_numbers_determine_what_a_linear_programme_leaves_open() -> None:
    # Sums of three pairs of bits that are all 1: over the reals x = 1/2 each as well as nothing else; with 0/1 none.
    rules = _rules({"type": "integer", "range": [0, 1]})
    table = _table([1, 0, 0, 1])
    log = _sums({0, 1}, {1, 2}, {0, 1, 2, 3})
    found = audit_queries(log, rules, table)
    assert _disclosed(found) == {0: 1, 1: 0, 2: 0, 3: 1}
    assert {d.kind for d in found.disclosures} == {"finite-domain"}
    assert audit_queries(log, _rules({"type": "number", "range": [0, 1]}), table).verdict in ("fail", "pass")


def test_the_verdict_may_turn_on_equal_values() -> None:
    table = _table([9, 9, 4])
    log = [_select("MAX", {0, 1}), _select("MAX", {0, 2})]
    equal = audit_queries(log, _rules(assume={"equal_values": "allowed"}), table)
    distinct = audit_queries(log, _rules(assume={"equal_values": "distinct"}), table)
    unsaid = audit_queries(log, _rules(), table)
    assert (equal.verdict, distinct.verdict, unsaid.verdict) == ("pass", "fail", "fail")
    assert _disclosed(distinct) == {0: 9}


def test_everybody_at_the_end_of_the_range_is_given_away_at_once() -> None:
    found = audit_queries(_sums(range(6)), _rules({"type": "number", "range": [0, 10]}), _table([10] * 6))
    assert _disclosed(found) == dict.fromkeys(range(6), 10)


def test_planted_disclosures_in_a_long_log_and_nothing_else() -> None:
    generator = np.random.default_rng(7)
    n, planted = 3_000, [11, 222, 2_345]
    columns = {"a": generator.integers(0, 40, n), "b": generator.integers(0, 25, n)}
    table = _table(generator.integers(1_000, 9_000, n).tolist()).assign(**columns)
    rules = _rules()
    rules["undeclared"] = "insensitive"
    log = [f"SELECT SUM(x) FROM t WHERE a < {i % 40} AND b >= {i % 25}" for i in range(5, 60)]
    for record in planted:
        where = f"a > {table.a[record] - 4} AND b < {table.b[record] + 6}"
        log += [f"SELECT SUM(x) FROM t WHERE {where}", f"SELECT AVG(x) FROM t WHERE {where} AND id <> {record}"]
    order = generator.permutation(len(log))
    found = audit_queries([Statement(i, log[place], "ana") for i, place in enumerate(order, 1)], rules, table)
    assert _disclosed(found) == {record: table.x[record] for record in planted}


def test_coalitions_that_were_not_looked_at_leave_every_limit_on_disclosure_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("auditor.queries.attack.disclosures.MAX_VIEWS", 2)
    limits = {"exact_value": "deny", "min_group": 2, "interval": {"min_width": 1}}
    log = [Statement(i, sql, user) for i, (sql, user) in enumerate(zip(_sums({0, 1, 2}, {0, 1}), "ab", strict=True), 1)]
    found = audit_queries(log, _rules(scope={"coalition": 2}, limits=limits), _table([1, 2, 4]))
    assert {requirement.status for requirement in found.requirements} == {"not-evaluated"}
