"""What a change does decides, not what its fields say: releases by the base revision's rules, and its policy tests."""

from __future__ import annotations

from sqlite3 import connect

import pytest

from auditor.errors import (
    EXIT_MET,
    EXIT_NOT_EVALUATED,
    EXIT_NOT_MET,
    EXIT_WEAKENED,
    NotEvaluated,
    OutOfMemory,
    OutOfTime,
)
from auditor.gate import _judge, _run
from auditor.policy import Policy
from auditor.result import Result, Strictness, Tool, Verdict
from auditor.result.comparison import ComparedPolicy, PolicyComparison
from auditor.result.gate import GateStatus
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository

POLICY_FILE, TABLE, TESTS = "policies/clinic.yaml", "out/clinic.csv", "policies/clinic_test.yaml"


def calling(verdict: Strictness) -> object:
    """A comparison that is mistaken: whatever two policies say, it says this."""

    def compare(*_: object) -> PolicyComparison:
        one = ComparedPolicy(name="clinic", source=None, file=None, sha256="")
        return PolicyComparison(tool=Tool(version="0"), verdict=verdict, old=one, new=one, differences=())

    return compare


@pytest.mark.parametrize("said", [Strictness.EQUAL, Strictness.STRICTER])
def test_a_mistaken_comparison_opens_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, said: Strictness
) -> None:
    """Every hole in the order of policies at once: the files are judged by both, and the base's failure counts."""
    monkeypatch.setattr(_run, "compare", calling(said))
    repository.replace(POLICY_FILE, "k: 2", "k: 1")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    repository.write(TABLE, DATA + "50,3,flu\n")
    found = repository.gate()
    (release,) = found.releases
    assert (found.exit_code, release.status) == (EXIT_WEAKENED, GateStatus.WEAKENED)
    assert (release.head_verdict, release.base_verdict) == (Verdict.PASS, Verdict.FAIL)
    assert "fails under the rules of the base revision (k, l)" in release.why
    entry = f"weakenings: [{{change: {release.change}, reason: r, approved_by: dpo@example.org}}]\n"
    repository.write("auditor.yaml", MANIFEST + entry)
    assert repository.gate().exit_code == EXIT_MET
    repository.write(TABLE, DATA)
    assert repository.gate().releases[0].change is None


