"""A file of the repository is the same one however its place is written, and for the next change, too."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_WEAKENED, NotEvaluated, PolicyError
from auditor.gate._places import path_of
from auditor.result.gate import GateStatus
from tests.gate.repository import DATA, POLICY, Repository, cli
from tests.gate.tables import PEOPLE

LOG = "SELECT count(*) FROM people WHERE zip = '1';\n"
PADDED = PEOPLE + 9 * "2,M,yes\n"
ROUND = pytest.mark.parametrize("way", ["{top}/", "../{name}/", "policies/../../{name}/"])
"""Ways to a file by the folders above, whose names no revision knows."""


def asked(repository: Repository, original: str, logs: str = "logs/q1.sql") -> None:
    """Main has a table, and a log about it, that are named like this."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "data: out/clinic.csv", f"original: {original!r}, queries: {logs!r}")
    queries = "queries:\n  table: people\n  limits: {query_set_size: {min: 4, both_ends: false}}\n"
    repository.write(
        "policies/clinic.yaml",
        f"name: people\nattributes: {{zip: quasi-identifier, sex: quasi-identifier, smoker: sensitive}}\n{queries}",
    )
    repository.write("logs/q1.sql", 2 * LOG)
    repository.commit("asked")
    repository.git("checkout", "-q", "-B", "change")


