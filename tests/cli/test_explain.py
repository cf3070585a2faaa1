"""``auditor explain``: what a model demands, what a masking method does."""

import json
from pathlib import Path
from typing import get_args

import pytest
import yaml
from pydantic import BaseModel

from auditor import masking
from auditor.cli import invoke
from auditor.models import PopulationModel, registry
from auditor.policy import demands, load_policy
from auditor.policy.outputs import Output
from auditor.policy.queries import Limits
from auditor.spec import Limit, limits

EVERY_LIMIT = [
    (block, path, limit) for block in (Limits, *get_args(get_args(Output)[0])) for path, limit in limits(block).items()
]
LIMITS = {
    path.split("/")[0].replace("_", "-"): [each for each in EVERY_LIMIT if each[1].split("/")[0] == path.split("/")[0]]
    for _, path, _ in EVERY_LIMIT
}
EXPLAINED = {**registry(), **masking.registry()}


def test_without_a_model_it_lists_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["explain"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == [*registry(), *LIMITS, *masking.registry()]


def test_no_model_no_limit_and_no_method_share_a_name() -> None:
    names = [*registry(), *LIMITS, *masking.registry()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", LIMITS)
def test_everything_about_a_limit(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["explain", name]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{name}\n")
    assert "Pydantic" not in out
    for block, path, limit in LIMITS[name]:
        assert all(said in out for said in (limit.name, limit.finding, limit.source, limit.example))
        assert f"  {path}  (" in out
        assert str(block.model_fields[path.split("/")[0]].description) in out


@pytest.mark.parametrize(
    ("block", "path", "limit"), [pytest.param(*each, id=f"{each[0].__name__}-{each[1]}") for each in EVERY_LIMIT]
)
def test_every_example_of_a_limit_sets_it(
    block: type[BaseModel], path: str, limit: Limit, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its lines stand in a policy as they are, and give the demand that they are an example of.

    `explain` knows the limit by the id that results print, too, and by the parameter as it is written.
    """
    example = yaml.safe_load(limit.example)
    attributes = {"age": "quasi-identifier", "diagnosis": {"role": "sensitive"}}
    if block is Limits:
        policy = load_policy({"attributes": attributes, "queries": example})
        found = list(demands.of_queries(policy))
    else:
        policy = load_policy({"attributes": attributes, "outputs": [example]})
        found = list(demands.of_rule(policy, 0))
    (printed,) = {demand.id for demand in found if demand.parameter == path.rsplit("/", maxsplit=1)[-1]}
    for name in (printed, path.partition("/")[0]):
        assert invoke(["explain", name]) == 0
        assert limit.finding in capsys.readouterr().out


@pytest.mark.parametrize("name", EXPLAINED)
def test_everything_about_a_model(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["explain", name]) == 0
    out = capsys.readouterr().out
    model = EXPLAINED[name]
    assert out.startswith(f"{name}\n")
    assert model.SOURCE in out
    assert model.EXAMPLE in out
    for parameter, field in model.model_fields.items():
        if parameter not in {"model", "method"}:
            assert f"  {parameter}  (" in out
            assert str(field.description) in out


@pytest.mark.parametrize("name", list(registry()))
def test_every_example_is_a_requirement(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples are what readers copy, so they must load."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "register.csv").write_text("age\n", "utf-8")
    example = yaml.safe_load(registry()[name].EXAMPLE)
    column = {"role": "sensitive", "hierarchy": "suppress"}
    named = {str(example[key]) for key in ("sensitive", "attribute") if key in example} or {"ill"}
    named |= {*example.get("attributes", ()), *(example[key] for key in ("match",) if key in example)}
    sample = {"population": "register.csv"} if issubclass(registry()[name], PopulationModel) else {}
    policy = load_policy({"attributes": dict.fromkeys(named, column), "sample": sample, "requirements": [example]})
    assert policy.requirements[0].name == name


@pytest.mark.parametrize("name", list(masking.registry()))
def test_every_example_is_a_masking_method(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with models: an example loads, and what is loaded is the method itself."""
    example = yaml.safe_load(masking.registry()[name].EXAMPLE)
    for value in example.values():
        if isinstance(value, dict) and "secret" in value:
            monkeypatch.setenv(value["secret"], "0123456789abcdef0123456789abcdef")
    demanded = [{"model": "k-anonymity", "k": 2}]
    policy = load_policy(
        {"attributes": dict.fromkeys(example["attributes"], "quasi-identifier"), "requirements": demanded}
        | {"protection": [example]}
    )
    assert type(policy.protection[0]) is masking.registry()[name]


def test_directions_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    invoke(["explain", "recursive-l-diversity"])
    out = capsys.readouterr().out
    assert "c  (number; required; stricter when lower)" in out
    assert "l  (whole number; required; stricter when higher)" in out


def test_an_unknown_model_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["explain", "k-anonimity"]) == 2
    captured = capsys.readouterr()
    assert "did you mean 'k-anonymity'?" in captured.err
    assert len(captured.err) < 160  # not every name that there is
    assert captured.out == ""


POLICY = """\
version: 1
name: rules
attributes: {name: identifier, age: quasi-identifier, pay: {role: sensitive, type: number}}
requirements: [{model: k-anonymity, k: 5}]
queries: {unsupported: fail, limits: {exact_value: deny}}
"""


@pytest.mark.parametrize(
    ("words", "models"),
    [
        (["check", "t.csv"], {"k-anonymity": "explain k-anonymity", "identifiers": "check --help"}),
        (
            ["queries", "log.sql", "-d", "t.csv"],
            {"exact-value": "explain exact-value", "unsupported": "queries --help"},
        ),
    ],
)
def test_the_help_of_a_rule_is_a_command_that_tells(
    words: list[str],
    models: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.yaml").write_text(POLICY, encoding="utf-8")
    Path("t.csv").write_text("name,age,pay\na,30,1\nb,40,2\n", encoding="utf-8")
    Path("log.sql").write_text("SELECT sum(pay) FROM data WHERE age = 30;\nSELECT zip(pay);\n", encoding="utf-8")
    invoke([*words, "-p", "p.yaml", "--format", "sarif"])
    rules = json.loads(capsys.readouterr().out)["runs"][0]["tool"]["driver"]["rules"]
    told = {rule["name"]: rule["help"]["text"] for rule in rules}
    assert told == {model: f"auditor {command}" for model, command in models.items()}
    for command in told.values():
        assert invoke(command.split()[1:]) == 0


def test_a_block_is_told_by_its_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["explain", "k-anonymity"]) == 0
    assert "knows  (mapping of columns, events; " in capsys.readouterr().out
