"""The command line as a whole: which commands there are, and what happens with others."""

import pytest

from auditor.cli import COMMANDS, NOT_BUILT, invoke


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_in_the_help_has_help_of_its_own(name, capsys):
    assert invoke([name, "--help"]) == 0
    assert "Usage:" in capsys.readouterr().out


@pytest.mark.parametrize("name", NOT_BUILT)
def test_a_command_of_the_contract_that_is_not_built_is_not_evaluated(name, capsys):
    assert invoke([name, "anything", "-p", "policy.yaml"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "not built yet, so nothing was judged" in err


def test_a_misspelt_command_is_told_the_nearest(capsys):
    assert invoke(["chek"]) == 2
    assert "did you mean 'check'" in capsys.readouterr().err


def test_no_command_is_both_there_and_not():
    assert not set(COMMANDS) & set(NOT_BUILT)
