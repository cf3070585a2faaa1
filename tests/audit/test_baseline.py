"""The baseline: known failures are excused while they get no worse. The class sizes are counted by hand."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from auditor.audit import check
from auditor.cli import invoke
from auditor.errors import PolicyError
from auditor.policy import load_policy
from auditor.policy.compare import compare

DAY = date(2027, 1, 15)
KNOWN = {"requirement": "k", "achieved": {"k": 3}, "records": 7, "expires": "2027-04-15"}
POLICY = """\
name: p
attributes: {age: quasi-identifier, name: identifier}
requirements:
  - {id: k, model: k-anonymity, k: 5}
"""


def policy(*known: dict[str, Any], **demand: Any) -> dict[str, Any]:
    wanted = {"id": "k", "model": "k-anonymity", "k": 5, **demand}
    return {"name": "p", "attributes": {"age": "quasi-identifier"}, "requirements": [wanted], "baseline": list(known)}


def judge(tmp_path: Path, ages: str, asked: dict[str, Any], day: date = DAY) -> tuple[str, list[str]]:
    file = tmp_path / "t.csv"
    file.write_text("age\n" + "".join(f"{age}\n" for age in ages), encoding="utf-8")
    result = check(file, asked, as_of=day)
    return str(result.verdict), [f"{f.level}: {f.message}" for f in result.findings if "known failure" in f.message]


@pytest.mark.parametrize(
    ("ages", "verdict", "said"),
    [
        ("1112222", "waived", None),
        ("1111222", "waived", None),
        ("11112222", "fail", "is worse than"),
        ("1122222", "fail", "is worse than"),
        ("111222222", "waived", None),
        ("1111122222", "pass", "is fixed"),
    ],
    ids=["as recorded", "as many", "a record more", "a smaller class", "fewer records", "mended"],
)
def test_what_is_recorded_may_get_better_and_not_worse(
    tmp_path: Path, ages: str, verdict: str, said: str | None
) -> None:
    found, findings = judge(tmp_path, ages, policy(KNOWN))
    assert found == verdict
    assert (said is None and not findings) or said in findings[0]


def test_a_known_failure_lapses(tmp_path: Path) -> None:
    assert judge(tmp_path, "1112222", policy(KNOWN), date(2027, 4, 15)) == (
        "waived",
        ["warning: The known failure lapses within 30 days."],
    )
    assert judge(tmp_path, "1112222", policy(KNOWN), date(2027, 4, 16)) == (
        "fail",
        ["error: The known failure has lapsed; the requirement is judged without it."],
    )


def test_a_hard_requirement_cannot_be_in_a_baseline() -> None:
    with pytest.raises(PolicyError, match="'k' is hard, so no baseline excuses it"):
        load_policy(policy(KNOWN, hard=True))
    with pytest.raises(PolicyError, match="'identifiers' is hard"):
        load_policy(policy({**KNOWN, "requirement": "identifiers"}))
    with pytest.raises(PolicyError, match="did you mean 'k'"):
        load_policy(policy({**KNOWN, "achieved": {"kk": 3}}))
    with pytest.raises(PolicyError, match="without its measure"):
        load_policy(policy({"requirement": "k", "expires": "2027-04-15"}))


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, "equal"),
        ({"achieved": {"k": 2}}, "weaker"),
        ({"achieved": {"k": 4}}, "stricter"),
        ({"records": 8}, "weaker"),
        ({"records": None}, "weaker"),
        ({"expires": "2027-05-01"}, "weaker"),
        ({"expires": "2027-03-01"}, "stricter"),
        ({"expires": "2027-03-01", "records": 8}, "incomparable"),
    ],
)
def test_comparing_baselines(change: dict[str, Any], verdict: str) -> None:
    assert compare(load_policy(policy(KNOWN)), load_policy(policy({**KNOWN, **change}))).verdict == verdict


def test_a_known_failure_more_is_weaker_and_hard_is_stricter() -> None:
    none, one, hard = load_policy(policy()), load_policy(policy(KNOWN)), load_policy(policy(hard=True))
    assert compare(none, one).verdict == "weaker"
    assert compare(one, none).verdict == "stricter"
    assert compare(none, hard).verdict == "stricter"
    assert compare(hard, none).verdict == "weaker"
    assert compare(none, load_policy(policy(hard=False))).verdict == "equal"
    assert none.sha256 == one.sha256


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "t.csv").write_text("age\n1\n1\n1\n2\n2\n2\n2\n", encoding="utf-8")
    return tmp_path


def test_writing_a_baseline_and_living_with_it(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["check", "t.csv", "-p", "p.yaml", "--as-of", "2027-01-15"]
    assert invoke([*words, "--write-baseline", "known.yaml"]) == 1
    (entry,) = load_policy({**policy(), "baseline": "known.yaml"}).baseline
    assert entry.model_dump(mode="json", exclude={"id"}) == KNOWN
    (folder / "p.yaml").write_text(POLICY + "baseline: known.yaml\n", encoding="utf-8")
    capfd.readouterr()
    assert invoke([*words, "--format", "json"]) == 0
    assert '"verdict": "waived"' in capfd.readouterr().out
    assert invoke([*words, "--write-baseline", "known.yaml"]) == 2
    assert "never overwritten" in capfd.readouterr().err


def test_what_is_hard_is_not_written(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "p.yaml").write_text(POLICY.replace("k: 5}", "k: 5, hard: true}"), encoding="utf-8")
    (folder / "t.csv").write_text("age,name\n1,a\n", encoding="utf-8")
    assert invoke(["check", "t.csv", "-p", "p.yaml", "--write-baseline", "known.yaml"]) == 1
    assert not (folder / "known.yaml").exists()
    assert "k: is hard" in capfd.readouterr().err
