"""Groups of one and two records who have several unknowns each, against elimination of fractions over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.queries import QueryAudit, QueryAuditor, Statement, audit_queries
from tests.inference import oracle

N = 5
NUMBER = {"role": "sensitive", "type": "number"}


def _rules(attributes: dict[str, Any], **queries: Any) -> dict[str, Any]:
    limits = {"exact_value": "allow", "min_group": 3}
    block = {"table": "t", "key": "id", "limits": limits, **queries}
    return {"version": 1, "name": "groups", "attributes": {"id": "insensitive", **attributes}, "queries": block}


def _groups(found: QueryAudit) -> set[frozenset[int]]:
    """The records of what is about few records; a single value counts."""
    return {frozenset(d.records or ()) for d in found.disclosures if d.kind in ("group", "exact-value")}


def _expected(rows: list[list[int]], person_of: Sequence[int], known: Sequence[int] = ()) -> bool:
    """Whether a vector of the rows, besides what is known, is supported on at most two persons."""
    kept = [at for at in range(len(person_of)) if person_of[at] not in known]
    rows = [[row[at] for at in kept] for row in rows]
    persons = sorted({person_of[at] for at in kept})
    few = [*combinations(persons, 1), *combinations(persons, 2)]
    return any(
        oracle.supports_inside(rows, len(kept), [i for i, at in enumerate(kept) if person_of[at] in group])
        for group in few
    )


def _within(records: set[int]) -> str:
    return f"id IN ({', '.join(map(str, sorted(records)))})"


subsets = st.sets(st.integers(0, N - 1), min_size=1)
WHAT = {"x": (1, 0), "y": (0, 1), "x + y": (1, 1), "x - 2 * y": (1, -2)}


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(list(WHAT)), subsets), min_size=1, max_size=6), st.sets(st.just(4)))
@settings(deadline=None, max_examples=60)
def test_two_columns(asked: list[tuple[str, set[int]]], known: set[int]) -> None:
    log = [f"SELECT SUM({what}) FROM t WHERE {_within(of)}" for what, of in asked]
    rules = _rules({"x": NUMBER, "y": NUMBER}, assume={"insiders": {"zoe": [str(each) for each in known]}})
    table = pd.DataFrame({"id": range(N), "x": [3, 7, 8, 20, 41], "y": [5, 9, 1, 30, 6]})
    found = audit_queries(log, rules, table)
    rows = [[w * (i in of) for w in WHAT[what] for i in range(N)] for what, of in asked]
    assert found.verdict == ("fail" if _expected(rows, list(range(N)) * 2, [*known]) else _without(rows, known))
    assert all(len(group) < 3 for group in _groups(found))


def _without(rows: list[list[int]], known: set[int]) -> str:
    """An insider's records are still disclosed to everybody else."""
    return "fail" if known and _expected(rows, list(range(N)) * 2) else "pass"


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), subsets), min_size=1, max_size=6),
    st.sampled_from(["ab", "abc"]),
)
@settings(deadline=None, max_examples=60)
def test_everybody_has_one_category(asked: list[tuple[str, set[int]]], values: str) -> None:
    """One hot: the unknowns of all values but the last, which is 1 − the others."""
    asked = [(value if value in values else "a", of) for value, of in asked]
    log = [f"SELECT COUNT(*) FROM t WHERE k = '{k}' AND {_within(of)}" for k, of in asked]
    rules = _rules({"k": {"role": "sensitive", "type": "category"}})
    found = audit_queries(log, rules, pd.DataFrame({"id": range(N), "k": list("abcab" if "c" in values else "abaab")}))
    others, last = values[:-1], values[-1]
    rows = [
        [(-1 if k == last else int(k == value)) * (i in of) for value in others for i in range(N)] for k, of in asked
    ]
    if {k for k, _ in asked} < set(values):
        rows = [[int(k == value) * (i in of) for value in values for i in range(N)] for k, of in asked]
        others = values
    assert found.verdict == ("fail" if _expected(rows, list(range(N)) * len(others)) else "pass")


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 2), subsets), min_size=1, max_size=6))
@settings(deadline=None, max_examples=50)
def test_three_versions(asked: list[tuple[int, set[int]]]) -> None:
    """Records 0 and 1 change each month, the others do not."""
    asked = sorted(asked, key=lambda each: each[0])
    tables = {
        f"2026-0{month + 1}-01": pd.DataFrame({"id": range(N), "x": [10 + month, 20 - month, 3, 4, 5]})
        for month in range(3)
    }
    log = [
        Statement(
            i, f"SELECT SUM(x) FROM t WHERE id IN ({', '.join(map(str, sorted(of)))})", "ana", f"2026-0{m + 1}-02"
        )
        for i, (m, of) in enumerate(asked, 1)
    ]
    found = audit_queries(log, _rules({"x": NUMBER}), tables)
    person_of = [0, 0, 0, 1, 1, 1, 2, 3, 4]
    rows = [
        [int(person in of and (person > 1 or at % 3 == month)) for at, person in enumerate(person_of)]
        for month, of in asked
    ]
    assert found.verdict == ("fail" if _expected(rows, person_of) else "pass")


def test_a_complement_of_one_category_is_a_group() -> None:
    """Of four there are so many a, of the first two so many b: how many a the other two are follows."""
    rules = _rules({"k": {"role": "sensitive", "type": "category"}})
    table = pd.DataFrame({"id": range(4), "k": list("abab")})
    log = ["SELECT COUNT(*) FROM t WHERE k = 'a'", "SELECT COUNT(*) FROM t WHERE k = 'b' AND id IN (0, 1)"]
    found = audit_queries(log, rules, table)
    told = {d.records: d for d in found.disclosures}
    assert (told[2, 3].low, told[2, 3].functional) == (1, "total")
    assert told[2, 3].certificate == {"1": "1", "2": "1"}
    assert told[2, 3].constant == "-2"
    with QueryAuditor(table, rules) as auditor:
        assert [auditor.decide(sql).decision for sql in log] == ["answer", "deny"]


@pytest.mark.parametrize("min_group", [2, 3])
def test_a_change_of_one_record_is_about_one_record_online_too(min_group: int) -> None:
    rules = _rules({"x": NUMBER}, limits={"exact_value": "allow", "min_group": min_group})
    tables = {f"2026-0{m}-01": pd.DataFrame({"id": range(5), "x": [m, 2, 3, 4, 5]}) for m in (1, 2)}
    with QueryAuditor(tables, rules) as auditor:
        asked = ["2026-01-02", "2026-02-02"]
        assert [auditor.decide("SELECT SUM(x) FROM t", time=each).decision for each in asked] == ["answer", "deny"]
