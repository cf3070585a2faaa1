"""Certificates of a gate, and the ledger that records them."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from pathlib import Path
from typing import Any

import pytest

from auditor.cli import invoke
from auditor.errors import EXIT_NOT_EVALUATED, EXIT_USAGE, DataError
from auditor.gate import Options, certify, gated, refused
from auditor.ledger import read_ledger
from auditor.policy import load_policy
from auditor.result.gate import GateStatus
from tests.certificates.test_certificates import COSIGN
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository
from tests.ledgers import append


def keeping_a_ledger(repository: Repository) -> Path:
    """Main names a ledger that has two entries."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, ledger: releases.jsonl")
    ledger = repository.top / "releases.jsonl"
    for day in ("2027-01-01", "2027-02-01"):
        append(ledger, "release", {"release": "clinic"}, f"{day}T00:00:00Z")
    repository.commit("a ledger")
    repository.git("checkout", "-q", "-B", "change")
    return ledger


def keyed(certificate: Path, text: str) -> str:
    """The digest of a text by a certificate's own key."""
    key = certificate.with_name(f"{certificate.name}.key").read_bytes().strip()
    return hmac.digest(key, text.encode(), "sha256").hex()


def test_a_certificate_for_each_release_that_passed(repository: Repository) -> None:
    base, ledger = repository.git("rev-parse", "HEAD").strip(), keeping_a_ledger(repository)
    assert invoke(["gate", "--certificates", "certificates", "--base", base]) == 0
    file = repository.top / "certificates/clinic.json"
    said = json.loads(file.read_text(encoding="utf-8"))
    assert said["subject"][0]["digest"]["hmacSha256"] == keyed(file, DATA)
    evaluation = said["predicate"]["auditor_evaluation"]
    assert (evaluation["release"], evaluation["baseRevision"]) == ("clinic", base)
    assert (evaluation["recipients"], evaluation["purpose"]) == (["university"], "teaching")
    entries = read_ledger(ledger).of_kind("release")
    assert len(entries) == 3
    assert entries[-1].body["certificate"] == hashlib.sha256(file.read_bytes()).hexdigest()
    words = ["verify", "certificates/clinic.json", "out/clinic.csv", "-p", "policies/clinic.yaml"]
    assert invoke([*words, "--ledger", "releases.jsonl"]) == 0
    repository.write("out/clinic.csv", DATA.replace("flu", "cold"))
    assert invoke(words) == 1


@pytest.mark.parametrize("ending", ["", ".key", ".sigstore.json"])
def test_no_certificate_is_written_through_a_link(repository: Repository, ending: str) -> None:
    """A change lays it where a later run puts a certificate, its key or its bundle."""
    victim = repository.top.parent / "victim"
    victim.write_text("kept", encoding="utf-8")
    (repository.write("certificates/note.txt", "").parent / f"clinic.json{ending}").symlink_to(victim)
    repository.commit("a link")
    assert invoke(["gate", "--certificates", "certificates"]) == EXIT_USAGE
    assert victim.read_text(encoding="utf-8") == "kept"
    assert {file.name for file in (repository.top / "certificates").iterdir()} == {"note.txt", f"clinic.json{ending}"}


@pytest.mark.parametrize(("old", "new", "code"), [("k: 2}", "k: 3}", 1), ("l: 2}", "l: 1}", 4)])
def test_no_certificate_where_the_gate_is_closed(repository: Repository, old: str, new: str, code: int) -> None:
    repository.replace("policies/clinic.yaml", old, new)
    assert invoke(["gate", "--certificates", "certificates"]) == code
    assert not (repository.top / "certificates").exists()


def test_no_certificate_without_data(repository: Repository) -> None:
    (repository.top / "out/clinic.csv").unlink()
    assert invoke(["gate", "--certificates", "certificates"]) == 3
    assert not (repository.top / "certificates").exists()


def test_a_ledger_that_grew_passes(repository: Repository) -> None:
    ledger = keeping_a_ledger(repository)
    append(ledger, "release", {"release": "other"}, "2027-03-01T00:00:00Z")
    repository.commit()
    assert repository.gate().verdict is GateStatus.PASS


