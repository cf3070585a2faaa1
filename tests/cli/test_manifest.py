"""Data and policy that a command line leaves out are those of the nearest manifest."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from auditor.cli import invoke

POLICY = "version: 1\nname: {name}\nattributes: {{age: {{role: quasi-identifier, hierarchy: suppress}}}}\n"
NEEDED = "requirements: [{{model: k-anonymity, k: {k}}}]\n"


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two releases under different policies, and one of a log."""
    for name, k in (("loose", 2), ("strict", 3)):
        (tmp_path / f"{name}.yaml").write_text(POLICY.format(name=name) + NEEDED.format(k=k), encoding="utf-8")
        (tmp_path / f"{name}.csv").write_text("age\n30\n30\n", encoding="utf-8")
    releases = {
        "one": {"policy": "loose.yaml", "data": "loose.csv", "original": "raw.csv"},
        "two": {"policy": "strict.yaml", "data": "strict.csv"},
        "log": {"policy": "strict.yaml", "queries": "log.sql"},
    }
    (tmp_path / "raw.csv").write_text("age\n30\n31\n", encoding="utf-8")
    write(tmp_path, releases)
    (tmp_path / "below").mkdir()
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path


def write(folder: Path, releases: dict[str, dict[str, object]]) -> None:
    """Write the manifest."""
    (folder / "auditor.yaml").write_text(json.dumps({"version": 1, "releases": releases}), encoding="utf-8")


def judged(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """The exit code, the policy and the table of a check."""
    code = invoke(["check", *words, "-f", "json", "-q"])
    document = json.loads(capfd.readouterr().out)
    return code, document["policy"]["name"], Path(document["data"]["source"]).name


def test_the_policy_of_the_data(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert judged(capfd, "../loose.csv") == (0, "loose", "loose.csv")
    assert judged(capfd, "../strict.csv") == (1, "strict", "strict.csv")


def test_the_data_of_the_policy(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert judged(capfd, "-p", "../strict.yaml") == (1, "strict", "strict.csv")


def test_who_gets_it_and_what_for(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As the manifest says where it names the release, as is given else."""

    def told(*words: str) -> tuple[list[str], str | None]:
        invoke(["check", *words, "-f", "json", "-q"])
        data = json.loads(capfd.readouterr().out)["data"]
        return data["recipients"], data["purpose"]

    loose = {"policy": "loose.yaml", "data": "loose.csv"}
    write(
        house,
        {
            "one": {**loose, "recipients": ["A"], "purpose": "teaching"},
            "two": {**loose, "recipients": ["B", "A"], "purpose": "research"},
        },
    )
    assert told("../loose.csv") == (["A", "B"], "teaching; research")
    assert told("../loose.csv", "--recipient", "C", "--recipient", "D", "--purpose", "x") == (["C", "D"], "x")
    assert told("../loose.csv", "-p", "../loose.yaml") == ([], None)
    assert told("../loose.csv", "-p", "../loose.yaml", "--recipient", "C") == (["C"], None)


def test_what_is_given_holds(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert judged(capfd, "../loose.csv", "-p", "../strict.yaml") == (1, "strict", "loose.csv")


def test_a_file_of_the_same_name_elsewhere_is_another(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What the manifest names lies beside it, what is given in the current folder."""
    Path("loose.csv").write_text("age\n30\n", encoding="utf-8")
    assert invoke(["check", "loose.csv"]) == 2
    assert "no release that fits" in capfd.readouterr().err
    (house / "loose.csv").unlink()
    assert invoke(["check", "-p", "../loose.yaml"]) == 3
    assert "../loose.csv" in capfd.readouterr().err


def test_csv_is_written_as_the_manifest_says(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (house / "loose.csv").write_text("age;town\n'3;0';a\n'3;0';a\n", encoding="utf-8")
    (house / "loose.yaml").write_text(
        (POLICY.format(name="loose") + NEEDED.format(k=2)).replace("{age:", "{town: insensitive, age:"),
        encoding="utf-8",
    )
    write(house, {"one": {"policy": "loose.yaml", "data": "loose.csv", "csv": {"quote": "'"}}})
    assert judged(capfd)[0] == 0
    assert invoke(["check", "../loose.csv", "-p", "../loose.yaml"]) == 3


@pytest.mark.parametrize("role", ["outputs", "queries"])
def test_what_else_the_release_has_is_told(house: Path, role: str, capfd: pytest.CaptureFixture[str]) -> None:
    write(house, {"one": {"policy": "loose.yaml", "data": "loose.csv", role: "x.csv"}})
    assert invoke(["check"]) == 0
    assert f"release one also has {role}, which only auditor gate takes from there" in capfd.readouterr().err
    assert invoke(["check", "-q"]) == 0
    assert not capfd.readouterr().err


def test_neither(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["check"]) == 2
    assert "several releases that fit (one, two)" in capfd.readouterr().err
    write(house, {"one": {"policy": "loose.yaml", "data": "loose.csv"}})
    assert judged(capfd) == (0, "loose", "loose.csv")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "../raw.csv"], "no release that fits"),
        (["check", "-p", "../raw.yaml"], "no release that fits"),
        (["remediate", "../other.csv", "--plan"], "several releases that fit (one, two, log)"),
    ],
)
def test_what_no_release_has(house: Path, words: list[str], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(words) == 2
    assert said in capfd.readouterr().err


def test_a_table_is_made_into_the_release_that_names_it(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert invoke(["remediate", "../raw.csv", "--plan", "-f", "json", "-q"]) == 0
    assert json.loads(capfd.readouterr().out)["policy"]["name"] == "loose"


def test_without_a_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["check"]) == 2
    assert "give DATA and -p POLICY" in capfd.readouterr().err
    assert invoke(["remediate", "t.csv", "--plan"]) == 2
    assert "give -p POLICY" in capfd.readouterr().err


def test_a_glob_and_a_starter_pack(house: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(house, {"one": {"policy": "loose.yaml", "data": "lo*.csv"}})
    assert judged(capfd)[:2] == (0, "loose")
    write(house, {"one": {"policy": "hipaa-expert-k11", "data": "loose.csv"}})
    assert judged(capfd)[1] == "hipaa-expert-k11"
