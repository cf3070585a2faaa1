"""`smallest` of the lattice file is |E| as k-anonymity counts it: persons, and with a wildcard all who may be meant."""

from __future__ import annotations

import csv
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor

Row = tuple[int, str | None, str | None]


def smallest(rows: list[Row], levels: tuple[int, int], *, unit: bool, wildcard: bool) -> int:
    """By hand: for each row, the persons (or rows) whose generalized values agree with its own."""

    def shown(row: Row) -> list[str | None]:
        return [
            value if level == 0 or (wildcard and value is None) else "*"
            for value, level in zip(row[1:], levels, strict=True)
        ]

    def agree(one: Row, other: Row) -> bool:
        pairs = zip(shown(one), shown(other), strict=True)
        return all(a == b or (wildcard and None in (a, b)) for a, b in pairs)

    groups = ([each for each in enumerate(rows) if agree(row, each[1])] for row in rows)
    return min(len({row[0] if unit else place for place, row in group}) for group in groups)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from(["a", "b", None]), st.sampled_from(["m", "n", None])),
        min_size=2,
        max_size=8,
    ),
    wildcard=st.booleans(),
)
@pytest.mark.parametrize("unit", [True, False])
def test_the_smallest_class_of_every_node(
    unit: bool, rows: list[Row], wildcard: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("lattice")
    table, lattice = folder / "t.csv", folder / "l.csv"
    table.write_text("p,q,z\n" + "".join(f"{p},{q or ''},{z or ''}\n" for p, q, z in rows), encoding="utf-8")
    ladder = {"role": "quasi-identifier", "hierarchy": "suppress"}
    policy: dict[str, Any] = {
        "version": 1,
        "name": "p",
        "missing": "wildcard" if wildcard else "value",
        "attributes": {"p": "identifier", "q": ladder, "z": ladder},
        "requirements": [{"model": "k-anonymity", "k": 2}],
    }
    auditor.remediate(table, {**policy, **({"unit": "p"} if unit else {})}, lattice=lattice)
    with lattice.open(encoding="utf-8", newline="") as file:
        found = {(int(node["q"]), int(node["z"])): int(node["smallest"]) for node in csv.DictReader(file)}
    assert set(found) <= set(product((0, 1), repeat=2))
    assert found
    for levels, number in found.items():
        assert number == smallest(rows, levels, unit=unit, wildcard=wildcard), levels