def table(file: Path, text: str) -> None:
    """The rows of a table, as a database or as CSV by the name of the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix != ".db":
        file.write_text(text)
        return
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE t (zip TEXT, sex TEXT, smoker TEXT)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", [line.split(",") for line in text.splitlines()[1:]])


@pytest.mark.parametrize(
    ("place", "file"),
    [
        ("raw/p?.csv", "raw/p1.csv"),
        ("raw/[!q]?.csv", "raw/p1.csv"),
        ("raw/x://p.csv", "raw/x:/p.csv"),
        ("raw/${/p.csv", "raw/${/p.csv"),
        ("sqlite:raw/p.db?table=t", "raw/p.db"),
        ("sqlite://raw/p.db?table=t", "raw/p.db"),
        ("sqlite://raw/p.db?query=SELECT * FROM t WHERE zip <> '://${'", "raw/p.db"),
    ],
)
def test_an_original_is_held_however_it_is_written(repository: Repository, place: str, file: str) -> None:
    table(repository.top / file, PEOPLE)
    asked(repository, place)
    assert repository.gate().exit_code == EXIT_MET
    table(repository.top / file, PADDED)
    repository.commit("padded")
    (release,) = repository.gate().releases
    assert [each.path for each in release.changes] == ["releases/clinic/original"]


@pytest.mark.parametrize("place", ["logs/q?.sql", "logs/?1.sql", "?ogs/q1.sql", "logs/[a-z]?.sql"])
def test_a_log_is_held_however_it_is_written(repository: Repository, place: str) -> None:
    table(repository.top / "raw/p.csv", PEOPLE)
    asked(repository, "raw/p.csv", place)
    assert repository.gate().exit_code == EXIT_MET
    repository.write("logs/q1.sql", LOG)
    repository.commit("one statement fewer")
    (release,) = repository.gate().releases
    assert [each.path for each in release.changes] == ["releases/clinic/queries"]


@ROUND
@pytest.mark.parametrize("name", ["raw/p.csv", "raw/?.csv"])
def test_a_place_by_way_of_the_folders_above(repository: Repository, way: str, name: str) -> None:
    around = way.format(top=repository.top, name=repository.top.name)
    table(repository.top / "raw/p.csv", PEOPLE)
    asked(repository, name)
    repository.replace("auditor.yaml", name, f"{around}{name}")
    repository.commit("another way")
    told = repository.gate()
    assert told.exit_code == EXIT_NOT_EVALUATED
    assert "by way of the folders above" in " ".join(told.notes)
    repository.git("branch", "-f", "main")  # whoever owns it may merge anything
    table(repository.top / "raw/p.csv", PADDED)
    repository.commit("padded")
    (release,) = repository.gate().releases
    assert [each.path for each in release.changes] == ["releases/clinic/original"]


@ROUND
@pytest.mark.parametrize("key", ["policy", "at_least"])
def test_rules_by_way_of_the_folders_above(repository: Repository, way: str, key: str) -> None:
    around = way.format(top=repository.top, name=repository.top.name)
    repository.write("policies/org.yaml", POLICY)
    if key == "policy":
        repository.replace("auditor.yaml", "policy: ", f"policy: {around}")
    else:
        repository.replace("auditor.yaml", "trusted: {", f"trusted: {{at_least: ['{around}policies/org.yaml'], ")
    repository.commit("another way")
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED


@ROUND
def test_a_ledger_by_way_of_the_folders_above(repository: Repository, way: str) -> None:
    around = way.format(top=repository.top, name=repository.top.name)
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "trusted: {", "trusted: {ledger: l.jsonl, ")
    repository.commit("a ledger")
    assert cli(repository, "--certificates", "certificates")[0] == EXIT_MET
    repository.commit("certified")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace("auditor.yaml", "ledger: ", f"ledger: {around}")
    repository.commit("another way")
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED
    repository.git("branch", "-f", "main")  # whoever owns it may merge anything
    repository.write("l.jsonl", "")
    repository.commit("forgotten")
    assert "lacks entries" in " ".join(repository.gate().notes)


@ROUND
@pytest.mark.parametrize("key", ["policy", "data"])
def test_policy_tests_by_way_of_the_folders_above_hold_nothing(repository: Repository, way: str, key: str) -> None:
    around = way.format(top=repository.top, name=repository.top.name)
    repository.git("checkout", "-q", "main")
    repository.write("bad.csv", DATA.replace("40,2,asthma\n", "50,3,asthma\n"))
    tests = "policy: policies/clinic.yaml\ntests: [{name: one, data: bad.csv, expect: fail}]\n"
    repository.write("clinic_test.yaml", tests)
    repository.commit("tests")
    repository.git("checkout", "-q", "-B", "change")
    repository.write("clinic_test.yaml", tests.replace(f"{key}: ", f"{key}: {around}"))
    repository.commit("another way")
    assert [each.path for each in repository.gate().trusted] == ["tests/clinic_test.yaml/one"]


def test_a_variable_that_a_place_does_not_begin_with(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "trusted: {", "trusted: {env: [MONTH], ")
    repository.commit("a variable")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace("auditor.yaml", "out/clinic.csv", "'out/${MONTH}.csv'")
    with pytest.raises(PolicyError, match="does not begin with"):
        repository.gate(environment={"MONTH": "clinic"})


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("out/a.csv", "out/a.csv"),
        ("out/?.csv", "out/?.csv"),
        ("duckdb:a.db", "a.db"),
        ("duckdb://a.db?table=t", "a.db"),
        ("x://a.csv", "x://a.csv"),
        ("${RAW}/a.csv", None),
        ("${DATABASE}?table=t", None),
        ("a/${", "a/${"),
    ],
)
def test_what_a_place_names_in_the_repository(text: str, path: str | None) -> None:
    assert path_of(text) == path


@pytest.mark.parametrize("name", ["logs/a/*.sql", "logs/*/q2.sql", "logs/[a]/q2.sql"])
def test_a_log_that_is_called_like_a_part_of_the_glob_hides_no_other(repository: Repository, name: str) -> None:
    table(repository.top / "raw/p.csv", PEOPLE)
    repository.write("logs/a/q1.sql", 2 * LOG)
    asked(repository, "raw/p.csv", "logs/[a]/*.sql" if "[" in name else "logs/*/*.sql")
    repository.write(name, LOG)
    repository.commit("one more log")
    assert repository.gate().exit_code == EXIT_MET or name == "logs/[a]/q2.sql"
    repository.git("branch", "-f", "main")
    repository.write("logs/a/q1.sql", LOG)
    repository.commit("one statement fewer")
    (release,) = repository.gate().releases
    assert [each.path for each in release.changes] == ["releases/clinic/queries"]


@pytest.mark.parametrize(("include", "name"), [("teams/*.yaml", "teams/*.yaml"), ("teams/*/a.yaml", "teams/*/a.yaml")])
def test_a_manifest_that_is_called_like_a_glob_hides_no_other(repository: Repository, include: str, name: str) -> None:
    repository.git("checkout", "-q", "main")
    up = "../" * name.count("/")
    team = "releases: {NAME: {policy: UPpolicies/clinic.yaml, data: UPout/NAME.csv}}\n".replace("UP", up)
    repository.replace("auditor.yaml", "releases:\n", f"include: ['{include}']\nreleases:\n")
    repository.write(include.replace("*", "one"), team.replace("NAME", "one"))
    repository.write("out/one.csv", DATA)
    repository.commit("a team")
    repository.git("checkout", "-q", "-B", "change")
    repository.write(name, team.replace("NAME", "two"))
    repository.write("out/two.csv", DATA)
    repository.commit("another team")
    assert repository.gate().exit_code == EXIT_MET
    repository.git("branch", "-f", "main")
    repository.write("policies/weak.yaml", POLICY.replace("2}", "1}"))
    repository.replace(include.replace("*", "one"), "policies/clinic.yaml", "policies/weak.yaml")
    repository.commit("weaker")
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_a_log_behind_a_link_to_a_folder_is_held(repository: Repository) -> None:
    table(repository.top / "raw/p.csv", PEOPLE)
    repository.write("logs/more/q2.sql", 2 * LOG)
    asked(repository, "raw/p.csv", "logs/**/*.sql")
    repository.git("mv", "logs/more", "other")
    (repository.top / "logs/more").symlink_to("../other")
    repository.commit("the same log elsewhere")
    assert repository.gate().exit_code == EXIT_MET
    repository.git("branch", "-f", "main")
    repository.write("other/q2.sql", LOG)
    repository.commit("one statement fewer")
    (release,) = repository.gate().releases
    assert [each.path for each in release.changes] == ["releases/clinic/queries"]


def test_two_logs_of_the_same_bytes_are_two(repository: Repository) -> None:
    table(repository.top / "raw/p.csv", PEOPLE)
    repository.write("logs/q2.sql", 2 * LOG)
    asked(repository, "raw/p.csv", "logs/*.sql")
    repository.write("logs/q2.sql", LOG)
    repository.commit("one statement fewer")
    (release,) = repository.gate().releases
    assert [each.path for each in release.changes] == ["releases/clinic/queries"]


@pytest.mark.parametrize("key", ["extends", "at_least"])
def test_a_folder_of_policies_inside_the_repository_is_not_read_as_the_change_has_it(
    repository: Repository, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDITOR_POLICIES", str(repository.top / "shared"))
    repository.git("checkout", "-q", "main")
    repository.write("shared/base.yaml", POLICY)
    repository.write("policies/clinic.yaml", f"name: clinic\nextends: ['{repository.top}/shared/base.yaml']\n")
    if key == "at_least":
        repository.git("mv", "-f", "policies/clinic.yaml", "policies/org.yaml")
        repository.write("policies/clinic.yaml", POLICY)
        repository.replace("auditor.yaml", "trusted: {", "trusted: {at_least: [policies/org.yaml], ")
    repository.commit("a folder of policies")
    repository.git("checkout", "-q", "-B", "change")
    repository.write("shared/base.yaml", POLICY.replace("2}", "1}"))
    repository.commit("weaker")
    if key == "extends":
        (release,) = repository.gate().releases
        assert release.status is GateStatus.NOT_EVALUATED
    else:
        with pytest.raises(NotEvaluated, match="of the working tree"):
            repository.gate()


def test_a_folder_of_policies_in_a_submodule_is_not_read_as_the_change_has_it(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are no files of the repository's commit; the commit of the submodule is the change's all the same."""
    monkeypatch.setenv("AUDITOR_POLICIES", str(repository.top / "shared"))
    house = tmp_path / "house"
    house.mkdir()
    repository.write(str(house / "base.yaml"), POLICY)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "begun")):
        repository.git(*words, cwd=house)
    repository.git("checkout", "-q", "main")
    repository.git("submodule", "add", "-q", str(house), "shared")
    repository.write("policies/clinic.yaml", f"name: clinic\nextends: ['{repository.top}/shared/base.yaml']\n")
    repository.commit("a folder of policies")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace("shared/base.yaml", "2}", "1}")
    repository.git("commit", "-q", "-a", "-m", "weaker", cwd=repository.top / "shared")
    repository.commit("weaker")
    (release,) = repository.gate().releases
    assert release.status is GateStatus.NOT_EVALUATED
