"""The published schema of result documents: fresh, a schema, and what documents are held to."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import jsonschema
import pytest

from auditor.cli import invoke
from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.report import formats, redact
from auditor.report.comparison import ComparisonPage
from auditor.result import SCHEMA_VERSION, Audience, Result, generate
from auditor.result.json_schema import COMMANDS, result_schema
from tests.report.every import EVERY
from tests.schema import problems
from tests.workshop.pages import ROOT

EXAMPLES = sorted((ROOT / "reports").rglob("*.json"))


def test_the_committed_schema_is_fresh() -> None:
    assert generate.SCHEMA_FILE.read_text(encoding="utf-8") == generate.schema_text(), (
        "run python -m auditor.result.generate"
    )


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["schema", "result"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == result_schema()
    assert printed["$id"] == f"urn:auditor:result:{SCHEMA_VERSION}"
    jsonschema.Draft202012Validator.check_schema(printed)


@pytest.mark.parametrize("audience", Audience)
@pytest.mark.parametrize("sample", EVERY.values(), ids=EVERY)
def test_every_sample_for_every_audience_is_valid(sample: Callable[[], Result], audience: Audience) -> None:
    document = json.loads(json.dumps(redact(sample(), audience).to_dict()))
    assert problems(document) == []


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_every_example_is_valid_by_the_whole_schema(file: Any) -> None:
    document = json.loads(file.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(result_schema()).validate(document)


def test_a_comparison_is_valid() -> None:
    found = compare(load_policy("cms-cell-11"), load_policy("opensafely"))
    assert found.differences
    assert problems(json.loads(formats.write(ComparisonPage(found), "json"))) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["verdict"], "fine"),
        (["schema_version"], 2),
        (["command"], "gate"),
        (["requirements", 0, "status"], None),
        (["policy"], "clinic"),
        (["data", "rows"], "many"),
        (["invented"], 1),
    ],
    ids=lambda part: "/".join(map(str, part)) if isinstance(part, list) else "",
)
def test_a_wrong_document_is_not_valid(path: list[Any], value: Any) -> None:
    right = json.loads(json.dumps(redact(EVERY["failing"](), Audience.INTERNAL).to_dict()))
    assert problems(right) == []
    wrong = copy.deepcopy(right)
    place = wrong
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    found = problems({**wrong, "command": "check"}) if path == ["invented"] else problems(wrong)
    assert found


def test_no_document_is_forgotten() -> None:
    """Every class of results that has a command of its own is the document of one."""
    from auditor import result

    modules = [import_module(f"auditor.result.{each.name}") for each in iter_modules(result.__path__)]
    shapes = [each for module in modules for each in vars(module).values() if dataclasses.is_dataclass(each)]
    named = {each for each in shapes if "command" in {field.name for field in dataclasses.fields(each)}}
    assert named == set(COMMANDS.values())
