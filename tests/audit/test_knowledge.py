"""Attackers with bounded knowledge: every pattern of a table, against enumeration and published counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.engines.duckdb._counted import DuckDBCounted
from auditor.errors import PolicyError
from auditor.models import PersonEvents, _events
from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.report import redact
from auditor.result import HIDDEN, Audience, Status

COLUMNS = ("sex", "age", "zip")
Rows = list[dict[str, str]]


def arrow(rows: Sequence[Mapping[str, str | None]]) -> pa.Table:
    return pa.Table.from_pylist([dict(row) for row in rows])


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [str(each.verdict) for each in compare(load_policy(old), load_policy(new)).differences]


rows_of_people = st.lists(
    st.fixed_dictionaries(
        {
            "sex": st.sampled_from(["f", "m"]),
            "age": st.sampled_from(["30", "40", "50"]),
            "zip": st.sampled_from(["1", "2", "3"]),
            "ill": st.sampled_from(["flu", "cold"]),
            "who": st.sampled_from(["a", "b", "c", "d", "e"]),
        }
    ),
    min_size=1,
    max_size=12,
)


def policy(*requirements: dict[str, Any], **more: Any) -> dict[str, Any]:
    roles = {**dict.fromkeys(COLUMNS, "quasi-identifier"), "ill": "sensitive", "who": "pseudonym"}
    numbered = [{"id": f"r{place}", **each} for place, each in enumerate(requirements)]
    return {"version": 1, "name": "p", "attributes": roles, "requirements": numbered, **more}


def patterns_of(rows: Rows, known: int, *, every: bool = False) -> dict[Any, set[int]]:
    """For each pattern the places of the rows that have it: every combination of columns of every row, one by one."""
    found: dict[Any, set[int]] = {}
    for size in range(0 if every else min(known, len(COLUMNS)), min(known, len(COLUMNS)) + 1):
        for columns in combinations(COLUMNS, size):
            for place, row in enumerate(rows):
                found.setdefault((columns, tuple(row[name] for name in columns)), set()).add(place)
    return found


def people(rows: Rows, places: set[int], *, units: bool) -> int:
    return len({rows[place]["who"] for place in places}) if units else len(places)


def counted(rows: Rows, patterns: dict[Any, set[int]], wrong: set[Any], *, units: bool) -> tuple[int, int, int, int]:
    """(total, below, unique, exposed)"""
    exposed = set().union(*(patterns[key] for key in wrong)) if wrong else set()
    if units:
        exposed = {place for place, row in enumerate(rows) if row["who"] in {rows[i]["who"] for i in exposed}}
    unique = sum(people(rows, places, units=units) == 1 for places in patterns.values())
    return len(patterns), len(wrong), unique, people(rows, exposed, units=units)


def told(result: Any) -> tuple[int, int, int, int]:
    found = result.patterns
    return found.total, found.below, found.unique, found.exposed


@given(rows=rows_of_people, known=st.integers(1, 4), k=st.integers(1, 4), units=st.booleans())
@settings(max_examples=25)
def test_patterns_are_those_of_enumeration(rows: Rows, known: int, k: int, units: bool) -> None:
    knows = {"columns": known}
    demanded = policy(
        {"model": "k-anonymity", "k": k, "knows": knows},
        {"model": "distinct-l-diversity", "l": 2, "knows": knows},
        {"model": "confidence", "max": 0.6, "knows": knows},
        {"model": "uniqueness", "max": 0.3, "knows": knows},
        **({"unit": "who"} if units else {}),
    )
    size, diverse, sure, alone = auditor.check(arrow(rows), demanded).requirements
    patterns = patterns_of(rows, known)

    sizes = {key: people(rows, places, units=units) for key, places in patterns.items()}
    assert size.achieved == min(sizes.values())
    wrong = {key for key, number in sizes.items() if number < k}
    assert told(size) == counted(rows, patterns, wrong, units=units)
    assert (size.status is Status.PASS) == (not wrong)

    values = {key: len({rows[place]["ill"] for place in places}) for key, places in patterns.items()}
    assert diverse.achieved == min(values.values())
    assert told(diverse) == counted(rows, patterns, {key for key, n in values.items() if n < 2}, units=units)

    # of persons, a share of a union may be above those of its parts: whoever knows less may be surer
    sets = patterns_of(rows, known, every=units)
    shares = {}
    for key, places in sets.items():
        of_value = Counter(value for value in {(rows[i]["ill"], rows[i]["who"] if units else i) for i in places})
        most = Counter(value for value, _ in of_value)
        shares[key] = Fraction(max(most.values()), people(rows, places, units=units))
    assert sure.achieved == pytest.approx(float(max(shares.values())))
    over = {key for key, share in shares.items() if share > Fraction(6, 10)}
    assert told(sure) == counted(rows, sets, over, units=units)

    single = {key for key, number in sizes.items() if number == 1}
    expected = counted(rows, patterns, single, units=units)
    assert told(alone) == expected
    whole = len({row["who"] for row in rows}) if units else len(rows)
    assert alone.achieved == pytest.approx(expected[3] / whole)
    assert (alone.status is Status.PASS) == (Fraction(expected[3], whole) <= Fraction(3, 10))


@given(rows=rows_of_people, k=st.integers(1, 4), units=st.booleans())
@settings(max_examples=12)
def test_to_know_every_column_is_what_a_requirement_without_knows_asks(rows: Rows, k: int, units: bool) -> None:
    both = {"model": "k-anonymity", "k": k}, {"model": "k-anonymity", "k": k, "knows": {"columns": 9}}
    plain, known = auditor.check(arrow(rows), policy(*both, **({"unit": "who"} if units else {}))).requirements
    assert (plain.status, plain.achieved) == (known.status, known.achieved)
    assert (plain.classes_violating, plain.records_violating) == (known.classes_violating, known.records_violating)


@given(rows=rows_of_people, known=st.integers(1, 3), k=st.integers(1, 4))
@settings(max_examples=25)
def test_patterns_of_records_are_those_of_enumeration(rows: Rows, known: int, k: int) -> None:
    knows = {"events": known}
    demanded = policy(
        {"model": "k-anonymity", "k": k, "knows": knows},
        {"model": "distinct-l-diversity", "l": 2, "knows": knows},
        {"model": "confidence", "max": 0.6, "knows": knows},
        {"model": "uniqueness", "max": 0.3, "knows": knows},
        unit="who",
    )
    events: dict[str, set[Any]] = {}
    values: dict[str, set[str]] = {}
    for row in rows:
        events.setdefault(row["who"], set()).add(tuple(row[name] for name in COLUMNS))
        values.setdefault(row["who"], set()).add(row["ill"])
    sizes = range(1, known + 1)
    patterns = {x for own in events.values() for n in sizes for x in combinations(sorted(own), n)}
    holders = {x: {name for name, own in events.items() if set(x) <= own} for x in patterns}

    def expected(wrong: set[Any]) -> tuple[int, int, int, int]:
        exposed = set().union(*(holders[x] for x in wrong)) if wrong else set()
        return len(patterns), len(wrong), sum(len(who) == 1 for who in holders.values()), len(exposed)

    size, diverse, sure, alone = auditor.check(arrow(rows), demanded).requirements
    assert size.achieved == min(map(len, holders.values()))
    assert told(size) == expected({x for x, who in holders.items() if len(who) < k})
    kinds = {x: len(set().union(*(values[name] for name in who))) for x, who in holders.items()}
    assert diverse.achieved == min(kinds.values())
    assert told(diverse) == expected({x for x, n in kinds.items() if n < 2})
    shares = {
        x: Fraction(max(Counter(v for name in who for v in values[name]).values()), len(who))
        for x, who in holders.items()
    }
    assert sure.achieved == pytest.approx(float(max(shares.values())))
    assert told(sure) == expected({x for x, share in shares.items() if share > Fraction(6, 10)})
    single = expected({x for x, who in holders.items() if len(who) == 1})
    assert told(alone) == single
    assert alone.achieved == pytest.approx(single[3] / len(events))


@given(rows=rows_of_people, k=st.integers(1, 4))
@settings(max_examples=12)
def test_to_know_one_record_is_what_a_unit_asks(rows: Rows, k: int) -> None:
    both = {"model": "k-anonymity", "k": k}, {"model": "k-anonymity", "k": k, "knows": {"events": 1}}
    plain, known = auditor.check(arrow(rows), policy(*both, unit="who")).requirements
    assert (plain.status, plain.achieved, plain.classes_violating) == (
        known.status, known.achieved, known.classes_violating,
    )  # fmt: skip


def test_the_published_itemsets() -> None:
    """Terrovitis, Mamoulis, Kalnis 2008, figure 1: two of six pairs are in one transaction; with A for both: none."""
    baskets = {"1": "a1 b1 b2", "2": "a2 b1", "3": "a2 b1 b2", "4": "a1 a2 b2"}
    demanded = {
        "version": 1, "name": "p", "unit": "who", "attributes": {"who": "pseudonym", "item": "quasi-identifier"},
        "requirements": [{"model": "k-anonymity", "k": 2, "knows": {"events": 2}}],
    }  # fmt: skip

    def check(merged: dict[str, str]) -> Any:
        items = [(who, merged.get(item, item)) for who, basket in baskets.items() for item in basket.split()]
        rows = [{"who": who, "item": item} for who, item in dict.fromkeys(items)]
        return auditor.check(arrow(rows), demanded).requirements[0]

    assert told(check({})) == (10, 2, 2, 2)
    assert check({"a1": "A", "a2": "A"}).status is Status.PASS
    assert check({"b1": "B", "b2": "B"}).status is Status.FAIL
    assert check({"a1": "A", "a2": "A", "b1": "B", "b2": "B"}).status is Status.PASS


def test_the_pairs_of_real_baskets(shared_data: Path, tmp_path: Path) -> None:
    """FIMI's BMS-WebView-1: 497 items and 63,973 pairs, 41 and 31,345 of them below five, 14 and 11,289 once."""
    lines = (shared_data / "fimi" / "BMS-WebView-1.dat").read_text().splitlines()
    rows = [f"{place},{item}" for place, line in enumerate(lines) for item in dict.fromkeys(line.split())]
    (tmp_path / "b.csv").write_text("\n".join(["who,item", *rows]) + "\n")
    demanded = {
        "version": 1, "name": "p", "unit": "who", "attributes": {"who": "pseudonym", "item": "quasi-identifier"},
        "requirements": [
            {"id": f"k{m}", "model": "k-anonymity", "k": 5, "knows": {"events": m}} for m in (1, 2)
        ] + [{"model": "uniqueness", "max": 0, "knows": {"events": 2}}],
    }  # fmt: skip
    one, two, alone = auditor.check(tmp_path / "b.csv", demanded).requirements
    counts = [(each.patterns.total, each.patterns.below, each.patterns.unique) for each in (one, two) if each.patterns]
    assert counts == [(497, 41, 14), (497 + 63_973, 41 + 31_345, 14 + 11_289)]
    assert alone.patterns is not None
    assert alone.patterns.exposed == 1_285


