"""A ledger that grows between the judgement and the certificates: nothing is certified that was not looked at."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from auditor.cli import invoke
from auditor.errors import DataError
from auditor.gate import Options, certify, gated
from auditor.ledger import read_ledger, turn
from auditor.result.gate import GateStatus
from tests.gate.repository import Repository
from tests.gate.tables import release, releasing
from tests.ledgers import append


def test_a_ledger_that_grew_after_the_judgement_certifies_nothing(repository: Repository) -> None:
    ledger = repository.top / "releases.jsonl"
    releasing(repository, [release("all"), release("sexes")])
    found = gated(folder=repository.top, options=Options(workers=1, base="HEAD"), environment={})
    assert found.result.verdict is GateStatus.PASS
    append(ledger, "release", {"release": "of somebody else"}, "2027-01-01T00:00:00Z")
    kept = ledger.read_bytes()
    with pytest.raises(DataError, match="other runs have added entries"):
        certify(found, repository.top / "certificates", repository.top)
    assert ledger.read_bytes() == kept
    assert not list((repository.top / "certificates").glob("*"))
    assert not list((repository.top / "certificates").glob(".*"))
    assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD"]) == 0, "run again, it is looked at"


def test_the_command_ends_in_3_where_the_ledger_grew(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from auditor import gate

    releasing(repository, [release("all")])
    certifying = gate.certify

    def after_others(*arguments: Any) -> list[str]:
        append(repository.top / "releases.jsonl", "release", {}, "2027-01-01T00:00:00Z")
        return certifying(*arguments)

    monkeypatch.setattr(gate, "certify", after_others)
    assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD"]) == 3
    assert "run the command again" in capsys.readouterr().err
    assert not list((repository.top / "certificates").glob("*"))


def test_a_certificate_that_cannot_be_written_leaves_the_ledger_as_it_was(repository: Repository) -> None:
    releasing(repository, [release("all"), release("sexes")])
    (repository.top / "certificates/sexes.json").mkdir(parents=True)
    assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD"]) == 3
    assert not (repository.top / "releases.jsonl").exists()
    assert [each.name for each in (repository.top / "certificates").iterdir()] == ["sexes.json"]


@pytest.mark.slow
def test_five_gates_at_once_wait_their_turn(repository: Repository) -> None:
    """Each judges beside what the ones before added, so that none of them has to be run again."""
    releasing(repository, [release("all"), release("sexes")])
    command = ["auditor", "gate", "--certificates", "certificates", "--base", "HEAD", "--quiet"]
    running = [subprocess.Popen(command, cwd=repository.top, stdout=subprocess.DEVNULL) for _ in range(5)]
    assert [each.wait(300) for each in running] == [0] * 5
    kinds = [entry.kind for entry in read_ledger(repository.top / "releases.jsonl").entries]
    assert (kinds.count("output"), kinds.count("release")) == (2, 10)


def test_a_turn_that_does_not_come_ends_in_3_and_says_so(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    releasing(repository, [release("all")])
    with turn(repository.top / "releases.jsonl"):
        assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD", "--time-limit", "0.2"]) == 3
        assert "releases.jsonl: other runs have held it for more than 0.2 seconds" in capsys.readouterr().err
    assert not (repository.top / "certificates").exists()
    assert not (repository.top / "releases.jsonl").exists()
    assert invoke(["gate", "--certificates", "certificates", "--base", "HEAD"]) == 0
