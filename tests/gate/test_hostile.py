"""Hostile changes: what somebody might try who may write a branch, and nothing else."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from pathlib import Path

import pytest

from auditor.errors import (
    EXIT_MET,
    EXIT_NOT_EVALUATED,
    EXIT_NOT_MET,
    EXIT_USAGE,
    EXIT_WEAKENED,
    DataError,
    PolicyError,
    UsageError,
)
from auditor.gate import _judge
from auditor.gate._places import only_asks
from auditor.gate._seal import seal
from auditor.report import redact
from auditor.result import Audience, Status, Verdict
from auditor.result.gate import Change, GateStatus
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository, cli, document

POLICY_FILE, TABLE = "policies/clinic.yaml", "out/clinic.csv"
SECRET = "patient,hiv\nana,positive\n"


@pytest.fixture
def outside(repository: Repository) -> Path:
    """A file beside the repository that nobody may read."""
    file = repository.top.parent / "secret.csv"
    file.write_text(SECRET, encoding="utf-8")
    return file


# A policy that reads outside the repository.


@pytest.mark.parametrize("name", ["../../secret.csv", "/etc/passwd", "link.csv"])
def test_a_policy_that_reads_outside_the_repository(repository: Repository, outside: Path, name: str) -> None:
    (repository.top / "policies" / "link.csv").symlink_to(outside)
    text = POLICY.replace("age: quasi-identifier", f"age: {{role: quasi-identifier, hierarchy: {{file: {name}}}}}")
    repository.write(POLICY_FILE, text)
    with pytest.raises(PolicyError, match="lies outside"):
        repository.gate()


def test_a_policy_that_is_a_link_out_of_the_repository(repository: Repository, tmp_path: Path) -> None:
    policy = tmp_path / "loose.yaml"
    policy.write_text(POLICY.replace("k: 2", "k: 1"), encoding="utf-8")
    (repository.top / POLICY_FILE).unlink()
    (repository.top / POLICY_FILE).symlink_to(policy)
    with pytest.raises(PolicyError, match="lies outside"):
        repository.gate()


def test_a_base_policy_reads_nothing_of_the_working_tree(repository: Repository) -> None:
    """What the base revision names and does not have is not taken from the change."""
    repository.git("checkout", "-q", "main")
    repository.replace(POLICY_FILE, "name: clinic", "name: clinic\nextends: [shared.yaml]")
    repository.commit("extend what is not there")
    repository.git("checkout", "-q", "-b", "later")
    repository.write("policies/shared.yaml", POLICY)
    (release,) = repository.gate().releases
    assert release.status is GateStatus.NOT_EVALUATED
    assert any("policy of the base revision is wrong" in note for note in release.notes)


# A manifest that points to a device, an endless file, or out of the repository.


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "../secret.csv", "/etc/passwd", "out/../../secret.csv"])
def test_data_outside_the_repository_is_refused_before_it_is_opened(
    repository: Repository, outside: Path, name: str
) -> None:
    repository.replace("auditor.yaml", "out/clinic.csv", name)
    with pytest.raises(PolicyError, match="lies outside"):
        repository.gate()


@pytest.mark.parametrize("field", ["data", "original", "outputs", "queries", "previous"])
def test_no_field_of_a_release_leads_out(repository: Repository, outside: Path, field: str) -> None:
    text = MANIFEST.replace(
        "data: out/clinic.csv", f"{'' if field == 'data' else 'data: out/clinic.csv, '}{field}: ../secret.csv"
    )
    repository.write("auditor.yaml", text)
    extra = "queries: {protects: [age]}\noutputs: [{type: clusters, min_size: 2}]\n"
    repository.write(POLICY_FILE, POLICY + extra)
    with pytest.raises(PolicyError, match=r"auditor\.yaml:\d+:\d+: '\.\./secret\.csv' lies outside"):
        repository.gate()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["/dev/zero", "/dev/random", "../../secret.csv"])
def test_data_that_is_a_link_out_is_not_read(repository: Repository, outside: Path, target: str) -> None:
    (repository.top / TABLE).unlink()
    (repository.top / TABLE).symlink_to(target)
    began = time.process_time()
    code, out, err = cli(repository, "--format", "json")
    assert code == EXIT_NOT_EVALUATED
    assert "leads out of the repository" in out
    assert "hiv" not in out + err
    assert time.process_time() - began < 60


def test_a_folder_that_links_out_is_not_searched(repository: Repository, outside: Path) -> None:
    (repository.top / "out" / "all").symlink_to("/")
    repository.replace("auditor.yaml", "out/clinic.csv", '"out/**/*.csv"')
    found = repository.gate()
    assert [file.name for file in found.releases[0].files] == [TABLE]
    repository.replace("auditor.yaml", "out/**/*.csv", "out/all/**/*.csv")
    (release,) = repository.gate().releases
    assert release.notes == (
        "out/all/**/*.csv: leads out of the repository (or of the folder that its variable names)",
    )


def test_a_pipe_is_not_waited_for(repository: Repository) -> None:
    (repository.top / TABLE).unlink()
    os.mkfifo(repository.top / TABLE)
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED


@pytest.mark.parametrize("target", ["/dev/zero", "../elsewhere.yaml"])
def test_a_manifest_that_is_a_device_or_a_link_out(repository: Repository, tmp_path: Path, target: str) -> None:
    (repository.top / ".." / "elsewhere.yaml").write_text(MANIFEST, encoding="utf-8")
    (repository.top / "auditor.yaml").unlink()
    (repository.top / "auditor.yaml").symlink_to(target)
    with pytest.raises(PolicyError, match="a link out of the repository"):
        repository.gate()


def test_a_manifest_that_is_a_pipe(repository: Repository) -> None:
    (repository.top / "auditor.yaml").unlink()
    os.mkfifo(repository.top / "auditor.yaml")
    with pytest.raises(PolicyError, match="is a pipe"):
        repository.gate()


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [" + "x, " * 5000 + "x]\nb: [" + "*a, " * 5000 + "*a]\n",
        "releases: " + "{a: " * 100_000,
        "version: 1\nreleases: {" + "".join(f"r{i}: {{}}, " for i in range(30_000)) + "}\n",
        "# " + "x" * 2_000_000 + "\n" + MANIFEST,
        "version: !!python/object/apply:os.system ['touch pwned']\n" + MANIFEST,
    ],
    ids=["aliases", "nesting", "many", "large", "tag"],
)
def test_a_manifest_that_is_a_bomb(repository: Repository, text: str) -> None:
    repository.write("auditor.yaml", text)
    began = time.process_time()
    with pytest.raises(PolicyError):
        repository.gate()
    assert time.process_time() - began < 10
    assert not (repository.top / "pwned").exists()


def test_the_repositorys_own_secrets_are_no_data(repository: Repository) -> None:
    """A token that a checkout leaves in .git/config is not there for a release to read."""
    repository.replace("auditor.yaml", "data: out/clinic.csv", "data: out/clinic.csv, queries: .git/config")
    repository.write(POLICY_FILE, POLICY + "queries: {protects: [age]}\n")
    with pytest.raises(PolicyError, match="lies outside"):
        repository.gate()
    (repository.top / "logs").mkdir()
    (repository.top / "logs" / "log.sql").symlink_to("../.git/config")
    repository.replace("auditor.yaml", ".git/config", "logs/*.sql")
    (release,) = repository.gate().releases
    assert "leads out" in release.notes[0]


@pytest.mark.parametrize(
    "address", ["postgresql://evil.example/db?table=t", "s3://bucket/x.csv", "http://evil.example/x.csv"]
)
def test_no_address_on_a_network_but_a_trusted_one(repository: Repository, address: str) -> None:
    repository.replace("auditor.yaml", "data: out/clinic.csv", f'data: "{address}"')
    with pytest.raises(PolicyError, match="address on a network"):
        repository.gate()


@pytest.mark.parametrize("place", ["${HOME}/.ssh/id.csv", "out/${TOKEN}.csv", "duckdb:${HOME}/x.db?table=t", "${}"])
def test_a_variable_that_the_base_does_not_list_is_not_read(repository: Repository, place: str) -> None:
    repository.replace("auditor.yaml", "data: out/clinic.csv", f'data: "{place}"')
    repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, env: [HOME, TOKEN]")
    with pytest.raises(PolicyError, match="is not trusted"):
        repository.gate(environment={"HOME": "/root", "TOKEN": "t0ps3cret"})


def test_a_trusted_variable_does_not_lead_out_of_its_folder(repository: Repository, outside: Path) -> None:
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, env: [RAW]")
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    raw = repository.top.parent / "raw"
    raw.mkdir()
    (raw / "clinic.csv").write_text(DATA, encoding="utf-8")
    (raw / "link.csv").symlink_to(outside)
    environment = {"RAW": str(raw)}
    repository.replace("auditor.yaml", "data: out/clinic.csv", 'data: "${RAW}/clinic.csv"')
    assert repository.gate(environment=environment).exit_code == EXIT_MET
    repository.replace("auditor.yaml", "${RAW}/clinic.csv", "${RAW}/../secret.csv")
    with pytest.raises(PolicyError, match="lies outside"):
        repository.gate(environment=environment)
    repository.replace("auditor.yaml", "${RAW}/../secret.csv", "${RAW}/link.csv")
    assert "leads out" in repository.gate(environment=environment).releases[0].notes[0]


@pytest.mark.parametrize(
    "rest",
    [
        "?host=evil.example&table=t", "?table=t&port=1", "?table=t&%68ost=evil.example", "?table=t&passfile=x",
        "@evil.example/db?table=t", ",evil.example/db?table=t", ".evil.example/db?table=t", ":1/db?table=t",
        "/db@evil.example?table=t",
    ],
)  # fmt: skip
def test_the_password_of_a_trusted_server_goes_nowhere_else(repository: Repository, rest: str) -> None:
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, env: [DATABASE]")
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    repository.replace("auditor.yaml", "data: out/clinic.csv", f'data: "${{DATABASE}}{rest}"')
    with pytest.raises(PolicyError, match="says more of a server than what is read"):
        repository.gate(environment={"DATABASE": "postgresql://ann:t0ps3cret@127.0.0.1:1"})


def test_what_is_asked_of_a_trusted_server() -> None:
    asks = {
        ("postgresql://host/db?table=t", ""): True,
        ("postgresql://host/db", "?table=a.b"): True,
        ("postgresql://host", "/db?query=SELECT a FROM t"): True,
        ("postgresql://host/db?sslmode=require", "&table=t"): True,
        ("postgresql://host/db?host=/run/a", "/b&table=t"): False,
        ("postgresql://host/db?sslmode=require", "?x&table=t"): False,
    }
    assert {told: only_asks(*told) for told in asks} == asks


def test_a_fork_without_the_data_is_not_evaluated(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, env: [RAW]")
    repository.replace("auditor.yaml", "data: out/clinic.csv", 'data: "${RAW}/clinic.csv"')
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert "the variable RAW is not set here" in found.releases[0].notes[0]


# A link swapped after hashing.


def _swap(link: Path, target: Path) -> None:
    beside = link.with_name("beside")
    beside.symlink_to(target)
    beside.replace(link)


@pytest.mark.parametrize("back", [False, True])
def test_a_link_swapped_after_hashing(repository: Repository, monkeypatch: pytest.MonkeyPatch, back: bool) -> None:
    """One file is hashed and another one judged, and the link may be put back before anybody looks."""
    good = repository.write("out/good.csv", DATA)
    bad = repository.write("out/bad.csv", DATA + "50,3,flu\n")
    link = repository.top / TABLE
    link.unlink()
    link.symlink_to(bad)
    judged = _judge.judged

    def swapping(*arguments: object, **told: object) -> object:
        _swap(link, good)
        found = judged(*arguments, **told)
        if back:
            _swap(link, bad)
        return found

    monkeypatch.setattr(_judge, "judged", swapping)
    (release,) = repository.gate().releases
    assert release.status is GateStatus.NOT_EVALUATED
    assert any("changed while it was judged" in note for note in release.notes)


@pytest.mark.parametrize("how", ["contents", "touched", "replaced", "removed", "folder"])
def test_a_seal_notices(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "data.csv"
    file.write_text(DATA, encoding="utf-8")
    sealed = seal([file], "data")
    sealed.check("data")
    time.sleep(0.02)
    if how == "contents":
        file.write_text(DATA.replace("flu", "flo"), encoding="utf-8")
    elif how == "touched":
        file.touch()
    elif how == "replaced":
        other = tmp_path / "other.csv"
        other.write_text(DATA, encoding="utf-8")
        other.replace(file)
    elif how == "removed":
        file.unlink()
    else:
        folder.rename(tmp_path / "aside")
        folder.mkdir()
        (tmp_path / "aside" / "data.csv").rename(file)
    with pytest.raises(DataError, match="changed while it was judged"):
        sealed.check("data")


def test_a_file_that_another_thread_keeps_writing_is_not_certified(repository: Repository) -> None:
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            (repository.top / TABLE).write_text(DATA, encoding="utf-8")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert repository.gate().exit_code in (EXIT_NOT_EVALUATED, EXIT_NOT_MET)
    finally:
        stop.set()
        writer.join()


@pytest.mark.parametrize(
    "digest", ["'" + "0" * 64 + "'", "{out/clinic.csv: '" + "0" * 64 + "'}", "{absent.csv: '" + "0" * 64 + "'}"]
)
def test_data_with_another_hash_than_expected(repository: Repository, digest: str) -> None:
    repository.replace("auditor.yaml", "recipients", f"sha256: {digest}, recipients")
    found = repository.gate()
    assert found.exit_code == EXIT_NOT_EVALUATED
    assert any("SHA-256" in note and "manifest" in note for note in found.releases[0].notes)


# A weaker policy, by every way.


def test_a_weakened_pack(repository: Repository) -> None:
    """A policy that only extends a file of the repository changes when that file does."""
    repository.git("checkout", "-q", "main")
    repository.write("policies/pack.yaml", POLICY)
    repository.write(POLICY_FILE, "name: clinic\nextends: [pack.yaml]\n")
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    repository.replace("policies/pack.yaml", "l: 2", "l: 1")
    (release,) = repository.gate().releases
    assert release.status is GateStatus.WEAKENED
    assert release.comparison is not None
    (difference,) = release.comparison.differences
    assert difference.new_origin is not None
    assert (difference.path, difference.new_origin.file) == ("requirements/l/l", "policies/pack.yaml")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("zip: quasi-identifier", "zip: insensitive"),
        ("diagnosis: sensitive", "diagnosis: sensitive, name: insensitive"),
        ("l: 2}", "l: 2, severity: warning}"),
        ("l: 2}", "l: 2, quasi_identifiers: [age]}"),
        ("requirements:", "undeclared: insensitive\nrequirements:"),
        ("requirements:", "missing: wildcard\nrequirements:"),
        ("  - {id: l, model: distinct-l-diversity, l: 2}\n", ""),
    ],
    ids=["demoted", "declared", "warning", "fewer columns", "open door", "wildcard", "removed"],
)
def test_what_makes_a_policy_weaker_without_a_smaller_number(repository: Repository, old: str, new: str) -> None:
    repository.replace(POLICY_FILE, old, new)
    assert repository.gate().exit_code == EXIT_WEAKENED


def test_a_renamed_column(repository: Repository) -> None:
    """The column is renamed in the data: the policy's own is absent, and what is there is not declared."""
    repository.write(TABLE, DATA.replace("zip", "postcode"))
    assert repository.gate().exit_code == EXIT_NOT_MET
    repository.replace(POLICY_FILE, "zip: quasi-identifier", "postcode: insensitive")
    (release,) = repository.gate().releases
    assert release.status is GateStatus.WEAKENED
    assert release.base_verdict is Verdict.FAIL


