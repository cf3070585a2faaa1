"""Where it runs: hooks in a real git repository, the steps of the action and the component as scripts, the container.

What needs a network (installing, pulling an image) is not run here; everything else is, as it is written.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.cli import COMMANDS
from tests.gate.repository import DATA, Repository
from tests.workshop.pages import ROOT

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}
COMPONENT = (ROOT / "templates" / "gate.yml").read_text(encoding="utf-8")
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI", "GITLAB_", "PRE_COMMIT"))
} | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}

TESTS = """\
policy: ../policies/clinic.yaml
tests:
  - {name: alone, csv: "age,zip,diagnosis\\n30,1,flu\\n", expect: {fails: [k, l]}}
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    found = Repository(tmp_path)
    found.write("tests/clinic_test.yaml", TESTS)
    found.commit("tests")
    return found


def run(words: list[str] | str, repository: Repository, **environment: str) -> subprocess.CompletedProcess[str]:
    """Words as they are, or a script as bash runs it on a platform."""
    command = words if isinstance(words, list) else ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", words]
    told = {**ENVIRONMENT, "GIT_CONFIG_GLOBAL": "/dev/null", **environment}
    return subprocess.run(
        command, cwd=repository.top, env=told, capture_output=True, text=True, check=False, timeout=300
    )


# Hooks


def hooked(repository: Repository) -> None:
    """Install the hooks as pre-commit does; the entries run from this environment instead of one of their own."""
    hooks = [{**hook, "language": "system"} for hook in HOOKS]
    repository.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]}))
    repository.commit("hooks")
    made = run([sys.executable, "-m", "pre_commit", "install", "-t", "pre-commit", "-t", "pre-push"], repository)
    assert made.returncode == 0, made.stdout + made.stderr


def commit(repository: Repository) -> subprocess.CompletedProcess[str]:
    repository.git("add", "-A")
    who = ["-c", "user.name=ana", "-c", "user.email=ana@example.org"]
    home = str(repository.top.parent / "pre-commit-home")
    return run(["git", *who, "commit", "-m", "a change"], repository, PRE_COMMIT_HOME=home)


def test_every_hook_is_a_command() -> None:
    assert [hook["id"] for hook in HOOKS] == ["auditor-lint", "auditor-test", "auditor-guard", "auditor-gate"]
    for hook in HOOKS:
        program, command, *_ = hook["entry"].split()
        assert (program, command in COMMANDS) == ("auditor", True)


def test_a_good_change_is_committed(repository: Repository) -> None:
    hooked(repository)
    repository.replace("policies/clinic.yaml", "l: 2}", "l: 2, because: diseases differ}")
    done = commit(repository)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no raw data" in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("policies/clinic.yaml", "name: clinic\nrequirments: []\n", "did you mean 'requirements'"),
        ("tests/clinic_test.yaml", TESTS.replace("[k, l]", "[k]"), "fails: expected k, found k, l"),
        ("raw/clinic.csv", DATA, "raw/clinic.csv: is the original of the release clinic"),
    ],
    ids=["a wrong policy", "a test that fails", "raw data"],
)
def test_a_bad_change_is_not_committed(repository: Repository, name: str, text: str, said: str) -> None:
    repository.replace("auditor.yaml", "data: out/clinic.csv", "data: out/clinic.csv, original: raw/clinic.csv")
    hooked(repository)
    before = repository.git("rev-parse", "HEAD")
    repository.write(name, text)
    done = commit(repository)
    assert done.returncode != 0
    assert said in done.stdout + done.stderr
    assert repository.git("rev-parse", "HEAD") == before


def test_a_table_with_identifiers_is_refused_wherever_it_lies(repository: Repository) -> None:
    repository.replace("policies/clinic.yaml", "diagnosis: sensitive", "diagnosis: sensitive, name: identifier")
    repository.write("notes/people.csv", "name,age\nAda,36\n")
    repository.write("notes/ages.csv", "age\n36\n")
    done = run(["auditor", "guard", "notes/people.csv", "notes/ages.csv", "auditor.yaml"], repository)
    assert done.returncode == 1
    assert done.stdout == "notes/people.csv: has what the policy clinic calls an identifier or free text: 'name'\n"
    assert run(["auditor", "guard", "notes/ages.csv"], repository).returncode == 0


def test_the_gate_holds_a_push_back(repository: Repository, tmp_path: Path) -> None:
    remote = tmp_path.parent / f"{tmp_path.name}-remote.git"
    repository.git("init", "-q", "--bare", str(remote))
    repository.git("remote", "add", "origin", str(remote))
    hooked(repository)
    home = str(tmp_path.parent / "pre-commit-home")
    assert run(["git", "push", "-q", "origin", "change"], repository, PRE_COMMIT_HOME=home).returncode == 0
    repository.replace("policies/clinic.yaml", "requirements:", "undeclared: insensitive\nrequirements:")
    assert commit(repository).returncode == 0
    done = run(["git", "push", "-q", "origin", "change"], repository, PRE_COMMIT_HOME=home)
    assert done.returncode != 0
    assert "a policy is weakened without approval" in done.stdout + done.stderr


# The action


