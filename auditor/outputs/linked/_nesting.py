"""What is known of columns together before any number is: which of their values no record can have at once.

A state lies in one region, and who is over 66 is over 65. Of two columns this is known by their names, where these say
one quantity that is cut at several places (`over65`, `age >= 66`, `age_group`); by the policy's ladders, where the
labels of one are labels of the other's ladder; by the data, where one is a function of the other, or a class of one
lies within a class of the other; and by what a table lists, of which a combination that it leaves out is no record.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from auditor.classes import IntArray
from auditor.outputs.linked._atoms import Atoms, Listings, atoms_of
from auditor.outputs.linked._classes import Column, ColumnClasses, classes_of, column_of, names_missing
from auditor.outputs.published.conditions import Condition, Group
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.scales import PLAIN, Scale
from auditor.outputs.published.values import same_value


@dataclass(frozen=True)
class Listing:
    """The keys that a table lists, without its margins; `whole` says that it has no filter."""

    by: tuple[Column, ...]
    keys: frozenset[tuple[str, ...]]
    whole: bool = True


@dataclass(frozen=True)
class Nesting:
    """What values may be nested in what.

    `scales` are the ladders of columns, and `listings` the tables. `labels` says whether labels of one column, or of
    two that are one quantity by their names, may hold each other, `ladders` and `data` whether those of two columns
    may, and `listed` which combinations that a table does not list are taken to be of nobody: all, those of a column
    that is listed as a function of another, or none.
    `crossing` says whether nobody is where intervals of one table reach further than those of another. `kept` is what
    the data said of two columns.
    """

    scales: Mapping[Column, Scale] = field(default_factory=dict)
    listings: tuple[Listing, ...] = ()
    labels: bool = True
    ladders: bool = True
    data: bool = True
    listed: Literal["all", "functions", "none"] = "none"
    crossing: bool = True
    kept: dict[tuple[Column, Column], IntArray] = field(default_factory=dict, compare=False, repr=False)

    def labels_of(self, column: Column) -> Listings:
        """What each table lists of a column."""
        places = [(each, each.by.index(column)) for each in self.listings if column in each.by]
        return [frozenset(same_value(key[place]) for key in each.keys) for each, place in places]


NOTHING_NESTED = Nesting(labels=False, ladders=False, data=False)


def columns_of(
    groups: Iterable[Group],
    full: frozenset[str],
    counts: Counts | None,
    nesting: Nesting,
    *,
    lacking: frozenset[str],
    published: frozenset[Condition] = frozenset(),
) -> dict[Column, ColumnClasses]:
    """The classes of every column that the groups speak of, as `classes_of`, and of nested labels their atoms."""
    chosen = list(groups)
    flat = classes_of(chosen, full, counts, lacking=lacking, published=published if nesting.labels else frozenset())
    if not nesting.labels:
        return flat
    conditions: dict[Column, set[Condition]] = defaultdict(set)
    for condition in {condition for group in chosen for condition in group}:
        conditions[column_of(condition)].add(condition)
    found: dict[Column, ColumnClasses] = {}
    for column, classes in flat.items():
        scale, is_full, lacks = nesting.scales.get(column, PLAIN), column in full, column in lacking
        listed = nesting.labels_of(column)
        atoms = atoms_of(conditions[column], scale, listed, full=is_full, crossing=nesting.crossing)
        if atoms is None:
            found[column] = classes
        elif counts is not None and column in counts.names:
            found[column] = _held(atoms, column, counts)
        else:
            doubtful = np.array(atoms.doubtful, dtype=np.bool_) & (is_full and not lacks)
            none = lacks or not is_full or names_missing(conditions[column])
            found[column] = replace(atoms.only(~doubtful), other=not is_full, none=none)
    return found


def _held(atoms: Atoms, column: Column, counts: Counts) -> Atoms:
    """The atoms but those that are doubtful and of no record; with other values, and none, where the data has them."""
    labels, codes = counts.column(column)
    places = {atoms.place(labels[code]) for code in np.unique(codes).tolist()}
    held = np.array([at in places for at in range(len(atoms.values))], dtype=np.bool_)
    kept = ~np.array(atoms.doubtful, dtype=np.bool_) | held
    return replace(atoms.only(kept), other=len(atoms) - 2 in places, none=len(atoms) - 1 in places)
