"""What is tried: names as in the literature, sweeps, presets."""

from itertools import combinations
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
    found = candidates([method]).candidates
    assert [each.name for each in found] == ["Micmul03", "Mic1mul03", "Mic2mul03", "Mic1mul05", "Mic2mul05"]
    assert all(each.methods[0].sweep == {} for each in found)


def test_methods_for_different_columns_are_also_tried_together():
    found = candidates([RankSwapping(attributes=("a",), p=5), Microaggregation(attributes=("b",), k=3)]).candidates
    assert [each.name for each in found] == ["Rank05", "Micmul03", "Rank05 + Micmul03"]
    assert found[-1].attributes == ("a", "b")
    assert found[-1].method == "protection"


def test_what_is_tried_together_is_the_product_of_the_sweeps():
    swap = RankSwapping(attributes=("a",), p=5, sweep={"p": (10,)})
    found = candidates([swap, Noise(attributes=("b",), p=1, sweep={"p": (2, 3)})]).candidates
    noise = [f"noise-uncorrelated-{p}" for p in (1, 2, 3)]
    together = [f"{one} + {other}" for one in ("Rank05", "Rank10") for other in noise]
    assert [each.name for each in found] == ["Rank05", "Rank10", *noise, *together]
    last = found[-1]
    assert (last.parts, [method.p for method in last.methods]) == (("Rank10", "noise-uncorrelated-3"), [10, 3])


def test_alternatives_are_each_tried_with_what_masks_other_columns():
    entries = [RankSwapping(attributes=("a",), p=5), Microaggregation(attributes=("a",), k=3)]
    found = candidates([*entries, Noise(attributes=("b",), p=1)]).candidates
    assert [each.name for each in found[3:]] == ["Rank05 + noise-uncorrelated-1", "Micmul03 + noise-uncorrelated-1"]


@given(st.lists(st.tuples(st.frozensets(st.sampled_from("abcd"), min_size=1), st.integers(0, 2)), max_size=6))
@settings(max_examples=60)
def test_together_are_all_choices_of_as_many_entries_as_possible(entries):
    """Held against every set of entries: each of two or more, of different columns, that no other entry could join."""
    masks = [RankSwapping(attributes=(*sorted(c),), p=5, sweep={"p": (10, 15)[:n]} if n else {}) for c, n in entries]
    apart = [
        each
        for size in range(len(entries) + 1)
        for each in combinations(range(len(entries)), size)
        if all(not entries[m][0] & entries[n][0] for m, n in combinations(each, 2))
    ]
    largest = [each for each in apart if len(each) > 1 and not any(set(each) < set(other) for other in apart)]
    found = candidates(masks).candidates
    assert len({each.name for each in found}) == len(found)
    alone = [each for each in found if not each.parts]
    assert len(found) - len(alone) == sum(prod(1 + entries[n][1] for n in each) for each in largest)
    methods = {each.name: each.methods for each in alone}
    assert all(each.methods == sum((methods[part] for part in each.parts), ()) for each in found if each.parts)


@pytest.mark.parametrize(("values", "together", "narrowed"), [(29, 900, False), (31, 1, True)])
def test_too_many_together_are_tried_with_their_own_parameters(values, together, narrowed):
    """30 by 30 are 900, and 60 alone; 32 by 32 are more than 1,000."""
    sweep = {"p": tuple(range(2, 2 + values))}
    tried = candidates([RankSwapping(attributes=(name,), p=1, sweep=sweep) for name in "ab"])
    found = [each for each in tried.candidates if each.parts]
    assert (len(found), tried.narrowed) == (together, narrowed)
    assert [method.p for method in found[0].methods] == [1, 1]


def test_alternatives_of_many_columns_end_at_the_cap():
    """Two for each of 20 columns: a million sets, of which a thousand lines are tried."""
    tried = candidates([RankSwapping(attributes=(f"c{n}",), p=p) for n in range(20) for p in (5, 10)])
    assert (len(tried.candidates), tried.narrowed) == (1000, True)


def test_methods_for_the_same_columns_are_alternatives():
    found = candidates([RankSwapping(attributes=("a", "b"), p=5), Microaggregation(attributes=("b",), k=3)]).candidates
    assert [each.name for each in found] == ["Rank05", "Micmul03"]


def test_the_same_name_is_counted():
    found = candidates([RankSwapping(attributes=("a",), p=5), RankSwapping(attributes=("b",), p=5)]).candidates
    assert [each.name for each in found] == ["Rank05-1", "Rank05-2", "Rank05-1 + Rank05-2"]


@pytest.mark.parametrize(
    ("sweep", "said"),
    [
        ({"q": (1,)}, "'q' is not a parameter of rank-swapping"),
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
    found = candidates(
        [method, Microaggregation(attributes=("b",), k=4711)], [frozenset({"p"}), frozenset({"k"})]
    ).candidates
    alone = ["rank-swapping-1", "rank-swapping-2", "microaggregation"]
    assert [each.name for each in found] == [*alone, *(f"{each} + microaggregation" for each in alone[:2])]
    assert [each.parameters for each in found] == [
        *[{"p": "confidential"}] * 2,
        {"k": "confidential", "variant": "mdav"},
        *[{}] * 2,
    ]
