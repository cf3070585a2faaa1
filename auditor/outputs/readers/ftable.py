"""The flat tables that R prints (`ftable`, `write.ftable`), with one variable in the columns.

Names of the keys begin where their labels do, which are left out where they are those above::

                 Survived  No Yes
    Class Sex
    1st   Male            118  62
          Female            4 141
"""

from __future__ import annotations

import re
from dataclasses import replace

from auditor.outputs.published.outputs import Published
from auditor.outputs.readers import pandas_tables
from auditor.outputs.readers._csv import CsvTable
from auditor.outputs.readers._file import MOST_LINES, File
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._reader import Texts
from auditor.registry import Ground

FORMAT = "R ftable"
ABOUT = "tables of counts as R prints them, with one variable in the columns"
GROUND = Ground.CONTENTS
_FIRST = re.compile(r" +\S+(?: +\S+)+ *")
_NAMES = re.compile(r"\S+(?: +\S+)* *")
_ROW = re.compile(r"\S.* [0-9]+ *")
_WORD = re.compile(r"\S+")


def is_one(file: File) -> bool:
    """Whether the first line is empty where the names of the keys stand in the second, which is empty behind them."""
    lines = (*file.text.lstrip("\r\n").split("\n", 3), "", "")[:3]
    forms = zip((_FIRST, _NAMES, _ROW), (line.rstrip("\r") for line in lines), strict=True)
    if any(form.fullmatch(line) is None for form, line in forms) or set(",;|") & set(lines[0]):
        return False
    return _indent(lines[0]) > len(lines[1].rstrip())


def read(file: File, hints: Hints) -> tuple[Published, ...]:
    """The table of a file."""
    file.limit(MOST_LINES, b"\n", b"\r")
    before = len(file.text) - len(file.text.lstrip("\r\n"))
    start = file.text.count("\n", 0, before) + 1
    head, names, *lines = (line.rstrip("\r") for line in file.text[before:].rstrip().split("\n"))
    starts = [found.start() for found in _WORD.finditer(names)]
    variable, *labels = head.split()
    rows = []
    for number, line in enumerate(lines, start + 2):
        words = list(_WORD.finditer(line))[-len(labels) :]
        end = words[0].start() if words else 0
        if len(words) < len(labels) or end < _indent(head) or len(line[:end].rstrip()) > _indent(head):
            file.wrong(
                number, "not a count for each label of the columns", "R's ftable; its labels hold no white space"
            )
        rows.append((number, (*_cut(line[:end], starts), "", *(word[0] for word in words))))
    width = len(starts)
    second = (start + 1, (*_cut(names, starts), "", *[""] * len(labels)))
    table = CsvTable(file, (*[""] * width, variable, *labels), (second, *rows))
    return tuple(replace(each, format=FORMAT) for each in pandas_tables.read(table, hints))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _cut(text: str, starts: list[int]) -> list[str]:
    ends = [*starts[1:], len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]


READERS = (Texts(is_one, read),)
