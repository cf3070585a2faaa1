"""A query audit's document: the public learns that something is disclosed, not of how many, and never what."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from auditor.errors import UsageError
from auditor.report import redact
from auditor.report.stored import parse
from auditor.result import Audience, QueriesResult
from tests.report import query_samples

DISCLOSED = ("value", "records", "low", "high", "known", "coefficients", "constant")


def test_the_keys_are_those_of_the_contract() -> None:
    document = redact(query_samples.tracked(), Audience.INTERNAL)
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
    document = redact(query_samples.tracked(), audience)
    assert {query["sql"] for query in document["queries"]} == {None}
    assert {query["answer"] for query in document["queries"]} == {None}
    assert {disclosure[name] for disclosure in document["disclosures"] for name in DISCLOSED} == {None}


def test_the_reviewer_sees_every_disclosure_and_its_certificate() -> None:
    document = redact(query_samples.tracked(), Audience.REVIEWER)
    assert [d["records_count"] for d in document["disclosures"]] == [1, 2]
    assert document["disclosures"][1]["certificate"] == {"2": "1", "5": "-1"}
    assert [q["query_set"] for q in document["queries"]] == [60, 30, 20, 40, 59, 28, None, None]


def test_the_public_cannot_count_the_disclosures() -> None:
    one, two = query_samples.exact_value(), replace(query_samples.exact_value(), records=("s18",), first_query="5")
    audit = query_samples.tracked()
    alone = redact(replace(audit, disclosures=(one,), disclosures_count=1, exposed_count=1), Audience.PUBLIC)
    both = redact(replace(audit, disclosures=(one, two), disclosures_count=2, exposed_count=2), Audience.PUBLIC)
    assert alone == both
    assert alone["disclosures_count"] is None
    assert {"disclosures_count", "exposed_count", "disclosures/0/records_count"} <= set(alone["redacted"])


def test_the_public_is_told_a_large_number_of_disclosures() -> None:
    many = replace(query_samples.tracked(), disclosures_count=31, exposed_count=30)
    document = redact(many, Audience.PUBLIC)
    assert (document["disclosures_count"], document["exposed_count"]) == (31, 30)


def test_sizes_of_query_sets_are_hidden_where_their_difference_is_small() -> None:
    document = redact(query_samples.tracked(), Audience.PUBLIC)
    assert {query["query_set"] for query in document["queries"]} == {None}
    assert "queries/4/query_set" in document["redacted"]
    assert "queries/6/query_set" not in document["redacted"], "that one has none"
    assert document["structural"]["largest_overlap"] is None
    assert document["structural"]["compromise_needs"] is None, "it is worked out from sizes and overlaps"
    assert document["coverage"][0]["records"] is None


def test_sizes_of_query_sets_are_shown_where_nothing_is_small() -> None:
    harmless = query_samples.harmless()
    structural = replace(harmless.structural, smallest_query_set=30, largest_overlap=30)  # type: ignore[type-var]
    document = redact(replace(harmless, structural=structural), Audience.PUBLIC)
    assert [query["query_set"] for query in document["queries"]] == [60, 30]
    assert document["structural"]["compromise_needs"] == 2, "no count of people"
    assert document["redacted"] == []


@pytest.mark.parametrize(("weights", "shown"), [({"1": "1", "4": "-1"}, True), ({"1": "60", "4": "-59"}, False)])
def test_weights_that_are_sizes_of_query_sets_are_not_public(weights: dict[str, str], shown: bool) -> None:
    disclosure = replace(query_samples.exact_value(), certificate=weights)
    document = redact(replace(query_samples.tracked(), disclosures=(disclosure,)), Audience.PUBLIC)
    assert document["disclosures"][0]["certificate"] == (weights if shown else None)


@pytest.mark.parametrize("kept", Audience)
@pytest.mark.parametrize("wanted", Audience)
@pytest.mark.parametrize("sample", [query_samples.tracked, query_samples.harmless])
def test_a_stored_audit_renders_again_as_at_once(kept: Audience, wanted: Audience, sample: Any) -> None:
    result: QueriesResult = sample()
    stored = parse(json.dumps(redact(result, kept)))
    widths = list(Audience)
    if widths.index(wanted) > widths.index(kept):
        with pytest.raises(UsageError):
            stored.document_for(wanted)
    else:
        assert stored.document_for(wanted) == redact(result, wanted)


def test_the_samples_proofs_are_true() -> None:
    answers = {query.index: query.answer for query in query_samples.tracked().queries}
    for disclosure in query_samples.tracked().disclosures:
        assert disclosure.certificate is not None
        told = sum(int(weight) * answers[index] for index, weight in disclosure.certificate.items())  # type: ignore[operator]
        assert told == disclosure.low == disclosure.high
