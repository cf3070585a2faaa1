"""Releases of one run are looked at together: what each may tell alone, several may not."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.gate import Options
from auditor.ledger import read_ledger
from auditor.result.gate import GateStatus
from tests.gate.repository import Repository
from tests.gate.tables import ALL, PEOPLE, POLICY, TABLES, WITHOUT, named, release, releasing, statuses

DATA = pytest.mark.parametrize("data", ["data: p.csv, ", "original: p.csv, ", ""], ids=["data", "original", "none"])
LEDGER = pytest.mark.parametrize("ledger", [True, False], ids=["ledger", "no ledger"])


@pytest.mark.slow
@DATA
@LEDGER
def test_two_tables_that_differ_by_one_person_do_not_pass_in_one_run(
    repository: Repository, data: str, ledger: bool
) -> None:
    releasing(repository, [release("all", data), release("without", data)], ledger=ledger)
    for name in ("all", "without"):
        assert repository.gate(name).verdict is GateStatus.PASS, "alone it passes"
    both = repository.gate()
    assert (both.verdict, both.exit_code) == (GateStatus.FAIL, 1)
    assert statuses(both) == {"all": GateStatus.FAIL, "without": GateStatus.FAIL}
    (document,) = named(both, "all").documents
    (broken,) = [each for each in document.requirements if each.status == "fail"]
    assert (broken.model, broken.achieved) == ("differencing", 1)
    assert "not together with those of without" in " ".join(named(both, "all").notes)


def test_nothing_is_certified_nor_remembered(repository: Repository) -> None:
    releasing(repository, [release("all"), release("without")])
    assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD"]) == 1
    assert not (repository.top / "certificates").exists()
    assert not (repository.top / "releases.jsonl").exists()


@pytest.mark.slow
@LEDGER
def test_neither_the_order_nor_the_processes_change_what_is_found(repository: Repository, ledger: bool) -> None:
    found = []
    for order in itertools.permutations(TABLES):
        releasing(repository, map(release, order), ledger=ledger)
        found.append(repository.gate())
    found.append(repository.gate(options=Options(workers=3)))
    expected = {"all": GateStatus.FAIL, "without": GateStatus.FAIL, "sexes": GateStatus.PASS}
    assert [statuses(each) for each in found] == [expected] * len(found)
    told = [{each.name: (each.notes, each.documents) for each in result.releases} for result in found]
    assert told == told[:1] * len(told)


def test_a_policy_that_asks_nothing_of_differences_does_not_hide_them_by_its_place(repository: Repository) -> None:
    """Judged in order, each beside those before it, the later one alone would be asked: here it is asked nothing."""
    lax = "policies/lax.yaml"
    repository.write(lax, POLICY.replace("differencing: true", "differencing: false"))
    for lines in ([release("all"), release("without", policy=lax)], [release("without", policy=lax), release("all")]):
        releasing(repository, lines)
        result = repository.gate()
        assert statuses(result) == {"all": GateStatus.FAIL, "without": GateStatus.PASS}
        assert result.exit_code == 1


@LEDGER
def test_what_gives_nothing_away_passes_together_and_again_in_the_next_run(
    repository: Repository, ledger: bool
) -> None:
    releasing(repository, [release("all"), release("sexes")], ledger=ledger)
    for _ in range(2):
        assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD"]) == 0
        repository.commit("released")
    assert {file.stem for file in (repository.top / "certificates").glob("*.json")} == {"all", "sexes"}
    if ledger:
        assert [entry.kind for entry in read_ledger("releases.jsonl").entries] == 2 * ["output"] + 4 * ["release"]


def test_the_one_that_is_new_is_blamed_where_the_other_was_released(repository: Repository) -> None:
    releasing(repository, [release("all")])
    assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD"]) == 0
    repository.commit("released")
    repository.replace("auditor.yaml", "trusted:", f"{release('without')}trusted:")
    repository.commit()
    assert statuses(repository.gate(base="HEAD")) == {"all": GateStatus.PASS, "without": GateStatus.FAIL}


def test_the_same_output_in_two_releases_is_one(repository: Repository) -> None:
    releasing(repository, [release("all"), release("again")], tables={"all": ALL, "again": ALL})
    assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD"]) == 0
    assert len(read_ledger("releases.jsonl").of_kind("output")) == 1


def test_a_release_that_fails_by_itself_is_beside_nothing(repository: Repository) -> None:
    small = {**WITHOUT, "cells": [*WITHOUT["cells"], {"key": ["3"], "count": 1}]}
    releasing(repository, [release("all", ""), release("without", "")], tables={"all": ALL, "without": small})
    assert statuses(repository.gate()) == {"all": GateStatus.PASS, "without": GateStatus.FAIL}


SUPPRESSED = {
    "type": "frequency-table",
    "by": ["zip"],
    "cells": [{"key": ["1"], "count": 6}, {"key": ["2"], "count": None}, {"key": ["3"], "count": None}],
}
THIRD = {"type": "frequency-table", "by": ["zip"], "cells": [{"key": ["2"], "count": 7}]}


def test_a_suppressed_cell_that_another_release_tells(repository: Repository) -> None:
    tables = {"suppressed": SUPPRESSED, "third": THIRD}
    releasing(repository, [release(name, "") for name in tables], tables=tables, ledger=False)
    found = statuses(repository.gate())
    assert found == {"suppressed": GateStatus.FAIL, "third": GateStatus.PASS}


def test_what_fails_with_the_ledger_alone_fails_beside_what_contradicts_both(repository: Repository) -> None:
    """Where numbers contradict each other those of others are left aside: that must not hide what the ledger tells."""
    tables = {"third": THIRD, "suppressed": SUPPRESSED, "other": {**ALL, "cells": [{"key": ["1"], "count": 60}]}}
    releasing(repository, [release("third", "")], tables=tables)
    repository.replace("policies/tables.yaml", ", differencing: true", "")
    repository.commit()
    assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD"]) == 0
    lines = release("suppressed", "") + release("other", "")
    repository.replace("auditor.yaml", "trusted:", f"{lines}trusted:")
    repository.commit("more")
    found = statuses(repository.gate(base="HEAD"))
    assert found["suppressed"] is GateStatus.FAIL


OTHERS = PEOPLE.replace("1,F", "3,F")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "passes"),
    [
        ("data: p.csv, ", "data: copy.csv, ", False),
        ("data: p.csv, ", "original: p.csv, data: others.csv, ", False),
        ("data: p.csv, ", "", False),
        ("", "", False),
        ("data: p.csv, ", "data: more.csv, ", True),
    ],
    ids=["a copy", "the original", "none", "neither", "another table"],
)
def test_without_a_ledger_those_of_one_table_are_looked_at_together(
    repository: Repository, first: str, second: str, passes: bool
) -> None:
    """`more` has one record more, which the second table leaves out."""
    repository.write("copy.csv", PEOPLE)
    repository.write("others.csv", OTHERS)
    repository.write("more.csv", PEOPLE + "1,M,yes\n")
    releasing(repository, [release("all", first), release("without", second)], ledger=False)
    expected = GateStatus.PASS if passes else GateStatus.FAIL
    assert repository.gate().verdict is expected
    if passes:
        repository.write("auditor.yaml", f"{Path('auditor.yaml').read_text()}trusted: {{ledger: releases.jsonl}}\n")
        assert repository.gate().verdict is not GateStatus.PASS, "a ledger is one for all tables"


def test_without_a_ledger_and_without_tables_those_of_another_policy_are_apart(repository: Repository) -> None:
    repository.write("policies/other.yaml", POLICY.replace("name: tables", "name: other"))
    lines = [release("all", ""), release("without", "", "policies/other.yaml")]
    releasing(repository, lines, ledger=False)
    assert repository.gate().verdict is GateStatus.PASS


def test_under_the_base_policy_they_are_looked_at_together_too(repository: Repository) -> None:
    releasing(repository, [release("all"), release("without")], ledger=False)
    repository.replace("policies/tables.yaml", "differencing: true", "differencing: false")
    repository.commit()
    result = repository.gate()
    assert statuses(result) == {"all": GateStatus.WEAKENED, "without": GateStatus.WEAKENED}
    assert {each.base_verdict for each in result.releases} == {"fail"}
    assert named(result, "all").base_failing == ("frequency-table-differencing",)
