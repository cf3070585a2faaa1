"""What is read off batches, wherever they are: sent there, sent back and put together, it is what one reader finds."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.audit._population import People
from auditor.audit._questions import Question, ViewReading, summaries_of
from auditor.audit._sizes import Histogram, Sizes
from auditor.classes import ClassTable, Domain, KeyLayout, count_classes
from auditor.models import ClassModel, SensitiveModel, TableModel, registry
from tests.strategies import typical

MODELS = [name for name, model in registry().items() if issubclass(model, ClassModel | TableModel)]
LAYOUT = KeyLayout.of({"zip": 8, "age": 5, "value": 4})
records = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 4), st.sampled_from([0, 0, 0, 1, 2, 3])), min_size=1)


def counted(rows: list[tuple[int, int, int]], domain: Domain | None) -> ClassTable:
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    layout = LAYOUT if domain is not None else KeyLayout.of({"zip": 8, "age": 5})
    return count_classes(layout.pack(columns[: len(layout.columns)]), layout, 2, domain=domain)


PLACES, AGES = np.divmod(np.arange(40), 5)
PEOPLE = People(
    ("zip", "age"),
    (PLACES.astype(np.int32), AGES.astype(np.int32)),
    np.arange(1, 41),
    ((np.arange(8),), (np.arange(5),)),
    (np.zeros(8, dtype=np.int64), np.zeros(5, dtype=np.int64)),
    (np.arange(8), np.arange(5)),
)
"""A population in which every combination of values occurs, each another number of times."""


def reading(name: str, domain: Domain) -> ViewReading:
    model = typical(name)
    sensitive = "value" if isinstance(model, SensitiveModel) else None
    question = Question(model, ("zip", "age"), sensitive, domain, **summaries_of(model, model, expose=True))
    if getattr(model, "reads_population", False):
        question.people = PEOPLE
    return ViewReading([question], Sizes())


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=30)
@given(rows=records, batches=st.integers(1, 4), order=st.randoms(use_true_random=False))
def test_batches_read_apart_and_put_together(name: str, rows: Any, batches: int, order: Any) -> None:
    values = Counter(value for *_, value in rows)
    domain = Domain(tuple("abcd"), np.array([values[code] for code in range(4)]))
    whole = reading(name, domain)
    whole.read(counted(rows, domain))
    parts = [[row for row in rows if hash(row[:2]) % batches == place] for place in range(batches)]
    order.shuffle(parts)
    merged = reading(name, domain)
    for part in parts:
        apart = pickle.loads(pickle.dumps(reading(name, domain)))
        if part:
            apart.read(counted(part, domain))
        merged.merge(pickle.loads(pickle.dumps(apart.found())))
    (mine,), (theirs,) = merged.questions, whole.questions
    assert mine.found() == theirs.found()
    assert merged.sizes is not None
    assert whole.sizes is not None
    assert merged.sizes.found == whole.sizes.found
    if merged.batches == 1:
        assert merged.sizes.prefixes == whole.sizes.prefixes is not None


@given(rows=records)
def test_the_worst_classes_are_the_first_by_number_and_then_by_key(rows: Any) -> None:
    domain = Domain(tuple("abcd"), np.array([1, 1, 1, 1]))
    found = reading("k-anonymity", domain)
    found.read(counted(rows, None))
    (question,) = found.questions
    assert question.summary is not None
    sizes = Counter((place, age) for place, age, _ in rows)
    wrong = sorted((size, key) for key, size in sizes.items() if size < question.summary.model.bound)
    assert [(number, tuple(key.values())) for number, _, key in question.summary.exposed] == wrong[:10]


@given(st.lists(st.integers(1, 6) | st.just(1 << 23), min_size=1))
def test_a_histogram_of_sizes_however_it_is_made(sizes: list[int]) -> None:
    expected = {size: (count, size * count) for size, count in Counter(sizes).items()}
    array = np.array(sizes)
    assert Histogram.of(array).found == Histogram.counted(Counter(sizes)).found == expected
    merged = Histogram.of(array[: len(array) // 2])
    merged.merge(Histogram.of(array[len(array) // 2 :]))
    assert merged.found == expected
    assert (merged.classes, merged.records) == (len(sizes), sum(sizes))
    assert merged.below(5) == sum(size for size in sizes if size < 5)
