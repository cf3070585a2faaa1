"""Numbers and days of CSV files that are written as a country has them, read as the house writes them, and back.

``1.234,50`` is read as ``1234.50``, ``10.02.2026`` as ``2026-02-10``; every other text stays as it is. A column is
refused where two of its texts would be read as one, or where one could be read in two ways: classes would be larger
than they are, numbers others. So what is read can be written back, value by value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from auditor.dialect import CsvDialect
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.sql import literal
from auditor.errors import DataError

_EXPONENT = "([eE][+-]?[0-9]+)?"
_POINTED = f"[+-]?[0-9]*[.][0-9]+{_EXPONENT}"
_THREES = "[+-]?[1-9][0-9]{0,2}([.][0-9]{3})+"
"""What a point may be in: a number of thousands as well as one with three decimals."""
_TIME = "([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?"
_ISO = f"([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}}){_TIME}"


@dataclass(frozen=True)
class WrittenNumbers:
    """How numbers are written: the decimal mark, and that of thousands, or an empty text.

    `grouped` says that numbers of four digits and more have the latter.
    """

    decimal: str
    thousands: str
    grouped: bool = True

    @property
    def marks(self) -> str:
        """The characters that stand between digits."""
        return self.decimal + self.thousands

    def tests(self, text: str) -> Mapping[str, str]:
        """What is counted of a column's texts, to tell whether it can be read."""
        number, pointed = _is(text, self._number), _is(text, _POINTED)
        undeclared = f"({pointed} AND NOT {number})" if self.decimal != "." else "false"
        whole = f"[+-]?[0-9]{{4,}}({_mark(self.decimal)}[0-9]+)?{_EXPONENT}"
        return {
            "grouped": _is(text, f"[+-]?{self._groups}({_mark(self.decimal)}[0-9]+)?{_EXPONENT}")
            if self.thousands
            else "false",
            "plain": _is(text, whole),
            "marked": f"({number} AND contains({text}, {literal(self.decimal)}))" if self.decimal != "." else "false",
            "pointed": undeclared,
            "doubtful": f"({undeclared} AND {_is(text, _THREES)})",
        }

    def read(self, text: str) -> str:
        """The expression of what a text is read as."""
        plain = f"replace({text}, {literal(self.thousands)}, '')" if self.thousands else text
        plain = plain if self.decimal == "." else f"replace({plain}, {literal(self.decimal)}, '.')"
        return f"CASE WHEN {_is(text, self._number)} THEN {plain} ELSE {text} END"

    def written(self, text: str) -> str:
        """The expression of how a text that was read is written."""
        whole, number = f"regexp_extract({text}, '[0-9]+')", f"[+-]?[0-9]+([.][0-9]+)?{_EXPONENT}"
        if self.thousands and self.grouped:
            mark, marked = literal(self.thousands), literal("\\1" + self.thousands)
            threes = f"reverse(regexp_replace(reverse({whole}), '([0-9]{{3}})', {marked}, 'g'))"
            whole = f"CASE WHEN {whole} LIKE '0%' THEN {whole} ELSE ltrim({threes}, {mark}) END"
        sign, rest = f"regexp_extract({text}, '^[+-]')", f"regexp_extract({text}, '^[+-]?[0-9]+(.*)$', 1)"
        rest = rest if self.decimal == "." else f"replace({rest}, '.', {literal(self.decimal)})"
        return f"CASE WHEN {_is(text, number)} THEN {sign} || {whole} || {rest} ELSE {text} END"

    @property
    def _groups(self) -> str:
        return f"[1-9][0-9]{{0,2}}({_mark(self.thousands)}[0-9]{{3}})+"

    @property
    def _number(self) -> str:
        whole = f"([0-9]+|{self._groups})" if self.thousands else "[0-9]+"
        return f"[+-]?{whole}({_mark(self.decimal)}[0-9]+)?{_EXPONENT}"


