"""The demonstration: its policy fits the survey's codes, its facts hold, its examples are what the program writes."""

import csv
import json
import subprocess
import sys
from collections import Counter

import pytest

from auditor.distribution import version
from auditor.hierarchies import build
from auditor.policy import bind, load_policy
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

pytest.importorskip("statsmodels", reason="the survey comes with statsmodels (pip install -e '.[demo]')")

POLICY = ROOT / "policies" / "demo" / "fair.yaml"


def run(*options):
    return subprocess.run(
        [sys.executable, str(ROOT / "reports" / "fair.py"), *options], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def demo():
    return run()


@pytest.fixture(scope="module")
def survey(demo):
    with (ROOT / "out" / "fair.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_demonstration_goes_from_a_failing_audit_to_a_release_that_passes(demo):
    assert demo.returncode == 0, demo.stderr
    failed, found, passed = (
        demo.stdout.index(words)
        for words in ("Does not meet policy fair", "The release meets policy fair", "✓ Meets policy fair")
    )
    assert failed < found < passed
    for name in ("fair.html", "fair-release.html", "fair-release.csv"):
        assert str(ROOT / "out" / name) in demo.stdout


def test_the_release_is_what_a_plain_count_says(demo):
    """k = 11 over all quasi-identifiers, 20 for the colleague, three answers in each class, 2 % suppressed at most."""
    with (ROOT / "out" / "fair-release.csv").open(encoding="utf-8", newline="") as file:
        released = list(csv.DictReader(file))
    columns = bind(load_policy(POLICY), list(released[0])).quasi_identifiers
    answers = {}
    for row in released:
        answers.setdefault(tuple(row[column] for column in columns), []).append(row["affairs"])
    colleague = Counter((row["age"], row["children"], row["educ"], row["occupation"]) for row in released)
    assert min(map(len, answers.values())) >= 11
    assert min(colleague.values()) >= 20
    assert min(len(set(values)) for values in answers.values()) >= 3
    assert len(answers) / len(released) <= 0.05
    assert 6366 * 0.98 <= len(released) <= 6366


def test_what_is_said_of_the_survey_is_true(survey):
    """6,366 respondents; with 7 quasi-identifiers 40 % of them are unique; two in three report no affair."""
    columns = bind(load_policy(POLICY), list(survey[0])).quasi_identifiers
    classes = Counter(tuple(row[column] for column in columns) for row in survey)
    uniques = sum(size == 1 for size in classes.values())
    assert (len(survey), len(columns)) == (6366, 7)
    assert round(100 * uniques / len(survey)) == 40
    assert round(3 * sum(row["affairs"] == "0" for row in survey) / len(survey)) == 2


def test_the_policy_names_every_column(survey):
    binding = bind(load_policy(POLICY), list(survey[0]))
    assert binding.undeclared == ()
    assert binding.absent == {}
    assert [bound.reason for bound in binding.requirements if bound.reason] == []


def test_every_ladder_covers_every_code_and_ends_in_a_star(survey):
    policy = load_policy(POLICY)
    for column in bind(policy, list(survey[0])).quasi_identifiers:
        spec = policy.attributes[column].hierarchy.model_dump()
        if "file" in spec:
            spec["file"] = policy.file_at(f"attributes/{column}/hierarchy/file")
        ladder = build(spec, sorted({row[column] for row in survey}), column)
        assert set(ladder.levels[-1]) == {"*"}


@pytest.fixture(scope="module")
def examples(demo, tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    done = run("--examples", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


def test_the_audit_counts_what_a_plain_count_counts(survey, examples):
    """Classes, small classes, the average risk and the values in each class, counted without the program."""
    found = json.loads((examples / "fair.json").read_text("utf-8"))
    judged = {requirement["id"]: requirement for requirement in found["requirements"]}
    columns = bind(load_policy(POLICY), list(survey[0])).quasi_identifiers
    everything = Counter(tuple(row[column] for column in columns) for row in survey)
    colleague = Counter((row["age"], row["children"], row["educ"], row["occupation"]) for row in survey)
    answers = {}
    for row in survey:
        answers.setdefault(tuple(row[column] for column in columns), set()).add(row["affairs"])
    assert found["classes"]["count"] == len(everything)
    assert judged["k"]["records_violating"] == sum(size for size in everything.values() if size < 11)
    assert judged["colleague"]["records_violating"] == sum(size for size in colleague.values() if size < 20)
    assert judged["average-risk"]["achieved"] == pytest.approx(len(everything) / len(survey))
    assert judged["distinct-l-diversity"]["records_violating"] == sum(
        size for key, size in everything.items() if len(answers[key]) < 3
    )


@pytest.mark.parametrize("name", ["fair.html", "fair.json", "fair-release.html", "fair-release.json"])
def test_the_example_reports_are_what_the_program_writes(name, examples):
    hint = "if the change is meant, run: python reports/fair.py --examples reports"
    assert timeless((examples / name).read_text("utf-8")) == timeless((ROOT / "reports" / name).read_text("utf-8")), (
        hint
    )


def timeless(text):
    """The report without the program's version."""
    return text.replace(version(), "VERSION")