def test_an_entry_that_reads_the_same_file_otherwise(repository: Repository) -> None:
    """Neither the policy nor a place changes: the manifest says how the file is written, and the file is rewritten."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "recipients", 'csv: {delimiter: ","}, recipients')
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    repository.write(TABLE, "age;zip;diagnosis\n30;1;flu\n30;1;asthma\n")
    assert repository.gate().exit_code == EXIT_NOT_MET
    repository.replace("auditor.yaml", 'delimiter: ","', 'delimiter: ";"')
    (release,) = repository.gate().releases
    assert (release.status, release.base_verdict) == (GateStatus.WEAKENED, Verdict.FAIL)


@pytest.mark.parametrize("row", ["", "9,9,asthma,x\n"])
def test_an_entry_that_hides_rows_in_a_quoted_field(repository: Repository, row: str) -> None:
    """Read as before there are rows of which nobody could tell: that does not decide for the change."""
    hidden = DATA + f"40,2,~flu\n8,8,flu\n{row}~\n"
    repository.write(TABLE, hidden)
    assert repository.gate().exit_code in (EXIT_NOT_MET, EXIT_NOT_EVALUATED)
    repository.replace("auditor.yaml", "recipients", 'csv: {quote: "~"}, recipients')
    (release,) = repository.gate().releases
    assert (release.status, release.head_verdict) == (GateStatus.WEAKENED, Verdict.PASS)
    assert release.base_verdict is not Verdict.PASS
    # The next change could hide rows in a field that this one reads as before.
    repository.write(TABLE, DATA)
    assert repository.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("written", ['decimal: ","', 'thousands: ","', "dates: DD/MM/YYYY"])
def test_an_entry_that_would_read_the_next_table_otherwise(repository: Repository, written: str) -> None:
    """This table reads alike both ways; 1.001 of the next one would be 1001."""
    repository.replace("auditor.yaml", "recipients", f"csv: {{{written}}}, recipients")
    (release,) = repository.gate().releases
    assert (release.status, release.base_verdict, release.head_verdict) == (
        GateStatus.WEAKENED, Verdict.PASS, Verdict.PASS,
    )  # fmt: skip
    (field,) = [each.path for each in release.changes]
    assert field == f"releases/clinic/csv/{written.partition(':')[0]}"


def test_an_entry_that_names_another_table_of_the_same_database(repository: Repository) -> None:
    """What was the release is in the file that goes out, and cannot be read any more."""
    repository.git("checkout", "-q", "main")
    place = "sqlite:out/clinic.db?table=visits"
    repository.replace("auditor.yaml", TABLE, f"'{place}', not_released: [visits, harmless, people]")
    database = connect(repository.top / "out/clinic.db")
    database.execute("create table visits (age, zip, diagnosis)")
    database.executemany("insert into visits values (?, ?, ?)", [line.split(",") for line in DATA.splitlines()[1:]])
    database.commit()
    repository.commit("a database")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace("auditor.yaml", "table=visits", "table=harmless")
    database.execute("create table harmless as select * from visits")
    database.commit()
    assert repository.gate().exit_code == EXIT_MET
    database.execute("alter table visits rename to people")
    database.execute("insert into people values ('9', '9', 'flu')")
    database.execute("create view visits as select nobody_knows(age) as age from people")
    database.commit()
    database.close()
    (release,) = repository.gate().releases
    assert (release.status, release.head_verdict) == (GateStatus.WEAKENED, Verdict.PASS)


def test_an_approval_is_of_how_files_are_written(repository: Repository) -> None:
    """What was approved for one reading of the files is not approved for another one."""
    repository.replace("auditor.yaml", "[university]", "[university, school]")
    (release,) = repository.gate().releases
    entry = f"weakenings: [{{change: {release.change}, reason: r, approved_by: dpo@example.org}}]\n"
    repository.write("auditor.yaml", MANIFEST.replace("[university]", "[university, school]") + entry)
    assert repository.gate().exit_code == EXIT_MET
    repository.replace("auditor.yaml", "recipients", 'csv: {quote: "~"}, recipients')
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_what_meets_both_is_let_through(repository: Repository) -> None:
    """A stricter policy, another place of the same data, a comment: nothing of it needs anybody."""
    repository.replace(POLICY_FILE, "l: 2}", "l: 2, because: of the law}")
    repository.git("mv", TABLE, "out/moved.csv")
    repository.replace("auditor.yaml", TABLE, "out/moved.csv")
    repository.commit()
    found = repository.gate()
    assert (found.exit_code, found.releases[0].base_verdict) == (EXIT_MET, Verdict.PASS)
    repository.replace(POLICY_FILE, "l: 2", "l: 3")
    assert repository.gate().exit_code == EXIT_NOT_MET


TABLES = """\
version: 1
policy: clinic.yaml
tests:
  - name: two of one illness
    csv: |
      age,zip,diagnosis
      30,1,flu
      30,1,flu
    expect: {verdict: fail, fails: [l]}
  - name: two of two
    csv: |
      age,zip,diagnosis
      30,1,flu
      30,1,asthma
    expect: pass