@dataclass(frozen=True)
class WrittenDays:
    """How days are written, a time of the day behind them or not; `padded` says that 3 is 03."""

    form: str
    padded: bool = True

    @property
    def marks(self) -> str:
        """See `WrittenNumbers`."""
        return self._separator

    def tests(self, text: str) -> Mapping[str, str]:
        """See `WrittenNumbers`."""
        day, mark = self._is_day(text), self._separator
        short = f"(^|{_mark(mark)})[0-9]({_mark(mark)}|$|[ T])" if mark else "^$"
        long = f"(^|{_mark(mark)})0[0-9]({_mark(mark)}|$|[ T])" if mark else "^$"
        alone = f"regexp_extract({text}, '^[^ T]+')"
        return {
            "days": day,
            "others": f"({text} IS NOT NULL AND NOT {day})",
            "short": f"({day} AND regexp_matches({alone}, {literal(short)}))",
            "padded": f"({day} AND regexp_matches({alone}, {literal(long)}))",
            "iso": _is(text, _ISO),
        }

    def read(self, text: str) -> str:
        """See `WrittenNumbers`."""
        return f"CASE WHEN {self._is_day(text)} THEN {self._iso(text)} || {self._group(text, 'T')} ELSE {text} END"

    def written(self, text: str) -> str:
        """See `WrittenNumbers`."""
        parts = {
            "Y": f"regexp_extract({text}, {literal(_ISO)}, 1)",
            "M": f"regexp_extract({text}, {literal(_ISO)}, 2)",
            "D": f"regexp_extract({text}, {literal(_ISO)}, 3)",
        }
        if not self.padded:
            parts |= {each: f"ltrim({parts[each]}, '0')" for each in "MD"}
        day = f" || {literal(self._separator)} || ".join(parts[each] for each in self._order)
        return f"CASE WHEN {_is(text, _ISO)} THEN {day} || regexp_extract({text}, {literal(_ISO)}, 4) ELSE {text} END"

    def _is_day(self, text: str) -> str:
        """Whether a text is a day of the calendar, written so."""
        return f"({_is(text, self._day)} AND TRY_CAST({self._iso(text)} AS DATE) IS NOT NULL)"

    def _iso(self, text: str) -> str:
        year, month, day = (self._group(text, each) for each in "YMD")
        return f"{year} || '-' || lpad({month}, 2, '0') || '-' || lpad({day}, 2, '0')"

    def _group(self, text: str, part: str) -> str:
        return f"regexp_extract({text}, {literal(self._day)}, {[*self._order, 'T'].index(part) + 1})"

    @property
    def _separator(self) -> str:
        return re.sub("[YMD]", "", self.form)[:1]

    @property
    def _order(self) -> str:
        return "".join(dict.fromkeys(each for each in self.form if each in "YMD"))

    @property
    def _day(self) -> str:
        digits = {"Y": "([0-9]{4})", **dict.fromkeys("MD", "([0-9]{1,2})" if self._separator else "([0-9]{2})")}
        return _mark(self._separator).join(digits[each] for each in self._order) + _TIME


@dataclass(frozen=True)
class Notation:
    """How the values of columns are written, by the columns' names; a column that is not there is as it is."""

    numbers: Mapping[str, WrittenNumbers] = field(default_factory=dict)
    days: Mapping[str, WrittenDays] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def everywhere(cls, dialect: CsvDialect, columns: Sequence[str]) -> Notation:
        """That of columns whose values are not written so where they are read from."""
        if not dialect.notation:
            return cls()
        decimal, thousands, form = dialect.notation
        days = dict.fromkeys(columns, WrittenDays(form)) if form else {}
        return cls(dict.fromkeys(columns, WrittenNumbers(decimal, thousands, grouped=False)), days)

    def read(self, column: str, text: str) -> str:
        """The expression of what a text of a column is read as."""
        for home in (self.numbers, self.days):
            text = home[column].read(text) if column in home else text
        return text

    def written(self, column: str, text: str) -> str:
        """The expression of how a text of a column is written, which was read or stands for one that was."""
        for home in (self.numbers, self.days):
            text = home[column].written(text) if column in home else text
        return text


USUAL = Notation()


