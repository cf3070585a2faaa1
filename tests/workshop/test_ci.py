"""Where it runs: hooks in a real git repository, the steps of the action and the component as scripts, the container.

What needs a network (installing, pulling an image) is not run here; everything else is, as it is written.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from importlib.metadata import distributions, requires
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from auditor.cli import COMMANDS
from auditor.errors import EXIT_MET
from auditor.gate import refused
from tests.gate.repository import DATA, Repository
from tests.workshop.pages import ROOT, fences

pytestmark = pytest.mark.slow

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}
COMPONENT = (ROOT / "templates" / "gate.yml").read_text(encoding="utf-8")
DOCUMENTED = {fence.file or fence.language: fence.text for fence in reversed(fences(ROOT / "docs" / "ci.md"))}
"""The fences of the page, by the file that they are, or the first of their language."""
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI", "GITLAB_", "PRE_COMMIT"))
} | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}

PLACE, RULES = "data: out/clinic.csv", "requirements:"
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
    """Install the hooks as the page says, from a repository that has them.

    They run in this environment instead of one that pre-commit would build, which takes a network.
    """
    hooks = repository.top.parent / f"{repository.top.name}-hooks"
    hooks.mkdir()
    text = yaml.safe_dump([{**hook, "language": "system"} for hook in HOOKS])
    (hooks / ".pre-commit-hooks.yaml").write_text(text, encoding="utf-8")
    repository.git("init", "-q", cwd=hooks)
    repository.git("add", "-A", cwd=hooks)
    repository.git("commit", "-q", "-m", "hooks", cwd=hooks)
    config = DOCUMENTED[".pre-commit-config.yaml"]
    assert "https://git.example.org/auditor" in config
    assert "rev: COMMIT" in config
    config = config.replace("COMMIT", repository.git("rev-parse", "HEAD", cwd=hooks).strip())
    repository.write(".pre-commit-config.yaml", config.replace("https://git.example.org/auditor", str(hooks)))
    repository.commit("hooks")
    made = run(DOCUMENTED["shell"], repository)
    assert made.returncode == 0, made.stdout + made.stderr


def commit(repository: Repository) -> subprocess.CompletedProcess[str]:
    repository.git("add", "-A")
    who = ["-c", "user.name=ana", "-c", "user.email=ana@example.org"]
    home = str(repository.top.parent / "pre-commit-home")
    return run(["git", *who, "commit", "-m", "a change"], repository, PRE_COMMIT_HOME=home)


def test_every_hook_is_a_command() -> None:
    assert [hook["id"] for hook in HOOKS] == ["auditor-lint", "auditor-test", "auditor-guard", "auditor-gate"]
    for hook in HOOKS:
        *program, command = hook["entry"].partition(" --")[0].split()
        assert (program, command in COMMANDS) == (["python", "-I", "-m", "auditor"], True)


def test_the_hook_of_the_image_is_the_gates_hook() -> None:
    """It differs in what runs it alone: the image, by its digest."""
    ((hook,),) = (each["hooks"] for each in yaml.safe_load(DOCUMENTED["image-hooks.yaml"])["repos"])
    (gate,) = (each for each in HOOKS if each["id"] == "auditor-gate")
    words = gate["entry"].partition("auditor ")[2]
    entry = f"-e PRE_COMMIT_TO_REF -e PRE_COMMIT_LOCAL_BRANCH registry.example.org/auditor@sha256:DIGEST {words}"
    assert hook == {**gate, "language": "docker_image", "entry": entry}


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
    done = run(["auditor", "guard", "notes/people.csv", "auditor.yaml"], repository)
    assert done.returncode == 1
    assert done.stdout == "notes/people.csv: has what the policy clinic calls an identifier or free text: 'name'\n"


def two_sheets(frame: pd.DataFrame, path: Path) -> None:
    """A workbook that no check reads without being told which sheet: it has two, and a formula."""
    with pd.ExcelWriter(str(path)) as book:
        pd.DataFrame({"code": ["=1+1"]}).to_excel(book, sheet_name="codes")
        frame.to_excel(book, sheet_name="raw", startrow=3, index=False)


@pytest.mark.parametrize(
    ("table", "write"),
    [
        ("raw.xlsx", two_sheets),
        ("raw.ods", two_sheets),
        ("a.sav", pyreadstat.write_sav),
        ("a.dta", pyreadstat.write_dta),
    ],
)
def test_columns_of_a_workbook_are_looked_at_whatever_else_it_holds(
    repository: Repository, table: str, write: Callable[[pd.DataFrame, Path], None]
) -> None:
    repository.replace("policies/clinic.yaml", "diagnosis: sensitive", "diagnosis: sensitive, name: identifier")
    repository.replace("auditor.yaml", "releases:", "other_tables: ['*']\nreleases:")
    write(pd.DataFrame({"age": [36], "n": ["Ada"]}), repository.top / table)
    assert list(refused([table], repository.top)) == []
    write(pd.DataFrame({"age": [36], "name": ["Ada"]}), repository.top / table)
    (why,) = refused([table], repository.top)
    assert why == f"{table}: has what the policy clinic calls an identifier or free text: 'name'"


def test_a_workbook_whose_last_cell_is_far_away_does_not_end_the_guard(repository: Repository) -> None:
    """Its reader takes memory for every place up to that cell, and ended the process."""
    held, far = BytesIO(), b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    pd.DataFrame({"age": [36]}).to_excel(held, index=False)
    with zipfile.ZipFile(held) as whole, zipfile.ZipFile(repository.top / "far.xlsx", "w") as package:
        for part in whole.namelist():
            package.writestr(part, whole.read(part).replace(b"</sheetData>", far))
    (why,) = refused(["far.xlsx"], repository.top)
    assert "no release of auditor.yaml names it" in why


@pytest.mark.parametrize("table", ["notes/ages, new.csv", "notes/ages.xlsx", "notes/ages.DTA.gz"])
def test_a_table_that_no_release_names_is_refused(repository: Repository, table: str) -> None:
    """The line that is printed, pasted, lets it pass."""
    repository.write(table, "age\n36\n")
    repository.write("notes/ages.md", "| age |")
    guarded = ["auditor", "guard", table, "notes/ages.md", "out/clinic.csv"]
    done = run(guarded, repository)
    assert done.returncode == 1
    told = f"{table}: no release of auditor.yaml names it; if it is not about people, say so there ("
    assert done.stdout.startswith(told)
    line = done.stdout.removeprefix(told).removesuffix(")\n")
    repository.replace("auditor.yaml", "releases:", f"{line}\nreleases:")
    assert run(guarded, repository).returncode == 0
    assert repository.gate().exit_code == EXIT_MET


@pytest.mark.parametrize(
    ("table", "file", "old", "new"),
    [
        ("raw/old.csv", "auditor.yaml", PLACE, f"{PLACE}, previous: raw/*.csv"),
        ("kept/t/2026/t.csv", "auditor.yaml", PLACE, f"{PLACE}, outputs: ['kept/**/*.csv']"),
        ("kept/a.csv", "policies/clinic.yaml", RULES, f"reference: ../kept/a.csv\n{RULES}"),
        (
            "tests/t/a.csv",
            "tests/clinic_test.yaml",
            TESTS[TESTS.index("csv:") : TESTS.index(", expect")],
            "data: t/a.csv",
        ),
    ],
    ids=["previous", "outputs", "a reference", "a policy test"],
)
def test_a_table_that_the_rules_name_is_not_refused(
    repository: Repository, table: str, file: str, old: str, new: str
) -> None:
    repository.write(table, "age,zip,diagnosis\n30,*,flu\n")
    assert len(list(refused([table], repository.top))) == 1
    repository.replace(file, old, new)
    assert list(refused([table], repository.top)) == []


def test_a_file_with_the_name_of_an_option_is_a_file(repository: Repository) -> None:
    """`pre-commit run --all-files` hands the names of a branch on."""
    repository.replace("auditor.yaml", "data: out/clinic.csv", "data: out/clinic.csv, original: raw/clinic.csv")
    repository.write("raw/clinic.csv", DATA)
    repository.write("--help", "")
    (guard,) = (each["entry"].split() for each in HOOKS if each["id"] == "auditor-guard")
    assert run([*guard, "--help", "raw/clinic.csv"], repository).returncode == 1


@pytest.mark.parametrize(
    ("original", "file"),
    [
        ("raw/**/*.csv", "raw/clinic.csv"),
        ("raw/**/*.csv", "raw/a/b/clinic.csv"),
        ("raw/*", "raw/a/part-0.csv"),
        ("raw", "raw/a/clinic.sql.1"),
        ("sqlite:raw/clinic.db?table=t", "raw/clinic.db"),
        ("duckdb://raw/clinic.db?query=SELECT 1", "raw/clinic.db"),
    ],
)
def test_an_original_is_refused_however_it_is_named(repository: Repository, original: str, file: str) -> None:
    repository.replace("auditor.yaml", "data: out/clinic.csv", f"data: out/clinic.csv, original: '{original}'")
    repository.write(file, DATA)
    done = run(["auditor", "guard", "out/clinic.csv", file], repository)
    assert (done.returncode, done.stdout) == (1, f"{file}: is the original of the release clinic\n")


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
    repository.replace("policies/clinic.yaml", "undeclared: insensitive\n", "")
    repository.git("add", "-A")
    done = run(["git", "push", "-q", "origin", "change"], repository, PRE_COMMIT_HOME=home)
    assert done.returncode != 0, "staged is mended, and pushed what is not"
    repository.git("stash", "-q")
    repository.git("branch", "bad")
    repository.git("reset", "-q", "--hard", "main")
    done = run(["git", "push", "-q", "origin", "bad"], repository, PRE_COMMIT_HOME=home)
    assert done.returncode != 0, "another branch than the one that is checked out"


# The action


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """What stands for the interpreter that the action installs: this one."""
    program = tmp_path.parent / f"{tmp_path.name}-python"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return program


def step(name: str, repository: Repository, python: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action with inputs, as the runner sets its variables."""
    given = {key: value["default"] for key, value in ACTION["inputs"].items()} | inputs
    summary = repository.top / "../summary.md"
    environment = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_BASE_REF": "main"}
    for variable, value in STEPS[name].get("env", {}).items():
        found = re.fullmatch(r"\$\{\{ (inputs|steps\.install\.outputs)\.([a-z-]+) \}\}", value)
        assert found, value
        environment[variable] = given[found[2]] if found[1] == "inputs" else {"python": str(python)}[found[2]]
    return run(STEPS[name]["run"], repository, **environment)


