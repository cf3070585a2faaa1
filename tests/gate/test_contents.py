"""Contents behind names that stay: neither an approved change nor what is released as well hides another one."""

from __future__ import annotations

import pytest

from auditor.errors import EXIT_MET, EXIT_NOT_MET, EXIT_WEAKENED
from auditor.result import Strictness
from auditor.result.gate import GateStatus
from tests.gate.repository import Repository, paste
from tests.gate.test_shrinkage import ALL, ASKING, STAFF, THREE, weaker

BOTH = ASKING.replace("queries:", "requirements: [{model: k-anonymity, k: 3}]\nqueries:")
"""The table is released, too: six and three people of a department."""
MADE_UP = "id,dept,salary\n" + "".join(f"{number},Sales,5000\n" for number in range(10, 15))
APRIL = "SELECT count(*) FROM staff WHERE dept = 'Legal';\n"


def asking(repository: Repository, entry: str, policy: str = ASKING) -> None:
    """Main releases query logs about a table."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "data: out/clinic.csv", f'{entry}, queries: "logs/*"')
    repository.write("policies/clinic.yaml", policy)
    repository.write("raw/staff.csv", STAFF)
    repository.write("logs/april.sql", APRIL)
    repository.write("logs/may.sql", ALL)
    repository.commit("logs")
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET


def approved(repository: Repository) -> int:
    """The exit code once somebody has pasted what the gate prints."""
    asked = repository.gate()
    assert asked.exit_code == EXIT_WEAKENED
    assert asked.approve_in is not None
    paste(repository.top / asked.approve_in, asked.to_approve, asked.approve_at)
    repository.commit("approved")
    return repository.gate().exit_code


@pytest.mark.parametrize("place", ["raw/*.csv", "raw", "raw/s*.csv"])
def test_an_original_that_is_the_data_gets_no_other_file(repository: Repository, place: str) -> None:
    """Made-up people beside it make a question about three one about eight, and nobody releases them."""
    asking(repository, f'data: raw/staff.csv, original: "{place}"', BOTH)
    repository.write("logs/june.sql", THREE)
    repository.commit("a question about three")
    assert repository.gate().exit_code == EXIT_NOT_MET
    repository.write("raw/s-more.csv", MADE_UP)
    repository.commit("made-up people")
    assert set(weaker(repository)) == {"original"}
    assert repository.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("data", [False, True])
@pytest.mark.parametrize("how", ["a copy", "a link", "a copy under another place", "instead of another one"])
def test_an_original_is_not_doubled(repository: Repository, how: str, *, data: bool) -> None:
    """The bytes are those of the base revision; with a second file of them three people are six."""
    if how == "instead of another one":
        repository.write("raw/other.csv", MADE_UP.replace("Sales", "Legal"))
    asking(repository, f'{"data: raw/staff.csv, " if data else ""}original: "raw/*.csv"', BOTH)
    repository.write("logs/june.sql", THREE)
    repository.commit("a question about three")
    assert repository.gate().exit_code == EXIT_NOT_MET
    second = repository.top / "raw/other.csv"
    if how == "a link":
        second.symlink_to("staff.csv")
    else:
        second.write_text(STAFF, encoding="utf-8")
    if how == "a copy under another place":
        repository.git("mv", "raw", "table")
        repository.replace("auditor.yaml", "raw/", "table/")
    repository.commit("doubled")
    assert weaker(repository) == {"original": Strictness.INCOMPARABLE}
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_a_file_that_two_roles_reach_by_two_names_is_one_original(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    (repository.top / "latest.csv").symlink_to("raw/staff.csv")
    asking(repository, "data: latest.csv, original: raw/staff.csv", BOTH)
    assert weaker(repository) == {}


def test_an_original_that_is_the_data_comes_anew_with_it(repository: Repository) -> None:
    """Every file of it is judged as data: that is the next month's release."""
    asking(repository, 'data: "raw/*.csv", original: "raw/*.csv"', BOTH)
    repository.write("raw/june.csv", MADE_UP)
    repository.write("raw/staff.csv", STAFF.replace("4001", "4100"))
    repository.commit("June")
    assert weaker(repository) == {}
    assert repository.gate().exit_code == EXIT_MET


def test_a_log_that_may_go_does_not_hide_that_another_one_says_less(repository: Repository) -> None:
    asking(repository, "original: raw/staff.csv")
    repository.git("rm", "-q", "logs/april.sql")
    repository.commit("April is gone")
    assert approved(repository) == EXIT_MET
    repository.write("logs/may.sql", ALL.replace("sum", "avg"))
    repository.commit("May says less")
    (release,) = repository.gate().releases
    told = [each.note for each in release.changes if each.path.endswith("/queries")]
    assert told == ["files that are no longer judged", "statements of these logs are no longer in any log"]
    assert repository.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("before", ["data: raw/staff.csv", 'data: raw/staff.csv, original: "raw/s*.csv"'])
