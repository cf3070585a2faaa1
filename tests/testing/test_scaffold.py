"""Scaffolds: tables on both sides of each number, held to counts made here, not by the program."""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from io import StringIO

import pytest

from auditor.policy import load_policy
from auditor.testing import load_tests, run, scaffold
from auditor.testing._file import Case
from tests.testing.conftest import Bench

ATTRIBUTES = "name: x\nattributes: {age: {role: quasi-identifier, type: integer}, ill: sensitive}\nrequirements:\n"


def scaffolded(bench: Bench, requirement: str) -> tuple[Case, ...]:
    file = bench.write("x.yaml", ATTRIBUTES + f"  - {requirement}\n")
    made = scaffold(load_policy(file), "x.yaml")
    assert not made.left_out
    tests = load_tests(bench.write("x_test.yaml", made.text))
    result = run([tests], covered=True)
    assert result.verdict == "pass"
    assert result.mutants
    return tests.cases


def classes(case: Case) -> list[Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for row in csv.DictReader(StringIO(case.csv)):
        found.setdefault(row["age"], Counter())[row.get("ill", "")] += 1
    return list(found.values())


def numbers(cases: tuple[Case, ...], name: str) -> list[tuple[float, bool]]:
    """What each table is said to achieve, and whether it is said to pass."""
    return [(case.expect.achieved[name], case.expect.verdict == "pass") for case in cases]


@pytest.mark.parametrize("k", [2, 3, 11])
def test_k_minus_one_k_and_k_plus_one(bench: Bench, k: int) -> None:
    cases = scaffolded(bench, f"{{id: k, model: k-anonymity, k: {k}}}")
    counted = [min(found.total() for found in classes(case)) for case in cases]
    assert counted == [k - 1, k, k + 1]
    assert numbers(cases, "k") == [(size, size >= k) for size in counted]


@pytest.mark.parametrize("l", [2, 4])
def test_distinct_diversity(bench: Bench, l: int) -> None:  # noqa: E741
    cases = scaffolded(bench, f"{{id: l, model: distinct-l-diversity, l: {l}}}")
    counted = [min(len(found) for found in classes(case)) for case in cases]
    assert counted == [l - 1, l, l + 1]
    assert numbers(cases, "l") == [(number, number >= l) for number in counted]


@pytest.mark.parametrize("bound", ["0.09", "0.2"])
def test_maximal_risk(bench: Bench, bound: str) -> None:
    cases = scaffolded(bench, f"{{id: r, model: max-risk, max: {bound}}}")
    for case in cases:
        risk = Fraction(1, min(found.total() for found in classes(case)))
        assert case.expect.achieved["r"] == pytest.approx(float(risk))
        assert (case.expect.verdict == "pass") is (risk <= Fraction(bound))
    assert {case.expect.verdict for case in cases} == {"pass", "fail"}


@pytest.mark.slow
def test_recursive_diversity_on_both_of_its_numbers(bench: Bench) -> None:
    """r1 < c (rl + … + rm), on the counts of each class in falling order."""
    cases = scaffolded(bench, "{id: r, model: recursive-l-diversity, c: 4, l: 3}")
    for case in cases:
        met = True
        for found in classes(case):
            counts = sorted(found.values(), reverse=True)
            met &= counts[0] < 4 * sum(counts[2:])
        assert (case.expect.verdict == "pass") is met
    assert len(cases) == 6


@pytest.mark.slow
def test_closeness_of_equal_distances(bench: Bench) -> None:
    """Half the sum of absolute differences between a class and the whole table."""
    cases = scaffolded(bench, "{id: t, model: t-closeness, t: 0.2, ground: equal}")
    for case in cases:
        found = classes(case)
        whole = sum(found, Counter())
        rows = whole.total()
        distance = max(sum(abs(Fraction(c[v], c.total()) - Fraction(whole[v], rows)) for v in whole) / 2 for c in found)
        assert case.expect.achieved["t"] == pytest.approx(float(distance))
        assert (case.expect.verdict == "pass") is (distance <= Fraction("0.2"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "requirement",
    [
        "{model: entropy-l-diversity, l: 2.5}",
        "{model: alpha-k-anonymity, alpha: 0.5, k: 4}",
        "{model: p-sensitive-k-anonymity, p: 2, k: 4}",
        "{model: basic-beta-likeness, beta: 1.2}",
        "{model: average-risk, max: 0.1}",
        "{model: uniqueness, max: 0.1}",
    ],
)
def test_other_models_get_tests_that_notice_each_number(bench: Bench, requirement: str) -> None:
    assert scaffolded(bench, requirement)


def test_what_no_table_was_found_for_is_named(bench: Bench) -> None:
    file = bench.write("x.yaml", ATTRIBUTES + '  - {id: a, model: allowed-values, attribute: age, pattern: "[0-9]+"}\n')
    made = scaffold(load_policy(file), "x.yaml")
    assert (made.tests, made.left_out) == (0, ("a",))


@pytest.mark.slow
def test_units_orders_and_globs(bench: Bench) -> None:
    """Ten units of three values in their order, grouped by a glob's column."""
    bench.write(
        "u.yaml",
        """\
        name: u
        unit: person
        attributes:
          person: pseudonym
          "lab_*": quasi-identifier
          ill: {role: sensitive, order: [none, mild, severe]}
        requirements:
          - {id: k, model: k-anonymity, k: 10}
          - {id: t, model: t-closeness, t: 0.2, ground: ordered}
        """,
    )
    made = scaffold(load_policy(bench.folder / "u.yaml"), "u.yaml")
    tests = load_tests(bench.write("u_test.yaml", made.text))
    assert made.left_out == ()
    assert run([tests], covered=True).verdict == "pass"
    header, *rows = csv.reader(StringIO(tests.cases[0].csv))
    assert header[:2] == ["person", "lab_1"]
    assert len({row[0] for row in rows}) == len(rows) == 9
