"""``at_least``: a policy that is weaker than its organisation's does not load."""

from __future__ import annotations

import pytest

from auditor.policy import load_policy
from auditor.policy.compare import compare
from auditor.result import Strictness
from tests.policy.conftest import BASE, Desk, place

ORGANISATION = "name: organisation\n" + BASE
PREFIX = "name: ours\nat_least: [organisation.yaml]\n"


@pytest.fixture
def organisation(desk: Desk) -> Desk:
    desk.write(ORGANISATION, "organisation.yaml")
    return desk


@pytest.mark.parametrize(
    "text",
    [
        BASE,
        BASE.replace("k: 5", "k: 6"),
        "extends: [organisation.yaml]\nrequirements: [{model: distinct-l-diversity, l: 3}]\n",
        # Distinct diversity of 5 takes 5 members, so k-anonymity follows from it.
        BASE.replace("{model: k-anonymity, k: 5}", "{model: distinct-l-diversity, l: 5}"),
    ],
)
def test_one_that_is_as_strict_loads(organisation: Desk, text: str) -> None:
    assert organisation.load(PREFIX + text).at_least == ("organisation.yaml",)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("k: 5", "k: 4", "requirements/k-anonymity/k"),
        ("zip: insensitive", "zip: insensitive, name: insensitive", "attributes/name/role"),
        ("age: quasi-identifier", "age: insensitive", "attributes/age/role"),
        ("ill: sensitive", "ill: insensitive", "attributes/ill/role"),
    ],
)
def test_one_that_is_weaker_does_not(organisation: Desk, old: str, new: str, field: str) -> None:
    assert old in BASE
    (problem,) = organisation.problems(PREFIX + BASE.replace(old, new))
    assert problem.code == "weaker"
    assert place(problem) == (2, 12)
    assert field in problem.what
    assert "'organisation.yaml'" in problem.what


def test_a_waiver_is_weaker(organisation: Desk) -> None:
    waiver = "waivers: [{requirement: k-anonymity, reason: r, owner: o, approved_by: a, expires: 2099-01-31}]\n"
    (problem,) = organisation.problems(PREFIX + BASE + waiver)
    assert "waivers/k-anonymity" in problem.what


def test_a_starter_pack_is_named_as_in_extends(desk: Desk) -> None:
    text = "extends: [uk-sdap-outputs]\nat_least: [uk-sdap-outputs]\nname: ours\n"
    assert desk.load(text).name == "ours"
    weaker = text + "outputs: [{type: frequency-table, min_cell: 2}]\n"
    assert desk.load(text.replace("at_least: [uk-sdap-outputs]\n", "")).outputs
    assert any(problem.code == "weaker" for problem in desk.problems(weaker))


@pytest.mark.parametrize(
    ("named", "code"),
    [("absent.yaml", "file"), ("../outside.yaml", "escape"), ("no-such-pack", "unknown-pack"), ("bad.yaml", "value")],
)
def test_one_that_cannot_be_read_is_an_error(organisation: Desk, named: str, code: str) -> None:
    organisation.write("requirements: 5", "bad.yaml")
    problems = organisation.problems(f"at_least: [{named}]\n" + BASE)
    assert code in {problem.code for problem in problems}


def test_it_is_inherited_and_cannot_be_dropped(organisation: Desk) -> None:
    organisation.write(PREFIX + BASE, "ours.yaml")
    organisation.write("name: other\n" + BASE, "other.yaml")
    loose = "name: team\nextends: [ours.yaml]\nat_least: [other.yaml]\nrequirements: [{id: k-anonymity, k: 4}]\n"
    assert {problem.code for problem in organisation.problems(loose)} == {"weaker"}
    (first, second) = organisation.problems(loose)
    assert first.where.startswith("ours.yaml:2")
    assert second.where.startswith("p.yaml:3")
    strict = organisation.load(loose.replace("k: 4", "k: 9"))
    assert strict.at_least == ("organisation.yaml", "other.yaml")


def test_two_that_name_each_other_come_to_an_end(desk: Desk) -> None:
    desk.write("at_least: [b.yaml]\n" + BASE, "a.yaml")
    desk.write("at_least: [a.yaml]\n" + BASE, "b.yaml")
    assert load_policy("a.yaml").sha256 == load_policy("b.yaml").sha256


def test_dropping_it_is_weaker(organisation: Desk) -> None:
    before, after = organisation.load(PREFIX + BASE), organisation.load("name: ours\n" + BASE)
    assert before.sha256 == after.sha256
    found = compare(before, after)
    assert found.verdict is Strictness.WEAKER
    assert [difference.path for difference in found.differences] == ["at_least"]