def test_parts_of_patterns_and_numbers_too_large_to_pack_count_the_same() -> None:
    generator = np.random.default_rng(5)
    who, what = generator.integers(0, 40, 400), generator.integers(0, 12, 400)
    pairs = np.unique(np.column_stack((who, what)), axis=0)
    people = PersonEvents.of(pairs[:, 0], pairs[:, 1])

    def found(most: int) -> list[tuple[int, ...]]:
        tables = [(table.classes.sizes.tolist(), table.members.tolist()) for table in people.tables(most)]
        return sorted(
            tuple(sorted(members[end - size : end]))
            for sizes, members in tables
            for size, end in zip(sizes, np.cumsum(sizes).tolist(), strict=True)
        )

    whole = found(3)
    with mock.patch.object(_events, "PART", 50), mock.patch.object(_events, "_BLOCK", 16):
        assert found(3) == whole
    with mock.patch.object(_events, "WORD_BITS", 9):
        assert found(3) == whole


def test_events_without_a_unit_are_not_judged() -> None:
    rows = [{"sex": "f", "age": "30", "zip": "1", "ill": "flu", "who": "1"}]
    (found,) = auditor.check(arrow(rows), policy({"model": "k-anonymity", "k": 1, "knows": {"events": 2}})).requirements
    assert found.status is Status.NOT_EVALUATED
    assert "unit: pid" in str(found.reason)


