"""The comparator finds what a change does to a verdict, and passes what nothing was changed in."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.comparator import __main__ as comparator

WORD = "check-k-anonymity"


@pytest.mark.slow
def test_a_tree_is_what_it_is() -> None:
    assert comparator.found(comparator.TOP, 1, WORD) == (1, [])


@pytest.mark.slow
def test_a_changed_verdict_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(comparator.TOP / "auditor", tmp_path / "auditor")
    model = tmp_path / "auditor" / "models" / "k_anonymity.py"
    text = model.read_text(encoding="utf-8")
    assert text.count("return classes.sizes") == 1
    model.write_text(text.replace("return classes.sizes", "return classes.sizes + 1"), encoding="utf-8")
    _, differing = comparator.found(tmp_path, 2, WORD)
    assert any(place.endswith("/achieved") for _, place, _, _ in differing)
    named = tmp_path / "named.yaml"
    monkeypatch.setattr(comparator, "NAMED", named)
    named.write_text("[]\n", encoding="utf-8")
    assert comparator.unnamed(differing) == differing
    named.write_text("- {place: '^check-k-anonymity', changelog: The first version}\n", encoding="utf-8")
    assert comparator.unnamed(differing) == []
    named.write_text("- {place: '', changelog: nobody said this}\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="nobody said this"):
        comparator.unnamed(differing)


def test_what_differs_is_told_by_its_place() -> None:
    before, now = {"a": [1, {"b": 2}], "work": 3}, {"a": [1, {"b": 4}], "work": 5}
    assert list(comparator.differences(before, now)) == [("/a/1/b", 2, 4)]


def test_without_a_revision_it_is_the_commit_of_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(comparator, "git_here", lambda *words, check: subprocess.CompletedProcess(words, 0))
    monkeypatch.setattr(comparator, "unpacked", lambda revision, place: asked.append(revision) or place)
    monkeypatch.setattr(comparator, "found", lambda *_: (1, []))
    with pytest.raises(SystemExit) as ended:
        comparator.main([])
    assert ended.value.code == 0
    assert [re.fullmatch("[0-9a-f]{40}", each) is not None for each in asked] == [True]
    assert "-m tests.comparator >" in (comparator.TOP / ".ci" / "run").read_text(encoding="utf-8")


def test_a_commit_that_is_not_in_the_clone_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(comparator, "BASE", tmp_path / "base")
    comparator.BASE.write_text("0" * 40 + "\n", encoding="utf-8")
    comparator.main([])
    assert capsys.readouterr().out.startswith(f"skipped: {'0' * 40} is not in this clone")
    with pytest.raises(SystemExit, match="is not in this clone: name a commit that is"):
        comparator.main(["0" * 40])
