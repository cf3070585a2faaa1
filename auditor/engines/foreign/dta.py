"""Stata's files (help dta)."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from auditor.dialect import CsvDialect
from auditor.engines.foreign._base import ForeignTable
from auditor.engines.foreign._readstat import names, table
from auditor.errors import DataError

BEGINNING, END = b"<stata_dta>", b"</stata_dta>"
"""What a file begins and ends with since Stata 13."""
MAP = b"</header><map>"
"""Before the list of places where its sections begin, from the file's own on, and where they end."""
SECTIONS = (
    *(b"map", b"variable_types", b"varnames", b"sortlist", b"formats", b"value_label_names", b"variable_labels"),
    *(b"characteristics", b"data", b"strls", b"value_labels"),
)
LABELS = re.compile(rb"<value_labels>(<lbl>((?!</lbl>).)*</lbl>)?</value_labels>", re.DOTALL)
"""The last of them, with its lists as if they were one."""
CHARACTERISTICS = "characteristics of the file or of columns"

NAMES = partial(names, "read_dta")


def read(path: Path, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of a file.

    Raises:
        DataError: something follows its end or stands between its sections, it is of a version that tells no end, or
            it cannot be read.
    """
    found = table(path, dialect, most, "read_dta", user_missing=True)
    content = path.read_bytes().removesuffix(b"\n")  # git's hooks end files in a line
    if not (content.startswith(BEGINNING) and content.endswith(END)):
        raise DataError(
            f"{path.name}: is a file of Stata 12 or older, or something follows its end, which no policy judges; "
            "save it in the format of Stata 13 or newer (pandas: version=118)"
        )
    try:
        sections = _sections(content)
    except struct.error:
        sections = None
    if sections is None:
        raise DataError(f"{path.name}: has something between its sections, which no policy judges; save it again")
    told = sections[b"characteristics"]
    return replace(found, unread=(*found.unread, CHARACTERISTICS)) if told.count(b"<ch>") else found


def _sections(content: bytes) -> dict[bytes, bytes] | None:
    """The sections by their names; None if anything stands between them."""
    at = content.find(MAP) + len(MAP)
    order = "<" if b"<byteorder>LSF<" in content[:at] else ">"
    _, *places = struct.unpack_from(f"{order}{len(SECTIONS) + 2}Q", content, at)
    found = dict(zip(SECTIONS, (content[one:other] for one, other in pairwise(places)), strict=True))
    whole = all(text.startswith(b"<%s>" % name) and text.endswith(b"</%s>" % name) for name, text in found.items())
    whole = whole and LABELS.fullmatch(found[SECTIONS[-1]].replace(b"</lbl><lbl>", b"")) is not None
    return found if whole and places[-1] == len(content) - len(END) else None
