"""Privacy models: one per file. To add one, add a file with one public class; nothing else lists models by hand.

`registry()` finds them. The recipe is in CONTRIBUTING.md; the hooks are in `auditor.models._base`.
"""

from __future__ import annotations

from functools import cache

from auditor import registry as rooms
from auditor.direction import Stricter
from auditor.models._base import (
    TOLERANCE,
    ClassModel,
    ColumnRequirement,
    GroupedRequirement,
    Requirement,
    SensitiveModel,
    SensitiveRequirement,
    TableModel,
    beyond,
    holds,
    largest_decide,
    monotone_under,
)
from auditor.models._events import EventTable, PersonEvents, PersonValues
from auditor.models._hooks.population import PopulationModel
from auditor.models._hooks.records import RecordRequirement
from auditor.models._hooks.sample import SampleRequirement
from auditor.models._hooks.sequence import ReleasedClasses, ReleaseSequence, SequenceRequirement
from auditor.models._knowledge import Knowledge
from auditor.models._steps import one_step
from auditor.models._summary import Profiles, Summary, bin_edges

__all__ = [
    "TOLERANCE",
    "ClassModel",
    "ColumnRequirement",
    "EventTable",
    "GroupedRequirement",
    "Knowledge",
    "PersonEvents",
    "PersonValues",
    "PopulationModel",
    "Profiles",
    "RecordRequirement",
    "ReleaseSequence",
    "ReleasedClasses",
    "Requirement",
    "SampleRequirement",
    "SensitiveModel",
    "SensitiveRequirement",
    "SequenceRequirement",
    "Stricter",
    "Summary",
    "TableModel",
    "beyond",
    "bin_edges",
    "holds",
    "largest_decide",
    "monotone_under",
    "one_step",
    "registry",
]


@cache
def registry() -> rooms.Family[Requirement]:
    """Every model by its policy name, in alphabetical order; a model is imported when it is asked for."""
    return rooms.Family(__name__, Requirement)
