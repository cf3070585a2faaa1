"""The gate's document as the input of OPA: the example rule, run by an interpreter of Rego."""

from __future__ import annotations

import json
from typing import Any

import pytest

from auditor.report import redact
from auditor.result import Audience
from tests.gate.repository import MANIFEST, Repository
from tests.schema import problems
from tests.workshop.pages import ROOT

regopy = pytest.importorskip("regopy", reason="regopy, an interpreter of Rego, is not installed")
RULE = (ROOT / "templates" / "gate.rego").read_text(encoding="utf-8")


def denied(document: dict[str, Any]) -> list[str]:
    """What the rule says of a document."""
    interpreter = regopy.Interpreter()
    interpreter.add_module("gate", RULE)
    interpreter.set_input(document)
    found = interpreter.query("data.auditor.deny")
    said: list[str] = json.loads(str(found))["expressions"][0]
    return sorted(said)


def document(repository: Repository, audience: Audience = Audience.REVIEWER) -> dict[str, Any]:
    written: dict[str, Any] = json.loads(json.dumps(redact(repository.gate(), audience).to_dict()))
    assert problems(written) == []
    return written


@pytest.mark.parametrize("audience", Audience)
def test_a_release_that_meets_its_policy_is_not_denied(repository: Repository, audience: Audience) -> None:
    assert denied(document(repository, audience)) == []


def test_what_the_gate_closes_is_denied(repository: Repository) -> None:
    repository.replace("policies/clinic.yaml", "l: 2", "l: 1")
    assert denied(document(repository)) == ["the gate is closed: weakened"]
    assert denied(json.loads(json.dumps(redact(repository.gate(base="none"), Audience.PUBLIC).to_dict()))) == [
        "nothing was compared: there is no base revision"
    ]


def test_a_release_for_nobody_and_for_nothing_is_denied(repository: Repository) -> None:
    repository.write("auditor.yaml", MANIFEST.replace(", purpose: teaching", ""))
    assert "clinic: names no recipients or no purpose" in denied(document(repository))


@pytest.mark.parametrize("more", ["recipients: [' '], purpose: x", "recipients: [x], purpose: ' '", "recipients: ['']"])
def test_blanks_are_nobody_and_nothing(repository: Repository, more: str) -> None:
    repository.write("auditor.yaml", MANIFEST.replace("recipients: [university], purpose: teaching", more))
    assert "clinic: names no recipients or no purpose" in denied(document(repository))


@pytest.mark.parametrize("public", ["public", "Public", "' PUBLIC '"])
def test_what_is_public_is_excused_by_nobody(repository: Repository, public: str) -> None:
    """A weakening that the gate lets pass, because it is approved, and the rule of the house does not."""
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", MANIFEST.replace("[university]", f"[{public}]"))
    repository.commit("for everybody")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace("policies/clinic.yaml", "l: 2", "l: 1")
    (release,) = repository.gate().releases
    text = (repository.top / "auditor.yaml").read_text(encoding="utf-8")
    entry = f"weakenings: [{{change: {release.change}, reason: agreed, approved_by: dpo@example.org}}]\n"
    repository.write("auditor.yaml", text + entry)
    found = document(repository)
    assert found["verdict"] == "pass"
    assert denied(found) == ["clinic: is public, and dpo@example.org approved that it is weakened"]


@pytest.mark.parametrize("other", [{}, {"command": "check"}, {"command": "gate", "schema_version": 2}])
def test_another_document_is_denied(other: dict[str, Any]) -> None:
    assert "the input is no result of auditor gate, schema version 1" in denied(other)
