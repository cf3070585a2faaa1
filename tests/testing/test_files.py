"""Reading test files: every mistake at its line and column, with what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.errors import PolicyError, UsageError
from auditor.testing import discover, load_tests
from tests.testing.conftest import Bench

HEAD = "policy: clinic.yaml\ntests:\n"


def problems(bench: Bench, text: str) -> list[str]:
    with pytest.raises(PolicyError) as wrong:
        load_tests(bench.write("x_test.yaml", text))
    return str(wrong.value).splitlines()


@pytest.mark.parametrize(
    ("case", "place", "said"),
    [
        ("  - {nmae: a, csv: x, expect: pass}\n", "x_test.yaml:3:6", "did you mean 'name'"),
        ("  - {name: a, csv: x, expect: pas}\n", "x_test.yaml:3:31", "did you mean 'pass'"),
        ("  - {name: a, csv: x, expect: {fails: [ka]}}\n", "x_test.yaml:3:40", "did you mean 'k'"),
        ("  - {name: a, csv: x, expect: {achieved: {ll: 2}}}\n", "x_test.yaml:3:47", "did you mean 'l'"),
        ("  - {name: a, csv: x, only: [identifier], expect: pass}\n", "x_test.yaml:3:30", "did you mean 'identifiers'"),
        ("  - {name: a, csv: x, expect: {achieved: {k: two}}}\n", "x_test.yaml:3:46", "a number"),
        ("  - {name: a, expect: pass}\n", "x_test.yaml:3:5", "a test has one table"),
        ("  - {name: a, csv: x, data: y.csv, expect: pass}\n", "x_test.yaml:3:29", "does not exist"),
        ("  - {name: a, csv: x, expect: {}}\n", "x_test.yaml:3:31", "an empty expectation"),
        ("  - {name: a, csv: x, expect: pass, as_of: soon}\n", "x_test.yaml:3:44", "a date"),
    ],
)
def test_a_mistake_is_shown_where_it_stands(bench: Bench, case: str, place: str, said: str) -> None:
    line = next(line for line in problems(bench, HEAD + case) if said in line)
    assert line.startswith(f"{place}: ")


def test_all_mistakes_are_told_at_once(bench: Bench) -> None:
    found = problems(bench, HEAD + "  - {name: a, csv: x, expect: pas}\n  - {name: b, cvs: x, expect: pass}\n")
    assert {line.split(": ")[0] for line in found} >= {"x_test.yaml:3:31", "x_test.yaml:4:15"}


def test_two_tests_of_one_name(bench: Bench) -> None:
    case = "  - {name: a, csv: x, expect: pass}\n"
    (line,) = problems(bench, HEAD + case + case)
    assert "two tests are called 'a'; see line 3" in line


def test_the_policys_own_problems_are_told_too(bench: Bench) -> None:
    bench.write("clinic.yaml", "name: clinic\nrequirements: [{model: k-anonimity, k: 3}]\n")
    first, second = sorted(problems(bench, HEAD + "  - {name: a, csv: x, expect: pass}\n"))
    assert first.startswith("clinic.yaml:2:")
    assert second.startswith("x_test.yaml:1:9: the policy clinic.yaml itself has problems")


@pytest.mark.parametrize("text", ["", "- a\n", "just text\n"])
def test_what_is_no_test_file(bench: Bench, text: str) -> None:
    (line,) = problems(bench, text)
    assert "a mapping" in line


@pytest.mark.parametrize("key", ["policy", "data"])
def test_a_test_file_reaches_no_file_outside_its_folder(bench: Bench, tmp_path: Path, key: str) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}.yaml"
    outside.write_text("age\n1\n", encoding="utf-8")
    case = f"  - {{name: a, data: ../{outside.name}, expect: pass}}\n"
    text = (
        HEAD + case if key == "data" else f"policy: ../{outside.name}\ntests:\n  - {{name: a, csv: x, expect: pass}}\n"
    )
    (line,) = problems(bench, text)
    assert "lies outside" in line


def test_a_starter_pack_can_be_tested(bench: Bench) -> None:
    with pytest.raises(PolicyError, match="no requirements"):
        load_tests(bench.write("x_test.yaml", "policy: cms-cell-11\ntests:\n  - {name: a, csv: x, expect: pass}\n"))
    found = load_tests(bench.write("y_test.yaml", "policy: ema-0070-k11\ntests: [{name: a, csv: x, expect: fail}]\n"))
    assert found.policy.name == "ema-0070-k11"


def test_test_files_are_found_below_a_folder_each_once(bench: Bench) -> None:
    for name in ("a_test.yaml", "deep/b_test.yaml", ".hidden/c_test.yaml", "deep/d.yaml"):
        bench.write(name, "x")
    (bench.folder / "link").symlink_to(bench.folder / "deep", target_is_directory=True)
    assert [file.as_posix() for file in discover([])] == ["a_test.yaml", "deep/b_test.yaml"]
    assert [file.name for file in discover(["deep", "deep/b_test.yaml"])] == ["b_test.yaml"]


def test_no_tests_are_no_success(bench: Bench) -> None:
    with pytest.raises(UsageError, match="no policy tests found"):
        discover(["."])
    with pytest.raises(UsageError, match="no such file"):
        discover(["absent"])
