"""The tree of a commit, held to what the file system finds in a working tree of the same commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import NotEvaluated
from auditor.policy.git import Git
from auditor.policy.tree import Tree

NAMES = ("a", "b", "*", "[ab]", "c.csv", "d.csv", "*.csv")
PATTERNS = ("*", "*.csv", "a/*", "a/*.csv", "*/c.csv", "**/*.csv", "a/**/*.csv", "[ab]/*", "a/b/c.csv")


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, str | None]:
    """Files (None) and links with their texts, by path; nothing stands below a file or a link."""
    paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
    links = st.lists(st.sampled_from((*NAMES, "..", ".", "")), min_size=1, max_size=4).map("/".join)
    kept: dict[str, str | None] = {}
    for path, text in draw(st.dictionaries(paths, st.none() | links.filter(bool), min_size=3, max_size=9)).items():
        if not any(f"{path}/".startswith(f"{other}/") or f"{other}/".startswith(f"{path}/") for other in kept):
            kept[path] = text
    return kept


def committed(top: Path, layout: dict[str, str | None]) -> Git:
    top.mkdir()
    for path, text in layout.items():
        file = top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            file.write_text(path, encoding="utf-8")
        else:
            file.symlink_to(text)
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=top, check=True, capture_output=True)
    return Git(top)


def real(top: Path, path: str) -> str | None:
    """The contents that the file system finds; None where that is no file of the repository."""
    try:
        final = (top / path).resolve()
    except (OSError, RuntimeError):
        return None
    return final.read_text(encoding="utf-8") if final.is_file() and final.is_relative_to(top) else None


@settings(max_examples=12)
@given(layouts())
def test_a_tree_finds_what_the_file_system_finds(
    tmp_path_factory: pytest.TempPathFactory, layout: dict[str, str | None]
) -> None:
    top = (tmp_path_factory.mktemp("tree") / "top").resolve()
    tree = Tree(committed(top, layout), "HEAD", top)
    for path in {*layout, *(f"{each}/{name}" for each in layout for name in ("c.csv", "../d.csv", "a"))}:
        found = tree.file(path)
        assert (None if found is None else found.read().decode()) == real(top, path), path
    for pattern in PATTERNS:
        there = {each.relative_to(top).as_posix() for each in top.glob(pattern)}
        assert set(tree.matching(pattern)) == {path for path in there if real(top, path) is not None}, pattern


def test_links_in_a_circle_and_out_of_the_tree_lead_nowhere(tmp_path: Path) -> None:
    top = tmp_path / "top"
    layout = {"a": "b", "b": "a", "out": "../secret", "root": "/etc/passwd", "far": "x/" * 2000 + "y", "x.csv": None}
    tree = Tree(committed(top, layout), "HEAD", top)
    assert [tree.file(path) for path in ("a", "b", "out", "root", "far", "../top/x.csv")] == [None] * 6
    assert tree.file("./x.csv") is not None


@pytest.mark.parametrize(("place", "told"), [("sub", "sub"), ("out/diagnosis=flu", "out/diagnosis=…")])
def test_a_submodule_that_is_not_there_is_not_guessed(tmp_path: Path, place: str, told: str) -> None:
    """The name of a folder of the data's holds a value."""
    inner, top = tmp_path / "inner", tmp_path / "top"
    committed(inner, {"x.csv": None})
    git = committed(top, {"y.csv": None})
    words = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), place]
    subprocess.run(["git", *words], cwd=top, check=True, capture_output=True)
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"], cwd=top, check=True)
    found = Tree(git, "HEAD", top)
    assert sorted(found.matching("**/*.csv")) == [f"{place}/x.csv", "y.csv"]
    assert found.file(f"{place}/x.csv") == found.files[f"{place}/x.csv"]
    (top / place).rename(tmp_path / "aside")
    closed = Tree(git, "HEAD", top)
    for asked in (f"{place}/x.csv", f"{place}/../y.csv"):
        with pytest.raises(NotEvaluated, match=rf"the submodule {told} at [0-9a-f]{{12}} is not in this clone"):
            closed.file(asked)
    assert closed.file("y.csv") is not None
    (top / place).symlink_to(tmp_path / "aside")
    with pytest.raises(NotEvaluated):
        list(Tree(git, "HEAD", top).matching("**/*.csv"))
    (top / place).unlink()
    closed.leave_out(git.entries("HEAD"), top)
    assert list(closed.matching("**/*.csv")) == ["y.csv"]
