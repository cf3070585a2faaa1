"""Tables of pandas; the samples are of six records, so that each number can be counted by hand (samples/README.md).

::

    age  sex  zip  cost
     26   F    a   1.5
     26   M    a   2
     31   F    b   3
     45   F    b   4
     26   F    a   7.25
     31   M    b   1
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import DataError, Unsupported
from auditor.outputs import readers
from auditor.outputs._margins import with_margins
from auditor.outputs.published.outputs import UNNAMED, FrequencyTable, GroupStatistics, MagnitudeTable, Published
from auditor.outputs.readers import TAKEN_FOR_COUNTS
from tests.outputs.readers.conftest import Write, sample

COLUMNS = frozenset({"age", "sex", "zip", "cost"})


def read(path: Path, **asked: Any) -> tuple[Published, ...]:
    """The outputs of a file, with their margins."""
    return tuple(with_margins(output) for output in readers.read(path, **asked))


def counts(found: Published) -> dict[tuple[str | None, ...], int | None]:
    assert isinstance(found, FrequencyTable)
    return {cell.key: cell.count for cell in found.cells}


def values(found: Published) -> dict[tuple[str | None, ...], tuple[int | None, dict[str, Fraction]]]:
    assert isinstance(found, GroupStatistics)
    return {cell.key: (cell.n, {name: number.value for name, number in cell.values}) for cell in found.cells}


def sums(found: Published) -> dict[tuple[str | None, ...], tuple[int | None, Fraction | None]]:
    assert isinstance(found, MagnitudeTable)
    return {cell.key: (cell.count, cell.sum.value if cell.sum is not None else None) for cell in found.cells}


@pytest.mark.parametrize("columns", [frozenset(), COLUMNS])
def test_a_crosstab_with_its_margins(write: Write, columns: frozenset[str]) -> None:
    (found,) = read(write(sample("pandas_crosstab.csv")), columns=columns)
    assert isinstance(found, FrequencyTable)
    age, unnamed = found.by
    assert age == "age"
    assert unnamed.startswith(UNNAMED)
    assert counts(found) == {
        ("26", "F"): 2, ("26", "M"): 1, ("26", None): 3,
        ("31", "F"): 1, ("31", "M"): 1, ("31", None): 2,
        ("45", "F"): 1, ("45", "M"): 0, ("45", None): 1,
        (None, "F"): 4, (None, "M"): 2, (None, None): 6,
    }  # fmt: skip
    assert any("does not say which column" in note for note in found.notes)


def test_a_crosstab_by_two_columns_in_its_rows(write: Write) -> None:
    (found,) = read(write(sample("pandas_crosstab_rows.csv")))
    assert isinstance(found, FrequencyTable)
    assert found.by[:2] == ("age", "zip")
    assert found.by[2].startswith(UNNAMED)
    assert counts(found)["26", "a", "F"] == 2
    assert counts(found)[None, None, "M"] == 2


def test_a_crosstab_by_two_columns_in_its_columns(write: Write) -> None:
    (found,) = read(write(sample("pandas_crosstab_columns.csv")))
    assert isinstance(found, FrequencyTable)
    assert found.by == ("age", "sex", "zip")
    assert len(found.cells) == 20
    assert counts(found)["26", "F", "a"] == 2
    assert counts(found)["31", None, None] == 2
    assert counts(found)[None, "M", "b"] == 1
    assert counts(found)[None, None, None] == 6
    assert found.notes == (TAKEN_FOR_COUNTS,)


def test_columns_without_a_name_are_not_those_of_another_file(write: Write) -> None:
    (one,) = read(write("age,yes,no\n26,12,13\n31,14,15\n"))
    (other,) = read(write("age,yes,no\n26,11,14\n31,14,15\n"))
    assert isinstance(one, FrequencyTable)
    assert isinstance(other, FrequencyTable)
    assert one.by[0] == other.by[0]
    assert one.by[1] != other.by[1]


@pytest.mark.parametrize("name", ["pandas_size.csv", "pandas_value_counts.csv"])
def test_counts_in_a_column(write: Write, name: str) -> None:
    (found,) = read(write(sample(name)))
    assert isinstance(found, FrequencyTable)
    assert found.by == ("zip", "sex")
    assert counts(found) == {("a", "F"): 2, ("a", "M"): 1, ("b", "F"): 2, ("b", "M"): 1}


def test_statistics_of_a_column_that_the_file_does_not_name(write: Write) -> None:
    (found,) = read(write(sample("pandas_agg.csv")))
    assert isinstance(found, GroupStatistics)
    assert found.of.startswith(UNNAMED)
    assert found.by == ("zip",)
    mean = Fraction("3.5833333333333335")
    assert values(found)["a",] == (3, {"mean": mean, "max": Fraction(29, 4)})
    assert any("of which column" in note for note in found.notes)


def test_statistics_of_several_columns(write: Write) -> None:
    cost, age = read(write(sample("pandas_agg_columns.csv")))
    assert isinstance(cost, GroupStatistics)
    assert isinstance(age, GroupStatistics)
    assert (cost.of, cost.by, age.of, age.by) == ("cost", ("zip",), "age", ("zip",))
    assert values(cost)["b",][0] == 3
    assert values(age)["b",][1] == {"min": Fraction(31)}


def test_named_statistics(write: Write) -> None:
    (found,) = read(write(sample("pandas_agg_named.csv")))
    assert isinstance(found, GroupStatistics)
    assert found.of == "cost"
    assert values(found)["b",][0] == 3


def test_describe_by_groups(write: Write) -> None:
    (found,) = read(write(sample("pandas_describe_groups.csv")))
    assert isinstance(found, GroupStatistics)
    assert found.by == ("zip", "sex")
    n, numbers = values(found)["a", "M"]
    assert n == 1
    assert numbers == dict.fromkeys(("mean", "min", "p25", "p50", "p75", "max"), Fraction(2))


def test_numbers_of_rows_are_no_keys(write: Write) -> None:
    (found,) = read(write(",zip,sex,n\n0,a,F,12\n1,b,M,13\n"))
    assert isinstance(found, FrequencyTable)
    assert found.by == ("zip", "sex")
    assert counts(found) == {("a", "F"): 12, ("b", "M"): 13}


@pytest.mark.parametrize("columns", [frozenset(), COLUMNS])
def test_describe(write: Write, columns: frozenset[str]) -> None:
    age, cost = read(write(sample("pandas_describe.csv")), columns=columns)
    assert isinstance(age, GroupStatistics)
    assert isinstance(cost, GroupStatistics)
    assert (age.of, cost.of, age.by) == ("age", "cost", ())
    n, numbers = values(cost)[()]
    assert n == 6
    assert (numbers["min"], numbers["max"], numbers["mean"]) == (1, Fraction(29, 4), Fraction("3.125"))


def test_sums_with_counts_are_a_magnitude_table(write: Write) -> None:
    (found,) = read(write(sample("pandas_agg_sum.csv")))
    assert sums(found) == {("a",): (3, Fraction(43, 4)), ("b",): (3, Fraction(8))}


def test_sums_and_counts_by_labels(write: Write) -> None:
    (found,) = read(write(sample("pandas_pivot_sum_count.csv")))
    assert isinstance(found, MagnitudeTable)
    assert found.by == ("zip", "sex")
    assert sums(found)["a", "F"] == (2, Fraction(35, 4))
    assert sums(found)["a", None] == (3, Fraction(43, 4))
    assert sums(found)[None, None] == (6, Fraction(75, 4))


def test_sums_whose_meaning_is_told(write: Write) -> None:
    (pivot,) = read(write(sample("pandas_pivot_sum.csv")), type_="magnitude-table")
    assert sums(pivot)["b", "M"] == (None, Fraction(1))
    assert sums(pivot)[None, "F"] == (None, Fraction(63, 4))
    (column,) = read(write(sample("pandas_sum.csv")), type_="magnitude-table")
    assert isinstance(column, MagnitudeTable)
    assert (column.of, column.by) == ("cost", ("zip",))


@pytest.mark.parametrize("name", ["pandas_pivot_sum.csv", "pandas_sum.csv"])
def test_numbers_that_could_be_anything_are_not_evaluated(write: Write, name: str) -> None:
    with pytest.raises(Unsupported, match="does not say what they are"):
        read(write(sample(name)), columns=COLUMNS)


def test_shares_of_all_six_records_are_their_counts(write: Write) -> None:
    (found,) = read(write(sample("pandas_crosstab_shares.csv")), columns=COLUMNS)
    assert isinstance(found, FrequencyTable)
    assert found.share_of == ((),)
    shares = {cell.key: cell.share for cell in found.cells}
    sixths = {key: round(6 * share.value, 9) for key, share in shares.items() if share is not None}
    assert sixths == {
        ("26", "F"): 2, ("26", "M"): 1, ("31", "F"): 1, ("31", "M"): 1, ("45", "F"): 1, ("45", "M"): 0,
    }  # fmt: skip
    assert all(cell.count is None for cell in found.cells)


@pytest.mark.parametrize(
    "text",
    [
        "age,sex,zip,cost\n26,1,3,5\n26,2,3,7\n",
        "age,weight\n26,80\n26,81\n",
        "age,weight,height\n26,80,180\n26,81,170\n",
    ],
)
def test_a_table_of_records_is_not_taken_for_a_crosstab(write: Write, text: str) -> None:
    with pytest.raises(Unsupported):
        read(write(text), columns=frozenset({"age", "cost"}))


@pytest.mark.parametrize("mark", ["", "*", "x", "<10", "≤ 5", "NaN", "[c]", ".."])
def test_withheld_counts(write: Write, mark: str) -> None:
    (found,) = read(write(f"age,F,M\n26,12,{mark}\n31,{mark},15\n"))
    assert counts(found) == {("26", "F"): 12, ("26", "M"): None, ("31", "F"): None, ("31", "M"): 15}


def test_a_row_that_is_withheld_as_a_whole_is_no_header(write: Write) -> None:
    (found,) = read(write("age,F,M\nyoung,3,4\nold,,\n"))
    assert counts(found)["old", "F"] is None
    assert len(counts(found)) == 4


def test_counts_with_a_fraction_are_refused_with_their_line(write: Write) -> None:
    with pytest.raises(DataError, match="output:3"):
        read(write("age,F,M\n26,12,11\n31,2.5,15\n"), type_="frequency-table")


def test_groups_without_a_name_are_of_missing_values_or_never_pass(write: Write) -> None:
    (found,) = read(write("zip,sex,count\na,F,3\n,F,2\n"), columns=COLUMNS)
    assert (found.unread, found.missing) == ((), ("zip",))  # type: ignore[attr-defined]
    (found,) = read(write("zip,sex,count\na,F,3\n,F,4\n"), columns=COLUMNS)
    assert found.unread


def test_numbers_of_a_column_share_their_places(write: Write) -> None:
    """1.5 beside 1.25 is 1.50: programs leave out zeros at the end."""
    (found,) = read(write("zip,count,mean\na,3,1.5\nb,4,1.25\n"))
    assert isinstance(found, GroupStatistics)
    assert [dict(cell.values)["mean"].places for cell in found.cells] == [2, 2]


@pytest.mark.parametrize(
    "asked", [{}, {"type_": "statistics"}, {"type_": "frequency-table"}, {"type_": "magnitude-table"}]
)
def test_whatever_the_user_says_text_is_no_number(write: Write, asked: dict[str, Any]) -> None:
    with pytest.raises((DataError, Unsupported)):
        read(write("zip,a,b\nx,1,one\n"), **asked)