def test_an_original_that_was_approved_is_these_bytes(repository: Repository, before: str) -> None:
    """The base revision has none, or only what it releases, so that no contents differ from what it had."""
    asking(repository, before, BOTH)
    repository.replace("auditor.yaml", before, "data: raw/staff.csv, original: raw/more/staff.csv")
    rest = MADE_UP.partition("\n")[2]
    repository.write("raw/more/staff.csv", STAFF + rest)
    repository.write("logs/june.sql", THREE)
    repository.commit("an original")
    assert approved(repository) == EXIT_MET
    repository.write("raw/more/staff.csv", STAFF + rest.replace("5000", "6000"))
    repository.commit("another one")
    assert repository.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize(("ends", "expected"), [("some", EXIT_WEAKENED), ("all", EXIT_MET)])
def test_an_original_in_which_some_line_ends_are_others(repository: Repository, ends: str, expected: int) -> None:
    """Of quoted values with two lines: where some have CRLF, one illness is two, and its share another one."""
    table = "age,zip,diagnosis\n" + '30,1,"flu\nmild"\n30,1,asthma\n' * 2
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "data: out/clinic.csv", "data: out/clinic.csv, original: raw.csv")
    repository.write("raw.csv", table)
    repository.commit("an original")
    repository.git("checkout", "-q", "-B", "change")
    other = table.replace("\n", "\r\n") if ends == "all" else table.replace("flu\n", "flu\r\n", 1)
    (repository.top / "raw.csv").write_bytes(other.encode())
    repository.commit("other ends of lines")
    assert repository.gate().exit_code == expected


def test_a_record_of_an_original_does_not_move_to_another_partition(repository: Repository) -> None:
    """Its file has the bytes that it had, and the group that a log asked of has one person more."""
    repository.git("checkout", "-q", "main")
    repository.git("rm", "-q", "out/clinic.csv")
    entry = "{policy: policies/clinic.yaml, original: raw, queries: log.sql}"
    repository.write("auditor.yaml", f"version: 1\nreleases:\n  clinic: {entry}\n")
    attributes = "{id: identifier, dept: quasi-identifier, pay: {role: sensitive, type: number}}"
    queries = "{table: staff, key: id, limits: {exact_value: deny}}"
    repository.write(
        "policies/clinic.yaml", f"version: 1\nname: clinic\nattributes: {attributes}\nqueries: {queries}\n"
    )
    repository.write("log.sql", "SELECT sum(pay) FROM staff;\n")
    for folder, rows in (("a", "0,3\n1,5\n2,9\n"), ("b", "3,4\n4,6\n"), ("c", "5,8\n")):
        repository.write(f"raw/dept={folder}/{folder}.csv", f"id,pay\n{rows}")
    repository.commit("a log")
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().releases[0].status is GateStatus.PASS
    repository.git("mv", "raw/dept=c/c.csv", "raw/dept=b/c.csv")
    repository.commit("moved")
    (release,) = repository.gate().releases
    assert (release.status, release.changes[0].path) == (GateStatus.WEAKENED, "releases/clinic/original")


def test_another_population_behind_the_same_name_needs_approval(repository: Repository) -> None:
    """Twice as many persons under the same name let a release pass that did not."""
    register = "age,zip,persons\n30,1,3\n40,2,3\n"
    repository.git("checkout", "-q", "main")
    repository.replace(
        "policies/clinic.yaml", "requirements:",
        "sample: {population: {data: ../raw/register.csv, counts: persons}}\nrequirements:\n  - {model: k-map, k: 5}",
    )  # fmt: skip
    repository.write("raw/register.csv", register.replace(",3\n", ",6\n"))
    repository.commit("held against a register")
    repository.git("checkout", "-q", "-B", "change")
    met = repository.gate()
    assert met.exit_code == EXIT_MET
    (release,) = met.releases
    assert [file.name for file in release.files if file.role == "population"] == ["raw/register.csv"]
    repository.write("raw/register.csv", register)
    repository.commit("fewer")
    assert repository.gate().exit_code == EXIT_NOT_MET
    repository.write("raw/register.csv", register.replace(",3\n", ",9\n"))
    repository.commit("more")
    assert repository.gate().exit_code == EXIT_WEAKENED
