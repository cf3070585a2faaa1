"""Floors that speak of outputs, of query logs, and of records beside their originals: each kind holds a new release."""

from __future__ import annotations

import json

import pytest

from auditor.result import Verdict
from auditor.result.gate import GateStatus
from tests.gate.repository import DATA, Repository
from tests.gate.test_floor import FLOOR_FILE, HELD, NEW_FILE, holding

ROLES = "attributes: {age: quasi-identifier, zip: quasi-identifier, diagnosis: sensitive}\n"
NUMBERS = "attributes: {income: {role: sensitive, type: integer}}\n"
INCOMES = "income\n10\n20\n30\n40\n"
ALIKE = "income\n25\n25\n25\n25\n"


def table(*counts: int) -> str:
    cells = [{"key": [str(number)], "count": count} for number, count in enumerate(counts, 1)]
    return json.dumps({"type": "frequency-table", "by": ["zip"], "cells": cells})


LINKED = "requirements: [{id: link, model: max-linkage-risk, attributes: [income], match: position, max: %s}]\n"
KINDS = {
    # the floor; a policy below it; what goes out; whether by hand the floor is met
    "a small cell": ("outputs: [{type: frequency-table, min_cell: %s}]\n", 3, 2, "outputs: t.json", table(2, 3), False),
    "large cells": ("outputs: [{type: frequency-table, min_cell: %s}]\n", 3, 2, "outputs: t.json", table(3, 3), True),
    # 2 of 5 people have zip 1; where the floor is met, 3 of 6
    "a small query set": (
        "queries: {public: [zip], limits: {exact_value: allow, query_set_size: {min: %s}}}\n",
        3,
        2,
        "queries: t.sql",
        "SELECT count(*) FROM data WHERE zip = '1';\n",
        False,
    ),
    "a large query set": (
        "queries: {public: [zip], limits: {exact_value: allow, query_set_size: {min: %s}}}\n",
        3,
        2,
        "queries: t.sql",
        "SELECT count(*) FROM data WHERE zip = '1';\n",
        True,
    ),
    # the original again: every record links to itself; all alike: one in four
    "records as they were": (LINKED, 0.5, 1, "data: released.csv", INCOMES, False),
    "records that are all alike": (LINKED, 0.5, 1, "data: released.csv", ALIKE, True),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_floor_of_every_kind_holds(repository: Repository, kind: str) -> None:
    """Files below it fail; a policy below it closes the gate where they do not; a policy as strict needs nobody."""
    text, floor, weak, place, content, met = KINDS[kind]
    numbers = place.startswith("data")
    roles = NUMBERS if numbers else ROLES
    holding(repository, f"version: 1\nname: org\n{roles}{text % floor}")
    repository.write("people.csv", INCOMES if numbers else DATA + "30,1,cold\n" if met else DATA)
    repository.write(place.partition(" ")[2], content)
    release = f"  new: {{policy: {NEW_FILE}, original: people.csv, {place}, recipients: [x], purpose: y}}\n"
    repository.write("auditor.yaml", HELD.replace("trusted:", release + "trusted:"))
    for bound, status in ((weak, GateStatus.WEAKENED), (floor, GateStatus.PASS)):
        repository.write(NEW_FILE, f"version: 1\nname: new\n{roles}{text % bound}")
        (found,) = repository.gate("new").releases
        assert found.status is (status if met else GateStatus.FAIL), (bound, found.why, found.notes)
        assert found.floors[0].name == FLOOR_FILE
        assert bool(found.floors[0].below) is (bound == weak)


def test_a_quasi_identifier_of_the_release_does_not_hide_who_is_alone_by_those_of_the_floor(
    repository: Repository,
) -> None:
    floor = "requirements: [{id: suda, model: max-suda2, max: 0.3, fraction: 0.1}]\n"
    roles = "attributes: {age: quasi-identifier, zip: quasi-identifier, noise: quasi-identifier}\n"
    holding(
        repository, f"version: 1\nname: org\nundeclared: insensitive\nattributes: {{age: quasi-identifier}}\n{floor}"
    )
    repository.write(NEW_FILE, f"version: 1\nname: new\n{roles}{floor}")
    release = f"  new: {{policy: {NEW_FILE}, data: new.csv, recipients: [x], purpose: y}}\n"
    repository.write("auditor.yaml", HELD.replace("trusted:", release + "trusted:"))
    for rows, status in (("1,0,1 1,0,1 1,0,0 1,0,0 0,1,0", GateStatus.FAIL), ("1,0,1 1,0,1", GateStatus.PASS)):
        repository.write("new.csv", "\n".join(["age,zip,noise", *rows.split(), ""]))
        (found,) = repository.gate("new").releases
        assert (found.status, found.head_verdict) == (status, Verdict.PASS)
