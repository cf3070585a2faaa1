"""A dry run as text."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.costs._document import DryRun, Grouping, Memory, ReleaseEstimate, TableRead
from auditor.report.words import visible

_KNOWN = {"exact": "", "estimated": "about "}


def text_of(found: DryRun) -> str:
    """The document for a person."""
    lines = [f"{found.command} under policy {found.policy}: nothing is judged, nothing is written", *_lines(found)]
    return "".join(f"{visible(line)}\n" for line in lines)


def _lines(found: DryRun) -> Iterator[str]:
    for table in found.tables:
        yield from _table(table)
    yield f"grouped by {found.engine}"
    about = _KNOWN.get(found.tables[0].rows_known, "")
    for grouping in found.groupings:
        yield f"  {_grouping(grouping, about)}"
    for name, reason in found.not_evaluated.items():
        yield f"  {name}: not evaluated, {reason}"
    yield from _memory(found.memory)
    yield "moved over a network"
    for move in found.moved:
        yield f"  {move.what}: {_count(move.rows, 'rows')}, {size(move.bytes)} at most"
    if not found.moved:
        yield "  nothing"
    if found.written is not None:
        yield _written(found.written)
    for assumption in found.assumptions:
        yield f"- {assumption}"


def _table(table: TableRead) -> Iterator[str]:
    files = "1 file" if table.files == 1 else f"{table.files:,} files"
    rows = _KNOWN.get(table.rows_known, "") + _count(table.rows, "rows")
    yield f"read as {table.role}: {table.source} ({table.format}, {files}, {size(table.bytes)}, {rows})"
    read = ", ".join(table.columns_read) or "none"
    yield f"  {len(table.columns_read)} of {table.columns} columns: {read}"
    yield f"  {size(table.bytes_read)} each time for: {', '.join(table.passes)}"


def _grouping(grouping: Grouping, about: str) -> str:
    also = [f"{grouping.sensitive} in each"] if grouping.sensitive else []
    also += [f"distinct {grouping.unit}"] if grouping.unit else []
    meant = ", ".join(grouping.requirements) or "the risk of the table"
    listed = "; ".join([", ".join(grouping.by), *also])
    if grouping.events is not None:
        return f"any {grouping.events} of a person's records, told by {listed}: patterns not known, for {meant}"
    if grouping.known is not None:
        patterns = _count(grouping.classes_at_most, "patterns")
        each = _count(grouping.combinations, "combinations")
        return f"any {grouping.known} of {listed}: {each}, at most {about}{patterns}, for {meant}"
    return f"{listed}: at most {about}{_count(grouping.classes_at_most, 'classes')}, for {meant}"


def _memory(memory: Memory) -> Iterator[str]:
    yield f"memory of {size(memory.limit)}, {size(memory.engine)} of it for the engine"
    if memory.counting is not None:
        yield f"  counting: {size(memory.counting)} at most"
    if memory.spill:
        form = {"never": "; the policy says spill: never, so it would fail", "encrypted": ", encrypted"}
        yield f"  to the disk: {size(memory.spill)} at most{form.get(str(memory.spill_form), '')}"
    elif memory.spill == 0:
        yield "  to the disk: nothing"
    if memory.batches is not None:
        yield f"  classes are read in {memory.batches:,} {'batch' if memory.batches == 1 else 'batches'} at most"
    if memory.rows is not None:
        fits = "" if memory.rows <= memory.limit else ", more than the limit: it would fail"
        yield f"  rows in memory: {size(memory.rows)}{fits}"


def _written(written: ReleaseEstimate) -> str:
    name = "a release in a temporary folder" if written.file is None else written.file
    rows = _count(written.rows_at_most, "rows")
    return f"would be written, if it meets the policy: {name}, at most {rows}, about {size(written.bytes_about)}"


def _count(number: int | None, unit: str) -> str:
    return f"an unknown number of {unit}" if number is None else f"{number:,} {unit}"


def size(count: int | None) -> str:
    """Bytes for the eye, in powers of a thousand.

    >>> size(999), size(1234567), size(None)
    ('999 B', '1.2 MB', 'unknown bytes')
    """
    if count is None:
        return "unknown bytes"
    number, units = float(count), ["B", "kB", "MB", "GB", "TB", "PB"]
    while number >= 999.5 and len(units) > 1:
        number, units = number / 1000, units[1:]
    return f"{number:.0f} {units[0]}" if units[0] == "B" or number >= 99.5 else f"{number:.1f} {units[0]}"
