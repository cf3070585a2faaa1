"""The generated parts of docs/models: written by ``python -m tests.models.pages``, proved fresh by test_pages.py."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from auditor.models import (
    ClassModel,
    ColumnRequirement,
    GroupedRequirement,
    PopulationModel,
    RecordRequirement,
    Requirement,
    SensitiveModel,
    SensitiveRequirement,
    SequenceRequirement,
    Stricter,
    TableModel,
    registry,
)
from auditor.models._hooks.records import FollowingRequirement
from auditor.models._hooks.sample import SampleRequirement
from auditor.policy.explain import DIRECTIONS, TYPES

FOLDER = Path(__file__).resolve().parent.parent.parent / "docs" / "models"
SIGNS = {Ge: ("≥", "ge"), Gt: (">", "gt"), Le: ("≤", "le"), Lt: ("<", "lt")}
SHARED = {
    "Every requirement": Requirement,
    "A requirement on equivalence classes": GroupedRequirement,
    "A requirement with a number per class": ClassModel,
    "A requirement on a sensitive attribute": SensitiveRequirement,
    "A model of a class's sensitive values": SensitiveModel,
    "A requirement on releases in sequence": SequenceRequirement,
    "A requirement on a column": ColumnRequirement,
    "A requirement on records": RecordRequirement,
    "A requirement that follows records": FollowingRequirement,
}
"""The headings of README.md for the fields that models share, and the class that declares them."""
KINDS = {
    "Numbers of a class": lambda model: (
        issubclass(model, ClassModel) and not issubclass(model, SensitiveModel | PopulationModel)
    ),
    "Numbers of a class, held against the population": lambda model: issubclass(model, PopulationModel),
    "Numbers of a class's sensitive values": lambda model: issubclass(model, SensitiveModel),
    "Numbers of the whole table": lambda model: issubclass(model, TableModel),
    "People in several releases": lambda model: issubclass(model, SequenceRequirement),
    "Contents of a column": lambda model: issubclass(model, ColumnRequirement),
    "Records of a sample, in its population": lambda model: issubclass(model, SampleRequirement),
    "Records, compared with those of the original": lambda model: (
        issubclass(model, RecordRequirement) and not issubclass(model, SampleRequirement)
    ),
}


def field_table(model: type[Requirement]) -> str:
    """The fields that a class itself declares, as a Markdown table."""
    own = [(name, model.model_fields[name]) for name in inspect.get_annotations(model) if name in model.model_fields]
    lines = ["| Parameter | Type | Default | Direction | Meaning |", "|---|---|---|---|---|"]
    for name, field in own:
        if name != "model":
            lines.append(
                f"| `{name}` | {_type(field)} | {_default(field)} | {_direction(field)} | {field.description} |"
            )
    return "\n".join(lines)


def monotone_lines(model: type[Requirement]) -> str:
    """What the model declares about merging and suppressing."""
    monotone = getattr(model, "monotone", None)
    if monotone is None:
        return "Declared: nothing; the requirement is not about classes."
    merging, suppressing = ("yes" if granted else "no" for granted in (monotone.generalization, monotone.suppression))
    return f"Declared: under generalization {merging}; under generalization with suppression {suppressing}."


def index() -> str:
    """The list of models, by what their number is about."""
    lines = []
    for heading, belongs in KINDS.items():
        lines += [f"### {heading}", ""]
        for name, model in registry().items():
            if belongs(model):
                first = " ".join((inspect.getdoc(model) or "").split("\n\n")[0].split())
                lines.append(f"- [`{name}`]({name}.md): {first}")
        lines.append("")
    return "\n".join(lines).rstrip()


def generated(page: str) -> dict[str, str]:
    """What stands between the markers of a page, by the markers' names."""
    if page == "README":
        parts = {heading: field_table(model) for heading, model in SHARED.items()}
        return {"models": index(), **parts}
    model = registry()[page]
    return {
        "parameters": field_table(model),
        "monotone": monotone_lines(model),
        "source": f"{model.SOURCE}.",
        "entry": f"```yaml\n- {model.EXAMPLE}\n```",
    }


def refreshed(text: str, page: str) -> str:
    """The page of a model with its generated parts replaced."""
    return replaced(text, generated(page))


def replaced(text: str, parts: Mapping[str, str]) -> str:
    """A page with what stands between its markers replaced."""
    for name, content in parts.items():
        begin, end = f"<!-- generated: {name} -->", "<!-- end -->"
        text = re.sub(
            rf"({re.escape(begin)}\n).*?({end})", lambda m, c=content: f"{m[1]}\n{c}\n\n{m[2]}", text, flags=re.DOTALL
        )
    return text


def _type(field: FieldInfo) -> str:
    limits = [f"{sign} {getattr(mark, name):g}" for mark in field.metadata for sign, name in _sign(mark)]
    return ", ".join([" or ".join(_kinds(field.annotation)), *limits])


def _sign(mark: Any) -> list[tuple[str, str]]:
    return [SIGNS[type(mark)]] if type(mark) in SIGNS else []


def _kinds(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return [f"`{value}`" for value in get_args(annotation)]
    if get_origin(annotation) is tuple:
        return ["a list of " + TYPES[get_args(annotation)[0]]]
    if annotation in TYPES:
        return [TYPES[annotation]]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return ["a mapping"]
    return [kind for part in get_args(annotation) if part is not NoneType for kind in _kinds(part)]


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    return "none" if field.default is None else f"`{field.default}`"


def _direction(field: FieldInfo) -> str:
    directions = [
        DIRECTIONS.get(mark, "none: no privacy in it") for mark in field.metadata if isinstance(mark, Stricter)
    ]
    (direction,) = directions
    return direction


def main() -> None:
    """Write the generated parts of every page anew."""
    for path in sorted(FOLDER.glob("*.md")):
        path.write_text(refreshed(path.read_text("utf-8"), path.stem), "utf-8")


if __name__ == "__main__":
    main()