def test_where_each_row_is_a_person_who_is_not_named_one_record_is_all_that_there_is() -> None:
    rows = [{"sex": "f", "age": age, "zip": "1", "ill": "flu"} for age in ("30", "30", "40")]
    asked = {"model": "k-anonymity", "k": 2, "knows": {"events": 2}}
    demanded = policy(asked, unit={"column": "who", "rows": "one-per-unit"})
    (found,) = auditor.check(arrow(rows), demanded).requirements
    assert told(found) == (2, 1, 1, 1)


def test_rows_without_a_unit_are_not_one_person_who_has_all_of_their_events() -> None:
    """Of a known person's two events, each is also that of a row that may be anybody's: nobody else may have both."""
    one = {"sex": "f", "age": "30", "zip": "1", "ill": "flu", "who": "a"}
    events = [one, {**one, "age": "40", "ill": "cold"}]
    rows = [{**event, "who": who} for who in ("a", None) for event in events]
    size, values, pair = auditor.check(
        arrow(rows),
        policy(
            {"model": "k-anonymity", "k": 2, "knows": {"events": 1}},
            {"model": "distinct-l-diversity", "l": 2, "knows": {"events": 1}},
            {"model": "k-anonymity", "k": 2, "knows": {"events": 2}},
            unit="who",
        ),
    ).requirements
    assert size.status is Status.PASS
    assert (values.status, pair.status) == (Status.NOT_EVALUATED,) * 2
    assert "'who' has missing values" in str(pair.reason)