def test_no_input_is_part_of_a_script() -> None:
    for each in ACTION["runs"]["steps"]:
        assert "${{" not in each.get("run", "")


def test_actions_of_others_are_named_by_a_commit() -> None:
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    named = [each["uses"] for each in ACTION["runs"]["steps"] if "uses" in each]
    named += [uses for uses in re.findall(r"uses: (\S+)", "\n".join(pages)) if not uses.startswith("OWNER/")]
    assert len(named) > 1
    for uses in named:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", uses), uses


STAND_IN = """\
#!/bin/sh
printf '%s\n' "$PWD|${PYTHONPATH-}${PIP_TARGET-}|$*" >> "$SEEN"
case "$*" in *venv*) mkdir -p auditor/bin && cp "$0" auditor/bin/python;; esac
"""


def test_the_install_step_takes_what_is_locked_and_nothing_of_the_checkout(
    repository: Repository, tmp_path: Path
) -> None:
    """The interpreter is a stand-in that writes down how it was called, in which folder, with which variables."""
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    (outside / "bin").mkdir(parents=True)
    (outside / "bin" / "python").write_text(STAND_IN, encoding="utf-8")
    (outside / "bin" / "python").chmod(0o755)
    install = STEPS["Install"]
    given = {"${{ github.action_path }}": str(ROOT), "${{ inputs.index }}": ""}
    hostile = {"PYTHONPATH": str(repository.top), "PIP_TARGET": str(repository.top)}
    told = {name: given[value] for name, value in install["env"].items()} | hostile
    path = f"{outside / 'bin'}{os.pathsep}{os.environ['PATH']}"
    told |= {"RUNNER_TEMP": str(outside), "GITHUB_OUTPUT": str(outside / "output"), "SEEN": str(outside / "seen")}
    done = run(install["run"], repository, **told, PATH=path)
    assert done.returncode == 0, done.stderr
    seen = [line.split("|") for line in (outside / "seen").read_text(encoding="utf-8").splitlines()]
    assert {tuple(each[:2]) for each in seen} == {(str(outside), "")}
    made, locked, itself = (each[2].split() for each in seen)
    assert made == ["-I", "-m", "venv", "--clear", "auditor"]
    assert {"-I", "--isolated", "--require-hashes"} < set(locked)
    assert locked[-1] == str(ROOT / "requirements.lock")
    assert {"-I", "--isolated", "--no-index", "--no-deps", "--no-build-isolation"} < set(itself)
    assert itself[-1] == str(ROOT)
    assert (outside / "output").read_text(encoding="utf-8") == f"python={outside}/auditor/bin/python\n"


