"""`auditor check --counts` and `--since`: what is written, what is said, and how it ends."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
import yaml

from auditor.cli import invoke

POLICY = {
    "name": "p",
    "attributes": {"age": "quasi-identifier", "sick": "sensitive", "who": "pseudonym"},
    "requirements": [{"model": "k-anonymity", "k": 2}],
}
ROWS = "age,sick,who\n" + "30,flu,a\n" * 3 + "40,flu,b\n40,hiv,c\n"


@pytest.fixture
def run(tmp_path, capfd, monkeypatch):
    """Run `check` on data.csv in an empty folder; returns (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(ROWS)

    def check(*options, data="data.csv", **policy):
        Path("p.yaml").write_text(yaml.safe_dump({**POLICY, **policy}, sort_keys=False))
        capfd.readouterr()
        code = invoke(["check", data, "-p", "p.yaml", *options])
        return code, *capfd.readouterr()

    return check


def appended(rows="40,flu,d\n"):
    with Path("data.csv").open("a") as file:
        file.write(rows)


def result(name="result.json"):
    return json.loads(Path(name).read_text())


def listed():
    return sorted(path.name for path in Path().iterdir())


def contents():
    """Every file but the policy, which each run writes."""
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file() and path.name != "p.yaml"}


KEEP = ("--counts", "counts.parquet", "--report", "result.json")


def test_an_append_is_added(run):
    assert run(*KEEP)[0] == 0
    assert listed() == ["counts.parquet", "data.csv", "p.yaml", "result.json"]
    assert stat.S_IMODE(Path("counts.parquet").stat().st_mode) == 0o600
    assert (result()["counts"]["file"], result()["counts"]["columns"]) == ("counts.parquet", ["age", "sick"])
    appended()
    code, out, err = run("--since", "result.json", "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["data"]["rows"] == 6
    assert found["since"] == {
        "result": "result.json", "sha256": found["since"]["sha256"], "evaluated_on": result()["evaluated_on"],
        "added": True, "reason": None, "records_before": 5, "records_added": 1,
    }  # fmt: skip


@pytest.mark.parametrize("audience", ["public", "reviewer", "internal"])
def test_a_result_for_any_audience_can_be_added_to(audience, run):
    run(*KEEP, "--audience", audience)
    appended()
    code, out, _ = run("--since", "result.json", "--format", "json", "--audience", audience)
    found = json.loads(out)
    assert (code, found["since"]["added"]) == (0, True)
    assert ("since/records_added" in found.get("redacted", ())) == (audience == "public")


def test_counting_anew_is_said_once_and_not_with_quiet(run):
    run(*KEEP)
    Path("data.csv").write_text(ROWS.replace("30", "31"))
    said = "auditor: all of the data was counted again: data.csv has changed since it was counted\n"
    assert run("--since", "result.json")[::2] == (0, said)
    assert run("--since", "result.json", "--quiet")[::2] == (0, "")


def test_units_are_counted_anew_and_keep_no_counts(run):
    run(*KEEP)
    appended()
    code, _, err = run("--since", "result.json", unit="who")
    assert code == 1
    assert "counts by 'who'" in err
    code, _, err = run("--counts", "more.parquet", "--report", "more.json", unit="who")
    assert (code, "counts cannot be kept: the policy counts by 'who'" in err) == (2, True)
    assert not Path("more.parquet").exists()


def test_counts_are_kept_whatever_the_verdict(run):
    assert run(*KEEP, requirements=[{"model": "k-anonymity", "k": 9}])[0] == 1
    assert Path("counts.parquet").exists()


def test_counts_take_the_place_of_counts_alone(run):
    run(*KEEP)
    old = Path("counts.parquet").read_bytes()
    appended()
    code, _, err = run("--since", "result.json", "--counts", "counts.parquet", "--report", "second.json")
    assert (code, err) == (0, "")
    assert Path("counts.parquet").read_bytes() != old
    assert run("--since", "second.json")[::2] == (0, "")
    assert "is not the file of counts that result.json was made with" in run("--since", "result.json")[2]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--counts", "c.parquet"), "only a JSON result says what they are; add --report result.json"),
        (("--counts", "c.parquet", "--report", "deep/r.json"), "looks for its counts in its own folder"),
        (("--counts", "data.csv", "--report", "r.json"), "is an input of this command"),
        (("--counts", "p.yaml", "--report", "r.json"), "is an input of this command"),
        (("--counts", "result.json", "--since", "result.json", "--report", "r.json"), "is an input of this command"),
        (("--since", "result.json", "--report", "result.json"), "is an input of this command"),
        (("--counts", "other.txt", "--report", "r.json"), "exists, and is not a file of counts"),
        (("--counts", "nowhere/c.parquet", "--format", "json"), "there is no folder nowhere"),
        (("--counts", "r.json", "--report", "r.json"), "writes something else to this file"),
        (("--counts", "deep", "--format", "json"), "is not a regular file"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_writes_nothing(options, reason, run):
    run(*KEEP)
    Path("deep").mkdir()
    Path("other.txt").write_text("mine")
    Path("p.yaml").write_text("")
    before = contents()
    code, out, err = run(*options)
    assert (code, out) == (2, "")
    assert reason in err
    assert before == {
        path.name: path.read_bytes() for path in Path().iterdir() if path.is_file() and path.name != "p.yaml"
    }


def test_counts_are_not_put_among_the_data(run):
    Path("parts").mkdir()
    Path("parts/a.csv").write_text(ROWS)
    for data, counts in (("parts", "parts/c.csv"), ("parts/*.csv", "parts/c.csv"), ("parts/*", "parts/c.parquet")):
        code, _, err = run("--counts", counts, "--format", "json", data=data)
        assert (code, "is an input of this command" in err or "one of the files of the data" in err) == (2, True)
    assert [path.name for path in Path("parts").iterdir()] == ["a.csv"]


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (("--since", "nothing.json"), ROWS),
        (("--since", "p.yaml"), ROWS),
        ((), ROWS + "1,2,3,4\n"),
        (("--time-limit", "0.000001s"), ROWS),
    ],
)
def test_what_cannot_be_evaluated_writes_nothing(options, rows, run):
    Path("data.csv").write_text(rows)
    code, out, err = run(*KEEP, *options)
    assert (code, out) == (3, "")
    assert err.startswith("auditor: ")
    assert listed() == ["data.csv", "p.yaml"]


@pytest.mark.parametrize(("audience", "named"), [(None, True), ("reviewer", False), ("public", False)])
def test_why_not_added_names_no_file_of_a_folder_below_internal(audience, named, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits").mkdir()
    for name in ("huber", "maier"):
        (tmp_path / "visits" / f"{name}.csv").write_text("age\n34\n34\n")
    (tmp_path / "p.yaml").write_text(
        "attributes: {age: quasi-identifier}\nrequirements: [{model: k-anonymity, k: 2}]\n"
    )
    words = ["check", "visits", "-p", "p.yaml"]
    assert invoke([*words, "--counts", "kept.parquet", "--report", "result.json", "--quiet"]) == 0
    (tmp_path / "visits" / "huber.csv").unlink()
    (tmp_path / "visits" / "wolf.csv").write_text("age\n34\n34\n")
    capsys.readouterr()
    assert invoke([*words, "--since", "result.json", *(["--audience", audience] if audience else [])]) == 0
    told = capsys.readouterr().err
    assert "all of the data was counted again: " in told
    assert ("huber" in told) == named
