"""The ways that a policy leaves open, and those out of one that nothing meets: each against what pasting it gives."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from auditor.errors import UsageError
from auditor.remediate import Remediated, remediate
from auditor.remediate import _alternatives as alternatives
from auditor.report import redact
from auditor.report.text import document
from auditor.result import Audience
from auditor.result.remediation import AlternativeRelease

TOWNS = {"tree": {"*": {"north": ["n1", "n2", "n3"], "south": ["s1", "s2", "s3"]}}}
ATTRIBUTES: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"widths": [10, 20], "start": 0}}},
    "town": {"role": "quasi-identifier", "hierarchy": TOWNS},
    "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
    "illness": "sensitive",
}


def people(seed: int, count: int = 300) -> pd.DataFrame:
    """Persons, some of them rare."""
    random = np.random.default_rng(seed)
    towns = random.choice(["n1", "n2", "n3", "s1", "s2", "s3"], count, p=[0.4, 0.3, 0.2, 0.05, 0.03, 0.02])
    ages = np.minimum(random.gamma(4, 10, count).astype(int), 99).astype(str)
    return pd.DataFrame(
        {
            "age": ages,
            "town": towns,
            "sex": random.choice(["f", "m"], count),
            "illness": random.choice([*"abcde"], count),
        }
    )


def policy(k: int = 5, **blocks: Any) -> dict[str, Any]:
    """A policy that leaves the search open, with other blocks where they are given."""
    wanted = [{"model": "k-anonymity", "k": k}]
    return {"version": 1, "name": "people", "attributes": ATTRIBUTES, "requirements": wanted, **blocks}


def pasted(asked: dict[str, Any], lines: str) -> dict[str, Any]:
    """The policy with the lines in it, block by block."""
    changed = dict(asked)
    for name, block in yaml.safe_load(lines).items():
        changed[name] = {**changed.get(name, {}), **block}
    return changed


def text(done: Remediated, audience: Audience = Audience.REVIEWER) -> str:
    """What a terminal of 400 columns shows, so that no line of the policy is broken."""
    return document(redact(done.result, audience), width=400)


def found(done: Remediated) -> tuple[AlternativeRelease, ...]:
    """What was tried."""
    return done.alternatives


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("objective", ["loss", "discernibility"])
def test_each_way_is_the_release_that_its_lines_give(seed: int, objective: str) -> None:
    asked, table = policy(remediation={"objective": objective}), people(seed)
    told = found(remediate(table, asked))
    assert [each.lines for each in told] == [
        "remediation: {suppression_limit: 0%}",
        "remediation: {suppression_limit: 1%}",
        "remediation: {suppression_limit: 5%}",
        "remediation: {search: mondrian}",
    ]
    assert [each.taken for each in told] == [True, False, False, False]
    for each in told:
        once = remediate(table, pasted(asked, each.lines))
        assert once.solution is not None
        assert once.after is not None
        assert once.after.classes is not None
        assert each.verdict == once.after.verdict == "pass"
        assert each.loss == once.solution.losses["loss"]
        assert each.suppressed_records == once.solution.suppressed_records
        assert each.blank_columns == once.after.classes.blank_columns
        assert each.blank_columns == tuple(name for name in ("age", "town", "sex") if once.data[name].nunique() == 1)


def test_each_way_counts_persons(tmp_path: Path) -> None:
    """Every release is written with its units, audited, and written without: one after the other, none in the way."""
    asked = policy(unit={"column": "person", "rows": "many-per-unit"})
    asked["attributes"] = {**ATTRIBUTES, "person": "identifier"}
    table = people(1).assign(person=[str(row // 2) for row in range(300)])
    done = remediate(table, asked, output=tmp_path / "release.csv")
    assert [each.verdict for each in found(done)] == ["pass"] * 4
    for each in found(done):
        once = remediate(table, pasted(asked, each.lines))
        assert once.solution is not None
        assert (once.solution.losses["loss"], once.solution.suppressed_records) == (each.loss, each.suppressed_records)
    chosen = remediate(table, asked, output=tmp_path / "release.csv", choose=lambda ways: len(ways) - 1)
    assert chosen.solution is not None
    assert chosen.solution.search == "mondrian"
    assert [path.name for path in tmp_path.iterdir()] == ["release.csv"]


@pytest.mark.parametrize(
    ("settings", "lines"),
    [
        ({"search": "optimal"}, ["suppression_limit: 0%", "suppression_limit: 1%", "suppression_limit: 5%"]),
        ({"suppression_limit": "2%"}, ["", "search: mondrian"]),
        ({"suppression_limit": "2%", "search": "samarati"}, []),
    ],
)
def test_what_the_policy_says_stays(settings: dict[str, Any], lines: list[str]) -> None:
    told = found(remediate(people(1), policy(remediation=settings)))
    assert [each.lines for each in told] == [line and f"remediation: {{{line}}}" for line in lines]


def test_where_nothing_meets_the_policy_each_way_out_does() -> None:
    bare = {**ATTRIBUTES, "town": "quasi-identifier"}
    asked, table = policy(8, attributes=bare), people(2)
    done = remediate(table, asked)
    assert done.shortfall is not None
    rare = [size for size in table["town"].value_counts() if size < 8]
    assert done.shortfall.suppression_needed == sum(rare)
    ways = [each for each in found(done) if each.verdict]
    assert {"attributes: {town: {role: quasi-identifier, hierarchy: suppress}}"} <= {each.lines for each in ways}
    for each in ways:
        once = remediate(table, pasted(asked, each.lines))
        assert once.solution is not None
        assert (once.solution.losses["loss"], once.solution.suppressed_records) == (each.loss, each.suppressed_records)
        assert each.lines in " ".join(text(done).split())


@pytest.mark.parametrize(("needed", "records"), [(1, 3), (9, 30162), (13406, 30162), (1, 10**7), (99, 100), (100, 100)])
def test_a_limit_is_rounded_up_and_suffices(needed: int, records: int) -> None:
    (way,) = alternatives.ways_out(_shortfall(needed), records, ())
    assert way.share is not None
    share = Fraction(repr(way.share))
    assert needed <= share * records <= needed * Fraction(11, 10) or share == 1


def _shortfall(needed: int) -> Any:
    from auditor.result.remediation import Shortfall

    return Shortfall(coarsest={}, suppression_needed=needed)


def test_a_column_that_the_policy_does_not_name_is_not_pasted() -> None:
    table = people(2).rename(columns={"town": "n1-town"})
    bare = {name: role for name, role in ATTRIBUTES.items() if name != "town"} | {"*-town": "quasi-identifier"}
    told = found(remediate(table, policy(8, attributes=bare)))
    assert told
    assert not [each for each in told if "attributes" in each.lines]


def test_the_public_is_told_of_one_release() -> None:
    done = remediate(people(1), policy())
    assert redact(done.result, Audience.PUBLIC).result.alternatives is None
    assert "mondrian" not in text(done, Audience.PUBLIC)


def test_who_is_asked_gets_what_was_chosen(tmp_path: Path) -> None:
    offered: list[tuple[AlternativeRelease, ...]] = []

    def last(ways: tuple[AlternativeRelease, ...]) -> int:
        assert not (tmp_path / "release.csv").exists()
        offered.append(ways)
        return len(ways) - 1

    done = remediate(people(1), policy(), output=tmp_path / "release.csv", choose=last)
    assert done.solution is not None
    assert done.solution.search == "mondrian"
    assert [each.taken for each in found(done)] == [False, False, False, True]
    assert done.solution.losses["loss"] == offered[0][-1].loss
    assert done.data.equals(remediate(people(1), policy(remediation={"search": "mondrian"})).data)
    assert done.result.policy.sha256 == remediate(people(1), policy()).result.policy.sha256


def test_nobody_is_asked_of_one_way() -> None:
    settings = {"search": "optimal", "suppression_limit": "0%"}
    assert remediate(people(1), policy(remediation=settings), choose=lambda _: pytest.fail("asked")).solution


def test_nobody_is_asked_where_the_time_could_be_up_before_the_answer() -> None:
    assert remediate(people(1), policy(), time_limit=60, choose=lambda _: pytest.fail("asked")).solution


@pytest.mark.parametrize("place", [-1, 4])
def test_what_is_chosen_is_a_way(place: int) -> None:
    with pytest.raises(UsageError, match=f"gave {place}, which is not the place of one of 4 ways"):
        remediate(people(1), policy(), choose=lambda _: place)


def test_a_way_without_a_lattice_is_not_offered_beside_one(tmp_path: Path) -> None:
    def first_fit(ways: tuple[AlternativeRelease, ...]) -> int:
        assert [bool(each.verdict) for each in ways] == [True, True, True, False]
        assert ways[-1].reason == ("--lattice: search: mondrian has no lattice; every group is made coarser on its own")
        assert not list(tmp_path.iterdir())
        return 2

    done = remediate(people(1), policy(), lattice=tmp_path / "lattice.csv", choose=first_fit)
    assert (tmp_path / "lattice.csv").exists()
    assert [each.taken for each in found(done)] == [False, False, True, False]


def test_what_there_is_no_time_for_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alternatives, "LEAST_SECONDS", 0)
    monkeypatch.setattr(alternatives, "MOST_SECONDS", 0)
    done = remediate(people(1), policy())
    assert done.solution is not None
    own, *others = found(done)
    assert own.verdict == "pass"
    assert {each.reason for each in others} == {"not tried to the end: there was no time left for it"}


def test_what_a_way_cannot_do_is_its_reason() -> None:
    """Wildcards are not for local recoding: the other ways are there all the same."""
    table = people(1)
    table.loc[::10, "sex"] = None
    told = found(remediate(table, policy(missing="wildcard")))
    assert [bool(each.reason) for each in told] == [False, False, False, True]