"""


@pytest.fixture
def tested(repository: Repository) -> Repository:
    repository.git("checkout", "-q", "main")
    repository.write(TESTS, TABLES)
    repository.write("charts/other_test.yaml", "suite: deployments\ntests: [{it: runs}]\n")
    repository.commit("with tests")
    repository.git("checkout", "-q", "-B", "change")
    return repository


def held(repository: Repository) -> dict[str, tuple[Strictness, str | None]]:
    return {each.path: (each.verdict, each.note) for each in repository.gate().trusted}


def test_the_bases_policy_tests_judge_the_heads_policy(tested: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    assert held(tested) == {}
    monkeypatch.setattr(_run, "compare", calling(Strictness.EQUAL))
    tested.replace(POLICY_FILE, "l: 2", "l: 1")
    tested.replace(TESTS, "verdict: fail, fails: [l]", "verdict: pass")
    found = tested.gate()
    turned, difference = found.trusted
    assert found.exit_code == EXIT_WEAKENED
    assert turned.path == difference.path == f"tests/{TESTS}/two of one illness"
    assert turned.note == "the test expects something else"
    assert (difference.verdict, difference.new) == (Strictness.WEAKER, "pass")
    assert found.notes[0] == "The policy tests are weakened, and nobody has approved it."
    entry = f"weakenings: [{{change: {found.trusted_change}, reason: r, approved_by: dpo@example.org}}]\n"
    tested.write("auditor.yaml", MANIFEST + entry)
    assert tested.gate().exit_code == EXIT_MET


def test_the_bases_tests_of_logs_judge_the_heads_limits(repository: Repository) -> None:
    """As those of tables do: a log that had to fail and fails no more is a weakening, and so is a test that is gone."""
    policy = (repository.top / POLICY_FILE).read_text(encoding="utf-8")
    repository.git("checkout", "-q", "main")
    repository.write(POLICY_FILE, f"{policy}queries: {{limits: {{max_queries: 2}}}}\n")
    repository.write("policies/log.sql", "SELECT count(*) FROM data;\n" * 3)
    repository.write("policies/few.csv", "age,zip,diagnosis\n30,1,flu\n")
    case = "{name: three, data: few.csv, log: log.sql, expect: {fails: [queries-too-many-queries]}}"
    repository.write(TESTS, f"policy: clinic.yaml\ntests: [{case}]\n")
    repository.commit("with a test of a log")
    repository.git("checkout", "-q", "-B", "change")
    assert held(repository) == {}
    repository.replace(POLICY_FILE, "max_queries: 2", "max_queries: 3")
    assert held(repository)[f"tests/{TESTS}/three"][0] is Strictness.WEAKER
    repository.replace(POLICY_FILE, "max_queries: 3", "max_queries: 2")
    repository.write("policies/log.sql", "SELECT count(*) FROM data;\n" * 4)
    assert held(repository)[f"tests/{TESTS}/three"] == (Strictness.WEAKER, "the test is removed")


def test_a_test_is_not_lost_behind_an_approval_of_what_it_notices(tested: Repository) -> None:
    """Its table fails no more, as was approved; what the test asked for besides is gone without anybody's approval."""
    tested.replace(POLICY_FILE, "l: 2", "l: 1")
    found = tested.gate()
    changes = f"[{found.trusted_change}, {found.releases[0].change}]"
    entry = f"weakenings: [{{change: {changes}, reason: r, approved_by: dpo@example.org}}]\n"
    tested.write("auditor.yaml", MANIFEST + entry)
    assert tested.gate().exit_code == EXIT_MET
    (tested.top / TESTS).unlink()
    assert tested.gate().exit_code == EXIT_WEAKENED


def test_tests_in_a_file_whose_name_begins_with_a_dot(tested: Repository) -> None:
    """`auditor test` runs them."""
    hidden = "policies/.hidden_test.yaml"
    tested.git("checkout", "-q", "main")
    tested.git("mv", TESTS, hidden)
    tested.commit("hidden")
    tested.git("checkout", "-q", "-B", "change")
    (tested.top / hidden).unlink()
    assert {path for path, _ in held(tested).items()} == {
        f"tests/{hidden}/two of one illness",
        f"tests/{hidden}/two of two",
    }


def test_tests_that_are_deleted_or_turned_round(tested: Repository) -> None:
    name = f"tests/{TESTS}/two of one illness"
    tested.replace(TESTS, "verdict: fail, fails: [l]", "verdict: pass")
    assert held(tested) == {name: (Strictness.WEAKER, "the test expects something else")}
    tested.write(TESTS, TABLES.replace("fails: [l]", "fails: [k]"))
    assert held(tested) == {name: (Strictness.INCOMPARABLE, "the test expects something else")}
    tested.write(TESTS, TABLES[: TABLES.index("  - name: two of two")])
    assert held(tested) == {f"tests/{TESTS}/two of two": (Strictness.WEAKER, "the test is removed")}
    (tested.top / TESTS).unlink()
    assert len(held(tested)) == 2
    assert tested.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("ignored", [TESTS, "of-others/clinic_test.yaml"])
def test_tests_that_git_ignores_are_gone(tested: Repository, ignored: str) -> None:
    """They are on this disk alone: the next base revision would have none."""
    tested.write(ignored, TABLES.replace("clinic.yaml", "../policies/clinic.yaml"))
    tested.git("rm", "-q", "--cached", TESTS)
    if ignored != TESTS:
        (tested.top / TESTS).unlink()
    tested.write(".gitignore", f"/{ignored}\n")
    tested.commit("ignored")
    assert set(held(tested).values()) == {(Strictness.WEAKER, "the test is removed")}
    assert tested.gate(committed=True).exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("how", ["as it is", "another name", "a link"])
