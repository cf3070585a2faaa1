"""Waivers: when they hold, for which data, and what is said of them. The class sizes are counted by hand."""

from __future__ import annotations

import json
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from auditor.audit import CheckResult, check, judged
from auditor.engines import RunLimits
from auditor.errors import PolicyError
from auditor.policy import load_policy
from auditor.report.redact import redact
from auditor.report.rendered import FORMATS, render
from auditor.result import Audience

DAY = date(2027, 1, 15)
TABLE = "age,name\n1,a\n1,b\n1,c\n2,d\n2,e\n2,f\n2,g\n"
"""A class of three and a class of four."""
HELD = {
    "requirement": "k",
    "reason": "a rare disease",
    "owner": "ana",
    "approved_by": "board",
    "expires": "2027-12-31",
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "release.csv"
    file.write_text(TABLE, encoding="utf-8")
    return file


def policy(*waivers: dict[str, Any], name: str = "insensitive", **demand: Any) -> dict[str, Any]:
    wanted = {"id": "k", "model": "k-anonymity", "k": 5, **demand}
    attributes = {"age": "quasi-identifier", "name": name}
    return {"name": "p", "attributes": attributes, "requirements": [wanted], "waivers": list(waivers)}


def found(result: CheckResult) -> tuple[str, list[tuple[str, str]]]:
    about = [(f.level, f.message) for f in result.findings if "waiver" in f.message]
    return str(result.verdict), about


def test_a_waiver_that_fits_is_said_to_be_declared_and_not_verified(table: Path) -> None:
    result = check(table, policy({**HELD, "at_least": {"k": 3}}), as_of=DAY)
    assert found(result) == ("waived", [])
    waiver = result.requirements[-1].waiver
    assert waiver is not None
    assert (waiver.approval, waiver.wider) == ("declared, not verified", None)


def test_a_lapsed_waiver_fails(table: Path) -> None:
    held = policy({**HELD, "at_least": {"k": 3}})
    assert found(check(table, held, as_of=date(2027, 12, 31)))[0] == "waived"
    verdict, about = found(check(table, held, as_of=date(2028, 1, 1)))
    assert verdict == "fail"
    assert about == [("error", "The waiver has lapsed; the requirement is judged without it.")]


def test_one_near_its_end_warns(table: Path) -> None:
    held = policy({**HELD, "at_least": {"k": 3}})
    assert found(check(table, held, as_of=date(2027, 12, 1))) == (
        "waived",
        [("warning", "The waiver ends within 30 days.")],
    )
    assert found(check(table, held, as_of=date(2027, 11, 30))) == ("waived", [])


def test_one_that_is_not_needed_warns(table: Path) -> None:
    verdict, about = found(check(table, policy(HELD, k=3), as_of=DAY))
    assert (verdict, about[0][0]) == ("pass", "warning")
    assert "not needed" in about[0][1]


def test_one_approved_by_its_owner_excuses_nothing(table: Path) -> None:
    verdict, about = found(check(table, policy({**HELD, "approved_by": " Ana "}), as_of=DAY))
    assert verdict == "fail"
    assert about == [("error", "The waiver is approved by its owner; it excuses nothing.")]


@pytest.mark.parametrize(
    ("held", "wider"),
    [
        ({"at_least": {"k": 3}}, None),
        ({"at_least": {"k": 2}}, "the data achieves more than its bound of k"),
        ({}, "it leaves no bound standing"),
    ],
)
def test_a_waiver_wider_than_the_finding_is_an_error(table: Path, held: dict[str, Any], wider: str | None) -> None:
    verdict, about = found(check(table, policy({**HELD, **held}), as_of=DAY))
    assert verdict == "waived"
    assert about == ([("error", f"The waiver is wider than the finding: {wider}.")] if wider else [])


@pytest.mark.parametrize(("most", "is_wide"), [(0.34, False), (0.333, None), (0.35, True), (0.4, False), (0.5, True)])
def test_a_real_bound_is_wide_where_a_step_less_would_do(table: Path, most: float, is_wide: bool | None) -> None:
    """The highest risk is 1/3: 0.33 and 0.333 do not cover it, 0.34 does and 0.33 would not."""
    held = {**HELD, "requirement": "r", "at_least": {"max": most}}
    asked = {**policy(held), "requirements": [{"id": "r", "model": "max-risk", "max": 0.2}]}
    verdict, about = found(check(table, asked, as_of=DAY))
    assert verdict == ("fail" if is_wide is None else "waived")
    beyond = ("warning", "The waiver does not excuse this: the violation goes beyond it.")
    assert (about == [beyond]) if is_wide is None else (bool(about) is is_wide)


def test_the_second_number_of_a_model_counts_too(table: Path) -> None:
    """p-sensitive k-anonymity: three distinct names, classes of at least three."""
    demand = {"id": "k", "model": "p-sensitive-k-anonymity", "p": 4, "k": 5, "sensitive": "name"}

    def about(p: int, k: int) -> list[tuple[str, str]]:
        asked = policy({**HELD, "at_least": {"p": p, "k": k}}, name="sensitive")
        return found(check(table, {**asked, "requirements": [demand]}, as_of=DAY))[1]

    assert about(3, 3) == []
    assert about(3, 2)[0][1].endswith("more than its bound of k.")
    assert about(2, 3)[0][1].endswith("more than its bound of p.")


def test_a_waiver_bound_to_the_datas_digest(table: Path) -> None:
    digest = sha256(TABLE.encode()).hexdigest()
    held = policy({**HELD, "sha256": digest})
    assert found(check(table, held, as_of=DAY)) == ("waived", [])
    table.write_text(TABLE + "1,h\n", encoding="utf-8")
    verdict, about = found(check(table, held, as_of=DAY))
    assert verdict == "fail"
    assert about == [("warning", "The waiver is limited to other data; the requirement is judged without it.")]


@pytest.mark.parametrize(
    ("scope", "verdict"),
    [({"data": ["rel*.csv"]}, "waived"), ({"data": ["other.csv"]}, "fail"), ({"releases": ["spring"]}, "fail")],
)
def test_a_waiver_limited_to_some_data(table: Path, scope: dict[str, Any], verdict: str) -> None:
    assert found(check(table, policy({**HELD, "at_least": {"k": 3}, "scope": scope}), as_of=DAY))[0] == verdict


def test_a_waiver_limited_to_a_release_of_the_manifest(table: Path) -> None:
    held = load_policy(policy({**HELD, "at_least": {"k": 3}, "scope": {"releases": ["spring"]}}))
    for release, verdict in (("spring", "waived"), ("autumn", "fail"), (None, "fail")):
        assert judged(table, held, RunLimits.of(), as_of=DAY, release=release).verdict == verdict


@pytest.mark.parametrize(
    ("columns", "verdict", "wider"),
    [
        (["name"], "waived", None),
        (["name", "phone"], "waived", "it names columns that comply"),
        (["phone"], "fail", None),
        (None, "waived", "it names no columns"),
    ],
)
def test_identifiers_are_waived_by_column(
    table: Path, columns: list[str] | None, verdict: str, wider: str | None
) -> None:
    scope = {"scope": {"columns": columns}} if columns else {}
    asked = policy({**HELD, "requirement": "identifiers", **scope}, name="identifier", k=3)
    result = check(table, asked, as_of=DAY)
    assert str(result.verdict) == verdict
    waiver = result.requirements[0].waiver
    assert (waiver.wider if waiver else None) == wider


def test_a_waived_requirement_is_waived_in_every_format(table: Path) -> None:
    result = check(table, policy({**HELD, "at_least": {"k": 3}}), as_of=DAY)
    for name in FORMATS:
        for audience in Audience:
            text = render(redact(result, audience), name)
            assert "waived" in text.lower() or '"status": "accepted"' in text, name
    document = json.loads(render(redact(result, Audience.REVIEWER), "json"))
    assert (document["verdict"], document["requirements"][-1]["status"]) == ("waived", "waived")


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({"at_least": {"k": 2.5}}, "k: 2.5 is not a value of that parameter"),
        ({"at_least": {"k": 0}}, "k: 0 is not a value of that parameter"),
        ({"scope": {"columns": ["age"]}}, "not a requirement on columns"),
        ({"scope": {"colums": ["age"]}}, "did you mean 'columns'"),
        ({"sha256": "abc"}, "sha256"),
    ],
)
def test_what_a_waiver_cannot_say(held: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        load_policy(policy({**HELD, **held}))
