"""Experts' cost matrices in a search: several for one attribute, and values that only a matrix names."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from auditor.remediate import remediate
from tests import oracle

DIAGNOSES = ["asthma", "cancer", "flu"]
THROUGH = {
    ("asthma", "between"): 0.1,
    ("between", "cancer"): 0.1,
    ("cancer", "between"): 0.1,
    ("between", "asthma"): 0.1,
}
ROWS = [(21 + 10 * (i % 4) + i % 2, "mf"[i % 3 == 0], DIAGNOSES[i * i * 7 % 23 % 3]) for i in range(48)]


def cost(a: str, b: str, base: float, ways: dict[tuple[str, str], float]) -> float:
    return 0.0 if a == b else ways.get((a, b), base)


def matrix(path: Path, names: list[str], base: float, ways: dict[tuple[str, str], float]) -> str:
    rows = [",".join([a, *(str(cost(a, b, base, ways)) for b in names)]) for a in names]
    path.write_text("\n".join([",".join(["", *names]), *rows]) + "\n", encoding="utf-8")
    return path.name


def policy(folder: Path, bounds: list[float]) -> Path:
    matrix(folder / "plain.csv", DIAGNOSES, 0.5, {("flu", "asthma"): 0.2})
    matrix(folder / "detour.csv", [*DIAGNOSES, "between"], 0.9, THROUGH)
    asked = "".join(
        f"  - {{id: {name}, model: t-closeness, sensitive: dx, t: {t}, ground: matrix, matrix: {name}.csv}}\n"
        for name, t in zip(("plain", "detour"), bounds, strict=True)
    )
    file = folder / "policy.yaml"
    file.write_text(
        "name: matrices\nattributes:\n"
        "  age: {role: quasi-identifier, hierarchy: {intervals: {widths: [10, 20], start: 0}}}\n"
        "  sex: {role: quasi-identifier, hierarchy: suppress}\n"
        "  dx: sensitive\n"
        f"requirements:\n{asked}"
    )
    return file


def solves(node: tuple[int, int], bounds: list[float]) -> bool:
    """Whether every class of a node is near the table, each distance by Aggarwal's linear programme."""
    classes: dict[Any, Counter[str]] = defaultdict(Counter)
    for age, sex, dx in ROWS:
        classes[(age, age // 10, age // 20, 0)[node[0]], sex if node[1] == 0 else "*"][dx] += 1
    whole = Counter(dx for *_, dx in ROWS)
    near = True
    for p, bound in product(classes.values(), enumerate(bounds)):
        names, base = (DIAGNOSES, 0.5) if bound[0] == 0 else ([*DIAGNOSES, "between"], 0.9)
        ways = {("flu", "asthma"): 0.2} if bound[0] == 0 else THROUGH
        near &= oracle.aggarwal(p, whole, names, lambda a, b: cost(a, b, base, ways)) <= bound[1] + 1e-9  # noqa: B023
    return near


@pytest.mark.slow
@pytest.mark.parametrize("bounds", [[0.03, 0.9], [0.9, 0.04], [0.1, 0.05], [0.05, 0.3], [0.03, 0.3]])
def test_every_node_is_decided_by_both_matrices(tmp_path: Path, bounds: list[float]) -> None:
    data = tmp_path / "data.csv"
    data.write_text("age,sex,dx\n" + "".join(f"{age},{sex},{dx}\n" for age, sex, dx in ROWS))
    done = remediate(data, policy(tmp_path, bounds), output=tmp_path / "release.csv")
    assert done.passed
    assert done.solution is not None
    assert done.solution.lattice is not None
    decided = {node.levels: node.solves for node in done.solution.lattice.drawn}
    expected = {node: solves(node, bounds) for node in product(range(4), range(2))}
    assert decided == expected
    assert 1 <= sum(expected.values()) < len(expected)
