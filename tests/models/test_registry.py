"""What every model must declare about itself, so that policies, documents and comparisons can rely on it."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

from auditor.models import (
    ClassModel,
    ColumnRequirement,
    GroupedRequirement,
    Requirement,
    Stricter,
    TableModel,
    registry,
)

NAMES = [
    "allowed-values",
    "alpha-k-anonymity",
    "average-risk",
    "basic-beta-likeness",
    "delta-disclosure",
    "distinct-l-diversity",
    "enhanced-beta-likeness",
    "entropy-l-diversity",
    "k-anonymity",
    "max-risk",
    "minimum-level",
    "p-sensitive-k-anonymity",
    "recursive-l-diversity",
    "t-closeness",
    "uniqueness",
]

GRANTED = {"k-anonymity", "max-risk", "distinct-l-diversity", "p-sensitive-k-anonymity"}
"""The models that stay monotone with suppression."""
READING = {"t-closeness", "basic-beta-likeness", "enhanced-beta-likeness", "delta-disclosure"}
"""The models whose number depends on the reference distribution."""

every_model = pytest.mark.parametrize("model", registry().values(), ids=registry())
every_measure = pytest.mark.parametrize(
    "model", [m for m in registry().values() if issubclass(m, (ClassModel, TableModel))], ids=lambda m: m.__name__
)


def test_the_registry_finds_every_file() -> None:
    assert list(registry()) == sorted(NAMES)


@every_model
def test_a_model_has_one_name_everywhere(model: type[Requirement]) -> None:
    """``k-anonymity`` in policies is ``k_anonymity.py`` and ``KAnonymity`` in code."""
    name = model.model_fields["model"].default
    assert model.__module__ == f"auditor.models.{name.replace('-', '_')}"
    assert model.__name__ == "".join(part.capitalize() for part in name.split("-"))


@every_model
def test_every_field_says_what_it_means_and_which_way_is_stricter(model: type[Requirement]) -> None:
    for name, field in model.model_fields.items():
        if name != "model":
            assert len([mark for mark in field.metadata if isinstance(mark, Stricter)]) == 1, name
            assert field.description, name
            assert field.description.endswith("."), name


@every_model
def test_every_model_has_a_source_an_example_and_its_own_words(model: type[Requirement]) -> None:
    assert re.search(r"\b(19|20)\d\d\b|CFR", model.SOURCE)
    assert str(model.model_fields["model"].default) in model.EXAMPLE
    assert len((inspect.getdoc(model) or "").split()) > 20


@every_measure
def test_the_direction_of_the_bound_is_that_of_the_comparison(model: type[ClassModel | TableModel]) -> None:
    higher = model.comparison == ">="
    assert _direction(model, model.bound_field) is (Stricter.HIGHER if higher else Stricter.LOWER)
    size_field = getattr(model, "size_field", None)
    assert size_field is None or _direction(model, size_field) is Stricter.HIGHER


@every_measure
def test_monotonicity_is_what_the_definitions_grant(model: type[ClassModel | TableModel]) -> None:
    name = model.model_fields["model"].default
    assert model.monotone.generalization
    assert model.monotone.suppression is (name in GRANTED)
    assert getattr(model, "reads_reference", False) is (name in READING)


@every_model
def test_a_model_is_of_one_kind(model: type[Requirement]) -> None:
    kinds = (ClassModel, TableModel, ColumnRequirement)
    assert sum(issubclass(model, kind) for kind in kinds) == 1
    assert issubclass(model, GroupedRequirement) is not issubclass(model, ColumnRequirement)


def test_models_load_no_engine_no_dataframe_library_and_no_solver() -> None:
    """Half a second each: only who needs one pays for it."""
    heavy = {"duckdb", "pandas", "scipy", "pyarrow", "polars"}
    code = f"import sys, auditor.models as m; m.registry(); print(sorted({heavy!r} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def _direction(model: type[Requirement], name: str) -> Stricter:
    (direction,) = (mark for mark in model.model_fields[name].metadata if isinstance(mark, Stricter))
    return direction
