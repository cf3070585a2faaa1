"""A query audit's document: the public learns that something is disclosed, not of how many, and never what."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import UsageError
from auditor.queries import Statement, audit_queries
from auditor.report import redact
from auditor.report.stored import parse
from auditor.result import Audience
from auditor.result.queries import QueriesResult
from tests.report import query_samples

DISCLOSED = ("value", "records", "low", "high", "known", "coefficients", "constant")


def test_the_keys_are_those_of_the_contract() -> None:
    document = redact(query_samples.tracked(), Audience.INTERNAL).to_dict()
    assert {"index", "statement", "user", "sql", "decision", "violations", "query_set"} <= set(document["queries"][0])
    disclosure = document["disclosures"][0]
    assert disclosure["kind"] == "exact-value"
    assert disclosure["records"] == ["s17"]
    assert disclosure["low"] == disclosure["high"] == query_samples.SALARIES[17]
    assert disclosure["functional"] is None
    assert disclosure["certificate"] == {"1": "1", "4": "-1"}
    assert (disclosure["first_query"], disclosure["users"]) == ("4", ["ana", "ben"])
    assert set(document["log"]) >= {"source", "format", "statements", "users", "sha256"}


@pytest.mark.parametrize("audience", [Audience.REVIEWER, Audience.PUBLIC])
def test_nobody_but_the_internal_audience_sees_sql_records_or_values(audience: Audience) -> None:
    document = redact(query_samples.tracked(), audience).to_dict()
    assert {query["sql"] for query in document["queries"]} == {None}
    assert {query["answer"] for query in document["queries"]} == {None}
    assert {disclosure[name] for disclosure in document["disclosures"] for name in DISCLOSED} == {None}


def test_the_reviewer_sees_every_disclosure_and_its_certificate() -> None:
    document = redact(query_samples.tracked(), Audience.REVIEWER).to_dict()
    assert [d["records_count"] for d in document["disclosures"]] == [1, 2]
    assert document["disclosures"][1]["certificate"] == {"2": "1", "5": "-1"}
    assert [q["query_set"] for q in document["queries"]] == [60, 30, 20, 40, 59, 28, None, None]


def test_the_public_cannot_count_the_disclosures() -> None:
    one, two = query_samples.exact_value(), replace(query_samples.exact_value(), records=("s18",), first_query="5")
    audit = query_samples.tracked()
    alone = redact(replace(audit, disclosures=(one,), disclosures_count=1, exposed_count=1), Audience.PUBLIC).to_dict()
    both = redact(
        replace(audit, disclosures=(one, two), disclosures_count=2, exposed_count=2), Audience.PUBLIC
    ).to_dict()
    assert alone == both
    assert alone["disclosures_count"] is None
    assert {"disclosures_count", "exposed_count", "disclosures/0/records_count"} <= set(alone["redacted"])


def test_the_public_is_told_a_large_number_of_disclosures() -> None:
    many = replace(query_samples.tracked(), disclosures_count=31, exposed_count=30)
    document = redact(many, Audience.PUBLIC).to_dict()
    assert (document["disclosures_count"], document["exposed_count"]) == (31, 30)


def test_sizes_of_query_sets_are_hidden_where_their_difference_is_small() -> None:
    document = redact(query_samples.tracked(), Audience.PUBLIC).to_dict()
    assert {query["query_set"] for query in document["queries"]} == {None}
    assert "queries/4/query_set" in document["redacted"]
    assert "queries/6/query_set" not in document["redacted"], "that one has none"
    assert document["structural"]["largest_overlap"] is None
    assert document["structural"]["compromise_needs"] is None, "it is worked out from sizes and overlaps"
    assert document["coverage"][0]["records"] is None


def test_sizes_of_query_sets_are_shown_where_nothing_is_small() -> None:
    harmless = query_samples.harmless()
    structural = replace(harmless.structural, smallest_query_set=30, largest_overlap=30)  # type: ignore[type-var]
    document = redact(replace(harmless, structural=structural), Audience.PUBLIC).to_dict()
    assert [query["query_set"] for query in document["queries"]] == [60, 30]
    assert document["structural"]["compromise_needs"] == 2, "no count of people"
    assert document["redacted"] == []


@pytest.mark.parametrize(("weights", "shown"), [({"1": "1", "4": "-1"}, True), ({"1": "60", "4": "-59"}, False)])
def test_weights_that_are_sizes_of_query_sets_are_not_public(weights: dict[str, str], shown: bool) -> None:
    disclosure = replace(query_samples.exact_value(), certificate=weights)
    document = redact(replace(query_samples.tracked(), disclosures=(disclosure,)), Audience.PUBLIC).to_dict()
    assert document["disclosures"][0]["certificate"] == (weights if shown else None)


@pytest.mark.parametrize("kept", Audience)
@pytest.mark.parametrize("wanted", Audience)
@pytest.mark.parametrize("sample", [query_samples.tracked, query_samples.harmless])
def test_a_stored_audit_renders_again_as_at_once(kept: Audience, wanted: Audience, sample: Any) -> None:
    result: QueriesResult = sample()
    stored = parse(json.dumps(redact(result, kept).to_dict()))
    widths = list(Audience)
    if widths.index(wanted) > widths.index(kept):
        with pytest.raises(UsageError):
            stored.document_for(wanted)
    else:
        assert stored.document_for(wanted).to_dict() == redact(result, wanted).to_dict()


def test_the_samples_proofs_are_true() -> None:
    answers = {query.index: query.answer for query in query_samples.tracked().queries}
    for disclosure in query_samples.tracked().disclosures:
        assert disclosure.certificate is not None
        told = sum(int(weight) * answers[index] for index, weight in disclosure.certificate.items())  # type: ignore[operator]
        assert told == disclosure.low == disclosure.high


LIMITS: list[dict[str, Any]] = [
    {"query_set_size": {"min": 12}},
    {"min_group": 12},
    {"max_overlap": 200, "query_set_size": {"min": 12, "both_ends": False}, "min_group": 3},
]
ranges = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(ranges, st.sampled_from("uv")), min_size=1, max_size=3), st.sampled_from(LIMITS))
def test_nothing_small_follows_from_the_sizes_that_are_shown(asked: list[Any], limits: dict[str, Any]) -> None:
    """Every part of the picture that the query sets make of the table, found by counting, is 0 or at least 12.

    Where a size, a union and an intersection tell the size of a part, so does every difference of two of them.
    """
    staff = pd.DataFrame({"id": range(60), "n": range(60), "pay": [n * n + 7 for n in range(60)]})
    attributes = {"id": "identifier", "n": "quasi-identifier", "pay": {"role": "sensitive", "type": "number"}}
    queries = {"table": "staff", "key": "id", "limits": limits}
    policy = {"version": 1, "name": "p", "attributes": attributes, "queries": queries}
    log = [
        Statement(i, f"SELECT sum(pay) FROM staff WHERE n >= {low} AND n < {high}", user)
        for i, ((low, high), user) in enumerate(asked, 1)
    ]
    seen = redact(audit_queries(log, policy, staff), Audience.PUBLIC).to_dict()
    shown = {
        *(query["query_set"] for query in seen["queries"]),
        *(user["records"] for user in seen["coverage"]),
        *(seen["structural"][name] for name in ("smallest_query_set", "largest_query_set", "largest_overlap")),
        *(each["achieved"] for each in seen["requirements"] if each["model"] in ("query-set-size", "overlap")),
    } - {None}
    numbers = sorted({0, 60, *shown})
    assert all(after - before >= 12 for before, after in pairwise(numbers)), numbers
    sets = [{*range(*each)} for each, _ in asked]
    joined = any(user["records"] is not None for user in seen["coverage"])
    if joined and len(sets) == 2 and len({user for _, user in asked}) == 1:
        parts = (sets[0] - sets[1], sets[1] - sets[0], sets[0] & sets[1], {*range(60)} - sets[0] - sets[1])
        assert all(not part or len(part) >= 12 for part in parts)
