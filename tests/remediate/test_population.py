"""The search with a population beside the data, or one that is estimated, against trying every node on plain rows."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.errors import NotEvaluated
from auditor.risk import estimate_uniques

TREES = {
    "age": {"any": {"young": ["20", "25"], "old": ["60", "65"]}},
    "area": {"land": {"north": ["n", "m"], "south": ["s"]}},
}
LEVELS = {
    "age": [{v: v for v in ("20", "25", "60", "65")}, {"20": "young", "25": "young", "60": "old", "65": "old"}],
    "area": [{v: v for v in "nms"}, {"n": "north", "m": "north", "s": "south"}],
}
for column, top in (("age", "any"), ("area", "land")):
    LEVELS[column].append(dict.fromkeys(LEVELS[column][0], top))
ASKED = (
    {"model": "k-map", "k": 3},
    {"model": "delta-presence", "min": 0.2, "max": 0.6, "unreleased": "judged"},
    {"model": "delta-presence", "min": 0.2, "max": 0.6, "unreleased": "ignored"},
    {"model": "k-map", "k": 6, "quasi_identifiers": ["age"]},
    {"model": "delta-presence", "min": 0.3, "max": 0.6, "unreleased": "judged", "quasi_identifiers": ["area"]},
    {"model": "population-uniqueness", "max": 0.1, "estimator": "zayatz", "fraction": 0.5},
    {"model": "population-uniqueness", "max": 0.2, "fraction": 0.5, "attributes": ["age"]},
    {"model": "expected-reidentifications", "max": 0.4, "attacker": "prosecutor"},
    {"model": "max-suda2", "max": 0.3, "fraction": 0.5, "attributes": ["area"]},
)
AUDITED = ("expected-reidentifications", "max-suda2")


def policy(requirements, limit, **more):
    return {
        "name": "p",
        "attributes": {name: {"role": "quasi-identifier", "hierarchy": {"tree": tree}} for name, tree in TREES.items()},
        "sample": {"population": "register.csv"},
        "requirements": [{"id": str(i), **each} for i, each in enumerate(requirements)],
        "remediation": {"objective": "height", "suppression_limit": {"records": limit}, **more},
    }


def solves(node, rows, register, requirements, limit):
    """Whether a node's release meets the requirements: every record and person looked up anew, class by class."""

    def key(row, names=("age", "area")):
        generalized = dict(
            zip(LEVELS, (LEVELS[c][level][v] for c, level, v in zip(LEVELS, node, row, strict=True)), strict=True)
        )
        return tuple(generalized[name] for name in names)

    def wrong(kept):
        for asked in requirements:
            names = tuple(asked.get("quasi_identifiers", ("age", "area")))
            persons, sizes = Counter(key(p, names) for p in register), Counter(key(r, names) for r in kept)
            for row in kept:
                people, share = persons[key(row, names)], Fraction(sizes[key(row, names)], persons[key(row, names)])
                if asked["model"] == "k-map":
                    if people < asked["k"]:
                        yield row
                elif asked["model"] == "delta-presence" and not Fraction(str(asked["min"])) <= share <= Fraction(
                    str(asked["max"])
                ):
                    yield row

    kept = list(rows)
    while bad := {key(row) for row in wrong(kept)}:
        kept = [row for row in kept if key(row) not in bad]
    judged = [asked for asked in requirements if asked.get("unreleased") == "judged"]
    for asked in judged:
        names = tuple(asked.get("quasi_identifiers", ("age", "area")))
        if {key(p, names) for p in register} - {key(r, names) for r in kept}:
            return False
    if not kept or len(rows) - len(kept) > limit:
        return False
    for asked in (each for each in requirements if each["model"] == "population-uniqueness"):
        values = [key(row, tuple(asked.get("attributes", ("age", "area")))) for row in kept]
        codes = np.array([[sorted(set(values)).index(value)] for value in values], dtype=np.int32)
        found = estimate_uniques(codes, sampling_fraction=0.5)
        share = found.zayatz.uniques / found.population if "estimator" in asked else found.share
        if share > asked["max"] * (1 + 1e-9):
            return False
    audited = [asked for asked in requirements if asked["model"] in AUDITED]
    released = pd.DataFrame([key(row) for row in kept], columns=["age", "area"])
    plain = {"name": "p", "attributes": dict.fromkeys(["age", "area"], "quasi-identifier"), "requirements": audited}
    return not audited or auditor.check(released, plain).verdict == "pass"