def test_tests_whose_table_git_ignores_are_gone(repository: Repository, how: str) -> None:
    """The next base revision could not read any test of the file."""
    repository.git("checkout", "-q", "main")
    repository.write(TESTS, "policy: clinic.yaml\ntests: [{name: alone, data: bad.csv, expect: fail}]\n")
    table = repository.write("policies/bad.csv", DATA + "50,3,flu\n")
    repository.commit("with a test")
    repository.git("checkout", "-q", "-B", "change")
    assert held(repository) == {}
    name = "bad.csv" if how == "as it is" else "kept.csv"
    repository.git("rm", "-q", "--cached", "policies/bad.csv")
    table.rename(table.with_name(name))
    if how == "another name":
        repository.replace(TESTS, "bad.csv", name)
    elif how == "a link":
        table.symlink_to(name)
    repository.write(".gitignore", f"/policies/{name}\n")
    repository.commit("ignored")
    assert set(held(repository).values()) == {(Strictness.WEAKER, "the test is removed")}


@pytest.mark.parametrize("name", ["clinic_test.yaml", "other_test.yaml"])
def test_tests_that_are_a_link_to_itself_are_gone(tested: Repository, name: str) -> None:
    (tested.top / TESTS).unlink()
    (tested.top / TESTS).symlink_to(name)
    if name != "clinic_test.yaml":
        (tested.top / "policies" / name).symlink_to("clinic_test.yaml")
    tested.commit("a circle")
    assert set(held(tested).values()) == {(Strictness.WEAKER, "the test is removed")}
    assert tested.gate().exit_code == EXIT_WEAKENED


def test_tests_that_are_not_committed_any_more_are_named(tested: Repository) -> None:
    tested.git("rm", "-q", "--cached", TESTS)
    tested.git("commit", "-q", "-m", "no longer")
    assert TESTS in " ".join(tested.gate().notes)
    assert tested.gate(committed=True).exit_code == EXIT_NOT_EVALUATED


def test_tests_that_are_moved_renamed_or_made_stricter(tested: Repository) -> None:
    tested.write(TESTS, TABLES.replace("two of", "a pair of"))
    tested.git("mv", TESTS, "policies/more_test.yaml")
    assert held(tested) == {}
    tested.write("policies/more_test.yaml", TABLES.replace("expect: pass", "expect: fail"))
    tested.write(POLICY_FILE, POLICY.replace("l: 2", "l: 3"))
    tested.write(TABLE, "age,zip,diagnosis\n30,1,a\n30,1,b\n30,1,c\n")
    assert [verdict for verdict, _ in held(tested).values()] == [Strictness.STRICTER]
    assert tested.gate().exit_code == EXIT_MET
    tested.write("policies/more_test.yaml", TABLES[: TABLES.index("  - name: two of two")])
    assert held(tested) == {}


def test_tests_that_judge_another_policy_now(tested: Repository) -> None:
    """A copy of the policy, which no release is under: what the tests were of could be weakened later."""
    tested.write("policies/copy.yaml", POLICY)
    tested.replace(TESTS, "policy: clinic.yaml", "policy: copy.yaml")
    note = "the test is removed"
    assert held(tested)[f"tests/{TESTS}/two of one illness"] == (Strictness.WEAKER, note)
    assert tested.gate().exit_code == EXIT_WEAKENED
    tested.replace(TESTS, "policy: copy.yaml", "policy: ../policies/clinic.yaml")
    assert held(tested) == {}


def test_tests_of_a_policy_behind_a_link(tested: Repository) -> None:
    tested.git("checkout", "-q", "main")
    tested.git("mv", POLICY_FILE, "policies/real.yaml")
    (tested.top / POLICY_FILE).symlink_to("real.yaml")
    tested.commit()
    tested.git("checkout", "-q", "-B", "change")
    assert held(tested) == {}
    tested.replace(TESTS, "policy: clinic.yaml", "policy: real.yaml")
    assert held(tested) == {}


