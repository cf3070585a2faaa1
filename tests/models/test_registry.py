"""What every model must declare about itself, so that policies, documents and comparisons can rely on it."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import auditor.models
from auditor.models import (
    ClassModel,
    ColumnRequirement,
    GroupedRequirement,
    RecordRequirement,
    Requirement,
    SequenceRequirement,
    Stricter,
    TableModel,
    registry,
)

DEFINED = {
    "k-anonymity": {"suppression"},
    "max-risk": {"suppression"},
    "distinct-l-diversity": {"suppression"},
    "p-sensitive-k-anonymity": {"suppression"},
    "alpha-k-anonymity": set(),
    "entropy-l-diversity": set(),
    "recursive-l-diversity": set(),
    "average-risk": set(),
    "uniqueness": set(),
    "t-closeness": {"reference"},
    "basic-beta-likeness": {"reference"},
    "enhanced-beta-likeness": {"reference"},
    "delta-disclosure": {"reference"},
}
"""What the definitions say of each model that stays monotone by merging: with suppression too; reads the reference."""

every_model = pytest.mark.parametrize("model", registry().values(), ids=registry())
every_measure = pytest.mark.parametrize(
    "model", [m for m in registry().values() if issubclass(m, (ClassModel, TableModel))], ids=lambda m: m.__name__
)


def test_the_registry_finds_every_file() -> None:
    files = [path.stem for path in Path(auditor.models.__file__).parent.glob("[!_]*.py")]
    assert list(registry()) == sorted(name.replace("_", "-") for name in files)


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


@pytest.mark.parametrize("name", DEFINED)
def test_monotonicity_is_what_the_definitions_grant(name: str) -> None:
    model: Any = registry()[name]
    assert model.monotone.generalization
    assert model.monotone.suppression is ("suppression" in DEFINED[name])
    assert getattr(model, "reads_reference", False) is ("reference" in DEFINED[name])


@every_model
def test_a_model_is_of_one_kind(model: type[Requirement]) -> None:
    kinds = (ClassModel, TableModel, ColumnRequirement, RecordRequirement, SequenceRequirement)
    assert sum(issubclass(model, kind) for kind in kinds) == 1
    assert issubclass(model, GroupedRequirement) is not issubclass(model, ColumnRequirement | RecordRequirement)


def test_models_load_no_engine_no_dataframe_library_and_no_solver() -> None:
    """Half a second each: only who needs one pays for it."""
    heavy = {"duckdb", "pandas", "scipy", "pyarrow", "polars"}
    code = f"import sys, auditor.models as m; m.registry(); print(sorted({heavy!r} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def _direction(model: type[Requirement], name: str) -> Stricter:
    (direction,) = (mark for mark in model.model_fields[name].metadata if isinstance(mark, Stricter))
    return direction
