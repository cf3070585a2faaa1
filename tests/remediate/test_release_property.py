"""Whenever remediation says that a release meets the policy, a plain recount of the written file agrees."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.remediate import remediate

AGES = [str(age) for age in (1, 7, 12, 13, 26, 38)]
PLACES = ["AA", "AB", "BA", "BB"]
MOODS = ["flat", "high", "low"]
TREE = {"*": {"calm": ["flat"], "moved": ["high", "low"]}}


def age_at(level: int, value: str) -> str:
    """The label of an age: as is, steps of 10, steps of 20, anything."""
    if level in (0, 3):
        return value if level == 0 else "*"
    width = 10 * level
    low = int(value) // width * width
    return f"[{low}, {low + width})"


def place_at(level: int, value: str) -> str:
    """The label of a place: `level` letters are masked from the right."""
    return value if level == 0 else "*" if level == 3 else value[: 2 - level] + "*" * level


def mood_at(level: int, value: str) -> str:
    """The label of a mood in the tree."""
    return value if level == 0 else "*" if level == 2 else "calm" if value == "flat" else "moved"


LABELS = {"age": age_at, "place": place_at, "mood": mood_at}
ATTRIBUTES = {
    "id": "identifier",
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [10, 20], "start": 0}}},
    "place": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}},
    "mood": {"role": "quasi-identifier", "hierarchy": {"tree": TREE}},
    "dx": "sensitive",
    "key": "pseudonym",
}

Record = tuple[str, str, str, str]
records = st.lists(st.tuples(*map(st.sampled_from, (AGES, PLACES, MOODS, ["a", "b", "c"]))), min_size=4, max_size=40)
requirements = st.lists(
    st.one_of(
        st.builds(lambda k: {"model": "k-anonymity", "k": k}, st.integers(2, 6)),
        st.builds(
            lambda k, names: {"model": "k-anonymity", "k": k, "quasi_identifiers": names},
            st.integers(2, 8),
            st.sampled_from([["age"], ["age", "mood"], ["place", "mood"]]),
        ),
        st.builds(lambda n: {"model": "distinct-l-diversity", "l": n}, st.integers(2, 3)),
        st.builds(lambda p: {"model": "max-risk", "max": p}, st.sampled_from([0.5, 0.34, 0.25])),
        st.builds(lambda p: {"model": "average-risk", "max": p}, st.sampled_from([0.5, 0.3])),
        st.builds(
            lambda t: {"model": "t-closeness", "t": t, "distance": "variational"}, st.sampled_from([0.2, 0.35, 0.5])
        ),
    ),
    min_size=1,
    max_size=3,
)
remediations = st.fixed_dictionaries(
    {
        "suppression_limit": st.sampled_from([0, 0.1, 0.3, {"records": 2}]),
        "objective": st.sampled_from(["loss", "discernibility", "precision", "average-class-size"]),
    },
    optional={"levels": st.sampled_from([{"age": {"max": 1}}, {"place": {"min": 1, "max": 2}}])},
)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records, requirements, remediations)
def test_the_written_file_keeps_what_the_result_promises(
    tmp_path: Path, rows: list[Record], asked: list[dict[str, Any]], how: dict[str, Any]
) -> None:
    data, target = tmp_path / "data.csv", tmp_path / "release.csv"
    target.unlink(missing_ok=True)
    _write(data, rows)
    named = [requirement | {"id": f"r{i}"} for i, requirement in enumerate(asked)]
    policy = {"version": 1, "name": "p", "attributes": ATTRIBUTES, "requirements": named, "remediation": how}
    done = remediate(data, policy, output=target)
    if done.solution is None:
        assert not target.exists()
        return
    levels = done.solution.levels
    with target.open(encoding="utf-8", newline="") as file:
        released = list(csv.DictReader(file))
    original = {f"k{i}": row for i, row in enumerate(rows)}
    for record in released:
        age, place, mood, dx = original[record["key"]]
        expected = {
            name: LABELS[name](levels[name], value) for name, value in zip(LABELS, (age, place, mood), strict=True)
        }
        assert record == {**expected, "dx": dx, "key": record["key"]}
    assert len({record["key"] for record in released}) == len(released) == len(rows) - done.solution.suppressed_records
    assert done.solution.suppressed_records <= _limit(how["suppression_limit"], len(rows))
    for requirement in asked:
        assert _holds(requirement, released), requirement


def _write(path: Path, rows: list[Record]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(ATTRIBUTES)
        writer.writerows((f"i{i}", *row, f"k{i}") for i, row in enumerate(rows))


def _limit(limit: Any, count: int) -> int:
    return int(limit["records"]) if isinstance(limit, dict) else int(Fraction(str(limit)) * count)


def _holds(requirement: dict[str, Any], released: list[dict[str, str]]) -> bool:
    """The requirement's definition, over lists."""
    names = requirement.get("quasi_identifiers", list(LABELS))
    classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for record in released:
        classes[tuple(record[name] for name in names)].append(record["dx"])
    whole = Counter(record["dx"] for record in released)
    sizes = [len(values) for values in classes.values()]
    match requirement["model"]:
        case "k-anonymity":
            return min(sizes) >= requirement["k"]
        case "max-risk":
            return Fraction(1, min(sizes)) <= Fraction(str(requirement["max"]))
        case "average-risk":
            return Fraction(len(sizes), len(released)) <= Fraction(str(requirement["max"]))
        case "distinct-l-diversity":
            return all(len(set(values)) >= requirement["l"] for values in classes.values())
        case "t-closeness":
            return all(
                _variational(Counter(values), whole) <= Fraction(str(requirement["t"])) for values in classes.values()
            )
    raise AssertionError(requirement)


def _variational(p: Counter[str], q: Counter[str]) -> Fraction:
    return sum((abs(Fraction(p[v], p.total()) - Fraction(q[v], q.total())) for v in q), Fraction()) / 2


def test_the_recount_can_fail() -> None:
    released = [{"age": "1", "place": "AA", "mood": "low", "dx": "a"}] * 2
    assert _holds({"model": "k-anonymity", "k": 2}, released)
    assert not _holds({"model": "k-anonymity", "k": 3}, released)
    assert not _holds({"model": "distinct-l-diversity", "l": 2}, released)
    assert _variational(Counter("ab"), Counter("aaab")) == pytest.approx(0.25)
