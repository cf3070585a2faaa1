"""What passes, against an attacker who tries every table of whole numbers that fits what was published.

Tables and statistics of one population at once: states in regions, a column of 0 and 1, bounds, rounded counts, rounded
means, with the data and without it, all together or one after the other.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor, inf
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from auditor.outputs import check_outputs

REGION = {"a": "N", "b": "N", "c": "S", "d": "S"}
VALUES = {"state": "abcd", "region": "NS", "kind": "xy", "ill": "01"}
SPACE = [
    {"state": state, "region": REGION[state], "kind": kind, "ill": ill}
    for state, kind, ill in product("abcd", "xy", "01")
]
LEAST = 3
Group = dict[str, str]


def inside(group: Group) -> np.ndarray:
    return np.array([all(cell[column] == value for column, value in group.items()) for cell in SPACE], dtype=float)


def groups(by: list[str], *, margins: bool) -> Iterator[tuple[list[str | None], Group]]:
    """The keys of a table that can be of somebody, and whom they are about."""
    for key in product(*[[*VALUES[column], *([None] if margins else [])] for column in by]):
        group = {column: value for column, value in zip(by, key, strict=True) if value is not None}
        nested = "region" not in by or "state" not in group or group.get("region") == REGION[group["state"]]
        if nested:
            yield list(key), group


@dataclass
class World:
    """A population, and what its attacker was told: groups with the ends of their counts."""

    draw: random.Random
    people: np.ndarray
    told: list[tuple[Group, float, float]]

    def count(self, group: Group) -> int:
        return int(inside(group) @ self.people)

    def table(self, base: int) -> dict:
        by = self.draw.choice(
            [["state"], ["region"], ["region", "state"], ["state", "kind"], ["region", "kind"], ["kind", "ill"]]
        )
        bounded, cells = self.draw.random() < 0.3, []
        for key, group in groups(by, margins=self.draw.random() < 0.7):
            count, written = self.count(group), None
            if base:
                written = base * floor(Fraction(count, base) + Fraction(1, 2))
                self.told.append((group, max(0, written - base // 2), written + base // 2))
            elif 0 < count < LEAST and bounded:
                written = {"min": 1, "max": LEAST - 1}
                self.told.append((group, 1, LEAST - 1))
            elif count >= LEAST and self.draw.random() > 0.15:
                written = count
                self.told.append((group, count, count))
            elif count == 0:
                continue  # it stands in no row; nobody knows that it is empty
            cells.append({"key": key, "count": written})
        return {"type": "frequency-table", "by": by, "cells": cells}

    def statistics(self) -> dict:
        by = self.draw.choice([["state"], ["region"], ["region", "state"], ["kind"]])
        places, cells = self.draw.choice([1, 2, 4]), []
        for key, group in groups(by, margins=self.draw.random() < 0.5):
            n, ill = self.count(group), self.count({**group, "ill": "1"})
            if n < LEAST or (self.draw.random() < 0.4 and min(ill, n - ill) < LEAST):
                continue
            unit, half = Fraction(1, 10**places), Fraction(1, 2 * 10**places)
            mean = round(Fraction(ill, n) / unit) * unit
            cells.append({"key": key, "n": n, "mean": f"{float(mean):.{places}f}"})
            self.told.append((group, n, n))
            self.told.append(({**group, "ill": "1"}, max(0, ceil((mean - half) * n)), min(n, floor((mean + half) * n))))
        return {"type": "statistics", "of": "ill", "by": by, "cells": cells}

    def known(self) -> Iterator[Group]:
        """The small groups of which the attacker knows how many they are."""
        rows = np.array([inside(group) for group, _, _ in self.told])
        fits = LinearConstraint(rows, [low for _, low, _ in self.told], [high for _, _, high in self.told])
        where = [{}, *({"state": state} for state in "abcd"), *({"region": region} for region in "NS")]
        for place, kind, ill in product(where, ({}, {"kind": "x"}, {"kind": "y"}), ({}, {"ill": "0"}, {"ill": "1"})):
            group = place | kind | ill
            if 0 < self.count(group) < LEAST:
                ends = [
                    milp(sign * inside(group), constraints=fits, integrality=np.ones(len(SPACE)), bounds=Bounds(0, inf))
                    for sign in (1, -1)
                ]
                if all(end.status == 0 for end in ends) and round(ends[0].fun) == -round(ends[1].fun):
                    yield group


def policy(base: int) -> dict:
    tables = {"type": "frequency-table", "min_cell": LEAST, "suppressed": {"zeros": "possible"}, "differencing": True}
    statistics = {"type": "statistics", "min_n": LEAST, "extremes": "allow", "identical": "allow", "differencing": True}
    state = {"role": "quasi-identifier", "hierarchy": {"tree": {"N": ["a", "b"], "S": ["c", "d"]}}}
    return {
        "version": 1,
        "name": "p",
        "attributes": {
            "state": state,
            "region": "quasi-identifier",
            "kind": "quasi-identifier",
            "ill": {"role": "sensitive", "type": "integer", "range": [0, 1]},
        },
        "outputs": [{**tables, "rounded_to": base} if base else tables, statistics],
    }


@settings(deadline=None, max_examples=90)
@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_nobody_knows_a_small_group_from_what_passes(tmp_path_factory, seed, with_data, in_turn) -> None:
    draw = random.Random(seed)
    most, base = draw.choice([2, 4, 7]), draw.choice([0, 0, 0, 3])
    people = np.array([draw.choice([0, draw.randint(0, most), draw.randint(1, most)]) for _ in SPACE])
    world = World(draw, people, [])
    data = pd.DataFrame([cell for cell, n in zip(SPACE, people.tolist(), strict=True) for _ in range(n)])
    outputs = [world.table(base) if draw.random() < 0.6 else world.statistics() for _ in range(draw.choice([1, 2, 3]))]
    outputs = [each for each in outputs if each["cells"]]
    if not outputs or not len(data):
        return
    ledger: Path | None = tmp_path_factory.mktemp("ledger") / "released.jsonl" if in_turn else None
    told = [
        check_outputs(each, policy(base), data if with_data else None, ledger=ledger, record=in_turn)
        for each in (outputs if in_turn else [outputs])
    ]
    if all(each.verdict == "pass" for each in told):
        assert not list(world.known())
