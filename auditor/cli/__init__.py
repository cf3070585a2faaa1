"""The command line: arguments, progress and exit codes; no logic.

One command, one file of the same name in this package, imported only when it is called, so that help stays fast.
"""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from typing import Any

import click

COMMANDS = {
    "check": "Judge a dataset as a release.",
    "diff": "Compare two policies field by field.",
    "explain": "What a model demands or a masking method does, its source, an example.",
    "gate": "Judge every release of the manifest, and compare its rules with the base revision.",
    "hide": "Hide sensitive itemsets and rules in transactions.",
    "guard": "Refuse files that must not be committed.",
    "hierarchy": "Show the ladders of a policy over a table.",
    "init": "Profile a table and propose a policy.",
    "lint": "Load policies, report every error and doubtful choice.",
    "lock": "Write the lock file of the packs that come from outside the repository.",
    "mask": "Apply the policy's masking methods; write and audit the masked table.",
    "outputs": "Audit mining outputs before release.",
    "queries": "Audit a log of aggregate queries.",
    "remediate": "Find and write the release that meets a policy and loses least.",
    "report": "Render a stored result again.",
    "schema": "Print the JSON Schema of the policy file, or of result documents.",
    "show": "Print the effective policy with origins.",
    "sql": "Print the statement that counts a table in a warehouse.",
    "test": "Run the policy tests.",
    "tradeoff": "Weigh masking methods: what each loses, and what it discloses.",
    "verify": "Is this the data that was certified?",
}
"""Every command with its line of help: what `auditor --help` shows without importing a command."""


class _Lazy(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from auditor.errors import nearest

            ctx.fail(f"No such command {args[0]!r}{nearest(args[0], list(COMMANDS))}. See auditor --help.")
        return super().resolve_command(ctx, args)


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="auditor", prog_name="auditor")
def cli() -> None:
    """Judge data releases against a privacy policy.

    Exit codes: 0 met (or waived), 1 not met, 2 command line or policy wrong, 3 could not be evaluated, 4 policy
    weakened, 5 a fault of this program.
    """


def main() -> None:
    """Run the command line and exit with the contract's code; never with a traceback."""
    from auditor.cli._run import run, stop

    # A run that is told to stop ends as one that is interrupted: with a message, and without its temporary files.
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, stop)
    sys.exit(run(cli, sys.argv[1:]))


def invoke(arguments: list[str]) -> Any:
    """Run one command from Python, as the tests and the documentation do; returns its exit code."""
    from auditor.cli._run import run

    return run(cli, arguments)
