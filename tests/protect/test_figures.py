"""The figures of a masking: those of the measures themselves, on the columns that they are defined on."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.engines import RunLimits
from auditor.microdata import Categorical, Microdata, Numeric
from auditor.protect import _figures
from auditor.protect._figures import columns_of, figures_of
from auditor.risk import disclosure_risk
from auditor.risk.gamed import BEYOND, SAME
from auditor.utility import probabilistic_loss


def table(shift=0.0):
    chance = np.random.default_rng(2)
    x = chance.normal(size=(40, 3))
    codes = chance.integers(0, 2, 40).astype(np.int32)
    numbers = tuple(Numeric(name, x[:, j] + shift * j) for j, name in enumerate("abc"))
    return Microdata((*numbers, Categorical("t", codes, ("x", "y"))))


def figures(before, after, names="abc", swapped=None):
    return figures_of(before, after, list(names), RunLimits.of(), swapped)


def test_the_figures_are_those_of_the_measures():
    before, after = table(), table(0.5)
    found = figures(before, after)
    x, y = before.numbers("abc"), after.numbers("abc")
    risk = disclosure_risk(x, y)
    loss = probabilistic_loss(x, y)
    assert found.numbers == ("a", "b", "c")
    assert (found.interval_disclosure, found.linkage_risk) == (risk.interval.percent, risk.linkage.percent)
    assert found.disclosure_risk == risk.percent
    assert found.information_loss is not None
    assert found.information_loss.average == pytest.approx(loss.average)
    assert found.score == pytest.approx((loss.average + risk.percent) / 2)
    assert max(each.percent for each in found.linkage) == found.linkage_risk
    assert (found.same_rows, found.group_k, found.not_measured) == (0, 1, ())
    assert found.gamed == ()
    assert figures(before, after, swapped=20.0).gamed == ()
    assert figures(before, after, swapped=20.5).gamed == (BEYOND,)


def test_a_table_that_is_not_masked_loses_nothing_and_is_found_whole():
    found = figures(table(), table())
    assert found.information_loss is not None
    assert (found.information_loss.average, found.interval_disclosure, found.linkage_risk) == (0, 100, 100)
    assert (found.same_rows, found.score, found.gamed) == (40, 50, (SAME,))
    assert found.known == found.numbers[: len(found.linkage[0].rates)]
    assert len(found.known) == (len(found.numbers) + 1) // 2
    assert [each.changed for each in columns_of(table(), table(), "abct")] == [0] * 4


def test_categories_have_rows_and_groups_and_nothing_else():
    found = figures(table(), table(), "t")
    assert (found.numbers, found.score, found.linkage, found.information_loss) == ((), None, (), None)
    assert found.same_rows == 40
    codes = table()["t"].codes
    assert found.group_k == min(np.bincount(codes))
    assert any("no masked column holds numbers" in each for each in found.not_measured)


def test_numbers_that_became_categories_are_no_longer_measured_as_numbers():
    before, after = table(), table()
    recoded = Categorical("a", np.zeros(40, np.int32), ("all",))
    after = Microdata(tuple(recoded if v.name == "a" else v for v in after.variables))
    found = figures(before, after, "ab")
    assert (found.numbers, found.same_rows) == (("b",), 0)
    assert [each.holds for each in columns_of(before, after, "ab")] == ["categories", "numbers"]
    assert [each.changed for each in columns_of(before, after, "ab")] == [40, 0]


def test_what_cannot_be_measured_says_why():
    before = Microdata((Numeric("a", np.full(3, np.nan)), Numeric("b", np.arange(3.0))))
    found = figures(before, before, "ab")
    assert found.information_loss is None
    assert found.score is None
    assert any(each.startswith("Information loss: column 'a'") for each in found.not_measured)


def test_linkage_is_left_out_of_large_tables(monkeypatch):
    monkeypatch.setattr(_figures, "MOST_LINKED", 39)
    found = figures(table(), table())
    assert (found.linkage, found.linkage_risk, found.score) == ((), None, None)
    assert any("at most 39 records" in each for each in found.not_measured)
