"""Masks, worked by hand from the contract."""

import pytest

from auditor.errors import DataError, HierarchyError
from auditor.hierarchies import TOP, build, hierarchy


def test_level_i_masks_i_characters():
    ladder = build({"mask": {"side": "right", "character": "*"}}, ["10562", "10563", "20111"], "zip")
    assert ladder.levels == (
        ("10562", "10563", "20111"),
        ("1056*", "1056*", "2011*"),
        ("105**", "105**", "201**"),
        ("10***", "10***", "20***"),
        ("1****", "1****", "2****"),
        ("*****", "*****", "*****"),
    )


def test_from_the_left_with_another_character():
    ladder = build({"mask": {"side": "left", "character": "x"}}, ["123", "943"], "code")
    assert ladder.levels[1:] == (("x23", "x43"), ("xx3", "xx3"), ("xxx", "xxx"))


def test_shorter_values_are_padded_on_the_masked_side():
    right = build({"mask": {}}, ["12345", "123", ""], "zip")
    assert [level[1] for level in right.levels] == ["123", "123**", "123**", "12***", "1****", "*****"]
    assert [level[2] for level in right.levels] == ["", *["*****"] * 5]
    left = build({"mask": {"side": "left"}}, ["12345", "123"], "zip")
    assert [level[1] for level in left.levels] == ["123", "**123", "**123", "***23", "****3", "*****"]


def test_the_fully_masked_level_stands_for_a_missing_value_too():
    ladder = build({"mask": {}}, ["12", None], "zip")
    assert ladder.levels == (("12", None), ("1*", None), ("**", "**"))


def test_a_column_of_missing_values_has_a_star():
    assert build({"mask": {}}, [None], "zip").levels == ((None,), ("*",))


@pytest.mark.parametrize(
    ("label", "level"),
    [("10562", 0), ("1056*", 1), ("1****", 4), ("*****", TOP), ("*", TOP), ("", 0), ("*0562", 0)],
)
def test_labels_are_understood_without_the_values(label, level):
    assert hierarchy({"mask": {"side": "right"}}).level_of(label) == level


def test_a_star_is_the_top_whatever_the_mask_character():
    assert hierarchy({"mask": {"character": "x"}}).level_of("*") == TOP


def test_a_long_text_is_refused_without_being_repeated():
    with pytest.raises(DataError, match="'notes': its longest value has 300 characters") as error:
        build({"mask": {}}, ["a" * 300], "notes")
    assert "aaaa" not in str(error.value)


@pytest.mark.parametrize("options", [{"side": "up"}, {"character": ""}, {"character": "**"}])
def test_a_wrong_mask_is_refused(options):
    with pytest.raises(HierarchyError):
        hierarchy({"mask": options})
