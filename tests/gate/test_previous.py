"""``previous:`` in the manifest: a release that tells of newcomers does not pass."""

from __future__ import annotations

import json

import pytest

from auditor.report.gate import redact
from auditor.report.rendered import FORMATS, render
from auditor.result import Audience, Verdict
from auditor.result.gate import GateStatus
from tests.gate.repository import DATA, Repository


def with_previous(repository: Repository, old: str, new: str) -> None:
    repository.write("out/old.csv", old)
    repository.write("out/clinic.csv", new)
    repository.replace("auditor.yaml", "data: out/clinic.csv", "data: out/clinic.csv, previous: out/old.csv")
    repository.commit()


def test_a_release_as_the_previous_one_passes(repository: Repository) -> None:
    with_previous(repository, DATA, DATA)
    (release,) = repository.gate().releases
    assert release.status is GateStatus.PASS
    assert {file.role for file in release.files} == {"data", "previous"}


def test_one_newcomer_fails_the_release(repository: Repository) -> None:
    with_previous(repository, DATA, DATA + "40,2,asthma\n")
    result = repository.gate()
    (release,) = result.releases
    assert release.status is GateStatus.FAIL
    (document,) = release.documents
    compared = document.requirements[-1]
    assert (compared.id, compared.achieved, compared.bound) == ("previous", 1, 2)
    assert result.exit_code == 1


def test_two_newcomers_of_one_class_pass(repository: Repository) -> None:
    with_previous(repository, DATA, DATA + "40,2,asthma\n40,2,flu\n")
    assert repository.gate().releases[0].status is GateStatus.PASS


def test_a_previous_release_that_is_not_there_is_not_evaluated(repository: Repository) -> None:
    with_previous(repository, DATA, DATA)
    (repository.top / "out/old.csv").unlink()
    assert repository.gate().exit_code == 3


def test_every_format_speaks_of_it(repository: Repository) -> None:
    with_previous(repository, DATA, DATA + "40,2,asthma\n")
    result = repository.gate()
    for name in FORMATS:
        assert "previous" in render(redact(result, Audience.REVIEWER), name)
    public = json.loads(render(redact(result, Audience.PUBLIC), "json"))
    assert public["releases"][0]["documents"][0]["requirements"][-1]["achieved"] is None


HEAD = "age,zip,diagnosis\n"
THREE, TWO = (HEAD + "".join(f"30,1,{each}\n" for each in of) for of in (("flu", "asthma", "cold"), ("flu", "cold")))
BOTH = THREE + TWO.removeprefix(HEAD)
NEWCOMER = TWO + "30,1,diabetes\n"


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ({"old/a.csv": BOTH}, {"old/a.csv": BOTH, "old/b.csv": BOTH}),
        ({"old/a.csv": HEAD + "30,1,flu\n30,1,cold\n"}, {"old/a.csv": THREE}),
        ({"old/a.csv": BOTH}, {"old/a.csv": BOTH, "old/b.csv": THREE, "old/c.csv": TWO}),
    ],
    ids=["doubled", "a part of what was released", "what was released and what was before it"],
)
def test_an_earlier_release_is_the_whole_one_and_once(
    repository: Repository, base: dict[str, str], head: dict[str, str]
) -> None:
    """Its files are of the base revision; beside more or fewer of them one newcomer is many."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "data: out/clinic.csv", 'data: "out/*.csv", previous: "old/*.csv"')
    for name, text in {"out/clinic.csv": THREE, "out/b.csv": TWO, **base}.items():
        repository.write(name, text)
    repository.commit("two files")
    repository.git("checkout", "-q", "-B", "change")
    repository.write("out/b.csv", NEWCOMER)
    for name, text in head.items():
        repository.write(name, text)
    repository.commit("a newcomer")
    (release,) = repository.gate().releases
    assert (release.status, release.head_verdict) == (GateStatus.WEAKENED, Verdict.PASS)
    assert [each.path for each in release.changes] == ["releases/clinic/previous"]
    for name in head:
        (repository.top / name).unlink()
    for name, text in {"old/a.csv": THREE, "old/b.csv": TWO}.items():
        repository.write(name, text)
    repository.commit("all that was released")
    assert repository.gate().releases[0].status is GateStatus.FAIL


def test_a_partition_of_an_earlier_release_keeps_its_value(repository: Repository) -> None:
    """The value of a folder ``column=value`` is in no byte of its files: another one hides the newcomer of a class."""
    one, two = ("age,diagnosis\n" + "".join(f"{age},{each}\n" for each in ("flu", "cold")) for age in (30, 40))
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "data: out/clinic.csv", "data: out/of=us, previous: old")
    repository.git("rm", "-q", "out/clinic.csv")
    for name, text in (("old/zip=1", one), ("old/zip=2", two), ("out/of=us/zip=1", one), ("out/of=us/zip=2", two)):
        repository.write(f"{name}/a.csv", text)
    repository.commit("partitions")
    repository.git("checkout", "-q", "-B", "change")
    repository.write("out/of=us/zip=2/a.csv", two + "40,asthma\n")
    repository.commit("a newcomer")
    assert repository.gate().releases[0].status is GateStatus.FAIL
    repository.git("mv", "old/zip=2", "old/zip=3")
    repository.commit("called otherwise")
    (release,) = repository.gate().releases
    assert (release.status, release.head_verdict) == (GateStatus.WEAKENED, Verdict.PASS)
    assert [each.path for each in release.changes] == ["releases/clinic/previous"]


def test_what_was_released_in_partitions_is_the_next_earlier_release(repository: Repository) -> None:
    """The folder that a place names may be called ``column=value`` itself; that is no column."""
    text = "age,diagnosis\n30,flu\n30,cold\n"
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "data: out/clinic.csv", "data: out/of=us, previous: old")
    repository.git("rm", "-q", "out/clinic.csv")
    for name, rows in (("old/zip=1", text), ("out/of=us/zip=1", text + "30,flu\n30,asthma\n")):
        repository.write(f"{name}/a.csv", rows)
    repository.commit("partitions")
    repository.git("checkout", "-q", "-B", "change")
    repository.write("old/zip=1/a.csv", text + "30,flu\n30,asthma\n")
    repository.write("out/of=us/zip=1/a.csv", text + "30,flu\n30,asthma\n" * 2)
    repository.commit("the next month")
    assert repository.gate().releases[0].status is GateStatus.PASS
