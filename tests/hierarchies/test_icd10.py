"""Codes of diseases by WHO's chapters: the published list, its first and last categories, and national additions."""

import pytest

from auditor.errors import UncoveredValues
from auditor.hierarchies import TOP, build, hierarchy

WHO = [
    "A00-B99", "C00-D48", "D50-D89", "E00-E90", "F00-F99", "G00-G99", "H00-H59", "H60-H95", "I00-I99", "J00-J99",
    "K00-K93", "L00-L99", "M00-M99", "N00-N99", "O00-O99", "P00-P96", "Q00-Q99", "R00-R99", "S00-T98", "U00-U99",
    "V01-Y98", "Z00-Z99",
]  # fmt: skip
"""The chapters as the repository of the French terminology (PyMedTermino) and lecture notes list them, too."""


def above(code):
    """The labels of a code at levels 1 and 2."""
    (category,), (chapter,) = build("icd10", [code]).levels[1:3]
    return category, chapter


def chapter_of(category):
    """The chapter as WHO's ranges say it."""
    return next(chapter for chapter in WHO if chapter[:3] <= category <= chapter[4:])


def test_every_category_of_every_chapter():
    categories = [f"{letter}{number:02}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for number in range(100)]
    listed = [each for each in categories if any(chapter[:3] <= each <= chapter[4:] for chapter in WHO)]
    assert len(listed) == 2600 - sum(
        (1, 10, 9, 4, 6, 3, 1, 1, 1)
    )  # D49; D90, E91, H96, K94, P97 to the end; T99, V00, Y99
    assert {each: above(each) for each in listed} == {each: (each, chapter_of(each)) for each in listed}


@pytest.mark.parametrize(
    ("code", "category", "chapter"),
    [
        ("E11.9", "E11", "E00-E90"), ("E119", "E11", "E00-E90"), ("S72.001A", "S72", "S00-T98"),
        ("I10", "I10", "I00-I99"), ("G63.2*", "G63", "G00-G99"), ("A18.0+", "A18", "A00-B99"),
        ("U07.1", "U07", "U00-U99"), ("C7A.00", "C7A", "C00-D48"), ("D49.2", "D49", "C00-D48"),
        ("K95.0", "K95", "K00-K93"), ("M1A.0", "M1A", "M00-M99"), ("V00.01", "V00", "V01-Y98"),
        ("Y99.8", "Y99", "V01-Y98"), ("Z3A.20", "Z3A", "Z00-Z99"), ("T99", "T99", "S00-T98"),
    ],
)  # fmt: skip
def test_codes_as_tables_write_them(code, category, chapter):
    """The categories that ICD-10-CM adds to WHO's stand in the chapter that they stand in there."""
    assert above(code) == (category, chapter)


@pytest.mark.parametrize("value", ["flu", "E1", "e11.9", "E11.", "11", "", "250.00", "E00-E99"])
def test_what_is_no_code_is_counted_and_not_repeated(value):
    with pytest.raises(UncoveredValues, match="'dx': holds values that are not ICD-10 codes"):
        build("icd10", ["I10", value], "dx")


def test_coarser_values_stay_and_a_missing_one_is_apart():
    ladder = build("icd10", ["E11", "E00-E90", "*", "I10", None], "dx")
    assert ladder.levels[1:] == (
        ("E11", "E00-E90", "*", "I10", None),
        ("E00-E90", "E00-E90", "*", "I00-I99", None),
        ("*",) * 5,
    )


@pytest.mark.parametrize(
    ("label", "level"), [("E11.9", 0), ("E11", 1), ("E00-E90", 2), ("V01-Y98", 2), ("*", TOP), ("flu", None)]
)
def test_labels_are_understood_without_the_values(label, level):
    assert hierarchy("icd10").level_of(label) == level
