"""Requirements on releases in sequence: the published example, a search of all assignments, and what must not pass."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.audit._followed import followed
from auditor.audit._labels import Cover, meeting
from auditor.audit._linked import linked
from auditor.audit._release_table import HeldPeople, ReleaseRows, ReleaseTable
from auditor.audit._sequence import possible_paths
from auditor.engines import RowKeys
from auditor.errors import NotEvaluated, PolicyError
from auditor.models import ReleaseSequence
from auditor.models.cross_release_diversity import CrossReleaseDiversity
from auditor.models.cross_release_k import CrossReleaseK
from auditor.models.m_invariance import MInvariance
from auditor.policy import Attribute, load_policy
from auditor.report import redact
from auditor.result import Audience, RequirementResult, Status
from tests.commands import ran

FIRST = {
    "Bob": (21, 12, "dyspepsia"), "Alice": (22, 14, "bronchitis"), "Andy": (24, 18, "flu"),
    "David": (23, 25, "gastritis"), "Gary": (41, 20, "flu"), "Helen": (36, 27, "gastritis"),
    "Jane": (37, 33, "dyspepsia"), "Ken": (40, 35, "flu"), "Linda": (43, 26, "gastritis"),
    "Paul": (52, 33, "dyspepsia"), "Steve": (56, 34, "gastritis"),
}  # fmt: skip
SECOND = {
    **{name: FIRST[name] for name in ("Bob", "David", "Jane", "Linda", "Gary", "Steve")},
    "Emily": (25, 21, "flu"), "Mary": (46, 30, "gastritis"), "Ray": (54, 31, "dyspepsia"),
    "Tom": (60, 44, "gastritis"), "Vince": (65, 36, "flu"),
}  # fmt: skip
"""Microdata at two times (X. Xiao, Y. Tao, m-invariance, SIGMOD 2007, tables 1 and 2); postcodes in thousands."""
IN_FIRST = ["Bob Alice", "Andy David", "Gary Helen", "Jane Ken Linda", "Paul Steve"]
NAIVE = ["Bob David", "Emily Jane Linda", "Gary Mary", "Ray Steve", "Tom Vince"]
INVARIANT = ["Bob c1", "David Emily", "Jane c2 Linda", "Gary Mary", "Ray Steve", "Tom Vince"]
COUNTERFEITS = {"c1": (22, 14, "bronchitis"), "c2": (40, 33, "flu")}
COLUMNS = ["name", "age", "zip", "disease"]
DIVERSITY = {"model": "cross-release-diversity", "l": 2, "counterfeits": "nobody"}
SHARED = {"model": "cross-release-k", "k": 2, "counterfeits": "nobody"}
INVARIANCE = {"model": "m-invariance", "m": 2, "counterfeits": "nobody"}


def original(people: Mapping[str, tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame([(name, *held) for name, held in people.items()], columns=COLUMNS).astype(str)


def release(people: Mapping[str, tuple[Any, ...]], classes: Sequence[str]) -> pd.DataFrame:
    """The classes with the ranges of their members, and how many of these are counterfeits, in an order of its own."""
    rows = []
    for names in map(str.split, classes):
        held = [{**people, **COUNTERFEITS}[name] for name in names]
        columns = list(zip(*held, strict=True))
        box = [f"[{min(each)}, {max(each)}]" if len(set(each)) > 1 else str(each[0]) for each in columns[:2]]
        rows += [(*box, disease, sum(name in COUNTERFEITS for name in names)) for *_, disease in held]
    return pd.DataFrame(sorted(rows), columns=["age", "zip", "disease", "nobody"]).astype(str)


def asked(*requirements: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    attributes: dict[str, Any] = {"name": "identifier", "age": "quasi-identifier", "zip": "quasi-identifier"}
    attributes |= {"disease": "sensitive", "nobody": "insensitive"}
    unit = {"column": "name", "rows": "one-per-unit"}
    return {"version": 1, "name": "p", "unit": unit, "attributes": attributes, "requirements": requirements, **more}


def judged(policy: Mapping[str, Any], *releases: Any) -> dict[str, RequirementResult]:
    """The results of the last release beside the earlier ones; each release is a pair with its original, or alone."""
    *earlier, (data, made_from) = releases
    result = auditor.check(data, policy, original=made_from, previous=earlier)
    return {each.id: each for each in result.requirements if each.model != "previous-release"}


def found(each: RequirementResult) -> tuple[str, float | None, int | None]:
    return each.status.value, each.achieved, each.records_violating


EARLIER = (release(FIRST, IN_FIRST), original(FIRST))


def test_the_published_example() -> None:
    """Bob had dyspepsia, David gastritis: both releases are 2-anonymous and 2-diverse, and together tell that."""
    policy = asked({"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "l": 2}, DIVERSITY, INVARIANCE)
    naive = judged(policy, EARLIER, (release(SECOND, NAIVE), original(SECOND)))
    assert {name: found(each) for name, each in naive.items()} == {
        "k-anonymity": ("pass", 2, 0),
        "distinct-l-diversity": ("pass", 2, 0),
        "cross-release-diversity": ("fail", 1, 2),
        "m-invariance": ("fail", 0, 2),
    }
    invariant = judged(policy, EARLIER, (release(SECOND, INVARIANT), original(SECOND)))
    assert [found(each) for each in invariant.values()] == [("pass", 2, 0)] * 4
    shared = judged(asked(SHARED), EARLIER, (release(SECOND, INVARIANT), original(SECOND)))
    assert found(shared["cross-release-k"]) == ("fail", 1, 4)  # Bob, David, Gary and Steve


VALUES = ("flu", "cold", "cough")
Places = list[int | None]
people_through = st.lists(
    st.tuples(st.sampled_from(VALUES), st.lists(st.none() | st.integers(0, 2), min_size=3, max_size=3)),
    min_size=2,
    max_size=7,
).filter(lambda every: all(any(at[j] is not None for _, at in every) for j in range(3)))


def by_definition(every: Sequence[tuple[str, Places]]) -> dict[str, list[int]]:
    """The number of each person whom a release holds."""
    found: dict[str, list[int]] = {
        "cross-release-diversity": [],
        "cross-release-k": [],
        "known": [],
        "m-invariance": [],
    }
    for _, at in every:
        held = [j for j in range(3) if at[j] is not None]
        if not held:
            continue
        records = [[value for value, other in every if other[j] == at[j]] for j in held]
        found["cross-release-diversity"].append(len(set.intersection(*map(set, records))))
        alike = [other for _, other in every if all(other[j] == at[j] for j in held)]
        found["cross-release-k"].append(len(alike))
        found["known"].append(sum([k is None for k in other] == [k is None for k in at] for other in alike))
        unique = all(len(set(each)) == len(each) for each in records) and len(set(map(frozenset, records))) == 1
        found["m-invariance"].append(min(map(len, records)) if unique else 0)
    return found


def by_assignments(every: Sequence[tuple[str, Places]]) -> list[int]:
    """How many values each person whom a release holds has in all assignments that make the releases."""

    def classes(told: Sequence[str]) -> list[Counter[tuple[int, str]]]:
        pairs = [(at, value) for (_, at), value in zip(every, told, strict=True)]
        return [Counter((k, value) for at, value in pairs if (k := at[j]) is not None) for j in range(3)]

    true = classes([value for value, _ in every])
    fitting = [told for told in product(VALUES, repeat=len(every)) if classes(told) == true]
    return [len({told[i] for told in fitting}) for i, (_, at) in enumerate(every) if any(k is not None for k in at)]


def in_arrays(every: Sequence[tuple[str, Places]], j: int) -> ReleaseTable:
    """One release, whose records say whose they are."""
    held = [(i, k, VALUES.index(value)) for i, (value, at) in enumerate(every) if (k := at[j]) is not None]
    persons, places, values = (np.array(each, dtype=np.int64) for each in zip(*held, strict=True))
    _, classes = np.unique(places, return_inverse=True)
    keys = RowKeys(np.stack([persons, persons], axis=1).astype(np.uint64), persons.astype(np.uint64), persons < 0)
    count = int(classes.max()) + 1
    rows = ReleaseRows(classes, {"disease": values})
    records, none = np.bincount(classes), np.zeros(count, dtype=np.int64)
    table = ReleaseTable("r", (), records, none[:, None], (), (), none, {"disease": rows.cells("disease")})
    return replace(table, people=HeldPeople.of(keys, classes, rows.values))


@settings(max_examples=30)
@given(people_through)
def test_the_definitions_and_every_assignment(every: list[tuple[str, Places]]) -> None:
    """Each number is that of its definition, and no value is told apart more than all assignments leave it."""
    tables = [in_arrays(every, j) for j in range(3)]
    shared = [any(at[j] is not None and sum(k is not None for k in at) > 1 for _, at in every) for j in range(3)]
    if not all(shared):
        with pytest.raises(NotEvaluated, match="nobody in it"):
            followed(tables, "name")
        return
    people = followed(tables, "name")
    sequence = ReleaseSequence(tuple(each.released("disease") for each in tables), people.paths, people.people)
    numbers, left = by_definition(every), by_assignments(every)
    k = CrossReleaseK(k=2, absence="known")
    models = [CrossReleaseDiversity(l=2), CrossReleaseK(k=2), k.model_copy(update={"id": "known"}), MInvariance(m=2)]
    for model in models:
        measured = np.repeat(model.measure(sequence), people.people)
        assert sorted(measured.tolist()) == sorted(numbers[model.id or model.name])
    assert all(number >= least for number, least in zip(numbers["cross-release-diversity"], left, strict=True))
    assert min(left) >= min(*numbers["m-invariance"], 2)


def boxes(every: Sequence[tuple[Any, ...]], groups: Sequence[int]) -> tuple[list[tuple[str, str]], list[int]]:
    """The classes of two columns by the ranges of groups, and the class of each record; −1 for one in no group."""

    def label(group: int, column: int) -> str:
        values = [each[column] for each, own in zip(every, groups, strict=True) if own == group]
        return f"[{min(values)}, {max(values)}]" if min(values) < max(values) else str(values[0])

    keys = {group: (label(group, 0), label(group, 1)) for group in sorted(set(groups)) if group >= 0}
    classes = list(dict.fromkeys(keys.values()))
    return classes, [classes.index(keys[group]) if group >= 0 else -1 for group in groups]


points = st.tuples(st.integers(0, 5), st.integers(0, 5))
group = st.integers(-1, 3)
grouped = st.lists(st.tuples(points, group, group, group), min_size=1, max_size=8).filter(
    lambda every: all(any(each[j] >= 0 for each in every) for j in (1, 2, 3))
)


@given(grouped)
def test_whoever_is_linked_is_in_that_class(every: list[tuple[tuple[int, int], int, int, int]]) -> None:
    """Whatever the ranges of groups, and whoever was left out: no record is taken for one of another class."""
    people = [each[0] for each in every]
    classes, truth = boxes(people, [each[1] for each in every])
    labels = [list(dict.fromkeys(each)) for each in zip(*classes, strict=True)]
    values = [sorted({each[column] for each in people}) for column in (0, 1)]
    covers = [Cover.of(labels[i], list(map(str, values[i])), None) for i in (0, 1)]
    codes = np.array([[values[i].index(each[i]) for i in (0, 1)] for each in people], dtype=np.int32)
    at = np.array([[labels[i].index(each[i]) for i in (0, 1)] for each in classes])
    try:
        told = linked(at, np.bincount([each for each in truth if each >= 0]), covers, codes)
    except NotEvaluated:
        return
    assert told.tolist() == truth


@settings(max_examples=50)
@given(grouped)
def test_nobody_takes_a_path_that_is_not_possible(every: list[tuple[tuple[int, int], int, int, int]]) -> None:
    tables, truths = [], []
    for j in (1, 2, 3):
        classes, truth = boxes([each[0] for each in every], [each[j] for each in every])
        labels = tuple(tuple(dict.fromkeys(each)) for each in zip(*classes, strict=True))
        keys = np.array([[labels[i].index(each[i]) for i in (0, 1)] for each in classes])
        attributes = (Attribute(role="quasi-identifier"),) * 2
        none = np.zeros(len(keys), dtype=np.int64)
        tables.append(ReleaseTable("r", ("x", "y"), none + 1, keys, labels, attributes, none, {}))
        truths.append(truth)
    able = set(map(tuple, possible_paths(tables).tolist()))
    assert set(zip(*truths, strict=True)) <= able


NOW = (release(SECOND, NAIVE), original(SECOND))
KEPT = (release(SECOND, INVARIANT), NOW[1])


def renamed(old: str, new: str | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    return NOW[0], NOW[1].assign(name=NOW[1]["name"].map(lambda name: new if name == old else name))


ALONE = NOW[1][NOW[1]["name"] != "Bob"]
OTHERS = NOW[1].assign(name=NOW[1]["name"].map(lambda name: f"{name}2"))
WRONG: dict[str, tuple[Any, Any, str]] = {
    "somebody left out of an original": (EARLIER, (NOW[0], ALONE), "whom its original does not have there"),
    "somebody added to an original": (
        EARLIER,
        (NOW[0], pd.concat([NOW[1], original({"Eve": (22, 13, "flu")})])),
        "does not tell which people of its original",
    ),
    "twice in a release": (EARLIER, renamed("David", "Bob"), "several records of one person"),
    "nobody named": (EARLIER, renamed("David", None), "has missing values"),
    "blanks": (EARLIER, renamed("Bob", "Bob "), "names people in several ways"),
    "case": (EARLIER, renamed("Bob", "BOB"), "names people in several ways"),
    "numbers": (
        (EARLIER[0], EARLIER[1].replace("Bob", "007")),
        renamed("Bob", "7.0"),
        "names people in several ways",
    ),
    "other pseudonyms": (EARLIER, (NOW[0], OTHERS), "nobody in it is in another release"),
    "no unit": (
        (EARLIER[0], EARLIER[1].drop(columns="name")),
        (NOW[0], NOW[1].drop(columns="name")),
        "has no column 'name' to follow people by",
    ),
    "no original": ((EARLIER[0], None), NOW, "name the table that it was made from"),
    "another ladder": (EARLIER, (NOW[0].replace("[21, 23]", "twenties"), NOW[1]), "no common leaf"),
    "values of others": (EARLIER, (NOW[0].replace("dyspepsia", "flu"), NOW[1]), "does not have in each class"),
    "a value that changes": (
        EARLIER,
        (NOW[0].replace("gastritis", "flu"), NOW[1].replace("gastritis", "flu")),
        "is another one in a later release",
    ),
    "counterfeits that nobody counts": (EARLIER, (KEPT[0].assign(nobody="0"), KEPT[1]), "counted in a column"),
    "counterfeits that contradict": (
        EARLIER,
        (KEPT[0].assign(nobody=["1"] + ["0"] * 12), KEPT[1]),
        "the same number in all records of a class",
    ),
}
"""What would pass if it were believed: the earlier release, this one, and what is said."""


@pytest.mark.parametrize(("earlier", "now", "why"), WRONG.values(), ids=WRONG)
def test_what_is_not_believed(earlier: Any, now: Any, why: str) -> None:
    each = judged(asked(DIVERSITY), earlier, now)["cross-release-diversity"]
    assert each.status is Status.NOT_EVALUATED
    assert why in str(each.reason)
    assert not any(value in str(each.reason) for value in ("Bob", "David", "dyspepsia", "21", "twenties"))


def test_what_makes_no_difference() -> None:
    """Suppressed cells, a class that looks like another one, and a spelling of a value hide nobody."""
    starred = (NOW[0].replace({"[21, 23]": "*", "[12, 25]": "*"}), NOW[1])
    assert found(judged(asked(DIVERSITY), EARLIER, starred)["cross-release-diversity"]) == ("fail", 1, 2)
    spelled = (NOW[0].replace("flu", "Flu "), NOW[1].replace("flu", "FLU"))
    assert found(judged(asked(DIVERSITY), EARLIER, spelled)["cross-release-diversity"]) == ("fail", 1, 2)
    data = pd.DataFrame({"age": ["1"] * 4 + ["1 "], "zip": ["2"] * 5, "disease": ["flu", "Flu ", None, "*", "cold"]})
    assert found(judged(asked(DIVERSITY), (data, None))["cross-release-diversity"]) == ("fail", 1, 5)


def test_a_first_release_is_said_to_be_one() -> None:
    policy = asked({**DIVERSITY, "l": 3})
    first = auditor.check(EARLIER[0], policy)
    assert first.requirements[0].status is Status.NOT_EVALUATED
    assert "--first-release" in str(first.requirements[0].reason)
    assert found(auditor.check(EARLIER[0], policy, previous=[]).requirements[0]) == ("fail", 2, 8)


def test_a_unit_in_the_releases_needs_no_originals() -> None:
    """As a pseudonym, with its own name; counterfeits are told apart by the original alone."""
    pairs = []
    for people, classes in ((FIRST, IN_FIRST), (SECOND, NAIVE)):
        boxes = {name: str(place) for place, names in enumerate(classes) for name in names.split()}
        pairs.append((original({name: (boxes[name], 0, each[2]) for name, each in people.items()}), None))
    policy = asked(DIVERSITY)
    policy["attributes"]["name"] = "pseudonym"
    assert found(judged(policy, *pairs)["cross-release-diversity"]) == ("fail", 1, 2)
    pairs[1] = (pairs[1][0].assign(nobody="0"), None)
    pairs[1][0].loc[pairs[1][0]["age"] == "0", "nobody"] = "1"
    assert "told by the table" in str(judged(policy, *pairs)["cross-release-diversity"].reason)


def test_a_unit_in_a_release_is_believed_beside_its_original_if_the_record_may_be_that_persons() -> None:
    """Pseudonyms that are given anew in each release, from the same list, would follow one person as another."""

    def with_unit(people: Mapping[str, tuple[Any, ...]], classes: Sequence[str], *, shuffled: bool) -> pd.DataFrame:
        every = [name for names in classes for name in names.split()]
        names = every[1:] + every[:1] if shuffled else every
        rows = []
        for each in map(str.split, classes):
            made = release(people, [" ".join(each)]).to_dict("records")
            taken = {
                name: next(r for r in made if r["disease"] == {**people, **COUNTERFEITS}[name][2]) for name in each
            }
            rows += [{**taken[name], "name": names[every.index(name)]} for name in each]
        return pd.DataFrame(rows)

    policy = asked(DIVERSITY)
    policy["attributes"]["name"] = "pseudonym"
    for classes, expected in ((NAIVE, ("fail", 1, 2)), (INVARIANT, ("pass", 2, 0))):
        for shuffled in (False, True):
            now = with_unit(SECOND, classes, shuffled=shuffled)
            assert found(judged(policy, EARLIER, (now, NOW[1]))["cross-release-diversity"]) == expected


@pytest.mark.parametrize(
    ("now", "diversity", "shared"),
    [
        ({"[30, 40]": "flu cold"}, "pass", "pass"),
        ({"[20, 25]": "flu cold"}, "pass", "not-evaluated"),
        ({"[25, 40]": "flu cold cough"}, "pass", "not-evaluated"),
        ({"[25, 40]": "flu cough"}, "not-evaluated", "not-evaluated"),
        ({"*": "flu cough"}, "not-evaluated", "not-evaluated"),
        ({"[20, 25]": "flu"}, "fail", "fail"),
    ],
    ids=["disjoint", "the same values", "more values", "one value in common", "suppressed", "one value alone"],
)
def test_what_classes_tell_where_nobody_is_followed(now: dict[str, str], diversity: str, shared: str) -> None:
    """Only classes that share a value, by an interval or on a ladder, can hold one person."""

    def table(classes: Mapping[str, str]) -> pd.DataFrame:
        return pd.DataFrame([(k, v) for k, each in classes.items() for v in each.split()], columns=["age", "disease"])

    policy = asked(DIVERSITY, SHARED)
    del policy["attributes"]["zip"]
    results = judged(policy, (table({"[20, 25]": "flu cold", "[10, 15]": "flu cold"}), None), (table(now), None))
    assert {name: each.status.value for name, each in results.items()} == {
        "cross-release-diversity": diversity,
        "cross-release-k": shared,
    }


def test_labels_on_a_ladder_share_a_value_if_one_is_above_the_other() -> None:
    policy = asked(DIVERSITY)
    policy["attributes"] |= {"age": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}}}
    del policy["attributes"]["zip"]
    tables = [
        pd.DataFrame({"age": [label] * 2, "disease": held})
        for label, held in (("12*", ["a", "b"]), ("1**", ["b", "c"]), ("2**", ["b", "c"]))
    ]
    results = [judged(policy, (tables[0], None), (each, None))["cross-release-diversity"] for each in tables[1:]]
    assert [each.status.value for each in results] == ["not-evaluated", "pass"]
    policy["attributes"]["age"] = "quasi-identifier"  # without a ladder a text says nothing of other texts
    result = judged(policy, (tables[0], None), (tables[2], None))["cross-release-diversity"]
    assert result.status is Status.NOT_EVALUATED


def test_labels_that_may_stand_for_one_value() -> None:
    """By hierarchy, as numbers or intervals, or in another spelling; a text that nothing is known of may be any."""
    column = Attribute(role="quasi-identifier")
    texts = ["20-29", "[25, 30)", "25", "25.0", "[30, 40]", "*", None]
    assert meeting(texts, ["25", "30-39"], column).tolist() == [
        [True, True],
        [True, True],
        [True, True],
        [True, True],
        [False, True],
        [True, True],
        [True, True],
    ]
    groups = Attribute.model_validate({"role": "quasi-identifier", "hierarchy": "suppress"})
    assert meeting(["F", "M", "*"], ["F", "f ", "M"], groups).tolist() == [
        [True, True, False],
        [False, False, True],
        [True, True, True],
    ]


def test_values_that_may_change_are_not_intersected() -> None:
    result = auditor.check(NOW[0], asked({**DIVERSITY, "changes": "allowed"}), original=NOW[1], previous=[EARLIER])
    assert found(result.requirements[0]) == ("pass", 2, 0)
    assert any("changes: allowed" in each for each in result.assumptions)


def test_a_release_that_fails_beside_an_earlier_one_is_not_made() -> None:
    """All people in one class have three values beside one class, and two beside classes of two."""
    ladder = {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [80]}}}
    search = {"search": "optimal", "suppression_limit": 0}
    policy = asked({"model": "k-anonymity", "k": 2}, {**DIVERSITY, "l": 3}, remediation=search)
    policy["attributes"] |= {"age": ladder, "zip": ladder}
    wide = original(SECOND).assign(age="[0, 80)", zip="[0, 80)")
    codes = [auditor.remediate(NOW[1], policy, previous=[each]).result.exit_code for each in ((wide, None), NOW)]
    assert codes == [0, 1]


def test_the_public_sees_no_number_of_few() -> None:
    result = auditor.check(NOW[0], asked(DIVERSITY, {**SHARED, "k": 5}), original=NOW[1], previous=[EARLIER])
    for each in redact(result, Audience.PUBLIC).to_dict()["requirements"]:  # type: ignore[attr-defined]
        assert each["achieved"] is None
        assert each["records_violating"] is None or each["records_violating"] not in range(1, 5)


@pytest.mark.parametrize(
    ("policy", "what"),
    [
        (asked(DIVERSITY, missing="wildcard"), "not defined where a missing value"),
        (asked({**DIVERSITY, "counterfeits": "nobdy"}), "unknown attribute"),
        (asked({**DIVERSITY, "sensitive": "age"}), "has the role quasi-identifier"),
    ],
)
def test_policies_that_do_not_fit(policy: Mapping[str, Any], what: str) -> None:
    with pytest.raises(PolicyError, match=what):
        load_policy(policy)


def test_the_command(tmp_path: Path) -> None:
    """An earlier release and its original are named one after the other; what contradicts itself is refused."""
    policy = "version: 1\nname: p\nunit: {column: name, rows: one-per-unit}\nattributes: {name: identifier, age: "
    policy += "quasi-identifier, zip: quasi-identifier, disease: sensitive, nobody: insensitive}\n"
    policy += "requirements: [{model: k-anonymity, k: 2}, {model: cross-release-diversity, l: 2}]\n"
    (tmp_path / "p.yaml").write_text(policy, "utf-8")
    for name, frame in {"r1": EARLIER[0], "t1": EARLIER[1], "r2": NOW[0], "t2": NOW[1]}.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)

    def check(*words: str) -> tuple[int, str]:
        code, out, err = ran("check", "r2.csv", "-p", "p.yaml", *words, folder=tmp_path, environment={})
        return code, out + err

    both = ("--previous", "r1.csv", "--previous-original", "t1.csv")
    code, text = check("--original", "t2.csv", *both)
    assert code == 1
    assert "cross-release-diversity  at least 2  1" in text
    assert check()[0] == check("--previous", "r1.csv")[0] == check("--previous", "nothing.csv")[0] == 3
    assert check("--first-release")[0] == 0
    now = 'csv: "name,age,zip,disease\\nx,2,1,flu\\ny,2,1,cough\\n"'
    then = [original({"x": (1, 1, "flu"), "z": (1, 1, "cold")}).to_csv(index=False)]
    tests = [
        f"{{name: {each}, {now}, only: [cross-release-diversity], previous: {json.dumps(before)}, expect: {each}}}"
        for each, before in (("fail", then), ("pass", []))
    ]
    (tmp_path / "p_test.yaml").write_text(f"policy: p.yaml\ntests: [{', '.join(tests)}]\n", "utf-8")
    assert ran("test", folder=tmp_path, environment={}).code == 0
    for wrong in (("--first-release", *both), (*both, "--previous", "r1.csv"), ("--dry-run", *both)):
        assert check(*wrong)[0] == 2
