"""A node under an attacker with bounded knowledge is decided as by removing, in rounds, whom patterns expose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.audit import AuditRun, uses
from auditor.engines import RunLimits, open_data
from auditor.policy import bind, load_policy
from auditor.remediate import remediate
from auditor.remediate._problem import problem
from tests.remediate.test_release_property import ATTRIBUTES, LABELS

Record = Mapping[str, str]
KNOWLEDGE = [{"columns": 1}, {"columns": 2}, {"events": 1}, {"events": 2}, {"events": 3}]

records = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.sampled_from(["1", "7", "13"]),
            "place": st.sampled_from(["AA", "AB", "BA"]),
            "mood": st.sampled_from(["flat", "high", "low"]),
            "dx": st.sampled_from("ab"),
            "key": st.sampled_from("12345"),
        }
    ),
    min_size=2,
    max_size=12,
)


def exposed(rows: Sequence[Record], known: Mapping[str, int], demand: Mapping[str, Any], *, units: bool) -> set[str]:
    """Whom some pattern exposes, by enumeration: every person's patterns against everybody."""
    of_person: dict[str, set[tuple[str, ...]]] = {}
    for place, row in enumerate(rows):
        of_person.setdefault(row["key"] if units else str(place), set()).add(tuple(row[name] for name in LABELS))
    said = [
        (row["key"] if units else str(place), tuple(row[name] for name in LABELS), row["dx"])
        for place, row in enumerate(rows)
    ]

    def holders(columns: Sequence[int], pattern: Sequence[tuple[str, ...]]) -> set[str]:
        wanted = {tuple(event[i] for i in columns) for event in pattern}
        return {name for name, own in of_person.items() if wanted <= {tuple(e[i] for i in columns) for e in own}}

    def wrong(holding: set[str], columns: Sequence[int], pattern: Sequence[tuple[str, ...]]) -> bool:
        if demand["model"] == "k-anonymity":
            return len(holding) < demand["k"]
        if demand["model"] == "uniqueness":
            return len(holding) == 1
        # of columns the values of the records that have them count, of events those of the person
        wanted = {tuple(event[i] for i in columns) for event in pattern}
        of = [each for each in said if "events" in known or tuple(each[1][i] for i in columns) in wanted]
        most = max(len({name for name, _, own in of if own == value and name in holding}) for value in "ab")
        return Fraction(most, len(holding)) > Fraction(str(demand["max"]))

    found: set[str] = set()
    for own in of_person.values():
        if "events" in known:
            groups = [((0, 1, 2), x) for n in range(1, known["events"] + 1) for x in combinations(sorted(own), n)]
        else:
            sizes = range(known["columns"] + 1) if units else [known["columns"]]
            groups = [(columns, [event]) for n in sizes for columns in combinations(range(3), n) for event in own]
        for columns, pattern in groups:
            holding = holders(columns, pattern)
            found |= holding if wrong(holding, columns, pattern) else set()
    return found


def solves(
    rows: Sequence[Record], known: Mapping[str, int], demand: Mapping[str, Any], limit: int, units: bool
) -> bool:
    kept = [{**row, "row": str(place)} for place, row in enumerate(rows)]
    if demand["model"] == "uniqueness":
        people = {row["key"] if units else row["row"] for row in kept}
        return Fraction(len(exposed(kept, known, demand, units=units)), len(people)) <= Fraction(str(demand["max"]))
    while kept:
        gone = exposed(kept, known, demand, units=units)
        if not gone:
            break
        kept = [row for place, row in enumerate(kept) if (row["key"] if units else str(place)) not in gone]
    return bool(kept) and len(rows) - len(kept) <= limit


@pytest.mark.parametrize("units", [False, True], ids=["rows", "persons"])
@pytest.mark.parametrize(
    "demand",
    [{"model": "k-anonymity", "k": 2}, {"model": "confidence", "max": 0.7}, {"model": "uniqueness", "max": 0.25}],
    ids=lambda demand: str(demand["model"]),
)
@given(rows=records, known=st.sampled_from(KNOWLEDGE), share=st.sampled_from([0.0, 0.3]))
@settings(max_examples=8)
def test_every_node_is_decided_as_the_definition_has_it(
    demand: dict[str, Any], units: bool, rows: list[Record], known: dict[str, int], share: float
) -> None:
    if "events" in known and not units:
        known = {"columns": 3}
    loaded = load_policy(
        {
            "version": 1,
            "name": "p",
            "attributes": {name: role for name, role in ATTRIBUTES.items() if name != "id"},
            "requirements": [{**demand, "knows": known}],
            "remediation": {"suppression_limit": share},
            **({"unit": "key"} if units else {}),
        }
    )
    with open_data(pa.Table.from_pylist([dict(row) for row in rows])) as source:
        binding = bind(loaded, [column.name for column in source.columns])
        run = AuditRun(loaded, binding, source, None, date(2026, 11, 28), True, False, RunLimits.of())
        searched = problem(run, source.count(uses(run)))
        for node in searched.ranges:
            levels = dict(zip(searched.quasi_identifiers, node, strict=True))
            coarse = [
                {**row, **{name: LABELS[name](level, row[name]) for name, level in levels.items()}} for row in rows
            ]
            expected = solves(coarse, known, demand, int(share * len(rows)), units=units)
            assert searched.evaluator.at(node).solves == expected, (node, rows)


def test_what_the_coarsest_levels_lack_is_told_of_patterns() -> None:
    """Three persons have each event at the coarsest levels, and one has both."""
    first, second = ({"age": "1", "place": place, "mood": "low", "dx": "a"} for place in ("AA", "BA"))
    rows = [{**first, "key": key} for key in "abc"] + [{**second, "key": key} for key in "cde"]
    done = remediate(
        pa.Table.from_pylist(rows),
        {
            "version": 1,
            "name": "p",
            "unit": "key",
            "attributes": {name: role for name, role in ATTRIBUTES.items() if name != "id"},
            "requirements": [{"model": "k-anonymity", "k": 3, "knows": {"events": 2}}],
            "remediation": {"levels": {"place": {"max": 1}}},
        },
    )
    assert done.shortfall is not None
    assert [obstacle.achieved for obstacle in done.shortfall.obstacles] == [1]
