"""A policy beside the contract that it names: what the contract calls personal is not insensitive."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from fnmatch import translate
from pathlib import Path
from unicodedata import normalize

from auditor.policy.binding import is_glob
from auditor.policy.contracts._column import ContractColumn, folded
from auditor.policy.contracts._file import read_contract
from auditor.policy.file.files import resolve
from auditor.policy.file.nodes import Mark
from auditor.policy.file.problems import Problems, quoted
from auditor.policy.schema import Policy


def held_to_contract(policy: Policy, marks: Mapping[str, Mark], problems: Problems) -> Path | None:
    """Note every column that the policy's contract calls personal and the policy insensitive.

    A column is insensitive by its name, by a glob, or by ``undeclared`` where the policy does not name it.

    Returns:
        The contract's file, resolved; None where the policy names none, or one that may not be read.
    """
    if policy.contract is None:
        return None
    mark = marks.get("contract/file", marks["contract"])
    file = resolve(policy.contract.file, mark, problems)
    if file is None:
        return None
    choice = f"contract: {{file: {policy.contract.file}, table: NAME}}"
    contract = read_contract(file, policy.contract.table, problems, mark, choice)
    known = {column.name for column in contract.columns} if contract else set()
    for column in contract.columns if contract else ():
        for path in _insensitive(policy, column.name, known) if column.is_personal else ():
            what = f"{quoted(column.name)} is insensitive{_by(path, column)}, and the contract calls it personal"
            right = "another role"
            problems.add(marks[path], f"{what} ({_said(column)}, {column.mark})", right, "personal")
    return file


def _insensitive(policy: Policy, name: str, known: Collection[str]) -> Iterator[str]:
    """The places that make a column insensitive; a warehouse may write its name in other letters.

    An attribute in other letters says nothing of the column where the data has it in those of the contract, whose
    columns are `known`: there a glob speaks for it.
    """
    declared = policy.attributes
    alike = [each for each in declared if folded(each) == folded(name) and (each == name or each not in known)]
    flags = re.NOFLAG if alike else re.IGNORECASE
    globs = [] if name in declared else [each for each in declared if is_glob(each) and _matches(each, name, flags)]
    yield from (f"attributes/{each}" for each in (*alike, *globs) if declared[each].role == "insensitive")
    if name not in declared and not globs and policy.undeclared == "insensitive":
        yield "undeclared"


def _matches(glob: str, name: str, flags: re.RegexFlag) -> bool:
    return re.match(translate(normalize("NFC", glob)), normalize("NFC", name), flags) is not None


def _by(path: str, column: ContractColumn) -> str:
    """What makes it insensitive, where that does not have its name."""
    place = path.removeprefix("attributes/")
    return "" if place == column.name else f" by {place if place == path else quoted(place)}"


def _said(column: ContractColumn) -> str:
    return column.personal[0] if column.personal else f"role {quoted(column.role or '')}"
