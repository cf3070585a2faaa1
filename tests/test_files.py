"""Opening files that a stranger may have put there."""

import os
import stat
import sys

import pytest

from auditor.files import opened

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes and descriptors of POSIX")


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with opened(tmp_path / "pipe") as stream:
        assert stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)


def test_a_folder_is_an_error_and_leaves_nothing_open(tmp_path):
    free = os.dup(0)
    os.close(free)
    with pytest.raises(IsADirectoryError):
        opened(tmp_path)
    after = os.dup(0)
    os.close(after)
    assert after == free
