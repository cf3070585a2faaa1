"""Components of atoms that share answers, against spreading from atom to atom."""

from __future__ import annotations

from hypothesis import given

from auditor.inference.linear._components import components
from tests.inference.systems import equations, matrices


@given(matrices((0, 0, 0, 0, 1), rows=7, columns=9))
def test_atoms_hang_together_iff_answers_lead_from_one_to_the_other(rows: list[list[int]]) -> None:
    width = len(rows[0])
    found = components(equations(rows).rows).tolist()
    reached = [{at} | {other for row in rows if row[at] for other in range(width) if row[other]} for at in range(width)]
    for _ in range(width):
        reached = [set().union(*(reached[other] for other in each)) for each in reached]
    for at in range(width):
        if any(row[at] for row in rows):
            assert {other for other in range(width) if found[other] == found[at]} == reached[at]
        else:
            assert found[at] == -1
