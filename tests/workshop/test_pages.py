"""Every page of the project: its links lead somewhere, and what it shows is what happens."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.audit import check
from tests.workshop import pages
from tests.workshop.pages import LENIENT, LINK, ROOT, Command, fences

pytestmark = pytest.mark.slow

DOCS = ROOT / "docs"
PAGES = pages.pages()
EXECUTED = [
    DOCS / "tutorial.md",
    DOCS / "exit-codes.md",
    DOCS / "report.md",
    DOCS / "remediation.md",
    DOCS / "mask.md",
    DOCS / "tradeoff.md",
    DOCS / "queries.md",
    DOCS / "diff.md",
    DOCS / "policy-tests.md",
    DOCS / "outputs.md",
    DOCS / "gate.md",
    DOCS / "lock.md",
    DOCS / "tutorial-gate.md",
    DOCS / "waivers.md",
    DOCS / "certificates.md",
    DOCS / "since.md",
    DOCS / "sequence.md",
    DOCS / "contracts.md",
]
RUN_BY_CI = {"make demo", "make test"}
"""Commands of the README that install the project and run it, the tests included: `.ci/run` runs them."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_pages_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            found = page.parent / target
            assert found.exists(), target
            assert not anchor or anchor in pages.anchors(found), f"{target}#{anchor}"


@pytest.mark.parametrize("index", sorted(DOCS.rglob("README.md")), ids=lambda index: index.parent.name)
def test_an_index_names_every_page_beside_it(index: Path) -> None:
    text = index.read_text(encoding="utf-8")
    beside = {page.name for page in index.parent.glob("*.md")} - {index.name}
    below = {f"{page.parent.name}/{page.name}" for page in index.parent.glob("*/README.md")}
    for named in beside | below:
        assert f"({named})" in text, named


@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_what_a_page_tells_to_type_answers_as_it_says(page: Path, tmp_path: Path) -> None:
    pages.write_files(page, tmp_path)
    listed = pages.commands(page)
    assert listed
    pages.run(listed, tmp_path)


def test_the_two_commands_of_the_readme_run_in_ci() -> None:
    """The others run in the bare environment of `test_wheel.py`."""
    listed = {command.words for command in pages.commands(ROOT / "README.md")}
    assert listed >= RUN_BY_CI
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert all(command in ci for command in RUN_BY_CI)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_demonstrations_commands_run(tmp_path: Path) -> None:
    page = DOCS / "demo.md"
    pages.write_files(page, tmp_path)
    mine = [sys.executable, str(ROOT / "reports" / "rules.py"), "--mine", str(tmp_path / "out")]
    voters = [sys.executable, str(ROOT / "reports" / "voters.py"), "--data", str(tmp_path / "out")]
    for prepare in (mine, voters):
        subprocess.run(prepare, check=True)  # what `make demo` leaves behind
    listed = pages.commands(page)
    assert listed
    pages.run(listed, tmp_path)


def test_a_wrong_answer_is_noticed(tmp_path: Path) -> None:
    pages.run([Command("echo one two", "one ...\n"), Command("false", ""), Command("echo $?", "1\n")], tmp_path)
    for wrong in (
        [Command("echo one", "two\n")],
        [Command("false", "")],
        [Command("true", ""), Command("echo $?", "1")],
    ):
        with pytest.raises(AssertionError):
            pages.run(wrong, tmp_path)


def test_the_python_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = DOCS / "python.md"
    pages.write_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    source = "\n".join(fence.text for fence in fences(page) if fence.language == "python")
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, page.name, 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=LENIENT).run(test).failed == 0


def test_the_numbers_of_the_missing_values_page(tmp_path: Path) -> None:
    """The groups are counted by hand here, and the program's figures stand beside them."""
    page = DOCS / "missing-values.md"
    pages.write_files(page, tmp_path)
    rows = [line.split(",") for line in (tmp_path / "people.csv").read_text(encoding="utf-8").splitlines()[1:]]
    records = [tuple(row[:2]) for row in rows]
    counted = {
        "value": [records.count(record) for record in records],
        "wildcard": [sum(_agree(record, other) for other in records) for record in records],
    }
    text = page.read_text(encoding="utf-8")
    table = [re.split(r"\s*\|\s*", line.strip("| \n")) for line in text.splitlines() if re.match(r"\| \d+ ", line)]
    assert [row[1:3] for row in table] == [[value or "—" for value in record] for record in records]
    assert [int(row[3]) for row in table] == counted["value"]
    assert [int(row[4]) for row in table] == counted["wildcard"]
    attributes = {"age": "quasi-identifier", "zip": "quasi-identifier", "diagnosis": "sensitive"}
    for meaning, sizes in counted.items():
        policy = {"version": 1, "name": "m", "missing": meaning, "attributes": attributes}
        result = check(tmp_path / "people.csv", {**policy, "requirements": [{"model": "k-anonymity", "k": 1}]})
        assert result.classes is not None
        assert result.classes.count == len(set(records))
        assert (result.classes.smallest, result.classes.largest) == (min(sizes), max(sizes))
        assert result.classes.sample_uniques == sizes.count(1)


def _agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return all(a == b or not a or not b for a, b in zip(one, other, strict=True))
