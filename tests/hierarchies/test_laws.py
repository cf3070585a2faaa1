"""Laws that every ladder obeys, on random values of random hierarchies; and the published hierarchies of Adult."""

import csv
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import HierarchyError
from auditor.hierarchies import TOP, build, hierarchy

WORDS = [f"{a}{b}" for a in "abc" for b in "xyz"]

numbers = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-10_000, 20_000).map(lambda hundredths: f"{hundredths / 100:.2f}"),
)
texts = st.text(max_size=12)
days = st.one_of(st.dates().map(str), st.datetimes().map(lambda time: time.isoformat()))


@st.composite
def intervals(draw):
    widths = [draw(st.sampled_from([0.1, 0.25, 1, 5, 7]))]
    for factor in draw(st.lists(st.integers(2, 5), max_size=3)):
        widths.append(round(widths[-1] * factor, 6))
    bottom, top = sorted(draw(st.lists(st.integers(-50, 150), min_size=2, max_size=2, unique=True)))
    options = {"widths": widths, "start": draw(st.integers(-3, 3)), "bottom": bottom, "top": top}
    return {"intervals": {key: options[key] for key in ["widths", *draw(st.sets(st.sampled_from(list(options))))]}}


@st.composite
def trees(draw):
    """Random nested rows over the words, as a tree of depth 1 to 3."""
    if draw(st.booleans()):
        return {"tree": {"*": WORDS}}
    nested = {}
    for word in WORDS:
        nested.setdefault(draw(st.sampled_from(["P", "Q"])), {}).setdefault(word[0], []).append(word)
    return {"tree": {"*": {k: {f"{k}{c}": words for c, words in inner.items()} for k, inner in nested.items()}}}


@st.composite
def commons(draw):
    kept = draw(st.sets(st.integers(1, len(WORDS)), min_size=1, max_size=3))
    return {"common": draw(st.permutations(WORDS)), "keep": sorted(kept, reverse=True), "rest": "rest"}


def subsequences(names):
    return st.sets(st.sampled_from(names), min_size=1).map(lambda chosen: [name for name in names if name in chosen])


masks = st.fixed_dictionaries({"side": st.sampled_from(["left", "right"]), "character": st.sampled_from("*#x")})
prefixes = st.sets(st.integers(1, 12), min_size=1, max_size=4).map(lambda lengths: sorted(lengths, reverse=True))
periods = subsequences(["day", "week", "month", "quarter", "year", "decade"])

hierarchies = st.one_of(
    st.tuples(intervals(), st.just(numbers)),
    st.tuples(masks.map(lambda mask: {"mask": mask}), st.just(texts)),
    st.tuples(prefixes.map(lambda lengths: {"prefix": lengths}), st.just(texts)),
    st.tuples(periods.map(lambda names: {"date": names}), st.just(days)),
    st.tuples(st.just("suppress"), st.just(texts)),
    st.tuples(st.just("icd10"), st.just(st.from_regex(r"[A-Z][0-9]{2}(\.[0-9]{1,3})?|E00-E90|\*", fullmatch=True))),
    st.tuples(
        st.just("country"), st.just(st.sampled_from(["AT", "Austria", "peru", "Mars", "Asia", "Polynesia", "*"]))
    ),
    st.tuples(trees(), st.just(st.sampled_from(WORDS))),
    st.tuples(commons(), st.just(st.sampled_from([*WORDS, "rest"]))),
    st.tuples(st.just({"groups": [WORDS[:2], WORDS[2:3], WORDS[3:]]}), st.just(st.sampled_from(WORDS))),
)


@st.composite
def cases(draw):
    """A hierarchy and distinct values that it covers; half of the time one is missing."""
    spec, values = draw(hierarchies)
    column = draw(st.lists(values, min_size=1, max_size=12, unique=True))
    return spec, [*column, *draw(st.sampled_from([(), (None,)]))]


@given(cases())
def test_values_that_are_equal_on_a_level_are_equal_on_every_coarser_one(case):
    codes = build(*case).codes()
    for finer, coarser in pairwise(codes):
        assert len(set(zip(finer.tolist(), coarser.tolist(), strict=True))) == len(set(finer.tolist()))