people = st.lists(
    st.tuples(st.sampled_from(list(LEVELS["age"][0])), st.sampled_from("nms"), st.booleans()), min_size=4, max_size=16
)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@settings(max_examples=20)
@given(people, st.sets(st.sampled_from(range(len(ASKED))), min_size=1, max_size=3), st.integers(0, 3))
def test_the_nodes_found_are_those_of_trying_all(rows, chosen, limit):
    sample = [row[:2] for row in rows if row[2]]
    register = [row[:2] for row in rows]
    if not sample:
        return
    pd.DataFrame(register, columns=["age", "area"]).to_csv("register.csv", index=False)
    requirements = [ASKED[i] for i in sorted(chosen)]
    found = auditor.remediate(pd.DataFrame(sample, columns=["age", "area"]), policy(requirements, limit)).result
    nodes = [node for node in product(range(3), repeat=2) if solves(node, sample, register, requirements, limit)]
    least = sorted(node for node in nodes if sum(node) == min(map(sum, nodes)))
    if found.solution is None:
        assert not nodes
        return
    assert found.solution.lattice.solving == len(nodes)
    assert sorted(tuple(each.values()) for each in found.solution.ties) == least
    assert found.verdict == "pass"


def test_weights_and_households_are_those_of_the_rows_that_are_left():
    rows = [(age, area, 2 + i % 3, f"h{i // 2}") for i, (age, area) in enumerate(product(LEVELS["age"][0], "nmsn"))]
    data = pd.DataFrame(rows, columns=["age", "area", "w", "h"])
    sample = {"weights": "w", "households": "h", "fraction": 0.5}
    demands = [
        ({"model": "max-individual-risk", "max": 0.2}, 0),
        ({"model": "max-household-risk", "max": 0.3}, 0),
        ({"model": "expected-reidentifications", "max": 0.15}, 0),
        ({"model": "expected-reidentifications", "max": 0.15, "attacker": "marketer"}, 6),
    ]
    for asked, limit in demands:
        requirements = [asked, {"model": "k-anonymity", "k": 2}] if limit else [asked]
        given_ = policy(requirements, limit) | {"sample": sample}
        given_["attributes"] |= {"w": "insensitive", "h": "insensitive"}
        meeting = []
        for node in product(range(3), repeat=2):
            made = data.assign(**{c: data[c].map(LEVELS[c][level]) for c, level in zip(LEVELS, node, strict=True)})
            if limit:
                made = made[made.groupby(["age", "area"])["w"].transform("size") >= 2].reset_index(drop=True)
            if len(data) - len(made) <= limit and len(made) and auditor.check(made, given_).verdict == "pass":
                meeting.append(node)
        solution = auditor.remediate(data, given_).result.solution
        assert 0 < len(meeting) < 9, asked
        assert solution.lattice.solving == len(meeting)
        assert tuple(solution.levels.values()) in meeting


def test_subsets_of_columns_are_searched_with_their_persons():
    rows = [("20", "n"), ("25", "m"), ("60", "s"), ("65", "s")]
    pd.DataFrame(rows * 2 + [("20", "s")], columns=["age", "area"]).to_csv("register.csv", index=False)
    data = pd.DataFrame(rows, columns=["age", "area"])
    for search in ("incognito", "samarati", "optimal"):
        solution = auditor.remediate(data, policy([{"model": "k-map", "k": 4}], 0, search=search)).result.solution
        assert solution.levels == {"age": 1, "area": 1}


def test_labels_that_differ_between_data_and_population_are_refused():
    """A mask pads to the longest value, which the population alone has: 1* is not 1***."""
    pd.DataFrame({"zip": ["10", "11", "1000"]}).to_csv("register.csv", index=False)
    asked = {
        "name": "p",
        "attributes": {"zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}}},
        "sample": {"population": "register.csv"},
        "requirements": [{"model": "k-map", "k": 2}],
    }
    with pytest.raises(NotEvaluated, match="makes other labels of the population's values"):
        auditor.remediate(pd.DataFrame({"zip": ["10", "11"]}), asked)


@pytest.mark.parametrize("more", [{"suppress": "star"}, {"search": "mondrian", "objective": "loss"}])
def test_where_the_search_does_not_look_the_release_is_judged(more):
    rows = [("20", "n"), ("20", "m")]
    pd.DataFrame(rows * 3, columns=["age", "area"]).to_csv("register.csv", index=False)
    given_ = policy([{"model": "k-anonymity", "k": 2}, {"model": "k-map", "k": 2}], 0, **more)
    found = auditor.remediate(pd.DataFrame(rows, columns=["age", "area"]), given_).result
    assert any(text.startswith("The search does not look at 1:") for text in found.assumptions)
    assert [each.achieved for each in found.requirements] == [2, 6]
