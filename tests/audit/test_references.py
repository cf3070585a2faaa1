"""Where q comes from: the table itself, the original, a file; numbers are the same however they are written."""

from __future__ import annotations

import pyarrow as pa
import pytest

import auditor
from auditor.audit import judged
from auditor.engines import RunLimits
from auditor.errors import DataError, Unsupported
from auditor.policy import load_policy

CLOSE = {"model": "t-closeness", "sensitive": "v", "t": 0.5, "ground": "ordered"}


def policy(**more):
    attributes = {"q": "quasi-identifier", "v": {"role": "sensitive", **more.pop("of_v", {})}}
    return {"name": "p", "attributes": attributes, "requirements": [more.pop("requirement", CLOSE)], **more}


def table(values, q=None, kind=None):
    return pa.table({"q": q or ["a"] * len(values), "v": pa.array(values, kind)})


def only(result):
    (requirement,) = result.requirements
    return requirement


def test_numbers_of_a_reference_are_numbers_however_they_are_written():
    # ranks 1 < 2 < 3; p = (1, 0, 0), q = (1/4, 2/4, 1/4): (3/4 + 1/4)/2
    original = table(["1.0", "2", "2.00", "3"])
    found = only(auditor.check(table(["1"]), policy(reference="original", of_v={"type": "number"}), original=original))
    assert found.achieved == pytest.approx(0.5)


def test_a_typed_release_compares_with_a_reference_of_text():
    found = only(
        auditor.check(
            table([1.0, 1.0], kind=pa.float64()), policy(reference="original"), original=table(["1", "3", "2", "3"])
        )
    )
    assert found.achieved == pytest.approx((3 / 4 + 2 / 4) / 2)


def test_a_reference_with_a_text_makes_the_column_text():
    release, original = table(["1", "2"]), table(["1", "2", "n/a"])
    ordered = only(auditor.check(release, policy(reference="original"), original=original))
    assert ordered.status == "not-evaluated"
    equal = {**CLOSE, "ground": "equal"}
    found = only(auditor.check(release, policy(reference="original", requirement=equal), original=original))
    assert found.achieved == pytest.approx(1 / 3)


def test_integers_beyond_the_precision_of_floats_keep_their_ranks():
    # p = (1, 0, 0) in one class and (0, 1/2, 1/2) in the other, q = (1/3, 1/3, 1/3)
    values = [2**62, 2**62 + 1, 2**62 + 2]
    found = only(auditor.check(table(values, ["a", "b", "b"], pa.int64()), policy()))
    assert found.achieved == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_units_of_the_reference_are_counted_too():
    # persons per value in the original: v=1: {a}, v=2: {a, b}; p = (1, 0), q = (1/3, 2/3)
    attributes = {"q": "quasi-identifier", "v": "sensitive", "who": "pseudonym"}
    asked = {"name": "p", "unit": "who", "attributes": attributes, "requirements": [CLOSE], "reference": "original"}
    release = pa.table({"q": ["a", "a"], "v": ["1", "1"], "who": ["a", "b"]})
    original = pa.table({"q": ["a"] * 4, "v": ["1", "1", "2", "2"], "who": ["a", "a", "a", "b"]})
    assert only(auditor.check(release, asked, original=original)).achieved == pytest.approx(2 / 3)
    without = only(auditor.check(release, asked, original=original.drop_columns("who")))
    assert without.status == "not-evaluated"
    assert "'who'" in without.reason


def test_a_reference_without_the_column_is_not_evaluated():
    found = only(auditor.check(table(["1"]), policy(reference="original"), original=pa.table({"x": ["1"]})))
    assert found.status == "not-evaluated"
    assert "has no column 'v'" in found.reason


def test_a_reference_without_records_is_an_error():
    with pytest.raises(DataError, match="no records"):
        auditor.check(table(["1"]), policy(reference="original"), original=table([], kind=pa.string()))


def test_a_policy_that_reads_the_original_asks_for_it():
    with pytest.raises(Unsupported, match="--original"):
        auditor.check(table(["1"]), policy(reference="original"))


def test_before_release_the_table_is_the_original():
    found = auditor.check(table(["1", "2"]), policy(reference="original"), source=True)
    assert only(found).achieved == 0
    assert any("is the original" in text for text in found.assumptions)


def test_a_reference_file_lies_beside_the_policy(tmp_path):
    (tmp_path / "q.csv").write_text("v\n1\n2\n3\n3\n")
    (tmp_path / "p.yaml").write_text(
        "name: p\nreference: q.csv\nattributes: {q: quasi-identifier, v: sensitive}\n"
        "requirements: [{model: t-closeness, t: 0.5, ground: ordered}]\n"
    )
    found = only(auditor.check(table(["1"]), tmp_path / "p.yaml"))
    assert found.achieved == pytest.approx((3 / 4 + 2 / 4) / 2)


@pytest.mark.parametrize("judged_too", [True, False])
def test_equal_numbers_are_one_value_whether_or_not_the_column_is_judged(judged_too):
    attributes = {"q": "quasi-identifier", "v": {"role": "sensitive", "type": "number"}, "w": "sensitive"}
    requirements = [
        {"model": "distinct-l-diversity", "l": 1, "sensitive": "w", "others": "quasi-identifiers", "id": "w"}
    ]
    requirements += [{"model": "distinct-l-diversity", "l": 1, "sensitive": "v", "id": "v"}] * judged_too
    data = pa.table({"q": ["a"] * 3, "v": ["1", "1.0", "1e0"], "w": ["x", "y", "z"]})
    found = auditor.check(data, {"attributes": attributes, "requirements": requirements})
    assert found.requirements[0].achieved == 3


@pytest.mark.parametrize("reference", ["released", "original"])
def test_nothing_is_left_in_a_workspace(reference, tmp_path):
    """Neither of what was opened, nor of a reference that was not, nor where there is no data."""
    given, loaded = table(["1", "2"]), load_policy(policy(reference=reference))
    original = given if reference == "original" else None
    found = judged(given, loaded, RunLimits.of("1GB"), original=original, workspace=tmp_path)
    assert found.exit_code == 0
    with pytest.raises(DataError, match="no such file"):
        judged(str(tmp_path / "none.csv"), loaded, RunLimits.of("1GB"), original=original, workspace=tmp_path)
    assert not [*tmp_path.iterdir()]
