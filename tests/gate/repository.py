"""Real git repositories in temporary folders, and the gate run in them."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from auditor.gate import Gate, Options, gated
from tests.commands import ran

MANIFEST = """\
version: 1
releases:
  clinic: {policy: policies/clinic.yaml, data: out/clinic.csv, recipients: [university], purpose: teaching}
trusted: {approvers: [dpo@example.org], max_waiver_days: 90}
"""
POLICY = """\
version: 1
name: clinic
attributes: {age: quasi-identifier, zip: quasi-identifier, diagnosis: sensitive}
requirements:
  - {id: k, model: k-anonymity, k: 2}
  - {id: l, model: distinct-l-diversity, l: 2}
"""
DATA = "age,zip,diagnosis\n30,1,flu\n30,1,asthma\n40,2,flu\n40,2,diabetes\n40,2,asthma\n"
"""Classes of two and three members, each with distinct values: it meets k = 2 and l = 2, and not k = 3."""


class Repository:
    """A repository whose branch main has a manifest, a policy and a release; the current branch is `change`."""

    def __init__(self, top: Path) -> None:
        self.top = top
        shutil.copytree(_beginning(), top, dirs_exist_ok=True)

    @classmethod
    def at(cls, top: Path) -> Repository:
        """A repository that is there already."""
        found = cls.__new__(cls)
        found.top = top
        return found

    def git(self, *arguments: str, author: str = "author@example.org", cwd: Path | None = None) -> str:
        who = ("-c", f"user.name={author.split('@', maxsplit=1)[0]}", "-c", f"user.email={author}")
        return subprocess.run(
            ["git", *who, "-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false", *arguments],
            cwd=cwd or self.top,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def write(self, name: str, text: str) -> Path:
        file = self.top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return file

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.top / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def commit(self, message: str = "a change", author: str = "author@example.org") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, author=author)
        return self.git("rev-parse", "HEAD").strip()

    def gate(
        self,
        *names: str,
        environment: Mapping[str, str] | None = None,
        folder: str = "",
        options: Options | None = None,
        **told: Any,
    ) -> Gate:
        """Run the gate here, in one process and in an environment without any platform of integration."""
        options = replace(options or Options(workers=1), **told)
        return gated(names, options, folder=self.top / folder, environment=environment or {}).result


@cache
def _beginning() -> Path:
    """The repository of which each is a copy, made once: five calls of git would cost more than most tests."""
    made = Repository.at(Path(mkdtemp(prefix="auditor-repository-")))
    atexit.register(shutil.rmtree, made.top)
    made.git("init", "-q", "-b", "main", "--template=")
    for folder in ("hooks", "info"):
        (made.top / ".git" / folder).mkdir()
    made.write("auditor.yaml", MANIFEST)
    made.write("policies/clinic.yaml", POLICY)
    made.write("out/clinic.csv", DATA)
    made.commit("the beginning")
    made.git("checkout", "-q", "-b", "change")
    return made.top


def cli(repository: Repository, *arguments: str, environment: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command itself."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI", "GITLAB_"))}
    return ran("gate", *arguments, folder=repository.top, environment={**clean, **(environment or {})})


def document(repository: Repository, *arguments: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The JSON document that the command prints."""
    read: dict[str, Any] = json.loads(cli(repository, *arguments, "--format", "json", environment=environment)[1])
    return read


def paste(file: Path, lines: Sequence[str], where: str | None) -> None:
    """Do as the gate says, by its words alone."""
    file.parent.mkdir(exist_ok=True)
    there = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    words, _, number = ("", "", len(there) + 1) if where is None else where.rpartition(" ")
    at = int(number) - 1
    assert words in ("", "above line", "in place of line")
    there[at : at + words.startswith("in place")] = lines
    file.write_text("\n".join(there) + "\n", encoding="utf-8")
