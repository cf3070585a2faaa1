"""The command line as a whole: which commands there are, and what happens with others."""

import pytest

from auditor.cli import COMMANDS, invoke


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_in_the_help_has_help_of_its_own(name, capsys):
    assert invoke([name, "--help"]) == 0
    assert "Usage:" in capsys.readouterr().out


def test_a_misspelt_command_is_told_the_nearest(capsys):
    assert invoke(["chek"]) == 2
    assert "did you mean 'check'" in capsys.readouterr().err