def test_to_know_more_records_than_anybody_has_takes_no_longer() -> None:
    rows = [{"sex": "f", "age": age, "zip": "1", "ill": "flu", "who": "a"} for age in ("30", "40")]
    asked = {"model": "k-anonymity", "k": 1, "knows": {"events": 10**15}}
    assert told(auditor.check(arrow(rows), policy(asked, unit="who")).requirements[0]) == (3, 0, 3, 0)


def test_batches_of_patterns_are_put_together() -> None:
    rows = [
        {"sex": "fm"[i % 2], "age": str(30 + i % 7), "zip": str(i % 5), "ill": "flu", "who": str(i)} for i in range(60)
    ]
    demanded = policy({"model": "k-anonymity", "k": 3, "knows": {"columns": 2}})
    whole = auditor.check(arrow(rows), demanded)
    with mock.patch.object(DuckDBCounted, "batches", return_value=4):
        parts = auditor.check(arrow(rows), demanded)
    assert parts.requirements == whole.requirements
    assert whole.requirements[0].patterns is not None
    assert whole.requirements[0].patterns.below


ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")


def test_adult_has_the_patterns_that_were_counted_elsewhere(shared_data: Path) -> None:
    """Counted before this was built, by grouping each combination of columns in SQL and by enumeration in Python."""
    roles = {**dict.fromkeys(ADULT, "quasi-identifier"), "salary-class": "sensitive"}
    requirements = [
        *({"id": f"k{n}", "model": "k-anonymity", "k": 5, "knows": {"columns": n}} for n in (1, 2, 3)),
        *({"id": f"c{n}", "model": "confidence", "max": 0.9, "knows": {"columns": n}} for n in (1, 2)),
    ]
    demanded = {"version": 1, "name": "adult", "attributes": roles, "requirements": requirements}
    found = auditor.check(shared_data / "adult" / "adult.csv", demanded).requirements
    counts = [(each.patterns.total, each.patterns.below, each.patterns.exposed) for each in found if each.patterns]
    assert counts[:3] == [(164, 4, 8), (6489, 2619, 2948), (57350, 35882, 12789)]
    assert [count[:2] for count in counts[3:]] == [(164, 46), (6489, 3569)]


def test_more_patterns_than_may_be_counted_are_not_sampled() -> None:
    rows = [{"sex": "f", "age": str(i), "zip": "1", "ill": "flu", "who": str(i)} for i in range(9)]
    asked = {"model": "uniqueness", "max": 1, "knows": {"columns": 2}}
    (enough,) = auditor.check(arrow(rows), policy(asked, limits={"patterns": 19})).requirements
    assert enough.status is Status.PASS
    (short,) = auditor.check(arrow(rows), policy(asked, limits={"patterns": 18})).requirements
    assert short.status is Status.NOT_EVALUATED
    assert "more than 18 patterns" in str(short.reason)
    assert "limits: {patterns:" in str(short.reason)
    rows = [{**rows[0], "age": str(place)} for place in range(300)]
    (asked,) = auditor.check(
        arrow(rows), policy({**asked, "knows": {"events": 3}}, unit="who", limits={"patterns": 100_000})
    ).requirements
    assert "more than 4,000,000 patterns, and 100,000 may" in str(asked.reason), "of 4,500,250: not whose 300 records"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"missing": "wildcard"}, "wildcard"),
        ({"limits": {"patterns": {"severity": "warning"}}}, "'patterns'"),
        ({"limits": {"pattern": 9}}, "'pattern'"),
    ],
)
def test_what_is_not_defined_is_refused(changed: dict[str, Any], what: str) -> None:
    with pytest.raises(PolicyError, match=what):
        load_policy(policy({"model": "k-anonymity", "k": 3, "knows": {"columns": 2}}, **changed))


