"""``auditor explain``: what a model demands."""

import pytest
import yaml

from auditor.cli import invoke
from auditor.models import registry
from auditor.policy import load_policy


def test_without_a_model_it_lists_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["explain"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == list(registry())


@pytest.mark.parametrize("name", list(registry()))
def test_everything_about_a_model(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["explain", name]) == 0
    out = capsys.readouterr().out
    model = registry()[name]
    assert out.startswith(f"{name}\n")
    assert model.SOURCE in out
    assert model.EXAMPLE in out
    for parameter, field in model.model_fields.items():
        if parameter != "model":
            assert f"  {parameter}  (" in out
            assert str(field.description) in out


@pytest.mark.parametrize("name", list(registry()))
def test_every_example_is_a_requirement(name: str) -> None:
    """Examples are what readers copy, so they must load."""
    example = yaml.safe_load(registry()[name].EXAMPLE)
    column = {"role": "sensitive", "hierarchy": "suppress"}
    named = {str(example[key]) for key in ("sensitive", "attribute") if key in example} or {"ill"}
    policy = load_policy({"attributes": dict.fromkeys(named, column), "requirements": [example]})
    assert policy.requirements[0].name == name


def test_directions_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    invoke(["explain", "recursive-l-diversity"])
    out = capsys.readouterr().out
    assert "c  (number; required; stricter when lower)" in out
    assert "l  (whole number; required; stricter when higher)" in out


def test_an_unknown_model_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["explain", "k-anonimity"]) == 2
    captured = capsys.readouterr()
    assert "did you mean 'k-anonymity'?" in captured.err
    assert captured.out == ""
