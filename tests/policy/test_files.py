"""Files that a policy names: found beside it, confined to its repository or folder, never shown as absolute paths."""

from pathlib import Path

import pytest

from auditor.errors import PolicyError
from auditor.policy import load_policy
from auditor.policy.compare import compare
from tests.policy.conftest import BASE, Desk

LADDER = """\
requirements: [{{model: k-anonymity, k: 5}}]
attributes: {{a: {{role: quasi-identifier, hierarchy: {{file: {file}}}}}}}
"""


@pytest.fixture
def outside(desk: Desk) -> Desk:
    """A policy folder with a secret file beside it, outside."""
    (desk.folder / "secret.csv").write_text("a;*\n")
    (desk.folder / "inner").mkdir()
    return Desk(desk.folder / "inner")


@pytest.mark.parametrize(
    "file",
    [
        "../secret.csv",
        "../../etc/passwd",
        "/etc/passwd",
        "x/../../secret.csv",
        "link.csv",
        "folder/secret.csv",
        "~root/x",
    ],
)
def test_a_path_out_of_the_folder_is_refused(outside: Desk, file: str) -> None:
    (outside.folder / "x").mkdir()
    (outside.folder / "link.csv").symlink_to("../secret.csv")
    (outside.folder / "folder").symlink_to("..")
    policy = outside.write(LADDER.format(file=file))
    with pytest.raises(PolicyError) as wrong:
        load_policy(policy)
    (problem,) = wrong.value.problems
    assert problem.code == ("file" if file == "~root/x" else "escape")
    assert problem.where.endswith(f":2:{LADDER.format(file=file).splitlines()[1].index(file) + 1}")


def test_a_repository_is_the_limit(outside: Desk) -> None:
    (outside.folder.parent / ".git").mkdir()
    policy = load_policy(outside.write(LADDER.format(file="../secret.csv")))
    assert policy.attributes["a"].hierarchy.path == (outside.folder.parent / "secret.csv").resolve()  # type: ignore[union-attr]


def test_listed_folders_are_open_too(outside: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_POLICIES", f"/nowhere:{outside.folder.parent}")
    assert load_policy(outside.write(LADDER.format(file="../secret.csv"))).name == "policy"


def test_a_policy_that_is_a_link_out_of_its_folder(outside: Desk) -> None:
    (outside.folder.parent / "other.yaml").write_text("requirements: [{model: k-anonymity, k: 5}]\n")
    (outside.folder / "link.yaml").symlink_to("../other.yaml")
    with pytest.raises(PolicyError, match="a link out of"):
        load_policy(outside.folder / "link.yaml")


def test_a_policy_that_is_a_link_inside_its_folder(desk: Desk) -> None:
    desk.write("requirements: [{model: k-anonymity, k: 5}]\n", "v2.yaml")
    (desk.folder / "current.yaml").symlink_to("v2.yaml")
    assert load_policy("current.yaml").requirements[0].id == "k-anonymity"


def test_a_base_out_of_the_folder_is_refused(outside: Desk) -> None:
    (outside.folder.parent / "base.yaml").write_text("requirements: [{model: k-anonymity, k: 5}]\n")
    with pytest.raises(PolicyError, match="lies outside"):
        load_policy(outside.write("extends: [../base.yaml]\n"))


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("attributes/a/hierarchy/file", LADDER.format(file="f.csv")),
        ("reference", "reference: f.csv\nrequirements: [{model: k-anonymity, k: 5}]\n"),
        (
            "requirements/0/matrix",
            "attributes: {a: sensitive}\nrequirements: [{model: t-closeness, t: 0.1, ground: matrix, matrix: f.csv}]\n",
        ),
    ],
)
def test_every_file_is_found_when_the_policy_is_loaded(desk: Desk, key: str, text: str) -> None:
    (problem,) = desk.problems(text)
    assert "'f.csv' does not exist" in problem.what
    (desk.folder / "f.csv").write_text("a;*\n")
    policy = desk.load(text)
    assert policy.file_at(key) == (desk.folder / "f.csv").resolve()
    assert policy.reference_file == (policy.file_at(key) if key == "reference" else None)


