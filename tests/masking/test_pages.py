"""Every method with a page in docs/masking: the same headings, its own example, source and parameters."""

import re

import pytest
import yaml

from auditor.direction import Stricter
from auditor.masking import registry
from auditor.policy import load_policy
from tests.conftest import ROOT

HEADINGS = [
    "What it does",
    "Formula",
    "Parameters",
    "Example",
    "What it protects, and what it does not",
    "Edge cases",
    "Source",
]
FOLDER = ROOT / "docs" / "masking"
PAGES = sorted(page.stem for page in FOLDER.glob("*.md") if page.stem != "README")


def _plain(text):
    return " ".join(text.split())


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_the_method_is(name):
    method = registry()[name]
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    sections = dict(zip(HEADINGS, re.split(r"^## .*$", text, flags=re.MULTILINE)[1:], strict=True))
    assert _plain(sections["Source"]) == method.SOURCE
    assert f"  - {method.EXAMPLE}\n" in sections["Example"]
    told = re.findall(r"^\| `(\w+)` ", sections["Parameters"], re.MULTILINE)
    assert told == [field for field in method.model_fields if field not in {"method", "sweep"}]


@pytest.mark.parametrize("name", list(registry()))
def test_a_method_needs_no_other_columns_than_it_says(name):
    """The column that a parameter names is one that the method reads."""
    method = registry()[name]
    entry = {**yaml.safe_load(method.EXAMPLE), "key": "0123456789abcdef"}
    masking = method.model_validate({field: value for field, value in entry.items() if field in method.model_fields})
    named = [entry.get("unit"), *entry.get("given", ())]
    assert masking.reads == (*masking.attributes, *(column for column in named if column))


@pytest.mark.parametrize("name", list(registry()))
def test_a_method_is_an_entry_of_a_policy(name, tmp_path, monkeypatch):
    method = registry()[name]
    monkeypatch.setenv("PSEUDONYM_KEY", "0123456789abcdef")
    columns = ", ".join(f"{column}: quasi-identifier" for column in yaml.safe_load(method.EXAMPLE)["attributes"])
    text = f"attributes: {{{columns}}}\nrequirements: [{{model: k-anonymity, k: 2}}]\nprotection: [{method.EXAMPLE}]\n"
    (tmp_path / "policy.yaml").write_text(f"version: 1\nname: p\n{text}", encoding="utf-8")
    (read,) = load_policy(tmp_path / "policy.yaml").protection
    assert isinstance(read, method)
    assert method.SOURCE
    for field in method.model_fields.values():
        assert field.description or field is method.model_fields["method"]
        assert any(isinstance(mark, Stricter) for mark in field.metadata)