@pytest.mark.parametrize("header", ["person,age,Zip", "nobody,age,zip"])
def test_a_column_that_a_requirement_on_a_sample_would_pass_over(repository: Repository, header: str) -> None:
    """A quasi-identifier by another name, or the column that tells who has several records gone."""
    repository.git("checkout", "-q", "main")
    attributes = "attributes: {person: pseudonym, age: quasi-identifier, zip: quasi-identifier}"
    told = "requirements: [{model: expected-reidentifications, attacker: prosecutor, max: 0.5}]"
    repository.write(POLICY_FILE, f"version: 1\nunit: person\nundeclared: insensitive\n{attributes}\n{told}\n")
    rows = "".join(f"{zip_ + 2 * n},30,{zip_}\n" for n in range(2) for zip_ in range(2))
    repository.write(TABLE, f"person,age,zip\n{rows}")
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET
    repository.write(TABLE, f"{header}\n{rows}")
    assert repository.gate().exit_code == EXIT_NOT_EVALUATED


@pytest.mark.parametrize(("original", "column"), [("", "ssn"), ("original: raw.csv, ", "note_1")])
def test_an_output_by_the_values_of_a_column_that_must_not_be_released(
    repository: Repository, original: str, column: str
) -> None:
    """Each cell of which is suppressed: its key is what was not to be told."""
    repository.git("checkout", "-q", "main")
    roles = "attributes: {ssn: identifier, note*: text, zip: quasi-identifier}"
    repository.write(POLICY_FILE, f"version: 1\n{roles}\noutputs: [{{type: frequency-table, min_cell: 3}}]\n")
    repository.replace("auditor.yaml", "data: out/clinic.csv", f"{original}outputs: out/t.json")
    rows = "".join(f"{name},{name},1\n" for name in "abcdef")
    repository.write("raw.csv", f"ssn,note_1,zip\n{rows}")
    table = {"type": "frequency-table", "by": ["zip"], "cells": [{"key": ["1"], "count": 6}]}
    repository.write("out/t.json", json.dumps(table))
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    assert repository.gate().exit_code == EXIT_MET
    cells = [{"key": [None], "count": 6}, *({"key": [name], "count": None} for name in "abcdef")]
    repository.write("out/t.json", json.dumps(table | {"by": [column], "cells": cells}))
    (release,) = repository.gate().releases
    failing = [each.id for each in release.documents[0].requirements if each.status is Status.FAIL]
    assert (release.status, failing) == (GateStatus.FAIL, ["outputs-identifiers"])


