"""Flat tables as R prints them: the passengers of the Titanic, whose counts R's manual has."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.errors import DataError
from auditor.outputs.published.outputs import FrequencyTable
from auditor.outputs.readers._file import File
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._read import read_file
from auditor.result import Verdict

TITANIC = f"""\
             Survived  No Yes
Class Sex{" " * 20}
1st   Male            118  62
      Female            4 141
2nd   Male            154  25
      Female           13  93
3rd   Male            422  88
      Female          106  90
Crew  Male            670 192
      Female            3  20
"""


def read(text: str) -> FrequencyTable:
    (found,) = read_file(File("t.txt", text.encode()), Hints(frozenset(), None, None))
    assert isinstance(found, FrequencyTable)
    return found


def printed(names: list[str], variable: str, labels: list[str], rows: dict[tuple[str, ...], list[int]]) -> str:
    """What R's `print.ftable` does: labels to the left, counts to the right, each column as wide as its longest."""
    lines, above = [], ("",) * len(names)
    for key, counts in rows.items():
        same = next((at for at, (own, last) in enumerate(zip(key, above, strict=True)) if own != last), len(key))
        lines.append([*("" if at < same else part for at, part in enumerate(key)), "", *map(str, counts)])
        above = key
    whole = [[*[""] * len(names), variable, *labels], [*names, *[""] * (len(labels) + 1)], *lines]
    widths = [max(len(line[at]) for line in whole) for at in range(len(whole[0]))]
    left = len(names) + 1
    cells = (
        (f.ljust(w) if at < left else f.rjust(w) for at, (f, w) in enumerate(zip(line, widths, strict=True)))
        for line in whole
    )
    return "".join(" ".join(each) + "\n" for each in cells)


def test_the_table_of_the_manual_is_read_and_judged(tmp_path: Path) -> None:
    found = read(TITANIC)
    assert (found.by, found.format) == (("Class", "Sex", "Survived"), "R ftable")
    assert {cell.key: cell.count for cell in found.cells}["Crew", "Female", "No"] == 3
    assert sum(cell.count or 0 for cell in found.cells) == 2201
    (tmp_path / "t.txt").write_text(TITANIC, encoding="utf-8")
    attributes = dict.fromkeys(("Class", "Sex", "Survived"), "quasi-identifier")
    policy = {
        "version": 1,
        "name": "p",
        "attributes": attributes,
        "outputs": [{"type": "frequency-table", "min_cell": 4}],
    }
    result = check_outputs(tmp_path / "t.txt", policy)
    assert result.verdict is Verdict.FAIL
    assert [v.item for v in result.outputs[0].violations] == ["Class=Crew, Sex=Female, Survived=No"]


WORDS = st.text("abcdefgh", min_size=1, max_size=8)
LABELS = st.lists(
    st.text("abcdefgh ", min_size=1, max_size=8).map(str.strip).filter(bool), min_size=2, max_size=3, unique=True
)


@given(
    st.lists(WORDS, min_size=3, max_size=3, unique=True),
    st.lists(WORDS, min_size=2, max_size=4, unique=True),
    LABELS,
    LABELS,
    st.data(),
)
def test_whatever_r_prints_is_read(names, columns, ones, others, data) -> None:
    rows = {(a, b): [data.draw(st.integers(0, 10**6)) for _ in columns] for a in ones for b in others}
    found = read(printed(names[:2], names[2], columns, rows))
    assert found.by == (names[0], names[1], names[2])
    expected = {(*key, column): n for key, counts in rows.items() for column, n in zip(columns, counts, strict=True)}
    assert {cell.key: cell.count for cell in found.cells} == expected


@pytest.mark.parametrize("row", ["1st   Male            118", "1st   Male            118  62  62", "Ist", ""])
def test_a_row_of_another_width_is_an_error_with_its_line(row: str) -> None:
    with pytest.raises(DataError, match=r"t\.txt:5"):
        read(TITANIC.replace("2nd   Male            154  25", row))


def test_labels_of_several_words_in_the_columns_are_an_error() -> None:
    with pytest.raises(DataError, match=r"t\.txt:3"):
        read(TITANIC.replace(" No Yes", " No Or yes"))
