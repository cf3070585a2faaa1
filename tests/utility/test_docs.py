"""The examples in this room's docstrings and on its first page, and that asking for the room loads nothing heavy."""

import doctest
import pkgutil
import re
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

import auditor.utility
from tests.workshop.pages import ROOT

MODULES = [module.name for module in pkgutil.iter_modules(auditor.utility.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    assert doctest.testmod(import_module(f"auditor.utility.{name}")).failed == 0


def test_there_are_examples():
    found = [doctest.DocTestFinder().find(import_module(f"auditor.utility.{name}")) for name in MODULES]
    assert sum(bool(test.examples) for tests in found for test in tests) >= 4


def test_the_example_of_the_page_runs():
    page = (ROOT / "docs" / "utility" / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    original = np.arange(6.0).reshape(3, 2)
    names = {"original": original, "candidates": [original, original + 1]}
    exec(program, names)
    assert [loss.average > 0 for loss in names["losses"]] == [False, True]


def test_every_export_is_named_on_a_page():
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "utility").glob("*.md"))
    functions = [name for name in auditor.utility.__all__ if name.islower()]
    assert [name for name in functions if name not in pages] == []


def test_asking_for_the_room_loads_nothing_heavy():
    program = "import sys, auditor.utility; print({'scipy', 'sklearn', 'pandas', 'duckdb'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
