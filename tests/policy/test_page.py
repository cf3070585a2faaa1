"""docs/policy.md against the language: its policies load, and it leaves no key out."""

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from auditor.policy import Policy, load_policy
from auditor.policy.attributes import Attribute, Role, ValueType
from auditor.policy.file.yaml import MAX_BYTES, MAX_DEPTH, MAX_NODES
from auditor.policy.outputs import Output
from auditor.policy.queries import Queries
from auditor.policy.remediation import Remediation
from tests.workshop.pages import ROOT, fences, write_files

PAGE = ROOT / "docs" / "policy.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_its_policies_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(PAGE, tmp_path)
    clinic, research = load_policy("clinic.yaml"), load_policy("research.yaml")
    assert [r.id for r in clinic.requirements] == ["k", "distinct-l-diversity", "t-closeness"]
    assert [r.id for r in research.requirements] == ["k", "distinct-l-diversity", "max-risk", "lab"]
    assert research.attributes["age"].hierarchy == clinic.attributes["age"].hierarchy
    assert (research.attributes["age"].type, research.attributes["lab_*"].role) == ("integer", "sensitive")


def test_its_fragments_are_policies_once_there_is_a_requirement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P_PERCENT", "10")
    fragments = [fence.text for fence in fences(PAGE) if fence.language == "yaml" and not fence.file]
    assert len(fragments) == 4
    for fragment in fragments:
        (tmp_path / "p.yaml").write_text(fragment + "requirements: [{id: k, model: k-anonymity, k: 11}]\n")
        assert load_policy(tmp_path / "p.yaml").requirements


@pytest.mark.parametrize(
    "names",
    [
        list(Policy.model_fields),
        list(Attribute.model_fields),
        list(Remediation.model_fields),
        list(Queries.model_fields),
        list(get_args(Role)),
        [model.model_fields["type"].default for model in get_args(get_args(Output)[0])],
    ],
    ids=["policy", "attribute", "remediation", "queries", "roles", "outputs"],
)
def test_it_names_everything(names: list[str]) -> None:
    for name in names:
        assert re.search(rf"[`{{ ]{name}[`:]", TEXT) or f"`{name}" in TEXT or f" {name}:" in TEXT, name


def test_it_names_every_type_of_value() -> None:
    assert f"a `type` ({', '.join(get_args(ValueType))};" in " ".join(TEXT.split())


def test_its_limits_are_the_programs() -> None:
    assert MAX_BYTES == 1 << 20
    assert f"{MAX_NODES:,}" in TEXT
    assert f"{MAX_DEPTH} levels" in TEXT


def test_its_example_is_plain_yaml() -> None:
    for fence in fences(PAGE):
        if fence.language == "yaml":
            assert isinstance(yaml.safe_load(fence.text), dict)
