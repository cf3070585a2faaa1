"""`mask`: apply the policy's masking methods, write the masked table, and audit what was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from auditor import release as releases
from auditor.audit import judged, masking_bytes, microdata_of
from auditor.dialect import CsvDialect
from auditor.engines import Coded, ColumnUse, RowSnapshot, RunLimits, Source, check_name, open_data
from auditor.errors import EXIT_MET, OutOfMemory, UsageError
from auditor.masking.rank_swapping import RankSwapping
from auditor.microdata import Microdata
from auditor.models import RecordRequirement
from auditor.policy import Binding, Policy, bind, load_policy
from auditor.protect._apply import Applied, bound, masked, seed_of
from auditor.protect._codes import codes_as_numbers, finding_of
from auditor.protect._distributions import Crowd, distributions
from auditor.protect._figures import columns_of, figures_of
from auditor.protect._masked import Masked, MaskResult
from auditor.protect._release_columns import rewritten
from auditor.protect._written import MaskingWriter, follows
from auditor.report.redact import DEFAULT_THRESHOLD, threshold
from auditor.result import Finding, Result, Verdict, work_of
from auditor.result.masking import AppliedMethod, ColumnDistribution, Masking
from auditor.stages import Stage, recorded, stage

PLANNED = "planned-release.parquet"
"""The file that is audited where none is to be written; it never leaves the temporary folder."""
MOST_OF_PEOPLE = 1_000_000
"""Of more records, several of a person, nothing is drawn: the names of all people would be held in memory."""
HELD_BYTES = 28
"""What a value takes while the release is audited: codes before and after, and the numbers."""


def mask(
    data: Any,
    policy: Policy | str | Path | Mapping[str, Any],
    *,
    output: str | Path | None = None,
    seed: int | None = None,
    as_of: date | None = None,
    memory: str | int | None = None,
    spill: str | Path | None = None,
    time_limit: float | None = None,
    csv: CsvDialect | None = None,
    reproduce: str | None = None,
) -> Masked:
    """Apply the masking methods of a policy to a table, write the masked table if asked to, and audit what was written.

    Args:
        data: anything that `auditor.check` takes.
        policy: a policy, the path of a policy file, or a mapping with its contents; its ``protection`` block says how
            to mask.
        output: the file to write; with None, the table is only masked and audited. The file is written to a temporary
            name next to it, audited there as a stranger would read it, and renamed only if it meets the policy.
        seed: a number that determines all random choices, for tests and studies; by default they are as random as
            the machine can make them, which is what a release needs.
        as_of: the day on which waivers are judged; by default today.
        memory: a size such as ``1GB``; by default half of the machine's memory.
        spill: the folder for temporary data; by default the machine's temporary folder.
        time_limit: seconds of wall time.
        csv: how CSV files are written; what it leaves open is found in the files.
        reproduce: the command that verifies the result, for the reports.

    Returns:
        What was applied and what it cost, and the audits of the original and of the masked table. `data` is the
        masked table if a table was passed in and the policy is met.

    Raises:
        PolicyError, UsageError: the policy or the call is wrong, or the policy has nothing to mask by.
        NotEvaluated: the data is missing or unreadable, a method does not apply to it, or a limit was reached.
    """
    loaded = load_policy(policy)
    if not loaded.protection:
        raise UsageError(
            f"policy {loaded.name!r} has no protection, so there is nothing to mask with; list methods there"
        )
    target = None if output is None else Path(output)
    releases.check_targets({"-o": target}, [data, policy, *loaded.referenced_files])
    if target is not None:
        check_name(target)
    number, limits, csv = seed_of(seed), RunLimits.of(memory, time_limit, spill, loaded.spill), loaded.dialect(csv)
    with recorded() as record, ExitStack() as stack:
        workspace = None if target is None else stack.enter_context(releases.unfinished(target))
        beside = limits.for_rows()
        source = stack.enter_context(open_data(data, limits=beside, workspace=workspace, csv=csv))
        own = _beside_itself(data, source) if follows(loaded) else {}
        with stage(Stage.AUDITING_DATA):
            before = judged(data, loaded, limits, source=True, csv=csv, as_of=as_of, workspace=workspace, **own)
        names = [column.name for column in source.columns]
        binding, methods = bind(loaded, names), bound(loaded, names)
        _refuse_weights(loaded, methods)
        columns, unit = _released(names, binding, methods)
        held = _held(source, before, methods, beside)
        writer = MaskingWriter(data, loaded, limits.beside(held), columns, unit, as_of, workspace, csv)
        work = _MaskingRun(source, binding, methods, writer, before)
        done = work.done(number, target, seeded=seed is not None, reproduce=reproduce)
        return replace(done, result=replace(done.result, work=work_of(record)))


def _refuse_weights(policy: Policy, methods: Sequence[Applied]) -> None:
    """Refuse to mask what a requirement weighs records by: coarser weights lower the number, and no risk.

    Raises:
        UsageError: says which column.
    """
    masked = {name for applied in methods for name in applied.method.attributes}
    for requirement in policy.requirements:
        for name in requirement.besides if isinstance(requirement, RecordRequirement) else ():
            if name in masked:
                raise UsageError(
                    f"protection masks column {name!r}, by which {requirement.name} weighs records: coarser weights "
                    "do not lower the risk; leave the column as it is"
                )


def _held(source: Source, before: Result, methods: Sequence[Applied], limits: RunLimits) -> int:
    """How many bytes the rows will take in arrays, the audit of the release beside them.

    Raises:
        OutOfMemory: masking them would take more than the limit; told before a row is read.
    """
    records = source.records() if before.data is None else before.data.rows
    columns = len({name for applied in methods for name in applied.method.reads})
    need = masking_bytes(records, columns)
    if need > limits.rows_memory:
        several = "1 column" if columns == 1 else f"{columns} columns"
        raise OutOfMemory(
            f"{source.facts.name}: masking {several} of {records:,} records takes about {need / 1e6:,.0f} MB "
            f"in arrays, which the memory limit does not leave; give --memory {limits.wanted(need)} or more"
        )
    return records * columns * HELD_BYTES


def _beside_itself(data: Any, source: Source) -> dict[str, Any]:
    """What an audit takes of a table that is its own original, as it is before it is masked."""
    return {"original": data, "followed": np.arange(source.records())}


def _released(names: Sequence[str], binding: Binding, methods: Sequence[Applied]) -> tuple[tuple[str, ...], str | None]:
    """The columns of the release, and the one that is counted by and not released.

    Identifiers and free text are left out, and so is the unit's column as long as it is not masked.
    """
    own = {name for applied in methods for name in applied.method.attributes}
    unit = None if binding.unit in own else binding.unit
    hidden = {*binding.identifiers, unit}
    return tuple(name for name in names if name not in hidden), unit


@dataclass(frozen=True)
class _MaskingRun:
    """One masking once its data is open."""

    source: Source
    binding: Binding
    methods: tuple[Applied, ...]
    writer: MaskingWriter
    before: Result

    def _swapped(self) -> float | None:
        """The largest p of rank swapping, in percent; None where no method swaps."""
        return max((m.method.p for m in self.methods if isinstance(m.method, RankSwapping)), default=None)

    def done(self, seed: int, target: Path | None, *, seeded: bool, reproduce: str | None) -> Masked:
        """Mask, write, audit what was written, and put it in place."""
        names = tuple(dict.fromkeys(name for applied in self.methods for name in applied.method.reads))
        with stage(Stage.READING) as reading:
            snapshot = self._snapshot(names)
            data = microdata_of(self.source, self.binding, names, snapshot.coded, self.writer.limits)
            reading.rows = data.records
        with stage(Stage.MASKING, data.records):
            after = masked(self.methods, data, seed)
        self.writer.limits.check()
        changed = [name for name in names if any(name in applied.method.attributes for applied in self.methods)]
        shown = [name for name in changed if name in self.writer.columns]
        columns = [rewritten(data[name], after[name], snapshot.coded.dictionaries[names.index(name)]) for name in shown]
        written = self.source.workspace / (target.name if target else PLANNED)
        audit = self.writer.written(snapshot, columns, written)
        met = audit.exit_code == EXIT_MET
        table = self.writer.table(snapshot, columns) if met else None
        with stage(Stage.MEASURING, data.records):
            figures = figures_of(data, after, shown, self.writer.limits, self._swapped()) if shown else None
            codes = codes_as_numbers(data, after, figures.numbers, self.binding) if figures else None
        masking = self._masking(data, after, shown, seeded=seeded)
        drawn = self._distributions(names, data, after, shown, snapshot.coded)
        own = {
            "masking": replace(masking, distributions=drawn, codes=codes),
            "protection": figures,
            # without the unit's column nobody can count the release by it: there is no command that verifies it
            "reproduce": reproduce if met and target is not None and self.writer.unit is None else None,
        }
        if met and target is not None:
            releases.put_in_place(written, target)
        return Masked(_document(self.before, audit, written=met and target is not None, own=own), table)

    def _snapshot(self, names: Sequence[str]) -> RowSnapshot:
        unit = () if self.writer.unit is None else (self.writer.unit,)
        attributes = self.binding.roles
        read = self._read(names)
        uses = [ColumnUse(name, attributes[name].missing if name in attributes else ("",)) for name in read]
        return self.source.snapshot((*self.writer.columns, *unit), uses)

    @property
    def _people(self) -> str | None:
        """The column that names the people, where a person has several records; None where each record is one."""
        counted = self.binding.policy.unit
        return None if counted is None or counted.rows == "one-per-unit" else self.binding.unit

    def _read(self, names: Sequence[str]) -> list[str]:
        """The columns that methods read, and whom records are of, unless the names of so many do not fit in memory."""
        few = self.before.data is not None and self.before.data.rows <= MOST_OF_PEOPLE
        return list(dict.fromkeys((*names, *([self._people] if self._people and few else []))))

    def _distributions(
        self, names: Sequence[str], data: Microdata, after: Microdata, shown: Sequence[str], coded: Coded
    ) -> tuple[ColumnDistribution, ...]:
        """The columns before and after; none where nobody knows how many people a bin holds."""
        read, people = self._read(names), self._people
        if people is not None and people not in read:
            return ()
        units = None if people is None else coded.codes[:, read.index(people)]
        return distributions(data, after, shown, Crowd(max(threshold(self.before), DEFAULT_THRESHOLD), units))

    def _masking(self, data: Microdata, after: Microdata, shown: Sequence[str], *, seeded: bool) -> Masking:
        methods = tuple(
            AppliedMethod(method=each.name, attributes=each.method.attributes, parameters=each.parameters)
            for each in self.methods
        )
        return Masking(methods=methods, columns=columns_of(data, after, shown), records=data.records, seeded=seeded)


def _document(before: Result, after: Result, *, written: bool, own: Mapping[str, Any]) -> MaskResult:
    """The document; what it says at its top is of the masked table, whether it was written or not."""
    met = after.exit_code == EXIT_MET
    if not written and after.data is not None:
        # a digest of what nobody has would be looked for
        after = replace(after, data=replace(after.data, sha256=None))
    top = {each.name: getattr(after, each.name) for each in fields(Result)}
    told = () if met else (_UNJUDGED if after.verdict is Verdict.NOT_EVALUATED else _NOT_MET,)
    codes = own["masking"].codes
    doubts = () if codes is None else (finding_of(codes),)
    assumed = [] if written else [_NOT_WRITTEN] if met else []
    assumed += [_WITH_UNITS] if after.data and after.data.units is not None and own["reproduce"] is None else []
    assumed += [_SEEDED] if own["masking"].seeded else []
    return MaskResult(
        **{
            **top,
            "command": "mask",
            "not_checked": tuple(block for block in after.not_checked if block != "protection"),
            "findings": (*told, *after.findings, *doubts),
            "assumptions": (*assumed, *after.assumptions),
            "before": before,
            "after": after,
            "written": written,
            **own,
        }
    )


_NOT_WRITTEN = "Nothing was written: the table was masked and audited in a temporary folder, which was removed."
_WITH_UNITS = "The rows were audited with their units; the column that names the units is not in the release."
_SEEDED = (
    "A seed was given: anyone who knows it and the original can repeat every random choice. Protect the seed as you "
    "protect the original, and never publish it."
)
_NOT_MET = Finding(message="The masked table does not meet the policy; nothing was written.")
_UNJUDGED = Finding(message="The masked table could not be judged in its audit; nothing was written.")