@pytest.mark.slow
def test_a_deleted_policy(repository: Repository) -> None:
    (repository.top / POLICY_FILE).unlink()
    code, _, err = cli(repository)
    assert code == EXIT_USAGE
    assert re.search(r"auditor\.yaml:3:\d+: the file 'policies/clinic\.yaml' does not exist", err)


def test_a_deleted_release(repository: Repository) -> None:
    repository.write("auditor.yaml", MANIFEST.replace("clinic: {", "other: {"))
    found = repository.gate()
    assert found.exit_code == EXIT_WEAKENED
    assert [(r.name, r.status, r.presence) for r in found.releases] == [
        ("clinic", GateStatus.WEAKENED, Change.REMOVED),
        ("other", GateStatus.PASS, Change.NEW),
    ]


def test_another_manifest_nearer_by_does_not_hide_that_of_the_base(repository: Repository) -> None:
    repository.write("team/auditor.yaml", MANIFEST.replace("policies/", "../policies/").replace("out/", "../out/"))
    repository.replace("team/auditor.yaml", "../policies/clinic.yaml", "loose.yaml")
    repository.write("team/loose.yaml", POLICY.replace("l: 2", "l: 1"))
    found = repository.gate(folder="team")
    assert found.manifest == "team/auditor.yaml"
    assert found.exit_code == EXIT_WEAKENED


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("data: out/clinic.csv", "data: out/*.csv", "releases/clinic/data"),
        ("recipients: [university]", "recipients: [university, everybody]", "releases/clinic/recipients"),
        ("purpose: teaching", "purpose: research", "releases/clinic/purpose"),
    ],
)
def test_a_release_that_says_other_things(repository: Repository, old: str, new: str, path: str) -> None:
    repository.replace("auditor.yaml", old, new)
    (release,) = repository.gate().releases
    assert [change.path for change in release.changes] == [path]
    assert release.status is (GateStatus.PASS if "data" in new else GateStatus.WEAKENED)


