"""Reading and running the project's pages: what a page tells its reader to type is typed, and must answer as it says.

A fence whose first line names a language and a file (```` ```csv visits.csv ````) is that file. A ``console`` fence
holds commands (``$ …``), each followed by what it prints, or by nothing where the page does not say; ``...`` stands for
any text. A command must end with exit code 0, unless the next one is ``echo $?`` and shows another.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.commands import Ended, ran

ROOT = Path(__file__).resolve().parents[2]
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^```(\w+)[ ]?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLAIN = re.compile(r"auditor [\w .,:/@%+=-]+")
"""A command of this program in which a shell reads nothing but words."""
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)\s]*))?\)")


@dataclass(frozen=True)
class Fence:
    """One fenced block of a page."""

    language: str
    file: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command of a ``console`` fence and what the page says that it prints (empty: the page does not say)."""

    words: str
    printed: str


def fences(page: Path, heading: str = "") -> list[Fence]:
    """The fences of a page, or of the part under one of its second headings."""
    text = page.read_text(encoding="utf-8")
    if heading:
        (text,) = (part for part in re.split(r"^## ", text, flags=re.MULTILINE) if part.startswith(f"{heading}\n"))
    return [Fence(*found.groups()) for found in FENCE.finditer(text)]


def commands(page: Path, heading: str = "") -> list[Command]:
    listed = fences(page, heading)
    return [command for fence in listed if fence.language == "console" for command in _commands(fence.text)]


def _commands(text: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        words, _, printed = part.partition("\n")
        yield Command(words, printed)


def write_files(page: Path, folder: Path) -> None:
    """Write the files that a page shows."""
    for fence in fences(page):
        if fence.file:
            target = folder / fence.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(fence.text, encoding="utf-8")


PROGRAMS = Path(sys.executable).parent
"""Where the programs of the development environment are."""


def run(listed: list[Command], folder: Path, programs: Path = PROGRAMS) -> None:
    """Type the commands in order; the first that does not answer as the page says is an assertion error."""
    code = 0
    for number, command in enumerate(listed):
        if command.words == "echo $?":
            assert command.printed.strip() == str(code), listed[number - 1].words
            continue
        shown = _type(command.words, folder, programs)
        code = shown.code
        followed = number + 1 < len(listed) and listed[number + 1].words == "echo $?"
        assert followed or code == 0, f"{command.words}: exit code {code}\n{shown.out}{shown.err}"
        if command.printed:
            problem = differs(command.printed, shown.out + shown.err)
            assert not problem, f"{command.words}: {problem}"


def _type(words: str, folder: Path, programs: Path) -> Ended:
    """What a command answers; one of this program that asks nothing of a shell is run without one."""
    if programs == PROGRAMS and PLAIN.fullmatch(words):
        return ran(*shlex.split(words)[1:], folder=folder, environment=os.environ)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", words], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def differs(expected: str, got: str) -> str:
    """What lies between the text of a page and what was printed; empty where nothing does."""
    checker, example = doctest.OutputChecker(), doctest.Example("", expected)
    if checker.check_output(expected, got, LENIENT):
        return ""
    return checker.output_difference(example, got, LENIENT)


def pages() -> list[Path]:
    """Every page that a reader of the project meets."""
    own = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
    return sorted(own)


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings make, as code hosts spell them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
