"""The options that every auditing command has."""

from __future__ import annotations

from datetime import date
from typing import Any

import click
import pytest
from click.testing import CliRunner

from auditor.cli._options import AuditOptions, auditing_options
from auditor.result import Audience

seen: list[AuditOptions] = []


@click.command()
@auditing_options
def command(options: AuditOptions) -> None:
    seen.append(options)


def asked(*arguments: str) -> AuditOptions:
    outcome = CliRunner().invoke(command, list(arguments), catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return seen.pop()


def test_nothing_asked_leaves_the_choices_to_the_command() -> None:
    assert asked() == AuditOptions("text", (), None, None, None, None, None, False)


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        (["--format", "sarif"], "format", "sarif"),
        (["--report", "a.html", "--report", "gitlab=b.json"], "reports", ("a.html", "gitlab=b.json")),
        (["--audience", "public"], "audience", Audience.PUBLIC),
        (["--memory", "1GB"], "memory", "1GB"),
        (["--time-limit", "90"], "time_limit", 90.0),
        (["--time-limit", "5m"], "time_limit", 300.0),
        (["--time-limit", "1.5h"], "time_limit", 5400.0),
        (["--as-of", "2027-03-31"], "as_of", date(2027, 3, 31)),
        (["--quiet"], "quiet", True),
    ],
)
def test_options_are_read(arguments: list[str], name: str, value: Any) -> None:
    assert getattr(asked(*arguments), name) == value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--time-limit", "soon"], "write it as 90"),
        (["--as-of", "31.3.2027"], "write it as 2027-03-31"),
        (["--format", "html"], "'html' is not one of"),
    ],
)
def test_wrong_values_say_what_would_be_right(arguments: list[str], message: str) -> None:
    outcome = CliRunner().invoke(command, arguments)
    assert outcome.exit_code == 2
    assert message in outcome.output
