"""Columns that hold nothing: counted as pandas counts them, told in every format, and kept from becoming blank."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.errors import PolicyError
from auditor.policy import load_policy
from auditor.remediate import remediate
from auditor.report import redact, render
from auditor.result import Audience
from tests.remediate.test_alternatives import people, policy

CELLS_ASKED = {"version": 1, "name": "cells", "attributes": {"x": "quasi-identifier"}}
CELLS = st.sampled_from(["a", "b", None])


@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=2, max_size=6), most=st.integers(0, 3))
def test_columns_of_one_value_are_counted(rows: list[tuple[str | None, ...]], most: int) -> None:
    table = pd.DataFrame(rows, columns=["x", "y", "z"], dtype="object")
    blank = tuple(name for name in table.columns if table[name].nunique(dropna=False) == 1)
    asked = {
        "version": 1,
        "name": "cells",
        "attributes": dict.fromkeys("xyz", "quasi-identifier"),
        "requirements": [
            {"model": "max-blank-columns", "max": most},
            {"model": "max-blank-columns", "id": "one", "max": 0, "attributes": ["x"]},
        ],
    }
    result = auditor.check(table, asked)
    assert result.classes is not None
    assert result.classes.blank_columns == blank
    every, one = result.requirements
    assert (every.achieved, every.status) == (len(blank), "pass" if len(blank) <= most else "fail")
    assert (one.achieved, one.status) == (float("x" in blank), "fail" if "x" in blank else "pass")
    assert auditor.check(table, asked, source=True).classes.blank_columns is None  # type: ignore[union-attr]


def test_other_columns_are_counted_too() -> None:
    """A column that nothing else counts is read as records are."""
    table = pd.DataFrame({"x": ["a", "b"], "note": ["same", "same"], "size": [1.5, 1.5]})
    attributes = {"x": "quasi-identifier", "note": "insensitive", "size": "insensitive"}
    wanted = [{"model": "max-blank-columns", "max": 1, "attributes": ["note", "size", "x"]}]
    asked = {"version": 1, "name": "cells", "attributes": attributes, "requirements": wanted}
    assert auditor.check(table, asked).requirements[0].achieved == 2


def test_no_quasi_identifier_is_no_pass() -> None:
    wanted = [{"model": "max-blank-columns", "max": 0}]
    asked = {"version": 1, "name": "cells", "attributes": {"x": "insensitive"}, "requirements": wanted}
    (found,) = auditor.check(pd.DataFrame({"x": ["a", "b"]}), asked).requirements
    assert (found.status, found.reason) == ("not-evaluated", "no column of the data is a quasi-identifier")


@pytest.mark.parametrize("audience", Audience)
def test_every_format_says_how_many_columns_hold_nothing(audience: Audience) -> None:
    done = remediate(people(3), policy(60))
    shown = redact(done.result, audience)
    said = "2 of 3 columns hold nothing: every record has the same age and town."
    for form in ("text", "markdown", "html", "sarif"):
        assert said in " ".join(render(shown, form).split())


@pytest.mark.parametrize(("k", "told"), [(3, True), (4, False)])
def test_the_public_is_told_of_columns_that_go_out(k: int, told: bool) -> None:
    """That all people of a table which stays in the house have something in common is theirs."""
    table = pd.DataFrame({"age": ["40"] * 6, "sex": ["f"] * 3 + ["m"] * 3})
    result = auditor.check(table, policy(k, attributes=dict.fromkeys(["age", "sex"], "quasi-identifier")))
    for audience, seen in ((Audience.PUBLIC, told), (Audience.REVIEWER, True)):
        shown = redact(result, audience)
        assert ("same age" in render(shown, "text")) is seen
        assert ("age" in (shown.result.classes.blank_columns or ())) is seen  # type: ignore[union-attr]


def test_one_column() -> None:
    table = pd.DataFrame({"age": ["*"] * 6, "sex": ["f"] * 3 + ["m"] * 3})
    asked = policy(3, attributes=dict.fromkeys(["age", "sex"], "quasi-identifier"))
    text = render(redact(auditor.check(table, asked), Audience.REVIEWER), "text")
    assert "! 1 of 2 columns holds nothing: every record has the same age." in text


def _asked(most: int, k: int, **blocks: Any) -> dict[str, Any]:
    asked = policy(k, **blocks)
    return {**asked, "requirements": [*asked["requirements"], {"model": "max-blank-columns", "max": most}]}


@pytest.mark.parametrize("seed", range(4))
def test_no_level_of_one_label_is_searched(seed: int) -> None:
    """The least loss among the releases in which every column holds something, if there is one."""
    settings = {"search": "optimal", "suppression_limit": "20%"}
    done = remediate(people(seed), _asked(0, 5, remediation=settings))
    free = remediate(
        people(seed),
        policy(5, remediation={**settings, "levels": {"age": {"max": 2}, "town": {"max": 1}, "sex": {"max": 0}}}),
    )
    assert done.solution is not None
    assert free.solution is not None
    assert (done.solution.levels, done.solution.loss) == (free.solution.levels, free.solution.loss)
    assert all(done.data[name].nunique() > 1 for name in ("age", "town", "sex"))


def test_groups_may_be_blank_where_their_column_is_not() -> None:
    done = remediate(people(3), _asked(0, 20, remediation={"search": "mondrian"}))
    assert done.solution is not None
    assert all(done.data[name].nunique() > 1 for name in ("age", "town", "sex"))


def test_a_release_that_is_refused_is_not_said_to_be_the_only_one() -> None:
    settings = {"search": "optimal", "suppression_limit": "0%"}
    done = remediate(people(3), _asked(1, 60, remediation=settings))
    assert done.solution is None
    text = " ".join(render(redact(done.result, Audience.INTERNAL), "text").split())
    assert "the release that was found does not meet max-blank-columns, and no other was tried" in text
    assert "max-blank-columns: the release that was found reaches 2 (1 required); no other release was tried." in text
    assert "No generalization" not in text


@pytest.mark.parametrize("listed", [[], [{"model": "k-anonymity", "k": 2}]])
def test_the_short_spelling_is_the_requirement(listed: list[dict[str, Any]]) -> None:
    blank = {"model": "max-blank-columns", "max": 1}
    short = load_policy({**CELLS_ASKED, "requirements": listed, "min_utility": {"blank_columns": 1}})
    assert short.sha256 == load_policy({**CELLS_ASKED, "requirements": [*listed, blank]}).sha256


def test_the_short_spelling_is_inherited(tmp_path: Path) -> None:
    base = "version: 1\nname: base\nattributes: {x: quasi-identifier}\nmin_utility:\n  blank_columns: 0\n"
    (tmp_path / "base.yaml").write_text(base)
    for own, most, line in (("", 0, "base.yaml:5"), ("min_utility: {blank_columns: 2}\n", 2, "own.yaml:4")):
        (tmp_path / "own.yaml").write_text(f"version: 1\nname: own\nextends: [base.yaml]\n{own}")
        policy = load_policy(tmp_path / "own.yaml")
        assert [each.model_dump()["max"] for each in policy.requirements] == [most]
        assert line in str(policy.origin("requirements/0/max"))


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ({"blank_columns": -1}, "'-1' was read; it must be greater than or equal to 0"),
        ({"blank": 0}, "unknown key 'blank'; blank_columns"),
        ({}, "blank_columns is missing"),
        ({"blank_columns": None}, "nothing was read; wanted: a whole number"),
        (5, "'5' was read; wanted: a mapping"),
    ],
)
def test_a_short_spelling_that_says_nothing_is_no_pass(block: Any, said: str) -> None:
    with pytest.raises(PolicyError, match=re.escape(said)):
        load_policy({**CELLS_ASKED, "min_utility": block})
