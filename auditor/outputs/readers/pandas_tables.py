"""Tables as pandas writes them to CSV: `crosstab`, `groupby().size()`, `groupby().agg()`, `describe()`, `pivot_table`.

What a column of numbers is follows from its name: a statistic (``mean``, ``cost_mean``, ``(cost, mean)``), or a label
of a crosstab of counts. The file does not tell the name of a crosstab's columns, nor of which column an unnamed
statistic is: these get a name of their own (`UNNAMED`), until the data tells. Numbers that could be anything are not
read before `--type` says what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditor.errors import Unsupported
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
from auditor.outputs.published.totals import SIZES, by_words, is_total
from auditor.outputs.readers._csv import CsvTable, as_precise
from auditor.outputs.readers._frame import Frame, Key, bounds, end, frame, is_withheld, least, most
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._numbers import stated, whole
from auditor.outputs.readers._reader import Tables
from auditor.outputs.readers._records import of_records
from auditor.outputs.readers._rows import may_be_records
from auditor.outputs.readers._shares import NOTE as SHARES_NOTE
from auditor.outputs.readers._shares import are_of_their_counts, may_be_percentages, of_percent, shares_of, totals_of
from auditor.outputs.readers._statistic_names import NAMES, PERCENT, counts_of, is_quotient, share_of, split, statistic
from auditor.registry import Ground

FORMAT = "pandas CSV"
ABOUT = "tables of counts and sums, statistics; not the names of columns (found in the data)"
GROUND = Ground.LIKENESS
ONLY_COUNTS = SIZES | {"0", ""}
"""What the column of the sizes of clusters, or of the only counts there are, is called."""
UNNAMED_COLUMNS = "the file does not say which column the columns of the table are by"
UNNAMED_VALUES = "the file does not say of which column its statistics are"


def is_one(table: CsvTable) -> bool:
    """Whether there are rows to read; every other table has been looked at before."""
    return bool(table.rows)


def read(table: CsvTable, hints: Hints) -> tuple[Published, ...]:
    """The tables and statistics in a file."""
    found = frame(table, hints)
    if hints.type == "clusters":
        return (of_records(_clusters(found), hints.records),)
    described = found.names == ("",) and all(statistic(key[0]) is not None for _, key, _ in found.rows)
    shares = None if described else _shares(found, hints)
    outputs = _described(found) if described else _outputs(found, hints) if shares is None else [shares]
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
class _Measure:
    """A value column: of which column it is a statistic ("" unknown), which one, and the labels it is by."""

    place: int
    of: str
    statistic: str
    labels: tuple[str, ...]


def _outputs(found: Frame, hints: Hints) -> Iterator[Published]:
    columns = _columns(found, hints)
    for of in dict.fromkeys(column.of for column in columns if column.statistic != "count"):
        yield _about(found, of, [column for column in columns if column.of in (of, "") or column.statistic == "count"])
    if all(column.statistic == "count" for column in columns):
        counts = _counts(found, columns)
        inner = [cell.count for cell in counts.cells if None not in by_words(cell.key)]
        doubtful = hints.type is None and any(column.labels for column in columns) and may_be_percentages(inner)
        yield replace(counts, may_be_shares=doubtful)


def _columns(found: Frame, hints: Hints) -> list[_Measure]:
    """What each value column is, by its labels and by what the user said."""
    by_level = _statistic_level(found)
    is_count = hints.type == "frequency-table" and len(found.labels) == 1 and is_total(found.labels[0][0])
    if by_level is not None and not is_count and not _is_named_count(found, by_level):
        return by_level
    flat = [_named(label[0], hints) for label in found.labels]
    if len(found.levels) == 1 and None not in flat and flat.count(("", "count")) < len(flat):
        return _within_one(found, [_Measure(i, *each, labels=()) for i, each in enumerate(flat) if each is not None])
    if _is_single_count(found, hints):
        return [_Measure(0, "", "count", ())]
    if hints.type == "magnitude-table":
        of = found.labels[0][0] if len(found.labels) == 1 else ""
        return [_Measure(i, of, "sum", () if of else label) for i, label in enumerate(found.labels)]
    if hints.type == "frequency-table" or (hints.type is None and _looks_like_a_crosstab(found, hints)):
        return [_Measure(i, "", "count", label) for i, label in enumerate(found.labels)]
    raise _unknown(found)


def _named(label: str, hints: Hints) -> tuple[str, str] | None:
    """The column and the statistic that a label names; shares, unless the user says that the numbers are counts."""
    told = split(label) or (("", "count") if statistic(label) == "count" else None)
    return share_of(label) if told is None and hints.type != "frequency-table" else told


def _within_one(found: Frame, columns: list[_Measure]) -> list[_Measure]:
    """The columns, of which shares are at most 1, and percentages at most 100."""
    for column in columns:
        most = {"percent": 100}.get(column.statistic, 1 if share_of(found.labels[column.place][0]) else None)
        known = [number.value for number in _numbers(found, column) if number is not None] if most else []
        if most and any(not 0 <= number <= most for number in known):
            raise _unknown(found)
    return columns


def _is_named_count(found: Frame, columns: Sequence[_Measure]) -> bool:
    """Whether a name alone says that the only column is one of counts."""
    return len(columns) == len(found.levels) == 1 and columns[0].statistic == "count"


def _is_single_count(found: Frame, hints: Hints) -> bool:
    """Whether the only column is one of counts.

    `Series.to_csv()` writes a column of records behind the numbers of their rows, as ``value_counts()`` writes counts
    behind the numbers that it counted: of these, what is not called ``count`` is read when it is said to be a table.
    """
    if len(found.labels) != 1:
        return False
    label = found.labels[0][0]
    if hints.type == "frequency-table":
        return label not in hints.columns or label.lower() in SIZES
    named = label.lower() == "count" if found.is_bare else label.lower() in ONLY_COUNTS or counts_of(label)
    return named and not (found.names == ("",) and label in hints.columns)


def _unknown(found: Frame) -> Unsupported:
    return Unsupported(
        f"{found.table.file.name}: a table of numbers that does not say what they are; columns named by statistics "
        "(count, mean, sum, max), or --type frequency-table or magnitude-table"
    )


def _statistic_level(found: Frame) -> list[_Measure] | None:
    """The columns where one level of their labels names statistics: the last, beside columns, or the first."""
    for level in (len(found.levels) - 1, 0):
        names = [statistic(label[level]) for label in found.labels]
        if None in names:
            continue
        other = [label[:level] + label[level + 1 :] for label in found.labels]
        of = [each[0] if level and len(each) == 1 else "" for each in other]
        labels: list[tuple[str, ...]] = [() if name else each for name, each in zip(of, other, strict=True)]
        return [_Measure(i, of[i], name, labels[i]) for i, name in enumerate(names) if name is not None]
    return None


def _looks_like_a_crosstab(found: Frame, hints: Hints) -> bool:
    """Whether all fields are counts, under labels that are no columns: a table of records must not be taken for one."""
    fields = (field for _, _, row in found.rows for field in row)
    keys, labels = [key for _, key, _ in found.rows], found.labels
    distinct = len(set(keys)) == len(keys) and len(set(labels)) == len(labels) > 1
    if _are_percentages(found):
        raise Unsupported(
            f"{found.table.file.name}: whole numbers of which each row, or each column, adds up to 100; counts, or "
            "shares from 0 to 1 with all their digits; where they are counts, --type frequency-table says so"
        )
    named = any(part in hints.columns or is_quotient(part) for label in labels for part in label)
    named = named or (found.names[0] not in hints.columns and may_be_records(found))
    return distinct and not named and all(is_withheld(field) or whole(stated(field)) is not None for field in fields)


def _are_percentages(found: Frame) -> bool:
    """Whether whole numbers may be percentages of their rows or columns: two or more of these add up to 100 each.

    A column of sizes beside them is none of them.
    """
    sizes = {place for place, label in enumerate(found.labels) if label[-1].lower() in SIZES}
    kept = [place for place in range(len(found.labels)) if len(sizes) != 1 or place not in sizes]
    rows = [[whole(stated(row[place])) for place in kept] for _, _, row in found.rows]
    for lines in (rows, [list(column) for column in zip(*rows, strict=True)]):
        known = [[number for number in line if number is not None] for line in lines]
        whole_lines = all(len(each) == len(line) > 1 for each, line in zip(known, lines, strict=True))
        # Each of n percentages is rounded to half a percent.
        if len(lines) > 1 and whole_lines and all(abs(sum(each) - 100) * 2 <= len(each) for each in known):
            return True
    return False


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
    if not (single or (len(of_shares) > 1 and _statistic_level(found) is None)):
        return None
    columns = [_Measure(i, "", "share", () if single else labels[i]) for i in of_shares]
    parts, keys = _labels(columns), found.keys()
    numbers = _share_numbers(
        found, columns, told=name in PERCENT if single else size is not None and hints.type is None
    )
    if numbers is None:
        return None
    cells = [
        (by_words((*key, *parts[i])), numbers[i][row]) for row, key in enumerate(keys) for i in range(len(columns))
    ]
    taken = shares_of(cells, len(found.names))
    if taken is None and (not single or size is None or _are_rates(found, cells, size)):
        return None
    base, by = _base(found, parts), _by(found, parts)
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


def _share_numbers(found: Frame, columns: Sequence[_Measure], *, told: bool) -> list[list[Stated | None]] | None:
    """The shares in some columns; None where they are none. Whole numbers are, where they are `told` to be, or by %."""
    places = [column.place for column in columns]
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
    numbers = [_numbers(found, column, whole_too=False) for column in columns]
    known = [number.value for column in numbers for number in column if number is not None]
    if told and max(known) <= 1 and not all("." in each for each in written):
        return None  # single records
    if signs or max(known) > 1:
        return [[None if each is None else of_percent(each) for each in column] for column in numbers]
    return numbers


# What they publish


def _counts(found: Frame, columns: Sequence[_Measure]) -> FrequencyTable:
    """A table of counts by the keys and by the labels of the columns."""
    labels = _labels(columns)
    keys = found.keys()
    cells = tuple(
        replace(
            _counted(found, line, fields[column.place]), key=(*key, *labels[i]), share=found.share(line, column.place)
        )
        for key, (line, _, fields) in zip(keys, found.rows, strict=True)
        for i, column in enumerate(columns)
    )
    return _with_shares(FrequencyTable(**_base(found, labels), by=_by(found, labels), cells=cells), len(found.names))


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


def _about(found: Frame, of: str, columns: Sequence[_Measure]) -> MagnitudeTable | GroupStatistics:
    """A table of sums, where there are sums alone or with counts; else statistics."""
    keys, labels = found.keys(), _labels(columns)
    numbers = {column: _numbers(found, column) for column in columns if column.statistic != "count"}
    base = {**_base(found, labels, of), "of": of, "by": _by(found, labels)}
    sums = {column.statistic for column in columns} <= {"count", "sum"}
    cells: list[Any] = []
    for row, (key, (line, _, fields)) in enumerate(zip(keys, found.rows, strict=True)):
        for label in dict.fromkeys(labels):
            own = [column for column, each in zip(columns, labels, strict=True) if each == label]
            n = next(
                (_counted(found, line, fields[each.place]) for each in own if each.statistic == "count"), Cell(key=())
            )
            values = tuple(
                (each.statistic, number)
                for each in own
                if each.statistic != "count" and (number := numbers[each][row]) is not None
            )
            whole_key = (*key, *label)
            top = next((end(fields[each.place]) for each in own if each.statistic == "sum"), None)
            cells.append(
                replace(n, key=whole_key, sum=dict(values).get("sum"), sum_ends=(None, top))
                if sums
                else Statistic(key=whole_key, n=n.count, values=values)
            )
    return MagnitudeTable(**base, cells=tuple(cells)) if sums else GroupStatistics(**base, cells=tuple(cells))


def _described(found: Frame) -> Iterator[Published]:
    """`describe()` of a frame: a row per statistic, a column per column."""
    for place, label in enumerate(found.labels):
        names = [statistic(key[0]) or key[0] for _, key, _ in found.rows]
        numbers = _numbers(found, _Measure(place, label[0], "", ()))
        stated_as = {name: number for name, number in zip(names, numbers, strict=True) if number is not None}
        n = stated_as.pop("count", None)
        if n is not None and whole(n) is None:
            found.table.wrong(
                found.rows[0][0], "a count that is not a whole number of records", "a whole number from 0"
            )
        cell = Statistic(key=(), n=whole(n), values=tuple(stated_as.items()))
        yield GroupStatistics(**_base(found, [], label[0]), of=label[0], by=(), cells=(cell,))


def _clusters(found: Frame) -> Clustering:
    """A row for each cluster: its size, and its centre where other columns say it."""
    names = [label[-1] for label in found.labels]
    sizes = [place for place, name in enumerate(names) if name.lower() in ONLY_COUNTS]
    if len(sizes) != 1:
        raise Unsupported(f"{found.table.file.name}: no column of sizes, or several; one that is called size or count")
    clusters = tuple(
        Cluster(
            size=found.table.count(line, fields[sizes[0]]),
            centre=tuple((names[i], field) for i, field in enumerate(fields) if i != sizes[0] and field),
        )
        for line, _, fields in found.rows
    )
    return Clustering(**found.table.file.provenance(FORMAT), clusters=clusters)


def _base(found: Frame, labels: Sequence[Key], of: str | None = None) -> Mapping[str, Any]:
    """Where it is from, and what has to be said of it."""
    notes = [UNNAMED_COLUMNS] * (any(labels) and "" in found.levels) + [UNNAMED_VALUES] * (of == "")
    return {**found.table.file.provenance(FORMAT), "notes": tuple(notes), "unread": ()}


def _by(found: Frame, labels: Sequence[Key]) -> tuple[str, ...]:
    """The columns of the keys, then those of the labels, which stand at the end of the levels."""
    width = max(map(len, labels), default=0)
    return (*found.names, *found.levels[len(found.levels) - width :]) if width else found.names


def _labels(columns: Sequence[_Measure]) -> list[Key]:
    """The labels of each column."""
    return [column.labels for column in columns]


def _counted(found: Frame, line: int, field: str) -> Cell:
    """What a field says of a count: the count, nothing, or the most that it can be."""
    span = bounds(field)
    if span is not None:
        if most(span) < 0:
            found.table.wrong(
                line, "a count below a number that none is below", "a whole number from 0, or such as <10"
            )
        return Cell(key=(), least=least(span), most=most(span))
    return Cell(key=(), count=None if is_withheld(field) else found.table.count(line, field))


def _numbers(found: Frame, column: _Measure, *, whole_too: bool = True) -> list[Stated | None]:
    """The numbers of a column; with `whole_too`, those that end in ``.0`` throughout may be rounded to whole ones."""
    fields = [(line, "" if is_withheld(field) else field) for line, field in found.column(column.place)]
    numbers = [found.table.number(line, field) for line, field in fields]
    full = found.table.is_full([len(found.names) + column.place])
    known = [number for number in numbers if number is not None]
    if whole_too and all(number.value.denominator == 1 and (number.places or 0) <= 1 for number in known):
        # pandas writes 3.0 of a float that was rounded to whole numbers, or is one.
        return [None if number is None else replace(number, places=0) for number in numbers]
    return as_precise(numbers, full=full, records=None)


READERS = (Tables(is_one, read),)
