"""`check_outputs`: mining outputs against the rules of a policy, together and with what was released before."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from auditor.dialect import CsvDialect
from auditor.engines import RunLimits, open_data
from auditor.errors import DataError, NotEvaluated, UsageError
from auditor.ledger import Ledger, read_ledger, turn
from auditor.outputs import fitted
from auditor.outputs._history import remember
from auditor.outputs._run import Given, OutputsAudit, Run, not_evaluated
from auditor.outputs.published.outputs import Published
from auditor.outputs.readers import Hints
from auditor.policy import Policy, load_policy
from auditor.result import (
    Finding,
    Verdict,
    verdict_of,
    work_of,
)
from auditor.stages import Stage, recorded, stage


def check_outputs(
    outputs: Given | Iterable[Given],
    policy: Policy | str | Path | Any,
    data: Any = None,
    *,
    output_type: str | None = None,
    records: int | None = None,
    by: Iterable[str] = (),
    of: str | None = None,
    ledger: str | os.PathLike[str] | None = None,
    record: bool = False,
    release: str | None = None,
    as_of: date | None = None,
    memory: str | int | None = None,
    spill: str | Path | None = None,
    time_limit: float | None = None,
    csv: CsvDialect | None = None,
    reproduce: str | None = None,
) -> OutputsAudit:
    """Check mining outputs against the rules of a policy.

    Args:
        outputs: one or more files (see docs/output-formats.md), mappings in the neutral form, fitted models or data
            frames (see `auditor.outputs.fitted`), or `Published` values.
        policy: a policy, the path of a policy file, or a mapping with its contents; it has a list ``outputs``.
        data: the table that the outputs were made from (see `auditor.engines.open_data`); counts are then recomputed.
        output_type: the type of the outputs, if the files do not show it.
        records: N, the number of records they were made from, if neither the files nor the data show it.
        by: the columns that tables are by (of the rows, then of the labels), where their headings do not name them.
        of: what the numbers of tables are, where their headings do not say it: ``count``, ``sum of cost``, ``mean of
            cost``; or of which column, ``cost``.
        ledger: the file that records what was released before; the outputs are checked together with it. If it is
            missing or has no entry, nothing passes.
        record: add the outputs to the ledger if the policy is met; a file that does not exist yet is created.
        release: the name of the release in the manifest, for waivers that are limited to certain releases.
        as_of: the day on which waivers are judged; by default today.
        memory: a size such as ``1GB``; by default half of the machine's memory.
        spill: the folder for temporary data; by default the machine's temporary folder.
        time_limit: seconds of wall time; what is not decided by then is not evaluated, never safe.
        csv: how the data's CSV files are written; what it leaves open is found in the files.
        reproduce: the command that verifies the result, for the reports.

    Raises:
        PolicyError, UsageError: the policy or the call is wrong.
        NotEvaluated: the data or the ledger cannot be read, or a limit was reached.
    """
    loaded = load_policy(policy)
    if not loaded.outputs:
        raise UsageError("the policy has no block `outputs`; add one that says what an output of each type may reveal")
    if record and ledger is None:
        raise UsageError("recording what is released needs a ledger; name its file")
    limits = RunLimits.of(memory, time_limit, spill, loaded.spill)
    day = as_of or date.today()  # noqa: DTZ011  (the day of whoever runs the audit)
    with turn(os.fspath(ledger)) if record and ledger is not None else nullcontext():
        known = None if ledger is None else read_ledger(os.fspath(ledger))
        found = audited(
            outputs,
            loaded,
            data,
            limits=limits,
            day=day,
            known=known,
            release=release,
            output_type=output_type,
            records=records,
            by=by,
            of=of,
            reproduce=reproduce,
            csv=csv,
        )
        if ledger is not None and known is not None and not known.entries:
            begun = Path(ledger).exists()
            if begun or not record:
                return _unledgered(found.result, "unremembered", _NOTHING_IN_IT if begun else _NO_LEDGER)
        if record and ledger is not None and found.result.verdict in (Verdict.PASS, Verdict.WAIVED):
            assert known is not None  # noqa: S101  (it was read above)
            try:
                remember(found.published, os.fspath(ledger), loaded.sha256, day, known)
            except NotEvaluated as wrong:
                return _unledgered(found.result, "unrecorded", str(wrong))
        return found.result


_NO_LEDGER = (
    "there is no ledger of that name, so nothing could be compared with what was released before; where nothing was, "
    "--record begins it"
)
_NOTHING_IN_IT = (
    "the ledger is an empty file, so nothing could be compared with what was released before; restore it from its "
    "history or, where nothing was released, remove the file: --record begins it"
)


@dataclass(frozen=True)
class Audited:
    """What an audit found, and the outputs as it judged them: what a ledger is to remember of them."""

    result: OutputsAudit
    published: tuple[Published, ...]


def audited(
    outputs: Given | Iterable[Given],
    policy: Policy,
    data: Any = None,
    *,
    limits: RunLimits,
    day: date,
    known: Ledger | None = None,
    beside: tuple[Published, ...] = (),
    release: str | None = None,
    output_type: str | None = None,
    records: int | None = None,
    by: Iterable[str] = (),
    of: str | None = None,
    reproduce: str | None = None,
    csv: CsvDialect | None = None,
) -> Audited:
    """Audit mining outputs, and hand on what was read of them; see `check_outputs`.

    Args:
        outputs: one or several.
        policy: a policy with rules for outputs.
        data: the table that the outputs were made from.
        limits: memory and time; the time counts from when the data is open.
        day: the day that waivers are judged on.
        known: what was released before.
        beside: what is released at the same time, and judged by itself.
        release: the release's name.
        output_type: the type of the outputs.
        records: N.
        by: the columns that tables are by.
        of: what the numbers of tables are.
        reproduce: the command that verifies.
        csv: how the data's CSV files are written; what it leaves open is found in them.

    Raises:
        PolicyError, UsageError: the policy or the call is wrong.
        NotEvaluated: the data cannot be read, or a limit was reached.
    """
    limits, csv = limits.spilling(policy.spill), policy.dialect(csv)
    with recorded() as record, ExitStack() as opened:
        source = None if data is None else opened.enter_context(open_data(data, limits=limits, csv=csv))
        deadline = math.inf if limits.seconds is None else time.monotonic() + limits.seconds
        run = Run(policy, source, known, deadline, day, release, beside)
        with stage(Stage.COUNTING):
            if source is not None and run.counts is not None and not run.counts.records:
                raise DataError(f"{source.facts.name}: has no records; there is nothing to count in")
        with stage(Stage.READING) as here:
            grouping = csv.thousands == "." or csv.decimal == ","
            said = Hints(type=output_type, records=records, by=_columns(by), of=of, points_may_group=grouping)
            run.read(here.counting(_listed(outputs), "outputs"), said)
        with stage(Stage.JUDGING):
            result = run.result(reproduce)
    return Audited(replace(result, work=work_of(record)), tuple(run.published))


def _columns(by: Iterable[str]) -> tuple[str, ...]:
    names = (by,) if isinstance(by, str) else tuple(by)
    if not all(names) or len(set(names)) < len(names):
        raise UsageError("the columns that tables are by (--by) are names, each once, such as educ,sex")
    return names


def _listed(outputs: Given | Iterable[Given]) -> list[Given]:
    single = isinstance(outputs, str | os.PathLike | Mapping | Published) or fitted.is_one(outputs)
    if single or not isinstance(outputs, Iterable):
        return [outputs]
    listed = list(outputs)
    if not listed:
        raise UsageError("no output was given; name at least one file")
    return listed


def _unledgered(result: OutputsAudit, model: str, reason: str) -> OutputsAudit:
    """What was found, not passed: the ledger does not tell what was released before, or cannot remember this."""
    missing = not_evaluated("outputs-ledger", model, reason, "the ledger holds all")
    finding = Finding(requirement=missing.id, message=f"Not evaluated: {reason}.")
    found = (*result.requirements, missing)
    return replace(result, verdict=verdict_of(found), requirements=found, findings=(*result.findings, finding))
