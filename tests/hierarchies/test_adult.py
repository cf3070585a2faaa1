"""The ladders of Adult against another program: classes and losses of 240 nodes of its lattice, computed with ARX."""

import csv
from functools import cache

import numpy as np
import pytest

from auditor.hierarchies import build

COLUMNS = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class",
)  # fmt: skip
LOSS = 1e-9
"""The published losses are floats."""


@cache
def ladders(folder):
    """For each column its ladder and the place of each record's value in it."""
    rows = list(csv.DictReader((folder / "adult.csv").read_text("utf-8").splitlines(), delimiter=";"))
    found = {}
    for name in COLUMNS:
        place = {value: index for index, value in enumerate(dict.fromkeys(row[name] for row in rows))}
        spec = {"file": str(folder / f"adult_hierarchy_{name}.csv"), "separator": ";"}
        found[name] = build(spec, list(place), name), np.array([place[row[name]] for row in rows])
    return found


def node_of(folder, names, levels):
    """The class sizes of a node, its loss and its precision."""
    keys, losses, precisions = 0, [], []
    for name, level in zip(names, levels, strict=True):
        ladder, places = ladders(folder)[name]
        codes = ladder.codes()[level][places]
        keys = keys * (codes.max() + 1) + codes
        losses.append((ladder.leaves[level][codes] - 1).mean() / (ladder.leaf_count - 1))
        precisions.append(level / ladder.height)
    sizes = np.unique(keys, return_counts=True)[1]
    return sizes, np.mean(losses), np.mean(precisions)


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("adult_nodes_9qi.csv", COLUMNS),
        ("adult_nodes_8qi.csv", tuple(name for name in COLUMNS if name != "occupation")),
    ],
)
def test_every_published_node_has_the_same_classes_and_losses(file, names, shared_data, shared_vectors):
    for node in csv.DictReader((shared_vectors / file).read_text("utf-8").splitlines()):
        sizes, loss, precision = node_of(shared_data / "adult", names, map(int, node["levels"].split()))
        below = {k: int(sizes[sizes < k].sum()) for k in (2, 3, 5, 10, 20, 50, 100)}
        assert (len(sizes), sizes.min(), sizes.max()) == tuple(
            int(node[name]) for name in ("classes", "min_class", "max_class")
        )
        assert below == {k: int(node[f"below{k}"]) for k in below}
        assert loss == pytest.approx(float(node["loss_Loss_mean"]), rel=LOSS)
        assert precision == pytest.approx(float(node["loss_Precision"]), rel=LOSS)
