"""Hide sensitive itemsets and rules in transactions."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from auditor.cli._options import AuditOptions, auditing_options
from auditor.cli._progress import progress
from auditor.cli._shown import shown
from auditor.errors import UsageError
from auditor.outputs.hiding import AUTO, METHODS, hide
from auditor.release import deferral
from auditor.report import delivery
from auditor.report.hiding import HidingPage


@click.command()
@click.argument("data")
@click.option(
    "--sensitive",
    required=True,
    metavar="FILE",
    help="One itemset per line, with items separated by blanks, or a b => c for a rule.",
)
@click.option(
    "--min-support",
    required=True,
    metavar="N|SHARE",
    help="The support from which a miner reports a pattern: N transactions, or a share of DATA's (0.1%, 0.001).",
)
@click.option("--min-confidence", metavar="SHARE", help="The minimum confidence of a rule that a miner reports.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="RELEASE", help="The file to write.")
@click.option("--plan", is_flag=True, help="Hide, measure, and write nothing.")
@click.option("--method", type=click.Choice([AUTO, *METHODS]), default=AUTO, show_default=True, help="How to hide.")
@click.option("--compare", is_flag=True, help="Measure every method and compare them.")
@click.option("--margin", type=click.IntRange(min=0), default=0, metavar="N", help="Hide to N below the threshold.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Seed for random choices.  [default: 0]"
)
@auditing_options
def command(
    *,
    data: str,
    sensitive: str,
    min_support: str,
    min_confidence: str | None,
    output: Path | None,
    plan: bool,
    method: str,
    compare: bool,
    margin: int,
    seed: int,
    options: AuditOptions,
) -> int:
    """Remove what is sensitive from the transactions DATA, so that a miner does not find it in RELEASE.

    DATA is a FIMI .dat file (items separated by blanks, one transaction per line) or JSON lines {"items": [...]}; .gz
    and .zst too. The release is written to a temporary file, read and mined again, and renamed only if everything is
    hidden; otherwise nothing is released and the exit code is 1.
    """
    if plan == (output is not None):
        raise UsageError("give -o RELEASE, or --plan to write nothing")
    inputs, outputs = [data, sensitive], [] if output is None else [output]
    wanted = delivery.plan(options.format, options.reports, options.audience, inputs=inputs, outputs=outputs)
    wanted.refuse_others(HidingPage)
    with deferral() as release:
        with progress(shown(data), quiet=options.quiet):
            found = hide(
                data,
                sensitive,
                min_support=min_support,
                min_confidence=min_confidence,
                method=method,
                margin=margin,
                seed=seed,
                compare=compare,
                output=output,
                memory=options.memory,
                spill=options.spill,
                time_limit=options.time_limit,
                as_of=options.as_of,
                reproduce=_again(
                    shown(data),
                    "--sensitive",
                    Path(sensitive).name,
                    "--min-support",
                    min_support,
                    *([] if min_confidence is None else ["--min-confidence", min_confidence]),
                    "--method",
                    method,
                    "--margin",
                    str(margin),
                    "--seed",
                    str(seed),
                ),
            )
        wanted.deliver(found.result, release.put)
    return found.exit_code


def _again(*words: str) -> str:
    """The command that does and measures the same, with file names as the reader of the report will have them."""
    return shlex.join(["auditor", "hide", *words, "--plan"])
