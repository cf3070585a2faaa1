"""The manifest: read like a policy, with those that it includes."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.cli import invoke
from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_NOT_MET, EXIT_USAGE, NotEvaluated, PolicyError
from auditor.gate import _manifest
from auditor.result.gate import GateStatus
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository

WRONG = """\
version: 2
releases:
  clinic: {polcy: policies/clinic.yaml, data: out/clinic.csv}
  "bad name": {policy: policies/clinic.yaml, data: out/clinic.csv}
  other: {policy: policies/clinic.yaml, sha256: abc, recipients: everybody}
trusted: {max_waiver_days: -1, approver: [a]}
"""


def test_every_problem_at_once_with_place_and_nearest_spelling(repository: Repository) -> None:
    repository.write("auditor.yaml", WRONG)
    with pytest.raises(PolicyError) as wrong:
        repository.gate()
    said = [str(problem) for problem in wrong.value.problems]
    for start in ("auditor.yaml:1:10:", "auditor.yaml:3:12:", "auditor.yaml:5:", "auditor.yaml:6:"):
        assert any(line.startswith(start) for line in said), (start, said)
    assert any("'polcy'" in line and "policy" in line for line in said)
    assert any("'approver'" in line and "approvers" in line for line in said)


MANY = range(120)
ONE = "releases: {r: {policy: policies/clinic.yaml, data: out/clinic.csv}}\n"
NO_POLICIES = "releases:\n" + "".join(f"  r{i}: {{policy: p{i}.yaml, data: d.csv}}\n" for i in MANY)


@pytest.mark.parametrize(
    ("command", "manifest"),
    [
        ("gate", NO_POLICIES),
        ("lint", NO_POLICIES),
        ("lock", NO_POLICIES),
        ("gate", f"releases: {{r: {{policy: policies/clinic.yaml, outputs: {[f'../{i}.csv' for i in MANY]}}}}}\n"),
        ("gate", f"{ONE}reports: {[f'../{i}.html' for i in MANY]}\n"),
        ("gate", f"{ONE}trusted: {{at_least: {[f'../{i}.yaml' for i in MANY]}}}\n"),
    ],
    ids=["policies", "lint", "lock", "places", "reports", "floors"],
)
def test_more_problems_than_are_read(
    command: str, manifest: str, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write("auditor.yaml", f"version: 1\n{manifest}")
    code = invoke([command])
    said = capsys.readouterr().err
    assert code == EXIT_USAGE, said
    assert "reading stopped after 99 problems" in said


def test_the_name_of_a_release_is_a_word(repository: Repository) -> None:
    repository.write("auditor.yaml", MANIFEST.replace("clinic: {", '"::error::": {'))
    with pytest.raises(PolicyError):
        repository.gate()


@pytest.fixture
def teams(repository: Repository) -> Repository:
    repository.write("auditor.yaml", MANIFEST + "include: [teams/*/auditor.yaml]\n")
    for name in ("a", "b"):
        repository.write(f"teams/{name}/out.csv", DATA)
        repository.write(f"teams/{name}/policy.yaml", POLICY)
        text = f"version: 1\nreleases: {{{name}: {{policy: policy.yaml, data: out.csv}}}}\n"
        repository.write(f"teams/{name}/auditor.yaml", text)
    return repository


def test_manifests_of_teams_are_included_with_their_own_folders(teams: Repository) -> None:
    found = teams.gate()
    assert sorted(release.name for release in found.releases) == ["a", "b", "clinic"]
    assert found.exit_code == EXIT_MET
    assert {file.name for release in found.releases for file in release.files} == {
        "out/clinic.csv",
        "teams/a/out.csv",
        "teams/b/out.csv",
    }


def test_included_manifests_are_part_of_the_base_too(teams: Repository) -> None:
    teams.commit("teams")
    teams.git("branch", "-q", "-f", "main")
    teams.replace("teams/b/policy.yaml", "l: 2", "l: 1")
    (teams.top / "teams/a/auditor.yaml").unlink()
    statuses = {release.name: release.status for release in teams.gate().releases}
    assert statuses == {"a": GateStatus.WEAKENED, "b": GateStatus.WEAKENED, "clinic": GateStatus.PASS}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("releases: {clinic: {policy: policy.yaml, data: out.csv}}\n", "'clinic' appears twice"),
        ("trusted: {env: [HOME]}\nreleases: {x: {policy: policy.yaml, data: out.csv}}\n", "trusted in an included"),
        ("include: [x]\n", "include in an included"),
        ("weakenings: []\n", "weakenings in an included"),
        ("releases: 5\n", "releases: '5' was read"),
        ("", "the file is empty"),
    ],
)
def test_what_an_included_manifest_may_not_say(teams: Repository, text: str, says: str) -> None:
    teams.write("teams/a/auditor.yaml", text)
    with pytest.raises(PolicyError, match=says):
        teams.gate()


@pytest.mark.parametrize("pattern", ["nowhere/*.yaml", "../x.yaml", "/etc/*.yaml", "**x/y", "[", "."])
def test_an_include_that_matches_nothing_or_leads_out(repository: Repository, pattern: str) -> None:
    repository.write("auditor.yaml", MANIFEST + f"include: ['{pattern}']\n")
    with pytest.raises(PolicyError, match=r"matches no file|leads out"):
        repository.gate()


def test_too_many_manifests(teams: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_manifest, "MOST_INCLUDED", 2)
    with pytest.raises(PolicyError, match="too many manifests"):
        teams.gate()


def test_a_manifest_that_includes_itself_is_there_once(repository: Repository) -> None:
    repository.write("auditor.yaml", MANIFEST + "include: ['*.yaml']\n")
    assert len(repository.gate().releases) == 1


def test_a_starter_pack_is_a_policy(repository: Repository) -> None:
    repository.replace("auditor.yaml", "policies/clinic.yaml", "hipaa-expert-k11")
    (release,) = repository.gate().releases
    assert release.policy == "policies/hipaa-expert-k11.yaml"


@pytest.mark.parametrize("form", ["csv", "gz", "parquet", "duckdb", "sqlite", "folder", "glob"])
def test_every_form_of_data_inside_the_repository(repository: Repository, form: str) -> None:
    import gzip
    import sqlite3

    import duckdb

    out = repository.top / "out"
    rows = [line.split(",") for line in DATA.splitlines()[1:]]
    places = {"csv": "out/clinic.csv", "folder": "out/parts/", "glob": "out/parts/*.csv"}
    if form == "gz":
        (out / "c.csv.gz").write_bytes(gzip.compress(DATA.encode()))
    elif form == "parquet":
        duckdb.execute(f"copy (from read_csv('{out / 'clinic.csv'}', all_varchar=true)) to '{out / 'c.parquet'}'")
    elif form == "duckdb":
        with duckdb.connect(str(out / "c.db")) as database:
            database.execute(f"create table t as from read_csv('{out / 'clinic.csv'}', all_varchar=true)")
    elif form == "sqlite":
        database_ = sqlite3.connect(out / "c.sqlite")
        database_.execute("create table t (age, zip, diagnosis)")
        database_.executemany("insert into t values (?, ?, ?)", rows)
        database_.commit()
        database_.close()
    for number in range(2):
        part = "\n".join(["age,zip,diagnosis", *(",".join(row) for row in rows)])
        repository.write(f"out/parts/{number}.csv", part + "\n")
    place = (
        places.get(form)
        or {
            "gz": "out/c.csv.gz",
            "parquet": "out/c.parquet",
            "duckdb": "duckdb:out/c.db?table=t",
            "sqlite": "sqlite:out/c.sqlite?table=t",
        }[form]
    )
    repository.replace("auditor.yaml", "data: out/clinic.csv", f'data: "{place}"')
    repository.commit("released in this form")
    repository.git("branch", "-q", "-f", "main")
    (release,) = repository.gate().releases
    assert release.status is GateStatus.PASS, release.notes
    data = release.documents[0].data
    assert data is not None
    assert data.source == place
    assert str(Path.cwd()) not in str(release)


def test_the_same_release_has_the_same_hash_as_a_check_of_it(repository: Repository) -> None:
    import hashlib

    digest = hashlib.sha256(DATA.encode()).hexdigest()
    repository.replace("auditor.yaml", "recipients", f"sha256: {digest}, recipients")
    (release,) = repository.gate().releases
    assert release.status is GateStatus.PASS
    assert [file.sha256 for file in release.files] == [digest]
    repository.replace("auditor.yaml", f"sha256: {digest}", f"sha256: {{out/clinic.csv: {digest}}}")
    assert repository.gate().exit_code == EXIT_MET
    repository.write("out/clinic.csv", DATA + "30,1,flu\n")
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED


@pytest.mark.slow
@pytest.mark.parametrize("place", ["out/**x/*.csv", "out/[.csv", "**", "out/***.csv", "out/" + "x" * 5000 + "/*.csv"])
@pytest.mark.parametrize("field", ["data", "outputs", "queries"])
def test_a_glob_that_is_none_is_not_evaluated(repository: Repository, place: str, field: str) -> None:
    kept = "" if field == "data" else "data: out/clinic.csv, "
    repository.replace("auditor.yaml", "data: out/clinic.csv", f'{kept}{field}: "{place}"')
    blocks = "queries: {protects: [age]}\noutputs: [{type: clusters, min_size: 2}]\n"
    repository.write("policies/clinic.yaml", POLICY + blocks)
    found = repository.gate()
    assert found.exit_code != EXIT_MET
    assert str(repository.top) not in str(found)


@pytest.mark.parametrize("text", [MANIFEST.replace("clinic: {", "clinic: {x: 1, ") * 3, "a: 1\n" * 200])
def test_a_base_manifest_that_is_wrong_is_not_evaluated(repository: Repository, text: str) -> None:
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", text)
    repository.commit("a wrong manifest")
    repository.git("checkout", "-q", "-b", "later")
    repository.write("auditor.yaml", MANIFEST)
    with pytest.raises(NotEvaluated, match="manifest of the base revision is wrong"):
        repository.gate()


@pytest.mark.parametrize("place", ["out/clinic.csv", "out/*.csv", "out", "out/c[l]inic.csv"])
def test_a_checkout_in_a_folder_that_is_called_like_a_glob(tmp_path: Path, place: str) -> None:
    (tmp_path / "work [old]*").mkdir()
    repository = Repository(tmp_path / "work [old]*")
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "out/clinic.csv", f'"{place}"')
    repository.commit("a place")
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET
    repository.write("out/clinic.csv", DATA + "50,3,flu\n")
    assert repository.gate().exit_code == EXIT_NOT_MET
