"""What is judged of a release does not shrink in silence."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.certificates.statement import seal
from auditor.cli import invoke
from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_NOT_MET, EXIT_WEAKENED
from auditor.gate._logs import unsaid
from auditor.policy.git import Git
from auditor.policy.tree import Blob
from auditor.result import Strictness, Verdict
from auditor.result.gate import GateStatus
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository
from tests.gate.tables import PEOPLE, release, releasing

OTHERS = DATA.replace("30,", "31,").replace("40,", "41,")
OUTPUT = '{"type": "clusters", "clusters": [{"id": "0", "size": 9}]}'
CLUSTERS = '{"type": "clusters", "clusters": [{"size": 3}, {"size": 2}]}'


@pytest.fixture
def several(repository: Repository) -> Repository:
    """A release of two files, with an earlier one, two outputs and the hash of a file."""
    repository.git("checkout", "-q", "main")
    entry = "data: out/*.csv, previous: old/clinic.csv, original: raw/clinic.csv, outputs: [m/a.json, m/b.json]"
    repository.replace("auditor.yaml", "data: out/clinic.csv", entry)
    repository.write("policies/clinic.yaml", POLICY + "outputs: [{type: clusters, min_size: 2, centres: allow}]\n")
    for name, text in {"out/more.csv": OTHERS, "old/clinic.csv": DATA + OTHERS.partition("\n")[2]}.items():
        repository.write(name, text)
    repository.write("raw/clinic.csv", DATA + OTHERS.partition("\n")[2])
    for name in "ab":
        repository.write(f"m/{name}.json", OUTPUT.replace("9", f"{ord(name)}"))
    repository.commit("two files")
    repository.git("checkout", "-q", "-B", "change")
    return repository


def weaker(repository: Repository) -> dict[str, Strictness]:
    (release,) = repository.gate().releases
    return {
        each.path.rpartition("/")[2]: each.verdict
        for each in release.changes
        if each.verdict in (Strictness.WEAKER, Strictness.INCOMPARABLE)
    }


@pytest.mark.slow
def test_fewer_files_under_the_same_or_another_place(several: Repository) -> None:
    assert weaker(several) == {}
    several.git("mv", "out/more.csv", "out/more.txt")
    assert weaker(several) == {"data": Strictness.WEAKER}
    assert several.gate().exit_code == EXIT_WEAKENED
    several.git("mv", "out/more.txt", "out/renamed.csv")
    assert weaker(several) == {}
    several.replace("auditor.yaml", "out/*.csv", "out/clinic.csv")
    several.replace("auditor.yaml", "[m/a.json, m/b.json]", "m/b.json")
    assert weaker(several) == {"data": Strictness.WEAKER, "outputs": Strictness.WEAKER}


def test_an_earlier_release_that_is_another_one(several: Repository) -> None:
    """What it is compared with is the earlier release, or what the base revision released, and no copy of the new."""
    several.write("old/clinic.csv", DATA + DATA.partition("\n")[2])
    assert weaker(several) == {"previous": Strictness.INCOMPARABLE}
    several.git("checkout", "-q", "old/clinic.csv")
    several.replace("auditor.yaml", "original: raw/clinic.csv", "original: old/clinic.csv")
    assert weaker(several) == {}
    several.replace("auditor.yaml", "previous: old/clinic.csv, ", "")
    assert "previous" in weaker(several)


@pytest.mark.slow
@pytest.mark.parametrize(
    "entry",
    [
        "data: out/*.csv, previous: old/clinic.csv, original: old/clinic.csv",
        "data: '**/clinic.csv', previous: old/clinic.csv, original: raw/clinic.csv",
        "data: out/*.csv, previous: out/more.csv, original: old/clinic.csv",
    ],
)
def test_an_earlier_release_that_has_another_role_too(several: Repository, entry: str) -> None:
    """A file is told with one role: that it is the data or the original as well does not hide what became of it."""
    before = "data: out/*.csv, previous: old/clinic.csv, original: raw/clinic.csv"
    several.write("old/clinic.csv", DATA + DATA.partition("\n")[2])
    several.replace("auditor.yaml", before, entry)
    assert "previous" in weaker(several)
    assert several.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize("name", ["out/*.csv", "out/*.csv/clinic.csv"])
def test_a_file_or_a_folder_named_like_the_glob(repository: Repository, name: str) -> None:
    """The one that has the name would be judged alone, and all that the glob matches be released."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "out/clinic.csv", "out/*.csv")
    repository.commit("a glob")
    repository.git("checkout", "-q", "-B", "change")
    repository.write(name, DATA)
    repository.write("out/clinic.csv", DATA + "50,3,flu\n")
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED
    (repository.top / "out/clinic.csv").unlink()
    assert repository.gate().exit_code == EXIT_MET


@pytest.mark.parametrize("place", ["out/*.csv", "out/*", "out/**/*.csv", "*/*.csv"])
@pytest.mark.parametrize(
    ("name", "rows", "code"),
    [
        ("part-0.csv", "50,3,flu\n50,3,cold\n", EXIT_MET),
        ("part-0.csv", "50,3,flu\n", EXIT_NOT_MET),
        ("part-0", "50,3,flu\n", EXIT_NOT_EVALUATED),
        (".raw", "50,3,flu\n", EXIT_NOT_EVALUATED),
    ],
)
def test_a_folder_that_a_glob_matches_is_released(
    repository: Repository, place: str, name: str, rows: str, code: int
) -> None:
    """As programs write tables in parts; `auditor check` judges it, too. A part that leaves it is missed."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "out/clinic.csv", f"'{place}'")
    repository.commit("a glob")
    repository.git("checkout", "-q", "-B", "change")
    repository.write(f"out/more.csv/{name}", "age,zip,diagnosis\n" + rows)
    repository.write("out/more.csv/_SUCCESS", "")
    repository.commit("a folder")
    assert repository.gate().exit_code == code
    if code == EXIT_MET:
        repository.git("checkout", "-q", "-B", "main")
        repository.git("checkout", "-q", "-B", "change")
        assert repository.gate().exit_code == EXIT_MET
        repository.git("mv", f"out/more.csv/{name}", "rest.csv")
        repository.commit("a part that is released elsewhere")
        assert repository.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("m/more.json/a", f"{CLUSTERS} ", EXIT_MET),
        ("m/more.json/b/.a.json", CLUSTERS.replace("2", "1"), EXIT_NOT_MET),
        ("m/more.json/raw.csv", DATA, EXIT_NOT_EVALUATED),
        ("m/more.json/_SUCCESS", "", EXIT_MET),
        ("m/.more.json/raw.csv", DATA, EXIT_MET),
        ("logs/more.sql/b.sql", "SELECT count(*) FROM people;\n", EXIT_MET),
        ("logs/more.sql/a.sql", "SELECT count(*) FROM people WHERE age = 30;\n", EXIT_NOT_MET),
    ],
)
def test_a_folder_that_a_glob_of_outputs_or_logs_matches(
    repository: Repository, name: str, text: str, code: int
) -> None:
    """All in it is released, or was asked; a part that leaves it is missed."""
    repository.git("checkout", "-q", "main")
    asked = "queries: {table: people, limits: {query_set_size: {min: 3, both_ends: false}}}\n"
    counted = "outputs: [{type: clusters, min_size: 2, centres: allow}]\n"
    repository.write("policies/clinic.yaml", POLICY + asked + counted)
    repository.replace("auditor.yaml", "clinic.csv", "clinic.csv, outputs: 'm/*.json', queries: 'logs/*.sql'")
    repository.write("m/a.json", CLUSTERS)
    repository.write("logs/may.sql", "SELECT sum(age) FROM people;\n")
    repository.commit("globs")
    repository.git("checkout", "-q", "-B", "change")
    repository.write(name, text)
    repository.commit("a folder")
    assert repository.gate().exit_code == code
    repository.git("branch", "-f", "main")
    assert repository.gate().exit_code == code
    if code == EXIT_MET:
        repository.git("mv", name, "elsewhere")
        repository.write("elsewhere", "")
        repository.commit("a part that is released no more")
        assert repository.gate().exit_code == (EXIT_WEAKENED if text and "/." not in name else EXIT_MET)


def test_a_hidden_folder_that_a_glob_of_data_matches(repository: Repository) -> None:
    """It is not released, on either side."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "out/clinic.csv", "out/*.csv")
    repository.write("out/.more.csv/part.csv", OTHERS)
    repository.commit("a glob")
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("sha256: {a: DIGEST, b: DIGEST}", "sha256: {b: DIGEST}", "sha256"),
        ("sha256: DIGEST, purpose", "purpose", "sha256"),
        ("recipients: [university], ", "", "recipients"),
    ],
)
def test_hashes_and_recipients_that_are_gone(repository: Repository, old: str, new: str, field: str) -> None:
    digest = "'" + "0" * 64 + "'"
    old, new = old.replace("DIGEST", digest), new.replace("DIGEST", digest)
    text = MANIFEST if old in MANIFEST else MANIFEST.replace("purpose", old if "purpose" in old else f"{old}, purpose")
    repository.git("checkout", "-q", "main")
    repository.write("auditor.yaml", text)
    repository.commit("pinned")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace("auditor.yaml", old, new)
    assert weaker(repository) == {field: Strictness.WEAKER}


def test_a_release_that_grows_or_is_released_anew(several: Repository) -> None:
    several.write("out/third.csv", OTHERS.replace("31,", "32,").replace("41,", "42,"))
    several.write("out/clinic.csv", DATA)
    several.replace("auditor.yaml", "[m/a.json, m/b.json]", "m/*.json")
    assert weaker(several) == {}


def test_a_file_beside_the_data_is_named_by_the_policy_or_the_release(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "data: out/clinic.csv", "data: out")
    repository.commit("a folder")
    repository.git("checkout", "-q", "-B", "change")
    repository.write("out/notes.xlsx", "raw")
    repository.commit("a file that no reader can read")
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED
    repository.replace("auditor.yaml", "data: out", "data: out, not_released: ['*.xlsx']")
    repository.commit("a name for it")
    assert weaker(repository) == {"not_released": Strictness.WEAKER}
    (release,) = repository.gate().releases
    assert "unread" not in {each.id for document in release.documents for each in document.requirements}
    repository.write("out/raw.bak", "raw")
    (release,) = repository.gate().releases
    assert "unread" in {each.id for document in release.documents for each in document.requirements}


def test_certificates_that_are_gone_or_of_something_else(repository: Repository) -> None:
    assert invoke(["gate", "--certificates", "certificates"]) == 0
    (repository.top / "certificates/clinic.json.key").unlink()
    repository.commit("released")
    repository.git("branch", "-q", "-f", "main")
    file, moved = (repository.top / "certificates" / name for name in ("clinic.json", "moved.json"))
    issued = file.read_text(encoding="utf-8")
    file.rename(moved)
    assert repository.gate().exit_code == EXIT_MET
    moved.unlink()
    found = repository.gate(folder="out")
    assert found.exit_code == EXIT_WEAKENED
    assert [each.path for each in found.trusted] == ["certificates/certificates/clinic.json"]
    file.write_text(issued.replace("clinic.csv", "other.csv"), encoding="utf-8")
    assert repository.gate().exit_code == EXIT_WEAKENED
    file.write_text(issued, encoding="utf-8")
    assert invoke(["gate", "--certificates", "certificates"]) == 0, "a new one of the same files"
    new = json.loads(file.read_text(encoding="utf-8"))
    new["predicate"]["timeVerified"] = json.loads(issued)["predicate"]["timeVerified"]
    assert new != json.loads(issued)
    file.write_text(json.dumps(new), encoding="utf-8")  # as if made within one second
    assert repository.gate().exit_code == EXIT_MET


@pytest.fixture
def certified(repository: Repository) -> Repository:
    """A repository whose base revision has a certificate."""
    assert invoke(["gate", "--certificates", "certificates"]) == 0
    (repository.top / "certificates/clinic.json.key").unlink()
    repository.write(".gitignore", "*.bak\n")
    repository.commit("released")
    repository.git("branch", "-q", "-f", "main")
    return repository


@pytest.mark.parametrize(("name", "stays"), [("moved.json", True), ("clinic.bak", False)])
def test_a_certificate_moves_to_where_a_merge_leaves_it(certified: Repository, name: str, stays: bool) -> None:
    """What git ignores is on this disk alone, and what is not committed is not pushed."""
    folder = certified.top / "certificates"
    (folder / "clinic.json").rename(folder / name)
    assert (certified.gate().exit_code == EXIT_MET) is stays
    certified.git("rm", "-q", "--cached", "certificates/clinic.json")
    certified.git("commit", "-q", "-m", "gone")
    assert certified.gate(committed=True).exit_code == EXIT_WEAKENED
    certified.commit("moved")
    assert (certified.gate(committed=True).exit_code == EXIT_MET) is stays


@pytest.mark.parametrize("linked", [False, True])
def test_a_certificate_in_a_submodule_is_gone(certified: Repository, *, linked: bool) -> None:
    """The next base revision would not have it, wherever it stands."""
    folder, inner = certified.top / "certificates", certified.top.parent / "inner"
    folder.rename(inner)
    certified.git("init", "-q", cwd=inner)
    Repository.at(inner).commit("certificates")
    certified.git("rm", "-q", "-r", "--cached", "certificates")
    certified.git("submodule", "add", "-q", f"file://{inner}", "inner" if linked else "certificates")
    if linked:
        folder.symlink_to("inner")
    certified.commit("into a submodule")
    assert (folder / "clinic.json").is_file()
    assert certified.gate().exit_code == EXIT_WEAKENED


def test_a_certificate_that_is_written_with_escapes_takes_no_place(certified: Repository) -> None:
    """The next change would not find it, and be held to nothing."""
    file = certified.top / "certificates/clinic.json"
    file.write_text(file.read_text(encoding="utf-8").replace("slsa.dev", "slsa.d\\u0065v"), encoding="utf-8")
    assert json.loads(file.read_text(encoding="utf-8"))["predicateType"].startswith("https://slsa.dev")
    assert certified.gate().exit_code == EXIT_WEAKENED


def test_a_certificate_whose_lines_git_ends_otherwise(certified: Repository) -> None:
    certified.replace("policies/clinic.yaml", "l: 2}", "l: 2}\n  - {id: more, model: average-risk, max: 0.9}")
    file = certified.top / "certificates/clinic.json"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert certified.gate().exit_code == EXIT_MET


def test_a_certificate_of_another_ending_is_held_too(repository: Repository) -> None:
    """`auditor check --certificate` writes it under whatever name it is told."""
    assert invoke(["gate", "--certificates", "certificates"]) == 0
    (repository.top / "certificates/clinic.json.key").unlink()
    file, moved = (repository.top / "certificates" / name for name in ("clinic.intoto", "old.intoto"))
    (repository.top / "certificates/clinic.json").rename(file)
    repository.commit("released")
    repository.git("branch", "-q", "-f", "main")
    file.rename(moved)
    assert repository.gate().exit_code == EXIT_MET
    moved.unlink()
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_looking_for_certificates_reads_the_repository_once(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository has many files, and a change may lose many certificates: a gate would run for minutes."""
    assert invoke(["gate", "--certificates", "certificates"]) == 0
    (repository.top / "certificates/clinic.json.key").unlink()
    text = (repository.top / "certificates/clinic.json").read_text(encoding="utf-8")
    for number in range(4):
        repository.write(f"certificates/{number}", text.replace("teaching", f"teaching {number}"))
    repository.write("of/another/size", "x")
    repository.commit("released")
    repository.git("branch", "-q", "-f", "main")
    for number in range(4):
        (repository.top / f"certificates/{number}").unlink()
    asked, opened, run = [], [], Git.run
    monkeypatch.setattr(Git, "run", lambda self, *words: asked.append(words[0]) or run(self, *words))
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: opened.append(self.name) or read(self))
    assert len(repository.gate().trusted) == 4
    assert asked.count("grep") == 1
    assert "size" not in opened


def edited(text: str, change: str) -> str:
    """A certificate with other contents; sealed anew, as anybody can, but for the one that is edited by hand."""
    said = json.loads(text)
    evaluation = said["predicate"]["auditor_evaluation"]
    said["predicate"]["timeVerified"] = "2999-01-01T00:00:00Z"
    if change == "by hand":
        evaluation["notChecked"] = []
        evaluation["seal"] = "0" * 64
        return json.dumps(said)
    if change == "older":
        said["predicate"]["timeVerified"] = "1999-01-01T00:00:00Z"
    elif change == "another policy":
        said["predicate"]["policy"]["digest"]["sha256"] = "0" * 64
    elif change == "for others":
        evaluation["recipients"] = ["the public"]
    evaluation["seal"] = seal(said, None)
    return json.dumps(said)


@pytest.mark.parametrize("change", ["by hand", "older", "another policy", "for others", "none of a ledger"])
def test_certificates_with_other_contents(repository: Repository, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever forges a certificate can seal it again; it is plain here, so that the seal is anybody's to look at."""
    monkeypatch.setattr("auditor.gate._certify.key_for", lambda *_: None)
    repository.git("checkout", "-q", "main")
    if change == "none of a ledger":
        repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, ledger: releases.jsonl")
    repository.commit("main")
    assert invoke(["gate", "--certificates", "certificates"]) == 0
    repository.commit("released")
    repository.git("checkout", "-q", "-B", "change")
    file = repository.top / "certificates/clinic.json"
    issued = file.read_text(encoding="utf-8")
    file.write_text(edited(issued, change), encoding="utf-8")
    found = repository.gate()
    assert (found.exit_code, [each.path for each in found.trusted]) == (
        EXIT_WEAKENED,
        ["certificates/certificates/clinic.json"],
    )
    file.write_text(issued, encoding="utf-8")
    assert repository.gate().exit_code == EXIT_MET
    first = found.trusted_change
    file.write_text(edited(issued, change) + "\n", encoding="utf-8")
    assert repository.gate().trusted_change != first, "an approval is of these contents, and of no others"


@pytest.mark.slow
@pytest.mark.parametrize("system", ["sqlite", "duckdb"])
def test_another_table_of_the_same_database(repository: Repository, system: str) -> None:
    """It is told; and the table that was released is judged still, as long as the file has it."""
    rows = ",".join(f"('{row.replace(',', chr(39) + ',' + chr(39))}')" for row in DATA.splitlines()[1:])
    with closing((sqlite3 if system == "sqlite" else duckdb).connect(str(repository.top / "out/x.db"))) as database:
        for name in "ab":
            database.execute(f"create table {name} (age text, zip text, diagnosis text)")
            database.execute(f"insert into {name} values {rows}")
        database.commit()
    place = f"{system}:out/x.db?table="
    repository.replace("auditor.yaml", "out/clinic.csv", f'"{place}a", not_released: [a, b]')
    repository.commit()
    repository.git("branch", "-q", "-f", "main")
    assert repository.gate().exit_code == EXIT_MET
    repository.replace("auditor.yaml", f"{place}a", f"{place}b")
    found = repository.gate()
    assert found.exit_code == EXIT_MET
    (told,) = found.releases[0].changes
    assert (told.path, told.old, told.new) == ("releases/clinic/data", f"{place}a", f"{place}b")
    with closing((sqlite3 if system == "sqlite" else duckdb).connect(str(repository.top / "out/x.db"))) as database:
        database.execute("insert into a values ('50', '9', 'flu')")
        database.commit()
    assert repository.gate().exit_code == EXIT_WEAKENED


STAFF = "id,dept,salary\n" + "".join(f"{i},{'Sales' if i > 6 else 'Legal'},{4000 + i}\n" for i in range(1, 10))
"""Six of one department and three of the other, whom a query set of at least five does not let be asked about."""
ASKING = """\
version: 1
name: staff
attributes: {id: insensitive, dept: quasi-identifier, salary: {role: sensitive, type: number}}
queries: {table: staff, limits: {query_set_size: {min: 5, both_ends: false}}}
"""
ALL, THREE = "SELECT sum(salary) FROM staff;\n", "SELECT sum(salary) FROM staff WHERE dept = 'Sales';\n"


@pytest.fixture
def asked(repository: Repository) -> Repository:
    """A release of a query log about a table that git has."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "data: out/clinic.csv", 'original: raw/staff.csv, queries: "logs/*"')
    repository.write("policies/clinic.yaml", ASKING)
    repository.write("raw/staff.csv", STAFF)
    repository.write("logs/may.sql", ALL + "SELECT count(*) FROM staff;\n")
    repository.commit("a log")
    repository.git("checkout", "-q", "-B", "change")
    return repository


@pytest.mark.parametrize("how", ["in place", "by a link", "by another file of a folder"])
def test_the_table_that_a_release_was_made_from_is_another_one(asked: Repository, how: str) -> None:
    """Padded with five made-up people, so that a question about three is one about eight."""
    padded = STAFF + "".join(f"{i},Sales,5000\n" for i in range(10, 15))
    if how == "by another file of a folder":
        asked.git("checkout", "-q", "main")
        asked.replace("auditor.yaml", "raw/staff.csv", "raw/*.csv")
        asked.commit("a folder")
        asked.git("checkout", "-q", "-B", "change")
    assert asked.gate().exit_code == EXIT_MET
    asked.write("logs/june.sql", THREE)
    assert asked.gate().exit_code == EXIT_NOT_MET
    if how == "in place":
        asked.write("raw/staff.csv", padded)
    elif how == "by a link":
        asked.write("raw/padded.csv", padded)
        (asked.top / "raw/staff.csv").unlink()
        (asked.top / "raw/staff.csv").symlink_to("padded.csv")
    else:
        asked.write("raw/more.csv", "id,dept,salary\n" + padded.removeprefix(STAFF))
    asked.commit("padded")
    assert weaker(asked) == {"original": Strictness.INCOMPARABLE}
    assert asked.gate().exit_code == EXIT_WEAKENED


def test_a_log_that_was_just_turned_over_asks_nothing(asked: Repository) -> None:
    """Whatever turns it over moves the log and begins an empty one; without any statement nothing is judged."""
    (asked.top / "logs/may.sql").rename(asked.top / "logs/may-1.sql")
    asked.write("logs/may.sql", "")
    asked.commit("turned over")
    assert asked.gate().exit_code == EXIT_MET
    asked.write("logs/may-1.sql", "")
    (release,) = asked.gate().releases
    assert (release.status, release.head_verdict) == (GateStatus.WEAKENED, Verdict.NOT_EVALUATED)


def test_the_table_that_is_released_may_be_what_it_is_made_from(asked: Repository) -> None:
    """It comes anew with every release, and is judged itself."""
    asked.git("checkout", "-q", "main")
    asked.replace("auditor.yaml", "original: raw/staff.csv", "data: raw/staff.csv, original: raw/staff.csv")
    asked.replace("policies/clinic.yaml", "queries:", "requirements: [{model: k-anonymity, k: 3}]\nqueries:")
    asked.commit("released")
    asked.git("checkout", "-q", "-B", "change")
    asked.write("raw/staff.csv", STAFF + "10,Sales,5000\n")
    assert weaker(asked) == {}


@pytest.mark.parametrize("role", ["original", "data"])
def test_another_hash_of_a_file(asked: Repository, role: str) -> None:
    """Git does not know the files: of what is released a new hash is told, of what it is made from it closes."""
    asked.git("checkout", "-q", "main")
    asked.write(".gitignore", "far/\n")
    asked.write("far/staff.csv", STAFF)
    pin = f"sha256: {{far/staff.csv: {hashlib.sha256(STAFF.encode()).hexdigest()}}}"
    asked.replace("auditor.yaml", "original: raw/staff.csv", f"{role}: far/staff.csv, {pin}")
    if role == "data":
        asked.replace("policies/clinic.yaml", "queries:", "requirements: [{model: k-anonymity, k: 3}]\nqueries:")
    asked.commit("pinned")
    asked.git("checkout", "-q", "-B", "change")
    assert asked.gate().exit_code == EXIT_MET
    padded = STAFF + "10,Sales,5000\n"
    asked.write("far/staff.csv", padded)
    assert asked.gate().exit_code == EXIT_NOT_EVALUATED
    asked.replace("auditor.yaml", pin, pin.replace(pin[-65:-1], hashlib.sha256(padded.encode()).hexdigest()))
    found = asked.gate()
    (told,) = found.releases[0].changes
    assert (told.path, told.old, told.new) == ("releases/clinic/sha256", ["far/staff.csv"], ["far/staff.csv"])
    closed = role == "original"
    assert found.exit_code == (EXIT_WEAKENED if closed else EXIT_MET)
    assert told.verdict is (Strictness.INCOMPARABLE if closed else Strictness.EQUAL)


def test_a_statement_that_a_log_has_lost(asked: Repository) -> None:
    """A log may grow, be sorted otherwise or be divided; that it says less closes, whichever statement it lost."""
    asked.write("logs/june.sql", "SELECT max(salary) FROM staff WHERE dept = 'Legal';\n")
    asked.write("logs/may.sql", "SELECT count(*) FROM staff;\n" + ALL + ALL)
    assert weaker(asked) == {}
    asked.write("logs/may.sql", "SELECT count(*) FROM staff;\n")
    asked.write("logs/june.sql", ALL)
    assert weaker(asked) == {}
    asked.write("logs/june.sql", ALL.replace("sum", "avg"))
    assert weaker(asked) == {"queries": Strictness.WEAKER}
    assert asked.gate().exit_code == EXIT_WEAKENED


def test_a_log_that_nobody_can_read_is_held_to_its_bytes(asked: Repository) -> None:
    asked.git("checkout", "-q", "main")
    asked.write("logs/broken.jsonl", '{"sql": "SELECT 1"}\n{"sql":\n')
    asked.commit("a broken log")
    asked.git("checkout", "-q", "-B", "change")
    assert weaker(asked) == {}
    asked.write("logs/broken.jsonl", '{"sql": "SELECT 1"}\n')
    assert weaker(asked) == {"queries": Strictness.WEAKER}


@dataclass(frozen=True)
class Stored(Blob):
    """What git would have stored."""

    content: bytes = b""

    def read(self) -> bytes:
        return self.content


STATEMENTS = st.sampled_from([f"SELECT {column} FROM t" for column in "abc"])
LOGS = st.lists(st.lists(STATEMENTS, min_size=1, max_size=3), min_size=1, max_size=3)


@settings(max_examples=40, deadline=None)
@given(before=LOGS, now=LOGS)
def test_no_statement_is_lost_in_silence(before: list[list[str]], now: list[list[str]]) -> None:
    """Logs are wanting exactly where the bag of all their statements is not part of the bag of those there are now."""

    def written(log: list[str]) -> bytes:
        return "".join(f"{each};\n" for each in log).encode()

    with TemporaryDirectory() as folder:
        files = [Path(folder, f"{index}.sql") for index in range(len(now))]
        for file, log in zip(files, now, strict=True):
            file.write_bytes(written(log))
        blobs = [
            (f"{index}.sql", Stored(Git(), "", len(written(log)), written(log))) for index, log in enumerate(before)
        ]
        lost = Counter(chain(*before)) - Counter(chain(*now))
        assert bool(unsaid(blobs, files)) == bool(lost)


@pytest.mark.parametrize("purpose", [", purpose: advertising", ""])
def test_another_purpose(repository: Repository, purpose: str) -> None:
    repository.replace("auditor.yaml", ", purpose: teaching", purpose)
    assert weaker(repository) == {"purpose": Strictness.INCOMPARABLE}
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_a_purpose_that_is_said_for_the_first_time(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", ", purpose: teaching", "")
    repository.commit("no purpose")
    repository.git("checkout", "-q", "-B", "change")
    repository.replace("auditor.yaml", "[university]", "[university], purpose: teaching")
    assert repository.gate().exit_code == EXIT_MET


@pytest.mark.parametrize(("before", "needs"), [("original: p.csv, ", True), ("", True), ("data: p.csv, ", False)])
def test_a_table_is_released_of_which_the_policy_demands_nothing(
    repository: Repository, before: str, *, needs: bool
) -> None:
    """A policy of outputs alone judges no table, so one that a change adds to a release is nothing stricter."""
    releasing(repository, [release("all", before)], ledger=False)
    repository.replace("auditor.yaml", release("all", before), release("all"))
    (found,) = repository.gate().releases
    assert found.status is (GateStatus.WEAKENED if needs else GateStatus.PASS)
    assert ("data" in weaker(repository)) is needs
    assert "The policy demands nothing of the data, so nobody judges it." in found.notes
    notes = [each.note for each in found.changes if each.path.endswith("/data")]
    assert notes == ["the policy demands nothing of the data, so nobody judges it"] * needs


@pytest.mark.parametrize(("before", "needs"), [("data: p.csv, ", True), ("", False)])
def test_an_original_beside_which_outputs_were_not_judged(repository: Repository, before: str, *, needs: bool) -> None:
    """They were judged against the data that is released; a table that nobody judges takes its place."""
    releasing(repository, [release("all", before)], ledger=False)
    repository.write("raw/p.csv", PEOPLE)
    repository.replace("auditor.yaml", release("all", before), release("all", f"{before}original: raw/p.csv, "))
    repository.commit()
    found = repository.gate()
    assert found.releases[0].head_verdict is Verdict.PASS
    assert found.exit_code == (EXIT_WEAKENED if needs else EXIT_MET)
    assert ("original" in weaker(repository)) is needs


def test_a_padded_original_beside_which_a_log_was_not_judged(repository: Repository) -> None:
    """Beside it a query of the next change selects many records of which the data has few."""
    policy = "queries: {table: people, limits: {query_set_size: {min: 3, both_ends: false}}}\n"
    repository.git("checkout", "-q", "main")
    repository.write("policies/clinic.yaml", POLICY + policy)
    repository.write("log.sql", "SELECT count(*) FROM people;\n")
    repository.replace("auditor.yaml", "data: out/clinic.csv", "data: out/clinic.csv, queries: log.sql")
    repository.commit("a log")
    repository.git("checkout", "-q", "-B", "change")
    repository.write("raw/clinic.csv", DATA + 2 * DATA.partition("\n")[2])
    repository.replace("auditor.yaml", "queries: log.sql", "original: raw/clinic.csv, queries: log.sql")
    repository.commit("padded")
    found = repository.gate()
    assert (found.exit_code, weaker(repository)) == (EXIT_WEAKENED, {"original": Strictness.INCOMPARABLE})
    few = "SELECT count(*) FROM people WHERE age = 30;\n"
    repository.write("log.sql", f"SELECT count(*) FROM people;\n{few}")
    (release_,) = repository.gate().releases
    assert (release_.head_verdict, release_.base_verdict) == (Verdict.PASS, Verdict.FAIL)
