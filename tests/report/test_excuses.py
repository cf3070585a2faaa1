"""What excuses a failure says what was reached: below k, nobody of the public reads it, nor whether it is exact."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest
import yaml

import auditor
from auditor.policy.compare import compare
from auditor.report import redact, render
from auditor.report.gate import redact as redact_gate
from auditor.report.stored import parse
from auditor.result import Audience, Result, Tool
from auditor.result.gate import Change, GateResult, GateStatus, ReleaseResult
from tests.report.test_outputs_redacted import CHANCE

DAY = date(2026, 11, 24)
WAIVER = {"requirement": "k", "reason": "a pilot", "owner": "o", "approved_by": "b", "expires": "2027-01-01"}


def policy(k: int = 5, **blocks: Any) -> dict[str, Any]:
    return {
        "version": 1,
        "name": "p",
        "attributes": {"age": "quasi-identifier", "dx": "sensitive"},
        "requirements": [{"id": "k", "model": "k-anonymity", "k": k}],
        **blocks,
    }


def waived(reached: float, **blocks: Any) -> dict[str, Any]:
    return policy(waivers=[{**WAIVER, "at_least": {"k": reached}}], **blocks)


def known(reached: float) -> dict[str, Any]:
    return policy(
        baseline=[{"requirement": "k", "achieved": {"k": reached}, "records": reached, "expires": "2027-01-01"}]
    )


def checked(small: int, asked: dict[str, Any]) -> Result:
    ages = ["a"] * small + ["b"] * (50 - small) + ["c"] * 50
    return auditor.check(pd.DataFrame({"age": ages, "dx": ["x", "y"] * 50}), asked, as_of=DAY)


def pages(result: Result, audience: Audience = Audience.PUBLIC) -> str:
    shown = redact(result, audience)
    again = parse(render(redact(result, Audience.INTERNAL), "json")).document_for(audience)
    assert again.to_dict() == shown.to_dict()
    return CHANCE.sub("", "".join(render(shown, each) for each in ("html", "text", "markdown", "sarif")))


def test_whether_a_waiver_is_as_narrow_as_it_can_be_is_not_public() -> None:
    """Of a waiver down to 2, the class of 2 has no doubt and that of 3 has one: so the size follows."""
    found = [checked(small, waived(2)) for small in (2, 3)]
    assert [each.requirements[0].waiver.wider is None for each in found if each.requirements[0].waiver] == [True, False]
    assert len({pages(each) for each in found}) == 1
    assert len({pages(each, Audience.REVIEWER) for each in found}) == 2


@pytest.mark.parametrize("excused", [waived, known])
def test_nor_is_what_excuses_down_to_which_number(excused: Any) -> None:
    found = [checked(small, excused(small)) for small in (1, 2, 3)]
    assert {each.verdict for each in found} == {"waived"}
    assert len({pages(each) for each in found}) == 1
    seen = redact(found[0], Audience.PUBLIC).to_dict()
    assert seen["requirements"][0]["waiver"]["at_least"] is None
    assert "requirements/0/waiver/at_least" in seen["redacted"]
    assert redact(found[0], Audience.REVIEWER).to_dict()["requirements"][0]["waiver"]["at_least"] == {"k": 1}


def test_a_bound_that_tells_no_small_number_stays() -> None:
    share = {"id": "k", "model": "t-closeness", "t": 0.001, "sensitive": "dx"}
    asked = policy(requirements=[share], waivers=[{**WAIVER, "at_least": {"t": 0.5}}])
    ages = ["b"] * 50 + ["c"] * 50
    data = pd.DataFrame({"age": ages, "dx": ["x", "y"] * 40 + ["x"] * 20})
    seen = redact(auditor.check(data, asked, as_of=DAY), Audience.PUBLIC).to_dict()
    assert seen["requirements"][0]["waiver"]["at_least"] == {"t": 0.5}
    assert seen["requirements"][0]["waiver"]["wider"] is not None


@pytest.mark.parametrize("description", ["plain", "two\n\nparagraphs\nwaivers:\n - none", "- x\nbaseline: y"])
def test_the_policys_text_lacks_these_blocks_and_nothing_else(description: str) -> None:
    excuses = {**waived(2), **known(2), "waivers": waived(2)["waivers"]}
    result = checked(2, {**excuses, "description": description, "owner": "own"})
    whole, cut = (
        yaml.safe_load(redact(result, each).to_dict()["policy"]["text"])
        for each in (Audience.REVIEWER, Audience.PUBLIC)
    )
    assert {name: value for name, value in whole.items() if name not in ("waivers", "baseline")} == cut
    assert {"waivers", "baseline"} <= whole.keys()


def released(old: dict[str, Any], new: dict[str, Any]) -> GateResult:
    """A gate's answer on one release whose policy was changed."""
    compared = compare(auditor.load_policy(old), auditor.load_policy(new), "old", "new")
    release = ReleaseResult(
        name="r", status=GateStatus.WEAKENED, why="weaker", presence=Change.CHANGED, comparison=compared, change="d"
    )
    return GateResult(
        tool=Tool(version="0"),
        evaluated_on="2026-11-24",
        verdict=GateStatus.WEAKENED,
        manifest="auditor.yaml",
        releases=(release,),
    )


@pytest.mark.parametrize("excused", [waived, known])
def test_the_gates_public_page_compares_excuses_without_their_numbers(excused: Any) -> None:
    found = [released(policy(), excused(small)) for small in (1, 2, 3)]
    for format_ in ("html", "json", "markdown", "text", "sarif", "junit", "github"):
        shown = {CHANCE.sub("", render(redact_gate(each, Audience.PUBLIC), format_)) for each in found}
        assert len(shown) == 1, format_
    assert "hidden" in render(redact_gate(found[0], Audience.PUBLIC), "markdown")
    assert len({render(redact_gate(each, Audience.REVIEWER), "markdown") for each in found}) == 3
