"""Coefficient tables: CSV of statsmodels, R and broom, statsmodels' `summary().as_csv()`, and the same as JSON.

A table says nothing of n and of degrees of freedom; a summary does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from auditor.outputs.published.outputs import Regression, Stated, Term
from auditor.outputs.readers._csv import CsvTable
from auditor.outputs.readers._file import MOST_LINES, File
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._indicators import group_of_term
from auditor.outputs.readers._items import Columns
from auditor.outputs.readers._json import Value
from auditor.outputs.readers._numbers import stated, whole
from auditor.outputs.readers._reader import Documents, Tables, Texts
from auditor.outputs.readers._records import of_records
from auditor.registry import Ground

FORMAT = "coefficient table"
ABOUT = "regressions, as CSV or JSON; n and degrees of freedom in a summary only"
GROUND = Ground.LIKENESS
COEFFICIENTS = ("coef.", "coef", "coefficient", "coefficients", "estimate", "params", "beta")
TERMS = ("", "term", "variable", "name", "parameter", "feature")
ERRORS = "standard errors, tests and measures of fit are not examined"
_SUMMARY = re.compile(r"^\s*Dep\. Variable:", re.MULTILINE)


@dataclass(frozen=True)
class _Facts:
    """What a summary tells besides its terms."""

    records: int | None = None
    dof: int | None = None
    outcome: str | None = None


def is_one(table: CsvTable) -> bool:
    """Whether a header has a column of coefficients, and one of terms or without a name before it."""
    place = next((table.names[name] for name in COEFFICIENTS if name in table.names), 0)
    return place > 0 and table.header[0].lower() in TERMS


def read(table: CsvTable, hints: Hints) -> tuple[Regression, ...]:
    """The regression of a table of coefficients."""
    place = next(table.names[name] for name in COEFFICIENTS if name in table.names)
    rows = ((text, number) for (_, text), number in zip(table.column(0), table.numbers(place), strict=True))
    return (_regression(table.file, rows, hints),)


def is_summary(file: File) -> bool:
    """Whether a file is statsmodels' summary."""
    return _SUMMARY.search(file.text[:10_000]) is not None


def read_summary(file: File, hints: Hints) -> tuple[Regression, ...]:
    """The regression of a summary: its outcome, n, degrees of freedom, and coefficients."""
    file.limit(MOST_LINES, b"\n", b"\r")
    facts: dict[str, str] = {}
    rows: list[tuple[str, Stated | None]] = []
    width = 0
    for number, line in enumerate(file.text.splitlines(), 1):
        cells = [cell.strip() for cell in line.split(",")]
        if not width and cells[1:2] == ["coef"]:
            width = len(cells) - 1
        elif not width:
            facts |= dict(zip(cells[::2], cells[1::2], strict=False))
        elif len(cells) > width and not cells[0].endswith(":"):
            # Names of terms may hold commas, which a summary does not quote.
            name, *numbers = (cell.strip() for cell in line.rsplit(",", width))
            rows.append((name, _coefficient(file, number, numbers[0])))
        else:
            break
    if not rows:
        file.wrong("", "a summary without coefficients", "summary().as_csv() of a statsmodels result")
    records, dof = (_fact(file, facts, name) for name in ("No. Observations:", "Df Residuals:"))
    return (_regression(file, rows, hints, _Facts(records, dof, facts.get("Dep. Variable:"))),)


def _coefficient(file: File, number: int, text: str) -> Stated | None:
    found = stated(text)
    if found is None and text.lower() != "nan":
        file.wrong(number, "a coefficient that is not a number of ordinary size", "a number such as 0.83")
    return found


def _fact(file: File, facts: dict[str, str], name: str) -> int | None:
    if name not in facts:
        return None
    number = whole(stated(facts[name]))
    if number is None:
        file.wrong("", f"'{name}' is not a whole number", "summary().as_csv() of a statsmodels result")
    return number


def is_json(value: Value, hints: Hints) -> bool:
    """Whether a document holds coefficients: rows with a term each, a column of them, or terms where that was said."""
    content = value.content
    if isinstance(content, list):
        return bool(content) and isinstance(content[0], dict) and _named(content[0]) is not None
    if not isinstance(content, dict):
        return False
    columns = [name for name, each in content.items() if isinstance(each, dict)]
    return any(name.lower() in COEFFICIENTS for name in columns) or (hints.type == "regression" and not columns)


def read_json(value: Value, file: File, hints: Hints) -> tuple[Regression, ...]:
    """The regression of a document: `to_json()` of a table of coefficients or of `params`."""
    if isinstance(value.content, list):
        rows = [_row(each) for each in value.elements()]
    else:
        members = dict(value.members())
        column = next((each for name, each in members.items() if name.lower() in COEFFICIENTS), None)
        terms = dict(column.members()) if column is not None else members
        rows = [(name, None if each.content is None else each.stated()) for name, each in terms.items()]
    return (_regression(file, rows, hints),)


def _named(row: dict[str, object]) -> tuple[str, str] | None:
    """The members of a row that hold the term and the coefficient."""
    lower = {name.lower(): name for name in row}
    term = next((lower[name] for name in TERMS if name in lower), None)
    coefficient = next((lower[name] for name in COEFFICIENTS if name in lower), None)
    return None if term is None or coefficient is None else (term, coefficient)


def _row(value: Value) -> tuple[str, Stated | None]:
    members = dict(value.members())
    named = _named(value.content)
    if named is None:
        value.wrong("a row without a term or a coefficient", "a term and its estimate in each")
    term, coefficient = (members[name] for name in named)
    return term.text(), None if coefficient.content is None else coefficient.stated()


def _regression(
    file: File, rows: Iterable[tuple[str, Stated | None]], hints: Hints, facts: _Facts | None = None
) -> Regression:
    told = facts or _Facts()
    terms = tuple(term(name, number, hints.columns) for name, number in rows)
    found = Regression(
        **file.provenance(FORMAT),
        records=told.records,
        notes=(ERRORS,),
        outcome=told.outcome,
        terms=terms,
        dof=told.dof,
    )
    return of_records(found, hints.records)


def term(name: str, coefficient: Stated | None, columns: Columns, ones: int | None = None) -> Term:
    """A term by the name that a program gave it, and whom it stands for where the name says so."""
    return Term(name=name, coefficient=coefficient, condition=group_of_term(name, columns), ones=ones)


READERS = (
    Tables(is_one, read),
    Texts(is_summary, read_summary),
    Documents(is_json, read_json),
)
