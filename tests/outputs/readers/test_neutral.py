"""The neutral JSON: the contract's examples, the round trip, and what is refused with its place."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from auditor.errors import DataError, Unsupported, UsageError
from auditor.outputs.published.conditions import Condition, equal, group_of
from auditor.outputs.published.outputs import (
    AssociationRules,
    Clustering,
    DecisionTree,
    FrequencyTable,
    FrequentItemsets,
    GroupStatistics,
    MagnitudeTable,
    Published,
    Regression,
    Stated,
)
from auditor.outputs.readers import TYPES, neutral, read
from tests.outputs.readers.conftest import Write
from tests.outputs.readers.generated import OUTPUTS


@given(OUTPUTS)
def test_what_is_written_is_read_again(output: Published) -> None:
    stored = json.loads(json.dumps(neutral.as_json(output)))
    assert neutral.from_json(stored, source=output.source) == replace(output, sha256="")
    ledger = json.loads(json.dumps(neutral.as_json(output), sort_keys=True))
    assert neutral.as_json(neutral.from_json(ledger)) == neutral.as_json(output)


# The examples of the contract, to the letter.


def test_association_rules(write: Write) -> None:
    text = """{"type": "association-rules", "records": 20, "rules": [{"antecedent": {"age": "26"},
      "consequent": {"disease": "HIV"}, "support": 5, "antecedent_support": 6, "confidence": 0.83}]}"""
    (found,) = read(write(text))
    assert isinstance(found, AssociationRules)
    assert found.records == 20
    (rule,) = found.rules
    assert rule.antecedent == {equal("age", "26")}
    assert rule.consequent == {equal("disease", "HIV")}
    assert (rule.support, rule.antecedent_support, rule.consequent_support) == (5, 6, None)
    assert rule.confidence == Stated(Fraction(83, 100), 2)


def test_frequent_itemsets(write: Write) -> None:
    (found,) = read(
        write('{"type": "frequent-itemsets", "records": 20, "itemsets": [{"items": {"age": "26"}, "support": 8}]}')
    )
    assert isinstance(found, FrequentItemsets)
    assert [(each.items, each.support) for each in found.itemsets] == [({equal("age", "26")}, 8)]


def test_decision_tree(write: Write) -> None:
    (found,) = read(
        write("""{"type": "decision-tree", "target": "disease", "leaves": [{"path": [["age", "<=", "30"],
              ["sex", "=", "F"]], "counts": {"HIV": 3, "Flu": 4}}]}""")
    )
    assert isinstance(found, DecisionTree)
    assert found.target == "disease"
    (leaf,) = found.leaves
    assert leaf.path == {Condition("age", "<=", ("30",)), equal("sex", "F")}
    assert leaf.counts == (("HIV", 3), ("Flu", 4))


def test_frequency_table(write: Write) -> None:
    (found,) = read(
        write("""{"type": "frequency-table", "by": ["age", "zip"], "cells": [{"key": ["26", "10562"], "count": 6},
              {"key": ["26", "10563"], "count": null}]}""")
    )
    assert isinstance(found, FrequencyTable)
    assert [(cell.key, cell.count) for cell in found.cells] == [(("26", "10562"), 6), (("26", "10563"), None)]


def test_magnitude_table(write: Write) -> None:
    (found,) = read(
        write("""{"type": "magnitude-table", "by": ["zip"], "of": "cost",
              "cells": [{"key": ["10562"], "count": 12, "sum": 51000}]}""")
    )
    assert isinstance(found, MagnitudeTable)
    assert found.of == "cost"
    assert [(cell.count, cell.sum) for cell in found.cells] == [(12, Stated(Fraction(51000), 0))]


def test_statistics(write: Write) -> None:
    (found,) = read(
        write("""{"type": "statistics", "of": "cost", "by": ["zip"],
              "cells": [{"key": ["10562"], "n": 12, "mean": 4250, "max": 9000}]}""")
    )
    assert isinstance(found, GroupStatistics)
    (cell,) = found.cells
    assert cell.n == 12
    assert dict(cell.values) == {"mean": Stated(Fraction(4250), 0), "max": Stated(Fraction(9000), 0)}


def test_clusters(write: Write) -> None:
    (found,) = read(write('{"type": "clusters", "clusters": [{"size": 12, "centre": {"age": 31.5}}]}'))
    assert isinstance(found, Clustering)
    assert [(each.size, each.centre) for each in found.clusters] == [(12, (("age", "31.5"),))]


def test_regression(write: Write) -> None:
    (found,) = read(
        write("""{"type": "regression", "outcome": "cost", "records": 60, "dof": 57, "terms": [
              {"name": "Intercept", "coefficient": 41.5},
              {"name": "ward[T.ICU]", "coefficient": 4210.0, "condition": {"ward": "ICU"}, "ones": 1}]}""")
    )
    assert isinstance(found, Regression)
    assert (found.outcome, found.records, found.dof) == ("cost", 60, 57)
    assert found.terms[0].condition is None
    assert (found.terms[1].condition, found.terms[1].ones) == ({equal("ward", "ICU")}, 1)


# What else the form allows.


def test_items_without_columns_are_a_list_and_conditions_are_triples(write: Write) -> None:
    text = """{"type": "frequent-itemsets", "itemsets": [
      {"items": ["bread", "age=26", ["sex", "in", ["F", "M"]]], "support": 8}]}"""
    (found,) = read(write(text), columns=frozenset({"age"}))
    assert isinstance(found, FrequentItemsets)
    expected = group_of([equal("", "bread"), equal("age", "26"), Condition("sex", "in", ("F", "M"))])
    assert found.itemsets[0].items == expected


def test_a_file_may_hold_several_outputs(write: Write) -> None:
    text = """[{"type": "clusters", "clusters": []}, {"type": "regression", "terms": []}]"""
    assert [type(each) for each in read(write(text))] == [Clustering, Regression]


def test_a_number_of_records_makes_counts_of_shares(write: Write) -> None:
    text = """{"type": "frequent-itemsets", "itemsets": [{"items": {"age": "26"}, "support_share": 0.40}]}"""
    (found,) = read(write(text), records=20)
    assert isinstance(found, FrequentItemsets)
    assert (found.records, found.itemsets[0].support) == (20, 8)


def test_without_a_number_of_records_shares_stay_shares_and_that_is_said(write: Write) -> None:
    text = """{"type": "frequent-itemsets", "itemsets": [{"items": {"age": "26"}, "support_share": 0.4}]}"""
    (found,) = read(write(text))
    assert isinstance(found, FrequentItemsets)
    assert found.itemsets[0].support is None
    assert any("does not state" in note for note in found.notes)


def test_a_share_that_fits_several_counts_is_taken_for_none_of_them(write: Write) -> None:
    text = """{"type": "frequent-itemsets", "records": 1000, "itemsets": [{"items": [], "support_share": 0.4}]}"""
    (found,) = read(write(text))
    assert isinstance(found, FrequentItemsets)
    assert found.itemsets[0].support is None
    assert any("several counts" in note for note in found.notes)


def test_a_share_that_no_count_has_is_not_read(write: Write) -> None:
    text = """{"type": "frequent-itemsets", "records": 20, "itemsets": [{"items": [], "support_share": 0.333}]}"""
    (found,) = read(write(text))
    assert found.unread


# What is refused, with its place and never with its text.

SECRET = "Ada Lovelace"
ITEMSETS = '{"type": "frequent-itemsets", "itemsets": [%s]}'
REFUSED = {
    "a count with a fraction": (ITEMSETS % '{"items": [], "support": 2.5}', "itemsets[0].support"),
    "a negative count": (ITEMSETS % '{"items": [], "support": -1}', "itemsets[0].support"),
    "a count as text": (ITEMSETS % '{"items": [], "support": "5"}', "itemsets[0].support"),
    "a count that is true": (ITEMSETS % '{"items": [], "support": true}', "itemsets[0].support"),
    "a huge number": (ITEMSETS % '{"items": [], "support": 1e999999999}', "itemsets[0].support"),
    "more digits than a table has records": (ITEMSETS % f'{{"items": [], "support": {"9" * 5000}}}', "support"),
    "not a number": (ITEMSETS % '{"items": [], "support_share": NaN}', "itemsets[0].support_share"),
    "infinity": (ITEMSETS % '{"items": [], "support_share": -Infinity}', "itemsets[0].support_share"),
    "a null item": (ITEMSETS % '{"items": {"age": null}}', "itemsets[0].items"),
    "no items": (ITEMSETS % '{"items": null}', "itemsets[0]"),
    "an unknown member": (ITEMSETS % f'{{"items": [], "{SECRET}": 5}}', "itemsets[0]"),
    "a key twice": (ITEMSETS % '{"items": [], "support": 5, "support": 50}', "one key twice"),
    "an unknown operator": (ITEMSETS % f'{{"items": [["age", "~", "{SECRET}"]]}}', "itemsets[0].items[0]"),
    "a key of another length": (
        f'{{"type": "frequency-table", "by": ["a"], "cells": [{{"key": ["{SECRET}", "2"], "count": 1}}]}}',
        "cells[0].key",
    ),
    "a cell without its count": (
        f'{{"type": "frequency-table", "by": ["a"], "cells": [{{"key": ["{SECRET}"]}}]}}',
        "cells[0]",
    ),
    "a class count that is none": (
        f'{{"type": "decision-tree", "leaves": [{{"path": [], "counts": {{"{SECRET}": 0.5}}}}]}}',
        "leaves[0].counts",
    ),
    "an unknown type": (f'{{"type": "{SECRET}"}}', "type"),
    "a null where a value must be": ('{"type": "clusters", "clusters": null}', "clusters"),
    "half a character": (ITEMSETS % '{"items": ["\\ud800"]}', "itemsets[0].items[0]"),
    "a NUL character": (ITEMSETS % '{"items": ["\\u0000"]}', "itemsets[0].items[0]"),
    "a name of 10 MB": (ITEMSETS % f'{{"items": ["{"x" * 10_000_000}"]}}', "itemsets[0].items[0]"),
    "a deep document": ("[" * 200_000 + "]" * 200_000, "too deeply"),
    "a document deeper than its form": ('{"type": ' * 60 + "1" + "}" * 60, "too deeply"),
    "an array of other things": ('[{"type": "clusters", "clusters": []}, 7]', "type"),
    "half a document": ('{"type": "clusters", "clu', "not JSON"),
}


@pytest.mark.parametrize(("text", "place"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_refused_with_its_place(write: Write, text: str, place: str) -> None:
    with pytest.raises(DataError) as refused:
        read(write(text))
    message = str(refused.value)
    assert place in message
    assert SECRET not in message
    assert len(message) < 400


def test_another_number_of_records_than_was_given_is_refused(write: Write) -> None:
    with pytest.raises(DataError, match="another number of records"):
        read(write('{"type": "clusters", "records": 20, "clusters": []}'), records=21)


def test_another_type_than_was_said_is_refused(write: Write) -> None:
    with pytest.raises(DataError, match="another type"):
        read(write('{"type": "clusters", "clusters": []}'), type_="regression")


def test_a_type_that_does_not_exist_is_refused_with_the_nearest(write: Write) -> None:
    with pytest.raises(UsageError, match="did you mean 'clusters'"):
        read(write('{"type": "clusters", "clusters": []}'), type_="cluster")


@pytest.mark.parametrize("text", ['{"a": 1}', "[]", '{"type": null}', "plain words"])
def test_what_no_reader_knows_is_not_evaluated(write: Write, text: str) -> None:
    with pytest.raises(Unsupported):
        read(write(text))


def test_a_ledgers_body_may_be_anything() -> None:
    bodies: list[Any] = [{}, {"type": []}, {"type": "clusters", "clusters": 1}]
    for body in bodies:
        with pytest.raises(DataError):
            neutral.from_json(body)


PAGE = (Path(__file__).parents[3] / "docs" / "output-formats.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("example", re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
def test_the_examples_of_the_page_are_read(write: Write, example: str) -> None:
    (found,) = read(write(example))
    assert found.records == json.loads(example).get("records", 20)
    assert not found.unread


def test_the_page_names_every_member(write: Write) -> None:
    """What a file may hold by the errors that refuse it is what the page's table says."""
    for kind in TYPES:
        (row,) = re.findall(rf"^\| `{kind}` \|(.*)\|$", PAGE, re.MULTILINE)
        with pytest.raises(DataError) as refused:
            neutral.from_json({"type": kind, "no such member": 1})
        members = str(refused.value).partition("one of ")[2].split(", ")
        assert len(members) >= 3
        for member in set(members) - {"type", "records"}:
            assert f"`{member}`" in row, (kind, member)
