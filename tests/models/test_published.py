"""Tables and figures that were published, each with its source (tests/vectors), through the counting of classes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from auditor.classes import ClassTable, Domain, IntArray, KeyLayout, count_classes
from auditor.models import registry
from tests import oracle
from tests.strategies import table_of

FILES = sorted((Path(__file__).parent.parent / "vectors").glob("*.yaml"))
DOCUMENTS: dict[str, dict[str, Any]] = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in FILES}
FACTS = [(name, fact) for name, document in DOCUMENTS.items() for fact in document["facts"]]
DISTANCES = [(name, fact) for name, document in DOCUMENTS.items() for fact in document.get("distances", [])]
NOT_PARAMETERS = {"table", "model", "sensitive", "achieved", "decimals", "class_of", "meets", "says", "follows"}


def codes(values: list[str]) -> tuple[list[str], IntArray]:
    labels = sorted(set(values))
    return labels, np.array([labels.index(value) for value in values], dtype=np.int64)


def domain_of(document: dict[str, Any], attribute: str, values: list[str]) -> Domain:
    """The attribute's domain, over every value that its order or hierarchy lists."""
    order = document.get("orders", {}).get(attribute)
    hierarchy = document.get("hierarchies", {}).get(attribute)
    labels = sorted(hierarchy or order or set(values))
    ladder = None
    if hierarchy is not None:
        levels = zip(*([leaf, *hierarchy[leaf]] for leaf in labels), strict=True)
        ladder = np.array([codes(list(level))[1] for level in levels])
    return Domain(
        labels=tuple(labels),
        reference=np.array([values.count(label) for label in labels], dtype=np.int64),
        ranks=None if order is None else np.array([order.index(label) for label in labels]),
        ladder=ladder,
        numeric=order is not None,
    )


def counted(document: dict[str, Any], name: str, sensitive: str | None) -> tuple[ClassTable, IntArray]:
    """The table's classes, and for each row its class."""
    header, *rows = document["tables"][name]["rows"]
    grouping = document["tables"][name]["quasi_identifiers"]
    columns = {column: [row[index] for row in rows] for index, column in enumerate(header)}
    labels, keys = zip(*(codes(columns[column]) for column in grouping), strict=True)
    cardinalities = dict(zip(grouping, map(len, labels), strict=True))
    domain = None
    if sensitive is not None:
        domain = domain_of(document, sensitive, columns[sensitive])
        cardinalities[sensitive] = len(domain.labels)
        keys = (*keys, np.array([domain.labels.index(value) for value in columns[sensitive]]))
    layout = KeyLayout.of(cardinalities)
    packed = layout.pack(keys)
    class_keys = layout.prefix(packed, len(grouping))
    table = count_classes(packed, layout, len(grouping), domain=domain)
    assert table.keys is not None
    return table, np.array([np.flatnonzero((table.keys == key).all(axis=1))[0] for key in class_keys])


@pytest.mark.parametrize(
    ("source", "fact"), FACTS, ids=lambda value: value if isinstance(value, str) else value["model"]
)
def test_the_published_figure(source: str, fact: dict[str, Any]) -> None:
    table, class_of_row = counted(DOCUMENTS[source], fact["table"], fact.get("sensitive"))
    parameters = {key: value for key, value in fact.items() if key not in NOT_PARAMETERS}
    model: Any = registry()[fact["model"]](**parameters)
    numbers = model.measure(table)
    achieved = numbers.min() if model.comparison == ">=" else numbers.max()
    wrong = model.violates(table, numbers)
    if "class_of" in fact:
        achieved, wrong = (array[class_of_row[fact["class_of"] - 1]] for array in (numbers, wrong))
    if "decimals" in fact:
        assert round(float(achieved), fact["decimals"]) == fact["achieved"]
    else:
        assert achieved == pytest.approx(float(Fraction(fact["achieved"])), abs=1e-12)
    if "class_of" not in fact or "t" in fact:
        # 0.167 is 1/6 rounded up: the published t is met.
        assert bool(np.any(wrong)) is not fact["meets"]


@pytest.mark.parametrize(("source", "fact"), DISTANCES, ids=lambda value: "" if isinstance(value, str) else value["is"])
def test_the_published_ground_distance(source: str, fact: dict[str, Any]) -> None:
    """Between two values: the distance of a class that has only the one to a reference that has only the other."""
    first, second = fact["between"]
    domain = domain_of(DOCUMENTS[source], fact["attribute"], [second])
    counts = [[int(label == first) for label in domain.labels]]
    model: Any = registry()["t-closeness"](t=1, ground="hierarchical")
    assert model.measure(table_of(counts, domain))[0] == pytest.approx(float(Fraction(fact["is"])))


def disease_distances(ground: oracle.Ground) -> list[float]:
    """The distance of each class of Li et al.'s table 5 from the whole, by transport over a ground distance."""
    document = DOCUMENTS["li_2007"]
    header, *rows = document["tables"]["close"]["rows"]
    table = [dict(zip(header, row, strict=True)) for row in rows]
    leaves = list(document["hierarchies"]["disease"])
    whole = next(iter(oracle.classes_of(table, [], "disease").values()))
    return [
        oracle.transport(part, whole, leaves, ground)
        for part in oracle.classes_of(table, ["zip", "age"], "disease").values()
    ]


def test_the_disease_distances_of_li_et_al_by_transport() -> None:
    """What stands in the vectors instead of the printed 0.278, and the two slips that give 0.278."""
    paths = {leaf: [leaf, *nodes] for leaf, nodes in DOCUMENTS["li_2007"]["hierarchies"]["disease"].items()}
    printed = oracle.hierarchical_ground(paths)
    quarter = {Fraction(1, 3): Fraction(1, 4)}
    assert disease_distances(printed) == pytest.approx([7 / 27, 8 / 27, 5 / 27])
    height_four = disease_distances(lambda a, b: quarter.get(printed(a, b), printed(a, b)))
    any_two_half = disease_distances(lambda a, b: Fraction(a != b, 2))
    assert height_four == pytest.approx([2 / 9, 5 / 18, 1 / 6])
    assert any_two_half == pytest.approx([5 / 18, 2 / 9, 1 / 6])


def test_every_file_names_its_source_and_every_fact_its_ground() -> None:
    for name, document in DOCUMENTS.items():
        assert document["source"], name
        assert document["compared"], name
        for fact in document["facts"]:
            assert ("says" in fact) != ("follows" in fact), (name, fact)