def test_models_of_a_population_know_every_column() -> None:
    with pytest.raises(PolicyError, match="every quasi-identifier"):
        load_policy(policy({"model": "k-map", "k": 3, "knows": {"columns": 2}}))


@pytest.mark.parametrize("knows", [{}, {"columns": 0}, {"columns": 1.5}, {"column": 2}, 3, {"columns": 2, "events": 2}])
def test_knowledge_is_a_number_of_columns_or_of_events(knows: Any) -> None:
    with pytest.raises(PolicyError, match="knows"):
        load_policy(policy({"model": "k-anonymity", "k": 3, "knows": knows}))


def test_other_sensitive_attributes_do_not_join_what_few_columns_tell() -> None:
    asked = {"model": "distinct-l-diversity", "l": 2, "others": "quasi-identifiers", "knows": {"columns": 2}}
    with pytest.raises(PolicyError, match="others"):
        load_policy(policy(asked))


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (None, {"columns": 2}, "weaker"),
        ({"columns": 2}, None, "stricter"),
        ({"columns": 2}, {"columns": 3}, "stricter"),
        ({"columns": 3}, {"columns": 2}, "weaker"),
        ({"events": 2}, {"events": 3}, "stricter"),
        ({"events": 3}, {"events": 2}, "weaker"),
        ({"columns": 3}, {"events": 1}, "stricter"),
        ({"events": 2}, None, "weaker"),
        (None, {"events": 2}, "stricter"),
    ],
)
def test_to_know_more_is_stricter(old: Any, new: Any, verdict: str) -> None:
    before, after = (
        policy({"model": "k-anonymity", "k": 3, **({"knows": knows} if knows else {})}) for knows in (old, new)
    )
    assert differences(before, after) == [verdict]


@pytest.mark.parametrize("knows", [{}, {"knows": {"columns": 1}}])
def test_whoever_knows_records_of_a_person_learns_of_other_sensitive_values(knows: dict[str, Any]) -> None:
    """Of a person with two records in two classes, either class has one value, and the person has both."""
    asked = {"model": "distinct-l-diversity", "l": 2}
    old, new = policy({**asked, **knows}, unit="who"), policy({**asked, "knows": {"events": 1}}, unit="who")
    one = {"sex": "f", "age": "30", "zip": "1", "ill": "flu", "who": "a"}
    rows = [one, {**one, "age": "40", "ill": "cold"}]
    found = [auditor.check(arrow(rows), each).requirements[0].status for each in (old, new)]
    assert found == [Status.FAIL, Status.PASS]
    assert differences(old, new) == ["incomparable"]


def test_of_persons_to_know_every_column_tells_no_less_than_some() -> None:
    asked = {"model": "confidence", "max": 0.5}
    old = policy({**asked, "knows": {"columns": 2}}, unit="who")
    assert differences(old, policy(asked, unit="who")) == ["incomparable"]


def test_patterns_follow_from_classes_and_not_the_other_way_round() -> None:
    known = {"id": "few", "model": "k-anonymity", "k": 3, "knows": {"columns": 2}}
    plain = {"id": "all", "model": "max-risk", "max": 0.3}
    assert set(differences(policy(known), policy(plain))) <= {"equal", "stricter"}
    assert "weaker" in differences(policy(plain), policy(known))


def test_the_public_learns_no_number_of_whom_patterns_expose() -> None:
    rows = [
        {"sex": "fm"[i % 2], "age": str(30 + i % 9), "zip": str(i % 4), "ill": "flu", "who": str(i)} for i in range(90)
    ]
    asked = {"columns": 2}
    found = auditor.check(
        arrow(rows),
        policy({"model": "k-anonymity", "k": 11, "knows": asked}, {"model": "uniqueness", "max": 0, "knows": asked}),
    )
    shown = redact(found, Audience.PUBLIC).result.requirements
    assert found.requirements[0].patterns is not None
    assert found.requirements[0].patterns.exposed > 10
    assert shown[0].patterns is not None
    assert {*vars(shown[0].patterns).values(), shown[0].records_violating, shown[0].classes_violating} == {HIDDEN}, (
        "of no pattern of one, where some are below three, the least is two"
    )
    assert "exposed" in str(redact(found, Audience.PUBLIC).redacted)
