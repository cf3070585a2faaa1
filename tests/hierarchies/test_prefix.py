"""Prefixes, worked by hand from the contract: E11.9 → E11* → E1* → *."""

import pytest

from auditor.errors import HierarchyError
from auditor.hierarchies import TOP, build, hierarchy

ICD = {"prefix": [3, 2]}


def test_level_i_keeps_that_many_characters():
    ladder = build(ICD, ["E11.9", "E11", "E10.1", "J45", "E1"], "icd")
    assert ladder.levels[1:] == (
        ("E11*", "E11*", "E10*", "J45*", "E1*"),
        ("E1*", "E1*", "E1*", "J4*", "E1*"),
        ("*", "*", "*", "*", "*"),
    )


def test_no_star_is_added_to_a_level_of_one_value():
    assert build(ICD, ["E11.9", "E12"], "icd").levels[-1] == ("E1*", "E1*")


@pytest.mark.parametrize(
    ("label", "level"), [("E11.9", 0), ("E11*", 1), ("E1*", 2), ("E*", 2), ("*", TOP), ("E11.*", 0)]
)
def test_labels_are_understood_without_the_values(label, level):
    assert hierarchy(ICD).level_of(label) == level


@pytest.mark.parametrize("lengths", [[], [2, 3], [3, 3], [3, 0]])
def test_lengths_must_shrink(lengths):
    with pytest.raises(HierarchyError, match="do not shrink"):
        hierarchy({"prefix": lengths})
