"""Releases of tables of the same people: each passes alone, and two of them differ by one person."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from auditor.result.gate import GateResult, GateStatus, ReleaseResult
from tests.gate.repository import Repository

PEOPLE = "zip,sex,smoker\n" + 3 * "1,F,no\n1,M,no\n2,F,no\n2,M,no\n" + "2,M,yes\n"
"""Three or four people of each zip and sex; one of the last four smokes."""
POLICY = """\
version: 1
name: tables
attributes: {zip: quasi-identifier, sex: quasi-identifier, smoker: sensitive}
outputs:
  - {type: frequency-table, min_cell: 2, differencing: true}
"""
ALL = {"type": "frequency-table", "by": ["zip"], "cells": [{"key": ["1"], "count": 6}, {"key": ["2"], "count": 7}]}
WITHOUT = {
    "type": "frequency-table",
    "by": ["zip"],
    "where": {"smoker": "no"},
    "cells": [{"key": ["1"], "count": 6}, {"key": ["2"], "count": 6}],
}
"""Those who do not smoke: in zip 2 one fewer than all."""
SEXES = {"type": "frequency-table", "by": ["sex"], "cells": [{"key": ["F"], "count": 6}, {"key": ["M"], "count": 7}]}
"""Beside either of the others nothing small follows: all men, and no table of men by zip."""
TABLES = {"all": ALL, "sexes": SEXES, "without": WITHOUT}


def release(name: str, table: str = "data: p.csv, ", policy: str = "policies/tables.yaml") -> str:
    """A release's line in the manifest."""
    return f"  {name}: {{policy: {policy}, {table}outputs: {name}.json, recipients: [x], purpose: y}}\n"


def releasing(
    repository: Repository, lines: Iterable[str], *, ledger: bool = True, tables: dict[str, Any] | None = None
) -> None:
    """Main releases these, each of which passes alone; with a ledger that is empty as yet."""
    repository.git("checkout", "-q", "main")
    trusted = "trusted: {ledger: releases.jsonl}\n" if ledger else ""
    repository.write("auditor.yaml", f"version: 1\nreleases:\n{''.join(lines)}{trusted}")
    repository.write("policies/tables.yaml", POLICY)
    repository.write("p.csv", PEOPLE)
    for name, table in (tables or TABLES).items():
        repository.write(f"{name}.json", json.dumps(table))
    repository.commit("tables")
    repository.git("checkout", "-q", "-B", "change")


def statuses(result: GateResult) -> dict[str, GateStatus]:
    return {each.name: each.status for each in result.releases}


def named(result: GateResult, name: str) -> ReleaseResult:
    return next(each for each in result.releases if each.name == name)
