"""What is tried: names as in the literature, sweeps, presets."""

import pytest
from pydantic import ValidationError

from auditor.errors import UsageError
from auditor.masking.microaggregation import Microaggregation
from auditor.masking.noise import Noise
from auditor.masking.pram import Pram
from auditor.masking.rank_swapping import RankSwapping
from auditor.weighing import PRESETS
from auditor.weighing._candidates import candidates, named, short_name

PUBLISHED = [
    *(f"Rank{p:02d}" for p in (5, *range(7, 21))),
    *(f"Micmul{k:02d}" for k in range(3, 11)),
    "Mic4mul03",
    "Mic4mul04",
]
"""The names in the published table."""


def test_the_preset_is_the_published_list():
    found = named(PRESETS["table-35.1"](["a", "b"]))
    assert [each.name for each in found] == PUBLISHED
    assert all(each.attributes == ("a", "b") for each in found)


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (RankSwapping(attributes=("a",), p=2.5), "Rank2.5"),
        (Microaggregation(attributes=("a",), k=12, group=3), "Mic3mul12"),
        (Noise(attributes=("a",), p=10), "noise-uncorrelated-10"),
    ],
)
def test_names(method, name):
    assert short_name(method) == name


def test_a_sweep_is_every_combination_once_and_the_parameters_themselves_first():
    method = Microaggregation(attributes=("a", "b"), k=3, sweep={"k": (3, 5), "group": (1, 2)})
    found = candidates([method])
    assert [each.name for each in found] == ["Micmul03", "Mic1mul03", "Mic2mul03", "Mic1mul05", "Mic2mul05"]
    assert all(each.methods[0].sweep == {} for each in found)


def test_methods_for_different_columns_are_also_tried_together():
    found = candidates([RankSwapping(attributes=("a",), p=5), Microaggregation(attributes=("b",), k=3)])
    assert [each.name for each in found] == ["Rank05", "Micmul03", "protection"]
    assert found[-1].attributes == ("a", "b")
    assert found[-1].method == "protection"


def test_methods_for_the_same_columns_are_alternatives():
    found = candidates([RankSwapping(attributes=("a", "b"), p=5), Microaggregation(attributes=("b",), k=3)])
    assert [each.name for each in found] == ["Rank05", "Micmul03"]


def test_the_same_name_is_counted():
    found = candidates([RankSwapping(attributes=("a",), p=5), RankSwapping(attributes=("b",), p=5)])
    assert [each.name for each in found] == ["Rank05-1", "Rank05-2", "protection"]


@pytest.mark.parametrize(
    ("sweep", "said"),
    [
        ({"q": (1,)}, "'q' is no parameter of rank-swapping"),
        ({"attributes": ("b",)}, "needs values of a parameter"),
        ({"p": ()}, "needs values of a parameter"),
        ({"p": (0,)}, "greater than 0"),
    ],
)
def test_a_sweep_that_cannot_be_meant(sweep, said):
    with pytest.raises(ValidationError, match=said):
        RankSwapping(attributes=("a",), p=5, sweep=sweep)


def test_too_many():
    method = RankSwapping(attributes=("a",), p=5, sweep={"p": tuple(n / 100 for n in range(1, 900))})
    with pytest.raises(UsageError, match="at most 1,000"):
        candidates([method, method])


def test_a_sweep_of_a_million_is_refused_before_it_is_made():
    with pytest.raises(ValidationError, match="1,000,000 combinations; at most 1,000"):
        Microaggregation(attributes=("a",), k=3, sweep={"k": tuple(range(2, 1002)), "group": tuple(range(1, 1001))})


def test_the_name_holds_no_matrix():
    own = Pram(attributes=("a",), matrix={"x": {"x": 0.25, "y": 0.75}, "y": {"y": 1.0}})
    assert short_name(own) == "pram-own"


def test_a_secret_parameter_is_neither_shown_nor_in_the_name():
    method = RankSwapping(attributes=("a",), p=5, sweep={"p": (7,)})
    found = candidates([method, Microaggregation(attributes=("b",), k=4711)], [frozenset({"p"}), frozenset({"k"})])
    assert [each.name for each in found] == ["rank-swapping-1", "rank-swapping-2", "microaggregation", "protection"]
    assert [each.parameters for each in found] == [
        *[{"p": "confidential"}] * 2,
        {"k": "confidential", "variant": "mdav"},
        {},
    ]