def step(name: str, repository: Repository, tmp_path: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action with inputs, as the runner sets its variables."""
    given = {key: value["default"] for key, value in ACTION["inputs"].items()} | inputs
    summary = tmp_path.parent / f"{tmp_path.name}-summary.md"
    environment = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_BASE_REF": "main"}
    for variable, value in STEPS[name].get("env", {}).items():
        found = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value)
        assert found, value
        environment[variable] = given[found[1]]
    return run(STEPS[name]["run"], repository, **environment)


def test_no_input_is_part_of_a_script() -> None:
    for each in ACTION["runs"]["steps"]:
        assert "${{" not in each.get("run", "")


def test_the_install_step_names_this_project() -> None:
    install = STEPS["Install"]
    assert install["env"] == {"AUDITOR_SOURCE": "${{ github.action_path }}"}
    assert (ROOT / "pyproject.toml").is_file()
    assert subprocess.run(["bash", "-n", "-c", install["run"]], check=False).returncode == 0


def test_the_steps_of_the_action_on_a_good_change(repository: Repository, tmp_path: Path) -> None:
    assert step("Lint", repository, tmp_path).returncode == 0
    done = step("Gate", repository, tmp_path, certificates="certificates")
    assert done.returncode == 0, done.stdout + done.stderr
    report = repository.top / "auditor-report"
    assert {file.name for file in report.iterdir()} == {"gate.html", "gate.json", "gate.sarif"}
    assert (repository.top / "certificates/clinic.json").is_file()
    summary = (tmp_path.parent / f"{tmp_path.name}-summary.md").read_text(encoding="utf-8")
    assert "The gate is open" in summary
    assert len(summary.encode()) < 1 << 20


@pytest.mark.parametrize(("old", "new", "code"), [("l: 2}", "l: 1}", 4), ("k: 2}", "k: 3}", 1)])
def test_the_gates_step_ends_as_the_gate_does(
    repository: Repository, tmp_path: Path, old: str, new: str, code: int
) -> None:
    repository.replace("policies/clinic.yaml", old, new)
    repository.commit()
    done = step("Gate", repository, tmp_path)
    assert done.returncode == code
    assert "::error " in done.stdout + done.stderr
    assert (repository.top / "auditor-report/gate.json").is_file()


def test_a_fork_without_the_data_is_not_evaluated(repository: Repository, tmp_path: Path) -> None:
    (repository.top / "out/clinic.csv").unlink()
    assert step("Gate", repository, tmp_path).returncode == 3


def test_inputs_are_words_and_run_nothing(repository: Repository, tmp_path: Path) -> None:
    done = step("Gate", repository, tmp_path, releases="clinic $(touch hacked) ; touch hacked")
    assert done.returncode == 2
    assert not (repository.top / "hacked").exists()
    assert step("Gate", repository, tmp_path, releases="clinic", base="main").returncode == 0


def test_the_policy_tests_step(repository: Repository, tmp_path: Path) -> None:
    assert step("Policy tests", repository, tmp_path).returncode == 0
    repository.write("tests/clinic_test.yaml", TESTS.replace("{fails: [k, l]}", "fail"))
    done = step("Policy tests", repository, tmp_path)
    assert done.returncode == 1, "one record fails whatever k and l are"
    assert "no test notices" in done.stdout


# The GitLab component


def test_the_script_of_the_component(repository: Repository) -> None:
    header, body = COMPONENT.split("\n---\n")
    inputs = yaml.safe_load(header)["spec"]["inputs"]
    assert set(re.findall(r"\$\[\[ inputs\.([a-z]+) \]\]", body)) <= set(inputs)
    job = yaml.safe_load(body)["auditor-gate"]
    told = {"AUDITOR_RELEASES": "clinic", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "GITLAB_CI": "true"}
    for line in job["script"]:
        done = run(line, repository, **told)
        assert done.returncode == 0, done.stdout + done.stderr
    made = [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]
    assert all((repository.top / name).is_file() for name in made)


# The container


def test_the_containers_files_are_enough_to_build(tmp_path: Path) -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    copied = {word for line in re.findall(r"^COPY (.*)$", text, re.MULTILINE) for word in line.split()[:-1]}
    assert copied == kept
    for name in copied:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    words = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--wheel",
        "--outdir",
        str(tmp_path / "out"),
        str(tmp_path),
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "out").glob("auditor-*.whl"))
    assert re.search(r"^USER auditor$", text, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["auditor"\]$', text, re.MULTILINE)


# Windows


@pytest.mark.parametrize(
    "words",
    [["check", "out/clinic.csv", "-p", "policies/clinic.yaml"], ["lint"], ["test"], ["gate"]],
    ids=lambda words: words[0],
)
def test_what_needs_no_posix_locks_runs_without_them(repository: Repository, words: list[str], tmp_path: Path) -> None:
    """On Windows there is no fcntl; nothing here is run on Windows itself.

    It has temporary files of its own: another test's process has locks, and would take this one's for a dead run's.
    """
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    program = f"import sys; sys.modules['fcntl'] = None; from auditor.cli import invoke; sys.exit(invoke({words!r}))"
    done = run([sys.executable, "-c", program], repository, TMPDIR=str(temporary))
    assert done.returncode == 0, done.stdout + done.stderr
