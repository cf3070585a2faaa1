"""Every table of docs/hierarchies.md is what the ladder above it gives; every example in a docstring runs."""

import doctest
import re

import pytest

from auditor.hierarchies import _spec, build, entries, groups, tree, words
from auditor.policy import load_policy
from tests.conftest import ROOT

EXAMPLE = re.compile(r"```yaml\n(?P<spec>[^`]*?)```\n\n(?P<table>(?:\|.*\n)+)")
BUILDERS = (*entries(), *words())
HEADINGS = {"icd10": "ICD-10"}
PAGE = (ROOT / "docs" / "hierarchies.md").read_text("utf-8")


POLICY = """\
version: 1
name: page
attributes:
  column:
    role: quasi-identifier
    hierarchy:
      {spec}
requirements:
  - {{model: k-anonymity, k: 2}}
"""


def rows(table):
    """The rows of a Markdown table without its head and rule, as tuples of cells."""
    return [tuple(cell.strip() for cell in line.strip("|\n").split("|")) for line in table.splitlines()[2:]]


@pytest.mark.parametrize(
    ("spec", "table"),
    [(found["spec"], found["table"]) for found in EXAMPLE.finditer(PAGE)],
    ids=lambda text: text.split(":")[0],
)
def test_the_page_shows_what_the_program_builds(spec, table, tmp_path):
    expected = rows(table)
    (tmp_path / "policy.yaml").write_text(POLICY.format(spec=spec.replace("\n", "\n      ")), "utf-8")
    hierarchy = load_policy(tmp_path / "policy.yaml").attributes["column"].hierarchy
    ladder = build(
        hierarchy if isinstance(hierarchy, str) else hierarchy.model_dump(), [row[0] for row in expected], "column"
    )
    assert list(zip(*ladder.levels, strict=True)) == expected


def test_every_builder_has_a_section():
    assert len(EXAMPLE.findall(PAGE)) >= len(BUILDERS) > 1
    for name in BUILDERS:
        assert f"\n## {HEADINGS.get(name, name.capitalize())}\n" in PAGE


@pytest.mark.parametrize("module", [_spec, groups, tree], ids=lambda module: module.__name__)
def test_the_examples_of_docstrings_run(module):
    outcome = doctest.testmod(module)
    assert (outcome.failed, outcome.attempted > 0) == (0, True)