def test_query_logs_that_are_no_longer_named(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.write("logs/a.sql", "SELECT count(*) FROM clinic;\n")
    repository.write(POLICY_FILE, POLICY + "queries: {protects: [age]}\n")
    repository.replace("auditor.yaml", "recipients", "queries: logs/*.sql, recipients")
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    repository.replace("auditor.yaml", "queries: logs/*.sql, ", "")
    assert repository.gate().exit_code == EXIT_WEAKENED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("approvers: [dpo@example.org]", "approvers: [dpo@example.org, author@example.org]"),
        ("max_waiver_days: 90", "max_waiver_days: 9000"),
        (", max_waiver_days: 90", ""),
        ("max_waiver_days: 90", "max_waiver_days: 90, env: [HOME]"),
    ],
)
def test_trusted_settings_that_are_weakened(repository: Repository, old: str, new: str) -> None:
    repository.replace("auditor.yaml", old, new)
    found = repository.gate()
    assert found.exit_code == EXIT_WEAKENED
    assert all(release.status is GateStatus.PASS for release in found.releases)


@pytest.mark.slow
def test_a_change_that_lowers_k_does_not_show_what_the_base_hides(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.write(POLICY_FILE, POLICY.replace("k: 2", "k: 11"))
    repository.write(TABLE, DATA.splitlines()[0] + "\n" + "30,1,flu\n30,1,asthma\n" * 7)
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    repository.replace(POLICY_FILE, "k: 11", "k: 3")
    repository.write(TABLE, DATA.splitlines()[0] + "\n" + "30,1,flu\n30,1,asthma\n" * 2 + "40,1,flu\n40,1,flu\n" * 20)
    found = document(repository, "--audience", "public")
    (audit,) = found["releases"][0]["documents"]
    assert "classes/smallest" in audit["redacted"]
    assert audit["classes"]["smallest"] is None


@pytest.mark.slow
def test_a_new_or_moved_release_does_not_show_what_another_one_hides(repository: Repository) -> None:
    """The data of a release that hides counts below 11, under a policy of another name that hides nothing."""
    repository.git("checkout", "-q", "main")
    repository.write(POLICY_FILE, POLICY.replace("k: 2", "k: 11"))
    repository.write("policies/open.yaml", POLICY.replace("k: 2", "k: 1").replace("l: 2", "l: 1"))
    repository.write("out/open.csv", DATA)
    entry = "  open: {policy: policies/open.yaml, data: out/open.csv}\ntrusted:"
    repository.replace("auditor.yaml", "trusted:", entry)
    repository.commit()
    repository.git("checkout", "-q", "-b", "later")
    repository.replace("auditor.yaml", "trusted:", entry.replace("open:", "new:", 1).replace("out/open", "out/clinic"))
    repository.replace("auditor.yaml", "data: out/open.csv", "data: out/clinic.csv")
    found = document(repository, "--audience", "public")
    documents = {each["name"]: each["documents"] for each in found["releases"]}
    for name in ("new", "open"):
        (audit,) = documents[name]
        assert audit["classes"]["smallest"] is None


def test_an_encoding_that_the_file_does_not_have(repository: Repository) -> None:
    """Not evaluated, and no fault of the program: UTF-16 without a byte order mark is refused in its own way."""
    repository.replace("auditor.yaml", "recipients", "csv: {encoding: utf-16}, recipients")
    assert repository.gate().releases[0].head_verdict is Verdict.NOT_EVALUATED


# Texts.

NASTY = "::error file=x,line=1::pwned"


@pytest.mark.slow
def test_workflow_commands_in_column_names(repository: Repository) -> None:
    repository.write(TABLE, DATA.replace("zip", f'"{NASTY}"') + "##[error]x,##[add-mask]y,z\n")
    for form in ("text", "github", "markdown"):
        _, out, err = cli(repository, "--format", form, "--audience", "internal")
        assert NASTY in out.replace("\\::", "::").replace("%3A", ":").replace("%2C", ",") or form == "markdown"
        for line in (out + err).splitlines():
            if line.lstrip().startswith("::"):
                assert re.match(r"::(error|warning|notice) (file=[^:]*,line=\d+,)?title=[^:]*::", line), line
                assert "pwned" not in line.split("::")[1]
            assert "##[" not in line


@pytest.mark.slow
def test_markup_in_texts(repository: Repository) -> None:
    script = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    text = MANIFEST.replace("purpose: teaching", f'purpose: "{script} [x](http://evil.example) @everyone"')
    repository.write("auditor.yaml", text.replace("[university]", f'["{script}"]'))
    code, out, _ = cli(repository, "--format", "markdown", "--report", "gate.html", "--report", "gate.xml")
    assert code == EXIT_WEAKENED
    page = (repository.top / "gate.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert "<script" not in out
    assert "default-src 'none'" in page


def test_texts_that_are_no_utf8_or_turn_the_writing(repository: Repository) -> None:
    repository.write("auditor.yaml", MANIFEST.replace("teaching", '"a\\u202Egnihcaet"'))
    with pytest.raises(PolicyError, match="control character"):
        repository.gate()
    raw = MANIFEST.encode().replace(b"teaching", b"teach\xffing")
    (repository.top / "auditor.yaml").write_bytes(raw)
    with pytest.raises(PolicyError, match="UTF-8"):
        repository.gate()


def test_option_like_names_are_names(repository: Repository) -> None:
    for base in ("--output=pwned", "-h", "--exec=touch pwned"):
        with pytest.raises(UsageError, match="is not a revision"):
            repository.gate(base=base)
    assert not (repository.top / "pwned").exists()


def test_nothing_of_the_repository_runs(repository: Repository) -> None:
    """Hooks, filters, text conversions, pagers, monitors and signature programs that would leave a trace."""
    trace = repository.top.parent / "trace"
    program = repository.write("evil.sh", f"#!/bin/sh\ntouch {trace}\ncat\n")
    program.chmod(0o755)
    repository.write(".gitattributes", "* filter=evil diff=evil\n")
    repository.write(".mailmap", "Nobody <dpo@example.org> <author@example.org>\n")
    repository.replace(POLICY_FILE, "l: 2", "l: 1")
    approval = f"weakenings: [{{change: {'0' * 64}, reason: r, approved_by: dpo@example.org}}]\n"
    repository.write("auditor.yaml", MANIFEST + approval)
    repository.commit()
    settings = ("core.fsmonitor", "core.pager", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process")
    for name in (*settings, "diff.evil.textconv", "diff.external", "gpg.program", "core.sshCommand"):
        repository.git("config", name, str(program))
    repository.git("config", "log.showSignature", "true")
    for name in ("post-checkout", "reference-transaction", "post-index-change", "pre-commit"):
        hook = repository.top / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(program.read_text(encoding="utf-8"), encoding="utf-8")
        hook.chmod(0o755)
    trace.unlink(missing_ok=True)
    repository.write(TABLE, DATA + "40,2,flu\n")
    assert repository.gate().exit_code == EXIT_WEAKENED
    assert not trace.exists()


# Names and settings that no system takes.


@pytest.mark.parametrize("role", ["data: 'out/*'", "data: out", "outputs: 'out/*'"])
def test_a_file_whose_name_is_no_text(repository: Repository, role: str) -> None:
    repository.replace("auditor.yaml", "data: out/clinic.csv", role)
    repository.write(POLICY_FILE, POLICY + "outputs: [{type: clusters, min_size: 2}]\n")
    name = os.fsencode(repository.top) + b"/out/\xff\xfe.csv"
    try:
        with open(name, "w", encoding="utf-8") as file:  # noqa: PTH123  (a name that is not a text)
            file.write(DATA)
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    repository.commit()
    assert repository.gate().releases[0].head_verdict is Verdict.NOT_EVALUATED


@pytest.mark.parametrize("place", ["out", "out/**/*.csv"])
def test_folders_in_folders_without_end(repository: Repository, place: str) -> None:
    repository.replace("auditor.yaml", "out/clinic.csv", f"'{place}'")
    repository.write("out/" + "a/" * 400 + "raw.csv", "name\nana\n")
    repository.commit()
    assert repository.gate().exit_code in (EXIT_NOT_EVALUATED, EXIT_NOT_MET)


def test_a_policy_of_a_name_that_is_too_long(repository: Repository) -> None:
    repository.replace("auditor.yaml", "policies/clinic.yaml", "a" * 5000)
    with pytest.raises(PolicyError, match="File name too long"):
        repository.gate()


def test_an_encoding_that_encodes_nothing(repository: Repository) -> None:
    repository.replace("auditor.yaml", "recipients", "csv: {encoding: undefined}, recipients")
    with pytest.raises(UsageError, match="is unknown"):
        repository.gate()


@pytest.mark.parametrize(
    "content", [b"", b"SELECT 1 \xff\xfe\0", b'{"sql": "SELECT', b"\x1f\x8b\x08\0x", b"SELEC x FROM ((;"]
)
@pytest.mark.parametrize("name", ["asked.sql", "asked.jsonl", "asked.sql.gz"])
def test_no_page_says_where_the_runner_has_a_log(repository: Repository, name: str, content: bytes) -> None:
    """What cannot be read is named as the manifest names it, and not by where the machine has it."""
    (repository.top / "out" / name).write_bytes(content)
    repository.write("policies/clinic.yaml", POLICY + "queries: {public: [age, zip], limits: {exact_value: deny}}\n")
    repository.replace("auditor.yaml", "data: out/clinic.csv", f"data: out/clinic.csv, queries: out/{name}")
    found = repository.gate()
    assert found.exit_code != EXIT_MET
    for audience in Audience:
        assert str(repository.top) not in json.dumps(redact(found, audience).to_dict())
