"""Tables as pandas writes them to CSV: `crosstab`, `groupby().size()`, `groupby().agg()`, `describe()`, `pivot_table`.

What a number is follows from the levels that it stands under (`_axes`): a statistic (``mean``, ``cost_mean``), or a
count by labels. The file does not tell the name of a crosstab's columns, nor of which column an unnamed statistic is:
these get a name of their own (`UNNAMED`), until the user or the data tells. Numbers that could be anything are not read
before one of them says what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditor.errors import Unsupported
from auditor.interval import Interval
from auditor.outputs.published.conditions import EVERYBODY, equal
from auditor.outputs.published.outputs import (
    UNNAMED,
    Cell,
    Cluster,
    Clustering,
    FrequencyTable,
    GroupStatistics,
    MagnitudeTable,
    Published,
    Stated,
    Statistic,
    called,
)
from auditor.outputs.published.totals import SIZES, by_words
from auditor.outputs.readers._axes import Axes, Axis, axes
from auditor.outputs.readers._csv import CsvTable
from auditor.outputs.readers._frame import Frame, Key, bounds, end, frame, is_withheld
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._measures import ONLY_COUNTS, Measure, measures_of, numbers_at, parts_at
from auditor.outputs.readers._numbers import stated, whole
from auditor.outputs.readers._reader import Tables
from auditor.outputs.readers._records import of_records
from auditor.outputs.readers._shares import NOTE as SHARES_NOTE
from auditor.outputs.readers._shares import are_of_their_counts, may_be_percentages, of_percent, shares_of, totals_of
from auditor.outputs.readers._statistic_names import (
    NAMES,
    PERCENT,
    row_statistic,
    statistic,
)
from auditor.registry import Ground

FORMAT = "pandas CSV"
ABOUT = "tables of counts and sums, statistics; not the names of columns (found in the data, or `--by`, `--of`)"
GROUND = Ground.LIKENESS
UNNAMED_COLUMNS = "the file does not say which column the columns of the table are by (--by does)"
TAKEN_FOR_COUNTS = (
    "whole numbers under labels were taken for counts, although the file does not call them that; if they "
    "are sums or other numbers, say so: --of 'sum of COLUMN'"
)
UNNAMED_VALUES = "the file does not say of which column its statistics are (--of does)"


def is_one(table: CsvTable) -> bool:
    """Whether there are rows to read; every other table has been looked at before."""
    return bool(table.rows)


def read(table: CsvTable, hints: Hints) -> tuple[Published, ...]:
    """The tables and statistics in a file."""
    found = frame(table, replace(hints, columns=hints.columns | set(hints.by)))
    if hints.type == "clusters":
        return (of_records(_clusters(found), hints.records),)
    found, levels = axes(found, hints)
    shares = None if hints.of or set(levels.rows) - {Axis.VALUES} else _shares(found, hints)
    outputs = _outputs(found, levels, hints) if shares is None else [shares]
    return tuple(of_records(_called(output), hints.records) for output in outputs)


def _called(output: Published) -> Published:
    """The output with a name for each column that has none, which no column of another file has."""
    if not isinstance(output, FrequencyTable | GroupStatistics):
        return output
    by = tuple(name or f"{UNNAMED}{output.sha256[:8]} {place})" for place, name in enumerate(output.by))
    named = called(output, by)
    if isinstance(named, MagnitudeTable | GroupStatistics) and not named.of:
        return replace(named, of=f"{UNNAMED}{output.sha256[:8]})")
    return named


# What the columns are


@dataclass(frozen=True)
class _Field:
    """A field: what its column and its row say that it is, and whom it is about."""

    line: int
    row: int
    text: str
    measure: Measure
    key: Key

    @property
    def is_count(self) -> bool:
        """Whether it says how many there are."""
        return self.measure.statistic == "count"


@dataclass(frozen=True)
class _By:
    """The columns that a table is by: those of its rows, and those that the labels of its columns are of."""

    rows: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """All of them, in the order of the keys."""
        return (*self.rows, *self.labels)


def _outputs(found: Frame, levels: Axes, hints: Hints) -> Iterator[Published]:
    found, modes = _modes(found) if Axis.STATISTICS in levels.rows else (found, [])
    yield from modes
    if not found.labels:
        return
    measures, assumed = measures_of(found, levels, hints)
    fields = list(_fields(found, levels, measures))
    by = _By(parts_at(found.names, levels.rows), _names_of_labels(found, levels, measures))
    columns = list(dict.fromkeys(field.measure.of for field in fields if not field.is_count))
    merged = any(axis is not Axis.VALUES for axis in levels.rows)
    for of in columns:
        yield _about(found, by, of, [each for each in fields if each.is_count or each.measure.of == of], merged=merged)
    if not columns:
        for table in _counts(found, by, fields, hints):
            yield replace(table, notes=(*table.notes, *[TAKEN_FOR_COUNTS] * assumed))


def _fields(found: Frame, levels: Axes, measures: Sequence[Measure]) -> Iterator[_Field]:
    """Every field, with what its row says of it and what its column does."""
    for row, (line, key, texts) in enumerate(found.rows):
        own = parts_at(key, levels.rows)
        said = [row_statistic(part) or "" for part in parts_at(key, levels.rows, Axis.STATISTICS)]
        of = [*parts_at(key, levels.rows, Axis.COLUMNS), ""][0]
        for each in measures:
            measure = replace(each, of=of or each.of, statistic=said[0] if said else each.statistic)
            yield _Field(line, row, texts[each.place], measure, (*own, *each.labels))


def _names_of_labels(found: Frame, levels: Axes, measures: Sequence[Measure]) -> tuple[str, ...]:
    """The names of the columns that the labels of the measures are values of."""
    if levels.columns:
        return parts_at(found.levels, levels.columns)
    return found.levels if any(measure.labels for measure in measures) else ()


def _shares(found: Frame, hints: Hints) -> FrequencyTable | None:
    """A table of shares or percentages of its margins, of which a column may say the counts; None where it is none."""
    labels = found.labels
    if hints.type not in (None, "frequency-table") or any(part in hints.columns for label in labels for part in label):
        return None
    sizes = [place for place in range(len(labels)) if _is_size(found, place)]
    size = sizes[0] if len(sizes) == 1 < len(labels) else None
    of_shares = [place for place in range(len(labels)) if place != size]
    name = labels[of_shares[0]][0].lower()
    single = len(of_shares) == len(labels[of_shares[0]]) == 1 and name in NAMES | PERCENT
    if not (single or (len(of_shares) > 1 and not _has_statistics(found))):
        return None
    parts = [() if single else labels[i] for i in of_shares]
    keys = found.keys()
    numbers = _share_numbers(
        found, of_shares, told=name in PERCENT if single else size is not None and hints.type is None
    )
    if numbers is None:
        return None
    cells = [(by_words((*key, *parts[i])), numbers[i][row]) for row, key in enumerate(keys) for i in range(len(parts))]
    taken = shares_of(cells, len(found.names))
    if taken is None and (not single or size is None or _are_rates(found, cells, size)):
        return None
    levels = () if single else found.levels
    base, by = _base(found, levels), (*found.names, *levels)
    notes, unread = (*base["notes"], SHARES_NOTE), () if taken is not None else (UNKNOWN_SHARES,)
    own = [Cell(key=key, share=share) for key, share in (cells if taken is None else taken.cells)]
    if size is not None:
        counts = [_counted(found, line, fields[size]) for line, _, fields in found.rows]
        if single:
            own = [replace(count, key=cell.key, share=cell.share) for cell, count in zip(own, counts, strict=True)]
        else:
            behind = (None,) * len(parts[0])
            own += [replace(count, key=(*by_words(key), *behind)) for key, count in zip(keys, counts, strict=True)]
    places = ((),) if taken is None else taken.of
    of_rows = tuple(range(len(found.names)))
    if size is not None and not single and of_rows in places:
        places = (of_rows,)  # whose counts stand beside
    of = tuple(tuple(by[place] for place in each) for each in places)
    unread = (*base["unread"], *unread)
    return FrequencyTable(**{**base, "notes": notes, "unread": unread}, by=by, cells=tuple(own), share_of=of)


def _has_statistics(found: Frame) -> bool:
    """Whether all labels of one level are names of statistics."""
    return any(all(statistic(label) is not None for label in level) for level in zip(*found.labels, strict=True))


def _are_rates(found: Frame, cells: Sequence[tuple[Key, Stated | None]], size: int) -> bool:
    """Whether shares in one column are of the counts in another, line by line."""
    counts = (_counted(found, line, fields[size]).count for line, _, fields in found.rows)
    return are_of_their_counts([(key, count, share) for (key, share), count in zip(cells, counts, strict=True)])


def _is_size(found: Frame, place: int) -> bool:
    """Whether a column is called one of counts, and holds whole numbers: ``n`` may be the label of those who say no."""
    label = found.labels[place]
    written = [field for _, field in found.column(place) if not is_withheld(field)]
    numbers = [whole(stated(field)) for field in written]
    if len(label) != 1 or label[0].lower() not in SIZES or None in numbers:
        return False
    return any((number or 0) > 1 for number in numbers) or not all("." in field for field in written)


UNKNOWN_SHARES = (
    "shares that do not add up to 1, or percentages that do not add up to 100: it is not known what they are shares of"
)


def _share_numbers(found: Frame, places: Sequence[int], *, told: bool) -> list[list[Stated | None]] | None:
    """The shares in some columns; None where they are none. Whole numbers are, where they are `told` to be, or by %."""
    fields = [row[place] for _, _, row in found.rows for place in places]
    written = [field for field in fields if not is_withheld(field)]
    signs = bool(written) and all(field.endswith("%") for field in written)
    if signs:
        rows = tuple((n, key, tuple(each.removesuffix("%") for each in row)) for n, key, row in found.rows)
        found, written = replace(found, rows=rows), [field.removesuffix("%") for field in written]
    if not written or any(stated(each) is None for each in written):
        return None
    if not (signs or told or all("." in each for each in written)):
        return None
    numbers = [numbers_at(found, place, whole_too=False) for place in places]
    known = [number.value for column in numbers for number in column if number is not None]
    if told and max(known) <= 1 and not all("." in each for each in written):
        return None  # single records
    if signs or max(known) > 1:
        return [[None if each is None else of_percent(each) for each in column] for column in numbers]
    return numbers


# What they publish


def _counts(found: Frame, by: _By, fields: Sequence[_Field], hints: Hints) -> Iterator[Published]:
    """A table of counts; of columns that have different ones, how many records have a value of each."""
    cells: dict[str, list[Cell]] = {}
    for each in fields:
        share = found.share(each.line, each.measure.place)
        cell = replace(_counted(found, each.line, each.text), key=each.key, share=share)
        cells.setdefault(each.measure.of, []).append(cell)
    first, *others = cells.values()
    if any(other != first for other in others):
        for of, own in cells.items():
            groups = tuple(Statistic(key=cell.key, n=cell.count) for cell in own)
            yield GroupStatistics(**_base(found, by.labels, of), of=of, by=by.all, cells=groups)
        return
    table = FrequencyTable(**_base(found, by.labels), by=by.all, cells=tuple(first))
    inner = [cell.count for cell in first if None not in by_words(cell.key)]
    doubtful = hints.type is None and not hints.of and bool(by.labels) and may_be_percentages(inner)
    yield replace(_with_shares(table, len(found.names)), may_be_shares=doubtful)


def _with_shares(table: FrequencyTable, rows: int) -> FrequencyTable:
    """The table with what the shares beside its counts are of, and with the totals that follow from both."""
    if all(cell.share is None for cell in table.cells):
        return table
    taken = shares_of([(by_words(cell.key), cell.share) for cell in table.cells], rows)
    told = [(by_words(cell.key), cell.count, cell.share) for cell in table.cells]
    of = totals_of(told, rows)
    known = {key for key, _, _ in told}
    cells = (*table.cells, *(Cell(key=key, count=n) for key, n in of.items() if key not in known))
    if taken is not None:
        share_of = tuple(tuple(table.by[place] for place in each) for each in taken.of)
        return replace(table, cells=cells, share_of=share_of, notes=(*table.notes, SHARES_NOTE))
    unread = (UNKNOWN_SHARES,) if any(cell.share is not None and cell.count is None for cell in cells) else ()
    cells = tuple(replace(cell, share=None) for cell in cells)
    return replace(table, cells=cells, unread=(*table.unread, *unread))


def _about(found: Frame, by: _By, of: str, fields: Sequence[_Field], *, merged: bool) -> Published:
    """A table of sums, where there are sums alone or with counts; else statistics.

    Where rows are those of statistics or of columns, several of them are `merged` into one group.
    """
    base = {**_base(found, by.labels, of), "of": of, "by": by.all}
    numbers = {
        place: numbers_at(found, place) for place in {each.measure.place for each in fields if not each.is_count}
    }
    sums = {each.measure.statistic for each in fields} <= {"count", "sum"}
    groups: dict[tuple[int, Key], list[_Field]] = {}
    for each in fields:
        groups.setdefault((0 if merged else each.row, each.key), []).append(each)
    cells: list[Any] = []
    for (_, key), own in groups.items():
        # The n of another column is taken where this one has none.
        counts = sorted(
            (each for each in own if each.is_count), key=lambda each: (each.measure.of != of, each.measure.of)
        )
        n = next((_counted(found, each.line, each.text) for each in counts), Cell(key=()))
        values = tuple(
            (each.measure.statistic, number)
            for each in own
            if not each.is_count and (number := numbers[each.measure.place][each.row]) is not None
        )
        top = next((end(each.text) for each in own if each.measure.statistic == "sum"), None)
        cells.append(
            replace(n, key=key, sum=dict(values).get("sum"), sum_ends=Interval(high=top))
            if sums
            else Statistic(key=key, n=n.count, values=values)
        )
    return MagnitudeTable(**base, cells=tuple(cells)) if sums else GroupStatistics(**base, cells=tuple(cells))


def _modes(found: Frame) -> tuple[Frame, list[FrequencyTable]]:
    """What `describe()` says of texts, how many have the most frequent one; and the frame without these columns."""
    rows = {key[0]: (line, fields) for line, key, fields in found.rows if found.names == ("",)}
    if not {"count", "top", "freq"} <= rows.keys():
        return found, []
    texts = [place for place, top in enumerate(rows["top"][1]) if top]
    tables = []
    for place in texts:
        condition = equal(found.labels[place][-1], rows["top"][1][place])
        for name, where in (("freq", frozenset({condition})), ("count", EVERYBODY)):
            cell = _counted(found, rows[name][0], rows[name][1][place])
            tables.append(FrequencyTable(**_base(found, ()), by=(), cells=(cell,), where=where))
    left = [place for place in range(len(found.labels)) if place not in texts]
    kept = tuple(
        (line, key, tuple(fields[place] for place in left))
        for line, key, fields in found.rows
        if key[0] not in ("top", "freq", "unique")
    )
    return replace(found, labels=tuple(found.labels[place] for place in left), rows=kept), tables


def _clusters(found: Frame) -> Clustering:
    """A row for each cluster: its size, and its centre where other columns say it."""
    names = [label[-1] for label in found.labels]
    sizes = [place for place, name in enumerate(names) if name.lower() in ONLY_COUNTS]
    if len(sizes) != 1:
        raise Unsupported(
            f"{found.table.file.name}: no column of sizes, or several; call exactly one of them size or count"
        )
    clusters = tuple(
        Cluster(
            size=found.table.count(line, fields[sizes[0]]),
            centre=tuple((names[i], field) for i, field in enumerate(fields) if i != sizes[0] and field),
        )
        for line, _, fields in found.rows
    )
    return Clustering(**found.table.file.provenance(FORMAT), clusters=clusters)


def _base(found: Frame, labels: Sequence[str], of: str | None = None) -> Mapping[str, Any]:
    """Where it is from, and what has to be said of it; `labels` are the names of the columns' levels."""
    notes = [UNNAMED_COLUMNS] * ("" in labels) + [UNNAMED_VALUES] * (of == "")
    return {**found.table.file.provenance(FORMAT), "notes": tuple(notes), "unread": ()}


def _counted(found: Frame, line: int, field: str) -> Cell:
    """What a field says of a count: the count, nothing, or the most that it can be."""
    span = bounds(field)
    if span is not None:
        if span.most is not None and span.most < 0:
            found.table.wrong(
                line,
                "a count below a number that none is below",
                "a whole number of at least 0, or a bound such as <10",
            )
        return Cell(key=(), least=span.least or None, most=span.most)
    return Cell(key=(), count=None if is_withheld(field) else found.table.count(line, field))


READERS = (Tables(is_one, read),)
