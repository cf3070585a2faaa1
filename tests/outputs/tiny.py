"""Tiny microdata in memory, and what a check sees of it."""

import math
from collections.abc import Sequence

import numpy as np

from auditor.engines import Coded, Column
from auditor.outputs._examination import Context, Examination
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Cell, FrequencyTable, Published
from auditor.policy import Policy, load_policy

Row = dict[str, str | None]


class Rows:
    """A source that is a list of rows: what `Counts` asks of one, and no more."""

    def __init__(self, rows: Sequence[Row], columns: Sequence[str]) -> None:
        self._rows = list(rows)
        self.columns = tuple(Column(name, "VARCHAR") for name in columns)

    def records(self) -> int:
        return len(self._rows)

    def coded(self, uses) -> Coded:
        columns, dictionaries = [], []
        for use in uses:
            values = [None if row[use.name] in use.missing_values else row[use.name] for row in self._rows]
            labels = tuple(sorted(set(values), key=lambda value: (value is not None, value or "")))
            columns.append(np.array([labels.index(value) for value in values], dtype=np.int32))
            dictionaries.append(labels)
        return Coded(np.asfortranarray(np.stack(columns, axis=1)), tuple(dictionaries))


def policy_of(*rules: dict, **more) -> Policy:
    base = {"version": 1, "name": "p", "attributes": {"x": "insensitive", "who": "pseudonym"}}
    return load_policy({**base, "outputs": list(rules), **more})


def judged(
    check,
    output: Published,
    policy: Policy,
    rows: Sequence[Row] | None = None,
    *,
    together: Sequence[Published] | None = None,
    before: Sequence[Published] = (),
    index: int = 0,
    deadline: float = math.inf,
) -> Examination:
    """What a check says of an output; with rows, they are the data."""
    columns = list(rows[0]) if rows else []
    counts = None if rows is None else Counts(Rows(rows, columns), policy)  # type: ignore[arg-type]
    context = Context(
        policy=policy,
        counts=counts,
        together=[output] if together is None else together,
        before=before,
        deadline=deadline,
    )
    return check(output, policy.outputs[index], context)


def reasons(checked: Examination) -> set[tuple[str, str]]:
    return {(violation.item, violation.reason) for violation in checked.violations}


def table(by: Sequence[str], counts: dict, **more) -> FrequencyTable:
    cells = tuple(
        Cell(
            key=key if isinstance(key, tuple) else (key,), count=count
        )  # a table by one column may leave out the tuple
        for key, count in counts.items()
    )
    return FrequencyTable(source="t.json", format="neutral", sha256="", by=tuple(by), cells=cells, **more)