def notation_of(
    connection: Connection, what: str, relation: str, columns: Mapping[str, str], dialect: CsvDialect
) -> Notation:
    """How the columns of a table of texts are written; `columns` are their expressions by their names.

    Raises:
        DataError: two texts of a column would be read as one, or one could be read in two ways.
    """
    if not dialect.notation:
        return USUAL
    decimal, thousands, form = dialect.notation
    numbers = WrittenNumbers(decimal, thousands) if decimal != "." or thousands else None
    days = WrittenDays(form) if form else None
    found = dict(_found(connection, what, relation, columns, [each for each in (numbers, days) if each is not None]))
    read: dict[str, WrittenNumbers] = {}
    dated: dict[str, WrittenDays] = {}
    notes = []
    for name, tests in found.items():
        if numbers is not None:
            if not tests["pointed"]:
                _refuse_unequal_groups(f"{what}: column {name!r}", tests, numbers)
                read[name] = replace(numbers, grouped=tests["grouped"] > 0)
            elif (refused := _doubt(tests, numbers)) is not None:
                raise DataError(f"{what}: column {name!r} {refused}")
            else:
                notes.append(f"column {name!r} has numbers with a decimal point; they are read as they are")
        if days is not None and _are_days(f"{what}: column {name!r}", tests, days):
            dated[name] = replace(days, padded=tests["short"] == 0)
    return Notation(read, dated, tuple(notes))


def _found(
    connection: Connection,
    what: str,
    relation: str,
    columns: Mapping[str, str],
    kinds: Sequence[WrittenNumbers | WrittenDays],
) -> Iterator[tuple[str, dict[str, int]]]:
    """Of each column how many of its texts pass each test; one without a mark in a number is not looked at twice."""
    marks = {".", "-", *(mark for each in kinds for mark in each.marks)}
    seen = f"[0-9.,]{{8}}|[{re.escape(''.join(sorted(marks)))}][0-9]"
    noticed = ", ".join(
        f"coalesce(bool_or(regexp_matches({text}, {literal(seen)})), false)" for text in columns.values()
    )
    looked = connection.rows(what, f"SELECT {noticed} FROM {relation}")[0]
    tests = {test: where for kind in kinds for test, where in kind.tests("v").items()}
    counted = ", ".join(f"count(*) FILTER (WHERE {where})" for where in tests.values())
    for (name, text), worth in zip(columns.items(), looked, strict=True):
        if worth:
            statement = f"SELECT {counted} FROM (SELECT DISTINCT {text} AS v FROM {relation})"
            yield name, dict(zip(tests, map(int, connection.rows(what, statement)[0]), strict=True))
        else:
            yield name, dict.fromkeys(tests, 0)


def _doubt(tests: Mapping[str, int], numbers: WrittenNumbers) -> str | None:
    """Why numbers with a point that nobody declared cannot be read; None where they can only be read in one way."""
    if tests["marked"] or tests["grouped"]:
        return (
            f"has numbers with the decimal mark {numbers.decimal!r} and others with a point, which is not declared; "
            "write all of them alike"
        )
    if tests["pointed"] == tests["doubtful"]:
        return (
            f"has numbers such as 1.234, but the decimal mark is {numbers.decimal!r}; if the point is a mark of "
            "thousands, say so (--thousands ., or `thousands: .` beside `decimal`), else write it as declared"
        )
    return None


def _refuse_unequal_groups(where: str, tests: Mapping[str, int], numbers: WrittenNumbers) -> None:
    if tests["grouped"] and tests["plain"]:
        raise DataError(
            f"{where} has numbers with the mark of thousands {numbers.thousands!r} and others of four digits or more "
            "without it, so that two texts would be one number; write all of them alike"
        )


def _are_days(where: str, tests: Mapping[str, int], days: WrittenDays) -> bool:
    """Whether a column holds days that are to be read as such."""
    # Of digits alone only a column in which each is a day is one of days: numbers of eight digits are common.
    if not tests["days"] or (days.form.isalpha() and tests["others"]):
        return False
    if tests["iso"]:
        raise DataError(f"{where} has days written {days.form} and others written YYYY-MM-DD; write all of them alike")
    if tests["short"] and tests["padded"]:
        raise DataError(f"{where} has days with and without leading zeros (03 and 3); write all of them alike")
    return True


def _is(text: str, pattern: str) -> str:
    return f"coalesce(regexp_full_match({text}, {literal(pattern)}), false)"


def _mark(character: str) -> str:
    return f"[{character}]" if character else ""
