"""Summaries of class models: the same whether classes are put together, split into batches, or read one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.classes import ClassTable, Domain, KeyLayout, count_classes
from auditor.models import ClassModel, Profiles, Summary, bin_edges, registry
from tests.strategies import table_of, typical

CLASS_MODELS = [name for name, model in registry().items() if issubclass(model, ClassModel)]
LAYOUT = KeyLayout.of({"class": 40, "value": 4, "person": 4})

# many classes of one value, as in a near-unique table, and a few of several
rows = st.lists(
    st.tuples(st.integers(0, 39), st.sampled_from([0, 0, 0, 1, 2, 3]), st.integers(0, 3)), min_size=1, max_size=60
)


def counted(records: list[tuple[int, int, int]], domain: Domain, *, unit: bool) -> ClassTable:
    keys = LAYOUT.pack([np.array(column) for column in zip(*records, strict=True)])
    if unit:
        return count_classes(keys, LAYOUT, 1, domain=domain, unit=True)
    layout = KeyLayout.of({"class": 40, "value": 4})
    keys = layout.pack([np.array(column) for column in list(zip(*records, strict=True))[:2]])
    return count_classes(keys, layout, 1, domain=domain)


def held_against(model: ClassModel, table: ClassTable) -> ClassTable:
    """The table, with two persons of the population for each record where the model reads it."""
    return replace(table, people=2 * table.rows) if model.reads_population else table


def summary_of(model: ClassModel, tables: list[ClassTable]) -> Summary:
    summary = Summary(model)
    for table in (held_against(model, each) for each in tables):
        summary.add(table, Profiles.of(table))
    return summary


def facts(summary: Summary) -> dict[str, Any]:
    names = ["classes", "records", "classes_violating", "records_violating", "worst", "smallest", "bins"]
    return {name: getattr(summary, name) for name in names}


@pytest.mark.parametrize("name", CLASS_MODELS)
@given(records=rows, unit=st.booleans())
def test_a_summary_is_what_its_classes_say_one_by_one(
    name: str, records: list[tuple[int, int, int]], unit: bool
) -> None:
    values = Counter(value for _, value, _ in records)
    domain = Domain(tuple("abcd"), np.array([values[code] for code in range(4)]))
    model = typical(name)
    table = held_against(model, counted(records, domain, unit=unit))
    numbers = model.measure(table)
    wrong = model.violates(table, numbers)
    found = facts(summary_of(model, [table]))
    bins = found.pop("bins")
    assert found == {
        "classes": len(table),
        "records": len(records),
        "classes_violating": wrong.sum(),
        "records_violating": table.rows[wrong].sum(),
        "worst": numbers.min() if model.comparison == ">=" else numbers.max(),
        "smallest": table.sizes.min(),
    }
    assert sum(classes for classes, _ in bins.values()) == len(table)
    assert sum(count for _, count in bins.values()) == len(records)
    assert sum(count for (_, violating), (_, count) in bins.items() if violating) == table.rows[wrong].sum()


@pytest.mark.parametrize("name", CLASS_MODELS)
@given(records=rows, cut=st.integers(0, 40))
def test_batches_add_up(name: str, records: list[tuple[int, int, int]], cut: int) -> None:
    domain = Domain(tuple("abcd"), np.array([1, 1, 1, 1]))
    parts = [[r for r in records if r[0] < cut], [r for r in records if r[0] >= cut]]
    tables = [counted(part, domain, unit=False) for part in parts if part]
    whole = [counted(records, domain, unit=False)]
    assert facts(summary_of(typical(name), tables)) == facts(summary_of(typical(name), whole))


@given(records=rows)
def test_profiles_stand_for_every_class_and_every_record(records: list[tuple[int, int, int]]) -> None:
    domain = Domain(tuple("abcd"), np.array([1, 1, 1, 1]))
    table = counted(records, domain, unit=False)
    profiles = Profiles.of(table)
    assert profiles.count.sum() == len(table)
    assert profiles.records.sum() == len(records)
    assert table.cells is not None
    assert profiles.classes.cells is not None
    for index, example in enumerate(profiles.example.tolist()):
        assert profiles.classes.cells.class_counts(index) == table.cells.class_counts(example)


def test_one_by_one_means_few_profiles_for_many_unique_records() -> None:
    """A near-unique table is measured once per value, not once per record."""
    unique = table_of(np.eye(3, dtype=np.int64)[np.arange(3000) % 3])
    assert len(Profiles.of(unique).classes) == 3


def test_huge_counts_of_different_values_are_not_taken_for_one_another() -> None:
    """Four values of up to 2^62 records each: value times count passes 64 bits, and 4 · 2^62 + 5 wraps around to 5."""
    counts = np.zeros((6, 5), dtype=np.int64)
    counts[[0, 1, 2, 3, 4, 5], [3, 4, 0, 4, 0, 4]] = [2**62 - 1, 5, 5, 7, 7, 9]
    table = table_of(counts, Domain(tuple("abcde"), np.array([1, 1, 1, 1, 6])))
    profiles = Profiles.of(table)
    beta = registry()["basic-beta-likeness"](beta=1)
    assert isinstance(beta, ClassModel)
    summary = Summary(beta)
    summary.add(table, profiles)
    assert summary.classes_violating == beta.violates(table, beta.measure(table)).sum() == 3


@pytest.mark.parametrize("name", CLASS_MODELS)
def test_the_bound_is_an_edge_of_the_histogram(name: str) -> None:
    model = typical(name)
    edges = bin_edges(model)
    assert model.bound in edges
    assert (np.diff(edges) > 0).all()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("max-risk", {"max": 5e-324}),
        ("alpha-k-anonymity", {"alpha": 1e-300, "k": 1}),
        ("t-closeness", {"t": 0}),
        ("t-closeness", {"t": 5e-324}),
        ("t-closeness", {"t": 1.7e308}),
        ("entropy-l-diversity", {"l": 1.7e308}),
        ("recursive-l-diversity", {"c": 1.7e308, "l": 2}),
        ("basic-beta-likeness", {"beta": 5e-324}),
        ("delta-disclosure", {"delta": 1.7e308}),
    ],
)
def test_the_smallest_and_the_largest_bound_are_bounds(name: str, parameters: dict[str, float]) -> None:
    model = registry()[name](**parameters)
    assert isinstance(model, ClassModel)
    lax = next(iter(parameters.values())) > 1 and name != "entropy-l-diversity"
    table = table_of([[2, 1], [1, 3]])
    assert summary_of(model, [table]).classes_violating == (0 if lax else 2)
