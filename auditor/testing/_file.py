"""The test file: which policy, which tables, logs and outputs, what is expected."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from auditor.errors import PolicyError, UsageError
from auditor.policy import Policy, demands, load_policy
from auditor.policy.base import Block, FileReference, Stricter
from auditor.policy.binding import is_glob
from auditor.policy.documents import Read, read_document
from auditor.policy.file.files import destination, display, resolve
from auditor.policy.file.problems import Problems, one_of, quoted, reported
from auditor.policy.packs import PackName, starter_file

ENDING = "_test.yaml"
"""What the name of a file with policy tests ends in."""
JUDGED = {"requirements": "table", "queries": "log", "outputs": "output"}
"""What is judged by each block of a policy."""


class Expected(Block):
    """What judging a table must find. A plain word is the verdict."""

    SHORTHAND: ClassVar[str | None] = "verdict"

    verdict: Annotated[Literal["pass", "fail", "waived", "not-evaluated"] | None, Stricter.NEUTRAL] = Field(
        None, description="The verdict of the requirements that are judged."
    )
    fails: Annotated[tuple[str, ...] | None, Stricter.NEUTRAL] = Field(
        None, description="The ids of all requirements that fail."
    )
    achieved: Annotated[dict[str, float], Stricter.NEUTRAL] = Field(
        {}, description="The number that the table achieves, by the id of the requirement."
    )

    @model_validator(mode="after")
    def _says_something(self) -> Expected:
        if self.verdict is None and self.fails is None and not self.achieved:
            raise ValueError("an empty expectation; give verdict, fails or achieved")
        return self


class Case(Block):
    """One table, one log of queries or one output, and what is expected of it."""

    name: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, max_length=200, description="What the test is about.")
    csv: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="The table itself, as CSV with a header.")
    data: Annotated[str | None, FileReference(), Stricter.NEUTRAL] = Field(None, description="Or a file that holds it.")
    sql: Annotated[str | None, Stricter.NEUTRAL] = Field(None, description="A log of queries that the table answered.")
    log: Annotated[str | None, FileReference(), Stricter.NEUTRAL] = Field(None, description="Or a file that holds it.")
    published: Annotated[str | None, Stricter.NEUTRAL] = Field(
        None, description="Mining outputs, in any form that is read; made from the table, where there is one."
    )
    output: Annotated[str | None, FileReference(), Stricter.NEUTRAL] = Field(
        None, description="Or a file that holds them."
    )
    original: Annotated[str | None, FileReference(), Stricter.NEUTRAL] = Field(
        None, description="The table that it was made from, for reference: original."
    )
    previous: Annotated[tuple[str, ...] | None, Stricter.NEUTRAL] = Field(
        None,
        description="The releases before, from the first, each as CSV with the unit; an empty list: there is none.",
    )
    source: Annotated[bool, Stricter.NEUTRAL] = Field(False, description="Judge as a table before release.")
    as_of: Annotated[date | None, Stricter.NEUTRAL] = Field(None, description="The day on which waivers are judged.")
    only: Annotated[tuple[str, ...], Stricter.NEUTRAL] = Field(
        (), description="The ids of the requirements that are judged; all of them by default."
    )
    expect: Annotated[Expected, Stricter.NESTED] = Field(description="What must be found.")

    @property
    def judges(self) -> Literal["requirements", "queries", "outputs"]:
        """The block of the policy that its table, its log or its output is judged by."""
        if self.sql is not None or self.log is not None:
            return "queries"
        return "requirements" if self.published is None and self.output is None else "outputs"

    @model_validator(mode="after")
    def _one_of_each(self) -> Case:
        tables = [each for each in (self.csv, self.data) if each is not None]
        others = [each for each in (self.sql, self.log, self.published, self.output) if each is not None]
        if len(others) > 1:
            raise ValueError("a test judges one thing: sql: | or log: FILE, or published: | or output: FILE")
        if len(tables) > 1 or (not tables and self.judges != "outputs"):
            raise ValueError("a test has one table: csv: | or data: FILE")
        if others and (self.source or self.original is not None or self.previous is not None):
            raise ValueError(
                "source, original and previous belong to a table that is judged, not to a log or an output"
            )
        return self


class CaseFile(Block):
    """A file of policy tests."""

    version: Annotated[Literal[1], Stricter.NEUTRAL] = Field(1, description="Version of this format.")
    policy: Annotated[str, Stricter.NEUTRAL] = Field(min_length=1, description="The policy's file, or a starter pack.")
    as_of: Annotated[date | None, Stricter.NEUTRAL] = Field(None, description="The date of every test that sets none.")
    tests: Annotated[tuple[Case, ...], Stricter.NEUTRAL] = Field(min_length=1, description="The tests.")


@dataclass(frozen=True)
class PolicyTests:
    """A test file, read and checked, with the policy that it tests."""

    read: Read[CaseFile]
    policy: Policy

    @property
    def file(self) -> str:
        """Its name, relative to the current directory or the repository."""
        return self.read.file

    @property
    def cases(self) -> tuple[Case, ...]:
        """Its tests."""
        return self.read.block.tests


def discover(named: Sequence[str | Path]) -> list[Path]:
    """The test files among the names, and in the folders among them; the current folder where there are none.

    Folders whose name begins with a dot are left out, and links to folders are not followed.

    Raises:
        UsageError: a name is neither, or nothing was found: no tests are no success.
    """
    found: dict[Path, Path] = {}
    for name in map(Path, named or ["."]):
        if not name.exists():
            raise UsageError(f"{name}: there is no such file or folder")
        for file in sorted(_below(name)) if name.is_dir() else [name]:
            found.setdefault(destination(file), file)
    if not found:
        raise UsageError(f"no policy tests found: they are in files whose names end in {ENDING}")
    return list(found.values())


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place) / name for name in files if name.endswith(ENDING))


def load_tests(path: Path) -> PolicyTests:
    """A file of policy tests.

    Raises:
        PolicyError: with every problem of the file, or of the policy that it names.
    """
    with reported() as problems:
        found = _load(path, problems)
    if found is None:
        raise problems.error()
    return found


def _load(path: Path, problems: Problems) -> PolicyTests | None:
    read = read_document(path, CaseFile, problems)
    if read is None:
        return None
    policy = _policy(read, problems)
    if policy is None:
        return None
    _check(read, policy, problems)
    return PolicyTests(read, policy)


def _policy(read: Read[CaseFile], problems: Problems) -> Policy | None:
    name, mark = read.block.policy, read.mark("policy")
    beside = mark.document.folder / name
    if starter_file(name) is not None and not beside.exists():
        return load_policy(PackName(name))
    file = resolve(name, mark, problems)
    if file is None:
        return None
    try:
        return load_policy(file)
    except PolicyError as wrong:
        problems.add(mark, f"the policy {display(file)} itself has problems", "fix these first", "policy")
        problems.found += wrong.problems
        return None


def _check(read: Read[CaseFile], policy: Policy, problems: Problems) -> None:
    """What the schema cannot say: ids and blocks that the policy has, names that differ."""
    names: dict[str, int] = {}
    for index, case in enumerate(read.block.tests):
        place = f"tests/{index}"
        if not getattr(policy, case.judges):
            what = f"the policy {policy.name} has no {case.judges}, so no {JUDGED[case.judges]} can be judged by it"
            problems.add(read.mark(place), what, "", "empty")
        first = names.setdefault(case.name, index)
        if first != index:
            what, line = f"two tests are called {quoted(case.name)}", read.mark(f"tests/{first}/name").line
            problems.add(read.mark(f"{place}/name"), what, f"see line {line}", "duplicate")
        named = [(f"{place}/only/{i}", each) for i, each in enumerate(case.only)]
        named += [(f"{place}/expect/fails/{i}", each) for i, each in enumerate(case.expect.fails or ())]
        named += [(f"{place}/expect/achieved/{each}", each) for each in case.expect.achieved]
        for path, each in named:
            _known(each, _ids(policy, case), read, path, problems)


def _ids(policy: Policy, case: Case) -> dict[str, bool]:
    """The ids that a result of the test's kind can have; true where one begins the names of several."""
    if case.judges == "requirements":
        own = {str(r.id): is_glob(str(getattr(r, "sensitive", ""))) for r in policy.requirements}
        return {**own, **dict.fromkeys(sorted(demands.OF_EVERY_RELEASE), False)}
    if case.judges == "queries":
        return dict.fromkeys([*(demand.id for demand in demands.of_queries(policy)), demands.UNSUPPORTED], False)
    limits = [demand.id for demand in demands.of_rules(policy)]
    return dict.fromkeys([*limits, *(demands.limit_id(rule, "mismatch") for rule in policy.outputs)], False)


def _known(name: str, ids: Mapping[str, bool], read: Read[CaseFile], path: str, problems: Problems) -> None:
    several = any(name.startswith(f"{each}-") for each, is_several in ids.items() if is_several)
    if name not in ids and not several:
        problems.add(read.mark(path), f"no requirement is called {quoted(name)}", one_of(name, list(ids)), "unknown-id")
