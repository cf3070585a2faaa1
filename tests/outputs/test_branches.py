"""The inner nodes of a tree, found again in the paths of its leaves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from auditor.outputs.checks._branches import branches
from auditor.outputs.published.conditions import EVERYBODY, Condition, Group

SIDES = {"<=": ">", "=": "!="}


@st.composite
def trees(draw: st.DrawFn, path: Group = EVERYBODY, depth: int = 0) -> tuple[list[Group], list[Group]]:
    """The leaves and the inner nodes of a random tree; no node asks what one above it asked."""
    if depth == 4 or not draw(st.booleans()):
        return [path], []
    column, operator = f"{'abcd'[depth]}{draw(st.integers(0, 9))}{len(path)}", draw(st.sampled_from(sorted(SIDES)))
    leaves, inner = [], [path]
    for way in (operator, SIDES[operator]):
        below = draw(trees(path | {Condition(column, way, ("1",))}, depth + 1))  # type: ignore[arg-type]
        leaves += below[0]
        inner += below[1]
    return leaves, inner


@given(trees())
def test_every_inner_node_is_above_its_leaves_and_parts_them(tree: tuple[list[Group], list[Group]]) -> None:
    leaves, inner = tree
    found = list(branches(leaves))
    assert len(found) == len(inner) == len(leaves) - 1
    for node in found:
        assert sum(node <= leaf for leaf in leaves) > 1
    assert len(set(found)) == len(found)
    if len({condition.attribute for leaf in leaves for condition in leaf}) == len(inner):
        assert set(found) == set(inner)  # each asks of a column of its own: no other tree has these leaves


def test_leaves_that_no_condition_parts_have_one_node_above_them() -> None:
    """Paths of a rule list overlap: nothing is guessed below what they share."""
    overlapping = [frozenset([Condition(name, "=", ("1",))]) for name in "abc"]
    assert list(branches(overlapping)) == [EVERYBODY]


def test_one_leaf_has_nothing_above_it() -> None:
    assert list(branches([EVERYBODY])) == []
