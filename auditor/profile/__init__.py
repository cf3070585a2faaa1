"""What the columns of a table look like, and the policy that `auditor init` proposes for them.

`auditor.looks` knows names and shapes that tell something. Three steps, one file each: `_measure` counts the columns,
`_propose` gives each a role, a ladder (from `_ladders`) and the reasons, `_write` puts the proposal down as a policy
with the reasons in comments. `_declared` lays over it what a data contract says.

Nothing of a person leaves the table: a proposal holds column names, counts and shapes; of numbers round widths, and
round bounds that enough records lie beyond; of quasi-identifiers the values that many records share (`_ladders`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from auditor.dialect import CsvDialect
from auditor.engines import RunLimits, open_data
from auditor.errors import DataError
from auditor.profile._declared import DeclaredRoles
from auditor.profile._measure import ColumnProfile, Exposure, Profile, measure, measured
from auditor.profile._notation import Marks, common_marks, fitting_marks
from auditor.profile._propose import Proposal, may_be_codes, propose
from auditor.profile._write import ContractLines, write
from auditor.stages import Stage, stage

__all__ = ["ColumnProfile", "Profile", "Proposal", "init", "may_be_codes", "measure", "propose", "write"]


def init(
    data: Any,
    *,
    name: str = "policy",
    memory: str | int | None = None,
    spill: str | Path | None = None,
    time_limit: float | None = None,
    csv: CsvDialect | None = None,
    contract: str | Path | None = None,
    table: str | None = None,
    folder: Path | None = None,
) -> str:
    """A policy to start from, as YAML text that loads.

    Args:
        data: anything that `auditor.engines.open_data` opens.
        name: the policy's name; what a name may not hold is replaced by hyphens.
        memory: the most memory to use, as ``"2GB"`` or in bytes; half of the machine's where not given.
        spill: the folder for temporary data; the machine's temporary folder where not given.
        time_limit: give up after so many seconds.
        csv: how CSV files are written; what it leaves open is found in them.
        contract: a data contract or a file of dbt; what it says of the columns decides (docs/contracts.md).
        table: the table of the contract; by default the only one.
        folder: where the policy will lie, for the line that holds it to the contract.

    Raises:
        PolicyError: the contract is wrong, or has several tables and none is named.
        DataError: the data is missing, empty or unreadable.
        OutOfMemory, OutOfTime: a limit was reached.
    """
    declared = None if contract is None else DeclaredRoles.read(Path(contract), table, folder)
    proposed = propose if declared is None else declared.propose
    limits, csv = RunLimits.of(memory, time_limit, spill), csv or CsvDialect()
    draft, marks = _drafted(data, limits, csv, proposed)
    doubt = None if len(marks) < 2 else _in_several_ways(marks)
    if len(marks) == 1:
        try:
            read = csv.filled(*marks[0], None)
            draft, csv = _drafted(data, limits, read, proposed)[0], read
        except DataError as error:
            doubt = str(error)
    names = [column.name for column in draft[0].columns]
    lines = None if declared is None else ContractLines(declared.held, declared.absent(names))
    return write(name, *draft, reading=csv, doubt=doubt, contract=lines)


def _in_several_ways(marks: Sequence[Marks]) -> str:
    ways = (
        f"decimal {decimal!r}" + (f", thousands {thousands!r}" if thousands else "") for decimal, thousands in marks
    )
    return f"all of them can be read in {len(marks)} ways ({'; '.join(ways)})"


def _drafted(
    data: Any, limits: RunLimits, csv: CsvDialect, proposed: Callable[[ColumnProfile], Proposal]
) -> tuple[tuple[Profile, list[Proposal], Exposure], tuple[Marks, ...]]:
    """What is found and proposed; and the marks that numbers of texts are written with, if no others are declared."""
    with open_data(data, limits=limits, csv=csv) as source, stage(Stage.PROFILING):
        texts = source.facts.format in ("csv", "fixed") and not csv.decimal and not csv.thousands
        columns, proposals, fitting = [], [], []
        for column in measured(source):
            proposals.append(proposed(column))
            fitting += [fits for fits in (fitting_marks(source, column),) if texts and fits]
            columns.append(replace(column, found=None))  # the values of one column at a time
        profile = Profile(source.records(), tuple(columns))
        exposure = profile.exposure(source, [p.column for p in proposals if p.role == "quasi-identifier"])
    return (profile, proposals, exposure), common_marks(fitting)
