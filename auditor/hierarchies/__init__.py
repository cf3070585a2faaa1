"""Hierarchies: for one column, the ladder of coarser values that generalization climbs.

A policy says how a column is made coarser (`hierarchy(spec)`); together with the column's distinct values that gives a
`Ladder` (`build(spec, values)`): at each level, the label of each value. There is one builder per file, with the entry
of the policy that asks for it (`HierarchyEntry`); nothing lists them by hand.

What holds for all of them: level 0 is the value itself; values that are equal on one level are equal on every coarser
one; a value that already is a label of the ladder stands unchanged up to its own level and goes on from there; a
missing value is a branch of its own, joining the others only at a level with one value.
"""

from __future__ import annotations

from auditor.hierarchies._base import STAR, TOP, Hierarchy
from auditor.hierarchies._entry import HierarchyEntry
from auditor.hierarchies._ladder import Labels, Ladder, node_ids
from auditor.hierarchies._spec import Spec, build, entries, hierarchy, ladder_spec, words

__all__ = [
    "STAR",
    "TOP",
    "Hierarchy",
    "HierarchyEntry",
    "Labels",
    "Ladder",
    "Spec",
    "build",
    "entries",
    "hierarchy",
    "ladder_spec",
    "node_ids",
    "words",
]
