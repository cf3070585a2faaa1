"""Records that one value gives away, against the definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditor.risk.single_values import given_away

NAN = float("nan")
CELLS = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, NAN])


def by_definition(was: list[list[float]], now: list[list[float]]) -> list[bool]:
    out = [False] * len(was)
    for own, shown in zip(zip(*was, strict=True), zip(*now, strict=True), strict=True):
        found = [(own.index(x), shown.index(x)) for x in own if x == x and own.count(x) == shown.count(x) == 1]
        right = [one for one, other in found if one == other]
        if 2 * len(right) >= len(found):
            for one in right:
                out[one] = True
    return out


@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.tuples(*[st.tuples(CELLS, CELLS)] * n), min_size=1, max_size=2)))
def test_it_is_the_definition(columns) -> None:  # type: ignore[no-untyped-def]
    was = [[cell[0] for cell in row] for row in zip(*columns, strict=True)]
    now = [[cell[1] for cell in row] for row in zip(*columns, strict=True)]
    assert given_away(np.array(was), np.array(now)).tolist() == by_definition(was, now)


def test_noise_in_another_column_hides_no_unique_value() -> None:
    was = np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 8.0]])
    now = np.array([[1.0, 900.0], [2.0, -900.0], [9.0, 8.0]])
    assert given_away(was, now).tolist() == [True, True, True]
    exchanged = np.array([[2.0, 0.0], [3.0, 1.0], [1.0, 2.0]])
    assert not given_away(was, exchanged).any()