def test_a_folder_is_no_hierarchy(desk: Desk) -> None:
    (desk.folder / "f.csv").mkdir()
    (problem,) = desk.problems(LADDER.format(file="f.csv"))
    assert "a folder" in problem.what


def test_files_are_relative_to_the_file_that_names_them(desk: Desk) -> None:
    desk.write("a;*\n", "shared/ladder.csv")
    desk.write(LADDER.format(file="ladder.csv"), "shared/base.yaml")
    policy = desk.load("extends: [shared/base.yaml]\n")
    assert policy.file_at("attributes/a/hierarchy/file") == (desk.folder / "shared/ladder.csv").resolve()


def test_waivers_in_a_file_of_their_own(desk: Desk) -> None:
    one = "{requirement: k-anonymity, reason: r, owner: o, approved_by: a, expires: 2027-03-31}"
    desk.write(f"- {one}\n", "list.yaml")
    desk.write(f"waivers:\n  - {one}\n", "mapping.yaml")
    for file, line in (("list.yaml", 1), ("mapping.yaml", 2)):
        policy = desk.load(f"requirements: [{{model: k-anonymity, k: 5}}]\nwaivers: {file}\n")
        assert policy.waivers[0].requirement == "k-anonymity"
        origin = policy.origin("waivers/0/expires")
        assert origin is not None
        assert (origin.file, origin.line) == (file, line)


@pytest.mark.parametrize("content", ["", "text\n", "{a: b}\n", "- [\n", "- {requirement: x}\n"])
def test_a_wrong_waivers_file(desk: Desk, content: str) -> None:
    desk.write(content, "waivers.yaml")
    text = "requirements: [{model: k-anonymity, k: 5}]\nwaivers: waivers.yaml\n"
    if content:
        assert desk.problems(text)[0].where.startswith("waivers.yaml:")
    else:
        assert desk.load(text).waivers == ()


def test_a_missing_waivers_file(desk: Desk) -> None:
    (problem,) = desk.problems("requirements: [{model: k-anonymity, k: 5}]\nwaivers: waivers.yaml\n")
    assert (problem.where, "does not exist" in problem.what) == ("p.yaml:2:10", True)


def test_no_message_shows_a_path_of_the_machine(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = desk.write("requirements: [{model: k-anonymity, k: 0}]\nreference: nowhere/x.csv\n", "deep/p.yaml")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for folder in (desk.folder, elsewhere):
        monkeypatch.chdir(folder)
        with pytest.raises(PolicyError) as wrong:
            load_policy(file)
        assert str(tmp_path) not in str(wrong.value)


def test_the_digest_depends_on_no_path(desk: Desk) -> None:
    text = "attributes: {a: sensitive}\nrequirements: [{model: t-closeness, t: 0.1}]\n"
    here, there = desk.write(text, "a/p.yaml"), desk.write("# moved\n\n" + text, "b/c/other.yaml")
    assert load_policy(here).sha256 == load_policy(there).sha256


def test_waivers_in_a_file_are_compared_as_those_in_the_policy(desk: Desk) -> None:
    said = "reason: a rare disease, owner: o, approved_by: a, expires: 2027-03-31"
    entry = f"{{{{requirement: k-anonymity, at_least: {{{{k: {{k}}}}}}, {said}}}}}"
    inline = desk.write(BASE + f"waivers: [{entry.format(k=3)}]\n", "inline.yaml")
    listed = desk.write(BASE + "waivers: waivers.yaml\n", "listed.yaml")
    desk.write(f"- {entry.format(k=3)}\n", "waivers.yaml")
    assert compare(load_policy(inline), load_policy(listed)).verdict == "equal"
    desk.write(f"# looser\n- {entry.format(k=2)}\n", "waivers.yaml")
    found = compare(load_policy(inline), load_policy(listed))
    assert found.verdict == "weaker"
    (difference,) = found.differences
    assert difference.new_origin is not None
    assert (difference.new_origin.file, difference.new_origin.line) == ("waivers.yaml", 2)