def shorter(ledger: Path) -> None:
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:1]))


def rewritten(ledger: Path) -> None:
    """A sound chain of other entries."""
    ledger.unlink()
    for day in ("2027-01-01", "2027-01-02", "2027-02-01"):
        append(ledger, "release", {"release": "clinic"}, f"{day}T00:00:00Z")


def edited(ledger: Path) -> None:
    ledger.write_text(ledger.read_text(encoding="utf-8").replace("clinic", "clinik"), encoding="utf-8")


@pytest.mark.parametrize("change", [shorter, rewritten, edited, Path.unlink], ids=lambda each: each.__name__)
def test_ledger_entries_removed(repository: Repository, change: object) -> None:
    ledger = keeping_a_ledger(repository)
    change(ledger)  # type: ignore[operator]
    repository.commit()
    result = repository.gate()
    assert (result.verdict, result.exit_code) == (GateStatus.FAIL, 1)
    assert "ledger" in result.notes[0]


def test_a_ledger_elsewhere_begins_with_the_old_one(repository: Repository) -> None:
    ledger = keeping_a_ledger(repository)
    repository.replace("auditor.yaml", "releases.jsonl", "other.jsonl")
    append(repository.top / "other.jsonl", "release", {"release": "clinic"}, "2027-03-01T00:00:00Z")
    repository.commit()
    assert repository.gate().verdict is GateStatus.FAIL
    (repository.top / "other.jsonl").write_bytes(ledger.read_bytes())
    assert repository.gate().verdict is GateStatus.PASS


def test_a_ledger_dropped_from_the_settings_is_a_weakening_and_still_looked_at(repository: Repository) -> None:
    ledger = keeping_a_ledger(repository)
    repository.replace("auditor.yaml", ", ledger: releases.jsonl", "")
    repository.commit()
    assert repository.gate().verdict is GateStatus.WEAKENED
    shorter(ledger)
    assert repository.gate().verdict is GateStatus.FAIL


def test_a_ledger_outside_of_the_repository(repository: Repository) -> None:
    repository.replace("auditor.yaml", "max_waiver_days: 90", "max_waiver_days: 90, ledger: ../releases.jsonl")
    assert invoke(["gate"]) == 2


OUTPUTS = """\
outputs:
  - {type: frequency-table, min_cell: 2, differencing: true}
"""
TABLE = {"type": "frequency-table", "by": ["zip"], "cells": [{"key": ["1"], "count": 2}, {"key": ["2"], "count": 3}]}
LOG = "SELECT count(*) FROM data;\n"


def with_outputs(repository: Repository) -> None:
    """Main releases a table of counts and a query log, too."""
    keeping_a_ledger(repository)
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "purpose: teaching}", "purpose: teaching, outputs: t.json, queries: log.sql}")
    policy = repository.top / "policies/clinic.yaml"
    queries = "queries: {public: [age, zip], limits: {exact_value: deny}}\n"
    policy.write_text(policy.read_text(encoding="utf-8") + OUTPUTS + queries, encoding="utf-8")
    repository.write("t.json", json.dumps(TABLE))
    repository.write("log.sql", LOG)
    repository.commit("outputs")
    repository.git("checkout", "-q", "-B", "change")


def test_a_certificate_holds_the_outputs_and_the_logs_of_a_release(repository: Repository) -> None:
    with_outputs(repository)
    assert invoke(["gate", "--certificates", "certificates"]) == 0
    file = repository.top / "certificates/clinic.json"
    said = json.loads(file.read_text(encoding="utf-8"))
    assert keyed(file, json.dumps(TABLE)) in {each["digest"]["hmacSha256"] for each in said["subject"]}
    assert keyed(file, LOG) in json.dumps(said["predicate"])


