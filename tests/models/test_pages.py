"""docs/models: every model has its page with the same headings, fresh tables, and an example whose numbers are true."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import auditor
from auditor.classes import ClassTable, Domain
from auditor.models import ClassModel, registry
from auditor.models._distances.transport import violates_triangle
from tests.models.pages import FOLDER, refreshed
from tests.strategies import table_of

HEADINGS = [
    "What it demands",
    "The number",
    "When a class satisfies it",
    "Attacker",
    "Example",
    "Parameters",
    "Monotone?",
    "Undefined cases",
    "Source",
]
WRONG = "✗"
BEFORE = " before"
"""Ends the name of a column that holds what the original has."""
ORIGINAL = "original.csv"
EARLIER, ABSENT = " earlier", "–"
"""Ends the name of a column that holds what an earlier release has; what stands where a release lacks a record."""
PREVIOUS = "previous.csv"
every_page = pytest.mark.parametrize("name", registry())


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text("utf-8")


def test_every_model_has_a_page_and_every_page_a_model() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == {*registry(), "README"}


@every_page
def test_every_page_has_the_same_headings_and_says_something_under_each(name: str) -> None:
    sections = re.split(r"^## (.+)$", text_of(name), flags=re.MULTILINE)
    assert sections[1::2] == HEADINGS
    assert re.match(r"# .+\n\s*$", sections[0])
    assert all(len(body.split()) > 3 for body in sections[2::2])


@pytest.mark.parametrize("name", [*registry(), "README"])
def test_generated_parts_are_fresh(name: str) -> None:
    """If this fails, run ``python -m tests.models.pages``."""
    assert refreshed(text_of(name), name) == text_of(name)


@pytest.mark.parametrize("name", registry())
def test_the_entry_of_a_page_is_a_valid_requirement(name: str) -> None:
    (entry,) = yaml.safe_load(registry()[name].EXAMPLE.join(["[", "]"]))
    assert registry()[name](**entry).name == name


@dataclass(frozen=True)
class Example:
    """The worked example of a page: a policy, a table of records, and what each requirement finds in each class."""

    section: str

    @classmethod
    def of(cls, name: str) -> Example:
        return cls(text_of(name).partition("\n## Example\n")[2].partition("\n## ")[0])

    @cached_property
    def policy(self) -> dict[str, Any]:
        policy: dict[str, Any] = yaml.safe_load(self._block("yaml"))
        return policy

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """The records, as many of each as the last column says."""
        return [row for row in self._table(0) for _ in range(int(row["records"]))]

    @cached_property
    def findings(self) -> list[dict[str, str]]:
        return self._table(1)

    @cached_property
    def classes(self) -> list[str]:
        """The classes, as the findings' header names them."""
        return [column for column in self.findings[0] if column not in {"requirement", "achieved"}]

    def write(self, folder: Path) -> tuple[Path, Path]:
        """The data, the policy and its cost matrix as files."""
        data, policy = folder / "data.csv", folder / "policy.yaml"
        with data.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self.policy["attributes"], extrasaction="ignore")
            writer.writeheader()
            writer.writerows(
                row for row in self.rows if ABSENT not in [row[name] for name in self.policy["attributes"]]
            )
        if any(name.endswith(BEFORE) for name in self.rows[0]):
            self._write_beside(folder / ORIGINAL, BEFORE)
        if any(name.endswith(EARLIER) for name in self.rows[0]):
            self._write_beside(folder / PREVIOUS, EARLIER)
        policy.write_text(self._block("yaml"), "utf-8")
        if "```csv" in self.section:
            name = "population.csv" if "sample" in self.policy else "costs.csv"
            (folder / name).write_text(self._block("csv"), "utf-8")
        return data, policy

    def _write_beside(self, path: Path, ending: str) -> None:
        """What each record was elsewhere, where a column says so."""
        names = list(self.policy["attributes"])
        rows = [[row.get(name + ending, row[name]) for name in names] for row in self.rows]
        path.write_text("\n".join(",".join(row) for row in [names, *rows] if ABSENT not in row), "utf-8")

    def table(self) -> ClassTable:
        """The class table, in the order of the findings' header."""
        order = self._order
        counts = [[0] * len(order) for _ in self.classes]
        for row in self.rows:
            where = ", ".join(row[column] for column in self._quasi_identifiers)
            counts[self.classes.index(where)][order.index(row["diagnosis"])] += 1
        reference = np.array(counts).sum(axis=0)
        domain = Domain(tuple(order), reference, np.arange(len(order)), self._ladder, self._costs)
        return replace(table_of(counts, domain), people=self._people)

    @property
    def _people(self) -> Any:
        """The persons of each class in the population, where the example has one."""
        if "sample" not in self.policy:
            return None
        people: Counter[str] = Counter()
        for row in csv.DictReader(self._block("csv").splitlines()):
            people[", ".join(row[column] for column in self._quasi_identifiers)] += int(row["persons"])
        return np.array([people[where] for where in self.classes])

    @property
    def _quasi_identifiers(self) -> list[str]:
        return [name for name in self.policy["attributes"] if name != "diagnosis"]

    @property
    def _order(self) -> list[str]:
        attribute = self.policy["attributes"]["diagnosis"]
        return attribute["order"] if isinstance(attribute, dict) else sorted({row["diagnosis"] for row in self.rows})

    @property
    def _ladder(self) -> Any:
        attribute = self.policy["attributes"]["diagnosis"]
        if not isinstance(attribute, dict):
            return None
        (groups,) = attribute["hierarchy"]["tree"].values()
        above = [next(i for i, members in enumerate(groups.values()) if value in members) for value in self._order]
        return np.array([range(len(above)), above, [0] * len(above)])

    @property
    def _costs(self) -> Any:
        if "```csv" not in self.section or "sample" in self.policy:
            return None
        header, *rows = csv.reader(self._block("csv").splitlines())
        assert header[1:] == [row[0] for row in rows] == self._order
        return np.array([[float(cost) for cost in row[1:]] for row in rows])

    def _block(self, language: str) -> str:
        return self.section.partition(f"```{language}\n")[2].partition("```")[0]

    def _table(self, number: int) -> list[dict[str, str]]:
        tables = re.findall(r"(?:^\|.*\|\n)+", self.section, flags=re.MULTILINE)
        header, _, *rows = (
            [cell.strip() for cell in line.strip("|").split("|")] for line in tables[number].splitlines()
        )
        return [dict(zip(header, row, strict=True)) for row in rows]