@given(cases())
def test_the_values_themselves_are_level_0_and_the_top_is_one_value(case):
    spec, values = case
    ladder = build(spec, values)
    assert ladder.levels[0] == ladder.values == tuple(values)
    assert len(set(ladder.levels[-1])) == 1
    assert ladder.height == len(ladder.levels) - 1


@given(cases())
def test_every_label_is_understood_to_stand_at_least_as_high_as_it_does(case):
    spec, values = case
    ladder = build(spec, values)
    for level, labels in enumerate(ladder.levels):
        for label in labels:
            found = ladder.level_of(label)
            assert found is not None
            assert found >= level or label in values
    assert ladder.level_of(None) == ladder.height


@given(cases(), st.data())
def test_generalizing_what_was_generalized_changes_nothing(case, data):
    """A ladder built from the labels of a level has, from that level on, the same labels."""
    spec, values = case
    ladder = build(spec, values)
    level = data.draw(st.integers(0, ladder.height))
    again = build(spec, ladder.nodes(level))
    for higher in range(level, min(ladder.height, again.height)):
        expected = dict(zip(ladder.levels[level], ladder.levels[higher], strict=True))
        assert dict(zip(again.levels[0], again.levels[higher], strict=True)) == expected


@given(cases())
def test_codes_number_the_labels_of_each_level_from_0(case):
    ladder = build(*case)
    codes = ladder.codes()
    assert codes.dtype == np.int64
    assert codes.shape == (ladder.height + 1, len(ladder.values))
    for level, row in enumerate(codes):
        assert [ladder.nodes(level)[code] for code in row] == list(ladder.levels[level])
        assert sorted(set(row.tolist())) == list(range(len(ladder.nodes(level))))


@given(cases())
def test_leaves_add_up(case):
    """Every value is a leaf of its own, a node has at least the leaves that occur under it, the top has them all."""
    spec, values = case
    ladder = build(spec, values)
    assert ladder.leaves[0].tolist() == [1] * len(values)
    for row, leaves in zip(ladder.codes(), ladder.leaves, strict=True):
        assert (leaves >= np.bincount(row)).all()
    assert ladder.leaves[-1].tolist() == [ladder.leaf_count]


@given(cases())
def test_a_missing_value_joins_the_others_only_where_all_are_one(case):
    spec, values = case
    for labels in build(spec, [*values, None] if None not in values else values).levels[:-1]:
        assert labels[-1] is None or len(set(labels)) == 1


@given(st.lists(texts, unique=True, max_size=5))
def test_suppress_is_the_value_or_a_star(values):
    ladder = build("suppress", values)
    assert ladder.levels == (tuple(values), ("*",) * len(values))


def test_no_values_at_all():
    for spec in ({"mask": {}}, {"prefix": [2]}, {"intervals": {"widths": [5]}}, "suppress", {"tree": {"*": ["a"]}}):
        assert build(spec, []).levels[0] == ()
        assert build(spec, [None]).levels[-1] == ("*",)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("supress", "did you mean 'suppress'"),
        ({"intervall": {}}, "did you mean 'intervals'"),
        ({"mask": {}, "prefix": [2]}, "no hierarchy"),
        ({}, "no hierarchy"),
    ],
)
def test_an_unknown_hierarchy_is_refused_with_the_nearest_name(spec, message):
    with pytest.raises(HierarchyError) as error:
        hierarchy(spec)
    assert message in str(error.value)
    assert error.value.exit_code == 2


@pytest.mark.parametrize("name", ["age", "education", "marital-status", "native-country", "race", "sex", "workclass"])
def test_the_published_hierarchies_of_adult(shared_data, name):
    """ARX's ladders for Adult: every row comes back as it stands."""
    path = shared_data / "adult" / f"adult_hierarchy_{name}.csv"
    rows = [tuple(row) for row in csv.reader(path.read_text("utf-8").splitlines(), delimiter=";")]
    ladder = build({"file": str(path), "separator": ";"}, [row[0] for row in rows], name)
    assert list(zip(*ladder.levels, strict=True)) == rows
    assert ladder.leaves[-1].tolist() == [len(rows)]
    assert ladder.grammar("*") == TOP