def test_a_certificate_names_the_rules_and_what_is_not_committed(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", "0123456789abcdef")
    repository.write("teams/a.yaml", "releases: {a: {policy: ../policies/clinic.yaml, data: ../a.csv}}\n")
    repository.write("auditor.yaml", MANIFEST + "include: [teams/a.yaml]\n")
    repository.write("a.csv", DATA)
    repository.write(".gitignore", "/certificates\n")
    repository.commit()

    def evaluation(*options: str) -> dict[str, Any]:
        assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD", *options]) == 0
        read: dict[str, Any] = json.loads((repository.top / "certificates/a.json").read_text(encoding="utf-8"))
        return read["predicate"]["auditor_evaluation"]

    said = evaluation()
    assert said["uncommitted"] == []
    assert {each["name"]: each["digest"]["sha256"] for each in said["manifest"]} == {
        name: hashlib.sha256((repository.top / name).read_bytes()).hexdigest()
        for name in ("auditor.yaml", "teams/a.yaml")
    }
    repository.write(".gitattributes", "*.csv eol=crlf\n")
    repository.write("a.csv", DATA.replace("\n", "\r\n"))
    assert evaluation()["uncommitted"] == [], "git writes the ends of lines as it is told"
    repository.git("update-index", "--assume-unchanged", "a.csv", "policies/clinic.yaml")
    repository.write("a.csv", DATA + "40,2,flu\n")
    repository.write("policies/clinic.yaml", POLICY + "# words\n")
    assert evaluation("--certificate-key", "THE_KEY")["uncommitted"] == ["a.csv", "policies/clinic.yaml"]


def test_what_was_released_is_remembered_and_a_later_table_is_looked_at_with_it(repository: Repository) -> None:
    """Three people of zip 2, and later the two of them without asthma: the third is a difference."""
    with_outputs(repository)
    assert invoke(["gate", "--certificates", "certificates"]) == 0
    (entry,) = read_ledger(repository.top / "releases.jsonl").of_kind("output")
    assert entry.body["published"]["cells"] == TABLE["cells"]
    repository.commit("released")
    assert invoke(["gate", "--base", "HEAD"]) == 0, "the same outputs are the same release"
    cells, where = [{"key": ["2"], "count": 2}], [["diagnosis", "!=", "asthma"]]
    later = {"type": "frequency-table", "by": ["zip"], "where": where, "cells": cells}
    repository.write("t.json", json.dumps(later))
    assert invoke(["gate", "--base", "HEAD"]) == 1
    (repository.top / "releases.jsonl").unlink()
    assert invoke(["outputs", "t.json", "-p", "policies/clinic.yaml", "-d", "out/clinic.csv"]) == 0, "alone it passes"


PEOPLE = "zip,sex,smoker\n" + 3 * "1,F,no\n1,M,no\n2,F,no\n2,M,no\n" + "2,M,yes\n"
"""Three or four people of each zip and sex; one of the last four smokes."""
MEN = {"type": "frequency-table", "by": ["zip"], "where": ["sex=M"]}
TABLES = """\
version: 1
name: tables
attributes: {zip: quasi-identifier, sex: quasi-identifier, smoker: sensitive}
outputs:
  - {type: frequency-table, min_cell: 2, differencing: true}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "data"),
    [
        (json.dumps({**MEN, "cells": [{"key": ["1"], "count": 3}, {"key": ["2"], "count": 4}]}), ""),
        (json.dumps({**MEN, "cells": [{"key": ["1"], "count": 3}, {"key": ["2"], "count": 4}]}), "data: p.csv, "),
        ("zip,F,M\n1,3,3\n2,3,4\n", "data: p.csv, "),
    ],
    ids=["without data", "with data", "a crosstab that does not name its column"],
)
def test_what_is_remembered_is_what_was_judged_also_without_data(repository: Repository, first: str, data: str) -> None:
    """Later the men who do not smoke: in zip 2, one fewer. That `sex=M` is of a column only the policy or data tell."""
    keeping_a_ledger(repository)
    repository.git("checkout", "-q", "main")
    release = f"  tables: {{policy: policies/tables.yaml, {data}outputs: t.txt, recipients: [x], purpose: y}}\n"
    repository.replace("auditor.yaml", "trusted:", f"{release}trusted:")
    repository.write("policies/tables.yaml", TABLES)
    repository.write("p.csv", PEOPLE)
    repository.write("t.txt", first)
    repository.commit("tables")
    found = gated(folder=repository.top, options=Options(workers=1), environment={})
    (repository.top / "t.txt").write_text("not what was judged", encoding="utf-8")
    with pytest.raises(DataError, match=r"t\.txt: changed since it was judged"):
        certify(found, repository.top / "certificates", repository.top)
    (repository.top / "t.txt").write_text(first, encoding="utf-8")
    certify(found, repository.top / "certificates", repository.top)
    repository.commit("released")
    assert len(read_ledger(repository.top / "releases.jsonl").of_kind("output")) == 1
    cells = [{"key": ["1"], "count": 3}, {"key": ["2"], "count": 3}]
    later = {"type": "frequency-table", "by": ["zip"], "where": {"sex": "M", "smoker": "no"}, "cells": cells}
    repository.write("t.txt", json.dumps(later))
    words = ["outputs", "t.txt", "-p", "policies/tables.yaml"]
    for known in ([], ["-d", "p.csv"]):
        assert invoke([*words, *known]) == 0, "alone it passes"
        assert invoke([*words, *known, "--ledger", "releases.jsonl"]) == 1
    assert invoke(["gate", "tables", "--base", "HEAD"]) == 1


def test_cosign_signs_the_certificates_of_the_gate(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository.top / "b.csv").write_text(DATA, encoding="utf-8")
    entry = "  b: {policy: policies/clinic.yaml, data: b.csv, recipients: [x], purpose: y}\n"
    repository.write("auditor.yaml", MANIFEST.replace("trusted:", entry + "trusted:"))
    repository.commit("two releases")
    words = ["gate", "--certificates", "certificates", "--sign", "keyless"]
    assert invoke(["gate", "--sign", "keyless"]) == EXIT_USAGE
    program = repository.write("bin/cosign", COSIGN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    assert invoke(words) == 0
    for name, data in (("clinic", "out/clinic.csv"), ("b", "b.csv")):
        file = f"certificates/{name}.json"
        who = [
            "--bundle",
            f"{file}.sigstore.json",
            "--identity",
            "dpo@example.org",
            "--issuer",
            "https://id.example.org",
        ]
        assert invoke(["verify", file, data, *who]) == 0
        said = repository.top / file
        said.write_text(said.read_text(encoding="utf-8") + " ", encoding="utf-8")
        assert invoke(["verify", file, data, *who]) == 1
    program.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (repository.top / "certificates/b.json.sigstore.json").unlink()
    assert invoke(words) == EXIT_NOT_EVALUATED, "nobody signed it"


def test_a_certificates_key_is_not_committed(repository: Repository) -> None:
    assert invoke(["gate", "--certificates", "certificates"]) == 0
    (why,) = refused(["certificates/clinic.json", "certificates/clinic.json.key"], repository.top)
    assert why.startswith("certificates/clinic.json.key: is the key of a certificate")


def test_a_certificate_names_the_floors_of_the_release(repository: Repository) -> None:
    """By the digest that the floor has as a policy of its own."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "trusted: {", "trusted: {at_least: [policies/org.yaml], ")
    floor = repository.write("policies/org.yaml", "name: org\nrequirements: [{id: f, model: k-anonymity, k: 2}]\n")
    repository.commit("a floor")
    repository.git("checkout", "-q", "-B", "change")
    assert invoke(["gate", "--certificates", "certificates"]) == 0
    said = json.loads((repository.top / "certificates/clinic.json").read_text(encoding="utf-8"))
    digest = {"sha256": load_policy(floor).sha256}
    held = [{"name": "policies/org.yaml", "digest": digest, "verdict": "pass"}]
    assert said["predicate"]["auditor_evaluation"]["floors"] == held
    words = ["verify", "certificates/clinic.json", "out/clinic.csv", "-p", "policies/clinic.yaml"]
    assert invoke(words) == 0