def check_number(shown: str, number: float, *, wrong: bool) -> None:
    """A number as a page shows it: rounded to its own decimals, ∞ for infinity, marked where it violates."""
    assert (WRONG in shown) is wrong
    digits = shown.removesuffix(WRONG).strip()
    if digits == "∞":
        assert number == np.inf
    else:
        assert round(number, len(digits.partition(".")[2])) == float(digits)


@every_page
def test_the_numbers_of_an_example_are_what_the_model_computes(name: str) -> None:
    example = Example.of(name)
    for entry, finding in zip(example.policy["requirements"], example.findings, strict=True):
        assert entry["model"] == name
        if issubclass(registry()[name], ClassModel):
            requirement = registry()[name](**entry)
            table = example.table()
            numbers = requirement.measure(table)
            wrong = requirement.violates(table, numbers)
            for index, where in enumerate(example.classes):
                check_number(finding[where], numbers[index], wrong=bool(wrong[index]))
        else:
            assert not any(finding[where] for where in example.classes)


@every_page
def test_an_audit_of_an_example_finds_what_the_page_says(name: str, tmp_path: Path) -> None:
    example = Example.of(name)
    data, policy = example.write(tmp_path)
    original, previous = tmp_path / ORIGINAL, tmp_path / PREVIOUS
    beside = {"original": original} if original.exists() else {"previous": [previous]} if previous.exists() else {}
    result = auditor.check(data, policy, **beside)
    found = {each.id: each for each in result.requirements if each.model != "previous-release"}
    assert list(found) == [finding["requirement"] for finding in example.findings]
    for finding in example.findings:
        requirement = found[finding["requirement"]]
        violated = any(WRONG in cell for cell in finding.values())
        assert requirement.status == ("fail" if violated else "pass")
        achieved = finding["achieved"]
        check_number(achieved, float(requirement.achieved), wrong=WRONG in achieved)


def test_the_example_of_costs_obeys_the_triangle_inequality() -> None:
    """So that the hand calculation on the page needs no detours."""
    costs = Example.of("t-closeness")._costs
    assert not violates_triangle(costs)
