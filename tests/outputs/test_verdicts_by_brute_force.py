"""The verdicts of the check of tables, against every table of whole numbers that fits what is published."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.outputs.checks.frequency_table import check
from auditor.outputs.published.outputs import Cell, FrequencyTable
from tests.outputs.test_linked import COLUMNS, cells, fitting, inside
from tests.outputs.tiny import judged, policy_of

LEAST, WIDTH = 4, 2
RULE = {"type": "frequency-table", "min_cell": LEAST, "protection": WIDTH, "differencing": True}
POLICY = policy_of({**RULE, "suppressed": {"zeros": "possible"}})


@st.composite
def published(draw, joint, source):
    """A table over some of the columns, with all margins and some cells suppressed."""
    by = draw(st.sampled_from(["ab", "a", "b"]))
    keys = list(product(*[(*COLUMNS[column], None) for column in by]))
    counts = {key: sum(n for cell, n in joint.items() if inside("ab", cell, by, key)) for key in keys}
    hidden = draw(st.sets(st.sampled_from([key for key in keys if any(key)]), max_size=5))
    found = tuple(Cell(key=key, count=None if key in hidden else n) for key, n in counts.items())
    return FrequencyTable(source=source, format="", sha256="", by=tuple(by), cells=found)


def said(tables):
    """What the tables publish, as `fitting` takes it."""
    return [(t.by, cell.key, cell.count) for t in tables for cell in t.cells if cell.count is not None]


def named(by, key):
    return ", ".join(f"{column}={value}" for column, value in zip(by, key, strict=True) if value is not None) or "total"


def counts_of(found, by, key):
    space = cells("ab")
    return {sum(table[i] for i, cell in enumerate(space) if inside("ab", cell, by, key)) for table in found}


def small(tables, found):
    """The cells of the joint table whose count follows, is small, and that no table publishes."""
    told = {
        key for table in tables if table.by == ("a", "b") for key in (c.key for c in table.cells if c.count is not None)
    }
    if not any(table.by == ("a", "b") for table in tables):
        return set()  # with tables over a and over b alone, a cell that follows has the records of one of theirs
    follows = {cell: counts_of(found, "ab", cell) for cell in cells("ab") if cell not in told}
    return {named("ab", c) for c, values in follows.items() if len(values) == 1 and 0 < min(values) < LEAST}


@settings(deadline=None, max_examples=60)
@given(st.data(), st.booleans())
def test_suppressed_cells_and_differences_are_those_of_every_fitting_table(data, with_data) -> None:
    joint = {cell: data.draw(st.integers(0, 3)) for cell in cells("ab")}
    old, new = (data.draw(published(joint, source)) for source in ("old", "new"))
    every, before = fitting("ab", said([old, new])), fitting("ab", said([old]))
    rows = [dict(zip("ab", cell, strict=True)) for cell, n in joint.items() for _ in range(n)]
    checked = judged(check, new, POLICY, rows if with_data and rows else None, before=[old])

    recoverable = set()
    for cell in new.cells:
        values = counts_of(every, new.by, cell.key)
        if cell.count is None and max(values) - min(values) < WIDTH:
            recoverable.add(named(new.by, cell.key))
    assert {v.item for v in checked.violations if v.reason == "suppressed-cell-recoverable"} == recoverable

    differences = {v.item for v in checked.violations if v.reason == "differencing"}
    assert not checked.open_limits
    assert small([old, new], every) - small([old], before) <= differences
    assert (differences & {named("ab", cell) for cell in cells("ab")}) <= small([old, new], every)
