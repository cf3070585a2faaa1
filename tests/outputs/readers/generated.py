"""Outputs of every type, generated: whatever a reader may hand on."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from auditor.outputs.published.conditions import OPERATORS, Condition, Group
from auditor.outputs.published.outputs import (
    AssociationRule,
    AssociationRules,
    Cell,
    Cluster,
    Clustering,
    DecisionTree,
    FrequencyTable,
    FrequentItemsets,
    GroupStatistics,
    Itemset,
    MagnitudeTable,
    Node,
    Published,
    Regression,
    Stated,
    Statistic,
    Term,
)
from auditor.outputs.readers._numbers import stated as read_number

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
COUNTS = st.integers(0, 2**63 - 1)
OPTIONAL_COUNTS = st.none() | COUNTS


@st.composite
def stateds(draw: st.DrawFn) -> Stated:
    """Numbers as they are written, exact fractions, and decimals that claim other places than they have."""
    kind = draw(st.sampled_from(["float", "fraction", "decimal"]))
    if kind == "float":
        found = read_number(repr(draw(st.floats(allow_nan=False, allow_infinity=False))))
        assert found is not None
        return found
    value = Fraction(draw(st.integers(-(10**9), 10**9)), draw(st.integers(1, 10**6)))
    return Stated(value) if kind == "fraction" else Stated(value, draw(st.integers(0, 12)))


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    operator = draw(st.sampled_from(OPERATORS))
    several = operator in ("in", "not in")
    values = draw(st.lists(TEXTS, max_size=3)) if several else [draw(TEXTS)]
    return Condition(draw(TEXTS), operator, tuple(values))


GROUPS: st.SearchStrategy[Group] = st.frozensets(conditions(), max_size=3)
OPTIONAL = st.none() | stateds()


def pairs(values: st.SearchStrategy, names: st.SearchStrategy[str] = TEXTS) -> st.SearchStrategy:
    return st.dictionaries(names, values, max_size=3).map(lambda found: tuple(found.items()))


def several(each: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(each, max_size=3).map(tuple)


RULES = st.builds(
    AssociationRule,
    antecedent=GROUPS,
    consequent=GROUPS,
    support=OPTIONAL_COUNTS,
    antecedent_support=OPTIONAL_COUNTS,
    consequent_support=OPTIONAL_COUNTS,
    support_share=OPTIONAL,
    antecedent_share=OPTIONAL,
    consequent_share=OPTIONAL,
    confidence=OPTIONAL,
    measures=pairs(stateds()),
)
ITEMSETS = st.builds(Itemset, items=GROUPS, support=OPTIONAL_COUNTS, support_share=OPTIONAL)
NODES = st.builds(
    Node,
    path=GROUPS,
    count=OPTIONAL_COUNTS,
    counts=st.none() | pairs(COUNTS),
    shares=st.none() | pairs(stateds()),
    predicted=st.none() | TEXTS,
    mean=OPTIONAL,
)
TERMS = st.builds(Term, name=TEXTS, coefficient=OPTIONAL, condition=st.none() | GROUPS, ones=OPTIONAL_COUNTS)
CLUSTERS = st.builds(Cluster, size=OPTIONAL_COUNTS, centre=pairs(TEXTS), radius=OPTIONAL, counts=pairs(pairs(COUNTS)))
STATISTIC_NAMES = TEXTS.filter(lambda name: name not in ("key", "n"))


@st.composite
def tables(draw: st.DrawFn) -> Published:
    by = tuple(draw(st.lists(TEXTS, max_size=3)))
    keys = st.tuples(*[st.none() | TEXTS for _ in by])
    kind = draw(st.sampled_from([FrequencyTable, MagnitudeTable, GroupStatistics]))
    shared = {**PROVENANCE, "records": draw(OPTIONAL_COUNTS), "by": by, "where": draw(GROUPS)}
    if kind is FrequencyTable:
        return FrequencyTable(**shared, cells=draw(several(st.builds(Cell, key=keys, count=OPTIONAL_COUNTS))))
    if kind is MagnitudeTable:
        largest = several(stateds().map(lambda number: number.value))
        cells = several(st.builds(Cell, key=keys, count=OPTIONAL_COUNTS, sum=OPTIONAL, largest=largest))
        return MagnitudeTable(**shared, of=draw(TEXTS), cells=draw(cells))
    values = pairs(stateds(), STATISTIC_NAMES)
    cells = several(st.builds(Statistic, key=keys, n=OPTIONAL_COUNTS, values=values))
    return GroupStatistics(**shared, of=draw(TEXTS), cells=draw(cells))


PROVENANCE = {"source": "some.json", "format": "neutral JSON", "sha256": "0" * 64}
BASE = {name: st.just(value) for name, value in PROVENANCE.items()} | {"records": OPTIONAL_COUNTS}
OUTPUTS: st.SearchStrategy[Published] = st.one_of(
    st.builds(
        AssociationRules,
        **BASE,
        notes=st.just(()),
        unread=st.just(()),
        rules=several(RULES),
        min_support=OPTIONAL_COUNTS,
        type=st.just("association-rules"),
    ),
    st.builds(
        FrequentItemsets,
        **BASE,
        notes=st.just(()),
        unread=st.just(()),
        itemsets=several(ITEMSETS),
        min_support=OPTIONAL_COUNTS,
        longest=OPTIONAL_COUNTS,
        type=st.just("frequent-itemsets"),
    ),
    st.builds(
        DecisionTree,
        **BASE,
        notes=st.just(()),
        unread=st.just(()),
        target=st.none() | TEXTS,
        leaves=several(NODES),
        inner=several(NODES),
        ordered=st.booleans(),
        type=st.just("decision-tree"),
    ),
    tables(),
    st.builds(
        Regression,
        **BASE,
        notes=st.just(()),
        unread=st.just(()),
        outcome=st.none() | TEXTS,
        terms=several(TERMS),
        dof=OPTIONAL_COUNTS,
        type=st.just("regression"),
    ),
    st.builds(
        Clustering, **BASE, notes=st.just(()), unread=st.just(()), clusters=several(CLUSTERS), type=st.just("clusters")
    ),
)
