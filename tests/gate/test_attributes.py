"""What `.gitattributes` makes of files in a checkout: the next change is held to what git stores of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED
from tests.gate.keys import SshKey
from tests.gate.repository import DATA, MANIFEST, POLICY, Repository

FIELDS = "csv: {encoding: latin-1}, data: out/clinic.csv, original: raw.csv, previous: old.csv, queries: q.sql"
TRUSTED = "days: 90, at_least: [policies/floor.yaml], signers: {dpo@example.org: dpo.pub}"
LADDER = "zip: {role: quasi-identifier, hierarchy: {file: zip.csv}}"
ASKED = "queries: {table: people, limits: {query_set_size: {min: 3, both_ends: false}}}\n"
COMMENT = "# WORDS\n"
FILES = {
    "auditor.yaml": MANIFEST.replace("data: out/clinic.csv", FIELDS).replace("days: 90", TRUSTED) + COMMENT,
    "policies/clinic.yaml": f"version: 1\nname: clinic\nextends: [own.yaml]\n{COMMENT}",
    "policies/own.yaml": POLICY.replace("zip: quasi-identifier", LADDER) + ASKED + COMMENT,
    "policies/floor.yaml": f"version: 1\nname: floor\nextends: [house.yaml]\n{COMMENT}",
    "policies/house.yaml": POLICY + COMMENT,
    "policies/clinic_test.yaml": f"policy: clinic.yaml\ntests: [{{name: n, data: t.csv, expect: fail}}]\n{COMMENT}",
    "policies/t.csv": "age,zip,diagnosis\n30,1,WORDS\n",
    "policies/zip.csv": "1;WORDS\n2;WORDS\n",
    "out/clinic.csv": DATA.replace("asthma", "WORDS"),
    "raw.csv": DATA.replace("asthma", "WORDS") + DATA.partition("\n")[2],
    "old.csv": DATA.replace("asthma", "WORDS"),
    "q.sql": "SELECT count(*) FROM people; -- WORDS\n",
    "dpo.pub": "KEY WORDS\n",
}
"""A release with all that it may have, and a place for words in each file."""


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> str:
    return SshKey.made(tmp_path_factory.mktemp("keys"), "dpo").public


def laid(repository: Repository, here: dict[str, str], key: str) -> None:
    """Main has all of the files, with these words in some of them."""
    repository.git("checkout", "-q", "main")
    for name, text in FILES.items():
        repository.write(name, text.replace("WORDS", here.get(name, "words")).replace("KEY", key))
    repository.commit("rules")
    repository.git("checkout", "-q", "-B", "change")
    found = repository.gate()
    assert found.exit_code == EXIT_MET, found


def stored(repository: Repository, name: str, content: bytes) -> str:
    """Have git store a file so, whatever attributes say; the name of the object."""
    file = repository.top / ".git/stored"
    file.write_bytes(content)
    made = repository.git("hash-object", "-w", "--no-filters", str(file)).strip()
    repository.git("update-index", "--add", "--cacheinfo", f"100644,{made},{name}")
    return made


def checked_out(repository: Repository) -> None:
    """Commit what is staged, and check it out as anybody would."""
    repository.git("commit", "-q", "-m", "attributes")
    repository.git("rm", "-r", "-q", "--cached", ".")
    repository.git("checkout", "-q", "-f", "HEAD", "--", ".")


def missed(repository: Repository, name: str) -> bool:
    """Whether the gate says of a file that no later change would be held to it, wherever it runs."""
    found, elsewhere = repository.gate(), repository.gate(folder="out")
    assert found.notes == elsewhere.notes
    told = any("no later change would be held to them" in note and repr(name) in note for note in found.notes)
    assert found.exit_code == (EXIT_NOT_EVALUATED if told else EXIT_MET)
    return told


@pytest.mark.parametrize("name", FILES)
def test_words_that_git_writes_over_in_a_checkout(repository: Repository, key: str, name: str) -> None:
    """`ident` replaces whatever is stored between ``$Id:`` and ``$``: the rule that is merged is not the one here."""
    words = FILES[name].replace("WORDS", "$Id:hidden$").replace("KEY", key).encode()
    made = stored(repository, name, words)
    laid(repository, {name: f"$Id: {made} $"}, key)
    before = (repository.top / name).read_bytes()
    repository.write(".gitattributes", f"/{name} ident\n")
    repository.git("add", ".gitattributes")
    stored(repository, name, words)
    checked_out(repository)
    assert (repository.top / name).read_bytes() == before
    assert missed(repository, name)


@pytest.mark.parametrize("name", FILES)
def test_a_text_that_git_stores_in_another_encoding(repository: Repository, key: str, name: str) -> None:
    """Letters that an encoding lacks are written by others that are like them."""
    laid(repository, {name: "ss"}, key)
    before = (repository.top / name).read_bytes()
    repository.write(".gitattributes", f"/{name} working-tree-encoding=ASCII//TRANSLIT\n")
    repository.git("add", ".gitattributes")
    stored(repository, name, before.replace(b"ss", "ß".encode()))
    checked_out(repository)
    assert (repository.top / name).read_bytes() == before
    assert missed(repository, name)


@pytest.mark.parametrize("way", ["ident", "working-tree-encoding=UTF-16"])
def test_attributes_that_are_written_otherwise_themselves(repository: Repository, key: str, way: str) -> None:
    """A checkout goes by them as they are stored; those that stand here are lines that git passes over."""
    laid(repository, {"auditor.yaml": "ss"}, key)
    before = (repository.top / "auditor.yaml").read_bytes()
    line = "auditor.yaml working-tree-encoding=ASCII//TRANSLIT words=$Id:hidden$"
    stored(repository, ".gitattributes", f".gitattributes {way}\n{line}\n".encode())
    stored(repository, "auditor.yaml", before.replace(b"ss", "ß".encode()))
    checked_out(repository)
    assert (repository.top / "auditor.yaml").read_bytes() == before
    assert "unspecified" in repository.git("check-attr", "working-tree-encoding", "auditor.yaml")
    assert missed(repository, "auditor.yaml")


def test_attributes_of_a_submodule(repository: Repository, tmp_path: Path) -> None:
    """It is checked out by its own; those of the repository around it say nothing."""
    made = stored(repository, "stored", f"{POLICY}# $Id:hidden$\n".encode())
    repository.git("reset", "-q")
    inner = Repository(tmp_path / "rules")
    inner.write("clinic.yaml", f"{POLICY}# $Id: {made} $\n")
    inner.commit("rules")
    repository.git("checkout", "-q", "main")
    repository.git("submodule", "--quiet", "add", str(inner.top), "rules")
    repository.replace("auditor.yaml", "policies/clinic.yaml", "rules/clinic.yaml")
    repository.commit("a submodule")
    repository.git("checkout", "-q", "-B", "change")
    there = Repository.at(repository.top / "rules")
    before = (there.top / "clinic.yaml").read_bytes()
    for name, text in {
        ".gitattributes": ".gitattributes ident\n*.yaml ident words=$Id:hidden$\n",
        "clinic.yaml": f"{POLICY}# $Id:hidden$\n",
    }.items():
        object_ = there.git("hash-object", "-w", "--no-filters", str(repository.write(".git/stored", text))).strip()
        there.git("update-index", "--add", "--cacheinfo", f"100644,{object_},{name}")
    checked_out(there)
    repository.commit("attributes")
    assert (there.top / "clinic.yaml").read_bytes() == before
    assert missed(repository, "rules/clinic.yaml")


def test_honest_attributes(repository: Repository, key: str) -> None:
    """Keywords of git, also beside edits; a log and a table that a checkout has in the encoding of their programs."""
    laid(repository, {name: "$Id$" for name in FILES if name.endswith(".yaml")}, key)
    encodings = ("*.yaml ident", "/out/*.csv working-tree-encoding=latin1", "*.sql working-tree-encoding=UTF-16")
    repository.write(".gitattributes", "\n".join(encodings))
    (repository.top / "out/clinic.csv").write_bytes(DATA.replace("asthma", "épilepsie").encode("latin-1"))
    (repository.top / "q.sql").write_bytes(FILES["q.sql"].encode("utf-16"))
    repository.git("add", "-A")
    checked_out(repository)
    assert b"$Id: " in (repository.top / "policies/clinic.yaml").read_bytes()
    assert b"\0" in (repository.top / "q.sql").read_bytes()
    assert not missed(repository, "policies/clinic.yaml")
    repository.git("branch", "-f", "main")
    repository.replace("policies/clinic.yaml", "# $Id", "# words $Id")
    assert not missed(repository, "policies/clinic.yaml")
