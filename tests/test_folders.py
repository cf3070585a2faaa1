"""Temporary folders: private, gone afterwards, and those of dead runs removed by the next one."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from auditor.folders import PrivateFolder, for_copies, remove_what_was_left

PREFIX = "kind-"
DEAD = """
import sys, time
from pathlib import Path
from auditor.folders import PrivateFolder
folder = PrivateFolder(Path(sys.argv[1]), "kind-")
(folder.path / "value").write_text("x")
print(folder.path, flush=True)
time.sleep(600)
"""


@pytest.fixture
def killed(tmp_path):
    """A folder whose process lives until `kill` is called."""
    with subprocess.Popen([sys.executable, "-c", DEAD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        folder = Path(process.stdout.readline().strip())

        def kill():
            process.send_signal(signal.SIGKILL)
            process.wait()

        yield folder, kill
        kill()


def test_a_folder_is_private_and_goes_with_what_it_holds(tmp_path):
    with PrivateFolder(tmp_path, PREFIX) as folder:
        assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
        (folder.path / "inner").mkdir()
        (folder.path / "inner" / "value").write_text("x")
        with PrivateFolder(tmp_path, PREFIX) as other:
            assert other.path != folder.path
            assert folder.path.is_dir()
    assert not any(tmp_path.iterdir())


def test_a_folder_goes_with_what_holds_it(tmp_path):
    folder = PrivateFolder(tmp_path, PREFIX)
    del folder
    assert not any(tmp_path.iterdir())


def test_the_folder_of_a_dead_process_is_removed_and_of_a_living_one_is_not(tmp_path, killed):
    folder, kill = killed
    remove_what_was_left(tmp_path, PREFIX)
    assert (folder / "value").exists()
    kill()
    assert (folder / "value").exists()
    with PrivateFolder(tmp_path, PREFIX) as new:
        assert list(tmp_path.iterdir()) == [new.path]


def test_only_folders_of_its_kind_are_removed(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "kind").mkdir()
    (tmp_path / "kind-file").write_text("x")
    (tmp_path / "kind-link").symlink_to(tmp_path / "data", target_is_directory=True)
    remove_what_was_left(tmp_path, PREFIX)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "kind", "kind-file", "kind-link"]


def test_folders_of_others_stay(tmp_path, monkeypatch):
    (tmp_path / "kind-of-others").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    remove_what_was_left(tmp_path, PREFIX)
    assert (tmp_path / "kind-of-others").is_dir()


def test_a_folder_taken_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    made = []
    mkdir = Path.mkdir

    def taken(path, *args, **options):
        mkdir(path, *args, **options)
        made.append(path)
        if len(made) == 1:
            path.rmdir()

    monkeypatch.setattr(Path, "mkdir", taken)
    with PrivateFolder(tmp_path, PREFIX) as folder:
        assert folder.path == made[1]
        assert list(tmp_path.iterdir()) == [folder.path]


def test_where_no_folder_can_be_made_it_is_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        PrivateFolder(tmp_path / "nowhere", PREFIX)


WAITING = """
import sys, time
from importlib import import_module
def wait(*args, **options):
    print("there", flush=True)
    time.sleep(600)
def wait_at(module, name):
    getattr(module, name)
    setattr(module, name, wait)
{code}
"""
COPYING = {
    "a table of a test": """
from auditor.testing import _judge
from auditor.testing._file import Case
wait_at(_judge, "check")
_judge.judged(Case.model_validate({"name": "t", "csv": "a\\n1\\n", "expect": {"verdict": "pass"}}), None, {}, None)
""",
    "the policy of a revision": """
from auditor.policy import revision
wait_at(revision, "RevisionFiles")
with revision.policy_at("HEAD:p.yaml"):
    pass
""",
    "the base of the gate": """
from pathlib import Path, PurePosixPath
from auditor.gate import _sides
from auditor.policy.git import Git
wait_at(_sides, "RevisionFiles")
with _sides.base_side(Git(Path.cwd()), "HEAD", PurePosixPath()):
    pass
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("copied", COPYING)
def test_copies_of_a_killed_run_are_removed_by_the_next(copied, tmp_path, monkeypatch):
    for words in (
        ["init", "-q"],
        ["-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "m"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-c", WAITING.replace("{code}", COPYING[copied])]
    told = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(command, cwd=tmp_path, env=told, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "there\n"
        process.kill()
    (left,) = temporary.iterdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with for_copies() as folder:
        assert [*temporary.iterdir()] == [folder.path]
        assert folder.path != left
    assert not [*temporary.iterdir()]
