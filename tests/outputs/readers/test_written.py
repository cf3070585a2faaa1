"""Counts as people write them: with marks between thousands, with a share beside them, under `total`."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.outputs.readers import read
from auditor.result import Verdict

POLICY = {
    "version": 1,
    "name": "p",
    "attributes": {"ward": "insensitive"},
    "outputs": [{"type": "frequency-table", "min_cell": 10, "differencing": True}],
}


def counts(path: Path, text: str, type_: str | None = None) -> dict:
    path.write_text(text, "utf-8")
    (output,) = read(path, type_=type_)
    assert not output.unread
    return {cell.key: cell.count for cell in output.cells}


@pytest.mark.parametrize("mark", [",", "'", "\u00a0", "\u202f", " "])
def test_marks_between_thousands(tmp_path: Path, mark: str) -> None:
    text = f'ward,n\na,"4{mark}000"\nb,"1{mark}250{mark}000"\nc,12\nd,*\n'
    assert counts(tmp_path / "t.csv", text) == {("a",): 4000, ("b",): 1_250_000, ("c",): 12, ("d",): None}


def test_a_decimal_comma_is_no_mark(tmp_path: Path) -> None:
    """0,250 is no count; of 3,5 and 4,000 nothing is known."""
    for field in ("0,250", "3,5", "4,00"):
        (tmp_path / "t.csv").write_text(f'ward,n\na,"{field}"\nb,"4,000"\n')
        assert check_outputs(tmp_path / "t.csv", POLICY).verdict is Verdict.NOT_EVALUATED


@pytest.mark.parametrize("form", ["{} ({}%)", "{} ({}.0 %)", "{} [{}%]", "{}({}) %"])
def test_a_share_beside_a_count(tmp_path: Path, form: str) -> None:
    fields = [form.format(n, share) for n, share in ((40, 80), (10, 20))]
    assert counts(tmp_path / "t.csv", f"ward,n (%)\na,{fields[0]}\nb,{fields[1]}\n") == {("a",): 40, ("b",): 10}


@pytest.mark.parametrize("rest", ["*", "* (10%)", "<10 (10%)", "<10"])
def test_a_share_tells_the_total_and_what_is_suppressed(tmp_path: Path, rest: str) -> None:
    """45 are 90 % of 50, so that five are left; so do 10 % of 50 say."""
    (tmp_path / "t.csv").write_text(f"ward,n (%)\na,45 (90%)\nb,{rest}\n")
    result = check_outputs(tmp_path / "t.csv", POLICY)
    assert result.verdict is Verdict.FAIL
    assert {v.reached for v in result.outputs[0].violations} & {0, 5}


def test_a_share_tells_what_a_table_leaves_out(tmp_path: Path) -> None:
    """90 % are 45, and 5 are in no row."""
    (tmp_path / "t.csv").write_text("ward,n (%)\na,30 (60%)\nb,15 (30%)\n")
    assert check_outputs(tmp_path / "t.csv", POLICY).verdict is Verdict.FAIL


def test_a_mean_with_its_deviation_is_no_count(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ward,mean (sd)\na,40 (8.5)\nb,30 (4.2)\n")
    assert check_outputs(tmp_path / "t.csv", POLICY).verdict is Verdict.NOT_EVALUATED


def test_a_column_of_counts_called_total(tmp_path: Path) -> None:
    assert counts(tmp_path / "t.csv", "ward,sex,total\na,F,40\nb,M,3\n", "frequency-table") == {
        ("a", "F"): 40,
        ("b", "M"): 3,
    }


@given(st.lists(st.integers(0, 2_000_000), min_size=1, max_size=6))
def test_every_count_is_read_as_it_was_written(tmp_path_factory: pytest.TempPathFactory, numbers: list[int]) -> None:
    lines = [f'{at},"{n:,} ({100 * n / max(1, sum(numbers)):.4f}%)"' for at, n in enumerate(numbers)]
    found = counts(tmp_path_factory.mktemp("t") / "t.csv", "\n".join(["ward,n (%)", *lines]) + "\n")
    assert found == {(str(at),): n for at, n in enumerate(numbers)}


def test_a_flat_table_of_r(tmp_path: Path) -> None:
    """`write.csv(format(ftable(...)))`: the labels that are left out are those above."""
    text = """"","","Survived","No","Yes"
"Class","Sex","","",""
"1st","Male","",118,57
"","Female","",14,140
"2nd","Male","",154,*
"","Female","",13,80
"""
    for type_ in (None, "frequency-table"):
        found = counts(tmp_path / "t.csv", text, type_)
        assert found["1st", "Female", "No"] == 14
        assert found["2nd", "Male", "Yes"] is None
        assert len(found) == 8
    (output,) = read(tmp_path / "t.csv")
    assert output.by == ("Class", "Sex", "Survived")
