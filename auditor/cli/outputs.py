"""Audit mining outputs before release."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from glob import glob
from pathlib import Path

import click

from auditor.cli._baseline import Baseline, baseline_options
from auditor.cli._options import AuditOptions, auditing_options, csv_options
from auditor.cli._progress import progress
from auditor.cli._shown import shown
from auditor.dialect import CsvDialect
from auditor.errors import DataError
from auditor.outputs import check_outputs
from auditor.outputs.readers import TYPES
from auditor.report import delivery


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("-p", "--policy", required=True, metavar="POLICY", help="The policy file, or a starter pack's name.")
@click.option(
    "-d", "--data", metavar="DATA", help="The table that the outputs were made from, to recompute the counts."
)
@click.option(
    "--type",
    "output_type",
    type=click.Choice(TYPES),
    help="The type of the outputs.  [default: detected from the contents]",
)
@click.option("--records", type=click.IntRange(min=1), metavar="N", help="How many records the outputs were made from.")
@click.option(
    "--by", metavar="COLUMNS", help="The columns that a table is by, as A,B, if its headings do not name them."
)
@click.option(
    "--of",
    metavar="WHAT",
    help="What a table's numbers are, if its headings do not say: count, 'mean of COLUMN', or COLUMN.",
)
@click.option("--ledger", metavar="FILE", help="The ledger of earlier releases; all are checked together.")
@click.option(
    "--record",
    is_flag=True,
    help="Add the outputs to the ledger if they meet the policy; create it if it does not exist.",
)
@baseline_options
@csv_options
@auditing_options
def command(
    *,
    files: tuple[str, ...],
    policy: str,
    data: str | None,
    output_type: str | None,
    records: int | None,
    by: str | None,
    of: str | None,
    ledger: str | None,
    record: bool,
    baseline: Baseline | None,
    csv: CsvDialect,
    options: AuditOptions,
) -> int:
    """Audit FILES, mining outputs and statistics, against the rules of POLICY.

    FILES contain rules, itemsets, trees, tables, statistics, regressions or clusters, as the programs of
    docs/output-formats.md write them. The format is detected from the contents.
    """
    places = _files(files)
    found = list(places)
    inputs = [*found, policy, *([data] if data else []), *([ledger] if ledger else [])]
    written = [*([Path(ledger)] if ledger else []), *([baseline.target] if baseline else [])]
    plan = delivery.plan(options.format, options.reports, options.audience, inputs=inputs, outputs=written)
    said = {"--type": output_type, "--records": records, "--by": by, "--of": of}
    said |= {"--ledger": Path(ledger).name if ledger else None}
    what = Path(found[0]).name if len(found) == 1 else f"{len(found)} outputs"
    with progress(what, quiet=options.quiet):
        result = check_outputs(
            found,
            policy,
            data,
            output_type=output_type,
            records=records,
            by=() if by is None else [name.strip() for name in by.split(",")],
            of=of,
            ledger=ledger,
            record=record,
            **options.bounds,
            csv=csv,
            reproduce=_again(found, policy, data, csv, said),
        )
    unwritten = {name for path, by_pattern in places.items() if by_pattern for name in (path, Path(path).name)}
    outputs = tuple(replace(output, found=output.file in unwritten) for output in result.outputs)
    result = replace(result, outputs=outputs)
    plan.deliver(result)
    if baseline is not None:
        baseline.write(result, policy)
    return result.exit_code


def _files(given: tuple[str, ...]) -> dict[str, bool]:
    """The files by name, those of a pattern in order, and whether one matches; where none does it is an error."""
    found: dict[str, bool] = {}
    for each in given:
        by_pattern = bool(set("*?[") & set(each)) and not Path(each).exists()
        matched = sorted(glob(each, recursive=True)) if by_pattern else [each]  # noqa: PTH207
        if not matched:
            raise DataError(f"{each}: no file matches; name the files of the outputs")
        found |= {name: by_pattern and found.get(name, True) for name in matched}
    return found


def _again(
    files: list[str],
    policy: str,
    data: str | None,
    csv: CsvDialect,
    said: Mapping[str, str | int | None],
) -> str:
    """The command that verifies, with file names as the reader of the report will have them; `said` are its options."""
    words = ["auditor", "outputs", *(Path(each).name for each in files), "-p", Path(policy).name]
    if data is not None:
        words += ["-d", shown(data), *csv.options]
    return shlex.join(
        [*words, *(word for name, value in said.items() if value is not None for word in (name, str(value)))]
    )
