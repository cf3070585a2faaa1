"""The records of the data that a model is of: statistics packages drop those without a value of what it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from auditor.outputs.published.conditions import EVERYBODY, Condition, Group
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Clustering, Published, Regression


def cases_of(output: Published, counts: Counts) -> Group:
    """The records with a value of a model's outcome and of each column that its terms, or its centres, name.

    Everybody, where so many are written, or where the output is no model: its missing values were filled in.
    """
    columns = sorted(set(_named(output, counts.names)))
    found = frozenset(Condition(column, "not in", ()) for column in columns)
    told = size_of(replace(output, records=None) if not output.records_told else output)
    return EVERYBODY if told in (counts.records, counts.people) else found


def size_of(model: Published) -> int | None:
    """How many records a model is of: as it says itself, by its degrees of freedom, or by its clusters together."""
    known = model.records
    if isinstance(model, Regression) and model.dof is not None and not (known and model.records_told):
        return model.dof + len(model.terms)
    if isinstance(model, Clustering) and not (known and model.records_told):
        sizes = [each.size for each in model.clusters]
        return sum(each or 0 for each in sizes) if sizes and None not in sizes else known
    return known


def _named(output: Published, columns: frozenset[str]) -> Iterator[str]:
    """The columns of the data that a model speaks of: ``age`` of ``np.log(age)``, ``ward`` of ``C(ward)[T.ICU]``."""
    if isinstance(output, Clustering):
        yield from (column for each in output.clusters for column, _ in each.centre if column in columns)
    elif isinstance(output, Regression):
        known = re.compile("|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in sorted(columns, key=len)[::-1]))
        for text in (output.outcome or "", *(term.name for term in output.terms)):
            yield from (text,) if text in columns else known.findall(text)
        conditions = (condition for term in output.terms for condition in term.condition or ())
        yield from (each.attribute for each in conditions if each.attribute in columns)
