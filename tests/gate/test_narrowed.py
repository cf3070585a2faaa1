"""Places that a change narrows, beside files that it brings and that the base revision's place would name."""

from __future__ import annotations

import pytest

from auditor.errors import EXIT_MET, EXIT_WEAKENED
from auditor.result import Strictness
from tests.gate.repository import DATA, POLICY, Repository

NAMES, BROKEN = b"name,number\nana,1\n", b"\xff\xfe\x00\xd8"
"""A table with other columns, and a file that no reader can read."""


def laid(repository: Repository, place: str, more: str = "") -> None:
    """The base revision names its data so; the branch goes on from it."""
    repository.git("checkout", "-q", "main")
    repository.replace("auditor.yaml", "data: out/clinic.csv", f"data: '{place}'{more}")
    repository.commit("a place")
    repository.git("checkout", "-q", "-B", "change")


@pytest.mark.parametrize(
    ("old", "new", "name", "content"),
    [
        ("out/*.csv", "out/c*.csv", "out/raw.csv", NAMES),
        ("out/*.csv", "out/c*.csv", "out/raw.csv", BROKEN),
        ("out", "out/clinic.csv", "out/raw.parquet", BROKEN),
        ("out/", "out/*.csv", "out/more/raw.xlsx", BROKEN),
        ("out", "out/[a-z]*.csv", "out/_raw.csv", NAMES),
        ("out", "out/clinic.csv", "out/.raw.csv", NAMES),
        ("out", "out/*.csv", "out/_kept/raw.csv", NAMES),
        ("out/clinic.csv", "kept/old.csv", "out/clinic.csv", NAMES),
    ],
)
def test_a_file_that_the_base_would_release_and_nobody_judges(
    repository: Repository, old: str, new: str, name: str, content: bytes
) -> None:
    """By the base's place the files cannot be evaluated, which told nobody what lies there."""
    laid(repository, old)
    repository.write("kept/old.csv", DATA)
    repository.replace("auditor.yaml", f"'{old}'", f"'{new}'")
    repository.commit("narrower")
    found = repository.gate()
    assert found.exit_code == EXIT_MET
    told = f"The release no longer names '{old}': what is added there later is not judged."
    assert (told in found.releases[0].notes) is (old != "out/clinic.csv")
    file = repository.top / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    repository.commit("raw data")
    found = repository.gate()
    assert found.exit_code == EXIT_WEAKENED
    (change,) = (each for each in found.releases[0].changes if each.verdict is Strictness.WEAKER)
    assert (change.path, change.old) == ("releases/clinic/data", [name])


def test_a_judged_file_that_becomes_a_link_to_another_is_judged_no_more(repository: Repository) -> None:
    """What it leads to is judged, and what it held is not."""
    repository.git("checkout", "-q", "main")
    repository.write("out/more.csv", DATA + DATA.splitlines()[1] + "\n")
    laid(repository, "out/*.csv")
    repository.replace("auditor.yaml", "out/*.csv", "out/clinic.csv")
    (repository.top / "out/more.csv").unlink()
    (repository.top / "out/more.csv").symlink_to("clinic.csv")
    repository.commit("a link")
    found = repository.gate()
    assert found.exit_code == EXIT_WEAKENED
    (change,) = (each for each in found.releases[0].changes if each.verdict is Strictness.WEAKER)
    assert change.old == ["out/more.csv"]


def test_outputs_and_logs_are_held_to_the_base_places_too(repository: Repository) -> None:
    output = '{"type": "clusters", "clusters": [{"id": "0", "size": 9}]}'
    repository.git("checkout", "-q", "main")
    repository.write("policies/clinic.yaml", POLICY + "outputs: [{type: clusters, min_size: 2, centres: allow}]\n")
    repository.write("m/a.json", output)
    laid(repository, "out/clinic.csv", ", outputs: m/*.json")
    repository.replace("auditor.yaml", "m/*.json", "m/a.json")
    repository.write("m/b.json", output.replace("9", "1"))
    repository.commit()
    assert {each.path for each in repository.gate().releases[0].changes} == {"releases/clinic/outputs"}


def test_an_empty_file_that_keeps_a_folder_is_no_data(repository: Repository) -> None:
    laid(repository, "out")
    repository.replace("auditor.yaml", "'out'", "'out/*.csv'")
    repository.write("out/.gitkeep", "")
    repository.commit("narrower")
    assert repository.gate().exit_code == EXIT_MET


def test_what_moves_with_its_place_or_is_not_released_needs_nobody(repository: Repository) -> None:
    laid(repository, "out", ", not_released: ['*.xlsx', old/*]")
    for name in ("out/notes.xlsx", "out/old/plan.txt"):
        repository.write(name, "a plan")
    repository.write("out/copy.csv", DATA)
    repository.git("mv", "out/clinic.csv", "out/moved.csv")
    repository.replace("auditor.yaml", "data: 'out'", "data: 'out/*.csv'")
    repository.commit()
    assert repository.gate().exit_code == EXIT_MET
    repository.git("mv", "out", "published")
    repository.replace("auditor.yaml", "out/*.csv", "published/*.csv")
    repository.commit()
    assert repository.gate().exit_code == EXIT_MET