def hostile(repository: Repository) -> dict[str, str]:
    """Everything in a checkout that Python, pip or git could be made to run; the variables that would help it."""
    run_me = f"open({str(repository.top / 'hacked')!r}, 'w')\n"
    modules = ("sitecustomize", "usercustomize", "click", "yaml", "pydantic", "duckdb", "json", "conftest", "setup")
    for name in (*(f"{module}.py" for module in modules), "auditor/__init__.py", "auditor/cli.py"):
        repository.write(name, run_me)
    repository.write("hack.pth", f"import os; {run_me}")
    repository.write("pip.conf", "[install]\ntarget = .\n")
    repository.write("setup.cfg", "[options]\npy_modules = setup\n")
    repository.write(".gitattributes", "* filter=hack diff=hack\n")
    top = str(repository.top)
    return {"PYTHONPATH": top, "PYTHONSTARTUP": f"{top}/setup.py", "PYTHONUSERBASE": top, "PIP_CONFIG_FILE": "pip.conf"}


def test_nothing_of_the_checkout_runs(repository: Repository, python: Path, tmp_path: Path) -> None:
    told = hostile(repository)
    repository.commit("a hostile checkout")
    assert not (repository.top / "hacked").exists()
    header, body = COMPONENT.split("\n---\n")
    assert header
    scripts = [STEPS[name]["run"] for name in ("Lint", "Policy tests", "Gate")]
    scripts += [hook["entry"] for hook in HOOKS] + yaml.safe_load(body)["auditor-gate"]["script"]
    container = re.search(r"^ENTRYPOINT (.*)$", (ROOT / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert container
    scripts.append(" ".join([*yaml.safe_load(container[1]), "gate"]))
    home = tmp_path.parent / f"{tmp_path.name}-home"
    told |= {"AUDITOR_PYTHON": str(python), "AUDITOR_REPORT": str(home), "AUDITOR_RELEASES": "clinic"}
    told |= {"AUDITOR_BASE": "main", "AUDITOR_CERTIFICATES": "", "CI_PROJECT_DIR": str(repository.top)}
    for script in scripts:
        done = run(script, repository, **told, GIT_CONFIG_GLOBAL=str(home) + ".gitconfig")
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        assert not (repository.top / "hacked").exists(), script
    # The same without -I: what is shown not to run would have run.
    run([sys.executable, "-m", "auditor", "lint"], repository, **told)
    assert (repository.top / "hacked").exists()


def test_the_steps_of_the_action_on_a_good_change(repository: Repository, python: Path) -> None:
    assert step("Lint", repository, python).returncode == 0
    done = step("Gate", repository, python, certificates="certificates")
    assert done.returncode == 0, done.stdout + done.stderr
    report = repository.top / "auditor-report"
    assert {file.name for file in report.iterdir()} == {"gate.html", "gate.json", "gate.sarif"}
    assert (repository.top / "certificates/clinic.json").is_file()
    summary = (repository.top / "../summary.md").read_text(encoding="utf-8")
    assert "The gate is open" in summary
    assert len(summary.encode()) < 1 << 20


@pytest.mark.parametrize(("old", "new", "code"), [("l: 2}", "l: 1}", 4), ("k: 2}", "k: 3}", 1)])
def test_the_gates_step_ends_as_the_gate_does(
    repository: Repository, python: Path, old: str, new: str, code: int
) -> None:
    repository.replace("policies/clinic.yaml", old, new)
    repository.commit()
    done = step("Gate", repository, python)
    assert done.returncode == code
    assert "::error " in done.stdout + done.stderr
    assert (repository.top / "auditor-report/gate.json").is_file()


def test_a_fork_without_the_data_is_not_evaluated(repository: Repository, python: Path) -> None:
    (repository.top / "out/clinic.csv").unlink()
    assert step("Gate", repository, python).returncode == 3


def test_inputs_are_words_and_run_nothing(repository: Repository, python: Path) -> None:
    done = step("Gate", repository, python, releases="clinic $(touch hacked) ; touch hacked")
    assert done.returncode == 2
    assert not (repository.top / "hacked").exists()
    assert step("Gate", repository, python, releases="clinic", base="main").returncode == 0
    lines = step("Gate", repository, python, releases="clinic\nno-release\n")
    assert (lines.returncode, "'no-release'" in lines.stderr) == (2, True), "a list is more than its first line"


@pytest.mark.parametrize("link", ["auditor-report", "auditor-report/gate.html"])
def test_a_report_is_not_written_through_a_link_of_the_checkout(
    repository: Repository, python: Path, tmp_path: Path, link: str
) -> None:
    """A branch that lays a link where the action writes would have it overwrite a file of the runner."""
    outside = tmp_path.parent / f"{tmp_path.name}-runner"
    (outside / "auditor-report").mkdir(parents=True)
    (outside / link).touch()
    (repository.top / link).parent.mkdir(exist_ok=True)
    (repository.top / link).symlink_to(outside / link)
    before = {file: file.read_bytes() for file in outside.rglob("*") if file.is_file()}
    assert step("Gate", repository, python).returncode == 2
    assert {file: file.read_bytes() for file in outside.rglob("*") if file.is_file()} == before


def test_the_policy_tests_step(repository: Repository, python: Path) -> None:
    assert step("Policy tests", repository, python).returncode == 0
    repository.write("tests/clinic_test.yaml", TESTS.replace("{fails: [k, l]}", "fail"))
    done = step("Policy tests", repository, python)
    assert done.returncode == 1, "one record fails whatever k and l are"
    assert "no test notices" in done.stdout


# The GitLab component


def test_the_script_of_the_component(repository: Repository) -> None:
    header, body = COMPONENT.split("\n---\n")
    inputs = yaml.safe_load(header)["spec"]["inputs"]
    assert set(re.findall(r"\$\[\[ inputs\.([a-z]+) \]\]", body)) <= set(inputs)
    job = yaml.safe_load(body)["auditor-gate"]
    told = {"AUDITOR_RELEASES": "clinic", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "GITLAB_CI": "true"}
    told |= {"CI_PROJECT_DIR": str(repository.top), "GIT_CONFIG_GLOBAL": str(repository.top / "../gitconfig")}
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
    assert list((tmp_path / "out").glob("disclosure_auditor-*.whl"))
    assert re.search(r"^USER auditor$", text, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["python", "-I", "-m", "auditor"\]$', text, re.MULTILINE)
    assert re.findall(r"git config (.*)", text) == ["--global --add safe.directory /work"]
    assert re.search(r"^WORKDIR /work$", text, re.MULTILINE)
    assert re.search(r"^ARG PYTHON=\S+@sha256:[0-9a-f]{64}\nFROM \$\{PYTHON\}$", text, re.MULTILINE)
    installs = re.findall(r"pip install (.*)$", text, re.MULTILINE)
    assert all("--require-hashes" in each or {"--no-index", "--no-deps"} < set(each.split()) for each in installs)


# The lock file


def locked() -> dict[str, list[Requirement]]:
    """What is locked, by its name: a version for each kind of machine that takes another one."""
    found: dict[str, list[Requirement]] = {}
    for entry in re.split(r"\n(?=\S)", "\n".join(line for line in LOCK.splitlines() if not line.startswith("#"))):
        requirement = Requirement(entry.partition(" \\")[0].strip())
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry
        found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def test_the_lock_holds_versions_that_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    assert project["project"]["optional-dependencies"]["build"] == project["build-system"]["requires"]
    for requirement in map(Requirement, asked):
        for pinned in locked()[canonicalize_name(requirement.name)]:
            (exact,) = pinned.specifier
            assert exact.operator == "=="
            assert requirement.specifier.contains(exact.version), f"{requirement} and {pinned}: run make lock"


def test_the_lock_names_all_that_its_packages_ask_for() -> None:
    """As far as they are installed here in that version: what they ask for on this machine is in the lock, too."""
    names = locked()
    here = {canonicalize_name(each.metadata["Name"]): each.version for each in distributions()}
    same = [name for name, pins in names.items() if any(each.specifier.contains(here.get(name, "")) for each in pins)]
    assert len(same) > len(names) / 2
    for name in same:
        for text in requires(name) or ():
            asked = Requirement(text)
            if asked.marker is None or asked.marker.evaluate({"extra": ""}):
                assert canonicalize_name(asked.name) in names, f"{name} asks for {asked}: run make lock"


def test_the_lock_names_no_place_to_fetch_from() -> None:
    assert "://" not in LOCK
    assert not re.search(r"^\s*--(?!hash=)", LOCK, re.MULTILINE)


# Windows


@pytest.mark.parametrize(
    "words",
    [["check", "out/clinic.csv", "-p", "policies/clinic.yaml"], ["lint"], ["test"], ["gate"]],
    ids=lambda words: words[0],
)
def test_what_needs_no_posix_locks_runs_without_them(repository: Repository, words: list[str], tmp_path: Path) -> None:
    """See `tests.windows`; nothing here is run on Windows itself.

    It has temporary files of its own: another test's process has locks, and would take this one's for a dead run's.
    """
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    program = (
        "import sys; from tests.windows import take_away; take_away(); "
        f"from auditor.cli import invoke; sys.exit(invoke({words!r}))"
    )
    done = run([sys.executable, "-c", program], repository, TMPDIR=str(temporary), PYTHONPATH=str(ROOT))
    assert done.returncode == 0, done.stdout + done.stderr
