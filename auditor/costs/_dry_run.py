"""From a policy and the metadata of tables to what a command would do with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditor.costs._document import DryRun
from auditor.costs._workload import DUCKDB, SPARK, Where, Workload
from auditor.dialect import CsvDialect
from auditor.engines import DatabaseTable, Files, Preview, RunLimits, look_at
from auditor.errors import Unsupported, UsageError
from auditor.policy import Policy, load_policy


def dry_run(
    command: str,
    data: str | Files | DatabaseTable,
    policy: Policy | str | Path | Mapping[str, Any],
    *,
    original: str | Files | DatabaseTable | None = None,
    before_release: bool = False,
    output: str | Path | None = None,
    engine: str = DUCKDB,
    push_down: bool = False,
    weight: str | None = None,
    adding: bool = False,
    memory: str | int | None = None,
    spill: str | Path | None = None,
    csv: CsvDialect | None = None,
) -> DryRun:
    """What a command would read, group, hold, move and write.

    Args:
        command: ``check``, ``remediate`` or ``mask``.
        data: the path, glob, folder or database URL that the command would be given, or what was found of it.
        policy: the policy.
        original: the table that the release was made from, as ``check`` takes it.
        before_release: the table is judged before release, as ``check --source`` does.
        output: the release that would be written.
        engine: the engine that would count.
        push_down: a server would group, so that no row leaves it.
        weight: the column that says how many records each row stands for.
        adding: earlier counts would be added to, where that is exact.
        memory: a size such as ``1GB``; half of the machine's memory by default.
        spill: the folder for data that does not fit into memory.
        csv: how CSV files are written; what it leaves open is found in the files.

    Raises:
        PolicyError, UsageError: the policy or the call is wrong.
        NotEvaluated: the data is missing, or its header cannot be read.
    """
    loaded = load_policy(policy)
    if command != "mask" and not loaded.requirements:
        raise UsageError(f"policy {loaded.name!r} has no requirements, so there is nothing to judge a dataset by")
    if command == "mask" and not loaded.protection:
        raise UsageError(f"policy {loaded.name!r} has no protection, so there is nothing to mask with")
    limits = RunLimits.of(memory, None, spill).spilling(loaded.spill)
    found = look_at(_seen(data) if engine == SPARK and isinstance(data, str) else data, limits=limits, csv=csv)
    others = _others(loaded, original, limits, csv, before_release=before_release or command != "check")
    where = Where(engine, push_down, None if output is None else Path(output).name, weight, adding)
    return Workload(command, loaded, found, others, limits=limits, where=where).answer()


def _seen(data: str) -> str:
    """The path of data for a cluster, which is not asked."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://|table:", data)
    if scheme and scheme[1] != "file":
        raise Unsupported(
            "a dry run starts no Spark session; it covers files that this machine can read, not addresses and "
            "catalog tables"
        )
    return data.removeprefix("file://")


def _others(
    policy: Policy,
    original: str | Files | DatabaseTable | None,
    limits: RunLimits,
    csv: CsvDialect | None,
    *,
    before_release: bool,
) -> dict[str, Preview]:
    """The tables that are read beside the data, by their role."""
    others = {}
    if policy.reference not in ("released", "original"):
        others["reference"] = look_at(str(policy.reference_file), limits=limits)
    if policy.population_file is not None and policy.reads_population:
        others["population"] = look_at(str(policy.population_file), limits=limits)
    if original is not None:
        others["original"] = look_at(original, limits=limits, csv=csv)
    elif policy.reference == "original" and not before_release:
        raise Unsupported(
            "the policy says reference: original; name the table that the release was made from with --original"
        )
    return others
