"""Compare masking methods: what each loses, and what it discloses."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from auditor.cli._options import AuditOptions, auditing_options, csv_options
from auditor.cli._progress import progress
from auditor.cli._shown import shown
from auditor.dialect import CsvDialect
from auditor.report import delivery
from auditor.report.tradeoff import TradeoffPage
from auditor.weighing import PRESETS, SEEDS, tradeoff


@click.command()
@click.argument("data")
@click.option("-p", "--policy", required=True, metavar="POLICY", help="The policy file, or a starter pack's name.")
@click.option(
    "--preset", type=click.Choice(list(PRESETS)), help="Try a published list of methods instead of the policy's."
)
@click.option(
    "--seeds", type=click.IntRange(min=1), default=SEEDS, show_default=True, help="How often each method is tried."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed for random choices.")
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Record what was measured, and continue from there.",
)
@click.option("--processes", type=click.IntRange(min=1), metavar="N", help="How many processes work at once.")
@csv_options
@auditing_options
def command(
    *,
    data: str,
    policy: str,
    preset: str | None,
    seeds: int,
    seed: int,
    state: Path | None,
    processes: int | None,
    csv: CsvDialect,
    options: AuditOptions,
) -> int:
    """Try masking methods on DATA, and compare what each loses with what it discloses.

    Each method of the policy's protection is tried with its parameters and with every combination of its sweep. The
    answer lists them in the order of their Score, and says which of them meet the policy and which to take. Nothing
    is released: auditor mask does that.
    """
    outputs = [] if state is None else [state]
    wanted = delivery.plan(options.format, options.reports, options.audience, inputs=[data, policy], outputs=outputs)
    wanted.refuse_others(TradeoffPage)
    with progress(shown(data), quiet=options.quiet):
        answer = tradeoff(
            data,
            policy,
            preset=preset,
            seeds=seeds,
            seed=seed,
            state=state,
            processes=processes,
            **options.bounds,
            csv=csv,
            reproduce=_again(data, policy, csv.options, preset, seeds=seeds, seed=seed),
        )
    wanted.deliver(answer)
    return answer.exit_code


def _again(data: str, policy: str, csv: Sequence[str], preset: str | None, *, seeds: int, seed: int) -> str:
    """The command that makes the same figures, with file names as the reader of the report will have them."""
    words = [
        "auditor",
        "tradeoff",
        shown(data),
        "-p",
        policy if not Path(policy).is_absolute() else Path(policy).name,
    ]
    words += [*csv, *([] if preset is None else ["--preset", preset])]
    return shlex.join([*words, "--seeds", str(seeds), "--seed", str(seed)])