def test_tests_follow_their_policy_when_it_is_renamed(tested: Repository) -> None:
    for old, new in ((POLICY_FILE, "policies/hospital.yaml"), (TESTS, "policies/hospital_test.yaml")):
        tested.git("mv", old, new)
    tested.replace("policies/hospital_test.yaml", "clinic.yaml", "hospital.yaml")
    tested.replace("auditor.yaml", POLICY_FILE, "policies/hospital.yaml")
    assert tested.gate().exit_code == EXIT_MET
    tested.replace("policies/hospital.yaml", "l: 2", "l: 1")
    assert [path for path in held(tested) if path.startswith("tests/")] == [f"tests/{TESTS}/two of one illness"]


def test_tests_follow_a_release_to_another_policy(tested: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of the policy beside it, which the release is under now: the tests stay with what nothing is under."""
    tested.write("policies/copy.yaml", POLICY)
    tested.replace("auditor.yaml", POLICY_FILE, "policies/copy.yaml")
    name = f"tests/{TESTS}/two of one illness"
    assert held(tested)[name] == (Strictness.WEAKER, "the test is removed")
    tested.write("policies/copy_test.yaml", TABLES.replace("clinic.yaml", "copy.yaml"))
    assert held(tested) == {}
    monkeypatch.setattr(_run, "compare", calling(Strictness.EQUAL))
    tested.write("policies/copy.yaml", POLICY.replace("l: 2", "l: 1"))
    note = "a table of the policy tests that must fail no longer does"
    assert held(tested) == {name: (Strictness.WEAKER, note)}
    assert tested.gate().exit_code == EXIT_WEAKENED


def test_tests_of_a_policy_that_a_release_goes_on_to_use(tested: Repository) -> None:
    """They stay where they are: the release's new policy extends theirs, or another release is under it."""
    extends = "version: 1\nname: strict\nextends: [clinic.yaml]\nrequirements: [{id: k, model: k-anonymity, k: 2}]\n"
    tested.write("policies/strict.yaml", extends)
    tested.replace("auditor.yaml", POLICY_FILE, "policies/strict.yaml")
    assert tested.gate().exit_code == EXIT_MET
    tested.write("auditor.yaml", MANIFEST)
    tested.git("checkout", "-q", "main")
    second = "  second: {policy: policies/clinic.yaml, data: out/clinic.csv}\ntrusted"
    tested.replace("auditor.yaml", "trusted", second)
    tested.commit("two releases")
    tested.git("checkout", "-q", "-B", "change")
    tested.write("policies/copy.yaml", POLICY)
    tested.replace("auditor.yaml", "second: {policy: policies/clinic.yaml", "second: {policy: policies/copy.yaml")
    assert tested.gate().exit_code == EXIT_MET


@pytest.mark.parametrize(("place", "target"), [(TESTS, "tables.yaml"), ("checks/clinic_test.yaml", "../t/tables.yaml")])
def test_tests_behind_a_link(repository: Repository, place: str, target: str) -> None:
    """`auditor test` runs them by the name of the link, beside which their policy and their tables are found."""
    repository.git("checkout", "-q", "main")
    beside = (repository.top / place).parent
    beside.mkdir(exist_ok=True)
    repository.write(f"{beside}/small.csv", "age,zip,diagnosis\n30,1,flu\n30,1,flu\n")
    case = "{name: one illness, data: small.csv, expect: {fails: [l]}}"
    file = (beside / target).resolve()
    repository.write(str(file), f"policy: ../policies/clinic.yaml\ntests: [{case}]\n")
    (repository.top / place).symlink_to(target)
    repository.commit("a link")
    repository.git("checkout", "-q", "-B", "change")
    assert held(repository) == {}
    (repository.top / place).unlink()
    assert held(repository) == {f"tests/{place}/one illness": (Strictness.WEAKER, "the test is removed")}
    assert repository.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("limit", [OutOfTime, OutOfMemory])
def test_a_limit_that_cuts_the_bases_verdict_short_is_no_pass(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, limit: type[NotEvaluated]
) -> None:
    repository.write("policies/clinic.yaml", POLICY + "  - {id: r, model: max-risk, max: 0.5}\n")
    assert repository.gate().exit_code == EXIT_MET
    judged = _judge._data

    def cut_short(policy: Policy, case: _judge.GateCase, material: _judge.Material) -> Result:
        if len(policy.requirements) == 2:
            raise limit("the limit was reached")
        return judged(policy, case, material)

    monkeypatch.setattr(_judge, "_data", cut_short)
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED
