"""Compare a revision with the working tree: `python -m tests.comparator [REVISION] [--times N] [--only WORD]`."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.comparator.corpus import Case, corpus

TOP = Path(__file__).resolve().parent.parent.parent
NAMED = Path(__file__).with_name("named.yaml")
BASE = Path(__file__).with_name("base")
"""The commit that CI compares with; without a REVISION, it is the one."""
Difference = tuple[str, str, Any, Any]
"""The case, the place in its answers, what stands there before, and now."""


WHO = {f"GIT_{role}_{what}": "ana@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def written(case: Case, top: Path) -> None:
    """Make the folder of a case, with its history as commits of a fixed author and fixed dates."""
    folder = top / case.name
    folder.mkdir()
    (top / f"{case.name}.json").write_text(json.dumps(case.commands))

    def git(*words: str, day: int = 1) -> None:
        when = {f"GIT_{role}_DATE": f"2026-01-0{day}T00:00:00Z" for role in ("AUTHOR", "COMMITTER")}
        subprocess.run(["git", *words], cwd=folder, check=True, env={**os.environ, **WHO, **when})

    if case.history:
        git("init", "-q", "-b", "main")
    for day, files in enumerate([*case.history, case.files], 1):
        for name, text in files.items():
            (folder / name).write_text(text)
        if case.history:
            git("add", "-A")
            git("commit", "-q", "--allow-empty", "-m", f"day {day}", day=day)


def started(tree: Path, cases: Path) -> subprocess.Popen[bytes]:
    """The worker, running the code of a tree over a folder of cases; its answers go into a file beside that."""
    worker = Path(__file__).with_name("worker.py")
    with cases.with_suffix(".jsonl").open("wb") as answers:
        # The folder of the worker stays off the path (-P), and the tree comes before the installed package.
        return subprocess.Popen(
            [sys.executable, "-P", str(worker), str(cases)], env={**os.environ, "PYTHONPATH": str(tree)}, stdout=answers
        )


def differences(before: Any, now: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The places at which two answers differ. The engine and the times of a work are of the run, not of its result."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now} - {"work"}):
            yield from differences(before.get(key), now.get(key), f"{at}/{key}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for place, pair in enumerate(zip(before, now, strict=True)):
            yield from differences(*pair, f"{at}/{place}")
    elif before != now:
        yield at, before, now


def git_here(*words: str, check: bool = True) -> subprocess.CompletedProcess[bytes]:
    """Git in this checkout, whoever owns its folder."""
    return subprocess.run(["git", "-c", f"safe.directory={TOP}", *words], cwd=TOP, check=check, capture_output=True)


def unpacked(revision: str, place: Path) -> Path:
    """The package and the starter packs of a revision, in a folder, with what the program reads of its installation."""
    archive = git_here("archive", revision, "auditor", "policies", "pyproject.toml")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(place, filter="data")
    project = tomllib.loads((place / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = place / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    return place


def found(before: Path, times: int, only: str) -> tuple[int, list[Difference]]:
    """How many cases there are, and every difference of the working tree from another one."""
    with tempfile.TemporaryDirectory() as place:
        top = Path(place)
        cases = top / "cases"
        cases.mkdir()
        for case in corpus(times):
            if only in case.name:
                written(case, cases)
        shutil.copytree(cases, top / "again")
        running = [started(before, cases), started(TOP, top / "again")]
        codes = [run.wait() for run in running]
        if any(codes):
            raise SystemExit("a worker ended before the last case")
        both = [
            [json.loads(line) for line in folder.with_suffix(".jsonl").read_text().splitlines()]
            for folder in (cases, top / "again")
        ]
        return len(both[0]), [
            (old["case"], *each) for old, new in zip(*both, strict=True) for each in differences(old, new)
        ]


def unnamed(differing: list[Difference]) -> list[Difference]:
    """The differences that `named.yaml` does not name, in words that stand in the CHANGELOG."""
    changelog = " ".join((TOP / "CHANGELOG.md").read_text().split())
    named = yaml.safe_load(NAMED.read_text()) or []
    for each in named:
        if each["changelog"] not in changelog:
            raise SystemExit(f"{NAMED.name}: the CHANGELOG does not say {each['changelog']!r}")
    patterns = [re.compile(each["place"]) for each in named]
    return [each for each in differing if not any(pattern.search(f"{each[0]}{each[1]}") for pattern in patterns)]


def main(words: Sequence[str] | None = None) -> None:
    """Print how many cases differ, and the first differences of each place."""
    options = argparse.ArgumentParser(prog="python -m tests.comparator", description=__doc__)
    options.add_argument("revision", nargs="?", help="without it: the commit that the file `base` names")
    options.add_argument("--times", type=int, default=6, help="how many cases are drawn of a kind")
    options.add_argument("--only", default="", help="cases whose names hold this word")
    told = options.parse_args(words)
    revision = told.revision or BASE.read_text(encoding="utf-8").strip()
    if git_here(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", check=False
    ).returncode:
        missing = f"{revision} is not in this clone"
        if told.revision:
            raise SystemExit(f"{missing}: name a commit that is")
        sys.stdout.write(f"skipped: {missing}, which has not the whole history (git fetch --unshallow gets it)\n")
        return
    with tempfile.TemporaryDirectory() as place:
        cases, differing = found(unpacked(revision, Path(place)), told.times, told.only)
    left = unnamed(differing)
    places = Counter(re.sub(r"/\d+", "/…", place) for _, place, _, _ in left)
    counted = [len({case for case, *_ in each}) for each in (differing, left)]
    told_of = [f"{cases} cases against {revision}, {counted[0]} differ, {counted[1]} of them in what nothing names"]
    for place, count in places.most_common():
        case, at, before, now = next(each for each in left if re.sub(r"/\d+", "/…", each[1]) == place)
        told_of.append(f"{count:6} {place}\n       {case}{at}: {json.dumps(before)[:300]} → {json.dumps(now)[:300]}")
    sys.stdout.write("\n".join(told_of) + "\n")
    sys.exit(1 if left else 0)


if __name__ == "__main__":
    main()
