"""Countries against a public copy of M49, the spellings of real tables, and the rest that has no place in the list."""

import csv

import pytest

from auditor.hierarchies import TOP, build, hierarchy
from auditor.hierarchies._m49 import places, regions
from tests.conftest import ROOT

NAMES = {
    "002": {"015": "Northern Africa", "014": "Eastern Africa", "017": "Middle Africa", "018": "Southern Africa",
            "011": "Western Africa"},
    "019": {"021": "Northern America", "013": "Central America", "029": "Caribbean", "005": "South America"},
    "142": {"143": "Central Asia", "030": "Eastern Asia", "035": "South-eastern Asia", "034": "Southern Asia",
            "145": "Western Asia"},
    "150": {"151": "Eastern Europe", "154": "Northern Europe", "039": "Southern Europe", "155": "Western Europe"},
    "009": {"053": "Australia and New Zealand", "054": "Melanesia", "057": "Micronesia", "061": "Polynesia"},
}  # fmt: skip
CONTINENTS = {"002": "Africa", "019": "Americas", "142": "Asia", "150": "Europe", "009": "Oceania"}
"""The codes of M49 for regions and sub-regions, and their names there."""


def labels(*values):
    return dict(zip(values, zip(*build("country", values).levels[1:3], strict=True), strict=True))


def test_every_country_of_the_public_copy_is_where_it_is_there():
    """`tests/vectors/m49.csv`: the repository lukes/ISO-3166-Countries-with-Regional-Codes, which took it from M49."""
    rows = list(csv.DictReader((ROOT / "tests" / "vectors" / "m49.csv").read_text("utf-8").splitlines()))
    expected = {
        row[code]: (sub_regions[row["sub-region"]], CONTINENTS[region])
        for row in rows
        for code in ("alpha-2", "alpha-3")
        for region, sub_regions in NAMES.items()
        if row["sub-region"] in sub_regions
    }
    assert len(expected) == 2 * len(rows) == 480
    assert labels(*expected) == expected
    assert regions() == {name: CONTINENTS[region] for region, inner in NAMES.items() for name in inner.values()}


@pytest.mark.parametrize(
    ("value", "sub_region"),
    [
        ("United-States", "Northern America"), ("USA", "Northern America"), ("us", "Northern America"),
        ("South Korea", "Eastern Asia"), ("Korea, Rep.", "Eastern Asia"), ("Hong", "Eastern Asia"),
        ("UK", "Northern Europe"), ("United Kingdom", "Northern Europe"), ("Scotland", "Northern Europe"),
        ("Cote d'Ivoire", "Western Africa"), ("CÔTE D’IVOIRE", "Western Africa"), ("Curaçao", "Caribbean"),
        ("Trinadad&Tobago", "Caribbean"), ("Trinidad & Tobago", "Caribbean"), ("Turkiye", "Western Asia"),
        ("Puerto-Rico", "Caribbean"), ("Yugoslavia", "Southern Europe"), ("Congo (Kinshasa)", "Middle Africa"),
        ("Holand-Netherlands", "Western Europe"), ("Viet Nam", "South-eastern Asia"), ("Russia", "Eastern Europe"),
    ],
)  # fmt: skip
def test_spellings_that_tables_use(value, sub_region):
    assert labels(value)[value] == (sub_region, regions()[sub_region])


def test_what_is_no_country_of_the_list_has_a_place():
    ladder = build("country", ["AT", "Atlantis", "", "FR", None])
    assert ladder.levels[1:] == (
        ("Western Europe", "no listed country", "no listed country", "Western Europe", None),
        ("Europe", "no listed country", "no listed country", "Europe", None),
        ("*",) * 5,
    )


def test_coarser_values_stay_where_they_are():
    assert labels("Western Europe", "Asia", "*") == {
        "Western Europe": ("Western Europe", "Europe"), "Asia": ("Asia", "Asia"), "*": ("*", "*"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("label", "level"),
    [("Austria", 0), ("Caribbean", 1), ("Oceania", 2), ("no listed country", 2), ("Atlantis", 0), ("*", TOP)],
)
def test_labels_are_understood_without_the_values(label, level):
    assert hierarchy("country").level_of(label) == level


def test_no_label_of_the_ladder_is_a_country():
    """A label that was a country's name too could not be told from it."""
    assert not {name.casefold() for pair in regions().items() for name in pair} & set(places())
