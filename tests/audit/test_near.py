"""Sensitive values that differ in nothing that a reader sees."""

import doctest
import json
import unicodedata

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import auditor
from auditor.audit import _near_duplicates
from auditor.audit._near_duplicates import nearly_the_same

WORDS = st.text(st.characters(codec="utf-8", categories=("Lu", "Ll", "Lt", "Mn", "Nd")), min_size=1, max_size=6)


def test_the_example():
    assert doctest.testmod(_near_duplicates) == (0, 1)


@pytest.mark.parametrize(
    ("values", "records"),
    [
        (["HIV", "hiv", "flu", "flu"], 20),
        (["HIV", "HIV ", "flu", "flu"], 20),
        (["lung  cancer", "lung cancer", "flu", "flu"], 20),
        (["Ménière", "Me\u0301nie\u0300re", "flu", "flu"], 20),
        (["HIV", "H\u200bIV", "flu", "flu"], 20),
        (["HIV-1", "HIV\u20111", "flu", "flu"], 20),
        (['{"dx": "flu", "n": 1}', '{"n": 1, "dx": "flu"}', "flu", "flu"], 20),
        (["[1, 2]", "[2, 1]", "flu", "flu"], None),
        (["[" * 5_000, "[" * 5_000 + "]", "flu", "flu"], None),
        (["HIV", "flu", "hiv-", "cold"], None),
        ([None, "flu", None, "cold"], None),
    ],
)
def test_near_duplicates_are_noted_and_change_nothing(values, records):
    table = pa.table({"age": ["1"] * 40, "dx": pa.array(values * 10, pa.string())})
    policy = {
        "attributes": {"age": "quasi-identifier", "dx": "sensitive"},
        "requirements": [{"model": "distinct-l-diversity", "l": 2}],
    }
    result = auditor.check(table, policy)
    assert result.verdict == "pass"
    notes = [finding for finding in result.findings if finding.level == "note"]
    assert [note.records_count for note in notes] == ([] if records is None else [records])
    assert not any(value and value in json.dumps([note.message for note in notes]) for value in values)


@settings(max_examples=40, deadline=None)
@given(
    WORDS,
    st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]),
    st.sampled_from(["", " ", "\t", "\u00a0", "\u200b", "\ufeff"]),
)
def test_whoever_writes_a_word_in_another_form_is_found(word, form, space):
    other = unicodedata.normalize(form, word) + space
    assume(other != word)
    assert nearly_the_same([word, "something else entirely", other]) == [0, 2]


@pytest.mark.parametrize("values", [2, 3])
def test_a_column_of_too_many_values_is_said_not_to_be_checked(values, monkeypatch):
    monkeypatch.setattr(_near_duplicates, "MOST_VALUES", 2)
    table = pa.table({"age": ["30"] * 6, "dx": [f"case {i % values}" for i in range(6)]})
    policy = {
        "attributes": {"age": "quasi-identifier", "dx": "sensitive"},
        "requirements": [{"model": "distinct-l-diversity", "l": 2}],
    }
    found = auditor.check(table, policy)
    assert found.passed
    said = [each.message for each in found.findings if "not checked for near duplicates" in each.message]
    assert said == (
        ["Column 'dx' has more than 2 distinct values, so it was not checked for near duplicates."] * (values > 2)
    )
