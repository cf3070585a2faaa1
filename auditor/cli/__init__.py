"""The command line: arguments, progress and exit codes; no logic.

One command, one file of the same name in this package, found by being there, and imported only when it is
called, so that help stays fast.
"""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from auditor.distribution import NAME

__all__ = ["COMMANDS", "cli", "invoke", "main"]

COMMANDS = tuple(sorted(file.stem for file in Path(__file__).parent.glob("[!_]*.py")))
"""Every command: the files of this package that do not begin with an underscore."""
ALIASES = {"fix": "remediate"}
"""Other names of commands."""


def _told(name: str) -> str:
    """A command's line of help: the first line of its file, read without importing it."""
    with Path(__file__).with_name(f"{name}.py").open(encoding="utf-8") as file:
        return file.readline().strip().strip('"')


class _FileName(click.types.StringParamType):
    """Text that a shell completes as it does by itself: by the names of files."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class _Lazy(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        for parameter in command.params:
            if parameter.type is click.STRING:
                parameter.type = _FileName()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, _told(name)) for name in COMMANDS])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        args = [ALIASES.get(args[0], args[0]), *args[1:]] if args else args
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from auditor.errors import nearest

            ctx.fail(f"No such command {args[0]!r}{nearest(args[0], list(COMMANDS))}. See auditor --help.")
        return super().resolve_command(ctx, args)


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name=NAME, prog_name="auditor")
def cli() -> None:
    """Judge data releases against a privacy policy.

    Exit codes: 0 met (or waived), 1 not met, 2 wrong command line or policy, 3 could not be evaluated, 4 policy
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
