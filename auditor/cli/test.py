"""Run the policy tests."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import click

from auditor.cli._options import ReportOptions, day_option, reporting_options
from auditor.cli._progress import progress
from auditor.errors import EXIT_MET, UsageError
from auditor.report import delivery, formats
from auditor.report.policy_tests import TestsPage, redact
from auditor.report.rendered import audience_for
from auditor.result import Audience
from auditor.result.policy_tests import PolicyTestsResult


@click.command()
@click.argument("paths", nargs=-1, metavar="[FILE|FOLDER]...")
@click.option(
    "--coverage", is_flag=True, help="Loosen each number of the policy by one step, and require that a test notices."
)
@click.option("--scaffold", metavar="POLICY", help="Write tests on both sides of each number of POLICY.")
@click.option("-o", "--output", metavar="FILE", help="Where --scaffold writes.  [default: POLICY_test.yaml]")
@day_option
@click.option("-q", "--quiet", is_flag=True, help="No progress on standard error.")
@reporting_options(TestsPage)
def command(
    *,
    paths: tuple[str, ...],
    coverage: bool,
    scaffold: str | None,
    output: str | None,
    as_of: date | None,
    quiet: bool,
    options: ReportOptions,
) -> int:
    """Run policy tests: the given files, or those found below a folder (by default the current one).

    A test file's name ends in _test.yaml; it names a policy and has tiny tables, inline or by path, with the
    expected outcome of each. The exit code is 1 if a test fails or, with --coverage, if no test would notice a weaker
    policy.
    """
    if scaffold is not None:
        if paths or coverage:
            raise UsageError("--scaffold POLICY goes with neither test files nor --coverage")
        return _scaffold(scaffold, output, quiet=quiet)
    if output is not None:
        raise UsageError("-o says where --scaffold writes; reports are named with --report")
    return _run(paths, coverage=coverage, as_of=as_of, quiet=quiet, options=options)


def _run(paths: tuple[str, ...], *, coverage: bool, as_of: date | None, quiet: bool, options: ReportOptions) -> int:
    from auditor.testing import discover, load_tests, run

    found = discover(paths)
    plan = delivery.plan(options.format, options.reports, options.audience, inputs=found)
    plan.refuse_others(TestsPage)
    with progress("policies", quiet=quiet):
        result = run([load_tests(file) for file in found], as_of=as_of, covered=coverage)
    for target in plan.targets:
        delivery.write(target.path, _written(result, target.format, options.audience).encode("utf-8"))
    delivery.show(_written(result, options.format, options.audience))
    return result.exit_code


def _written(result: PolicyTestsResult, form: str, audience: Audience | None) -> str:
    return formats.write(TestsPage(redact(result, audience_for(form, audience))), form)


def _scaffold(named: str, output: str | None, *, quiet: bool) -> int:
    from auditor.policy import load_policy
    from auditor.testing import ENDING, scaffold

    policy = load_policy(named)
    source = Path(named)
    target = Path(output) if output else source.with_name(f"{source.stem}{ENDING}")
    if target.exists():
        raise UsageError(f"{target}: exists already, and tests are not overwritten; name another file with -o")
    if not target.parent.is_dir():
        raise UsageError(f"{target}: there is no folder {target.parent}")
    reference = os.path.relpath(source, target.parent) if source.exists() else named
    with progress(f"tables around the numbers of {policy.name}", quiet=quiet):
        made = scaffold(policy, Path(reference).as_posix())
    if not made.tests:
        raise UsageError(f"{named}: has no number that a tiny table can test; nothing was written")
    delivery.write(target, made.text.encode("utf-8"))
    click.echo(f"{target}: {made.tests} tests; read what they expect before you trust them", err=True)
    for number in made.left_out:
        click.echo(f"no table found for {number}; write that test by hand", err=True)
    return EXIT_MET
